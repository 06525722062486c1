/* SPDX-License-Identifier: Apache-2.0
 *
 * Room for frames on links that run their protocol. */
#include <stdlib.h>

#include "network.h"

arrivals_t *network_arrivals(xt_engine_t *network, uint64_t cycle, unsigned card)
{
	if (!network->arrivals) {
		network->arrivals = calloc((size_t)network->slots * network->cards, sizeof(*network->arrivals));
	}
	if (!network->arrivals) {
		network->common.packets.failed = 1;
		return NULL;
	}
	return &network->arrivals[cycle % network->slots * network->cards + card];
}
