/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "extorus/port_assignment.h"

enum { XT_SWITCH_PORT_NAME_SIZE = 16 };

struct xt_turns {
	unsigned stages, ports, switches;
	char name[XT_MAX_SWITCH_PORTS][XT_SWITCH_PORT_NAME_SIZE];
	double *weight; /* [stage][in][out] */
};

/* `ports` is rounded up to an even number; all weights are 0. XT_ERR_NOMEM. */
int xt_turns_create(unsigned stages, unsigned ports, xt_turns_t **out, xt_diag_t *diag);

static inline double *xt_turns_place(xt_turns_t *t, unsigned stage, unsigned in, unsigned out)
{
	return &t->weight[((size_t)stage * t->ports + in) * t->ports + out];
}
