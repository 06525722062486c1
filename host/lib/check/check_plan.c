/* SPDX-License-Identifier: Apache-2.0
 *
 * Which TCs are alike, so that one walk stands for them, and which destinations go together. */
#include <stdlib.h>
#include <string.h>

#include "check_batch.h"
#include "extorus/profiles.h"

/* What the TCs of an image have in common. */
typedef struct {
	uint64_t fields[XT_MAX_TCS];             /* the bits that are set in some entry, as a field of TC 0 */
	uint64_t differ[XT_MAX_TCS][XT_MAX_TCS]; /* [t][u], t < u: those in which some entry's fields differ */
	bool same_match[XT_MAX_TCS][XT_MAX_TCS], same_sources[XT_MAX_TCS][XT_MAX_TCS];
} comparison_t;

static void compare_entries(const uint64_t *entries, size_t count, comparison_t *out)
{
	enum { FIELD = (1 << XT_ENTRY_TC_BITS) - 1 };
	uint64_t any = 0, beside[XT_MAX_TCS] = {0};

	for (size_t i = 0; i < count; i++) {
		any |= entries[i];
		for (unsigned shift = 1; shift < XT_MAX_TCS; shift++) {
			beside[shift] |= entries[i] ^ entries[i] >> (XT_ENTRY_TC_BITS * shift);
		}
	}
	for (unsigned t = 0; t < XT_MAX_TCS; t++) {
		out->fields[t] |= any >> (XT_ENTRY_TC_BITS * t) & FIELD;
		for (unsigned u = t + 1; u < XT_MAX_TCS; u++) {
			out->differ[t][u] |= beside[u - t] >> (XT_ENTRY_TC_BITS * t) & FIELD;
		}
	}
}

static bool same_match(const checker_t *c, unsigned t, unsigned u)
{
	for (unsigned card = 0; card < c->cards; card++) {
		uint32_t order = xt_image_route_order(c->image, card);

		if ((order >> t & 1) != (order >> u & 1) ||
			xt_image_match_mask(c->image, card, t) != xt_image_match_mask(c->image, card, u)) {
			return false;
		}
	}
	return true;
}

static bool same_sources(const checker_t *c, unsigned t, unsigned u)
{
	for (unsigned pe = 0; pe < c->pes; pe++) {
		unsigned mask = xt_image_pe_tc_mask(c->image, pe);

		if ((mask >> t & 1) != (mask >> u & 1)) {
			return false;
		}
	}
	return true;
}

static void compare_tcs(const checker_t *c, comparison_t *out)
{
	memset(out, 0, sizeof(*out));
	for (unsigned card = 0; card < c->cards; card++) {
		compare_entries(xt_image_grt(c->image, card), (size_t)1 << c->profile->grt_bits, out);
		compare_entries(xt_image_lrt(c->image, card), (size_t)1 << c->profile->lrt_bits, out);
	}
	for (unsigned t = 0; t < c->profile->tcs; t++) {
		for (unsigned u = t + 1; u < c->profile->tcs; u++) {
			out->same_match[t][u] = same_match(c, t, u);
			out->same_sources[t][u] = same_sources(c, t, u);
		}
	}
}

static uint64_t candidate_bits(void)
{
	return xt_entry_with_route(0, 0, (xt_route_t){.adaptive_mask = UINT8_MAX});
}

static bool is_adaptive(const checker_t *c, const comparison_t *compared, unsigned tc)
{
	return (xt_profile_adaptive_tcs(c->profile) >> tc & 1) && (compared->fields[tc] & candidate_bits());
}

/* The deterministic routes are the same. */
static bool same_routes(const comparison_t *compared, unsigned t, unsigned u)
{
	return t == u || (compared->same_match[t][u] && !(compared->differ[t][u] & ~candidate_bits()));
}

/* One walk stands for both. */
static bool alike(const checker_t *c, const comparison_t *compared, unsigned t, unsigned u)
{
	bool adaptive = is_adaptive(c, compared, t);

	return same_routes(compared, t, u) && compared->same_sources[t][u] && adaptive == is_adaptive(c, compared, u) &&
	       !(adaptive && compared->differ[t][u]);
}

/* Every PE in service may send, and those of a card in the same TCs. */
static bool is_regular(const checker_t *c)
{
	for (unsigned pe = 0; pe < c->pes; pe++) {
		unsigned mask = xt_image_pe_tc_mask(c->image, pe);

		if ((mask == 0 && c->in_service[pe]) ||
			mask != xt_image_pe_tc_mask(c->image, pe - xt_image_pe_unit(c->image, pe))) {
			return false;
		}
	}
	return true;
}

/* The TCs that go with `tc` in a group, bit each. */
static unsigned group_of(const checker_t *c, unsigned tc)
{
	unsigned group = 1u << tc, before;

	do {
		before = group;
		for (unsigned pe = 0; pe < c->pes; pe++) {
			unsigned mask = xt_image_pe_tc_mask(c->image, pe);

			group |= mask & group ? mask : 0;
		}
	} while (group != before);
	return group;
}

