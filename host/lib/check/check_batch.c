/* SPDX-License-Identifier: Apache-2.0
 *
 * A GRT entry serves all destinations of one upper half of an address, an LRT entry all of one lower half.
 * Destinations that have a half in common therefore meet the same entry on nearly all cards, the shared
 * ones: these are walked once for a batch of them. Only the others, the private cards, are walked for
 * each destination, a lane of the batch. The hops from shared cards then follow for all lanes at once.
 *
 * This way only says that all is well with a destination, and counts. What it can not settle, it leaves
 * to xt_check_destination: walks that fail, and those that go from private cards back to shared ones. */
#include "check_batch.h"

#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"

enum {
	LANES = XT_BATCH_LANES,
	FAR = 0x7000,    /* hops of a card that no walk comes by */
	LONGEST = 0x1000 /* longer ways are left to xt_check_destination, so that sums of three stay below FAR */
};

typedef struct {
	int16_t lane[LANES];
} row_t;

struct xt_check_batch {
	row_t *hops, *distance, *longest; /* [card] */
	row_t *longer;                    /* [card]: not 0 where the way in some TC of the group is not minimal */
	uint32_t *private_card;           /* [card] */
	unsigned privates;
	uint64_t *private_bits; /* [card]: the channels by which packets go on from a private card */
	step_t *private_step;   /* [card]: of one lane */
};

xt_check_batch_t *xt_check_batch_new(unsigned cards)
{
	xt_check_batch_t *batch = calloc(1, sizeof(*batch));

	if (batch) {
		batch->hops = malloc(cards * sizeof(*batch->hops));
		batch->distance = malloc(cards * sizeof(*batch->distance));
		batch->longest = malloc(cards * sizeof(*batch->longest));
		batch->longer = malloc(cards * sizeof(*batch->longer));
		batch->private_card = malloc(cards * sizeof(*batch->private_card));
		batch->private_bits = malloc(cards * sizeof(*batch->private_bits));
		batch->private_step = malloc(cards * sizeof(*batch->private_step));
	}
	if (!batch || !batch->hops || !batch->distance || !batch->longest || !batch->longer || !batch->private_card ||
		!batch->private_bits || !batch->private_step) {
		xt_check_batch_free(batch);
		return NULL;
	}
	return batch;
}

void xt_check_batch_free(xt_check_batch_t *batch)
{
	if (batch) {
		free(batch->hops);
		free(batch->distance);
		free(batch->longest);
		free(batch->longer);
		free(batch->private_card);
		free(batch->private_bits);
		free(batch->private_step);
		free(batch);
	}
}

static void fill_row(row_t *row, int value)
{
	for (unsigned lane = 0; lane < LANES; lane++) {
		row->lane[lane] = (int16_t)value;
	}
}

/* Sorts the cards. Those of the destinations are private whatever their tables say. */
static void part_cards(checker_t *c, const xt_pass_t *pass, const uint32_t *dests, unsigned lanes)
{
	uint32_t first = xt_image_pe_address(c->image, dests[0]), varying = 0;
	xt_check_batch_t *b = c->batch;

	for (unsigned lane = 1; lane < lanes; lane++) {
		varying |= first ^ xt_image_pe_address(c->image, dests[lane]);
	}
	for (unsigned card = 0; card < c->cards; card++) {
		c->part[card] = xt_image_shares_entry(c->image, card, pass->tc, first, varying) ? 0 : PRIVATE;
	}
	for (unsigned lane = 0; lane < lanes; lane++) {
		c->part[xt_image_pe_card(c->image, dests[lane])] = PRIVATE;
	}
	b->privates = 0;
	for (unsigned card = 0; card < c->cards; card++) {
		if (c->part[card]) {
			b->private_card[b->privates++] = card;
			b->private_bits[card] = 0;
			fill_row(&b->hops[card], 0);
			fill_row(&b->longest[card], 0);
		}
	}
}

