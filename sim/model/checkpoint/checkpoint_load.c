/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of a checkpoint, whoever made them: each process takes the state of its own cards. */
#include "checkpoint.h"

#include <errno.h>
#include <inttypes.h>

#include "checkpoint_packets.h"
#include "model/event/event.h"
#include "model/event/rank_run.h"
#include "model/network/fast_links.h"
#include "model/network/network_internal.h"

typedef struct {
	saved_head_t head;
	xt_bytes_reader_t in; /* what has not been read yet */
	renumbering_t numbers;
} part_t;

struct checkpoint_load {
	xt_engine_t *network;
	const xt_client_t *client;
	unsigned count;
	part_t *parts;
	checkpoint_packets_t packets;
	uint32_t cards; /* own ones that were read */
};

/* Where errno, which was 0 before, says so, memory did not suffice. */
static int damaged(xt_diag_t *diag)
{
	return errno == ENOMEM ? xt_fail(diag, XT_ERR_NOMEM, "out of memory for a checkpoint")
			       : xt_fail(diag, XT_ERR_INVALID, "the checkpoint is damaged");
}

/* ---------------------------------------------------------------- begin and end */

/* As far as the run is known before it begins. */
static int is_alike(const xt_engine_t *network, const saved_kind_t *kind)
{
	const saved_kind_t own = saved_kind(network);

	return kind->version == own.version && kind->profile == own.profile && kind->cards == own.cards &&
	       kind->latency == own.latency && kind->faults == own.faults && kind->card == own.card &&
	       kind->link == own.link && kind->buffers == own.buffers && kind->event_card == own.event_card &&
	       kind->event == own.event && kind->span == own.span;
}

int checkpoint_open(xt_engine_t *network, const xt_client_t *client, checkpoint_load_t **out, xt_diag_t *diag)
{
	checkpoint_load_t *load;

	*out = NULL;
	if (!client->resume || !client->resume_parts) {
		return XT_OK;
	}
	load = calloc(1, sizeof(*load));
	if (load) {
		load->parts = calloc(client->resume_parts, sizeof(*load->parts));
	}
	if (!load || !load->parts) {
		free(load);
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for a checkpoint");
	}
	load->network = network;
	load->client = client;
	load->count = client->resume_parts;
	for (unsigned i = 0; i < load->count; i++) {
		const xt_bytes_t *bytes = &client->resume[i];
		part_t *part = &load->parts[i];

		part->in = (xt_bytes_reader_t){bytes->items, (const char *)bytes->items + bytes->count};
		if (!xt_bytes_take(&part->in, &part->head, sizeof(part->head)) ||
			!is_alike(network, &part->head.kind) ||
			part->head.kind.events != load->parts[0].head.kind.events ||
			part->head.kind.fast != load->parts[0].head.kind.fast ||
			part->head.now != load->parts[0].head.now || part->head.cycle != client->resume_cycle) {
			checkpoint_close(load);
			return xt_fail(diag, XT_ERR_MISMATCH,
				"the checkpoint is of another version of the model, or of a run with other faults");
		}
	}
	*out = load;
	return XT_OK;
}

void checkpoint_close(checkpoint_load_t *load)
{
	if (load) {
		for (unsigned i = 0; i < load->count; i++) {
			free(load->parts[i].numbers.packets);
			free(load->parts[i].numbers.places);
		}
		checkpoint_packets_close(&load->packets);
		free(load->parts);
		free(load);
	}
}

int checkpoint_has_events(const checkpoint_load_t *load)
{
	return load->parts[0].head.kind.events != 0;
}

/* ---------------------------------------------------------------- cards */

static int is_own(const xt_engine_t *network, uint32_t card)
{
	return card < network->cards && (!network->rank_run || rank_run_has(network->rank_run, card));
}

/* What a run on one thread finds there. */
static void put(const xt_engine_t *network, uint64_t *set, uint32_t card, int is_in)
{
	if (is_in) {
		insert(network, set, card);
	} else {
		erase(network, set, card);
	}
}

static int take_links(xt_engine_t *network, part_t *part, uint32_t c, unsigned buffers, int own)
{
	link_t *links = &network->links[c * LINKS];
	const link_t *saved = xt_bytes_next(&part->in, LINKS * sizeof(*links));

	for (unsigned p = 0; p < LINKS && saved; p++) {
		const link_buffers_t *from = buffers >> p & 1 ? xt_bytes_next(&part->in, sizeof(link_buffers_t)) : NULL;
		link_buffers_t *to = links[p].buffers;

		if ((buffers >> p & 1) && !from) {
			return 0;
		}
		if (!own) {
			continue;
		}
		links[p] = saved[p];
		links[p].buffers = to;
		renumber_link(&part->numbers, &links[p]);
		if (from && !to && !link_make_buffers(&links[p])) {
			return 0;
		}
		if (from) {
			*links[p].buffers = *from;
			renumber_buffers(&part->numbers, links[p].buffers);
		}
	}
	return saved != NULL;
}

