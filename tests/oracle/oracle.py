# SPDX-License-Identifier: Apache-2.0
"""Torus, mesh and twin torus, DOR, TS-DOR, DORT, bubble and adaptive, written from the description of the rules.

A packet is followed step by step from its source; nothing is tabulated, so that this shares no
structure with the library it is compared with. Steps and moves that were taken before are remembered.
Standard library only.
"""

import functools
import itertools
from collections import deque

from networks import card0_ports

UPPER, LOWER = 0, 1


class Network:
    """spec is like "twin:4x4x2" or "twin:4x4x2,config=C". A place is (coordinates, side); side is always 0 in a torus. Without
    an algorithm it is DOR in a torus and TS-DOR in a twin torus. ties: "positive", "coordinate" or "source"; without, those of
    the algorithm. classic: the VCs of long rings as the literature has them. free: candidates to cross wherever that helps."""

    def __init__(self, spec, algorithm=None, ties=None, classic=False, free=False):
        kind, rest = spec.split(":")
        radices, _, options = rest.partition(",")
        self.twin, self.mesh = kind == "twin", kind == "mesh"
        self.algorithm = algorithm or ("ts-dor" if self.twin else "dor")
        self.ties = ties or ("source" if self.algorithm == "ts-dor" else "coordinate")
        self.classic, self.free = classic, free
        self.radix = [int(r) for r in radices.split("x")]
        n = len(self.radix)
        every = {f"d{dimension}{sign}" for dimension in range(n) for sign in "-+"}
        mine = card0_ports(n, options.removeprefix("config=") or "best") if self.twin else every
        self.ports = [every & mine, every - mine]
        # Per dimension the card with both ports, or None where they are on different cards.
        owners = [{self._owner(dimension, sign) for sign in "-+"} for dimension in range(n)]
        self.owners = [min(cards) if len(cards) == 1 else None for cards in owners]
        self.splits = [dimension for dimension in range(n) if self.owners[dimension] is None]
        # The card whose packets TS-DOR sends in ascending order: the lower dimensions are its own.
        self.first = next((card for card in self.owners if card is not None), 0)
        sides = (0, 1) if self.twin else (0,)
        # itertools.product runs its last factor fastest; dimension 0 is the fastest digit.
        self.places = [(tuple(reversed(c)), side)
                       for c in itertools.product(*(range(k) for k in reversed(self.radix))) for side in sides]
        self.number = {place: i for i, place in enumerate(self.places)}
        self.step = functools.lru_cache(maxsize=2**18)(self.step)
        self.move = functools.lru_cache(maxsize=2**18)(self.move)

    def _owner(self, dimension, sign):
        return 0 if f"d{dimension}{sign}" in self.ports[0] else 1

    def _groups(self):
        """{dimension: number of its run among those of the same card}; a run is of dimensions one after the other."""
        numbers, runs = {}, {0: 0, 1: 0}
        for owner, run in itertools.groupby(range(len(self.radix)), lambda d: self.owners[d]):
            if owner is not None:
                numbers.update(dict.fromkeys(run, runs[owner]))
                runs[owner] += 1
        return numbers

    def has_link(self, place, port):
        """Not beyond the rim of a mesh."""
        return not self.mesh or 0 <= place[0][int(port[1])] + (1 if port[2] == "+" else -1) < self.radix[int(port[1])]

    def move(self, place, port):
        """Where a link port leads."""
        assert self.has_link(place, port), f"{place} has no link {port}"
        coordinates, side = place
        if port == "int":
            return coordinates, 1 - side
        dimension, sign = int(port[1]), port[2]
        step = 1 if sign == "+" else -1
        moved = list(coordinates)
        moved[dimension] = (moved[dimension] + step) % self.radix[dimension]
        return tuple(moved), self._owner(dimension, "-" if sign == "+" else "+")

    def _signs(self, dimension, here, there):
        """The minimal directions: both at a tie."""
        if self.mesh:
            return "+" if there > here else "-"
        up = (there - here) % self.radix[dimension]
        down = (here - there) % self.radix[dimension]
        return "+" * (up <= down) + "-" * (down <= up)

    def _sign(self, dimension, here, there, side, source_side):
        signs = self._signs(dimension, here, there)
        if len(signs) == 1:
            return signs
        if dimension in self.splits:
            # TS-DOR: the port of the source's card. The others, which do not know the source: of this card.
            if self.algorithm != "ts-dor" and self.ties == "positive":
                return "+"
            return "+" if f"d{dimension}+" in self.ports[source_side if self.algorithm == "ts-dor" else side] else "-"
        backwards = {"positive": False, "coordinate": here % 2 == 1, "source": source_side == 1}[self.ties]
        return "-" if backwards else "+"

    def _ring_vc(self, dimension, sign, here, there):
        """LOWER in the positive direction, UPPER in the negative one, for packets that still have to go round the end, and
        in longer rings for those to the first half of the places that nobody reaches round the end. In a mesh, that of the
        parity of the destination's coordinate."""
        if self.mesh:
            return there % 2
        k = self.radix[dimension]
        order = list(range(k)) if sign == "+" else list(reversed(range(k)))
        unreached = order[k // 2:] if self.algorithm in ("dor", "ts-dor") and k >= 6 and not self.classic else []
        early = order.index(there) < order.index(here) or there in [c for c in unreached if 4 * order.index(c) < 3 * k]
        return LOWER if early == (sign == "+") else UPPER

    def _internal_vc(self, side, why, dimension, ring_vc, source_side):
        """why: "dimension" (the port of a dimension that is not split), "split" or "pe"."""
        if self.algorithm in ("dort", "bubble"):
            groups, rings = self._groups(), 2 if self.algorithm == "dort" else 1
            before, splits = 1 + max(groups.values(), default=-1), len(self.splits)
            if before < 2 and splits < 2:  # the published numbers, also of what is not there
                before = splits = 1
            if why == "dimension":
                return groups[dimension]
            if why == "pe":
                return before + rings * splits
            return before + rings * self.splits.index(dimension) + (ring_vc if rings == 2 else 0)
        if why == "split":
            return ring_vc
        # As packets that have only to leave the ring of the split dimension in the direction of this crossing.
        sign = next((sign for d in self.splits for sign in "-+" if self._owner(d, sign) != side), "+-"[side])
        last, other = (UPPER, LOWER) if sign == "+" else (LOWER, UPPER)
        if why == "dimension" and side != source_side:
            # Only after an adaptive hop in the split dimension: a dimension of the source's own card is
            # left. The VC is that of this direction before the wrap-around of the split dimension.
            return other
        return last

    def step(self, place, dest, source_side):
        """(port, vc) that a packet from a PE of source_side takes at this place."""
        coordinates, side = place
        order = range(len(self.radix))
        if self.algorithm == "ts-dor" and source_side != self.first:
            order = reversed(order)
        for dimension in order:
            here, there = coordinates[dimension], dest[0][dimension]
            if here == there:
                continue
            sign = self._sign(dimension, here, there, side, source_side)
            ring_vc = self._ring_vc(dimension, sign, here, there)
            port = f"d{dimension}{sign}"
            if port in self.ports[side]:
                return port, 0 if self.algorithm == "bubble" else ring_vc
            why = "split" if dimension in self.splits else "dimension"
            return "int", self._internal_vc(side, why, dimension, ring_vc, source_side)
        if side != dest[1]:
            return "int", self._internal_vc(side, "pe", None, 0, source_side)
        return "nic", 0

    def candidates(self, place, dest, source_side):
        """Ports whose adaptive VC such a packet may take."""
        coordinates, side = place
        ports = {f"d{dimension}{sign}"
                 for dimension, (here, there) in enumerate(zip(coordinates, dest[0])) if here != there
                 for sign in self._signs(dimension, here, there)}
        helps = self.free and bool(ports & self.ports[1 - side])
        ports &= self.ports[side]
        if helps or self.step(place, dest, source_side)[0] == "int":
            ports.add("int")
        return ports

    @staticmethod
    def arrival(port):
        """The port at the other end of a link."""
        return port if port == "int" else port[:-1] + {"+": "-", "-": "+"}[port[-1]]

    def reached(self, dest, source_side):
        """{place: most links that a packet can take from there}, over candidates and escapes; fails if the
        candidates lead round. No card takes a candidate back by the link of arrival."""
        longest = {}

        def visit(place, arrival):
            if (place, arrival) not in longest:
                longest[place, arrival] = None
                way = len(self.walk(place, dest, source_side)) - 1
                for port in self.candidates(place, dest, source_side) - {arrival}:
                    way = max(way, 1 + visit(self.move(place, port), self.arrival(port)))
                longest[place, arrival] = way
            assert longest[place, arrival] is not None, f"{place} to {dest}: candidates lead round"
            return longest[place, arrival]

        for source in self.sources(source_side):
            visit(source, None)
        return {place: max(way for (there, _), way in longest.items() if there == place)
                for place in {place for place, _ in longest}} if self.free else {place: way for (place, _), way in longest.items()}

    def walk(self, source, dest, source_side=None):
        """[(place, port, vc), ...] to the NIC; gives up on packets that go round. source_side: of a packet
        that has come to `source` from elsewhere."""
        place, way = source, []
        source_side = source[1] if source_side is None else source_side
        while True:
            port, vc = self.step(place, dest, source_side)
            way.append((place, port, vc))
            if port == "nic":
                return way
            place = self.move(place, port)
            if len(way) > 10 * len(self.places):
                raise AssertionError(f"{source} to {dest} does not arrive")

    def source_sides(self):
        """The kinds of sources, which use TCs of their own; None: all alike."""
        return (0, 1) if self.algorithm == "ts-dor" else (None,)

    def sources(self, source_side):
        return [place for place in self.places if source_side in (None, place[1])]

    def tcs(self, source_side):
        """Traffic classes of a source: four with DOR and TS-DOR, two in the profiles of the others."""
        if self.algorithm in ("dort", "bubble"):
            return (0, 1)
        if source_side is None:
            return (0, 1, 2, 3)
        return (0, 2) if source_side == 0 else (1, 3)

    def routes(self, dests=None, adaptive=()):
        """{(card, tc, dest): (port, vc)} of all packets to `dests` (default: all PEs), in the TCs
        `adaptive` from wherever candidates lead."""
        table = {}
        for dest in self.places if dests is None else (self.places[d] for d in dests):
            for source_side in self.source_sides():
                for tc in self.tcs(source_side):
                    starts = self.reached(dest, source_side) if tc in adaptive else self.sources(source_side)
                    for start in starts:
                        for place, port, vc in self.walk(start, dest, source_side):
                            key = self.number[place], tc, self.number[dest]
                            if table.setdefault(key, (port, vc)) != (port, vc):
                                raise AssertionError(f"{place} to {dest}: two routes in one TC")
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
                    there = self.move(place, port) if self.has_link(place, port) else place
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


def continues_ring(network, channel, follower):
    """Whether a packet stays in a ring: straight on in a dimension, in a split one by the VC of the internal link that is the
    dimension's."""
    (card, port, vc), (there, next_port, next_vc) = channel, follower
    if "int" not in (port, next_port):
        return port == next_port
    outside, crossing, on_link = (next_port, card, vc) if port == "int" else (port, there, next_vc)
    if "int" == outside:
        return False
    dimension = int(outside[1])
    if dimension not in network.splits or on_link != network._internal_vc(crossing % 2, "split", dimension, 0, None):
        return False
    # To the card that has the port of the same direction: this is the outside port, or the one on from there.
    sign = outside[2]
    return network._owner(dimension, sign) == (there % 2 if port == "int" else 1 - there % 2)


def bubble_safe(network, graph):
    """(safe, rings): channels that a ring joins are one vertex; then nothing may wait in a circle, and
    within such a vertex only the ring goes on."""
    parent = {channel: channel for channel in graph}

    def root(channel):
        while parent[channel] != channel:
            channel = parent[channel]
        return channel

    on = {channel: {f for f in graph[channel] if continues_ring(network, channel, f)} for channel in graph}
    for channel, followers in on.items():
        for follower in followers:
            parent[root(follower)] = root(channel)
    quotient = {root(channel): set() for channel in graph}
    for channel, followers in graph.items():
        quotient[root(channel)] |= {root(f) for f in followers - on[channel]}
    predecessors = [f for followers in on.values() for f in followers]
    members = {}
    for channel in graph:
        members.setdefault(root(channel), set()).add(channel)
    rings = sum(not is_acyclic({c: on[c] for c in part}) for part in members.values())
    return is_acyclic(quotient) and len(predecessors) == len(set(predecessors)), rings


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
