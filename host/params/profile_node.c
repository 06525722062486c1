/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/profile.h"

extern const xt_profile_t xt_profile_node;

#define DET XT_VC_DETERMINISTIC

const xt_profile_t xt_profile_node = {
	.name = "node",
	.summary = "4 link ports + 1 NIC port, 64-bit cells, 2 traffic classes, 4 VCs, link layer: two in an ECP5-85F",
	.link_ports = 4,
	.nic_ports = 1,
	.tcs = 2,
	.tc = {{{DET, DET}}, {{DET, DET}}},
	.cell_bits = 64,
	.packet_cells = 8,
	.buffer_cells = 64,
	.reserved_cells = 13,
	.eject_cells = 32,
	.length_classes = 3,
	.length_class = {1, 4, 8},
	.id_bits = 12,
	.grt_bits = 4,
	.lrt_bits = 8,
	.table_ecc = 0,
	.islip_iterations = 1,
	.link_latency = 1,
	.replay_cells = 64,
	.block_ram_only = 0,
	.monitors = 0,
	.energy = XT_ASSUMED_ENERGY(64),
};
