/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/protocol.h"

#include <stddef.h>

#define XT_FRAME_ROW(id, sv, value, doc) {#id, #sv, value, doc},
const xt_frame_id_t xt_frame_kinds[] = {XT_FRAME_KINDS(XT_FRAME_ROW){NULL, NULL, 0, NULL}};
const xt_frame_id_t xt_frame_statuses[] = {XT_FRAME_STATUSES(XT_FRAME_ROW){NULL, NULL, 0, NULL}};
const xt_frame_id_t xt_frame_events[] = {XT_FRAME_EVENTS(XT_FRAME_ROW){NULL, NULL, 0, NULL}};
const xt_frame_id_t xt_frame_registers[] = {XT_FRAME_REGISTERS(XT_FRAME_ROW){NULL, NULL, 0, NULL}};
#undef XT_FRAME_ROW
