/* SPDX-License-Identifier: Apache-2.0 */
#include "scoreboard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"
#include "packet_tracker.h"

/* The packet that a PE is receiving. */
typedef struct {
	xt_tracked_t *tracked; /* NULL: not recognised */
	uint32_t index;        /* of the next cell */
	uint8_t damaged;       /* the packet is already counted as corrupted */
	uint8_t different;     /* there is a difference */
} receiver_t;

/* The first one of the packet that a PE is receiving, behind the head: counted when the packet ends without being
 * poisoned. */
typedef struct {
	char text[256];
} difference_t;

/* A head that has left its card. */
typedef struct {
	uint32_t card, port, vc;
	uint64_t cycle;
	xt_tracked_t *const *place;
	xt_tracked_t *tracked;
} hop_t;

enum { MOST_HOPS = 64 };

struct xt_scoreboard {
	const xt_image_t *image;
	const xt_profile_t *profile;
	const xt_peer_t *peers;
	xt_violations_t *violations;
	xt_delivery_t delivery;
	void *context;
	unsigned pes, cards;
	xt_tracker_t *tracker;
	const xt_payload_t *payload;
	receiver_t *receivers;
	difference_t *differences; /* [pe] */
	/* Hops that have been told and not checked yet, and their heads. */
	hop_t hops[MOST_HOPS];
	uint32_t *heads;
	unsigned hop_count;
	unsigned adaptive; /* bit per TC: the image has candidates for it */
	/* By VC of all VCs, and by TC: asked for every hop. */
	uint8_t vc_tc[XT_MAX_VCS], first_vc[XT_MAX_TCS];
	uint32_t adaptive_vcs;
	int (*killed)(void *context, unsigned card, unsigned port);
	void *killed_context;
	uint64_t poisoned, dropped;
	uint32_t most_hops; /* of a packet so far */
};

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned tc_of(const xt_profile_t *profile, unsigned vc)
{
	unsigned tc = 0;

	while (tc + 1 < profile->tcs && vc >= xt_profile_first_vc(profile, tc + 1)) {
		tc++;
	}
	return tc;
}

static int is_adaptive_vc(const xt_profile_t *profile, unsigned tc, unsigned vc)
{
	return vc - xt_profile_first_vc(profile, tc) >= xt_profile_deterministic_vcs(profile, tc);
}

/* Bit per TC that has adaptive VCs and, somewhere in the image, candidates for them. */
static unsigned adaptive_tcs(const xt_image_t *image)
{
	const xt_profile_t *profile = xt_image_profile(image);
	uint64_t used = 0;
	unsigned tcs = 0;

	for (unsigned card = 0; card < xt_image_cards(image); card++) {
		const uint64_t *grt = xt_image_grt(image, card), *lrt = xt_image_lrt(image, card);

		for (unsigned i = 0; i < 1u << profile->grt_bits; i++) {
			used |= grt[i];
		}
		for (unsigned i = 0; i < 1u << profile->lrt_bits; i++) {
			used |= lrt[i];
		}
	}
	for (unsigned tc = 0; tc < profile->tcs; tc++) {
		if (xt_entry_route(used, tc).adaptive_mask &&
			xt_profile_tc_vcs(profile, tc) > xt_profile_deterministic_vcs(profile, tc)) {
			tcs |= 1u << tc;
		}
	}
	return tcs;
}

static int none_killed(void *context, unsigned card, unsigned port)
{
	(void)context;
	(void)card;
	(void)port;
	return 0;
}