/* False if some walk over shared cards does not come to a private one. */
static bool walk_shared(checker_t *c, const xt_pass_t *pass, unsigned dest, xt_candidates_t *found)
{
	c->extent = SHARED_CARDS;
	c->faulty = false;
	c->ordered = 0;
	memset(c->step, 0, c->cards * sizeof(*c->step));
	if (pass->adaptive) {
		xt_check_reach_restart(c, false);
	}
	for (unsigned card = 0; card < c->cards; card++) {
		if (!pass->sources[card] || c->part[card]) {
			continue;
		}
		if (c->step[card].progress == UNKNOWN) {
			xt_check_walk(c, card, pass->tc, dest);
		}
		if (c->step[card].how != XT_WALK_DELIVERED || c->step[card].hops > LONGEST) {
			return false;
		}
		if (pass->adaptive) {
			xt_check_candidates(c, card, pass->tc, dest, found);
			if (c->faulty || found->longest > LONGEST) {
				return false;
			}
		}
	}
	return true;
}

/* row = to + 1 */
static void one_further(row_t *restrict row, const row_t *restrict to)
{
	for (unsigned lane = 0; lane < LANES; lane++) {
		row->lane[lane] = (int16_t)(to->lane[lane] + 1);
	}
}

/* row = max(row, to + 1) */
static void lengthen(row_t *restrict row, const row_t *restrict to)
{
	for (unsigned lane = 0; lane < LANES; lane++) {
		int16_t beyond = (int16_t)(to->lane[lane] + 1);

		row->lane[lane] = row->lane[lane] < beyond ? beyond : row->lane[lane];
	}
}

/* row = min(row, to + 1); not 0 if that changes it. */
static int shorten(row_t *restrict row, const row_t *restrict to)
{
	int16_t changed = 0;

	for (unsigned lane = 0; lane < LANES; lane++) {
		int16_t beyond = (int16_t)(to->lane[lane] + 1), old = row->lane[lane];
		int16_t least = old < beyond ? old : beyond;

		changed |= (int16_t)(old ^ least);
		row->lane[lane] = least;
	}
	return changed;
}

/* The private cards of one lane; false if some walk over them is not delivered within them. */
static bool walk_private(checker_t *c, const xt_pass_t *pass, unsigned dest, xt_candidates_t *found)
{
	uint32_t home = xt_image_pe_card(c->image, dest);
	unsigned self = xt_image_pe_tc_mask(c->image, dest) >> pass->tc & 1;
	xt_check_batch_t *b = c->batch;

	for (unsigned i = 0; i < b->privates; i++) {
		c->step[b->private_card[i]].progress = UNKNOWN;
		if (pass->adaptive) {
			c->reach->place[b->private_card[i]].progress = UNKNOWN;
		}
	}
	for (unsigned i = 0; i < b->privates; i++) {
		uint32_t card = b->private_card[i];
		bool source = pass->sources[card] > (card == home ? self : 0);
		const step_t *s = &c->step[card];

		if (!source && !(c->part[card] & (WALKED_TO | LED_TO))) {
			continue;
		}
		if (s->progress == UNKNOWN) {
			xt_check_walk(c, card, pass->tc, dest);
		}
		if (s->how != XT_WALK_DELIVERED || s->hops > LONGEST) {
			return false;
		}
		if (pass->adaptive && (source || (c->part[card] & LED_TO))) {
			xt_check_candidates(c, card, pass->tc, dest, found);
			if (c->faulty || found->longest > LONGEST) {
				return false;
			}
		}
	}
	return true;
}

/* What the walks of one lane say of its private cards. */
static void keep_lane(checker_t *c, const xt_pass_t *pass, unsigned dest, unsigned lane)
{
	uint32_t home = xt_image_pe_card(c->image, dest);
	xt_check_batch_t *b = c->batch;

	for (unsigned i = 0; i < b->privates; i++) {
		uint32_t card = b->private_card[i];
		const step_t *s = &c->step[card];
		bool walked = s->progress == ENDED;

		b->hops[card].lane[lane] = (int16_t)(walked ? s->hops : card == home ? 0 : FAR);
		if (walked && s->has_channel) {
			b->private_bits[card] |= UINT64_C(1) << s->bit;
		}
		if (pass->adaptive) {
			const place_t *place = &c->reach->place[card];

			b->longest[card].lane[lane] = (int16_t)(place->progress == ENDED ? place->longest : 0);
		}
	}
}

