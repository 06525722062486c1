/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/profile.h"

extern const xt_profile_t xt_profile_bubble_adaptive;

#define DET XT_VC_DETERMINISTIC
#define ADA XT_VC_ADAPTIVE

const xt_profile_t xt_profile_bubble_adaptive = {
	.name = "bubble_adaptive",
	.summary = "model only: 2 traffic classes of a bubble escape VC and 2 adaptive VCs, 8,192 entries of the local "
		   "table",
	.link_ports = 6,
	.nic_ports = 1,
	.tcs = 2,
	.tc = {{{DET, ADA, ADA}}, {{DET, ADA, ADA}}},
	.cell_bits = 128,
	.packet_cells = 32,
	.buffer_cells = 512,
	.reserved_cells = 85,
	.bubble = 1,
	.eject_cells = 128,
	.length_classes = 4,
	.length_class = {1, 4, 16, 32},
	.id_bits = 19,
	.grt_bits = 6,
	.lrt_bits = 13,
	.table_ecc = 1,
	.islip_iterations = 1,
	.link_latency = 2,
	.replay_cells = 128,
	.monitors = 1,
	.model_only = 1,
	.energy = XT_ASSUMED_ENERGY(128),
};
