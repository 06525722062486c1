/* SPDX-License-Identifier: Apache-2.0 */
#include "old_new_hops.h"

#include <stdlib.h>
#include <string.h>

#include "equal_tcs.h"
#include "extorus/profiles.h"

enum { WHITE, GREY, BLACK };

int xt_old_new_hops_create(xt_old_new_hops_t *m, const xt_image_t *before, const xt_image_t *after, xt_diag_t *diag)
{
	*m = (xt_old_new_hops_t){.before = before, .after = after, .profile = xt_image_profile(after)};
	m->cards = xt_image_cards(after);
	m->pes = xt_image_pes(after);
	m->vc_stride = xt_profile_vc_stride(m->profile);
	m->bits = m->profile->link_ports * m->vc_stride;
	m->states = m->cards * XT_PHASES;
	m->place = calloc(m->cards, sizeof(*m->place));
	m->reach = calloc(m->states, sizeof(*m->reach));
	m->lossy = calloc(m->states, sizeof(*m->lossy));
	m->finished = calloc(m->states, sizeof(*m->finished));
	m->loop = calloc(m->states, sizeof(*m->loop));
	m->colour = calloc(m->states, sizeof(*m->colour));
	m->next_option = calloc(m->states, sizeof(*m->next_option));
	/* A state is reached twice at most, first for the hop and then for the candidates. */
	m->stack = calloc(2 * (size_t)m->states, sizeof(*m->stack));
	if (!m->place || !m->reach || !m->lossy || !m->finished || !m->loop || !m->colour || !m->next_option ||
		!m->stack) {
		xt_old_new_hops_free(m);
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for the routes of %u cards", m->cards);
	}
	xt_equal_tcs_find(before, after, m->same_as);
	return XT_OK;
}

void xt_old_new_hops_free(xt_old_new_hops_t *m)
{
	free(m->place);
	free(m->reach);
	free(m->lossy);
	free(m->finished);
	free(m->loop);
	free(m->colour);
	free(m->next_option);
	free(m->stack);
	memset(m, 0, sizeof(*m));
}

void xt_old_new_hops_select(xt_old_new_hops_t *m, unsigned tc, unsigned dest)
{
	m->tc = tc;
	m->dest = dest;
	m->address = xt_image_pe_address(m->after, dest);
	memset(m->place, 0, m->cards * sizeof(*m->place));
}

/* Where a port leads now, or led to before its link failed. */
static uint32_t far_end(const xt_old_new_hops_t *m, uint32_t card, unsigned port, bool *failed)
{
	uint32_t peer = xt_image_peer(m->after, card, port).card;

	*failed = peer == XT_NO_CARD;
	return *failed ? xt_image_peer(m->before, card, port).card : peer;
}

static xt_option_t option_of(const xt_old_new_hops_t *m, uint32_t card, xt_route_t route)
{
	unsigned links = m->profile->link_ports, port = route.port;
	xt_option_t o = {.how = XT_WALK_DELIVERED, .port = route.port, .vc = route.vc};
	bool failed;

	if (!route.valid) {
		o.how = XT_WALK_ILLEGAL;
		return o;
	}
	if (xt_profile_adaptive_tcs(m->profile) >> m->tc & 1) {
		o.mask = (uint8_t)(route.adaptive_mask & ((1u << links) - 1));
	}
	if (port >= links) {
		if (card != xt_image_pe_card(m->after, m->dest) ||
			port - links != xt_image_pe_unit(m->after, m->dest)) {
			o.how = XT_WALK_MISDELIVERED;
		}
	} else if (route.vc >= xt_profile_deterministic_vcs(m->profile, m->tc)) {
		o.how = XT_WALK_ILLEGAL;
	} else if ((o.card = far_end(m, card, port, &failed)) == XT_NO_CARD) {
		o.how = XT_WALK_UNCONNECTED;
	} else {
		o.leaves = 1;
		o.failed = failed;
		o.bit = (uint8_t)xt_channel_bit(m->vc_stride, port, route.vc);
	}
	return o;
}

/* Adds what the entries of both images in a table make of the packet, unless it is there. */
static void add_table(const xt_old_new_hops_t *m, uint32_t card, bool global, xt_route_t *route, unsigned *count)
{
	const uint32_t address = m->address;
	uint32_t index = global ? address >> m->profile->lrt_bits & ((1u << m->profile->grt_bits) - 1)
				: address & ((1u << m->profile->lrt_bits) - 1);

	for (unsigned i = 0; i < 2; i++) {
		const xt_image_t *image = i ? m->after : m->before;
		const uint64_t *table = global ? xt_image_grt(image, card) : xt_image_lrt(image, card);
		xt_route_t r = xt_entry_route(table[index], m->tc);
		bool there = false;

		if (r.port >= xt_profile_ports(m->profile)) {
			r.valid = 0;
		}
		for (unsigned k = 0; k < *count; k++) {
			there |= xt_same_route(route[k], r);
		}
		if (!there) {
			route[(*count)++] = r;
		}
	}
}