int xt_scoreboard_create(const xt_image_t *image, const xt_peer_t *peers, xt_violations_t *violations,
	xt_delivery_t delivery, void *context, xt_scoreboard_t **out, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_image_profile(image);
	unsigned pes = xt_image_pes(image);
	xt_scoreboard_t *scoreboard = calloc(1, sizeof(*scoreboard));

	*out = NULL;
	if (scoreboard) {
		scoreboard->image = image;
		scoreboard->profile = profile;
		scoreboard->peers = peers;
		scoreboard->violations = violations;
		scoreboard->delivery = delivery;
		scoreboard->context = context;
		scoreboard->pes = pes;
		scoreboard->cards = xt_image_cards(image);
		scoreboard->adaptive = adaptive_tcs(image);
		for (unsigned vc = 0; vc < xt_profile_vcs(profile); vc++) {
			const unsigned tc = tc_of(profile, vc);

			scoreboard->vc_tc[vc] = (uint8_t)tc;
			scoreboard->first_vc[tc] = (uint8_t)xt_profile_first_vc(profile, tc);
			scoreboard->adaptive_vcs |= (uint32_t)is_adaptive_vc(profile, tc, vc) << vc;
		}
		scoreboard->killed = none_killed;
		scoreboard->tracker = xt_tracker_create(image);
		scoreboard->receivers = calloc(pes, sizeof(*scoreboard->receivers));
		scoreboard->differences = calloc(pes, sizeof(*scoreboard->differences));
		scoreboard->heads = calloc(MOST_HOPS, XT_MAX_CELL_WORDS * sizeof(*scoreboard->heads));
	}
	if (!scoreboard || !scoreboard->tracker || !scoreboard->receivers || !scoreboard->differences ||
		!scoreboard->heads) {
		xt_scoreboard_free(scoreboard);
		return xt_fail(diag, XT_ERR_NOMEM, "scoreboard: out of memory for %u PEs", pes);
	}
	scoreboard->payload = xt_tracker_payload(scoreboard->tracker);
	*out = scoreboard;
	return XT_OK;
}

void xt_scoreboard_free(xt_scoreboard_t *scoreboard)
{
	if (scoreboard) {
		xt_tracker_free(scoreboard->tracker);
		free(scoreboard->receivers);
		free(scoreboard->differences);
		free(scoreboard->heads);
		free(scoreboard);
	}
}

void xt_scoreboard_set_killed(
	xt_scoreboard_t *scoreboard, int (*killed)(void *context, unsigned card, unsigned port), void *context)
{
	scoreboard->killed = killed ? killed : none_killed;
	scoreboard->killed_context = context;
}

static int any_killed(const xt_scoreboard_t *scoreboard)
{
	for (unsigned card = 0; card < scoreboard->cards; card++) {
		for (unsigned port = 0; port < scoreboard->profile->link_ports; port++) {
			if (scoreboard->killed(scoreboard->killed_context, card, port)) {
				return 1;
			}
		}
	}
	return 0;
}

/* The head is on its way to an input of its card: which table entry decides there. */
static void look_ahead(const xt_scoreboard_t *scoreboard, xt_tracked_t *tracked)
{
	tracked->entry = NULL;
	if (tracked->public.card < scoreboard->cards) {
		tracked->entry = xt_image_entry(
			scoreboard->image, tracked->public.card, tracked->public.packet.tc, tracked->address);
	}
}

const uint32_t *xt_scoreboard_make(const xt_scoreboard_t *scoreboard, const xt_packet_t *packet)
{
	return xt_tracker_make(scoreboard->tracker, packet);
}

int xt_scoreboard_register(xt_scoreboard_t *scoreboard, const xt_packet_t *packet)
{
	xt_tracked_t *tracked = xt_tracker_register(scoreboard->tracker, packet);

	if (!tracked) {
		return XT_ERR_NOMEM;
	}
	look_ahead(scoreboard, tracked);
	return XT_OK;
}

const uint32_t *xt_scoreboard_send(xt_scoreboard_t *scoreboard, const xt_packet_t *packet)
{
	return xt_scoreboard_register(scoreboard, packet) == XT_OK ? xt_scoreboard_make(scoreboard, packet) : NULL;
}

void xt_scoreboard_sent(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, unsigned index, unsigned count)
{
	xt_tracker_sent(scoreboard->tracker, pe, cycle, index, count);
}

/* "packet 5.123 (PE 5 to PE 9, TC 1, 12 cells)" */
typedef struct {
	char text[96];
} name_t;

static name_t name_of(const xt_packet_t *packet)
{
	name_t name;

	snprintf(name.text, sizeof(name.text),
		"packet %" PRIu32 ".%" PRIu32 " (PE %" PRIu32 " to PE %" PRIu32 ", TC %u, %u cell%s)", packet->source,
		packet->sequence, packet->source, packet->destination, packet->tc, packet->cells,
		packet->cells == 1 ? "" : "s");
	return name;
}

