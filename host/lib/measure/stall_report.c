/* SPDX-License-Identifier: Apache-2.0 */
#include "stall_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"

enum { PACKETS_TOLD = 16 };

/* A channel is an input port's buffer for one VC, numbered (card * ports + port) * vcs + vc. The one of a
 * NIC port is its VC 0. */
typedef struct {
	uint32_t from, to;
	uint32_t packet_source, packet_sequence; /* a packet that holds `from` and waits for `to` */
} wait_t;

#define NOTHING UINT32_MAX

typedef struct {
	const xt_image_t *image;
	const xt_profile_t *profile;
	xt_violations_t *violations;
	unsigned ports, vcs;
	wait_t *waits;
	uint32_t wait_count;
	uint32_t told;
} stall_t;

static uint32_t channel(const stall_t *stall, uint32_t card, uint32_t port, uint32_t vc)
{
	return (card * stall->ports + port) * stall->vcs + vc;
}

typedef struct {
	char text[64];
} place_t;

static place_t place(const stall_t *stall, uint32_t number)
{
	uint32_t vc = number % stall->vcs;
	uint32_t port = number / stall->vcs % stall->ports;
	uint32_t card = number / stall->vcs / stall->ports;
	place_t text = {""};

	if (port >= stall->profile->link_ports) {
		snprintf(text.text, sizeof(text.text), "card %" PRIu32 " input %.16s", card,
			xt_image_port_name(stall->image, card, port));
		return text;
	}
	for (unsigned tc = stall->profile->tcs; tc-- > 0;) {
		unsigned first = xt_profile_first_vc(stall->profile, tc);

		if (vc >= first) {
			snprintf(text.text, sizeof(text.text), "card %" PRIu32 " input %.16s TC %u VC %" PRIu32, card,
				xt_image_port_name(stall->image, card, port), tc, vc - first);
			break;
		}
	}
	return text;
}

static void count_packet(void *context, const xt_packet_state_t *state)
{
	(void)state;
	++*(uint64_t *)context;
}

/* The channel that holds the packet's head. */
static uint32_t held(const stall_t *stall, const xt_packet_state_t *state)
{
	return channel(stall, state->card, state->port, state->vc == XT_NO_VC ? 0 : state->vc);
}

static xt_route_t next_route(const stall_t *stall, const xt_packet_state_t *state)
{
	const xt_packet_t *packet = &state->packet;

	return xt_image_lookup(
		stall->image, state->card, packet->tc, xt_image_pe_address(stall->image, packet->destination));
}

/* The channel behind a link port of the packet's card, for VC `vc` of its TC, or NOTHING. */
static uint32_t behind(const stall_t *stall, const xt_packet_state_t *state, unsigned port, unsigned vc)
{
	xt_peer_t peer = {XT_NO_CARD, 0};

	if (port < stall->profile->link_ports) {
		peer = xt_image_peer(stall->image, state->card, port);
	}
	return peer.card == XT_NO_CARD ? NOTHING
				       : channel(stall, peer.card, peer.port,
						 xt_profile_first_vc(stall->profile, state->packet.tc) + vc);
}

/* The channel that the packet waits for, or NOTHING. If it may choose, that is the one to escape to: it can
 * always take that, so that only these can wait for each other for ever. */
static uint32_t wanted(const stall_t *stall, const xt_packet_state_t *state, const xt_route_t *route)
{
	return route->valid ? behind(stall, state, route->port, route->vc) : NOTHING;
}

static void add_wait(void *context, const xt_packet_state_t *state)
{
	stall_t *stall = context;
	xt_route_t route = next_route(stall, state);
	uint32_t to = wanted(stall, state, &route);

	if (to != NOTHING) {
		stall->waits[stall->wait_count++] =
			(wait_t){held(stall, state), to, state->packet.source, state->packet.sequence};
	}
}

/* ", or behind port d1+: card 7 input d1- TC 0 VC 2" for every adaptive candidate. */
static void add_candidates(
	const stall_t *stall, const xt_packet_state_t *state, const xt_route_t *route, char *text, size_t size)
{
	unsigned tc = state->packet.tc;
	size_t used = strlen(text);

	for (unsigned port = 0; port < stall->profile->link_ports && !state->escaped; port++) {
		for (unsigned vc = xt_profile_deterministic_vcs(stall->profile, tc);
			vc < xt_profile_tc_vcs(stall->profile, tc) && used < size; vc++) {
			uint32_t to = behind(stall, state, port, vc);

			if ((route->adaptive_mask >> port & 1) && to != NOTHING) {
				used += (size_t)snprintf(text + used, size - used, ", or behind port %.16s: %s",
					xt_image_port_name(stall->image, state->card, port), place(stall, to).text);
			}
		}
	}
}

