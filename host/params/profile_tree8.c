/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/profile.h"

extern const xt_profile_t xt_profile_tree8;

#define DET XT_VC_DETERMINISTIC

const xt_profile_t xt_profile_tree8 = {
	.name = "tree8",
	.summary = "model only: 8 link and 4 NIC ports and one VC, no link layer, for trees of 1,024 PEs",
	.link_ports = 8,
	.nic_ports = 4,
	.tcs = 1,
	.tc = {{{DET}}},
	.cell_bits = 128,
	.packet_cells = 32,
	.buffer_cells = 512,
	.reserved_cells = 37,
	.eject_cells = 64,
	.length_classes = 4,
	.length_class = {1, 4, 16, 32},
	.id_bits = 16,
	.grt_bits = 5,
	.lrt_bits = 11,
	.table_ecc = 1,
	.islip_iterations = 1,
	.link_latency = 2,
	.replay_cells = 0,
	.monitors = 1,
	.model_only = 1,
	.energy = XT_ASSUMED_ENERGY(128),
};
