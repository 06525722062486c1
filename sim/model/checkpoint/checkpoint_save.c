/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of one process. */
#include "checkpoint_save.h"

#include "model/event/event.h"
#include "model/event/rank_run.h"
#include "model/network/network_internal.h"

/* ---------------------------------------------------------------- numbers in use */

static void mark_fresh(uint8_t *is_free, const numbers_t *fresh, uint32_t count)
{
	for (uint32_t i = fresh->next; i < fresh->end && i < count; i++) {
		is_free[i] = 1;
	}
}

/* Lists of free numbers, and those that nobody has used yet. */
static void mark_free(const packets_t *whole, const packets_t *pool, uint8_t *packets, uint8_t *places)
{
	for (uint32_t n = pool->free_packet; n; n = whole->packets[n].next_free) {
		packets[n] = 1;
	}
	for (uint32_t n = pool->free_buffered; n; n = whole->buffered[n].next) {
		places[n] = 1;
	}
	mark_fresh(packets, &pool->fresh_packets, whole->packet_count);
	mark_fresh(places, &pool->fresh_buffered, whole->buffered_count);
}

static int save_packet(const xt_client_t *client, const packet_t *p, uint32_t number, xt_bytes_t *out)
{
	const saved_packet_t saved = {p->name, number, p->cells, p->left};
	uint32_t room[PACKET_CELLS * CELL_WORDS];

	return xt_bytes_add(out, &saved, sizeof(saved)) &&
	       xt_bytes_add(out, packets_words(p, client->remake, client->context, room),
		       (size_t)p->cells * CELL_WORDS * sizeof(*p->words));
}

static int save_place(const buffered_t *b, uint32_t number, xt_bytes_t *out)
{
	saved_place_t saved = {number, b->odd != NULL, *b};

	saved.place.odd = NULL;
	return xt_bytes_add(out, &saved, sizeof(saved)) &&
	       (!b->odd || xt_bytes_add(out, b->odd, ODD_CELLS * sizeof(*b->odd)));
}

/* By number of a packet and of a place: whether nobody has it. 0: out of memory. */
static int find_free(const xt_engine_t *network, uint8_t **packets, uint8_t **places)
{
	const packets_t *whole = &network->common.packets;

	*packets = calloc(whole->packet_count, 1);
	*places = calloc(whole->buffered_count, 1);
	if (!*packets || !*places) {
		return 0;
	}
	mark_free(whole, whole, *packets, *places);
	for (unsigned i = 0; network->shards && i < network->shard_count; i++) {
		mark_free(whole, &network->shards[i].common.packets, *packets, *places);
	}
	return 1;
}

/* What all ranks read, since a packet has one number everywhere, comes before `shared`. */
static int save_packets(
	const xt_engine_t *network, const xt_client_t *client, saved_head_t *head, xt_bytes_t *out, size_t *shared)
{
	const packets_t *whole = &network->common.packets;
	uint8_t *packets = NULL, *places = NULL;
	int made = find_free(network, &packets, &places);

	for (uint32_t n = 1; made && n < whole->packet_count; n++) {
		if (!packets[n] && whole->packets[n].words) {
			made = save_packet(client, &whole->packets[n], n, out);
			head->packets++;
		}
	}
	*shared = out->count;
	for (uint32_t n = 1; made && n < whole->buffered_count; n++) {
		if (!places[n]) {
			made = save_place(&whole->buffered[n], n, out);
			head->places++;
		}
	}
	free(packets);
	free(places);
	return made;
}

/* ---------------------------------------------------------------- cards */

static int has(const uint64_t *set, uint32_t card)
{
	return set[card / 64] >> card % 64 & 1;
}