static void tell_packet(void *context, const xt_packet_state_t *state)
{
	stall_t *stall = context;
	const xt_packet_t *packet = &state->packet;
	xt_route_t route = next_route(stall, state);
	uint32_t to = wanted(stall, state, &route);
	char target[320];

	if (stall->told++ >= PACKETS_TOLD) {
		return;
	}
	if (!route.valid) {
		snprintf(target, sizeof(target), "nothing: its table entry is not valid");
	} else if (route.port >= stall->profile->link_ports) {
		snprintf(target, sizeof(target), "the PE at card %" PRIu32 " to take it", state->card);
	} else if (to == NOTHING) {
		snprintf(target, sizeof(target), "port %.16s, which leads nowhere",
			xt_image_port_name(stall->image, state->card, route.port));
	} else {
		snprintf(target, sizeof(target), "room behind port %.16s: %s",
			xt_image_port_name(stall->image, state->card, route.port), place(stall, to).text);
		add_candidates(stall, state, &route, target, sizeof(target));
	}
	xt_violations_tell(stall->violations, XT_FINDING_STALL,
		"packet %" PRIu32 ".%" PRIu32 " (PE %" PRIu32 " to PE %" PRIu32
		", TC %u, %u cells) at %s since cycle %" PRIu64 " waits for %s",
		packet->source, packet->sequence, packet->source, packet->destination, packet->tc, packet->cells,
		place(stall, held(stall, state)).text, state->since, target);
}

static int by_from(const void *a, const void *b)
{
	const wait_t *x = a, *y = b;

	return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

/* Index of the first wait from channel `from`. */
static uint32_t first_wait(const stall_t *stall, uint32_t from)
{
	uint32_t low = 0, high = stall->wait_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (stall->waits[middle].from < from) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

/* Depth-first search over the waits, each a vertex that leads to the waits from its `to`. Returns the
 * length of a cycle, whose waits are then in `path`, or 0. */
static uint32_t find_cycle(const stall_t *stall, uint32_t *path)
{
	enum { NEW, ON_PATH, DONE };
	uint8_t *state = calloc(stall->wait_count, 1);
	uint32_t *branch = calloc(stall->wait_count, sizeof(*branch));
	uint32_t length = 0;

	for (uint32_t root = 0; state && branch && root < stall->wait_count && !length; root++) {
		uint32_t depth = 0;

		if (state[root] != NEW) {
			continue;
		}
		path[depth++] = root;
		state[root] = ON_PATH;
		branch[root] = first_wait(stall, stall->waits[root].to);
		while (depth && !length) {
			uint32_t top = path[depth - 1];
			uint32_t next = branch[top]++;

			if (next >= stall->wait_count || stall->waits[next].from != stall->waits[top].to) {
				state[top] = DONE;
				depth--;
			} else if (state[next] == NEW) {
				path[depth++] = next;
				state[next] = ON_PATH;
				branch[next] = first_wait(stall, stall->waits[next].to);
			} else if (state[next] == ON_PATH) {
				uint32_t start = depth - 1;

				while (path[start] != next) {
					start--;
				}
				length = depth - start;
				memmove(path, path + start, length * sizeof(*path));
			}
		}
	}
	free(state);
	free(branch);
	return length;
}

static void tell_cycle(const stall_t *stall)
{
	uint32_t *path = malloc((stall->wait_count + 1) * sizeof(*path));
	uint32_t length = path ? find_cycle(stall, path) : 0;

	if (!length) {
		xt_violations_tell(stall->violations, XT_FINDING_STALL,
			"the blocked packets form no channel cycle: look for missing credits or a PE that takes "
			"nothing");
	} else {
		xt_violations_tell(stall->violations, XT_FINDING_STALL, "channel cycle of %" PRIu32 " links:", length);
	}
	for (uint32_t i = 0; i < length; i++) {
		const wait_t *wait = &stall->waits[path[i]];

		xt_violations_tell(stall->violations, XT_FINDING_STALL,
			"  %s waits for %s (packet %" PRIu32 ".%" PRIu32 ")", place(stall, wait->from).text,
			place(stall, wait->to).text, wait->packet_source, wait->packet_sequence);
	}
	free(path);
}

void xt_stall_report(
	const xt_image_t *image, const xt_scoreboard_t *scoreboard, uint64_t cycle, xt_violations_t *violations)
{
	const int followed = xt_scoreboard_follows(scoreboard);
	stall_t stall = {.image = image, .profile = xt_image_profile(image), .violations = violations};
	uint64_t packets = 0;

	stall.ports = xt_profile_ports(stall.profile);
	stall.vcs = xt_profile_vcs(stall.profile);
	xt_scoreboard_each(scoreboard, count_packet, &packets);
	xt_violations_add(violations, XT_FINDING_STALL,
		"nothing has moved since cycle %" PRIu64 " with %" PRIu64 " packet%s in the network%s", cycle, packets,
		packets == 1 ? "" : "s", followed ? "" : "; a run that checks hops tells where");
	if (!followed) {
		return;
	}
	stall.waits = calloc(packets + 1, sizeof(*stall.waits));
	if (!stall.waits) {
		return;
	}
	xt_scoreboard_each(scoreboard, add_wait, &stall);
	qsort(stall.waits, stall.wait_count, sizeof(*stall.waits), by_from);
	tell_cycle(&stall);
	free(stall.waits);
	xt_scoreboard_each(scoreboard, tell_packet, &stall);
	if (packets > PACKETS_TOLD) {
		xt_violations_tell(
			violations, XT_FINDING_STALL, "... and %" PRIu64 " more packets", packets - PACKETS_TOLD);
	}
}
