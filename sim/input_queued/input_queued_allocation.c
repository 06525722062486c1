/* SPDX-License-Identifier: Apache-2.0
 *
 * Routes of heads, and the allocation of outputs in two round-robin stages. */
#include <string.h>

#include "extorus/image.h"
#include "extorus/settings.h"
#include "input_queued.h"

/* What the head of a FIFO asks for. */
typedef struct {
	uint8_t port, vc; /* `ports`: to be dropped; IQ_NO_PORT: nothing that is free */
} request_t;

/* The first member of a set from `from` on, in a circle. */
static unsigned round_robin(unsigned set, unsigned from)
{
	const unsigned later = set >> from << from;

	return (unsigned)__builtin_ctz(later ? later : set);
}

static uint64_t table_entry(const xt_engine_t *e, unsigned card, unsigned tc, uint32_t destination)
{
	const uint32_t low = (1u << e->profile->lrt_bits) - 1;
	const uint32_t differs = (destination ^ *iq_register(e, card, XT_REG_CARD_ID, 0, 0)) &
				 *iq_register(e, card, XT_REG_MATCH_MASK, 0, tc);
	const int local_first = *iq_register(e, card, XT_REG_ROUTE_ORDER, 0, 0) >> tc & 1;
	const int global = (differs & ~low) && !(local_first && (differs & low));

	return global ? e->card[card].grt[destination >> e->profile->lrt_bits & ((1u << e->profile->grt_bits) - 1)]
		      : e->card[card].lrt[destination & low];
}

/* Whether a packet that leaves by (port, vc) enters a ring there. */
static int enters_ring(
	const xt_engine_t *e, unsigned card, unsigned from, unsigned from_vc, xt_route_t route, unsigned tc)
{
	const uint32_t word = *iq_register(e, card, XT_REG_RING, route.port, 0);
	const xt_ring_t ring = xt_ring_unpack(word);
	const unsigned ring_from =
		e->profile->vc_rings
			? xt_ring_from(word, *iq_register(e, card, XT_REG_VC_RING_FROM, route.port, 0), route.vc)
			: ring.from;
	const int within = ring_from == from && (ring.from_vcs >> (from_vc - e->first_vc[tc]) & 1);

	return (ring.vcs >> route.vc & 1) && !within;
}

int iq_is_adaptive(const xt_engine_t *e, unsigned card, const iq_packet_t *packet)
{
	const uint64_t entry = table_entry(e, card, packet->tc, packet->destination);

	return e->adaptive_vcs[packet->tc] && xt_entry_route(entry, packet->tc).adaptive_mask;
}

void iq_route(xt_engine_t *e, unsigned card, unsigned port, iq_entry_t *entry)
{
	const iq_packet_t *packet = &e->pool.packets[entry->packet];
	const unsigned tc = packet->tc;
	const xt_route_t route = xt_entry_route(table_entry(e, card, tc, packet->destination), tc);
	const int to_link = route.port < e->links;
	const int may_adapt = port >= e->links || (e->adaptive_vcs[tc] >> entry->vc & 1);

	entry->enters = 0;
	entry->mask = 0;
	if (!route.valid || route.port >= e->ports || (to_link && route.vc >= xt_profile_tc_vcs(e->profile, tc))) {
		entry->port = (uint8_t)e->ports;
		++*iq_register(e, card, XT_REG_ILLEGAL_ROUTES, port, 0);
		return;
	}
	entry->port = route.port;
	entry->route_vc = (uint8_t)(to_link ? e->first_vc[tc] + route.vc : 0);
	/* Never back by the link of arrival. */
	entry->mask = (uint8_t)(may_adapt && e->adaptive_vcs[tc]
					? route.adaptive_mask & ((1u << e->links) - 1) & ~(1u << port)
					: 0);
	if (e->profile->bubble && to_link) {
		entry->enters = (uint8_t)enters_ring(e, card, port, entry->vc, route, tc);
	}
}

