/* SPDX-License-Identifier: Apache-2.0
 *
 * Which TCs are alike, so that one walk stands for them, and which destinations go together. */
#include <stdlib.h>
#include <string.h>

#include "check_batch.h"
#include "profiles.h"

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

/* Each pair must be counted with one TC, so all TCs of a PE must have the same routes. */
static bool can_count(const checker_t *c, const comparison_t *compared)
{
	for (unsigned pe = 0; pe < c->pes; pe++) {
		unsigned mask = xt_image_pe_tc_mask(c->image, pe), lowest = mask ? (unsigned)__builtin_ctz(mask) : 0;

		if (!mask && c->in_service[pe]) {
			return false;
		}
		for (unsigned rest = mask; rest; rest &= rest - 1) {
			if (!same_routes(compared, lowest, (unsigned)__builtin_ctz(rest))) {
				return false;
			}
		}
	}
	return true;
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
				pass->counts = true;
			}
		}
	}
}

/* Most cards look at the lower half of an address first. */
static bool is_local_first(const checker_t *c, unsigned tc)
{
	unsigned cards = 0;

	for (unsigned card = 0; card < c->cards; card++) {
		cards += xt_image_route_order(c->image, card) >> tc & 1;
	}
	return cards > c->cards / 2;
}

/* Batches of addresses with the same lower half where that decides on most cards, otherwise of those with
 * the same upper half. */
static void gather_batches(const checker_t *c, xt_pass_t *pass)
{
	unsigned low = 1u << c->profile->lrt_bits, high = (1u << c->profile->id_bits) / low;
	bool by_low = is_local_first(c, pass->tc);
	uint32_t used = 0;

	for (unsigned i = 0; i < (by_low ? low : high); i++) {
		uint32_t begin = used;

		for (unsigned j = 0; j < (by_low ? high : low); j++) {
			int pe = xt_image_address_pe(c->image, by_low ? j * low + i : i * low + j);

			if (pe < 0 || !c->in_service[pe]) {
				continue;
			}
			if ((used - begin) % XT_BATCH_LANES == 0) {
				pass->first[pass->batches++] = used;
			}
			pass->dest[used++] = (uint32_t)pe;
		}
	}
	pass->first[pass->batches] = used;
}

static int plan_pass(const checker_t *c, xt_pass_t *pass)
{
	pass->sources = calloc(c->cards, sizeof(*pass->sources));
	pass->counted = calloc(c->cards, sizeof(*pass->counted));
	pass->dest = malloc(c->pes * sizeof(*pass->dest));
	pass->first = malloc((c->pes + 1) * sizeof(*pass->first));
	if (!pass->sources || !pass->counted || !pass->dest || !pass->first) {
		return XT_ERR_NOMEM;
	}
	count_sources(c, pass);
	gather_batches(c, pass);
	return XT_OK;
}

int xt_passes_plan(const checker_t *c, xt_passes_t *passes)
{
	comparison_t compared;
	unsigned done = 0;
	int status = XT_OK;

	memset(passes, 0, sizeof(*passes));
	compare_tcs(c, &compared);
	if (!can_count(c, &compared)) {
		return XT_OK;
	}
	for (unsigned t = 0; t < c->profile->tcs && status == XT_OK; t++) {
		xt_pass_t *pass = &passes->pass[passes->count];

		if (done >> t & 1) {
			continue;
		}
		*pass = (xt_pass_t){.tc = t, .alike = 1u << t, .adaptive = is_adaptive(c, &compared, t)};
		for (unsigned u = t + 1; u < c->profile->tcs; u++) {
			pass->alike |= alike(c, &compared, t, u) ? 1u << u : 0;
		}
		done |= pass->alike;
		passes->count++;
		status = plan_pass(c, pass);
	}
	return status;
}

void xt_passes_free(xt_passes_t *passes)
{
	for (unsigned i = 0; i < passes->count; i++) {
		free(passes->pass[i].sources);
		free(passes->pass[i].counted);
		free(passes->pass[i].dest);
		free(passes->pass[i].first);
	}
}
