/* SPDX-License-Identifier: Apache-2.0 */
#include "shared_tables.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "extorus/error.h"

enum { MOST_PROBES = 64 };

int xt_tables_seen_open(xt_tables_seen_t *seen, uint32_t cards)
{
	/* At most half full. */
	seen->size = 2;
	while (seen->size < 2 * cards) {
		seen->size *= 2;
	}
	seen->place = calloc(seen->size, sizeof(*seen->place));
	return seen->place ? XT_OK : XT_ERR_NOMEM;
}

void xt_tables_seen_close(xt_tables_seen_t *seen)
{
	free(seen->place);
	*seen = (xt_tables_seen_t){0};
}

uint32_t xt_tables_seen_put(xt_tables_seen_t *seen, uint64_t *tables, size_t size, uint32_t card, const uint64_t *table)
{
	const size_t bytes = size * sizeof(*table);
	uint32_t at = (uint32_t)crc32_z(0, (const unsigned char *)table, bytes) & (seen->size - 1);

	for (unsigned probes = 0; seen->place[at]; at = (at + 1) & (seen->size - 1), probes++) {
		/* Of a file made so that all sums are alike. */
		if (probes == MOST_PROBES) {
			memcpy(tables + card * size, table, bytes);
			return card;
		}
		if (memcmp(tables + (seen->place[at] - 1) * size, table, bytes) == 0) {
			return seen->place[at] - 1;
		}
	}
	seen->place[at] = card + 1;
	memcpy(tables + card * size, table, bytes);
	return card;
}
