/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/profile.h"

extern const xt_profile_t xt_profile_large;

#define DET XT_VC_DETERMINISTIC

const xt_profile_t xt_profile_large = {
	.name = "large",
	.summary = "model only: 16,384 entries of the local table for layered and updown, otherwise like dort",
	.link_ports = 6,
	.nic_ports = 1,
	.tcs = 2,
	.tc = {{{DET, DET, DET, DET}}, {{DET, DET, DET, DET}}},
	.cell_bits = 128,
	.packet_cells = 32,
	.buffer_cells = 512,
	.reserved_cells = 37,
	.eject_cells = 64,
	.length_classes = 4,
	.length_class = {1, 4, 16, 32},
	.id_bits = 20,
	.grt_bits = 6,
	.lrt_bits = 14,
	.table_ecc = 1,
	.islip_iterations = 1,
	.link_latency = 2,
	.replay_cells = 128,
	.monitors = 1,
	.model_only = 1,
	.energy = XT_ASSUMED_ENERGY(128),
};