/* The adaptive VC behind a link that has most room, if the packet fits there; IQ_NO_PORT: none. */
static unsigned adaptive_vc(const xt_engine_t *e, unsigned card, unsigned port, unsigned tc, unsigned cells)
{
	const iq_output_t *out = &e->outputs[card * e->ports + port];
	unsigned best = IQ_NO_PORT, most = 0;

	for (unsigned vcs = iq_adaptive_vcs(e, card, port, tc); vcs; vcs &= vcs - 1) {
		const unsigned vc = (unsigned)__builtin_ctz(vcs);

		if (out->room[vc] >= cells && out->room[vc] > most) {
			best = vc;
			most = out->room[vc];
		}
	}
	return best;
}

/* The candidates that the selection function prefers. */
static unsigned preferred(const xt_engine_t *e, unsigned card, unsigned candidates)
{
	const uint32_t ports = *iq_register(e, card, XT_REG_ADAPTIVE_PORTS, 0, 0);
	const unsigned internal = ports >> XT_FIELD_ADAPTIVE_PORTS_INTERNAL_LSB & 0xff;
	const unsigned middle = ports >> XT_FIELD_ADAPTIVE_PORTS_MIDDLE_LSB & 0xff;
	const unsigned outside = candidates & ~internal;

	switch (*iq_register(e, card, XT_REG_ADAPTIVE_SELECT, 0, 0)) {
	case XT_SELECT_NO_INTERNAL:
		return outside;
	case XT_SELECT_2_PRIORITY:
		return outside ? outside : candidates;
	case XT_SELECT_3_PRIORITY:
		return outside & ~middle ? outside & ~middle : outside ? outside : candidates;
	default:
		return candidates;
	}
}

static request_t adapt(const xt_engine_t *e, unsigned card, const iq_input_t *in, const iq_entry_t *entry)
{
	const iq_packet_t *packet = &e->pool.packets[entry->packet];
	const iq_output_t *outputs = &e->outputs[card * e->ports];
	unsigned candidates = 0, port;

	for (unsigned rest = entry->mask; rest; rest &= rest - 1) {
		const unsigned p = (unsigned)__builtin_ctz(rest);

		candidates |=
			(unsigned)(!outputs[p].busy && adaptive_vc(e, card, p, packet->tc, packet->cells) != IQ_NO_PORT)
			<< p;
	}
	candidates = preferred(e, card, candidates);
	if (!candidates) {
		return (request_t){IQ_NO_PORT, 0};
	}
	port = round_robin(candidates, in->next_candidate);
	return (request_t){(uint8_t)port, (uint8_t)adaptive_vc(e, card, port, packet->tc, packet->cells)};
}

/* A free output with room for the head of a FIFO, if there is one. */
static request_t request_of(const xt_engine_t *e, unsigned card, const iq_input_t *in, const iq_entry_t *entry)
{
	const iq_output_t *out = &e->outputs[card * e->ports + entry->port];
	const unsigned cells = e->pool.packets[entry->packet].cells;

	if (entry->port == e->ports) {
		return (request_t){entry->port, 0};
	}
	if (entry->mask) {
		const request_t request = adapt(e, card, in, entry);

		if (request.port != IQ_NO_PORT) {
			return request;
		}
	}
	if (out->busy || out->room[entry->route_vc] < cells + (entry->enters ? e->longest : 0)) {
		return (request_t){IQ_NO_PORT, 0};
	}
	return (request_t){entry->port, entry->route_vc};
}

/* Stage 1: the FIFOs of an input, from next_vc on, whose heads came in an earlier cycle and ask for something. With a
 * crossbar input per VC all of them, otherwise the first. */