static void take_card(xt_engine_t *network, part_t *part, uint32_t c, const saved_card_t *saved)
{
	card_t *card = &network->card[c];
	table_t *tables[PORTS];
	link_t *link = card->link;

	memcpy(tables, card->tables, sizeof(tables));
	*card = saved->card;
	memcpy(card->tables, tables, sizeof(tables));
	card->link = link;
	renumber_card(&part->numbers, card);
	network->blocked_nics[c] = saved->blocked_nics;
	network->keepalive[c] = saved->keepalive;
	put(network, network->busy, c, saved->busy);
	put(network, network->within, c, saved->within);
	memcpy(&network->outgoing[c * LINKS], saved->outgoing, sizeof(saved->outgoing));
	memcpy(&network->sending[c * NICS], saved->sending, sizeof(saved->sending));
	for (unsigned n = 0; n < NICS; n++) {
		renumber_packet(&part->numbers, &network->sending[c * NICS + n].packet);
	}
	memcpy(&network->port_cells[(size_t)c * PORTS], saved->port_cells, sizeof(saved->port_cells));
}

static int load_card(checkpoint_load_t *load, part_t *part, uint32_t c, xt_diag_t *diag)
{
	xt_engine_t *network = load->network;
	const saved_card_t *saved = xt_bytes_next(&part->in, sizeof(*saved));
	const int own = is_own(network, c);
	const void *troubles;

	if (!saved) {
		return damaged(diag);
	}
	if (own && memcmp(&saved->card.settings, &network->card[c].settings, sizeof(settings_t)) != 0) {
		return xt_fail(
			diag, XT_ERR_MISMATCH, "the checkpoint is of a run with other settings of card %" PRIu32, c);
	}
	if (own) {
		take_card(network, part, c, saved);
		load->cards++;
	}
	if (!take_links(network, part, c, saved->buffers, own)) {
		return damaged(diag);
	}
	troubles = part->head.troubles ? xt_bytes_next(&part->in, LINKS * sizeof(*network->troubles)) : NULL;
	if (part->head.troubles && !troubles) {
		return damaged(diag);
	}
	if (troubles && own) {
		if (!faults_make_troubles(network)) {
			return xt_fail(diag, XT_ERR_NOMEM, "out of memory for a checkpoint");
		}
		memcpy(&network->troubles[c * LINKS], troubles, LINKS * sizeof(*network->troubles));
	}
	return XT_OK;
}

/* ---------------------------------------------------------------- what comes to the cards, cell by cell */

static int load_arrivals(xt_engine_t *network, part_t *part)
{
	for (uint32_t i = 0; i < part->head.arrivals; i++) {
		const saved_arrivals_t *saved = xt_bytes_next(&part->in, sizeof(*saved));
		arrivals_t *to;

		if (!saved || saved->slot >= network->slots) {
			return 0;
		}
		if (!is_own(network, saved->card)) {
			continue;
		}
		to = network_arrivals(network, saved->slot, saved->card);
		if (!to) {
			return 0;
		}
		*to = saved->arrivals;
		for (unsigned p = 0; p < LINKS; p++) {
			renumber_token(&part->numbers, &to->frame[p].cell);
		}
		insert(network, arriving_at(network, saved->slot), saved->card);
		network->in_transit += (unsigned)__builtin_popcount(to->frames);
	}
	return 1;
}

static int load_fast(xt_engine_t *network, part_t *part)
{
	const uint64_t now = network->common.now;
	fast_links_t *fast = &network->fast_links;

	for (uint32_t i = 0; i < part->head.fast_items; i++) {
		const saved_fast_t *saved = xt_bytes_next(&part->in, sizeof(*saved));
		uint64_t arrival;
		size_t at;

		if (!saved || saved->slot >= fast->slots || saved->card >= network->cards ||
			!fast_links_reserve(fast, network->cards)) {
			return 0;
		}
		if (!is_own(network, saved->card)) {
			continue;
		}
		at = (size_t)saved->slot * network->cards + saved->card;
		fast->came[at] = saved->came;
		memcpy(&fast->items[at * LINKS], saved->items, sizeof(saved->items));
		for (unsigned p = 0; p < LINKS; p++) {
			renumber_token(&part->numbers, &fast->items[at * LINKS + p].cell);
		}
		/* Of later slots what has come before is kept. */
		arrival = now + ((saved->slot - now) & (fast->slots - 1));
		if (arrival < now + network->latency + FAST_LINK_CYCLES) {
			insert(network, arriving_at(network, arrival), saved->card);
			network->in_transit += (unsigned)__builtin_popcount(saved->came);
		}
	}
	return 1;
}

