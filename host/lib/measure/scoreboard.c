/* SPDX-License-Identifier: Apache-2.0 */
#include "scoreboard_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

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
		scoreboard->heads = calloc(XT_MOST_HOPS, XT_MAX_CELL_WORDS * sizeof(*scoreboard->heads));
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

void xt_scoreboard_do_not_follow(xt_scoreboard_t *scoreboard)
{
	scoreboard->unfollowed = 1;
}

int xt_scoreboard_follows(const xt_scoreboard_t *scoreboard)
{
	return !scoreboard->unfollowed;
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

const uint32_t *xt_scoreboard_make(const xt_scoreboard_t *scoreboard, const xt_packet_t *packet)
{
	return xt_tracker_make(scoreboard->tracker, packet);
}

const uint32_t *xt_scoreboard_make_head(const xt_scoreboard_t *scoreboard, const xt_packet_t *packet)
{
	return xt_tracker_make_head(scoreboard->tracker, packet);
}

int xt_scoreboard_remake(const xt_scoreboard_t *scoreboard, uint32_t *words, unsigned cells)
{
	return xt_payload_remake(scoreboard->payload, words, cells);
}

int xt_scoreboard_register(xt_scoreboard_t *scoreboard, const xt_packet_t *packet)
{
	xt_tracked_t *tracked = xt_tracker_register(scoreboard->tracker, packet);

	if (!tracked) {
		return XT_ERR_NOMEM;
	}
	xt_scoreboard_look_ahead(scoreboard, tracked);
	return XT_OK;
}

const uint32_t *xt_scoreboard_send(xt_scoreboard_t *scoreboard, const xt_packet_t *packet)
{
	return xt_scoreboard_register(scoreboard, packet) == XT_OK ? xt_scoreboard_make(scoreboard, packet) : NULL;
}

int xt_scoreboard_sent(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, unsigned index, unsigned count)
{
	return xt_tracker_sent(scoreboard->tracker, pe, cycle, index, count);
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
	xt_receiver_t *receiver = &scoreboard->receivers[pe];
	xt_tracked_t *const *place = xt_tracker_place(scoreboard->tracker, cell);
	xt_tracked_t *tracked = place ? *place : NULL;

	if (!xt_tracker_is_head(scoreboard->tracker, tracked, cell, 1)) {
		const xt_head_t head = xt_payload_head(scoreboard->payload, cell);

		tracked = xt_tracker_find(scoreboard->tracker, &head, cell, 1);
		if (!tracked) {
			report_unknown(scoreboard, pe, cycle, &head);
		}
	}
	*receiver = (xt_receiver_t){.tracked = tracked};
	if (!tracked) {
		return;
	}
	tracked->arriving = 1;
	if (tracked->public.packet.destination != pe) {
		xt_violations_add(scoreboard->violations, XT_FINDING_MISROUTED,
			"%s came out at PE %u at cycle %" PRIu64, xt_packet_name(&tracked->public.packet).text, pe,
			cycle);
	}
}

/* Cell `index` is not what was sent. */
static void note_difference(
	xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, uint32_t index, const uint32_t *cell)
{
	xt_receiver_t *receiver = &scoreboard->receivers[pe];
	xt_difference_t *difference = &scoreboard->differences[pe];
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
		xt_packet_name(packet).text, index, w * 32 + (unsigned)__builtin_ctz(expected[w] ^ cell[w]), w * 32,
		w * 32 + 31, expected[w], cell[w], pe, cycle);
	if (index == 0) {
		receiver->damaged = 1;
		xt_violations_add(scoreboard->violations, XT_FINDING_CORRUPTED, "%s", difference->text);
	}
}

/* Notes the first difference. A head is always whole; behind it a poisoned packet ends with cells that nobody sent. */
static void compare(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, const uint32_t *cells, unsigned count)
{
	const xt_receiver_t *receiver = &scoreboard->receivers[pe];
	const xt_tracked_t *tracked = receiver->tracked;
	const uint32_t index = receiver->index;
	unsigned intact = 0;

	if (receiver->different || count == 0) {
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
			xt_packet_name(&tracked->public.packet).text, cycle);
	}
}

