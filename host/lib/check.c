/* SPDX-License-Identifier: Apache-2.0
 *
 * For one TC and destination the next hop depends on the card only, so the routes of all sources form
 * a graph with one way out of every card: each card is looked up once, and a walk ends where an
 * earlier one has been. */
#include "check_internal.h"

#include <stdlib.h>
#include <string.h>

#include "profiles.h"

static const char *const walk_names[] = {
	[XT_WALK_DELIVERED] = "delivered",
	[XT_WALK_LIVELOCK] = "livelock",
	[XT_WALK_MISDELIVERED] = "misdelivered",
	[XT_WALK_ILLEGAL] = "illegal route",
	[XT_WALK_UNCONNECTED] = "unconnected port",
};

const char *xt_walk_name(xt_walk_t how)
{
	return walk_names[how];
}

/* Distances over the wiring to one card. */
static void measure_distances(checker_t *c, uint32_t dest)
{
	uint32_t *queue = c->path;
	unsigned head = 0, tail = 0;

	memset(c->distance, 0xff, c->cards * sizeof(*c->distance));
	c->distance[dest] = 0;
	queue[tail++] = dest;
	while (head < tail) {
		uint32_t card = queue[head++];

		for (unsigned port = 0; port < c->profile->link_ports; port++) {
			uint32_t sender = c->sender[(size_t)card * c->profile->link_ports + port];

			if (sender != XT_NO_CARD && c->distance[sender] == UINT32_MAX) {
				c->distance[sender] = c->distance[card] + 1;
				queue[tail++] = sender;
			}
		}
	}
}

/* Takes one step from a card that was not met before. */
static void take_step(checker_t *c, uint32_t card, unsigned tc, unsigned dest)
{
	step_t *s = &c->step[card];
	xt_route_t route = xt_image_lookup(c->image, card, tc, xt_image_pe_address(c->image, dest));
	unsigned pes_per_card = c->pes / c->cards;

	memset(s, 0, sizeof(*s));
	s->next = XT_NO_CARD;
	s->end = card;
	s->progress = ENDED;
	if (!route.valid) {
		s->how = XT_WALK_ILLEGAL;
	} else if (route.port >= c->profile->link_ports) {
		bool right = card == xt_image_pe_card(c->image, dest) &&
			     route.port - c->profile->link_ports == dest % pes_per_card;

		s->how = right ? XT_WALK_DELIVERED : XT_WALK_MISDELIVERED;
	} else if (route.vc >= xt_profile_deterministic_vcs(c->profile, tc)) {
		s->how = XT_WALK_ILLEGAL;
	} else {
		s->next = xt_image_peer(c->image, card, route.port).card;
		if (s->next == XT_NO_CARD) {
			s->how = XT_WALK_UNCONNECTED;
		} else {
			s->progress = ON_PATH;
			s->has_channel = 1;
			s->bit = (uint8_t)xt_channel_bit(route.port, route.vc);
			c->result->used[tc][card] |= 1u << s->bit;
		}
	}
}

void xt_check_walk(checker_t *c, uint32_t card, unsigned tc, unsigned dest)
{
	unsigned length = 0;
	uint32_t at = card;
	const step_t *last;
	bool loop;

	while (c->step[at].progress == UNKNOWN) {
		take_step(c, at, tc, dest);
		if (c->step[at].progress == ENDED) {
			break;
		}
		c->path[length++] = at;
		at = c->step[at].next;
	}
	last = &c->step[at];
	loop = last->progress == ON_PATH;
	while (length-- > 0) {
		step_t *s = &c->step[c->path[length]];
		const step_t *next = &c->step[s->next];

		if (next->has_channel) {
			c->result->successors[tc][(size_t)c->path[length] * c->bits + s->bit] |= 1u << next->bit;
		}
		s->how = loop ? XT_WALK_LIVELOCK : last->how;
		s->end = loop ? at : last->end;
		s->hops = next->progress == ENDED ? next->hops + 1 : 1;
		s->progress = ENDED;
	}
}

