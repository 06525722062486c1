/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/profile.h"

extern const xt_profile_t xt_profile_dort_adaptive;

#define DET XT_VC_DETERMINISTIC
#define ADA XT_VC_ADAPTIVE

const xt_profile_t xt_profile_dort_adaptive = {
	.name = "dort_adaptive",
	.summary = "model only: 2 traffic classes of 4 deterministic and 4 adaptive VCs, DORT as the escape on a twin "
		   "torus",
	.link_ports = 6,
	.nic_ports = 1,
	.tcs = 2,
	.tc = {{{DET, DET, DET, DET, ADA, ADA, ADA, ADA}}, {{DET, DET, DET, DET, ADA, ADA, ADA, ADA}}},
	.cell_bits = 128,
	.packet_cells = 32,
	.buffer_cells = 1024,
	.reserved_cells = 37,
	.eject_cells = 64,
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
	.model_only = 1,
	.ring_adaptive_vcs = 2,
	.energy = XT_ASSUMED_ENERGY(128),
};