static unsigned choose_vcs(const xt_engine_t *e, unsigned card, const iq_input_t *in, request_t *request)
{
	unsigned chosen = 0, rest = in->waiting & ~(unsigned)in->streaming;

	if (in->streaming && !e->crossbar_per_vc) {
		return 0;
	}
	for (unsigned from = in->next_vc; rest;) {
		const unsigned vc = round_robin(rest, from);
		const iq_entry_t *entry = &e->pool.entries[in->first[vc]];

		if (entry->head_at < e->now) {
			request[vc] = request_of(e, card, in, entry);
			chosen |= (unsigned)(request[vc].port != IQ_NO_PORT) << vc;
			if (chosen && !e->crossbar_per_vc) {
				break;
			}
		}
		rest &= ~(1u << vc);
		from = vc;
	}
	return chosen;
}

static void grant(xt_engine_t *e, unsigned card, unsigned port, unsigned vc, request_t request)
{
	iq_input_t *in = &e->inputs[card * e->ports + port];
	iq_entry_t *entry = &e->pool.entries[in->first[vc]];

	in->stream[vc] = (iq_stream_t){.entry = in->first[vc], .output = request.port, .output_vc = request.vc};
	in->streaming |= (uint16_t)(1u << vc);
	in->next_vc = (uint8_t)((vc + 1) % e->fifos);
	in->first[vc] = entry->next;
	if (entry->next == IQ_NONE) {
		in->waiting &= (uint16_t) ~(1u << vc);
	}
	if (request.port < e->ports) {
		iq_output_t *out = &e->outputs[card * e->ports + request.port];

		out->busy = 1;
		out->next_input = (uint8_t)((port + 1) % e->ports);
		out->room[request.vc] = (uint16_t)(out->room[request.vc] - e->pool.packets[entry->packet].cells);
		in->next_candidate = (uint8_t)((request.port + 1) % e->ports);
	}
}

/* What one card is asked for. */
typedef struct {
	request_t request[XT_MAX_PORTS][XT_MAX_VCS]; /* by input and FIFO */
	uint16_t fifos[XT_MAX_PORTS][XT_MAX_PORTS];  /* by output and input, where the output's set has the input */
	unsigned inputs[XT_MAX_PORTS];               /* by output */
	unsigned outputs;
} asked_t;

static void ask(asked_t *asked, unsigned input, unsigned vc)
{
	const unsigned o = asked->request[input][vc].port;
	const unsigned others = asked->inputs[o] >> input & 1 ? asked->fifos[o][input] : 0;

	asked->fifos[o][input] = (uint16_t)(others | 1u << vc);
	asked->inputs[o] |= 1u << input;
	asked->outputs |= 1u << o;
}

void iq_allocate(xt_engine_t *e, unsigned card)
{
	const unsigned links = (1u << e->links) - 1;
	asked_t asked;

	memset(asked.inputs, 0, sizeof(asked.inputs));
	asked.outputs = 0;
	for (unsigned i = 0; i < e->ports; i++) {
		const iq_input_t *in = &e->inputs[card * e->ports + i];

		for (unsigned vcs = choose_vcs(e, card, in, asked.request[i]); vcs; vcs &= vcs - 1) {
			const unsigned vc = (unsigned)__builtin_ctz(vcs);

			if (asked.request[i][vc].port == e->ports) {
				grant(e, card, i, vc, asked.request[i][vc]);
			} else {
				ask(&asked, i, vc);
			}
		}
	}
	/* Stage 2: an input, then one of its FIFOs. */
	for (; asked.outputs; asked.outputs &= asked.outputs - 1) {
		const unsigned o = (unsigned)__builtin_ctz(asked.outputs);
		const unsigned transit = e->transit_first ? asked.inputs[o] & links : 0;
		const unsigned i =
			round_robin(transit ? transit : asked.inputs[o], e->outputs[card * e->ports + o].next_input);
		const unsigned vc = round_robin(asked.fifos[o][i], e->inputs[card * e->ports + i].next_vc);

		grant(e, card, i, vc, asked.request[i][vc]);
	}
}
