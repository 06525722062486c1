# SPDX-License-Identifier: Apache-2.0
"""Wiring and figures of all families of topologies, written from their description.

A card is a pair (coordinates, side), and a network is a plain set of one-way hops between (card, port) pairs.
Every search runs from every card, without symmetry. Standard library only.
"""

import itertools
from collections import deque
from fractions import Fraction

LETTERS = {  # Ports of card 0, as published: X, Y, Z are dimensions 0, 1, 2.
    "A": "X+ Y+ Z+", "B": "X+ Y+ Z-", "C": "X+ Y+ Y-", "D": "X+ Y+ X-", "E": "X+ Y- Z+",
    "F": "X+ Y- Z-", "G": "X+ Y- X-", "H": "X+ Z+ Z-", "I": "X+ Z+ X-", "J": "X+ Z- X-",
}


def card0_ports(n, config):
    """The set of ports on card 0 of a twin torus of n dimensions."""
    if config == "best":
        ports = {f"d{d}{sign}" for d in range(n // 2) for sign in "+-"}
        return ports | {f"d{n // 2}-"} if n % 2 else ports
    if config in LETTERS:
        return {f"d{'XYZ'.index(port[0])}{port[1]}" for port in LETTERS[config].split()}
    return {config[i:i + 3] for i in range(0, len(config), 3)}


class Network:
    def __init__(self, spec):
        self.spec = spec
        self.family, rest = spec.split(":")
        radices, _, options = rest.partition(",")
        self.radix = [int(k) for k in radices.split("x")]
        self.config = options.removeprefix("config=") or "best"
        self.directed = self.family in ("manhattan", "pruned-directed")
        sides = (0, 1) if self.family == "twin" else (0,)
        places = itertools.product(*(range(k) for k in reversed(self.radix)), sides)
        self.cards = [(tuple(reversed(place[:-1])), place[-1]) for place in places]
        self.number = {card: i for i, card in enumerate(self.cards)}
        self.hops = {}  # (card number, port) -> (card number, port)
        for coordinates in {c for c, _ in self.cards}:
            for d in range(len(self.radix)):
                self._add(coordinates, d)
        if self.family == "twin":
            for i in range(len(self.cards)):
                self.hops[i, "int"] = (i ^ 1, "int")
        self.next = [[] for _ in self.cards]
        for (card, _), (peer, _) in self.hops.items():
            self.next[card].append(peer)

    def _up(self, coordinates, d):
        """The coordinates one step up in dimension d, or None beyond the rim of a mesh."""
        k, there = self.radix[d], list(coordinates)
        there[d] += 1
        if there[d] == k:
            if self.family == "mesh":
                return None
            there[d] = 0
            if (d == 1 and self.family in ("rtt", "ptt")) or (d > 0 and self.family == "pdtt"):
                there[0] = (there[0] + self.radix[0] // 2) % self.radix[0]
        return tuple(there)

    def _owner(self, port):
        return 0 if self.family != "twin" or port in card0_ports(len(self.radix), self.config) else 1

    def _add(self, here, d):
        """The link from a node upwards in dimension d, in the directions that it has."""
        there = self._up(here, d)
        if there is None or there == here:
            return
        if self.family.startswith("pruned") and d > 0 and here[0] % (len(self.radix) - 1) != d - 1:
            return
        low = self.number[here, self._owner(f"d{d}+")], f"d{d}+"
        high = self.number[there, self._owner(f"d{d}-")], f"d{d}-"
        upwards = (sum(here) - here[d]) % 2 == 0
        if not self.directed or upwards:
            self.hops[low] = high
        if not self.directed or not upwards:
            self.hops[high] = low

    def links(self):
        return len(self.hops) if self.directed else len(self.hops) // 2

    def degree(self):
        return max(map(len, self.next))

    def distance_from(self, source):
        seen, queue = {source: 0}, deque([source])
        while queue:
            card = queue.popleft()
            for peer in self.next[card]:
                if peer not in seen:
                    seen[peer] = seen[card] + 1
                    queue.append(peer)
        assert len(seen) == len(self.cards)
        return seen

    def distances(self):
        """(diameter, mean without self, mean with self) as exact fractions."""
        n, total, furthest = len(self.cards), 0, 0
        for source in range(n):
            seen = self.distance_from(source)
            total += sum(seen.values())
            furthest = max(furthest, *seen.values())
        return furthest, Fraction(total, n * (n - 1)) if n > 1 else Fraction(0), Fraction(total, n * n)

    def loads(self):
        """{(card, port): packets} when one packet goes from each card to each other, evenly over all shortest
        paths: for each link and pair, (paths to it) * (paths from it) / (paths of the pair)."""
        n = len(self.cards)
        far = [self.distance_from(s) for s in range(n)]
        paths = []
        for s in range(n):
            count = {s: 1}
            for card in sorted(range(n), key=far[s].get):
                for peer in self.next[card]:
                    if far[s][peer] == far[s][card] + 1:
                        count[peer] = count.get(peer, 0) + count[card]
            paths.append(count)
        load = {}
        for end, (peer, _) in self.hops.items():
            load[end] = sum(paths[s][end[0]] * paths[peer][t] / paths[s][t] for s in range(n) for t in range(n)
                            if far[s][end[0]] + 1 + far[peer][t] == far[s][t])
        return load

    def cut(self, half):
        """Links from a set of cards to the others, or back if those are fewer."""
        crossing = [(card in half) for (card, _), (peer, _) in self.hops.items() if (card in half) != (peer in half)]
        return min(crossing.count(True), crossing.count(False))

    def plane_cuts(self):
        """Cuts by the first half of the cards in all orders of the digits, the highest one rotated, in a twin torus
        with digits mirrored."""
        cuts, n = set(), len(self.cards)
        radix = [*self.radix, 1 + max(side for _, side in self.cards)]
        digits = [(*coordinates, side) for coordinates, side in self.cards]
        mirrors = itertools.product(*((False, True) if self.family == "twin" else (False,) for _ in radix))
        for mirror, order in itertools.product(mirrors, itertools.permutations(range(len(radix)))):
            top = radix[order[0]]
            seen = [[k - 1 - x if m else x for x, k, m in zip(digit, radix, mirror)] for digit in digits]
            for rotation in range(1 if self.family == "twin" else min(top, 8)):
                keys = [((s[order[0]] + rotation) % top, *(s[d] for d in order[1:]), i) for i, s in enumerate(seen)]
                cuts.add(self.cut({key[-1] for key in sorted(keys)[:n // 2]}))
        return cuts

    def least_cut(self):
        """Over all halves."""
        n = len(self.cards)
        return min(self.cut(set(half)) for half in itertools.combinations(range(n), n // 2))


def twisted_distances(family, a):
    """(diameter, mean with self) of a twisted torus by minimal routing records: the shortest way from the origin
    to the images of a card, which the twisted wrap-arounds put at sums of these vectors."""
    vectors = {"rtt": [(2 * a, 0), (a, a)], "ptt": [(2 * a, 0, 0), (a, a, 0), (0, 0, a)],
               "pdtt": [(2 * a, 0, 0), (a, a, 0), (a, 0, a)]}[family]
    images = [tuple(map(sum, zip(*([f * x for x in v] for f, v in zip(factors, vectors)))))
              for factors in itertools.product((-2, -1, 0, 1, 2), repeat=len(vectors))]
    ranges = [range(2 * a)] + [range(a)] * (len(vectors) - 1)
    records = [min(sum(abs(x - y) for x, y in zip(card, image)) for image in images)
               for card in itertools.product(*ranges)]
    return max(records), Fraction(sum(records), len(records))


def crossings(k, config):
    """Paths through a node of a k x k x k twin torus that cross its internal link. All nodes are alike, so it is
    counted from the displacements: each is a path with its turns, which some source brings to our node."""
    card0, total = card0_ports(3, config), 0
    for displacement in itertools.product(range(k), repeat=3):
        steps = []
        for d, ahead in enumerate(displacement):
            steps += [f"d{d}+"] * ahead if 2 * ahead <= k else [f"d{d}-"] * (k - ahead)
        for before, after in zip(steps, steps[1:]):
            entered = before[:2] + ("-" if before[2] == "+" else "+")
            total += (entered in card0) != (after in card0)
    return total
