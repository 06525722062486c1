/* SPDX-License-Identifier: Apache-2.0 */
#include "protocol.h"

#include <stddef.h>

#define XT_LINE_ROW(id, sv, value, doc) {#id, #sv, value, doc},
const xt_line_id_t xt_line_kinds[] = {XT_LINE_KINDS(XT_LINE_ROW){NULL, NULL, 0, NULL}};
const xt_line_id_t xt_line_statuses[] = {XT_LINE_STATUSES(XT_LINE_ROW){NULL, NULL, 0, NULL}};
const xt_line_id_t xt_line_events[] = {XT_LINE_EVENTS(XT_LINE_ROW){NULL, NULL, 0, NULL}};
const xt_line_id_t xt_line_registers[] = {XT_LINE_REGISTERS(XT_LINE_ROW){NULL, NULL, 0, NULL}};
#undef XT_LINE_ROW
