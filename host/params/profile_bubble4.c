/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/profile.h"

extern const xt_profile_t xt_profile_bubble4;

#define DET XT_VC_DETERMINISTIC

const xt_profile_t xt_profile_bubble4 = {
	.name = "bubble4",
	.summary = "6 link ports + 1 NIC port, 128-bit cells, 2 traffic classes of 4 deterministic VCs, bubble flow "
		   "control with a ring for each VC",
	.link_ports = 6,
	.nic_ports = 1,
	.tcs = 2,
	.tc = {{{DET, DET, DET, DET}}, {{DET, DET, DET, DET}}},
	.cell_bits = 128,
	.packet_cells = 32,
	.buffer_cells = 1024,
	.reserved_cells = 128,
	.bubble = 1,
	.vc_rings = 1,
	.eject_cells = 128,
	.length_classes = 4,
	.length_class = {1, 4, 16, 32},
	.id_bits = 16,
	.grt_bits = 6,
	.lrt_bits = 10,
	.table_ecc = 1,
	.islip_iterations = 1,
	.link_latency = 2,
	.replay_cells = 128,
	.monitors = 1,
	.energy = XT_ASSUMED_ENERGY(128),
};