/* ---------------------------------------------------------------- before there are shards */

static int is_same_fault(const xt_fault_t *a, const xt_fault_t *b)
{
	return a->kind == b->kind && a->card == b->card && a->port == b->port && a->n == b->n && a->bit == b->bit;
}

static int load_faults(xt_engine_t *network, part_t *part, xt_diag_t *diag)
{
	const fault_t *saved = xt_bytes_next(&part->in, network->fault_count * sizeof(*saved));

	if (!saved) {
		return damaged(diag);
	}
	for (unsigned i = 0; i < network->fault_count; i++) {
		fault_t *f = &network->faults[i];

		if (!is_same_fault(&saved[i].what, &f->what)) {
			return xt_fail(diag, XT_ERR_MISMATCH, "the checkpoint is of a run with other faults");
		}
		f->done |= saved[i].done;
		f->seen = event_later(f->seen, saved[i].seen);
	}
	return XT_OK;
}

/* Of the others only what all need is there. */
static int has_own(const xt_engine_t *network, const part_t *part)
{
	const rank_run_t *ranks = network->rank_run;

	return !ranks || (part->head.first_card < ranks->first_card[ranks->own + 1] &&
				 part->head.end_card > ranks->first_card[ranks->own]);
}

static int load_part(checkpoint_load_t *load, part_t *part, xt_diag_t *diag)
{
	xt_engine_t *network = load->network;
	int status = load_faults(network, part, diag);

	if (!has_own(network, part)) {
		return status;
	}
	if (status == XT_OK &&
		!checkpoint_packets_load(&load->packets, network, &part->head, &part->in, &part->numbers)) {
		status = damaged(diag);
	}
	for (uint32_t c = part->head.first_card; c < part->head.end_card && status == XT_OK; c++) {
		status = c < network->cards ? load_card(load, part, c, diag) : damaged(diag);
	}
	if (status == XT_OK && (!load_arrivals(network, part) || !load_fast(network, part))) {
		status = damaged(diag);
	}
	return status;
}

int checkpoint_load_cards(checkpoint_load_t *load, xt_diag_t *diag)
{
	xt_engine_t *network = load->network;
	const rank_run_t *ranks = network->rank_run;
	const saved_head_t *head = &load->parts[0].head;
	const uint32_t own = ranks ? ranks->first_card[ranks->own + 1] - ranks->first_card[ranks->own] : network->cards;
	int status = XT_OK;

	if (head->kind.fast != (uint32_t)network->fast || (head->kind.events && !network->event_run)) {
		return xt_fail(diag, XT_ERR_MISMATCH, "the checkpoint is of a run with other options");
	}
	errno = 0;
	network->common.now = head->now;
	network->in_transit = 0;
	for (unsigned i = 0; i < load->count && status == XT_OK; i++) {
		part_t *part = &load->parts[i];

		status = checkpoint_packets_note(&load->packets, &part->head, part->in, network->fault_count)
				 ? XT_OK
				 : damaged(diag);
		network->fast_links.filled = event_later(network->fast_links.filled, part->head.filled);
	}
	if (status == XT_OK && !checkpoint_packets_fetch(&load->packets, network)) {
		status = xt_fail(diag, XT_ERR_NOMEM, "out of memory for a checkpoint");
	}
	for (unsigned i = 0; i < load->count && status == XT_OK; i++) {
		status = load_part(load, &load->parts[i], diag);
	}
	for (uint32_t c = 0; c < network->cards && status == XT_OK; c++) {
		if (is_own(network, c) && !checkpoint_packets_reach(&load->packets, network, &network->card[c])) {
			status = xt_fail(diag, XT_ERR_NOMEM, "out of memory for a checkpoint");
		}
	}
	return status == XT_OK && load->cards != own ? damaged(diag) : status;
}

/* ---------------------------------------------------------------- once there are shards */

static xt_engine_t *engine_of(const checkpoint_load_t *load, uint32_t card)
{
	const shards_t *shards = load->network->sharded;

	return shards ? shards->shard[shards->shard_of[card]].engine : load->network;
}

