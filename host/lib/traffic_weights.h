/* SPDX-License-Identifier: Apache-2.0
 *
 * What the destination pattern of a traffic description comes to on average. */
#ifndef EXTORUS_TRAFFIC_WEIGHTS_H
#define EXTORUS_TRAFFIC_WEIGHTS_H

#include "extorus/traffic.h"

typedef struct xt_weights xt_weights_t;

/* The traffic must have passed xt_traffic_check. XT_ERR_NOMEM. */
int xt_weights_create(const xt_traffic_t *traffic, unsigned pes, xt_weights_t **out, xt_diag_t *diag);
void xt_weights_free(xt_weights_t *weights); /* NULL is allowed */
/* row[dest]: of pes - 1 packets of `pe`, how many go to each PE on average. Under uniform traffic 1, none to itself. */
void xt_weights_row(const xt_weights_t *weights, unsigned pe, double *row);

#endif