static void count_sources(const checker_t *c, xt_pass_t *pass)
{
	for (unsigned pe = 0; pe < c->pes; pe++) {
		unsigned mask = xt_image_pe_tc_mask(c->image, pe);
		uint32_t card = xt_image_pe_card(c->image, pe);

		if (mask >> pass->tc & 1) {
			pass->sources[card]++;
			if ((unsigned)__builtin_ctz(mask) == pass->tc) {
				pass->counted[card]++;
			}
		}
	}
}

/* Most cards look at the lower half of an address first. */
static bool is_local_first(const checker_t *c, const xt_group_t *group)
{
	uint64_t cards = 0;

	for (unsigned i = 0; i < group->passes; i++) {
		for (unsigned card = 0; card < c->cards; card++) {
			cards += xt_image_route_order(c->image, card) >> group->pass[i].tc & 1;
		}
	}
	return 2 * cards > (uint64_t)c->cards * group->passes;
}

/* Batches of addresses with the same lower half where that decides on most cards, otherwise of those with
 * the same upper half. */
static int gather_batches(const checker_t *c, xt_group_t *group)
{
	unsigned low = 1u << c->profile->lrt_bits, high = (1u << c->profile->id_bits) / low;
	bool by_low = is_local_first(c, group);
	uint32_t used = 0;

	group->dest = malloc(c->pes * sizeof(*group->dest));
	group->first = malloc((c->pes + 1) * sizeof(*group->first));
	if (!group->dest || !group->first) {
		return XT_ERR_NOMEM;
	}
	for (unsigned i = 0; i < (by_low ? low : high); i++) {
		uint32_t begin = used;

		for (unsigned j = 0; j < (by_low ? high : low); j++) {
			int pe = xt_image_address_pe(c->image, by_low ? j * low + i : i * low + j);

			if (pe < 0 || !c->in_service[pe]) {
				continue;
			}
			if ((used - begin) % XT_BATCH_LANES == 0) {
				group->first[group->batches++] = used;
			}
			group->dest[used++] = (uint32_t)pe;
		}
	}
	group->first[group->batches] = used;
	return XT_OK;
}

static int add_pass(const checker_t *c, const comparison_t *compared, unsigned tc, unsigned tcs, xt_group_t *group)
{
	xt_pass_t *pass = &group->pass[group->passes++];

	*pass = (xt_pass_t){.tc = tc, .alike = 1u << tc, .adaptive = is_adaptive(c, compared, tc), .new_routes = true};
	pass->sources = calloc(c->cards, sizeof(*pass->sources));
	pass->counted = calloc(c->cards, sizeof(*pass->counted));
	if (!pass->sources || !pass->counted) {
		return XT_ERR_NOMEM;
	}
	for (unsigned rest = tcs; rest; rest &= rest - 1) {
		unsigned t = (unsigned)__builtin_ctz(rest);

		if (t > tc && alike(c, compared, tc, t)) {
			pass->alike |= 1u << t;
		}
	}
	for (unsigned i = 0; i + 1 < group->passes; i++) {
		unsigned lower = group->pass[i].tc;

		/* All its sources had the same ways in the lower TC. */
		pass->new_routes &= !(same_routes(compared, lower, tc) && compared->same_sources[lower][tc]);
	}
	count_sources(c, pass);
	return XT_OK;
}

static int add_group(const checker_t *c, const comparison_t *compared, unsigned tcs, xt_plan_t *plan)
{
	xt_group_t *group = &plan->group[plan->count++];
	unsigned done = 0;

	for (unsigned rest = tcs; rest; rest &= rest - 1) {
		unsigned tc = (unsigned)__builtin_ctz(rest);

		if (!(done >> tc & 1)) {
			int status = add_pass(c, compared, tc, tcs, group);

			if (status != XT_OK) {
				return status;
			}
			done |= group->pass[group->passes - 1].alike;
		}
	}
	return gather_batches(c, group);
}

int xt_plan_make(const checker_t *c, xt_plan_t *plan)
{
	comparison_t compared;
	unsigned done = 0;
	int status = XT_OK;

	memset(plan, 0, sizeof(*plan));
	if (!is_regular(c)) {
		return XT_OK;
	}
	compare_tcs(c, &compared);
	for (unsigned tc = 0; tc < c->profile->tcs && status == XT_OK; tc++) {
		if (!(done >> tc & 1)) {
			unsigned tcs = group_of(c, tc);

			status = add_group(c, &compared, tcs, plan);
			done |= tcs;
		}
	}
	return status;
}

void xt_plan_free(xt_plan_t *plan)
{
	for (unsigned i = 0; i < plan->count; i++) {
		xt_group_t *group = &plan->group[i];

		for (unsigned j = 0; j < group->passes; j++) {
			free(group->pass[j].sources);
			free(group->pass[j].counted);
		}
		free(group->dest);
		free(group->first);
	}
}