/* Which table decides with an order bit and a match mask, as in xt_image_lookup. */
static bool is_global(const xt_old_new_hops_t *m, uint32_t card, uint32_t order, uint32_t mask)
{
	uint32_t low = (1u << m->profile->lrt_bits) - 1;
	uint32_t differs = (m->address ^ xt_image_card_address(m->after, card)) & mask;
	bool local = (differs & low) != 0, global = (differs & ~low) != 0;

	return order >> m->tc & 1 ? !local && global : global;
}

static bool same_registers(const xt_old_new_hops_t *m, uint32_t card)
{
	return xt_image_route_order(m->before, card) == xt_image_route_order(m->after, card) &&
	       xt_image_match_mask(m->before, card, m->tc) == xt_image_match_mask(m->after, card, m->tc);
}

const xt_place_t *xt_old_new_hops_place(xt_old_new_hops_t *m, uint32_t card)
{
	xt_place_t *place = &m->place[card];
	xt_route_t route[XT_MAX_OPTIONS];
	unsigned count = 2, tables = 0;

	if (place->known) {
		return place;
	}
	route[0] = xt_image_lookup(m->before, card, m->tc, m->address);
	route[1] = xt_image_lookup(m->after, card, m->tc, m->address);
	/* The same registers choose the same table, of which there are no other entries than these. */
	for (unsigned i = 0; !same_registers(m, card) && i < 4; i++) {
		const xt_image_t *order = i & 1 ? m->after : m->before, *mask = i & 2 ? m->after : m->before;

		tables |= is_global(m, card, xt_image_route_order(order, card), xt_image_match_mask(mask, card, m->tc))
				  ? 2u
				  : 1u;
	}
	for (unsigned global = 0; global < 2; global++) {
		if (tables >> global & 1) {
			add_table(m, card, global, route, &count);
		}
	}
	if (count == 2 && xt_same_route(route[0], route[1])) {
		count = 1;
	}
	for (unsigned i = 0; i < count; i++) {
		place->option[i] = option_of(m, card, route[i]);
	}
	place->options = (uint8_t)count;
	place->known = 1;
	return place;
}

/* The options that a packet may take, and its phase afterwards. */
static unsigned choices(
	const xt_place_t *place, xt_mix_t mix, unsigned phase, const xt_option_t **option, unsigned *after)
{
	unsigned count = 0;
	bool same = place->options == 1;

	if (mix == XT_MIX_ANY) {
		for (unsigned i = 0; i < place->options; i++) {
			option[count] = &place->option[i];
			after[count++] = phase;
		}
		return count;
	}
	if (phase == XT_PHASE_OLD || same) {
		option[count] = &place->option[0];
		after[count++] = phase;
	}
	if (!same && (phase == XT_PHASE_NEW || mix == XT_MIX_ORDERED)) {
		option[count] = &place->option[1];
		after[count++] = XT_PHASE_NEW;
	}
	return count;
}

/* The states to which a packet can go on from `state`: by hops, or by candidates. Returns how many; out has room
 * for XT_MAX_OPTIONS * XT_MAX_LINK_PORTS. Failed links are left out. */
static unsigned next_states(xt_old_new_hops_t *m, xt_mix_t mix, uint32_t state, bool candidates, uint32_t *out)
{
	uint32_t card = state / XT_PHASES;
	const xt_option_t *option[XT_MAX_OPTIONS];
	unsigned phase[XT_MAX_OPTIONS], count = 0;
	unsigned options = choices(xt_old_new_hops_place(m, card), mix, state % XT_PHASES, option, phase);

	for (unsigned i = 0; i < options; i++) {
		if (!candidates && option[i]->leaves && !option[i]->failed) {
			out[count++] = option[i]->card * XT_PHASES + phase[i];
		}
		for (uint32_t rest = candidates ? option[i]->mask : 0; rest; rest &= rest - 1) {
			uint32_t next = xt_image_peer(m->after, card, (unsigned)__builtin_ctz(rest)).card;

			if (next != XT_NO_CARD) {
				out[count++] = next * XT_PHASES + phase[i];
			}
		}
	}
	return count;
}

static void reach(xt_old_new_hops_t *m, uint32_t state, unsigned how, unsigned *depth)
{
	/* Who may take candidates may take the hop as well. */
	if (m->reach[state] & (how | XT_REACH_ADAPTIVE)) {
		return;
	}
	m->stack[(*depth)++] = state;
	m->reach[state] = (uint8_t)how;
}

