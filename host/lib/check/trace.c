/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/trace.h"

#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"

static xt_hop_t look_up(const xt_image_t *image, unsigned card, unsigned tc, uint32_t address)
{
	const xt_profile_t *p = xt_image_profile(image);
	xt_hop_t hop = {.card = card,
		.route = xt_image_lookup(image, card, tc, address),
		.place = xt_image_table_place(image, card, tc, address)};

	hop.route.adaptive_mask &= (uint8_t)((1u << p->link_ports) - 1);
	if (!hop.route.valid || !(xt_profile_adaptive_tcs(p) >> tc & 1)) {
		hop.route.adaptive_mask = 0;
	}
	return hop;
}

/* How the route ends with this hop; *next is the card it goes on to, or XT_NO_CARD. */
static xt_walk_t step(const xt_image_t *image, const xt_hop_t *hop, unsigned tc, unsigned dest, uint32_t *next)
{
	const xt_profile_t *p = xt_image_profile(image);

	*next = XT_NO_CARD;
	if (!hop->route.valid) {
		return XT_WALK_ILLEGAL;
	}
	if (hop->route.port >= p->link_ports) {
		return hop->card == xt_image_pe_card(image, dest) &&
				       hop->route.port - p->link_ports == xt_image_pe_unit(image, dest)
			       ? XT_WALK_DELIVERED
			       : XT_WALK_MISDELIVERED;
	}
	if (hop->route.vc >= xt_profile_deterministic_vcs(p, tc)) {
		return XT_WALK_ILLEGAL;
	}
	*next = xt_image_peer(image, hop->card, hop->route.port).card;
	return *next == XT_NO_CARD ? XT_WALK_UNCONNECTED : XT_WALK_DELIVERED;
}

/* `seen` and `stack` have a place per card. */
static int follow_route(const xt_image_t *image, unsigned source, unsigned dest, xt_trace_t *t, uint8_t *seen)
{
	uint32_t card = xt_image_pe_card(image, source), next, address = xt_image_pe_address(image, dest);

	memset(seen, 0, xt_image_cards(image));
	for (;;) {
		xt_hop_t *grown = realloc(t->hop, (t->hops + 1) * sizeof(*t->hop));

		if (!grown) {
			return XT_ERR_NOMEM;
		}
		t->hop = grown;
		t->hop[t->hops] = look_up(image, card, t->tc, address);
		t->how = step(image, &t->hop[t->hops], t->tc, dest, &next);
		t->hops++;
		seen[card] = 1;
		if (next == XT_NO_CARD) {
			return XT_OK;
		}
		if (seen[next]) {
			t->how = XT_WALK_LIVELOCK;
			return XT_OK;
		}
		card = next;
	}
}

static int follow_candidates(
	const xt_image_t *image, unsigned source, unsigned dest, xt_trace_t *t, uint8_t *seen, uint32_t *queue)
{
	uint32_t address = xt_image_pe_address(image, dest);
	unsigned head = 0, tail = 0;

	memset(seen, 0, xt_image_cards(image));
	queue[tail++] = xt_image_pe_card(image, source);
	seen[queue[0]] = 1;
	while (head < tail) {
		uint32_t card = queue[head++];
		unsigned mask = look_up(image, card, t->tc, address).route.adaptive_mask;

		for (; mask; mask &= mask - 1) {
			unsigned port = (unsigned)__builtin_ctz(mask);
			uint32_t next = xt_image_peer(image, card, port).card;
			xt_candidate_t *grown = realloc(t->candidate, (t->candidates + 1) * sizeof(*t->candidate));

			if (!grown) {
				return XT_ERR_NOMEM;
			}
			t->candidate = grown;
			t->candidate[t->candidates++] = (xt_candidate_t){card, (uint8_t)port};
			if (next != XT_NO_CARD && !seen[next]) {
				seen[next] = 1;
				queue[tail++] = next;
			}
		}
	}
	return XT_OK;
}

static int check_pe(const xt_image_t *image, unsigned pe, xt_diag_t *diag)
{
	if (pe >= xt_image_pes(image)) {
		return xt_fail(diag, XT_ERR_RANGE, "there is no PE %u, only 0 to %u", pe, xt_image_pes(image) - 1);
	}
	if (!xt_image_pe_in_service(image, pe)) {
		return xt_fail(diag, XT_ERR_RANGE, "PE %u is out of service: its card %u has failed; name another one",
			pe, xt_image_pe_card(image, pe));
	}
	return XT_OK;
}

int xt_trace_pair(const xt_image_t *image, unsigned source, unsigned dest, xt_trace_set_t *out, xt_diag_t *diag)
{
	uint8_t *seen = NULL;
	uint32_t *queue = NULL;
	int status;

	memset(out, 0, sizeof(*out));
	if ((status = check_pe(image, source, diag)) != XT_OK || (status = check_pe(image, dest, diag)) != XT_OK) {
		return status;
	}
	out->source = source;
	out->dest = dest;
	seen = malloc(xt_image_cards(image));
	queue = malloc(xt_image_cards(image) * sizeof(*queue));
	status = seen && queue ? XT_OK : XT_ERR_NOMEM;
	for (unsigned tc = 0; tc < xt_image_profile(image)->tcs && status == XT_OK; tc++) {
		xt_trace_t *t = &out->trace[out->traces];

		if (!(xt_image_pe_tc_mask(image, source) >> tc & 1)) {
			continue;
		}
		t->tc = tc;
		out->traces++;
		if ((status = follow_route(image, source, dest, t, seen)) == XT_OK) {
			status = follow_candidates(image, source, dest, t, seen, queue);
		}
	}
	free(seen);
	free(queue);
	if (status != XT_OK) {
		xt_trace_free(out);
		return xt_fail(diag, status, "out of memory for the route");
	}
	return XT_OK;
}

void xt_trace_free(xt_trace_set_t *set)
{
	for (unsigned i = 0; i < set->traces; i++) {
		free(set->trace[i].hop);
		free(set->trace[i].candidate);
	}
	set->traces = 0;
}

bool xt_trace_equal(const xt_trace_t *a, const xt_trace_t *b)
{
	bool equal = a->how == b->how && a->hops == b->hops && a->candidates == b->candidates;

	for (unsigned i = 0; equal && i < a->hops; i++) {
		const xt_hop_t *x = &a->hop[i], *y = &b->hop[i];

		equal = x->card == y->card && x->route.valid == y->route.valid && x->route.port == y->route.port &&
			x->route.vc == y->route.vc && x->route.adaptive_mask == y->route.adaptive_mask &&
			x->place.global == y->place.global && x->place.index == y->place.index;
	}
	for (unsigned i = 0; equal && i < a->candidates; i++) {
		equal = a->candidate[i].card == b->candidate[i].card && a->candidate[i].port == b->candidate[i].port;
	}
	return equal;
}
