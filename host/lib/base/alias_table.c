/* SPDX-License-Identifier: Apache-2.0 */
#include "alias_table.h"

#include <stdlib.h>

#include "extorus/error.h"

/* Columns below the mean wait at the start of `work`, the others at its end. Each one below is filled up by one
 * above; the weights of all columns that are left have the mean 1 at any time. */
int xt_alias_build(const double *weights, uint32_t n, xt_alias_t *table)
{
	uint32_t *work = malloc(n * sizeof(*work));
	uint32_t below = 0, above = n, heaviest = 0;
	double sum = 0.0;

	if (!work) {
		return XT_ERR_NOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		sum += weights[i];
		heaviest = weights[i] > weights[heaviest] ? i : heaviest;
	}
	for (uint32_t i = 0; i < n; i++) {
		table[i].keep = weights[i] * n / sum;
		table[i].other = i;
		work[table[i].keep < 1.0 ? below++ : --above] = i;
	}
	while (below > 0 && above < n) {
		uint32_t low = work[--below], high = work[above];

		table[low].other = high;
		table[high].keep -= 1.0 - table[low].keep;
		if (table[high].keep < 1.0) {
			above++;
			work[below++] = high;
		}
	}
	/* What is left has the mean but for rounding; but what has no weight is never drawn. */
	while (below > 0) {
		uint32_t low = work[--below];

		table[low].keep = weights[low] > 0.0 ? 1.0 : 0.0;
		table[low].other = weights[low] > 0.0 ? low : heaviest;
	}
	while (above < n) {
		table[work[above++]].keep = 1.0;
	}
	free(work);
	return XT_OK;
}