/* Not in flight: delivered before, or never sent. */
static void report_unknown(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, const xt_head_t *head)
{
	int source = xt_image_address_pe(scoreboard->image, head->source);

	if (source >= 0) {
		xt_violations_add(scoreboard->violations, XT_FINDING_DUPLICATED,
			"PE %u received at cycle %" PRIu64 " a packet of PE %d, TC %u, with sequence field %" PRIu32
			", which is not in flight: it was delivered before, or its header is damaged",
			pe, cycle, source, head->tc, (uint32_t)head->name);
	} else {
		xt_violations_add(scoreboard->violations, XT_FINDING_DUPLICATED,
			"PE %u received at cycle %" PRIu64 " a packet from address %" PRIu32 ", which no PE has", pe,
			cycle, head->source);
	}
}

static void begin(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, const uint32_t *cell)
{
	receiver_t *receiver = &scoreboard->receivers[pe];
	xt_tracked_t *const *place = xt_tracker_place(scoreboard->tracker, cell);
	xt_tracked_t *tracked = place ? *place : NULL;

	if (!xt_tracker_is_head(scoreboard->tracker, tracked, cell, 1)) {
		const xt_head_t head = xt_payload_head(scoreboard->payload, cell);

		tracked = xt_tracker_find(scoreboard->tracker, &head, cell, 1);
		if (!tracked) {
			report_unknown(scoreboard, pe, cycle, &head);
		}
	}
	*receiver = (receiver_t){.tracked = tracked};
	if (!tracked) {
		return;
	}
	tracked->arriving = 1;
	if (tracked->public.packet.destination != pe) {
		xt_violations_add(scoreboard->violations, XT_FINDING_MISROUTED,
			"%s came out at PE %u at cycle %" PRIu64, name_of(&tracked->public.packet).text, pe, cycle);
	}
}

/* Cell `index` is not what was sent. */
static void note_difference(
	xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, uint32_t index, const uint32_t *cell)
{
	receiver_t *receiver = &scoreboard->receivers[pe];
	difference_t *difference = &scoreboard->differences[pe];
	const xt_packet_t *packet = &receiver->tracked->public.packet;
	uint32_t expected[XT_MAX_CELL_WORDS];
	unsigned w = 0;

	xt_payload_make_one(scoreboard->payload, packet, index, expected);
	while (expected[w] == cell[w]) {
		w++;
	}
	receiver->different = 1;
	snprintf(difference->text, sizeof(difference->text),
		"%s: cell %" PRIu32 " bit %u is wrong (bits %u..%u: sent %08" PRIx32 ", received %08" PRIx32
		") at PE %u at cycle %" PRIu64,
		name_of(packet).text, index, w * 32 + (unsigned)__builtin_ctz(expected[w] ^ cell[w]), w * 32,
		w * 32 + 31, expected[w], cell[w], pe, cycle);
	if (index == 0) {
		receiver->damaged = 1;
		xt_violations_add(scoreboard->violations, XT_FINDING_CORRUPTED, "%s", difference->text);
	}
}

/* Notes the first difference. A head is always whole; behind it a poisoned packet ends with cells that nobody sent. */
static void compare(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, const uint32_t *cells, unsigned count)
{
	const receiver_t *receiver = &scoreboard->receivers[pe];
	const xt_tracked_t *tracked = receiver->tracked;
	const uint32_t index = receiver->index;
	unsigned intact = 0;

	if (receiver->different) {
		return;
	}
	if (index == 0) {
		intact = (unsigned)xt_payload_same(scoreboard->payload, tracked->head, cells);
	}
	if (index || intact) {
		intact += xt_payload_intact(scoreboard->payload, &tracked->public.packet, index + intact,
			count - intact, cells + intact * scoreboard->payload->words);
	}
	if (intact < count) {
		note_difference(
			scoreboard, pe, cycle + intact, index + intact, cells + intact * scoreboard->payload->words);
	}
}

/* In a TC that the image routes adaptively packets of a flow may overtake each other. */
static void check_order(xt_scoreboard_t *scoreboard, const xt_tracked_t *tracked, uint64_t cycle)
{
	xt_tracker_overtake(scoreboard->tracker, tracked);
	if (tracked->overtaken && !(scoreboard->adaptive >> tracked->public.packet.tc & 1)) {
		xt_violations_add(scoreboard->violations, XT_FINDING_REORDERED,
			"%s came out at cycle %" PRIu64 " after a later packet of its flow",
			name_of(&tracked->public.packet).text, cycle);
	}
}