static void note_failure(checker_t *c, xt_walk_t how, unsigned tc, unsigned source, unsigned dest, uint32_t card)
{
	if (c->pair_how[source] == XT_WALK_DELIVERED) {
		c->pair_how[source] = (uint8_t)how;
	}
	if (c->result->failure.how == XT_WALK_DELIVERED) {
		c->result->failure.how = how;
		c->result->failure.tc = tc;
		c->result->failure.source = source;
		c->result->failure.dest = dest;
		c->result->failure.card = card;
	}
}

static void walk_all_sources(checker_t *c, unsigned tc, unsigned dest)
{
	memset(c->step, 0, c->cards * sizeof(*c->step));
	for (unsigned source = 0; source < c->pes; source++) {
		uint32_t card = xt_image_pe_card(c->image, source);
		const step_t *s = &c->step[card];

		if (!(xt_image_pe_tc_mask(c->image, source) >> tc & 1) || source == dest) {
			continue;
		}
		if (s->progress == UNKNOWN) {
			xt_check_walk(c, card, tc, dest);
		}
		if (s->how != XT_WALK_DELIVERED) {
			note_failure(c, (xt_walk_t)s->how, tc, source, dest, s->end);
			continue;
		}
		if (c->pair_hops[source] == UINT32_MAX) {
			c->pair_hops[source] = s->hops;
		}
		c->pair_longer[source] |= s->hops > c->distance[card];
		c->result->max_hops = s->hops > c->result->max_hops ? s->hops : c->result->max_hops;
	}
}

static void count_pairs(checker_t *c, unsigned dest)
{
	xt_check_t *r = c->result;

	for (unsigned source = 0; source < c->pes; source++) {
		if (source == dest || !c->in_service[source]) {
			continue;
		}
		r->pairs++;
		if (xt_image_pe_tc_mask(c->image, source) == 0) {
			note_failure(c, XT_WALK_ILLEGAL, 0, source, dest, xt_image_pe_card(c->image, source));
		}
		switch ((xt_walk_t)c->pair_how[source]) {
		case XT_WALK_DELIVERED:
			c->total_hops += c->pair_hops[source];
			r->non_minimal += c->pair_longer[source];
			continue;
		case XT_WALK_LIVELOCK:
			r->livelock++;
			break;
		case XT_WALK_MISDELIVERED:
			r->misdelivered++;
			break;
		case XT_WALK_ILLEGAL:
			r->illegal++;
			break;
		case XT_WALK_UNCONNECTED:
			r->unconnected++;
			break;
		}
		r->unreachable++;
	}
}

static void check_destination(checker_t *c, unsigned dest)
{
	memset(c->pair_hops, 0xff, c->pes * sizeof(*c->pair_hops));
	memset(c->pair_how, XT_WALK_DELIVERED, c->pes);
	memset(c->pair_longer, 0, c->pes);
	measure_distances(c, xt_image_pe_card(c->image, dest));
	for (unsigned tc = 0; tc < c->profile->tcs; tc++) {
		walk_all_sources(c, tc, dest);
		if (c->reach && (xt_profile_adaptive_tcs(c->profile) >> tc & 1)) {
			xt_check_candidates(c, tc, dest);
		}
	}
	count_pairs(c, dest);
}

/* A one-way link has a port that only sends and one that only receives. */
static bool find_senders(checker_t *c)
{
	unsigned ports = c->profile->link_ports;

	c->sender = malloc((size_t)c->cards * ports * sizeof(*c->sender));
	if (!c->sender) {
		return false;
	}
	memset(c->sender, 0xff, (size_t)c->cards * ports * sizeof(*c->sender));
	for (uint32_t card = 0; card < c->cards; card++) {
		for (unsigned port = 0; port < ports; port++) {
			xt_peer_t peer = xt_image_peer(c->image, card, port);

			if (peer.card != XT_NO_CARD) {
				c->sender[(size_t)peer.card * ports + peer.port] = card;
			}
		}
	}
	return true;
}

