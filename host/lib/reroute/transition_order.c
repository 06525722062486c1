/* SPDX-License-Identifier: Apache-2.0
 *
 * An order of rewrites, where not any order is safe. All old dependencies are put into a graph that never gets a
 * cycle. A destination is taken when its new dependencies, and those from old to new, fit into the graph. When the
 * packets by old entries have arrived, its old dependencies go, which may make room for others.
 *
 * If no destination fits, traffic to one destination stops. Its old dependencies go first, and its new ones follow
 * when there is room. In the end there is room, because the dependencies of the new image have no cycle. */
#include <stdlib.h>
#include <string.h>

#include "dependencies.h"
#include "extorus/profiles.h"
#include "transition_internal.h"

enum { FEW_STOPS = 32 };

typedef enum {
	UNCHANGED = 0,
	PENDING,
	TAKEN, /* in the phase at hand */
	STOPPED,
	DONE,
	GONE, /* out of service now; nothing to it is under way any more */
} state_t;

typedef struct {
	xt_old_new_hops_t *m;
	xt_dependencies_t *dependencies;
	unsigned tcs, levels;
	uint8_t *changed;       /* [card * pes + PE]: the entry is rewritten */
	uint8_t *orderable;     /* [PE]: by `level` packets are safe, dependencies apart */
	uint8_t *state;         /* [PE], state_t */
	uint32_t *level;        /* [card * pes + PE], from 1 on: order of its entries */
	uint32_t *height;       /* [PE]: highest level */
	uint8_t *must_not_stop; /* [PE] */
	uint32_t *phase;        /* [PE]: in which its entries are rewritten */
	uint32_t *stop;         /* PEs in the order of their stops */
	uint32_t *stop_phase;   /* likewise: before which */
	unsigned stops, phases;
	bool only_stopped;        /* the last phase */
	uint8_t *stopped;         /* [PE]: traffic to it stops */
	bool more_sources;        /* some PE may use a TC that it could not use before */
	uint8_t *colour, *passed; /* [card]; passed: bit per TC in which packets can come by on new hops */
	uint32_t *stack;
} plan_t;

static void free_plan(plan_t *p)
{
	xt_dependencies_free(p->dependencies);
	free(p->changed);
	free(p->orderable);
	free(p->state);
	free(p->level);
	free(p->height);
	free(p->must_not_stop);
	free(p->phase);
	free(p->stop);
	free(p->stopped);
	free(p->stop_phase);
	free(p->colour);
	free(p->passed);
	free(p->stack);
}

static bool create_plan(plan_t *p, xt_old_new_hops_t *m)
{
	size_t entries = (size_t)m->cards * m->pes;

	*p = (plan_t){.m = m, .tcs = m->profile->tcs};
	p->changed = calloc(entries, 1);
	p->orderable = calloc(m->pes, 1);
	p->state = calloc(m->pes, 1);
	p->level = calloc(entries, sizeof(*p->level));
	p->height = calloc(m->pes, sizeof(*p->height));
	p->must_not_stop = calloc(m->pes, 1);
	p->phase = calloc(m->pes, sizeof(*p->phase));
	p->stop = calloc(m->pes, sizeof(*p->stop));
	p->stopped = calloc(m->pes, 1);
	p->stop_phase = calloc(m->pes, sizeof(*p->stop_phase));
	p->colour = calloc(m->cards, 1);
	p->passed = calloc(m->cards, 1);
	p->stack = calloc(m->cards, sizeof(*p->stack));
	return p->changed && p->orderable && p->state && p->level && p->height && p->must_not_stop && p->phase &&
	       p->stop && p->stopped && p->stop_phase && p->colour && p->passed && p->stack;
}

