/* SPDX-License-Identifier: Apache-2.0
 *
 * Minimal routes of twisted tori, RTT, PTT and PDTT. */
#pragma once

#include "extorus/image.h"
#include "extorus/topology.h"

bool xt_topology_is_twisted(const xt_topology_t *topology);

/* The dimensions below this cannot be told apart when a way is sought: they go into one table together. */
unsigned xt_twisted_coupled(const xt_topology_t *topology);

/* The route from `card` when dimensions [low, high) are to become the digits of `index` (mixed radix, dimension
 * `low` fastest) and the others stay, or valid = 0; either all of the coupled dimensions are among them or none.
 * The candidates are the ports of all shortest ways. `vcs`: two VCs per ring, otherwise VC 0.
 *
 * The routing record, the hops in each dimension with their sign, is the shortest of those to the images of the
 * destination: it is where it is, and once more behind each wrap-around, shifted by the twist. If several are equally
 * short, the one with the fewest hops in dimension s decides, then in s + 1 and so on around the coupled dimensions,
 * where s is the sum of the destination's coordinates in these modulo their number; then in each dimension the
 * positive direction if the destination's coordinate in it is even, the negative one if odd. What the rule prefers does
 * not change when the same hop is taken off two records, so the next card's record is this one's less the hop: packets
 * go through the dimensions in ascending order and through each in one direction.
 *
 * A ring of a twisted dimension closes after going round twice; a card's place in it is its coordinate, and half a ring
 * more in the upper half of dimension 0. VCs are as in a torus by places: upper if that where the packet leaves the
 * ring is greater than that of the card, lower otherwise, so that no ring has a cycle. */
xt_route_t xt_twisted_route(
	const xt_topology_t *topology, unsigned card, unsigned low, unsigned high, unsigned index, bool vcs);
