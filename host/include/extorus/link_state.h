/* SPDX-License-Identifier: Apache-2.0
 *
 * The states of a link port. */
#ifndef EXTORUS_LINK_STATE_H
#define EXTORUS_LINK_STATE_H

#include <stdint.h>

#include "extorus/export.h"
#include "extorus/registers.h"

XT_BEGIN_C

/* Of the registers LINK_STATE, which have the same numbers. */
typedef enum {
	XT_LINK_TRAIN,
	XT_LINK_UP,
	XT_LINK_DOWN,
	XT_LINK_STATES,
} xt_link_state_t;

typedef enum {
	XT_CAUSE_NONE,
	XT_CAUSE_RETRIES,   /* too many repetitions without progress */
	XT_CAUSE_REMOTE,    /* the other end said so */
	XT_CAUSE_NO_SIGNAL, /* nothing heard for too long */
	XT_CAUSE_DISABLED,
	XT_CAUSES,
} xt_link_cause_t;

/* "train", "up", "down"; "none", "retries", "remote", "no-signal", "disabled". "unknown" for a number that
 * has no name. */
XT_API const char *xt_link_state_name(unsigned state);
XT_API const char *xt_link_cause_name(unsigned cause);

/* The fields of a value of register LINK_STATE: an xt_link_state_t and an xt_link_cause_t. */
static inline unsigned xt_link_state_of(uint32_t value)
{
	return value >> XT_FIELD_LINK_STATE_STATE_LSB & ((1u << XT_FIELD_LINK_STATE_STATE_BITS) - 1);
}

static inline unsigned xt_link_cause_of(uint32_t value)
{
	return value >> XT_FIELD_LINK_STATE_CAUSE_LSB & ((1u << XT_FIELD_LINK_STATE_CAUSE_BITS) - 1);
}

XT_END_C
#endif
