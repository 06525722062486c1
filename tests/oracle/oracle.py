# SPDX-License-Identifier: Apache-2.0
"""Torus and twin torus, DOR and TS-DOR, written from the description of the routing rules.

A packet is followed step by step from its source; nothing is tabulated, so that this shares no
structure with the library it is compared with. Standard library only.
"""

import itertools
from collections import deque

UPPER, LOWER = 0, 1


class Network:
    """spec is like "twin:4x4x2". A place is (coordinates, side); side is always 0 in a torus."""

    def __init__(self, spec):
        kind, radices = spec.split(":")
        self.twin = kind == "twin"
        self.radix = [int(r) for r in radices.split("x")]
        n = len(self.radix)
        self.middle = (n - 1) // 2 if self.twin and n % 2 else None
        self.ports = [set(), set()]
        for dimension in range(n):
            for sign in "-+":
                self.ports[self._owner(dimension, sign)].add(f"d{dimension}{sign}")
        sides = (0, 1) if self.twin else (0,)
        # itertools.product runs its last factor fastest; dimension 0 is the fastest digit.
        self.places = [(tuple(reversed(c)), side)
                       for c in itertools.product(*(range(k) for k in reversed(self.radix))) for side in sides]
        self.number = {place: i for i, place in enumerate(self.places)}

    def _owner(self, dimension, sign):
        if not self.twin:
            return 0
        n = len(self.radix)
        if n % 2 == 0:
            return 0 if dimension < n // 2 else 1
        if dimension == self.middle:
            return 0 if sign == "-" else 1
        return 0 if dimension < self.middle else 1

    def move(self, place, port):
        """Where a link port leads."""
        coordinates, side = place
        if port == "int":
            return coordinates, 1 - side
        dimension, sign = int(port[1]), port[2]
        step = 1 if sign == "+" else -1
        moved = list(coordinates)
        moved[dimension] = (moved[dimension] + step) % self.radix[dimension]
        return tuple(moved), self._owner(dimension, "-" if sign == "+" else "+")

    def _sign(self, dimension, here, there, source_side):
        up = (there - here) % self.radix[dimension]
        down = (here - there) % self.radix[dimension]
        if up == down:
            if dimension == self.middle:
                return "-" if source_side == 0 else "+"
            return "+"
        return "+" if up < down else "-"

    def step(self, place, dest, source_side):
        """(port, vc) that a packet from a PE of source_side takes at this place."""
        coordinates, side = place
        order = range(len(self.radix))
        if self.twin and source_side == 1:
            order = reversed(order)
        for dimension in order:
            here, there = coordinates[dimension], dest[0][dimension]
            if here == there:
                continue
            ring_vc = UPPER if there > here else LOWER
            port = f"d{dimension}{self._sign(dimension, here, there, source_side)}"
            if port in self.ports[side]:
                return port, ring_vc
            if dimension == self.middle:
                return "int", ring_vc
            return "int", UPPER if side == 0 else LOWER
        if side != dest[1]:
            return "int", UPPER if side == 0 else LOWER
        return "nic", 0

    def walk(self, source, dest):
        """[(place, port, vc), ...] to the NIC; gives up on packets that go round."""
        place, way = source, []
        while True:
            port, vc = self.step(place, dest, source[1])
            way.append((place, port, vc))
            if port == "nic":
                return way
            place = self.move(place, port)
            if len(way) > 10 * len(self.places):
                raise AssertionError(f"{source} to {dest} does not arrive")

    def tcs(self, side):
        """Traffic classes of a source, in a profile with four."""
        if not self.twin:
            return (0, 1, 2, 3)
        return (0, 2) if side == 0 else (1, 3)

    def routes(self, dests=None):
        """{(card, tc, dest): (port, vc)} of all packets to `dests` (default: all PEs)."""
        table = {}
        for dest in self.places if dests is None else (self.places[d] for d in dests):
            for side in (0, 1) if self.twin else (0,):
                hops = {}
                for source in self.places:
                    if source[1] == side:
                        for place, port, vc in self.walk(source, dest):
                            if hops.setdefault(place, (port, vc)) != (port, vc):
                                raise AssertionError(f"{place} to {dest}: two routes in one TC")
                for tc in self.tcs(side):
                    for place, hop in hops.items():
                        table[self.number[place], tc, self.number[dest]] = hop
        return table

    def hop_figures(self):
        """(max, mean) of the links of a packet over ordered pairs of different PEs."""
        lengths = [len(self.walk(s, d)) - 1 for s in self.places for d in self.places if s != d]
        return (max(lengths), sum(lengths) / len(lengths)) if lengths else (0, 0.0)

    def distances(self):
        """(diameter, mean with self) by breadth-first search over the links."""
        total = furthest = 0
        for source in self.places:
            seen, queue = {source: 0}, deque([source])
            while queue:
                place = queue.popleft()
                for port in self.ports[place[1]] | ({"int"} if self.twin else set()):
                    there = self.move(place, port)
                    if there not in seen:
                        seen[there] = seen[place] + 1
                        queue.append(there)
            assert len(seen) == len(self.places)
            total += sum(seen.values())
            furthest = max(furthest, max(seen.values()))
        return furthest, total / len(self.places) ** 2


def dependencies(network, table, tc):
    """Channel dependency graph of a TC as the table says: {(card, port, vc): {(card, port, vc), ...}}."""
    graph = {}
    for (card, of_tc, dest), (port, vc) in table.items():
        if of_tc != tc or port == "nic":
            continue
        channel = (card, port, vc)
        followers = graph.setdefault(channel, set())
        there = network.number[network.move(network.places[card], port)]
        next_port, next_vc = table[there, tc, dest]
        if next_port != "nic":
            followers.add((there, next_port, next_vc))
    return graph


def is_acyclic(graph):
    """Takes away channels that nothing waits for until none is left (Kahn)."""
    waiting = {channel: 0 for channel in graph}
    for followers in graph.values():
        for channel in followers:
            waiting[channel] += 1
    free = [channel for channel, count in waiting.items() if count == 0]
    taken = 0
    while free:
        taken += 1
        for channel in graph[free.pop()]:
            waiting[channel] -= 1
            if waiting[channel] == 0:
                free.append(channel)
    return taken == len(graph)
