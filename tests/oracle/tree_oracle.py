# SPDX-License-Identifier: Apache-2.0
"""k-ary n-trees and DESTRO, written from their description: switches are (level, digits), end nodes tuples of digits.

A packet goes up until its end node is below the switch, which is looked up in the wiring; its port is the digit of the
destination at that level. Standard library only.
"""

import itertools


class Tree:
    """nics: NIC ports of a card of the profile."""

    def __init__(self, k, n, cards=1, links=0, apart=False, nics=4):
        self.k, self.n, self.cards, self.links, self.apart, self.nics = k, n, cards, links, apart, nics
        digits = [tuple(reversed(w)) for w in itertools.product(range(k), repeat=n - 1)]
        order = [(level, w, part) for level in range(n) for w in digits for part in range(cards)]
        if apart:  # all first parts, then all second parts
            order.sort(key=lambda place: place[2])
        self.places, self.number = order, {place: i for i, place in enumerate(order)}
        self.ends = [tuple(reversed(p)) for p in itertools.product(range(k), repeat=n)]
        self.wiring = {}  # (card, port) -> (card, port)
        for level, w in itertools.product(range(n - 1), digits):
            for up in range(k):
                above = tuple(up if at == level else digit for at, digit in enumerate(w))
                self._join((level, w, self.part("up", up)), f"up{up}", (level + 1, above, self.part("down", w[level])),
                           f"down{w[level]}")
        for level, w in itertools.product(range(n), digits):
            for a, b in itertools.combinations(range(cards), 2):
                for link in range(links):
                    self._join((level, w, a), f"int{b}.{link}", (level, w, b), f"int{a}.{link}")
        self.pe = {}  # end node -> PE
        for p in self.ends:
            card = self.number[0, p[1:], self.part("down", p[0])]
            self.pe[p] = card * nics + (p[0] if apart else p[0] % (k // cards))
        self.below = {}
        for level, w, _ in order:
            reached = {(level, w)}
            for lower in range(level, 0, -1):
                reached = {(lower - 1, tuple(d if at == lower - 1 else digit for at, digit in enumerate(v)))
                           for _, v in reached for d in range(k)}
            self.below[level, w] = {(d, *v) for _, v in reached for d in range(k)}

    def _join(self, a, port_a, b, port_b):
        ends = (self.number[a], port_a), (self.number[b], port_b)
        for end, other in (ends, ends[::-1]):
            assert end not in self.wiring
            self.wiring[end] = other

    def part(self, side, digit):
        return (side == "up") if self.apart else digit // (self.k // self.cards)

    def step(self, card, dest):
        level, w, part = self.places[card]
        side = "down" if dest in self.below[level, w] else "up"
        digit = dest[level]
        there = int(self.part(side, digit))
        if there != part:
            above = dest[level + 1] if level + 1 < self.n else 0
            own = digit if self.apart else digit % (self.k // self.cards)
            return f"int{there}.{(own + above) % self.links}"
        if level == 0 and side == "down":
            return f"nic{self.pe[dest] % self.nics}" if self.nics > 1 else "nic"
        return f"{side}{digit}"

    def walk(self, source, dest):
        """[(card, port), ...], the last one the NIC."""
        card, way = self.pe[source] // self.nics, []
        while True:
            way.append((card, self.step(card, dest)))
            if way[-1][1].startswith("nic"):
                assert card == self.pe[dest] // self.nics
                return way
            card = self.wiring[way[-1]][0]
            assert len(way) <= 4 * self.n

    def routes(self):
        """{(card, dest PE): port}"""
        return {(card, self.pe[dest]): port for source in self.ends for dest in self.ends
                for card, port in self.walk(source, dest)}

    def connections(self):
        """{kind: {(switch, port in, port out), ...}} of all packets, and those of them that cross an internal link."""
        used, internal = ({kind: set() for kind in ("forward", "turnaround", "backward")} for _ in range(2))
        for source in self.ends:
            for dest in self.ends:
                if source == dest:
                    continue
                came, crossed = f"down{source[0]}", False
                for card, port in self.walk(source, dest):
                    switch = self.places[card][:2]
                    if port.startswith("int"):
                        crossed = True
                        continue
                    out = f"down{dest[0]}" if port.startswith("nic") else port
                    kind = "forward" if out.startswith("up") else "turnaround" if came.startswith("down") else "backward"
                    used[kind].add((switch, came, out))
                    if crossed:
                        internal[kind].add((switch, came, out))
                    came, crossed = self.wiring.get((card, port), (0, ""))[1], False
        return used, internal


def of_spec(spec, nics=4):
    """Of tree:k=4,n=5,cards=2,links=1,ports=apart"""
    words = dict(word.split("=") for word in spec.partition(":")[2].split(","))
    return Tree(int(words["k"]), int(words["n"]), int(words.get("cards", 1)), int(words.get("links", 0)),
                words.get("ports") == "apart", nics)