/* Hops from the shared cards, and the dependencies by which packets go on to private ones. */
static void extend_hops(checker_t *c, const xt_pass_t *pass)
{
	uint64_t *successors = c->result->successors[pass->tc];
	xt_check_batch_t *b = c->batch;

	for (unsigned card = 0; card < c->cards; card++) {
		if (c->step[card].progress == UNKNOWN && !c->part[card]) {
			fill_row(&b->hops[card], FAR);
		}
	}
	for (uint32_t i = 0; i < c->ordered; i++) {
		const step_t *s = &c->step[c->order[i]];

		one_further(&b->hops[c->order[i]], &b->hops[s->next]);
		if (c->part[s->next]) {
			successors[(size_t)c->order[i] * c->bits + s->bit] |= b->private_bits[s->next];
		}
	}
}

static void extend_longest(checker_t *c)
{
	xt_check_batch_t *b = c->batch;

	for (uint32_t i = 0; i < c->reach->ordered; i++) {
		uint32_t card = c->reach->order[i];

		b->longest[card] = b->hops[card];
		for (unsigned rest = c->reach->place[card].candidates; rest; rest &= rest - 1) {
			uint32_t next = xt_image_peers(c->image, card)[__builtin_ctz(rest)].card;

			lengthen(&b->longest[card], &b->longest[next]);
		}
	}
}

/* The lengths of the ways that were walked, shortened over the links until none can be any more. A link is
 * looked at again while the card at its end has changed. */
static void measure_distances(checker_t *c)
{
	unsigned ports = c->profile->link_ports;
	uint32_t *changed_in = c->path, last = 0;
	xt_check_batch_t *b = c->batch;

	memcpy(b->distance, b->hops, c->cards * sizeof(*b->distance));
	memset(changed_in, 0, c->cards * sizeof(*changed_in));
	for (uint32_t sweep = 1; last + 1 >= sweep; sweep++) {
		for (unsigned i = 0; i < c->cards; i++) {
			unsigned card = sweep % 2 == 0 ? c->cards - 1 - i : i;
			const xt_peer_t *peer = xt_image_peers(c->image, card);

			for (unsigned port = 0; port < ports; port++) {
				uint32_t next = peer[port].card;

				if (next != XT_NO_CARD && next != card && changed_in[next] + 1 >= sweep &&
					shorten(&b->distance[card], &b->distance[next])) {
					changed_in[card] = last = sweep;
				}
			}
		}
	}
}

typedef struct {
	int32_t hops[LANES], longer[LANES];
	int16_t most[LANES];
} sums_t;

static void add_hops(sums_t *restrict sums, const row_t *restrict hops, int32_t pes)
{
	for (unsigned lane = 0; lane < LANES; lane++) {
		sums->hops[lane] += pes * hops->lane[lane];
	}
}

/* Notes which ways are not minimal, and the longest. */
static void compare_hops(
	row_t *restrict longer, int16_t *restrict most, const row_t *restrict hops, const row_t *restrict distance)
{
	for (unsigned lane = 0; lane < LANES; lane++) {
		int16_t h = hops->lane[lane];

		most[lane] = h > most[lane] ? h : most[lane];
		longer->lane[lane] |= (int16_t)(h > distance->lane[lane]);
	}
}

static void add_longer(sums_t *restrict sums, const row_t *restrict longer, int32_t pes)
{
	for (unsigned lane = 0; lane < LANES; lane++) {
		sums->longer[lane] += pes * longer->lane[lane];
	}
}

static void count_hops(checker_t *c, const xt_pass_t *pass, sums_t *sums)
{
	const xt_check_batch_t *b = c->batch;

	for (unsigned card = 0; card < c->cards; card++) {
		if (pass->counted[card]) {
			add_hops(sums, &b->hops[card], pass->counted[card]);
		}
		if (pass->sources[card]) {
			compare_hops(&b->longer[card], sums->most, &b->hops[card], &b->distance[card]);
		}
	}
}