static void end(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, int poisoned)
{
	xt_receiver_t *receiver = &scoreboard->receivers[pe];
	xt_difference_t *difference = &scoreboard->differences[pe];
	xt_tracked_t *tracked = receiver->tracked;
	const xt_packet_t *packet = &tracked->public.packet;

	if (receiver->index != packet->cells && !receiver->different) {
		receiver->different = 1;
		snprintf(difference->text, sizeof(difference->text),
			"%s: %" PRIu32 " cells came out at PE %u, the last at cycle %" PRIu64,
			xt_packet_name(packet).text, receiver->index, pe, cycle);
		poisoned = 0; /* its length is made up too */
	}
	if (poisoned) {
		scoreboard->poisoned++;
		if (!any_killed(scoreboard)) {
			xt_violations_add(scoreboard->violations, XT_FINDING_POISONED,
				"%s came out incomplete at PE %u at cycle %" PRIu64 ", and no link was killed",
				xt_packet_name(packet).text, pe, cycle);
		}
	} else if (receiver->different && !receiver->damaged) {
		xt_violations_add(scoreboard->violations, XT_FINDING_CORRUPTED, "%s", difference->text);
	}
	*receiver = (xt_receiver_t){0};
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

	for (unsigned g = 0; done < count; g++) {
		const unsigned end = g < tracked->gaps ? tracked->gap[g].index : public->sent, from = index + done;
		const xt_accepted_t begin = g ? tracked->gap[g - 1] : (xt_accepted_t){0};

		if (from < end) {
			const unsigned cells = (unsigned)xt_least(count - done, end - from);
			const uint64_t sent = public->head_sent + begin.after + (from - begin.index);

			scoreboard->delivery(scoreboard->context, &public->packet, public->head_sent, sent,
				cycle + done, cells, last && done + cells == count);
			done += cells;
		}
	}
}

/* `shown`: so many of the cells can be compared. */
static void receive(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, const uint32_t *cells, unsigned shown,
	unsigned count, int last, int poisoned)
{
	xt_receiver_t *receiver = &scoreboard->receivers[pe];
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
		const unsigned known = (unsigned)xt_least(count, tracked->public.packet.cells - index);
		const unsigned sent =
			index < tracked->public.sent ? (unsigned)xt_least(known, tracked->public.sent - index) : 0;
		/* The last cell of an incomplete packet is nobody's. */
		const unsigned delivered = last && poisoned && sent == count ? sent - 1 : sent;

		compare(scoreboard, pe, cycle, cells, (unsigned)xt_least(known, shown));
		tell_delivery(scoreboard, tracked, index, cycle, delivered, last && delivered == count);
	}
	receiver->index += count;
	if (last) {
		end(scoreboard, pe, cycle + count - 1, poisoned);
	}
}

void xt_scoreboard_received(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, const uint32_t *cells,
	unsigned count, int last, int poisoned)
{
	receive(scoreboard, pe, cycle, cells, count, count, last, poisoned);
}

void xt_scoreboard_received_made(
	xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, const uint32_t *head, unsigned count, int last)
{
	receive(scoreboard, pe, cycle, head, scoreboard->receivers[pe].index == 0, count, last, 0);
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
	if (scoreboard->unfollowed) {
		xt_violations_add(scoreboard->violations, XT_FINDING_LOST,
			"%s, sent at cycle %" PRIu64
			", never came out; a run that checks hops tells where it was last seen",
			xt_packet_name(&state->packet).text, state->head_sent);
		return;
	}
	xt_violations_add(scoreboard->violations, XT_FINDING_LOST,
		"%s, sent at cycle %" PRIu64 ", never came out; its head was last seen on its way into card %" PRIu32
		" port %s at cycle %" PRIu64,
		xt_packet_name(&state->packet).text, state->head_sent, state->card,
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
