/* SPDX-License-Identifier: Apache-2.0
 *
 * The fields of register LINK_STATE. */
#ifndef EXTORUS_LIB_LINK_STATE_H
#define EXTORUS_LIB_LINK_STATE_H

#include <stdint.h>

#include "extorus/link_state.h"
#include "extorus/registers.h"

static inline unsigned xt_link_state_of(uint32_t value)
{
	return value >> XT_FIELD_LINK_STATE_STATE_LSB & ((1u << XT_FIELD_LINK_STATE_STATE_BITS) - 1);
}

static inline unsigned xt_link_cause_of(uint32_t value)
{
	return value >> XT_FIELD_LINK_STATE_CAUSE_LSB & ((1u << XT_FIELD_LINK_STATE_CAUSE_BITS) - 1);
}

#endif
