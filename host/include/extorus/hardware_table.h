/* SPDX-License-Identifier: Apache-2.0
 *
 * A pattern's destinations as the alias table of a board's traffic generator (XT_FRAME_REG_TRAFFIC_TABLE). */
#ifndef EXTORUS_HARDWARE_TABLE_H
#define EXTORUS_HARDWARE_TABLE_H

#include <stdint.h>

#include "extorus/export.h"
#include "extorus/traffic.h"

XT_BEGIN_C

/* Fills words[0 .. columns - 1] for what PE `pe` sends by the traffic's pattern, which must not need coordinates, among
 * `pes` PEs. `columns` is a power of two, 65536 at most. Each destination is drawn with the pattern's chance but for
 * less than 1 / (65536 * columns); one without a chance never.
 *
 * XT_ERR_RANGE if there are more PEs than columns, no such PE, or a pattern that is not known; XT_ERR_UNSUPPORTED if
 * the pattern is not defined for so many, or gives the PE nothing to send; XT_ERR_NOMEM. */
XT_API int xt_traffic_table(
	const xt_traffic_t *traffic, unsigned pes, uint32_t pe, unsigned columns, uint32_t *words, xt_diag_t *diag);

XT_END_C
#endif