static int allocate(checker_t *c)
{
	xt_check_t *r = calloc(1, sizeof(*r));

	if (!r) {
		return XT_ERR_NOMEM;
	}
	c->result = r;
	r->tcs = c->profile->tcs;
	for (unsigned tc = 0; tc < r->tcs; tc++) {
		r->used[tc] = calloc(c->cards, sizeof(*r->used[tc]));
		r->successors[tc] = calloc((size_t)c->cards * c->bits, sizeof(*r->successors[tc]));
		if (!r->used[tc] || !r->successors[tc]) {
			return XT_ERR_NOMEM;
		}
	}
	c->step = calloc(c->cards, sizeof(*c->step));
	c->path = calloc(c->cards, sizeof(*c->path));
	c->distance = calloc(c->cards, sizeof(*c->distance));
	c->pair_hops = calloc(c->pes, sizeof(*c->pair_hops));
	c->pair_how = calloc(c->pes, 1);
	c->pair_longer = calloc(c->pes, 1);
	c->in_service = calloc(c->pes, 1);
	if (xt_image_is_adaptive(c->image)) {
		c->reach = xt_check_reach_new(c->cards);
		if (!c->reach) {
			return XT_ERR_NOMEM;
		}
	}
	return find_senders(c) && c->step && c->path && c->distance && c->pair_hops && c->pair_how && c->pair_longer &&
			       c->in_service
		       ? XT_OK
		       : XT_ERR_NOMEM;
}

int xt_check_image(const xt_image_t *image, xt_check_t **out, xt_diag_t *diag)
{
	return xt_check_image_progress(image, NULL, NULL, out, diag);
}

int xt_check_image_progress(const xt_image_t *image, void (*progress)(void *context, uint64_t done, uint64_t total),
	void *context, xt_check_t **out, xt_diag_t *diag)
{
	checker_t c = {.image = image, .profile = xt_image_profile(image)};
	int status;

	*out = NULL;
	c.cards = xt_image_cards(image);
	c.pes = xt_image_pes(image);
	c.bits = c.profile->link_ports * XT_MAX_VCS_PER_TC;
	status = allocate(&c);
	if (status == XT_OK) {
		for (unsigned pe = 0; pe < c.pes; pe++) {
			c.in_service[pe] = xt_image_pe_in_service(image, pe) != 0;
			c.result->out_of_service += !c.in_service[pe];
		}
		for (unsigned dest = 0; dest < c.pes; dest++) {
			if (c.in_service[dest]) {
				check_destination(&c, dest);
			}
			if (progress) {
				progress(context, dest + 1, c.pes);
			}
		}
		if (c.result->pairs > c.result->unreachable) {
			c.result->mean_hops = (double)c.total_hops / (double)(c.result->pairs - c.result->unreachable);
		}
		status = xt_check_find_cycles(&c);
	}
	free(c.step);
	free(c.path);
	free(c.distance);
	free(c.sender);
	free(c.pair_hops);
	free(c.pair_how);
	free(c.pair_longer);
	free(c.in_service);
	xt_check_reach_free(c.reach);
	if (status != XT_OK) {
		xt_check_free(c.result);
		return xt_fail(diag, status, "out of memory for the check of %u cards", c.cards);
	}
	*out = c.result;
	return XT_OK;
}

void xt_check_free(xt_check_t *check)
{
	if (!check) {
		return;
	}
	for (unsigned tc = 0; tc < XT_MAX_TCS; tc++) {
		free(check->cycle[tc]);
		free(check->used[tc]);
		free(check->successors[tc]);
	}
	free(check);
}

bool xt_check_passed(const xt_check_t *check)
{
	return check->unreachable == 0 && check->adaptive_faults == 0 && check->ring_merges == 0 &&
	       check->cyclic_tcs == 0;
}

