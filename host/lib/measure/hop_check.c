/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether each head goes the way that the image says. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "scoreboard_internal.h"

void xt_scoreboard_look_ahead(const xt_scoreboard_t *scoreboard, xt_tracked_t *tracked)
{
	tracked->entry = NULL;
	if (tracked->public.card < scoreboard->cards) {
		tracked->entry = xt_image_entry(
			scoreboard->image, tracked->public.card, tracked->public.packet.tc, tracked->address);
	}
}

xt_packet_name_t xt_packet_name(const xt_packet_t *packet)
{
	xt_packet_name_t name;

	snprintf(name.text, sizeof(name.text),
		"packet %" PRIu32 ".%" PRIu32 " (PE %" PRIu32 " to PE %" PRIu32 ", TC %u, %u cell%s)", packet->source,
		packet->sequence, packet->source, packet->destination, packet->tc, packet->cells,
		packet->cells == 1 ? "" : "s");
	return name;
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
	int chosen, back;

	if (route.valid && route.port == port && scoreboard->first_vc[tc] + route.vc == vc) {
		return;
	}
	route = xt_image_lookup(scoreboard->image, card, tc, address); /* which knows what ports there are */
	chosen = route.valid && (scoreboard->adaptive_vcs >> vc & 1) && (route.adaptive_mask >> port & 1);
	back = tracked && tracked->public.card == card && tracked->public.port == port;
	if (chosen && !back && (!tracked || !tracked->public.escaped)) {
		return;
	}
	xt_violations_add(scoreboard->violations, XT_FINDING_OFF_ROUTE,
		"%s left card %u by port %s VC %u at cycle %" PRIu64 "%s; for address %" PRIu32
		" in TC %u the image has %s",
		tracked ? xt_packet_name(&tracked->public.packet).text : "an unknown packet", card,
		xt_image_port_name(scoreboard->image, card, port), vc - scoreboard->first_vc[tc], cycle,
		!chosen ? ""
		: back  ? ", although it had come by that link"
			: ", although it had escaped to a deterministic VC before",
		address, tc, ways_of(scoreboard, card, &route, (scoreboard->adaptive_vcs >> vc & 1) && !chosen).text);
}

static const xt_peer_t *peer_of(const xt_scoreboard_t *scoreboard, const xt_hop_t *hop)
{
	return &scoreboard->peers[hop->card * scoreboard->profile->link_ports + hop->port];
}

static void check_hop(xt_scoreboard_t *scoreboard, const xt_hop_t *hop, const uint32_t *cell)
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
			xt_packet_name(&tracked->public.packet).text, tracked->public.hops, scoreboard->cards, to.card,
			xt_image_port_name(scoreboard->image, to.card, to.port), hop->cycle);
	}
	xt_scoreboard_look_ahead(scoreboard, tracked);
}

/* The packets are all over the memory. So each step asks for what the next one reads, of all hops. */
void xt_scoreboard_settle(xt_scoreboard_t *scoreboard)
{
	const xt_tracker_t *tracker = scoreboard->tracker;
	const unsigned words = scoreboard->payload->words, count = scoreboard->hop_count;
	const uint32_t *heads = scoreboard->heads;
	xt_hop_t *hops = scoreboard->hops;

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

	if (scoreboard->hop_count == XT_MOST_HOPS) {
		xt_scoreboard_settle(scoreboard);
	}
	memcpy(scoreboard->heads + scoreboard->hop_count * words, cell, words * sizeof(*cell));
	scoreboard->hops[scoreboard->hop_count++] = (xt_hop_t){.card = card, .port = port, .vc = vc, .cycle = cycle};
}