/* The cards that get packets of `card` by new hops and candidates, of all TCs in which it can have some. */
static unsigned followers(plan_t *p, unsigned dest, uint32_t card, uint32_t *out)
{
	unsigned count = 0;

	for (unsigned tc = 0; tc < p->tcs; tc++) {
		if (p->passed[card] >> tc & 1) {
			uint32_t address = xt_image_pe_address(p->m->after, dest);
			xt_route_t route = xt_image_lookup(p->m->after, card, tc, address);
			unsigned ports = route.port < p->m->profile->link_ports ? 1u << route.port : 0;

			ports |= xt_profile_adaptive_tcs(p->m->profile) >> tc & 1 ? route.adaptive_mask : 0;
			for (uint32_t rest = route.valid ? ports : 0; rest; rest &= rest - 1) {
				unsigned port = (unsigned)__builtin_ctz(rest);
				uint32_t next = xt_image_peer(p->m->after, card, port).card;

				if (next != XT_NO_CARD) {
					out[count++] = next;
				}
			}
		}
	}
	return count;
}

/* The level of an entry is above those of all that a packet can meet after it. False if new hops go round. */
static bool order_entries(plan_t *p, unsigned dest)
{
	uint32_t *level = p->level, next[XT_MAX_TCS * (XT_MAX_LINK_PORTS + 1)];
	size_t pes = p->m->pes;

	memset(p->colour, 0, p->m->cards);
	p->height[dest] = 0;
	for (uint32_t start = 0; start < p->m->cards; start++) {
		unsigned depth = 0;

		if (p->colour[start] == 0) {
			p->stack[depth++] = start;
		}
		while (depth > 0) {
			uint32_t card = p->stack[depth - 1];
			unsigned count = followers(p, dest, card, next), highest = 0;
			bool ready = true;

			p->colour[card] = 1;
			for (unsigned i = 0; i < count && ready; i++) {
				if (p->colour[next[i]] == 1) {
					return false;
				}
				if (p->colour[next[i]] == 0) {
					p->stack[depth++] = next[i];
					ready = false;
				} else if (level[next[i] * pes + dest] > highest) {
					highest = level[next[i] * pes + dest];
				}
			}
			if (ready) {
				p->colour[card] = 2;
				level[card * pes + dest] = highest + p->changed[card * pes + dest];
				p->height[dest] = level[card * pes + dest] > p->height[dest] ? level[card * pes + dest]
											     : p->height[dest];
				depth--;
			}
		}
	}
	return true;
}

/* Whether packets to a destination arrive while its entries are rewritten level by level. */
static bool is_orderable(plan_t *p, unsigned dest)
{
	xt_old_new_hops_t *m = p->m;
	bool serves = xt_image_pe_in_service(m->before, dest) && xt_image_pe_in_service(m->after, dest);

	memset(p->passed, 0, m->cards);
	for (unsigned tc = 0; tc < p->tcs; tc++) {
		bool exposed = false;

		if (m->same_as[tc] != tc) {
			continue;
		}
		xt_old_new_hops_select(m, tc, dest);
		xt_old_new_hops_walk(m, XT_MIX_OLD);
		for (uint32_t card = 0; card < m->cards; card++) {
			p->colour[card] = m->lossy[card * XT_PHASES + XT_PHASE_OLD];
		}
		xt_old_new_hops_walk(m, XT_MIX_ORDERED);
		for (unsigned source = 0; source < m->pes; source++) {
			uint32_t card = xt_image_pe_card(m->after, source);

			exposed |= source != dest && xt_image_pe_in_service(m->after, source) &&
				   (xt_image_pe_tc_mask(m->before, source) >> tc & 1) &&
				   m->lossy[card * XT_PHASES + XT_PHASE_OLD] && !p->colour[card];
		}
		if (m->loop_length || (serves && (m->undelivered || exposed))) {
			return false;
		}
		for (uint32_t card = 0; card < m->cards; card++) {
			const xt_place_t *place = xt_old_new_hops_place(m, card);

			/* In the old phase it may meet the new entry, too. */
			p->passed[card] |=
				(uint8_t)((m->reach[card * XT_PHASES + XT_PHASE_NEW] ||
						  (m->reach[card * XT_PHASES + XT_PHASE_OLD] && place->options > 1))
					  << tc);
		}
	}
	return order_entries(p, dest);
}