static int adaptive_verdict(const xt_image_t *image, const xt_check_t *check, xt_diag_t *diag)
{
	const xt_adaptive_failure_t *f = &check->adaptive_failure;
	unsigned long long faults = check->adaptive_faults;

	switch (f->how) {
	case XT_ADAPTIVE_UNCONNECTED:
		return xt_fail(diag, XT_ERR_UNSAFE,
			"%llu faults of adaptive candidates, first: TC %u to PE %u: on card %u the mask names port %u, "
			"which leads nowhere",
			faults, f->tc, f->dest, f->card, f->port);
	case XT_ADAPTIVE_LIVELOCK:
		return xt_fail(diag, XT_ERR_UNSAFE,
			"%llu faults of adaptive candidates, first: TC %u to PE %u: livelock, packets can go round by "
			"candidates, through card %u %s",
			faults, f->tc, f->dest, f->card, xt_image_port_name(image, f->card, f->port));
	default:
		return xt_fail(diag, XT_ERR_UNSAFE,
			"%llu faults of adaptive candidates, first: TC %u to PE %u: no escape from card %u, to which "
			"candidates lead: %s at card %u",
			faults, f->tc, f->dest, f->card, xt_walk_name(f->escape), f->escape_card);
	}
}

int xt_check_verdict(const xt_image_t *image, const xt_check_t *check, xt_diag_t *diag)
{
	if (check->unreachable != 0) {
		return xt_fail(diag, XT_ERR_UNSAFE,
			"%llu of %llu pairs are not reached, first: TC %u, PE %u to PE %u: %s at card %u",
			(unsigned long long)check->unreachable, (unsigned long long)check->pairs, check->failure.tc,
			check->failure.source, check->failure.dest, xt_walk_name(check->failure.how),
			check->failure.card);
	}
	if (check->adaptive_faults != 0) {
		return adaptive_verdict(image, check, diag);
	}
	if (check->ring_merges != 0) {
		const xt_channel_t *c = &check->ring_merge;

		return xt_fail(diag, XT_ERR_UNSAFE,
			"TC %u can deadlock: %llu channels continue more than one ring, so that packets enter without "
			"room for two, first: card %u %s VC %u",
			c->tc, (unsigned long long)check->ring_merges, (unsigned)c->card,
			xt_image_port_name(image, c->card, c->port), c->vc);
	}
	for (unsigned tc = 0; tc < check->tcs; tc++) {
		if (check->cyclic_tcs >> tc & 1) {
			const xt_channel_t *c = &check->cycle[tc][0];

			return xt_fail(diag, XT_ERR_UNSAFE,
				"TC %u can deadlock: its %s dependencies have a cycle of %zu links, one of them "
				"card %u %s VC %u",
				tc, check->adaptive_tcs >> tc & 1 ? "escape channel" : "channel",
				check->cycle_length[tc], (unsigned)c->card, xt_image_port_name(image, c->card, c->port),
				c->vc);
		}
	}
	return XT_OK;
}

void xt_check_print_cycles(const xt_image_t *image, const xt_check_t *check, FILE *out)
{
	for (unsigned tc = 0; tc < check->tcs; tc++) {
		if (check->cycle_length[tc] == 0) {
			continue;
		}
		fprintf(out, "TC %u: cycle of %zu channels, each waits for the next and the last for the first:\n", tc,
			check->cycle_length[tc]);
		for (size_t i = 0; i < check->cycle_length[tc]; i++) {
			const xt_channel_t *c = &check->cycle[tc][i];
			xt_peer_t peer = xt_image_peer(image, c->card, c->port);

			fprintf(out, "  card %u %s -> card %u %s, VC %u\n", (unsigned)c->card,
				xt_image_port_name(image, c->card, c->port), (unsigned)peer.card,
				xt_image_port_name(image, peer.card, peer.port), c->vc);
		}
	}
}
