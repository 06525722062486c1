/* SPDX-License-Identifier: Apache-2.0 */
#include "rank_partition.h"

#include <stdlib.h>

#include "backend.h"

enum { SLACK = 16 }; /* a border may be this fraction of the range before it away from where the work is even */

static int check(const uint32_t *first, unsigned count, unsigned cards, xt_diag_t *diag)
{
	for (unsigned r = 0; r < count; r++) {
		if (first[r] >= first[r + 1] || (r == 0 && first[0] != 0)) {
			return xt_fail(diag, XT_ERR_RANGE,
				"partition: rank %u would have the cards from %u on and rank %u those from %u on; the "
				"first "
				"cards of the ranks have to rise from 0",
				r, first[r], r + 1, first[r + 1]);
		}
	}
	return first[count] == cards
		       ? XT_OK
		       : xt_fail(diag, XT_ERR_RANGE, "partition: the ranks have %u cards and the network %u",
				 first[count], cards);
}

/* crossing[c]: links between the cards below `c` and the others. */
static void count_crossings(const xt_device_t *device, unsigned cards, int64_t *crossing)
{
	const unsigned links = xt_device_profile(device)->link_ports;

	for (unsigned c = 0; c < cards; c++) {
		for (unsigned p = 0; p < links; p++) {
			const xt_peer_t peer = xt_device_peer(device, c, p);

			if (peer.card != XT_NO_CARD && peer.card > c) {
				crossing[c + 1]++;
				crossing[peer.card + 1]--;
			}
		}
	}
	for (unsigned c = 1; c <= cards; c++) {
		crossing[c] += crossing[c - 1];
	}
}

/* The first card of a rank, where all ranks have the same work. Rank 0's checks cost as much as `checks` cards. Rank 0
 * has half of an even share at least. */
static uint32_t even_border(unsigned cards, unsigned count, unsigned rank, uint64_t checks)
{
	const uint64_t share = (cards + checks) / count, least = cards / (2 * count);
	const uint64_t own = share > checks + least ? share - checks : least;
	const uint64_t first = own + (cards - own) * (rank - 1) / (count - 1);

	return (uint32_t)(first < rank ? rank : first > cards - (count - rank) ? cards - (count - rank) : first);
}

/* The border with the fewest links, near the even one. */
static uint32_t border(const int64_t *crossing, unsigned cards, unsigned count, unsigned rank, uint64_t checks)
{
	const uint32_t even = even_border(cards, count, rank, checks);
	const uint32_t slack = (even - (rank > 1 ? even_border(cards, count, rank - 1, checks) : 0)) / SLACK;
	uint32_t best = even;

	for (uint32_t away = 1; away <= slack; away++) {
		best = crossing[even - away] < crossing[best] ? even - away : best;
		best = crossing[even + away] < crossing[best] ? even + away : best;
	}
	return best;
}

int xt_rank_partition(const xt_device_t *device, unsigned count, unsigned checks, const uint32_t *given, uint32_t **out,
	xt_diag_t *diag)
{
	const unsigned cards = xt_device_cards(device);
	const uint64_t checked = (uint64_t)cards * checks / 100;
	int64_t *crossing;
	int status;

	if (count > cards) {
		return xt_fail(
			diag, XT_ERR_RANGE, "partition: %u ranks are more than the network's %u cards", count, cards);
	}
	crossing = calloc(cards + 2, sizeof(*crossing));
	*out = calloc(count + 1, sizeof(**out));
	if (!crossing || !*out) {
		free(crossing);
		return xt_fail(diag, XT_ERR_NOMEM, "partition: out of memory for %u cards", cards);
	}
	count_crossings(device, cards, crossing);
	for (unsigned r = 0; r <= count; r++) {
		(*out)[r] = given        ? given[r]
			    : r == 0     ? 0
			    : r == count ? cards
					 : border(crossing, cards, count, r, checked);
	}
	free(crossing);
	status = check(*out, count, cards, diag);
	if (status != XT_OK) {
		free(*out);
		*out = NULL;
	}
	return status;
}
