/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/profile.h"

extern const xt_profile_t xt_profile_extoll64;

#define DET XT_VC_DETERMINISTIC
#define ADA XT_VC_ADAPTIVE

const xt_profile_t xt_profile_extoll64 = {
	.name = "extoll64",
	.summary = "6 link ports + 1 NIC port, 64-bit cells, 4 traffic classes, 10 VCs, no U-turns: one in an ECP5-85F",
	.link_ports = 6,
	.nic_ports = 1,
	.tcs = 4,
	.tc = {{{DET, DET, ADA}}, {{DET, DET, ADA}}, {{DET, DET}}, {{DET, DET}}},
	.cell_bits = 64,
	.packet_cells = 16,
	.buffer_cells = 256,
	.reserved_cells = 21,
	.eject_cells = 32,
	.length_classes = 1,
	.length_class = {16},
	.id_bits = 12,
	.grt_bits = 4,
	.lrt_bits = 8,
	.table_ecc = 0,
	.islip_iterations = 1,
	.link_latency = 2,
	.replay_cells = 64,
	.no_u_turns = 1,
	.monitors = 1,
	.energy = XT_ASSUMED_ENERGY(64),
};
