/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets to and from the NIC ports of a simulated network, outside of runs: queued here, and carried when the network
 * is stepped. */
#ifndef EXTORUS_LIB_EXCHANGE_H
#define EXTORUS_LIB_EXCHANGE_H

#include "device_internal.h"

typedef struct xt_exchange xt_exchange_t;

/* Made when first used, and kept by the device. */
int xt_exchange_of(xt_device_t *device, xt_exchange_t **out, xt_diag_t *diag);
void xt_exchange_free(xt_exchange_t *exchange); /* NULL is allowed */

/* Words that wait for PE `pe`'s NIC, a packet counting one more than its words; those that left the queue since the
 * beginning; and those that came and were not taken. */
unsigned xt_exchange_queued(const xt_exchange_t *exchange, unsigned pe);
uint64_t xt_exchange_sent(const xt_exchange_t *exchange, unsigned pe);
unsigned xt_exchange_received(const xt_exchange_t *exchange, unsigned pe);
/* Whether all queues to the network are empty and nothing moved in the last step. */
int xt_exchange_idle(const xt_exchange_t *exchange);

/* Queues a packet of whole cells. */
int xt_exchange_put(xt_exchange_t *exchange, unsigned pe, const uint32_t *words, unsigned count, xt_diag_t *diag);
/* Steps the network: packets are taken from the queues for about `cycles`, or until `pe` (not UINT_MAX) has received;
 * then it runs until it is empty. XT_ERR_TIMEOUT: it does not become so. None is taken while any port of any card is
 * quiesced: on a board the packets that do not meet that port would go on. */
int xt_exchange_step(xt_exchange_t *exchange, uint64_t cycles, unsigned pe, xt_diag_t *diag);
/* The oldest packet received; 1: there was one, 0: none. `room` is enough for the longest. */
int xt_exchange_take(xt_exchange_t *exchange, unsigned pe, uint32_t *words, unsigned *count, int *poisoned);

#endif
