/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/profile.h"

extern const xt_profile_t xt_profile_extoll_linked;

#define DET XT_VC_DETERMINISTIC
#define ADA XT_VC_ADAPTIVE

const xt_profile_t xt_profile_extoll_linked = {
	.name = "extoll_linked",
	.summary = "extoll with link layer in fewer LUTs: no monitors, U-turns and replay bypass, one length class, no "
		   "sums of credits, a register in front of the crossbar",
	.link_ports = 6,
	.nic_ports = 1,
	.tcs = 4,
	.tc = {{{DET, DET, ADA}}, {{DET, DET, ADA}}, {{DET, DET}}, {{DET, DET}}},
	.cell_bits = 128,
	.packet_cells = 32,
	.buffer_cells = 512,
	.reserved_cells = 37,
	.eject_cells = 64,
	.length_classes = 1,
	.length_class = {32},
	.id_bits = 16,
	.grt_bits = 6,
	.lrt_bits = 10,
	.table_ecc = 1,
	.islip_iterations = 1,
	.link_latency = 2,
	.replay_cells = 128,
	.no_replay_bypass = 1,
	.crossbar_register = 1,
	.no_u_turns = 1,
	.no_credit_sums = 1,
	.energy = XT_ASSUMED_ENERGY(128),
};