static void end(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, int poisoned)
{
	receiver_t *receiver = &scoreboard->receivers[pe];
	difference_t *difference = &scoreboard->differences[pe];
	xt_tracked_t *tracked = receiver->tracked;
	const xt_packet_t *packet = &tracked->public.packet;

	if (receiver->index != packet->cells && !receiver->different) {
		receiver->different = 1;
		snprintf(difference->text, sizeof(difference->text),
			"%s: %" PRIu32 " cells came out at PE %u, the last at cycle %" PRIu64, name_of(packet).text,
			receiver->index, pe, cycle);
		poisoned = 0; /* its length is made up too */
	}
	if (poisoned) {
		scoreboard->poisoned++;
		if (!any_killed(scoreboard)) {
			xt_violations_add(scoreboard->violations, XT_FINDING_POISONED,
				"%s came out incomplete at PE %u at cycle %" PRIu64 ", and no link was killed",
				name_of(packet).text, pe, cycle);
		}
	} else if (receiver->different && !receiver->damaged) {
		xt_violations_add(scoreboard->violations, XT_FINDING_CORRUPTED, "%s", difference->text);
	}
	*receiver = (receiver_t){0};
	check_order(scoreboard, tracked, cycle);
	xt_tracker_release(scoreboard->tracker, tracked);
}

/* `count` cells of the packet, from `index` on, came out in the cycles from `cycle` on: told in runs of cells that were
 * sent without a gap. */
static void tell_delivery(xt_scoreboard_t *scoreboard, const xt_tracked_t *tracked, unsigned index, uint64_t cycle,
	unsigned count, int last)
{
	const xt_packet_state_t *public = &tracked->public;
	unsigned done = 0;

	for (unsigned r = 0; done < count; r++) {
		const unsigned end = r + 1 < tracked->runs ? tracked->run_first[r + 1] : public->sent,
			       from = index + done;

		if (from < end) {
			const unsigned cells = least(count - done, end - from);
			const uint64_t sent =
				public->head_sent + tracked->run_after[r] + (from - tracked->run_first[r]);

			scoreboard->delivery(scoreboard->context, &public->packet, public->head_sent, sent,
				cycle + done, cells, last && done + cells == count);
			done += cells;
		}
	}
}

void xt_scoreboard_received(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, const uint32_t *cells,
	unsigned count, int last, int poisoned)
{
	receiver_t *receiver = &scoreboard->receivers[pe];
	const xt_tracked_t *tracked;
	unsigned index = receiver->index;

	xt_scoreboard_settle(scoreboard);
	if (index == 0) {
		begin(scoreboard, pe, cycle, cells);
	}
	tracked = receiver->tracked;
	if (!tracked) {
		receiver->index = last ? 0 : index + count;
		return;
	}
	if (index < tracked->public.packet.cells) {
		const unsigned known = least(count, tracked->public.packet.cells - index);
		const unsigned sent = index < tracked->public.sent ? least(known, tracked->public.sent - index) : 0;
		/* The last cell of an incomplete packet is nobody's. */
		const unsigned delivered = last && poisoned && sent == count ? sent - 1 : sent;

		compare(scoreboard, pe, cycle, cells, known);
		tell_delivery(scoreboard, tracked, index, cycle, delivered, last && delivered == count);
	}
	receiver->index += count;
	if (last) {
		end(scoreboard, pe, cycle + count - 1, poisoned);
	}
}

/* "port d0+ VC 0, or an adaptive VC of d0+ d1-" */
typedef struct {
	char text[128];
} ways_t;

static ways_t ways_of(const xt_scoreboard_t *scoreboard, unsigned card, const xt_route_t *route, int adaptive)
{
	ways_t ways = {"no route"};
	size_t used;

	if (!route->valid) {
		return ways;
	}
	used = (size_t)snprintf(ways.text, sizeof(ways.text), "port %s VC %u",
		xt_image_port_name(scoreboard->image, card, route->port), route->vc);
	for (unsigned port = 0; adaptive && port < scoreboard->profile->link_ports; port++) {
		if (route->adaptive_mask >> port & 1 && used < sizeof(ways.text)) {
			used += (size_t)snprintf(ways.text + used, sizeof(ways.text) - used, "%s %s",
				strstr(ways.text, "adaptive") ? "" : ", or an adaptive VC of",
				xt_image_port_name(scoreboard->image, card, port));
		}
	}
	return ways;
}

