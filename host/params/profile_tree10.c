/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/profile.h"

extern const xt_profile_t xt_profile_tree10;

#define DET XT_VC_DETERMINISTIC

const xt_profile_t xt_profile_tree10 = {
	.name = "tree10",
	.summary = "model only: 10 link and 4 NIC ports and one VC, no link layer, for 8-ary trees of 4,096 PEs",
	.link_ports = 10,
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
	.grt_bits = 4,
	.lrt_bits = 12,
	.table_ecc = 1,
	.islip_iterations = 1,
	.link_latency = 2,
	.replay_cells = 0,
	.monitors = 1,
	.model_only = 1,
	.energy = XT_ASSUMED_ENERGY(128),
};
