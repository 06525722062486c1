# SPDX-License-Identifier: Apache-2.0
"""Minimal routes of RTT, PTT and PDTT, written from the description of the rules.

All ways with the fewest links are walked on the wiring, and one is chosen. The oracle knows neither images nor
places in rings. Standard library only.
"""

import itertools

from networks import Network

UPPER, LOWER = 0, 1


class Twisted:
    def __init__(self, spec, bubble=False):
        self.network, self.bubble = Network(spec), bubble
        self.n = len(self.network.radix)
        self.coupled = 3 if self.network.family == "pdtt" else 2
        self.coordinates = [coordinates for coordinates, _ in self.network.cards]
        self.cards = range(len(self.network.cards))

    def move(self, card, d, sign):
        """A link port's other end; a step along a dimension of one card stays there."""
        return self.network.hops.get((card, f"d{d}{'+' if sign > 0 else '-'}"), (card, None))[0]

    def shortest(self, source):
        """{dest: all records of as few links as there can be}; a record has the signed hops of each dimension."""
        found = {source: [(0,) * self.n]}
        for length in itertools.count(1):
            layer = {}
            for record in itertools.product(range(-length, length + 1), repeat=self.n):
                if sum(map(abs, record)) != length:
                    continue
                card = source
                for d, hops in enumerate(record):
                    for _ in range(abs(hops)):
                        card = self.move(card, d, hops)
                if card not in found:
                    layer.setdefault(card, []).append(record)
            if not layer:
                return found
            found.update(layer)

    def choose(self, dest, records):
        """Fewest hops in dimension s, then s + 1, ..., s the sum of the destination's coordinates; then the positive
        direction where the destination's coordinate is even, the negative one where it is odd."""
        there = self.coordinates[dest]
        first = sum(there[:self.coupled]) % self.coupled
        order = [(first + i) % self.coupled for i in range(self.coupled)]
        signs = [1 if x % 2 == 0 else -1 for x in there]
        return min(records, key=lambda r: ([abs(r[d]) for d in order], [-sign * x for sign, x in zip(signs, r)]))

    def crosses(self, card, d, hops):
        """Whether so many hops come by the place where a ring begins: where the coordinate wraps around, in a twisted
        dimension only on the way into the lower half of dimension 0, or back out of it."""
        sign = 1 if hops > 0 else -1
        for _ in range(abs(hops)):
            there = self.move(card, d, sign)
            first, last = (there, card) if sign > 0 else (card, there)
            if self.coordinates[first][d] == 0 and self.coordinates[last][d] == self.network.radix[d] - 1 and (
                    not 0 < d < self.coupled or self.coordinates[first][0] < self.network.radix[0] // 2):
                return True
            card = there
        return False

    def step(self, card, record):
        """(port, vc) of a packet with this record left"""
        for d, hops in enumerate(record):
            if hops:
                lower = self.crosses(card, d, hops) == (hops > 0)
                return f"d{d}{'+' if hops > 0 else '-'}", LOWER if lower and not self.bubble else UPPER
        return "nic", 0

    def routes(self):
        """{(card, dest): (port, vc, ports of all shortest ways)}"""
        table = {}
        for card in self.cards:
            for dest, records in self.shortest(card).items():
                ports = {f"d{d}{'+' if hops > 0 else '-'}" for r in records for d, hops in enumerate(r) if hops}
                table[card, dest] = *self.step(card, self.choose(dest, records)), frozenset(ports)
        return table