static int load_spans(xt_engine_t *engine, part_t *part, event_spans_t *list, unsigned count, int own)
{
	for (unsigned i = 0; i < count; i++) {
		event_span_t span, *put;

		if (!xt_bytes_take(&part->in, &span, sizeof(span))) {
			return 0;
		}
		if (own) {
			renumber_packet(&part->numbers, &span.packet);
			put = event_put_span(engine->event_run, list);
			if (put) {
				span.next = 0;
				*put = span;
			}
		}
	}
	return 1;
}

static int load_event_card(checkpoint_load_t *load, part_t *part, uint32_t c)
{
	const int own = is_own(load->network, c);
	xt_engine_t *engine = own ? engine_of(load, c) : NULL;
	event_card_t *f = &load->network->event_run->card[c];
	saved_events_t saved;
	int made = xt_bytes_take(&part->in, &saved, sizeof(saved));

	if (made && own) {
		*f = saved.card;
		memset(f->cells, 0, sizeof(f->cells));
		memset(f->returned, 0, sizeof(f->returned));
		renumber_event_card(&part->numbers, f);
		engine->event_run->busy += f->busy != 0;
		for (unsigned k = 0; k < EVENT_AHEAD; k++) {
			if (saved.awake >> k & 1) {
				event_awaken(engine, c, engine->common.now + k);
			}
		}
	}
	for (unsigned p = 0; p < PORTS && made; p++) {
		made = load_spans(engine, part, &f->cells[p], saved.cells[p], own);
	}
	for (unsigned p = 0; p < LINKS && made; p++) {
		made = load_spans(engine, part, &f->returned[p], saved.returned[p], own);
	}
	return made;
}

static int load_part_events(checkpoint_load_t *load, part_t *part)
{
	const uint64_t now = load->network->common.now;
	int made = 1;

	for (uint32_t c = part->head.first_card; c < part->head.end_card && made; c++) {
		made = load_event_card(load, part, c);
	}
	for (uint32_t i = 0; i < part->head.events && made; i++) {
		saved_event_t saved;
		event_t *e = &saved.event;

		made = xt_bytes_take(&part->in, &saved, sizeof(saved)) && saved.when >= now &&
		       saved.when < now + EVENT_SLOTS && e->card < load->network->cards;
		/* A packet that leaves for another rank has its number here as long as its other copy. */
		if (made && is_own(load->network, e->card) && e->kind != EVENT_GONE) {
			renumber_packet(&part->numbers, &e->packet);
			event_put(engine_of(load, e->card)->event_run, saved.when, (event_kind_t)e->kind, e->card,
				e->port, e->vc, e->cells, e->packet);
		}
	}
	return made;
}

/* Sums over all cards are the first rank's, and its first shard's. */
static void take_sums(checkpoint_load_t *load)
{
	xt_engine_t *network = load->network;
	const saved_head_t *head = &load->parts[0].head;
	shards_t *shards = network->sharded;
	xt_engine_t *engine = shards ? shards->shard[shards->first].engine : network;

	network->moves_noted = head->moves_noted;
	network->last_move = head->last_move;
	if (shards) {
		shards->quiet = head->quiet;
		shards->first_cycle = head->first;
	}
	for (unsigned i = 0; i < event_shard_count(network) && network->event_run; i++) {
		event_shard(network, i)->event_run->first = head->first;
	}
	if (network->event_run) {
		network->event_run->first = head->first;
	}
	for (unsigned i = 0; i < load->count; i++) {
		const saved_head_t *part = &load->parts[i].head;

		/* The moves of a rank are told by that rank, but streams that are under way by any. */
		if (!network->rank_run || network->rank_run->own == 0) {
			engine->moves += part->moves;
			engine->evaluated += part->evaluated;
			engine->errors += part->errors;
			for (unsigned k = 0; k < EVENT_SLOTS && network->event_run; k++) {
				engine->event_run->moves[k] += part->moves_at[k];
			}
			if (network->event_run) {
				engine->event_run->moving += part->moving;
			}
		}
	}
	if (shards) {
		network->moves = network->rank_run && network->rank_run->own ? 0 : engine->moves;
	}
}

int checkpoint_load_events(checkpoint_load_t *load, xt_diag_t *diag)
{
	int made = 1;

	errno = 0;
	take_sums(load);
	for (unsigned i = 0; i < load->count && made && load->network->event_run; i++) {
		made = !has_own(load->network, &load->parts[i]) || load_part_events(load, &load->parts[i]);
	}
	checkpoint_packets_forget(&load->packets, load->network);
	return made ? XT_OK : damaged(diag);
}
