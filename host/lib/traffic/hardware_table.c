/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/hardware_table.h"

#include <math.h>
#include <stdlib.h>

#include "base/alias_table.h"
#include "pattern.h"

enum { COLUMN = 1 << 16 }; /* draws of a column that its limit divides */

/* Whole draws of all columns * COLUMN for each destination, by rounding their sums from the first on: so they add up,
 * and a destination without a chance gets none. */
static void share_draws(const double *row, unsigned pes, unsigned columns, double *draws)
{
	double sum = 0.0, before = 0.0, whole = 0.0;

	for (unsigned d = 0; d < pes; d++) {
		whole += row[d];
	}
	for (unsigned d = 0; d < columns; d++) {
		double up_to;

		sum += d < pes ? row[d] : 0.0;
		up_to = rint(sum / whole * columns * COLUMN);
		draws[d] = up_to - before;
		before = up_to;
	}
}

int xt_traffic_table(
	const xt_traffic_t *traffic, unsigned pes, uint32_t pe, unsigned columns, uint32_t *words, xt_diag_t *diag)
{
	double *row = calloc(pes, sizeof(*row)), *draws = calloc(columns, sizeof(*draws));
	xt_alias_t *table = calloc(columns, sizeof(*table));
	xt_pattern_t *pattern = NULL;
	int status = XT_OK;

	if (!row || !draws || !table) {
		status = xt_fail(diag, XT_ERR_NOMEM, "traffic: out of memory for %u PEs", pes);
	} else if (pes > columns || pe >= pes) {
		status = xt_fail(diag, XT_ERR_RANGE, "traffic: PE %u of %u, in a table of %u", pe, pes, columns);
	} else {
		status = xt_pattern_create(traffic, traffic->pattern, pes, NULL, &pattern, diag);
	}
	if (status == XT_OK && xt_pattern_share(pattern, pe) <= 0.0) {
		status = xt_fail(
			diag, XT_ERR_UNSUPPORTED, "traffic: by pattern %s PE %u sends nothing", traffic->pattern, pe);
	}
	if (status == XT_OK) {
		xt_pattern_row(pattern, pe, row);
		share_draws(row, pes, columns, draws);
		/* Whole numbers and a power of two: no rounding in there. */
		status = xt_alias_build(draws, columns, table);
	}
	for (unsigned c = 0; c < columns && status == XT_OK; c++) {
		const int whole = table[c].keep >= 1.0;

		words[c] = (whole ? 0 : (uint32_t)(table[c].keep * COLUMN)) << 16 | (whole ? c : table[c].other);
	}
	xt_pattern_free(pattern);
	free(row);
	free(draws);
	free(table);
	return status;
}
