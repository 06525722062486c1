// SPDX-License-Identifier: Apache-2.0
//
// What the bench needs to know of the profile under test. Everything comes from the profile's C
// table, so one source serves every profile; XT_PROFILE is its bare name (-DXT_PROFILE=extoll).
#pragma once

extern "C" {
#include "extorus/profile.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"
}

#include <algorithm>
#include <cstdint>

struct Shape {
	const xt_profile_t *profile;
	xt_header_layout_t header;
	xt_frame_layout_t frame;
	uint32_t hash;
	uint32_t features; // xt_feature_t
	unsigned links, nics, ports;
	unsigned tcs, vcs, vc_bits;
	unsigned cell_bits, cell_words;
	unsigned packet_cells;
	unsigned buffer_cells;
	unsigned reserved; // cells of an input buffer owned by each VC
	unsigned pool;     // the rest, shared by all VCs
	unsigned first_vc[XT_MAX_TCS];
	unsigned vc_count[XT_MAX_TCS];
	unsigned deterministic[XT_MAX_TCS]; // VCs of a TC that are deterministic; they come first
	unsigned vc_tc[XT_MAX_VCS];
	unsigned grt_entries, lrt_entries;

	// Cycles from one link's pins to another's through an idle card: 5, and the link ports' own.
	unsigned head_latency() const
	{
		return xt_profile_lookup_cycles(profile) + 5 + profile->crossbar_register +
		       (frame.layer ? 2 + profile->no_replay_bypass : 0);
	}
	// Cycles from the choice of a packet to the use of its cell's credit, with the shortest round trip of the
	// peers.
	unsigned credit_round_trip() const
	{
		return profile->crossbar_register + (frame.layer ? 16 + profile->no_replay_bypass : 7);
	}
	// Cells per cycle of one queue that always has packets of so many cells. It is served in every second cycle
	// at most.
	double one_queue_rate(unsigned cells) const
	{
		return 0.99 * (cells == 1 ? 0.5 : 1);
	}
	// Cells per cycle of one VC at least, if a packet starts when the VC has room for so many cells.
	double rate_with_room(unsigned cells) const
	{
		const double rest = reserved + pool > cells ? reserved + pool - cells : 0;

		return 0.99 * (rest < credit_round_trip() ? rest / credit_round_trip() : 1);
	}
	// The same of packets that leave the card by one queue: one wants room for its class and 5 cells.
	double one_vc_rate(unsigned cells) const
	{
		return std::min(rate_with_room(length_class(cells) + 5), one_queue_rate(cells));
	}
	// Queues of an input for an output.
	unsigned queues(unsigned out_port) const
	{
		return is_nic(out_port) ? tcs : vcs;
	}
	bool is_nic(unsigned port) const
	{
		return port >= links;
	}
	bool has(xt_feature_t feature) const
	{
		return (features & feature) != 0;
	}
	// A route from an input to this output is illegal: packets never leave by the link that they came in by.
	bool turns_back(unsigned in_port, unsigned out_port) const
	{
		return profile->no_u_turns && in_port == out_port && !is_nic(in_port);
	}
	// The adaptive VC of a TC, through all TCs; vcs if it has none.
	unsigned adaptive_vc(unsigned tc) const
	{
		return deterministic[tc] < vc_count[tc] ? first_vc[tc] + deterministic[tc] : vcs;
	}
	// Smallest length class that holds `cells`: what the card's credit check rounds a packet up to.
	unsigned length_class(unsigned cells) const;
	// Cells of a buffer that packets of one cell leave free: a card sends none of their class into so few.
	unsigned left_over() const
	{
		return length_class(1) + 3;
	}
	unsigned vc_in_tc(unsigned vc) const
	{
		return vc - first_vc[vc_tc[vc]];
	}
	bool is_deterministic(unsigned vc) const
	{
		return vc_in_tc(vc) < deterministic[vc_tc[vc]];
	}
};

// The profile the binary was built for.
const Shape &shape();