static int save_card(const xt_engine_t *shard, uint32_t c, xt_bytes_t *out)
{
	saved_card_t *saved = xt_bytes_more(out, sizeof(*saved));
	const link_t *links = &shard->links[c * LINKS];
	unsigned buffers = 0;
	int made = saved != NULL;

	for (unsigned p = 0; p < LINKS; p++) {
		buffers |= (unsigned)(links[p].buffers != NULL) << p;
	}
	if (made) {
		memset(saved, 0, sizeof(*saved));
		saved->card = shard->card[c];
		saved->blocked_nics = shard->blocked_nics[c];
		saved->keepalive = shard->keepalive[c];
		saved->busy = (uint8_t)has(shard->busy, c);
		saved->within = (uint8_t)has(shard->within, c);
		saved->buffers = (uint16_t)buffers;
		memcpy(saved->outgoing, &shard->outgoing[c * LINKS], sizeof(saved->outgoing));
		memcpy(saved->sending, &shard->sending[c * NICS], sizeof(saved->sending));
		memcpy(saved->port_cells, &shard->port_cells[(size_t)c * PORTS], sizeof(saved->port_cells));
		made = xt_bytes_add(out, links, LINKS * sizeof(*links));
	}
	for (unsigned p = 0; p < LINKS && made; p++) {
		made = !links[p].buffers || xt_bytes_add(out, links[p].buffers, sizeof(*links[p].buffers));
	}
	return made &&
	       (!shard->troubles || xt_bytes_add(out, &shard->troubles[c * LINKS], LINKS * sizeof(*shard->troubles)));
}

/* Frames that are on their way. */
static int save_arrivals(const xt_engine_t *shard, uint32_t *count, xt_bytes_t *out)
{
	int made = 1;

	for (uint32_t slot = 0; shard->arrivals && slot < shard->slots; slot++) {
		for (uint32_t c = shard->first_card; c < shard->end_card && made; c++) {
			const saved_arrivals_t saved = {c, slot, shard->arrivals[(size_t)slot * shard->cards + c]};

			if (saved.arrivals.frames) {
				made = xt_bytes_add(out, &saved, sizeof(saved));
				++*count;
			}
		}
	}
	return made;
}

/* What fast links bring, and have brought. */
static int save_fast(const xt_engine_t *shard, uint32_t *count, xt_bytes_t *out)
{
	const fast_links_t *fast = &shard->fast_links;
	int made = 1;

	for (uint32_t slot = 0; fast->came && slot < fast->slots; slot++) {
		for (uint32_t c = shard->first_card; c < shard->end_card && made; c++) {
			const size_t at = (size_t)slot * shard->cards + c;
			saved_fast_t saved = {.card = c, .slot = slot, .came = fast->came[at]};

			if (saved.came) {
				memcpy(saved.items, &fast->items[at * LINKS], sizeof(saved.items));
				made = xt_bytes_add(out, &saved, sizeof(saved));
				++*count;
			}
		}
	}
	return made;
}

/* ---------------------------------------------------------------- events */

static int save_spans(const event_run_t *run, const event_spans_t *list, uint16_t *count, xt_bytes_t *out)
{
	int made = 1;

	for (uint32_t s = list->first; s && made; s = run->spans[s].next) {
		made = xt_bytes_add(out, &run->spans[s], sizeof(run->spans[s]));
		++*count;
	}
	return made;
}

static int save_event_card(const xt_engine_t *shard, uint32_t c, xt_bytes_t *out)
{
	const event_run_t *run = shard->event_run;
	const size_t at = out->count;
	saved_events_t saved = {.card = run->card[c]};
	int made = xt_bytes_more(out, sizeof(saved)) != NULL;

	for (unsigned k = 0; k < EVENT_AHEAD; k++) {
		saved.awake |= (uint32_t)has(&run->awake[(shard->common.now + k) % EVENT_AHEAD * shard->words], c) << k;
	}
	for (unsigned p = 0; p < PORTS && made; p++) {
		made = save_spans(run, &run->card[c].cells[p], &saved.cells[p], out);
	}
	for (unsigned p = 0; p < LINKS && made; p++) {
		made = save_spans(run, &run->card[c].returned[p], &saved.returned[p], out);
	}
	if (made) {
		memcpy((char *)out->items + at, &saved, sizeof(saved));
	}
	return made;
}

static int save_event(uint64_t when, const event_t *event, uint32_t *count, xt_bytes_t *out)
{
	const saved_event_t saved = {when, *event};

	++*count;
	return xt_bytes_add(out, &saved, sizeof(saved));
}