/* A head with the destination `address` leaves `card` by a link on VC `vc` of all, which says its TC: no card changes
 * it. The image must say so too. */
static void check_route(xt_scoreboard_t *scoreboard, const xt_tracked_t *tracked, uint32_t address, unsigned card,
	unsigned port, unsigned vc, uint64_t cycle)
{
	const unsigned tc = scoreboard->vc_tc[vc];
	/* Of a packet that goes its way that has been looked up ahead. */
	const int foreseen = tracked && tracked->entry && tracked->public.card == card && tracked->address == address &&
			     tracked->public.packet.tc == tc;
	xt_route_t route =
		foreseen ? xt_entry_route(*tracked->entry, tc) : xt_image_lookup(scoreboard->image, card, tc, address);
	int chosen;

	if (route.valid && route.port == port && scoreboard->first_vc[tc] + route.vc == vc) {
		return;
	}
	route = xt_image_lookup(scoreboard->image, card, tc, address); /* which knows what ports there are */
	chosen = route.valid && (scoreboard->adaptive_vcs >> vc & 1) && (route.adaptive_mask >> port & 1);
	if (chosen && (!tracked || !tracked->public.escaped)) {
		return;
	}
	xt_violations_add(scoreboard->violations, XT_FINDING_OFF_ROUTE,
		"%s left card %u by port %s VC %u at cycle %" PRIu64 "%s; for address %" PRIu32
		" in TC %u the image has %s",
		tracked ? name_of(&tracked->public.packet).text : "an unknown packet", card,
		xt_image_port_name(scoreboard->image, card, port), vc - scoreboard->first_vc[tc], cycle,
		chosen ? ", although it had escaped to a deterministic VC before" : "", address, tc,
		ways_of(scoreboard, card, &route, (scoreboard->adaptive_vcs >> vc & 1) && !chosen).text);
}

static const xt_peer_t *peer_of(const xt_scoreboard_t *scoreboard, const hop_t *hop)
{
	return &scoreboard->peers[hop->card * scoreboard->profile->link_ports + hop->port];
}

static void check_hop(xt_scoreboard_t *scoreboard, const hop_t *hop, const uint32_t *cell)
{
	const xt_peer_t to = *peer_of(scoreboard, hop);
	xt_tracked_t *tracked = hop->tracked;
	uint32_t address;

	if (tracked) {
		address = tracked->address;
	} else {
		const xt_head_t head = xt_payload_head(scoreboard->payload, cell);

		tracked = xt_tracker_find(scoreboard->tracker, &head, cell, 0);
		address = head.destination;
	}
	check_route(scoreboard, tracked, address, hop->card, hop->port, hop->vc, hop->cycle);
	/* A damaged header is told when it comes out. */
	if (!tracked) {
		return;
	}
	tracked->public.card = to.card;
	tracked->public.port = to.port;
	tracked->public.vc = hop->vc;
	tracked->public.since = hop->cycle;
	tracked->public.escaped |= !(scoreboard->adaptive_vcs >> hop->vc & 1);
	tracked->public.hops++;
	scoreboard->most_hops =
		tracked->public.hops > scoreboard->most_hops ? tracked->public.hops : scoreboard->most_hops;
	if (tracked->public.hops > scoreboard->cards && !tracked->livelocked) {
		tracked->livelocked = 1;
		xt_violations_add(scoreboard->violations, XT_FINDING_LIVELOCK,
			"%s made %" PRIu32
			" hops in a network of %u cards, the last to card %u port %s at cycle %" PRIu64,
			name_of(&tracked->public.packet).text, tracked->public.hops, scoreboard->cards, to.card,
			xt_image_port_name(scoreboard->image, to.card, to.port), hop->cycle);
	}
	look_ahead(scoreboard, tracked);
}