/* Those of TCs below `end`; of TCs with the same routes the lowest one stands for all. */
static void remove_routes(plan_t *p, unsigned end, unsigned dest, xt_mix_t mix)
{
	for (unsigned tc = 0; tc < end; tc++) {
		if (p->m->same_as[tc] == tc) {
			xt_dependencies_remove_routes(p->dependencies, p->m, tc, dest, mix);
		}
	}
}

static bool add_routes(plan_t *p, unsigned dest, xt_mix_t mix)
{
	if (xt_dependencies_blocked(p->dependencies, dest, mix)) {
		return false;
	}
	for (unsigned tc = 0; tc < p->tcs; tc++) {
		if (p->m->same_as[tc] == tc && !xt_dependencies_add_routes(p->dependencies, p->m, tc, dest, mix)) {
			remove_routes(p, tc, dest, mix);
			return false;
		}
	}
	return true;
}

/* The phase of what was taken: a new one, or the one before if both only have destinations to which traffic has
 * stopped. */
static uint32_t phase_of(plan_t *p, bool only_stopped)
{
	if (!(only_stopped && p->only_stopped)) {
		p->phases++;
	}
	p->only_stopped = only_stopped;
	return p->phases - 1;
}

/* Takes what goes on together; returns how many. */
static unsigned take_phase(plan_t *p)
{
	unsigned taken = 0, ordered = 0;
	uint32_t phase;

	for (unsigned dest = 0; dest < p->m->pes; dest++) {
		bool stopped = p->state[dest] == STOPPED, pending = p->state[dest] == PENDING && p->orderable[dest];

		if ((pending && add_routes(p, dest, XT_MIX_ORDERED)) || (stopped && add_routes(p, dest, XT_MIX_NEW))) {
			p->state[dest] = TAKEN;
			p->stopped[dest] = stopped;
			ordered += pending;
			taken++;
		}
	}
	if (taken == 0) {
		return 0;
	}
	phase = phase_of(p, ordered == 0);
	for (unsigned dest = 0; dest < p->m->pes; dest++) {
		if (p->state[dest] != TAKEN) {
			continue;
		}
		if (!p->stopped[dest]) {
			remove_routes(p, p->tcs, dest, XT_MIX_ORDERED);
			remove_routes(p, p->tcs, dest, XT_MIX_OLD);
			add_routes(p, dest, XT_MIX_NEW);
		}
		p->state[dest] = DONE;
		p->phase[dest] = phase;
	}
	for (unsigned i = 0; i < p->stops; i++) {
		p->stop_phase[i] = p->stop_phase[i] > phase ? phase : p->stop_phase[i];
	}
	return taken;
}

static void stop_traffic(plan_t *p, unsigned dest, state_t state)
{
	remove_routes(p, p->tcs, dest, XT_MIX_OLD);
	p->state[dest] = (uint8_t)state;
	p->stop[p->stops] = dest;
	p->stop_phase[p->stops++] = p->phases;
}

/* To what is out of service, or else to all that cannot be ordered in any case, or else to the first of the others.
 * False if there is none. */
static bool stop_some(plan_t *p)
{
	unsigned first = p->m->pes, until = p->stops;

	for (unsigned dest = 0; dest < p->m->pes; dest++) {
		if (p->state[dest] == UNCHANGED && !p->must_not_stop[dest] &&
			xt_image_pe_in_service(p->m->before, dest) && !xt_image_pe_in_service(p->m->after, dest)) {
			stop_traffic(p, dest, GONE);
		}
	}
	if (p->stops > until) {
		return true;
	}
	for (unsigned dest = 0; dest < p->m->pes; dest++) {
		if (p->state[dest] == PENDING && !p->must_not_stop[dest]) {
			first = first == p->m->pes ? dest : first;
			if (!p->orderable[dest]) {
				stop_traffic(p, dest, STOPPED);
			}
		}
	}
	if (p->stops == until && first < p->m->pes) {
		stop_traffic(p, first, STOPPED);
	}
	return p->stops > until;
}

