# SPDX-License-Identifier: Apache-2.0
"""Which networks look the same from every card and along every link, by automorphisms that are found, and what follows for
the load of links."""

import csv
import io
import json

import pytest


def read_arcs(text):
    """{card: {cards it sends to}}"""
    arcs = {}
    for card, _, peer, _ in list(csv.reader(io.StringIO(text)))[1:]:
        arcs.setdefault(int(card), set()).add(int(peer))
    return arcs


class Automorphisms:
    def __init__(self, arcs):
        self.after = arcs
        self.before = {card: {other for other in arcs if card in arcs[other]} for card in arcs}
        order = [0]  # each card but the first follows one that it is linked to
        for card in order:
            order += sorted((self.after[card] | self.before[card]) - set(order))
        self.order = order

    def find(self, fixed):
        """{card: its image} with the images in `fixed`, or None if there is none."""
        order = [*fixed, *(card for card in self.order if card not in fixed)]
        image, taken, choices = {}, set(), []
        while len(image) < len(order):
            if len(choices) == len(image):
                choices.append(self.options(order[len(image)], image, taken, fixed))
            if choices[-1]:
                image[order[len(image)]] = choice = choices[-1].pop()
                taken.add(choice)
            else:
                choices.pop()
                if not image:
                    return None
                taken.remove(image.pop(order[len(image) - 1]))
        assert sorted(image.values()) == sorted(self.after)
        assert all({image[peer] for peer in self.after[card]} == self.after[image[card]] for card in image)
        return image

    def options(self, card, image, taken, fixed):
        """Where `card` can go when some others have images."""
        found = {fixed[card]} if card in fixed else set(self.after)
        for mine, of_all in ((self.after, self.before), (self.before, self.after)):
            for peer in mine[card] & image.keys():
                found = found & of_all[image[peer]]
        return [to for to in found - taken
                if all(len(side[card] & image.keys()) == len(side[to] & taken) for side in (self.after, self.before))]


def symmetric(arcs):
    """(node-transitive, edge-transitive); the second one is told where the first one holds."""
    group = Automorphisms(arcs)
    if not all(group.find({0: card}) for card in arcs):
        return False, None
    # With every card like card 0, a link is like another one if its end, moved to card 0, is.
    peers = sorted(arcs[0])
    two_way = 0 in arcs[peers[0]]
    return True, all(group.find({0: 0, peers[0]: peer}) or (two_way and group.find({peers[0]: 0, 0: peer})) for peer in peers)


@pytest.mark.parametrize("spec, nodes, edges", [
    ("torus:4x4", True, True), ("torus:5x5", True, True), ("torus:6x3", True, False), ("torus:4x4x4", True, True), ("torus:8", True, True),
    ("rtt:6x3", True, True), ("rtt:8x4", True, True), ("ptt:6x3x3", True, False), ("pdtt:6x3x3", True, True), ("pdtt:8x4x4", True, True),
    ("pruned:4x4x4", True, False), ("pruned:6x6x6", True, False), ("manhattan:4x4", True, True), ("manhattan:6x6", True, True),
    ("manhattan:4x4x4", True, True), ("pruned-directed:4x4x4", True, False), ("mesh:3x3", False, None), ("twin:3x3x3", True, False)])
def test_transitivity(extorus, spec, nodes, edges):
    arcs = read_arcs(extorus("topo", spec, "--csv", "-"))
    assert symmetric(arcs) == (nodes, edges)
    balance = json.loads(extorus("topo", spec, "--json"))["link_balance"]
    assert not edges or balance == pytest.approx(1)


def test_a_link_more_is_noticed():
    ring = {card: {(card + 1) % 8, (card - 1) % 8} for card in range(8)}
    assert symmetric(ring) == (True, True)
    ring[0].add(3)
    assert symmetric(ring) == (False, None)


@pytest.mark.parametrize("a", (2, 4, 6, 8))
@pytest.mark.parametrize("family, degree", [("rtt", 4), ("ptt", 6), ("pdtt", 6)])
def test_effective_bisection_of_twisted_tori(extorus, family, degree, a):
    """Where all links are alike, it is links of a card times cards over four times the mean distance, self included: of RTT 3a
    and of PDTT 24/7 a^2 up to the terms by which the mean distance is below 2a/3 and 7a/8. The plain torus is limited by its
    bisection, 2a and 2a^2, and PTT by the links of its planes."""
    spec = f"{family}:{2 * a}x{a}" + ("" if family == "rtt" else f"x{a}")
    topo = json.loads(extorus("topo", spec, "--json"))
    cards, found = topo["cards"], topo["effective_bisection"]
    exact = {"rtt": 3 * a / (1 - 1 / (4 * a * a)), "ptt": 3 * a * a / (1 - 1 / (4 * a * a)),
             "pdtt": 24 / 7 * a * a / (1 - 2 / (7 * a * a))}[family]
    assert found == pytest.approx(exact)
    if family != "ptt":
        assert found == pytest.approx(degree * cards / (4 * topo["mean_distance_with_self"]))
    plain = json.loads(extorus("topo", f"torus:{2 * a}x{a}" + ("" if family == "rtt" else f"x{a}"), "--json"))
    assert plain["effective_bisection"] == pytest.approx(plain["bisection"]) and found > plain["bisection"]


@pytest.mark.parametrize("k", [4, 8, 12])
def test_links_of_a_pruned_torus_cannot_have_equal_load(extorus, k):
    """Published: they have. But half of all packets cross the k^2 links of the bisection, which so carry k/4 per card's packet,
    more than the mean over all links from k = 4 on."""
    topo = json.loads(extorus("topo", f"pruned:{k}x{k}x{k}", "--json"))
    across, equal = k**3 / 4 / topo["bisection"], topo["mean_distance_with_self"] / 4
    assert across == k / 4 > equal and topo["link_balance"] <= equal / across
