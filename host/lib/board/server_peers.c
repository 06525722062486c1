/* SPDX-License-Identifier: Apache-2.0 */
#include "server_peers.h"

#include "extorus/protocol.h"

static uint32_t word_of(const xt_profile_t *profile, xt_peer_t peer)
{
	const uint32_t inside = 1u << XT_FRAME_PEER_INSIDE | peer.port << XT_FRAME_PEER_PORT | peer.card;
	/* As on a board, where a profile without link layer has no links at pins. */
	const uint32_t outside = profile->replay_cells ? 1u << XT_FRAME_PEER_PINS : 0;

	return 1u << XT_FRAME_PEER_TOLD | (peer.card == XT_NO_CARD ? outside : inside);
}

int xt_server_read_peers(const xt_device_t *device, const xt_frame_t *request, uint32_t *words)
{
	const unsigned first = (request->argument - XT_FRAME_REG_LINK_PEER) / 4, count = request->unit + 1u;

	if (request->argument < XT_FRAME_REG_LINK_PEER || request->argument % 4 ||
		first + count > device->profile->link_ports) {
		return 0;
	}
	for (unsigned i = 0; i < count; i++) {
		words[i] = word_of(device->profile, xt_device_peer(device, request->card, first + i));
	}
	return 1;
}