static int save_events(const xt_engine_t *shard, uint32_t *count, xt_bytes_t *out)
{
	const uint64_t now = shard->common.now;
	int made = 1;

	for (uint64_t when = now; when < now + EVENT_SLOTS; when++) {
		for (unsigned l = 0; l < EVENT_LISTS; l++) {
			const event_list_t *list = &shard->event_run->slot[when % EVENT_SLOTS].list[l];

			for (uint32_t i = 0; i < list->count && made; i++) {
				made = save_event(when, &list->events[i], count, out);
			}
		}
	}
	return made;
}

/* Mail from one shard of this process to another that has not been opened. */
static int save_letters(const xt_engine_t *network, uint32_t *count, xt_bytes_t *out)
{
	const shards_t *shards = network->sharded;
	int made = 1;

	for (unsigned p = shards ? shards->first : 0; shards && p < shards->end; p++) {
		const sheet_t *sheet = sheet_of(&shards->shard[p], shards->epoch + SHEETS - 1);

		for (unsigned to = shards->first; to < shards->end; to++) {
			const letter_t *letters = sheet->letters[to].items;

			for (uint32_t i = 0; i < sheet->letters[to].count && made; i++) {
				made = save_event(letters[i].when, &letters[i].event, count, out);
			}
		}
	}
	return made;
}

/* ---------------------------------------------------------------- all of it */

static void sum_up(const xt_engine_t *shard, saved_head_t *head)
{
	const event_run_t *run = shard->event_run;

	head->moves += shard->moves;
	head->evaluated += shard->evaluated;
	head->errors += shard->errors;
	head->filled = event_later(head->filled, shard->fast_links.filled);
	for (unsigned i = 0; run && i < EVENT_SLOTS; i++) {
		head->moves_at[i] += run->moves[i];
	}
	head->moving += run ? run->moving : 0;
}

static int save_shard(const xt_engine_t *shard, xt_bytes_t *out)
{
	int made = 1;

	for (uint32_t c = shard->first_card; c < shard->end_card && made; c++) {
		made = save_card(shard, c, out);
	}
	return made;
}

int checkpoint_save(xt_engine_t *network, const xt_client_t *client, int quiet, xt_bytes_t *out, size_t *shared)
{
	const rank_run_t *ranks = network->rank_run;
	const unsigned count = event_shard_count(network);
	const size_t at = out->count;
	saved_head_t head = {.kind = saved_kind(network),
		.first_card = ranks ? ranks->first_card[ranks->own] : 0,
		.end_card = ranks ? ranks->first_card[ranks->own + 1] : network->cards,
		.troubles = network->troubles != NULL,
		.now = network->common.now,
		.cycle = network->cycle,
		.first = network->common.now - network->cycle,
		.moves_noted = network->moves_noted,
		.last_move = network->last_move,
		.quiet = quiet};
	int made = xt_bytes_more(out, sizeof(head)) &&
		   xt_bytes_add(out, network->faults, network->fault_count * sizeof(*network->faults)) &&
		   save_packets(network, client, &head, out, shared);

	for (unsigned i = 0; i < count; i++) {
		sum_up(event_shard(network, i), &head);
	}
	for (unsigned i = 0; i < count && made; i++) {
		made = save_shard(event_shard(network, i), out);
	}
	for (unsigned i = 0; i < count && made && !network->event_run; i++) {
		made = save_arrivals(event_shard(network, i), &head.arrivals, out);
	}
	for (unsigned i = 0; i < count && made && !network->event_run; i++) {
		made = save_fast(event_shard(network, i), &head.fast_items, out);
	}
	for (unsigned i = 0; i < count && made && network->event_run; i++) {
		const xt_engine_t *shard = event_shard(network, i);

		for (uint32_t c = shard->first_card; c < shard->end_card && made; c++) {
			made = save_event_card(shard, c, out);
		}
	}
	for (unsigned i = 0; i < count && made && network->event_run; i++) {
		made = save_events(event_shard(network, i), &head.events, out);
	}
	made = made && (!network->event_run || save_letters(network, &head.events, out));
	if (made) {
		memcpy((char *)out->items + at, &head, sizeof(head));
	}
	return made;
}
