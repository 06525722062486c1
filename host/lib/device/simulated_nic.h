/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets to and from the NIC ports of a simulated network, outside of runs: queued here, and carried when the network
 * is stepped. */
#pragma once

#include "device_internal.h"

typedef struct xt_simulated_nic xt_simulated_nic_t;

/* Made when first used, and kept by the device. */
int xt_simulated_nic_of(xt_device_t *device, xt_simulated_nic_t **out, xt_diag_t *diag);
void xt_simulated_nic_free(xt_simulated_nic_t *nic); /* NULL is allowed */

/* Words that wait for PE `pe`'s NIC, a packet counting one more than its words; and those that left the queue since
 * the beginning. */
unsigned xt_simulated_nic_queued(const xt_simulated_nic_t *nic, unsigned pe);
uint64_t xt_simulated_nic_sent(const xt_simulated_nic_t *nic, unsigned pe);
/* Whether all queues to the network are empty and nothing moved in the last step. */
int xt_simulated_nic_idle(const xt_simulated_nic_t *nic);

/* Queues a packet of whole cells. */
int xt_simulated_nic_put(xt_simulated_nic_t *nic, unsigned pe, const uint32_t *words, unsigned count, xt_diag_t *diag);
/* Steps the network: packets are taken from the queues for about `cycles`, or until `pe` (not UINT_MAX) has received;
 * then it runs until it is empty. XT_ERR_TIMEOUT: it does not become so. None is taken while any port of any card is
 * quiesced: on a board the packets that do not meet that port would go on. */
int xt_simulated_nic_step(xt_simulated_nic_t *nic, uint64_t cycles, unsigned pe, xt_diag_t *diag);
/* Steps the network as it is for about `cycles`, or until it is empty; packets under way stay under way, and a port
 * that is quiesced holds only the packets that meet it. A PE that has IN_WORDS words here accepts no more. *moved:
 * whether any cell was accepted, delivered, or crossed a link. XT_ERR_UNSUPPORTED: the back end cannot leave packets.
 */
int xt_simulated_nic_go_on(xt_simulated_nic_t *nic, uint64_t cycles, int *moved, xt_diag_t *diag);
/* The cards were written to, and may have work without a packet. */
void xt_simulated_nic_wake(xt_simulated_nic_t *nic);
/* Empties the queues to and from a PE. A packet that is on its way into the card goes on. */
void xt_simulated_nic_clear(xt_simulated_nic_t *nic, unsigned pe);
/* The oldest packet received; 1: there was one, 0: none. `room` is enough for the longest. */
int xt_simulated_nic_take(xt_simulated_nic_t *nic, unsigned pe, uint32_t *words, unsigned *count, int *poisoned);
