/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "event_types.h"

/* Whether every packet that the client may send is a plain stream at every card: then no cycle can be the last one by
 * events. Cell by cell: whether every packet has a route. On several ranks: at the own cards. */
int routes_are_plain(const xt_engine_t *network, const xt_client_t *client);
