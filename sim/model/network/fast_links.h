/* SPDX-License-Identifier: Apache-2.0
 *
 * Links without errors need no protocol: what a link takes comes out at the other end after a fixed time, and so does
 * its ack. Such links are fast: what they carry is in fast_links_t, and the state of the protocol is worked out only
 * when it is asked for. It follows from what the link took in the last HISTORY cycles, since everything older is
 * acknowledged.
 */
#pragma once

#include "network.h"

/* Whether all links that are up can be fast in a run, which begins when nothing is under way: no errors and faults,
 * no timer that would run out, no window that would fill. */
int fast_links_serve(const xt_engine_t *network, const xt_client_t *client);
/* Cycles after which nothing of what a link took is left in its protocol. */
unsigned fast_links_history(const xt_engine_t *network);
/* Makes them fast, if they are not. */
void fast_links_open(xt_engine_t *network);
/* Room for what is on its way, which a run by events needs only when it ends or is looked at; 0: out of memory. */
int fast_links_reserve(fast_links_t *fast_links, unsigned cards);
/* Nothing is on its way. */
void fast_links_clear(xt_engine_t *network);
/* All links run their protocol from now on, whatever is under way. */
void fast_links_close(xt_engine_t *network);
/* Whether a frame has come to the pins of the card whose contents are still within its link layer. */
int fast_links_wake(const xt_engine_t *network, unsigned card);
/* The state of a fast link between two cycles. */
void fast_links_link(const xt_engine_t *network, unsigned card, unsigned port, link_t *link);
