/* SPDX-License-Identifier: Apache-2.0
 *
 * Channel dependencies that stay acyclic while they are added one by one. Every channel has a place in an order
 * that all dependencies follow. The order is mended where a new dependency does not follow it (Pearce and Kelly, A
 * Dynamic Topological Sort Algorithm for Directed Acyclic Graphs, JEA 11, 2006). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "extorus/image.h"

typedef struct xt_acyclic_order xt_acyclic_order_t;

/* The channels of one VC, card * ports + port each; `peer` has in the same order where each leads, `sender` where
 * that comes from which a port receives, and both outlive it. At most 64 ports; several VCs of a link can be so many
 * ports. NULL: out of memory. */
xt_acyclic_order_t *xt_acyclic_order_create(
	const xt_peer_t *peer, const xt_peer_t *sender, unsigned cards, unsigned ports);
/* Makes `to` like `from`, which was created with the same arguments. */
void xt_acyclic_order_copy(xt_acyclic_order_t *to, const xt_acyclic_order_t *from);
void xt_acyclic_order_free(xt_acyclic_order_t *order); /* NULL is allowed */

/* A packet on `channel` goes on to port `next` of the card at its end. Whether the dependency was there. */
bool xt_acyclic_order_has(const xt_acyclic_order_t *order, uint32_t channel, unsigned next);
/* False, and nothing is changed, if it would close a cycle. */
bool xt_acyclic_order_add(xt_acyclic_order_t *order, uint32_t channel, unsigned next);
/* Whether it would; nothing is changed. */
bool xt_acyclic_order_closes(xt_acyclic_order_t *order, uint32_t channel, unsigned next);
/* Where it would: the channels of a way to `channel`, from that on backwards to the one by `next`. `way` has room for
 * all channels. Returns how many; 0: it closes none. */
size_t xt_acyclic_order_way(xt_acyclic_order_t *order, uint32_t channel, unsigned next, uint32_t *way);
void xt_acyclic_order_remove(xt_acyclic_order_t *order, uint32_t channel, unsigned next);
