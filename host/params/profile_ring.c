/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/profile.h"

extern const xt_profile_t xt_profile_ring;

const xt_profile_t xt_profile_ring = {
	.name = "ring",
	.summary = "2 link ports + 1 NIC port, 32-bit cells, 1 traffic class, 2 VCs: with a bridge in an iCE40 HX8K",
	.link_ports = 2,
	.nic_ports = 1,
	.tcs = 1,
	.tc = {{{XT_VC_DETERMINISTIC, XT_VC_DETERMINISTIC}}},
	.cell_bits = 32,
	.packet_cells = 4,
	.buffer_cells = 32,
	.reserved_cells = 16,
	.eject_cells = 16,
	.length_classes = 2,
	.length_class = {1, 4},
	.id_bits = 8,
	.grt_bits = 2,
	.lrt_bits = 6,
	.table_ecc = 0,
	.islip_iterations = 1,
	.link_latency = 1,
	.replay_cells = 0,
	.block_ram_only = 1,
	.no_u_turns = 1,
	.monitors = 0,
	.energy = XT_ASSUMED_ENERGY(32),
};