/* Each pair once, with what was found in all its TCs. */
static void count_pairs(
	checker_t *c, const xt_group_t *group, const uint32_t *dests, unsigned lanes, sums_t *sums, xt_tally_t *tallies)
{
	for (unsigned i = 0; i < group->passes; i++) {
		const uint16_t *counted = group->pass[i].counted;

		for (unsigned card = 0; card < c->cards; card++) {
			if (counted[card]) {
				add_longer(sums, &c->batch->longer[card], counted[card]);
			}
		}
	}
	for (unsigned lane = 0; lane < lanes; lane++) {
		xt_tally_t *t = &tallies[dests[lane]];
		uint32_t most = (uint32_t)sums->most[lane];

		t->hops += (uint64_t)sums->hops[lane];
		t->non_minimal += (uint64_t)sums->longer[lane];
		t->max_hops = most > t->max_hops ? most : t->max_hops;
	}
}

static void count_candidates(checker_t *c, const xt_pass_t *pass, const uint32_t *dests, unsigned lanes,
	const xt_candidates_t *found, xt_tally_t *tallies)
{
	unsigned times = (unsigned)__builtin_popcount(pass->alike);
	int16_t longest[LANES] = {0};

	extend_longest(c);
	for (unsigned card = 0; card < c->cards; card++) {
		for (unsigned lane = 0; pass->sources[card] && lane < LANES; lane++) {
			int16_t l = c->batch->longest[card].lane[lane];

			longest[lane] = l > longest[lane] ? l : longest[lane];
		}
	}
	for (unsigned lane = 0; lane < lanes; lane++) {
		xt_tally_t *t = &tallies[dests[lane]];

		if (found[lane].candidates > 0) {
			t->adaptive_tcs |= (uint8_t)pass->alike;
			t->candidates += found[lane].candidates * times;
			t->escapes += found[lane].escapes * times;
			t->longest = (uint32_t)longest[lane] > t->longest ? (uint32_t)longest[lane] : t->longest;
		}
	}
}

/* False if that settles none of the destinations. */
static bool walk_pass(checker_t *c, const xt_pass_t *pass, const uint32_t *dests, unsigned lanes, xt_tally_t *tallies)
{
	xt_candidates_t shared = {0}, found[LANES];
	step_t *steps = c->step;

	part_cards(c, pass, dests, lanes);
	if (!walk_shared(c, pass, dests[0], &shared)) {
		return false;
	}
	c->extent = PRIVATE_CARDS;
	c->step = c->batch->private_step;
	memset(c->step, 0, c->cards * sizeof(*c->step));
	for (unsigned lane = 0; lane < lanes; lane++) {
		uint32_t ordered = c->ordered, reached = pass->adaptive ? c->reach->ordered : 0;

		found[lane] = shared;
		c->faulty = false;
		if (walk_private(c, pass, dests[lane], &found[lane])) {
			keep_lane(c, pass, dests[lane], lane);
		} else {
			tallies[dests[lane]].left = true;
		}
		c->ordered = ordered;
		if (pass->adaptive) {
			c->reach->ordered = reached;
		}
	}
	c->step = steps;
	extend_hops(c, pass);
	if (pass->adaptive) {
		count_candidates(c, pass, dests, lanes, found, tallies);
	}
	return true;
}

void xt_batch_check(checker_t *c, const xt_group_t *group, unsigned batch, xt_tally_t *tallies)
{
	const uint32_t *dests = group->dest + group->first[batch];
	unsigned lanes = group->first[batch + 1] - group->first[batch];
	sums_t sums = {0};

	memset(c->batch->longer, 0, c->cards * sizeof(*c->batch->longer));
	for (unsigned i = 0; i < group->passes; i++) {
		const xt_pass_t *pass = &group->pass[i];

		if (!walk_pass(c, pass, dests, lanes, tallies)) {
			for (unsigned lane = 0; lane < lanes; lane++) {
				tallies[dests[lane]].left = true;
			}
			return;
		}
		if (i == 0) {
			measure_distances(c);
		}
		if (pass->new_routes) {
			count_hops(c, pass, &sums);
		}
	}
	count_pairs(c, group, dests, lanes, &sums, tallies);
}