/* Packets that left by a link before it failed are at its other end. They do not come that far by new hops. */
static void reach_all(xt_old_new_hops_t *m, xt_mix_t mix)
{
	unsigned depth = 0, adaptive = xt_profile_adaptive_tcs(m->profile) >> m->tc & 1;

	memset(m->reach, 0, m->states);
	for (unsigned source = 0; source < m->pes; source++) {
		unsigned tcs = (mix != XT_MIX_NEW ? xt_image_pe_tc_mask(m->before, source) : 0) |
			       (mix != XT_MIX_OLD ? xt_image_pe_tc_mask(m->after, source) : 0);
		unsigned phase = mix == XT_MIX_NEW ? XT_PHASE_NEW : XT_PHASE_OLD;

		if ((tcs >> m->tc & 1) && source != m->dest) {
			reach(m, xt_image_pe_card(m->after, source) * XT_PHASES + phase,
				adaptive ? XT_REACH_ADAPTIVE : XT_REACH_HOP, &depth);
		}
	}
	while (depth > 0) {
		uint32_t state = m->stack[--depth], card = state / XT_PHASES;
		const xt_option_t *option[XT_MAX_OPTIONS];
		unsigned phase[XT_MAX_OPTIONS];
		unsigned options = choices(xt_old_new_hops_place(m, card), mix, state % XT_PHASES, option, phase);

		for (unsigned i = 0; i < options; i++) {
			if (option[i]->leaves && !(option[i]->failed && mix == XT_MIX_NEW)) {
				reach(m, option[i]->card * XT_PHASES + phase[i], XT_REACH_HOP, &depth);
			}
			for (uint32_t rest = m->reach[state] & XT_REACH_ADAPTIVE ? option[i]->mask : 0; rest;
				rest &= rest - 1) {
				bool failed;
				uint32_t next = far_end(m, card, (unsigned)__builtin_ctz(rest), &failed);

				if (next != XT_NO_CARD && !(failed && mix == XT_MIX_NEW)) {
					reach(m, next * XT_PHASES + phase[i], XT_REACH_ADAPTIVE, &depth);
				}
			}
		}
	}
}

/* Notes the way round that ends at the top of the stack and begins at `state`. */
static void note_loop(xt_old_new_hops_t *m, uint32_t state, unsigned depth)
{
	unsigned first = depth;

	if (m->loop_length) {
		return;
	}
	while (m->stack[first - 1] != state) {
		first--;
	}
	for (unsigned i = first - 1; i < depth; i++) {
		m->loop[m->loop_length++] = m->stack[i] / XT_PHASES;
	}
}

/* Depth first over everything that was reached. */
static void search(xt_old_new_hops_t *m, xt_mix_t mix, bool candidates)
{
	uint32_t next[XT_MAX_OPTIONS * XT_MAX_LINK_PORTS];

	memset(m->colour, WHITE, m->states);
	m->reached = 0;
	for (uint32_t start = 0; start < m->states; start++) {
		unsigned depth = 0;

		if (!m->reach[start] || m->colour[start] != WHITE ||
			(candidates && !(m->reach[start] & XT_REACH_ADAPTIVE))) {
			continue;
		}
		m->stack[depth++] = start;
		m->colour[start] = GREY;
		m->next_option[start] = 0;
		while (depth > 0) {
			uint32_t state = m->stack[depth - 1], to;

			if (m->next_option[state] == next_states(m, mix, state, candidates, next)) {
				m->colour[state] = BLACK;
				m->finished[m->reached++] = state;
				depth--;
				continue;
			}
			to = next[m->next_option[state]++];
			if (m->colour[to] == GREY) {
				note_loop(m, to, depth);
			} else if (m->colour[to] == WHITE) {
				m->stack[depth++] = to;
				m->colour[to] = GREY;
				m->next_option[to] = 0;
			}
		}
	}
}

/* In the order of `finished` one sweep is enough where nothing goes round. */
static void spread_losses(xt_old_new_hops_t *m, xt_mix_t mix, bool candidates)
{
	uint32_t next[XT_MAX_OPTIONS * XT_MAX_LINK_PORTS];

	for (unsigned i = 0; i < m->reached; i++) {
		uint32_t state = m->finished[i], card = state / XT_PHASES;
		const xt_option_t *option[XT_MAX_OPTIONS];
		unsigned phase[XT_MAX_OPTIONS];
		unsigned options = choices(xt_old_new_hops_place(m, card), mix, state % XT_PHASES, option, phase);
		unsigned count = next_states(m, mix, state, candidates, next);

		for (unsigned k = 0; k < options; k++) {
			m->lossy[state] |= !candidates && option[k]->leaves && option[k]->failed;
			for (uint32_t rest = candidates ? option[k]->mask : 0; rest; rest &= rest - 1) {
				bool failed;

				far_end(m, card, (unsigned)__builtin_ctz(rest), &failed);
				m->lossy[state] |= failed;
			}
		}
		for (unsigned k = 0; k < count; k++) {
			m->lossy[state] |= m->lossy[next[k]];
		}
	}
}