typedef enum {
	PLAN_FOUND,
	PLAN_NONE, /* not without stopping one that must not */
	PLAN_OLD_UNSAFE,
	PLAN_NO_MEMORY,
} plan_result_t;

/* The whole plan, from the beginning. */
static plan_result_t make_plan(plan_t *p)
{
	unsigned open = 0;

	xt_dependencies_free(p->dependencies);
	p->dependencies = xt_dependencies_create(p->m->after);
	if (!p->dependencies) {
		return PLAN_NO_MEMORY;
	}
	p->stops = p->phases = 0;
	p->only_stopped = false;
	memset(p->stopped, 0, p->m->pes);
	for (unsigned dest = 0; dest < p->m->pes; dest++) {
		p->state[dest] = p->height[dest] || !p->orderable[dest] || p->more_sources ? PENDING : UNCHANGED;
		open += p->state[dest] == PENDING;
		if (!add_routes(p, dest, XT_MIX_OLD)) {
			return PLAN_OLD_UNSAFE;
		}
	}
	while (open > 0) {
		unsigned taken = take_phase(p);

		open -= taken;
		if (taken == 0 && !stop_some(p)) {
			return PLAN_NONE;
		}
	}
	return PLAN_FOUND;
}

/* Leaves out stops that are not needed. */
static plan_result_t make_least_plan(plan_t *p)
{
	plan_result_t result = make_plan(p);
	uint32_t tried[FEW_STOPS];
	unsigned count = p->stops;

	if (result != PLAN_FOUND || count == 0 || count > FEW_STOPS) {
		return result;
	}
	memcpy(tried, p->stop, count * sizeof(*tried));
	/* Only these may stop, and one less each time that a plan is found without. */
	memset(p->must_not_stop, 1, p->m->pes);
	for (unsigned i = 0; i < count; i++) {
		p->must_not_stop[tried[i]] = 0;
	}
	for (unsigned i = 0; i < count; i++) {
		p->must_not_stop[tried[i]] = 1;
		result = p->orderable[tried[i]] ? make_plan(p) : PLAN_NONE;
		if (result == PLAN_NO_MEMORY) {
			return result;
		}
		p->must_not_stop[tried[i]] = result == PLAN_FOUND;
	}
	return make_plan(p);
}

static int write_phases(plan_t *p, xt_transition_t *t, xt_diag_t *diag)
{
	uint32_t step = 1;

	for (unsigned phase = 0; phase < p->phases; phase++) {
		xt_transition_phase_t *out = xt_add_phase(t);

		if (!out || !(out->stopped = calloc(p->m->pes, sizeof(*out->stopped)))) {
			return xt_fail(diag, XT_ERR_NOMEM, "out of memory for the order of rewrites");
		}
		out->first_step = step;
		out->steps = 1;
		for (unsigned dest = 0; dest < p->m->pes; dest++) {
			if (p->state[dest] != DONE || p->phase[dest] != phase) {
				continue;
			}
			out->destinations++;
			if (p->stopped[dest]) {
				for (unsigned card = 0; card < p->m->cards; card++) {
					p->level[(size_t)card * p->m->pes + dest] = 1;
				}
			} else if (p->height[dest] > out->steps) {
				out->steps = p->height[dest];
			}
		}
		for (unsigned i = 0; i < p->stops; i++) {
			if (p->stop_phase[i] == phase) {
				out->stopped[out->stops++] = p->stop[i];
			}
		}
		step += out->steps;
		t->stops += out->stops;
	}
	t->how = t->stops ? XT_TRANSITION_DRAIN : XT_TRANSITION_ORDERED;
	for (size_t i = 0; i < t->rewrites; i++) {
		xt_rewrite_t *r = &t->rewrite[i];
		int dest = r->word == XT_WORD_LRT ? xt_image_address_pe(p->m->after, r->index) : -1;
		xt_transition_phase_t *of = &t->phase[dest >= 0 ? p->phase[dest] : 0];

		r->step = of->first_step + (dest >= 0 ? p->level[(size_t)r->card * p->m->pes + (unsigned)dest] - 1 : 0);
		of->rewrites++;
	}
	return XT_OK;
}