/* The packets are all over the memory. So each step asks for what the next one reads, of all hops. */
void xt_scoreboard_settle(xt_scoreboard_t *scoreboard)
{
	const xt_tracker_t *tracker = scoreboard->tracker;
	const unsigned words = scoreboard->payload->words, count = scoreboard->hop_count;
	const uint32_t *heads = scoreboard->heads;
	hop_t *hops = scoreboard->hops;

	for (unsigned i = 0; i < count; i++) {
		hops[i].place = xt_tracker_place(tracker, heads + i * words);
		__builtin_prefetch(hops[i].place);
		__builtin_prefetch(peer_of(scoreboard, &hops[i]));
	}
	for (unsigned i = 0; i < count; i++) {
		hops[i].tracked = hops[i].place ? *hops[i].place : NULL;
		if (hops[i].tracked) {
			__builtin_prefetch(hops[i].tracked, 1);
			__builtin_prefetch(hops[i].tracked->head, 1);
		}
	}
	for (unsigned i = 0; i < count; i++) {
		if (!xt_tracker_is_head(tracker, hops[i].tracked, heads + i * words, 0)) {
			hops[i].tracked = NULL;
			continue;
		}
		__builtin_prefetch(hops[i].tracked->entry);
	}
	for (unsigned i = 0; i < count; i++) {
		check_hop(scoreboard, &hops[i], heads + i * words);
	}
	scoreboard->hop_count = 0;
}

void xt_scoreboard_hop(
	xt_scoreboard_t *scoreboard, unsigned card, unsigned port, unsigned vc, uint64_t cycle, const uint32_t *cell)
{
	const unsigned words = scoreboard->payload->words;

	if (scoreboard->hop_count == MOST_HOPS) {
		xt_scoreboard_settle(scoreboard);
	}
	memcpy(scoreboard->heads + scoreboard->hop_count * words, cell, words * sizeof(*cell));
	scoreboard->hops[scoreboard->hop_count++] = (hop_t){.card = card, .port = port, .vc = vc, .cycle = cycle};
}

uint32_t xt_scoreboard_most_hops(const xt_scoreboard_t *scoreboard)
{
	return scoreboard->most_hops;
}

uint64_t xt_scoreboard_in_flight(const xt_scoreboard_t *scoreboard)
{
	return xt_tracker_count(scoreboard->tracker);
}

void xt_scoreboard_each(
	const xt_scoreboard_t *scoreboard, void (*visit)(void *context, const xt_packet_state_t *state), void *context)
{
	xt_tracker_each(scoreboard->tracker, visit, context);
}

static int is_killed(const xt_scoreboard_t *scoreboard, unsigned card, unsigned port)
{
	return port < scoreboard->profile->link_ports && scoreboard->killed(scoreboard->killed_context, card, port);
}

/* The head was last seen on its way over a killed link, or into a card that had to send it by one. */
static int ran_into_killed(const xt_scoreboard_t *scoreboard, const xt_packet_state_t *state)
{
	const xt_packet_t *packet = &state->packet;
	xt_route_t route = xt_image_lookup(scoreboard->image, state->card, packet->tc,
		xt_image_pe_address(scoreboard->image, packet->destination));
	int found = is_killed(scoreboard, state->card, state->port);

	if (!route.valid) {
		return found;
	}
	found = found || is_killed(scoreboard, state->card, route.port);
	for (unsigned port = 0; port < scoreboard->profile->link_ports && !state->escaped; port++) {
		found = found || ((scoreboard->adaptive >> packet->tc & 1) && (route.adaptive_mask >> port & 1) &&
					 is_killed(scoreboard, state->card, port));
	}
	return found;
}

static void report_lost(void *context, const xt_packet_state_t *state)
{
	xt_scoreboard_t *scoreboard = context;

	if (ran_into_killed(scoreboard, state)) {
		scoreboard->dropped++;
		return;
	}
	xt_violations_add(scoreboard->violations, XT_FINDING_LOST,
		"%s, sent at cycle %" PRIu64 ", never came out; its head was last seen on its way into card %" PRIu32
		" port %s at cycle %" PRIu64,
		name_of(&state->packet).text, state->head_sent, state->card,
		xt_image_port_name(scoreboard->image, state->card, state->port), state->since);
}

uint64_t xt_scoreboard_poisoned(const xt_scoreboard_t *scoreboard)
{
	return scoreboard->poisoned;
}

uint64_t xt_scoreboard_dropped(const xt_scoreboard_t *scoreboard)
{
	return scoreboard->dropped;
}

void xt_scoreboard_close(xt_scoreboard_t *scoreboard)
{
	xt_scoreboard_settle(scoreboard);
	scoreboard->dropped = 0;
	xt_scoreboard_each(scoreboard, report_lost, scoreboard);
}
