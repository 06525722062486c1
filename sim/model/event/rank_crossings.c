/* SPDX-License-Identifier: Apache-2.0 */
#include "rank_crossings.h"

#include "model/network/network_internal.h"

enum { KEPT_CYCLES = 4096 }; /* so long a packet's number stays at least */

typedef struct {
	uint32_t crossings, unused;
} counts_t;

/* Behind a head: the packet's words. */
typedef struct {
	crossing_t crossing;
	uint64_t name;
	uint32_t cells, unused;
} piece_t;

/* 0: out of memory. */
static int grow(uint32_t **numbers, uint32_t *room, uint32_t needed)
{
	uint32_t *more;

	if (needed <= *room) {
		return 1;
	}
	more = realloc(*numbers, 2 * (size_t)needed * sizeof(*more));
	if (!more) {
		return 0;
	}
	memset(more + *room, 0, (2 * (size_t)needed - *room) * sizeof(*more));
	*numbers = more;
	*room = 2 * needed;
	return 1;
}

/* ---------------------------------------------------------------- packets that have left */

/* The number of a packet of which all has left. */
static int keep(rank_run_t *run, uint32_t packet, uint64_t now)
{
	rank_crossings_t *c = &run->crossings;
	departed_t *more = c->departed;

	if (c->departed_count == c->departed_room) {
		const uint32_t room = c->departed_room ? 2 * c->departed_room : 256;

		more = realloc(c->departed, room * sizeof(*more));
		if (!more) {
			return 0;
		}
		c->departed = more;
		c->departed_room = room;
	}
	c->departed[c->departed_count++] = (departed_t){now + KEPT_CYCLES, packet};
	return 1;
}

/* Whether the link by which it has left may send it again. */
static int is_held(const xt_engine_t *network, uint32_t packet)
{
#if EXTORUS_FRAME_LAYER
	const link_t *link = &network->links[network->rank_run->crossings.by[packet] - 1];

	for (unsigned i = 0; link->buffers && i < EXTORUS_REPLAY_CELLS; i++) {
		if (token_packet(link->buffers->cells[i].cell) == packet) {
			return 1;
		}
	}
#else
	(void)network;
	(void)packet;
#endif
	return 0;
}

int rank_crossings_forget(shards_t *shards)
{
	xt_engine_t *network = shards->network;
	rank_crossings_t *c = &network->rank_run->crossings;
	shard_t *first = &shards->shard[shards->first];
	const uint64_t now = first->engine->common.now;
	uint32_t kept = 0;

	for (unsigned p = shards->first; p < shards->end; p++) {
		list_t *departed = &shards->shard[p].departed;

		for (uint32_t i = 0; i < departed->count; i++) {
			if (!keep(network->rank_run, ((const uint32_t *)departed->items)[i], now)) {
				return 0;
			}
		}
		departed->count = 0;
	}
	for (uint32_t i = 0; i < c->departed_count; i++) {
		departed_t d = c->departed[i];

		if (d.until <= now && !is_held(network, d.packet)) {
			c->by[d.packet] = 0;
			shards_release(first, d.packet);
		} else {
			d.until = d.until <= now ? now + KEPT_CYCLES : d.until;
			c->departed[kept++] = d;
		}
	}
	c->departed_count = kept;
	return 1;
}

/* A cell has gone over a link for the first time. */
static int leave(shards_t *shards, const crossing_t *crossing)
{
	xt_engine_t *network = shards->network;
	rank_crossings_t *c = &network->rank_run->crossings;
	const uint32_t packet = token_packet(crossing->frame.cell);
	const xt_peer_t here = network->peers[crossing->card * LINKS + crossing->port];

	if (!crossing->first || !packet) {
		return 1;
	}
	if (!grow(&c->by, &c->by_room, packet + 1)) {
		return 0;
	}
	c->by[packet] = here.card * LINKS + here.port + 1;
	return --network->common.packets.packets[packet].left != 0 ||
	       keep(network->rank_run, packet, shards->shard[shards->first].engine->common.now);
}

/* ---------------------------------------------------------------- messages */

static unsigned items_of(const crossing_t *crossing)
{
	return crossing->fast ? (unsigned)crossing->frame.cell_valid + crossing->frame.credit_valid : 1;
}

static int pack(shards_t *shards, const crossing_t *crossing, xt_bytes_t *out)
{
	const packets_t *packets = &shards->network->common.packets;
	const token_t cell = crossing->frame.cell;
	const int head = crossing->frame.cell_valid && token_packet(cell) && token_index(cell) == 0;
	const packet_t *packet = &packets->packets[token_packet(cell)];
	const piece_t piece = {*crossing, packet->name, head ? packet->cells : 0, 0};

	return xt_bytes_add(out, &piece, sizeof(piece)) &&
	       xt_bytes_add(out, head ? packet->words : NULL, (size_t)piece.cells * CELL_WORDS * sizeof(uint32_t));
}

