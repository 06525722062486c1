/* SPDX-License-Identifier: Apache-2.0 */
#include "checkpoint_packets.h"

#include "model/event/event.h"
#include "model/event/rank_crossings.h"

/* ---------------------------------------------------------------- by name */

static uint32_t place_of(const checkpoint_packets_t *packets, uint64_t name)
{
	uint32_t at = (uint32_t)((name * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (packets->place_room - 1);

	while (packets->places[at] && packets->items[packets->places[at] - 1].name != name) {
		at = (at + 1) & (packets->place_room - 1);
	}
	return at;
}

static int grow(checkpoint_packets_t *packets)
{
	const uint32_t room = packets->room ? 2 * packets->room : 1024;
	named_packet_t *items = realloc(packets->items, room * sizeof(*items));
	uint32_t *places = calloc(2 * (size_t)room, sizeof(*places));

	packets->items = items ? items : packets->items;
	if (!items || !places) {
		free(places);
		return 0;
	}
	free(packets->places);
	packets->places = places;
	packets->room = room;
	packets->place_room = 2 * room;
	for (uint32_t i = 0; i < packets->count; i++) {
		packets->places[place_of(packets, items[i].name)] = i + 1;
	}
	return 1;
}

static int note(checkpoint_packets_t *packets, const saved_packet_t *saved, const uint32_t *words)
{
	named_packet_t *item;
	uint32_t at;

	if (packets->count == packets->room && !grow(packets)) {
		return 0;
	}
	at = place_of(packets, saved->name);
	if (!packets->places[at]) {
		packets->items[packets->count] = (named_packet_t){saved->name, words, 0, saved->cells, saved->left};
		packets->places[at] = ++packets->count;
		return 1;
	}
	item = &packets->items[packets->places[at] - 1];
	/* Cells that have left for another rank are missing in the copy of that rank only. */
	item->left = item->left > saved->left ? item->left : saved->left;
	return item->cells == saved->cells;
}

static const saved_packet_t *next_packet(xt_bytes_reader_t *in, const uint32_t **words)
{
	const saved_packet_t *saved = xt_bytes_next(in, sizeof(*saved));

	*words = saved && saved->cells && saved->cells <= PACKET_CELLS
			 ? xt_bytes_next(in, (size_t)saved->cells * CELL_WORDS * sizeof(**words))
			 : NULL;
	return *words ? saved : NULL;
}

int checkpoint_packets_note(
	checkpoint_packets_t *packets, const saved_head_t *head, xt_bytes_reader_t in, unsigned faults)
{
	int made = xt_bytes_next(&in, faults * sizeof(fault_t)) != NULL;

	for (uint32_t i = 0; i < head->packets && made; i++) {
		const uint32_t *words;
		const saved_packet_t *saved = next_packet(&in, &words);

		made = saved && note(packets, saved, words);
	}
	return made;
}

/* The last comes first, so no packet has the number by chance that it had. */
int checkpoint_packets_fetch(checkpoint_packets_t *packets, xt_engine_t *network)
{
	packets_t *pool = &network->common.packets;

	for (uint32_t i = packets->count; i-- > 0;) {
		named_packet_t *item = &packets->items[i];

		item->number = packets_fetch(pool, item->name, item->words, item->cells,
			network->event_run ? event_kept(network->event_run, item->words, item->cells) : item->cells);
		if (!item->number) {
			return 0;
		}
		pool->packets[item->number].left = item->left;
	}
	packets->used = calloc(pool->packet_count, 1);
	packets->unused = calloc(pool->packet_count, 1);
	return packets->used && packets->unused;
}

/* ---------------------------------------------------------------- a part */

static uint32_t *make_numbers(uint32_t highest, uint32_t *room)
{
	*room = highest + 1;
	return calloc((size_t)highest + 1, sizeof(uint32_t));
}

static int load_packets(
	const checkpoint_packets_t *packets, uint32_t count, xt_bytes_reader_t *in, renumbering_t *numbers)
{
	xt_bytes_reader_t ahead = *in;
	uint32_t highest = 0;
	const uint32_t *words;

	for (uint32_t i = 0; i < count; i++) {
		const saved_packet_t *saved = next_packet(&ahead, &words);

		if (!saved || saved->number >= MAX_PACKETS) {
			return 0;
		}
		highest = saved->number > highest ? saved->number : highest;
	}
	numbers->packets = make_numbers(highest, &numbers->packet_room);
	for (uint32_t i = 0; i < count && numbers->packets; i++) {
		const saved_packet_t *saved = next_packet(in, &words);
		const uint32_t item = packets->places[place_of(packets, saved->name)];

		numbers->packets[saved->number] = packets->items[item - 1].number;
	}
	return numbers->packets != NULL;
}

static const saved_place_t *next_place(xt_bytes_reader_t *in, const token_t **odd)
{
	const saved_place_t *saved = xt_bytes_next(in, sizeof(*saved));

	*odd = saved && saved->is_odd ? xt_bytes_next(in, ODD_CELLS * sizeof(**odd)) : NULL;
	return saved && (*odd || !saved->is_odd) ? saved : NULL;
}

static int load_place(packets_t *pool, const saved_place_t *saved, const token_t *odd, const renumbering_t *numbers)
{
	buffered_t *place = &pool->buffered[numbers->places[saved->number]];

	*place = saved->place;
	place->odd = NULL;
	renumber_packet(numbers, &place->packet);
	renumber_place(numbers, &place->next);
	if (odd) {
		packets_begin_odd(pool, place);
	}
	for (unsigned i = 0; odd && place->odd && i < ODD_CELLS; i++) {
		place->odd[i] = odd[i];
		renumber_token(numbers, &place->odd[i]);
	}
	return !odd || place->odd;
}

static int note_places(checkpoint_packets_t *packets, const renumbering_t *numbers, uint32_t count)
{
	uint32_t *loaded = realloc(packets->loaded, (packets->loaded_count + (size_t)count + 1) * sizeof(*loaded));

	if (!loaded) {
		return 0;
	}
	packets->loaded = loaded;
	for (uint32_t n = 0; n < numbers->place_room; n++) {
		if (numbers->places[n]) {
			loaded[packets->loaded_count++] = numbers->places[n];
		}
	}
	return 1;
}

static int load_places(packets_t *pool, uint32_t count, xt_bytes_reader_t *in, renumbering_t *numbers)
{
	enum { MOST_PLACES = 1 << 28 };
	xt_bytes_reader_t ahead = *in;
	uint32_t highest = 0;
	const token_t *odd;

	for (uint32_t i = 0; i < count; i++) {
		const saved_place_t *saved = next_place(&ahead, &odd);

		if (!saved || saved->number >= MOST_PLACES) {
			return 0;
		}
		highest = saved->number > highest ? saved->number : highest;
	}
	numbers->places = make_numbers(highest, &numbers->place_room);
	ahead = *in;
	for (uint32_t i = 0; i < count && numbers->places; i++) {
		const saved_place_t *saved = next_place(&ahead, &odd);

		numbers->places[saved->number] = buffered_new(pool);
	}
	for (uint32_t i = 0; i < count && numbers->places; i++) {
		const saved_place_t *saved = next_place(in, &odd);

		if (!numbers->places[saved->number] || !load_place(pool, saved, odd, numbers)) {
			return 0;
		}
	}
	return numbers->places != NULL;
}

int checkpoint_packets_load(checkpoint_packets_t *packets, xt_engine_t *network, const saved_head_t *head,
	xt_bytes_reader_t *in, renumbering_t *numbers)
{
	/* A place may be another rank's. */
	numbers->used = packets->unused;
	if (!load_packets(packets, head->packets, in, numbers) ||
		!load_places(&network->common.packets, head->places, in, numbers) ||
		!note_places(packets, numbers, head->places)) {
		return 0;
	}
	numbers->used = packets->used;
	return 1;
}

/* ---------------------------------------------------------------- afterwards */

static void reach(checkpoint_packets_t *packets, const packets_t *pool, uint32_t place)
{
	for (; place && !packets->reached[place]; place = pool->buffered[place].next) {
		const buffered_t *b = &pool->buffered[place];

		packets->reached[place] = 1;
		packets->used[b->packet] = 1;
		for (unsigned i = 0; b->odd && i < ODD_CELLS; i++) {
			packets->used[token_packet(b->odd[i])] = 1;
		}
	}
}

int checkpoint_packets_reach(checkpoint_packets_t *packets, const xt_engine_t *network, const card_t *card)
{
	const packets_t *pool = &network->common.packets;

	if (!packets->reached) {
		packets->reached = calloc(pool->buffered_count, 1);
	}
	for (unsigned p = 0; p < PORTS && packets->reached; p++) {
		const input_t *in = &card->input[p];

		reach(packets, pool, in->arriving);
		reach(packets, pool, in->e_packet);
		reach(packets, pool, in->stream);
		reach(packets, pool, in->again);
		for (unsigned q = 0; q < QUEUES; q++) {
			reach(packets, pool, in->last[q]);
		}
	}
	return packets->reached != NULL;
}

static void forget_places(checkpoint_packets_t *packets, packets_t *pool)
{
	for (uint32_t i = 0; i < packets->loaded_count && packets->reached; i++) {
		if (!packets->reached[packets->loaded[i]]) {
			buffered_free(pool, packets->loaded[i]);
		}
	}
}

void checkpoint_packets_forget(checkpoint_packets_t *packets, xt_engine_t *network)
{
	packets_t *pool = network->shards ? &network->shards[0].common.packets : &network->common.packets;

	if (network->shards) {
		packets_follow(pool);
	}
	forget_places(packets, pool);
	for (uint32_t i = 0; i < packets->count && packets->used; i++) {
		const uint32_t number = packets->items[i].number;

		if (!packets->used[number]) {
			packets_release(pool, number);
		} else if (network->rank_run && !network->event_run) {
			network->common.packets.failed |= !rank_crossings_know(network->rank_run, number);
		}
	}
}

void checkpoint_packets_close(checkpoint_packets_t *packets)
{
	free(packets->items);
	free(packets->places);
	free(packets->used);
	free(packets->unused);
	free(packets->reached);
	free(packets->loaded);
}