/* All traffic stops, and then any order will do. */
static int stop_everything(const xt_old_new_hops_t *m, xt_transition_t *t, xt_diag_t *diag)
{
	xt_transition_phase_t *phase = xt_add_phase(t);

	if (!phase || !(phase->stopped = calloc(m->pes, sizeof(*phase->stopped)))) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for the order of rewrites");
	}
	for (unsigned pe = 0; pe < m->pes; pe++) {
		if (xt_image_pe_in_service(m->before, pe) || xt_image_pe_in_service(m->after, pe)) {
			phase->stopped[phase->stops++] = pe;
		}
	}
	phase->first_step = phase->steps = 1;
	phase->rewrites = t->rewrites;
	phase->destinations = t->destinations;
	t->stops = phase->stops;
	t->stops_all = true;
	t->how = XT_TRANSITION_DRAIN;
	return XT_OK;
}

/* Each word that decides a route serves one destination. */
static bool is_separable(const xt_old_new_hops_t *m, const xt_transition_t *t)
{
	if (xt_image_last_address(m->after) >> m->profile->lrt_bits) {
		return false;
	}
	for (size_t i = 0; i < t->rewrites; i++) {
		xt_word_t word = t->rewrite[i].word;

		if (word == XT_WORD_RING || word == XT_WORD_VC_RING_FROM ||
			(word == XT_WORD_LRT && xt_image_address_pe(m->after, t->rewrite[i].index) < 0)) {
			return false;
		}
	}
	return true;
}

int xt_transition_order(xt_old_new_hops_t *m, xt_transition_t *t, xt_diag_t *diag)
{
	plan_result_t result;
	plan_t p;
	int status;

	if (!is_separable(m, t)) {
		return stop_everything(m, t, diag);
	}
	result = create_plan(&p, m) ? PLAN_FOUND : PLAN_NO_MEMORY;
	for (size_t i = 0; result == PLAN_FOUND && i < t->rewrites; i++) {
		if (t->rewrite[i].word == XT_WORD_LRT) {
			int dest = xt_image_address_pe(m->after, t->rewrite[i].index);

			p.changed[(size_t)t->rewrite[i].card * m->pes + (unsigned)dest] = 1;
		}
	}
	for (unsigned pe = 0; result == PLAN_FOUND && pe < m->pes; pe++) {
		p.more_sources |= (xt_image_pe_tc_mask(m->after, pe) & ~xt_image_pe_tc_mask(m->before, pe)) != 0;
		p.orderable[pe] = 1;
	}
	for (size_t i = 0; result == PLAN_FOUND && i < t->rewrites; i++) {
		if (t->rewrite[i].word == XT_WORD_LRT) {
			p.orderable[xt_image_address_pe(m->after, t->rewrite[i].index)] = 0;
		}
	}
	for (unsigned pe = 0; result == PLAN_FOUND && pe < m->pes; pe++) {
		p.orderable[pe] = (p.orderable[pe] && !p.more_sources) || is_orderable(&p, pe);
	}
	result = result == PLAN_FOUND ? make_least_plan(&p) : result;
	switch (result) {
	case PLAN_FOUND:
		status = p.phases ? write_phases(&p, t, diag) : stop_everything(m, t, diag);
		break;
	case PLAN_NO_MEMORY:
		status = xt_fail(diag, XT_ERR_NOMEM, "out of memory for the order of rewrites");
		break;
	default:
		status = stop_everything(m, t, diag);
		break;
	}
	free_plan(&p);
	return status;
}
