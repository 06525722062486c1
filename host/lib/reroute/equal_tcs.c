/* SPDX-License-Identifier: Apache-2.0 */
#include "equal_tcs.h"

#include "extorus/profiles.h"

/* Whether the routes of two TCs in a table are the same; *candidates: some entry has candidates. */
static bool same_entries(const uint64_t *table, unsigned bits, unsigned a, unsigned b, bool *candidates)
{
	for (unsigned i = 0; i < 1u << bits; i++) {
		const xt_route_t route = xt_entry_route(table[i], a);

		if (!xt_same_route(route, xt_entry_route(table[i], b))) {
			return false;
		}
		*candidates |= route.adaptive_mask != 0;
	}
	return true;
}

static bool same_in_image(const xt_image_t *image, unsigned a, unsigned b, bool *candidates)
{
	const xt_profile_t *p = xt_image_profile(image);

	for (unsigned card = 0; card < xt_image_cards(image); card++) {
		const uint32_t order = xt_image_route_order(image, card);

		if (((order >> a ^ order >> b) & 1) ||
			xt_image_match_mask(image, card, a) != xt_image_match_mask(image, card, b) ||
			!same_entries(xt_image_grt(image, card), p->grt_bits, a, b, candidates) ||
			!same_entries(xt_image_lrt(image, card), p->lrt_bits, a, b, candidates)) {
			return false;
		}
	}
	for (unsigned pe = 0; pe < xt_image_pes(image); pe++) {
		const unsigned tcs = xt_image_pe_tc_mask(image, pe);

		if ((tcs >> a ^ tcs >> b) & 1) {
			return false;
		}
	}
	return true;
}

/* Of the VC in an entry one bit more counts, see xt_image_lookup. No profile has TCs of both kinds yet. */
static bool has_wide_vcs(const xt_profile_t *p, unsigned tc)
{
	return xt_profile_tc_vcs(p, tc) > XT_MAX_RTL_VCS_PER_TC;
}

static bool are_equal(const xt_image_t *before, const xt_image_t *after, unsigned a, unsigned b)
{
	const xt_profile_t *p = xt_image_profile(after);
	const unsigned adaptive = xt_profile_adaptive_tcs(p);
	bool candidates = false;

	return xt_profile_deterministic_vcs(p, a) == xt_profile_deterministic_vcs(p, b) &&
	       has_wide_vcs(p, a) == has_wide_vcs(p, b) && same_in_image(before, a, b, &candidates) &&
	       same_in_image(after, a, b, &candidates) && (!candidates || !((adaptive >> a ^ adaptive >> b) & 1));
}

void xt_equal_tcs_find(const xt_image_t *before, const xt_image_t *after, uint8_t *same_as)
{
	for (unsigned tc = 0; tc < xt_image_profile(after)->tcs; tc++) {
		same_as[tc] = 0;
		while (same_as[tc] < tc && !are_equal(before, after, same_as[tc], tc)) {
			same_as[tc]++;
		}
	}
}