/* Whether a packet that leaves `card` by `port` may have to go on by the same link. */
static bool turns_back(xt_old_new_hops_t *m, xt_mix_t mix, uint32_t card, unsigned port, unsigned phase)
{
	const xt_peer_t peer = xt_image_peer(m->after, card, port);
	const xt_option_t *option[XT_MAX_OPTIONS];
	unsigned after[XT_MAX_OPTIONS], options;
	bool back = false;

	if (!m->profile->no_u_turns || peer.card == XT_NO_CARD) {
		return false;
	}
	options = choices(xt_old_new_hops_place(m, peer.card), mix, phase, option, after);
	for (unsigned i = 0; i < options; i++) {
		back |= option[i]->leaves && option[i]->port == peer.port;
	}
	return back;
}

void xt_old_new_hops_walk(xt_old_new_hops_t *m, xt_mix_t mix)
{
	m->loop_length = m->undelivered = 0;
	memset(m->lossy, 0, m->states);
	reach_all(m, mix);
	search(m, mix, false);
	spread_losses(m, mix, false);
	if (xt_profile_adaptive_tcs(m->profile) >> m->tc & 1) {
		search(m, mix, true);
		spread_losses(m, mix, true);
	}
	for (uint32_t state = 0; state < m->states; state++) {
		const xt_option_t *option[XT_MAX_OPTIONS];
		unsigned phase[XT_MAX_OPTIONS], wrong = 0;
		unsigned options = m->reach[state] ? choices(xt_old_new_hops_place(m, state / XT_PHASES), mix,
							     state % XT_PHASES, option, phase)
						   : 0;

		for (unsigned i = 0; i < options; i++) {
			uint32_t links = option[i]->leaves ? 1u << option[i]->port : 0;

			links |= m->reach[state] & XT_REACH_ADAPTIVE ? option[i]->mask : 0;
			wrong |= option[i]->how != XT_WALK_DELIVERED;
			for (; links; links &= links - 1) {
				wrong |=
					turns_back(m, mix, state / XT_PHASES, (unsigned)__builtin_ctz(links), phase[i]);
			}
		}
		m->undelivered += wrong;
	}
}

bool xt_old_new_hops_dependencies(xt_old_new_hops_t *m, xt_mix_t mix, xt_dependency_t dependency, void *context)
{
	for (uint32_t state = 0; state < m->states; state++) {
		const xt_option_t *option[XT_MAX_OPTIONS], *follower[XT_MAX_OPTIONS];
		unsigned phase[XT_MAX_OPTIONS], phase_after[XT_MAX_OPTIONS];
		unsigned options = m->reach[state] ? choices(xt_old_new_hops_place(m, state / XT_PHASES), mix,
							     state % XT_PHASES, option, phase)
						   : 0;

		for (unsigned i = 0; i < options; i++) {
			unsigned followers;

			if (!option[i]->leaves || option[i]->failed) {
				continue;
			}
			followers = choices(
				xt_old_new_hops_place(m, option[i]->card), mix, phase[i], follower, phase_after);
			for (unsigned k = 0; k < followers; k++) {
				if (follower[k]->leaves && !follower[k]->failed &&
					!dependency(context, state / XT_PHASES * m->bits + option[i]->bit,
						follower[k]->bit)) {
					return false;
				}
			}
		}
	}
	return true;
}

void xt_old_new_hops_channels(
	xt_old_new_hops_t *m, xt_mix_t mix, void (*channel)(void *context, uint32_t channel), void *context)
{
	for (uint32_t state = 0; state < m->states; state++) {
		const xt_option_t *option[XT_MAX_OPTIONS];
		unsigned phase[XT_MAX_OPTIONS];
		unsigned options = m->reach[state] ? choices(xt_old_new_hops_place(m, state / XT_PHASES), mix,
							     state % XT_PHASES, option, phase)
						   : 0;

		for (unsigned i = 0; i < options; i++) {
			if (option[i]->leaves && !option[i]->failed) {
				channel(context, state / XT_PHASES * m->bits + option[i]->bit);
			}
		}
	}
}