int rank_crossings_pack(shards_t *shards, unsigned to, xt_bytes_t *out)
{
	const rank_run_t *run = shards->network->rank_run;
	const size_t at = out->count;
	counts_t counts = {0, 0};
	int made = xt_bytes_add(out, &counts, sizeof(counts));

	for (unsigned p = shards->first; p < shards->end; p++) {
		for (unsigned s = run->first_shard[to]; s < run->first_shard[to + 1]; s++) {
			list_t *list = &sheet_of(&shards->shard[p], shards->epoch)->crossings[s];
			const crossing_t *crossing = list->items;

			for (uint32_t i = 0; i < list->count && made; i++) {
				if (!crossing[i].lost) {
					made = pack(shards, &crossing[i], out);
					counts.crossings++;
					shards->shard[p].engine->in_transit -= items_of(&crossing[i]);
				}
				made = made && leave(shards, &crossing[i]);
			}
			list->count = 0;
		}
	}
	if (made) {
		memcpy((char *)out->items + at, &counts, sizeof(counts));
	}
	return made;
}

/* The own copy of another rank's packet; 0: out of memory, or there is none. */
static uint32_t copy_of(
	shards_t *shards, unsigned from, xt_engine_t *engine, const piece_t *piece, const uint32_t *words)
{
	rank_copies_t *copies = &shards->network->rank_run->crossings.copies[from];
	packets_t *whole = &shards->network->common.packets;
	const uint32_t number = token_packet(piece->crossing.frame.cell);
	const size_t size = (size_t)piece->cells * CELL_WORDS * sizeof(*words);
	uint32_t copy = number < copies->room ? copies->numbers[number] : 0;

	if (!piece->cells) {
		return copy;
	}
	/* A head that comes again. */
	if (copy && whole->packets[copy].left && whole->packets[copy].cells == piece->cells &&
		whole->packets[copy].words && memcmp(whole->packets[copy].words, words, size) == 0) {
		return copy;
	}
	packets_reserve(whole, shards->end - shards->first, 1, 0);
	packets_follow(&engine->common.packets);
	copy = packets_fetch(&engine->common.packets, piece->name, words, piece->cells, piece->cells);
	if (!copy || !grow(&copies->numbers, &copies->room, number + 1)) {
		return 0;
	}
	copies->numbers[number] = copy;
	return copy;
}

static int wrong(rank_run_t *run, int status, const char *what, unsigned rank)
{
	if (run->status == XT_OK) {
		run->status = xt_fail(&run->diag, status, "rank %u: %s", rank, what);
	}
	return 0;
}

static int unpack(shards_t *shards, unsigned from, xt_bytes_reader_t *reader)
{
	rank_run_t *run = shards->network->rank_run;
	const piece_t *piece = xt_bytes_next(reader, sizeof(*piece));
	const uint32_t *words =
		piece ? xt_bytes_next(reader, (size_t)piece->cells * CELL_WORDS * sizeof(*words)) : NULL;
	crossing_t crossing;
	xt_engine_t *engine;

	if (!words) {
		return wrong(run, XT_ERR_PROTOCOL, "its message is cut off", from);
	}
	crossing = piece->crossing;
	if (crossing.card >= shards->network->cards || !rank_run_has(run, crossing.card) || crossing.port >= LINKS ||
		piece->cells > PACKET_CELLS) {
		return wrong(run, XT_ERR_PROTOCOL, "it sends what is for another rank's card", from);
	}
	engine = shards->shard[shards->shard_of[crossing.card]].engine;
	if (crossing.when < engine->common.now ||
		crossing.when >= engine->common.now + shards->network->latency + FAST_LINK_CYCLES) {
		return wrong(run, XT_ERR_PROTOCOL, "a cell or credit comes too late", from);
	}
	if (token_packet(crossing.frame.cell)) {
		const uint32_t copy = copy_of(shards, from, engine, piece, words);

		if (!copy && piece->cells) {
			return wrong(run, XT_ERR_NOMEM, "out of memory for a packet", run->own);
		}
		crossing.frame.cell = (crossing.frame.cell & ~token_of(MAX_PACKETS - 1, 0)) | copy << 8;
	}
	crossing_arrive(engine, &crossing);
	engine->in_transit += items_of(&crossing);
	return 1;
}

static int make_copies(rank_run_t *run)
{
	rank_crossings_t *c = &run->crossings;

	c->copies = c->copies ? c->copies : calloc(run->count, sizeof(*c->copies));
	return c->copies ? 1 : wrong(run, XT_ERR_NOMEM, "out of memory for ranks", run->own);
}

int rank_crossings_know(rank_run_t *run, uint32_t packet)
{
	int made = make_copies(run);

	for (unsigned r = 0; r < run->count && made; r++) {
		rank_copies_t *copies = &run->crossings.copies[r];

		made = grow(&copies->numbers, &copies->room, packet + 1);
		if (made) {
			copies->numbers[packet] = packet;
		}
	}
	return made;
}

int rank_crossings_unpack(shards_t *shards, unsigned from, xt_bytes_reader_t *reader)
{
	rank_run_t *run = shards->network->rank_run;
	const counts_t *counts = xt_bytes_next(reader, sizeof(*counts));
	int made = counts ? 1 : wrong(run, XT_ERR_PROTOCOL, "its message is cut off", from);

	made = made && make_copies(run);
	for (uint32_t i = 0; made && i < counts->crossings; i++) {
		made = unpack(shards, from, reader);
	}
	return made;
}

void rank_crossings_close(rank_run_t *run)
{
	for (unsigned r = 0; run->crossings.copies && r < run->count; r++) {
		free(run->crossings.copies[r].numbers);
	}
	free(run->crossings.copies);
	free(run->crossings.by);
	free(run->crossings.departed);
}
