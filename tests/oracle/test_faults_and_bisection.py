# SPDX-License-Identifier: Apache-2.0
"""Fault diameter by letting every set of links or cards fail, bisection by trying every half."""

import itertools
import json
import math
import random
from collections import deque

import pytest

from graph_oracle import random_graph
from networks import Network


def arcs_of_network(network):
    """[(card, peer, link)]: both directions of a two-way link have one number."""
    number, arcs = {}, []
    for here, there in network.hops.items():
        link = number.setdefault(here if network.directed else frozenset((here, there)), len(number))
        arcs.append((here[0], there[0], link))
    return len(network.cards), arcs


def arcs_of_file(network):
    both = [(a, b, i) for i, (a, _, b, _) in enumerate(network["links"])]
    return network["cards"], both + [(b, a, i) for a, b, i in both]


def diameter(cards, arcs, failed_links=(), failed_cards=()):
    """None if some card does not reach another one."""
    after = [[] for _ in range(cards)]
    for here, there, link in arcs:
        if link not in failed_links and here not in failed_cards and there not in failed_cards:
            after[here].append(there)
    left, furthest = [card for card in range(cards) if card not in failed_cards], 0
    for source in left:
        seen, queue = {source: 0}, deque([source])
        while queue:
            card = queue.popleft()
            for peer in after[card]:
                if peer not in seen:
                    seen[peer] = seen[card] + 1
                    queue.append(peer)
        if len(seen) < len(left):
            return None
        furthest = max(furthest, *seen.values())
    return furthest


def largest(cards, arcs, faults, of_cards):
    """The largest diameter over all sets of so many faults; None if one of them cuts a card off."""
    everything = range(cards) if of_cards else {link for _, _, link in arcs}
    found = 0
    for failed in itertools.combinations(everything, faults):
        now = diameter(cards, arcs, **{"failed_cards" if of_cards else "failed_links": set(failed)})
        if now is None:
            return None
        found = max(found, now)
    return found


def check_fault_diameters(topo, cards, arcs, ends, stated=None):
    for of_cards, found in enumerate((topo["fault_diameter"]["links"], topo["fault_diameter"]["cards"])):
        faults = found["faults"]
        assert faults == (found["connectivity"] - 1 if stated is None else stated)
        assert found["diameter"] == largest(cards, arcs, faults, of_cards)
        everything = cards if of_cards else len({link for _, _, link in arcs})
        if faults + 1 == found["connectivity"] and not (of_cards and faults + 2 >= cards) and (
                math.comb(everything, faults + 1) < 1000):
            assert largest(cards, arcs, faults + 1, of_cards) is None
        # The case that is named: so far from each other are these two cards in it.
        assert len(found["failed"]) <= faults
        failed = set(found["failed"]) if of_cards else {ends[card, port] for card, port in found["failed"]}
        assert diameter(cards, arcs, **{"failed_cards" if of_cards else "failed_links": failed}) == found["diameter"]
        left = [arc for arc in arcs if not (failed & set(arc[:2]) if of_cards else arc[2] in failed)]
        source, dest = found["between"]
        reached = {source}
        for _ in range(found["diameter"]):
            assert dest not in reached or found["diameter"] == 0
            reached |= {there for here, there, _ in left if here in reached}
        assert dest in reached


def links_by_end(network):
    number = {}
    for here, there in network.hops.items():
        number.setdefault(here if network.directed else frozenset((here, there)), len(number))
    return {here: number[here if network.directed else frozenset((here, there))]
            for here, there in network.hops.items()}


@pytest.mark.parametrize("spec", [
    "torus:2", "torus:5", "torus:3x3", "mesh:4", "mesh:3x4", "twin:3", "twin:3x2", "twin:3x3", "rtt:4x2", "manhattan:2x4",
    "manhattan:4x4", "manhattan:2x2x2", "pruned-directed:4x4", *(pytest.param(spec, marks=pytest.mark.long) for spec in (
        "torus:4x3", "torus:4x4", "torus:2x2x2", "mesh:3x2x2", "twin:2x2x2", "rtt:6x3", "pruned:3x4", "pruned:2x2x3",
        "pruned-directed:2x4x2"))])
def test_fault_diameter(extorus, spec):
    network = Network(spec)
    topo = json.loads(extorus("topo", spec, "--fault-diameter", "--json"))
    check_fault_diameters(topo, *arcs_of_network(network), links_by_end(network))


@pytest.mark.parametrize("spec, most", [("torus:3x3", 3), ("mesh:3x4", 1), ("twin:3x2", 1), ("twin:3x3", 2), ("manhattan:2x4", 1)])
def test_stated_number_of_faults(extorus, spec, most):
    network = Network(spec)
    for faults in range(most + 1):
        topo = json.loads(extorus("topo", spec, "--faults", str(faults), "--json"))
        check_fault_diameters(topo, *arcs_of_network(network), links_by_end(network), faults)
        if faults == 0:
            assert topo["fault_diameter"]["links"]["diameter"] == topo["diameter"]
    extorus("topo", spec, "--faults", str(most + 1), status=2,
            stderr=f"{most + 1} failed links can take all ways from a card to another one; let {most} or fewer fail")


@pytest.mark.parametrize("seed", range(12))
def test_fault_diameter_of_random_graphs(extorus, seed):
    _, network = random_graph(seed, most_cards=9, ports=4)
    (extorus.folder / "net.json").write_text(json.dumps(network))
    topo = json.loads(extorus("topo", "file:net.json", "--fault-diameter", "--json"))
    ends = {(a, f"p{p}"): i for i, (a, p, _, _) in enumerate(network["links"])}
    ends.update({(b, f"p{q}"): i for i, (_, _, b, q) in enumerate(network["links"])})
    check_fault_diameters(topo, *arcs_of_file(network), ends)


@pytest.mark.parametrize("spec, dimension", [("torus:4x4", 4), ("torus:4x4x4", 6)])
def test_hypercubes(extorus, spec, dimension):
    """A torus of radix 4 is a hypercube, whose fault diameter is known: n + 1 (Krishnamoorthy and Krishnamurthy,
    "Fault diameter of interconnection networks", 1987)."""
    topo = json.loads(extorus("topo", spec, "--fault-diameter", "--json"))
    for found in topo["fault_diameter"].values():
        assert (found["connectivity"], found["diameter"]) == (dimension, dimension + 1)


def test_fault_diameters_are_refused(extorus):
    extorus("topo", "torus:33x32", "--fault-diameter", status=2, stderr="in networks of up to 1024 cards, not 1056")
    extorus("topo", "torus:4x4", "--faults", "17", status=2, stderr="--faults: \"17\" is not a number from 0 to 16")
    extorus("topo", "torus:4x4", "--faults", "-1", status=2, stderr="--faults: \"-1\" is not")
    text = extorus("topo", "torus:4x4", "--fault-diameter")
    assert "fault diameter 5 when any 3 links fail (4 can cut a card off); for example from 0 to " in text


@pytest.mark.long
def test_too_many_cases_are_refused(extorus):
    """A random network in which each card has six links: no card is like another one."""
    draw, n = random.Random(1), 1000
    pairs = [(0, 0)]
    while any(a == b for a, b in pairs):
        ends = [card for card in range(n) for _ in range(6)]
        draw.shuffle(ends)
        pairs = list(zip(ends[::2], ends[1::2]))
        for i, (a, b) in enumerate(pairs):
            c, d = pairs[j := draw.randrange(len(pairs))]
            if a == b:
                pairs[i], pairs[j] = (a, c), (b, d)
    free = {card: list(range(6)) for card in range(n)}
    network = {"cards": n, "links": [[a, free[a].pop(), b, free[b].pop()] for a, b in pairs]}
    (extorus.folder / "net.json").write_text(json.dumps(network))
    extorus("topo", "file:net.json", "--fault-diameter", status=2, stderr="let fewer fail")
    found = json.loads(extorus("topo", "file:net.json", "--faults", "1", "--json"))
    assert found["fault_diameter"]["links"]["faults"] == 1


def test_wrong_fault_diameters_are_noticed(extorus):
    network = Network("torus:3x3")
    topo = json.loads(extorus("topo", "torus:3x3", "--fault-diameter", "--json"))
    for kind in ("links", "cards"):
        for key, change in (("diameter", 1), ("diameter", -1), ("connectivity", -1), ("faults", -1)):
            found = {**topo["fault_diameter"][kind]}
            found[key] += change
            if key == "connectivity":
                found["faults"] -= 1
            with pytest.raises(AssertionError):
                check_fault_diameters({"fault_diameter": {**topo["fault_diameter"], kind: found}},
                                      *arcs_of_network(network), links_by_end(network))


def least_cut(cards, arcs, left):
    """Over all halves of the cards that are left; each two-way link is two arcs."""
    many = [[0] * cards for _ in range(cards)]
    for here, there, _ in arcs:
        many[here][there] += 1
    layers = [[sum(1 << there for there in range(cards) if many[here][there] > n) for here in range(cards)]
              for n in range(max(map(max, many)))]
    best = len(arcs)
    for half in itertools.combinations(left, len(left) // 2):
        inside = sum(1 << card for card in half)
        best = min(best, sum((layer[card] & ~inside).bit_count() for layer in layers for card in half))
    return best


@pytest.mark.parametrize("seed", range(16))
def test_bisection_of_small_graphs(extorus, seed):
    _, network = random_graph(seed, most_cards=14)
    (extorus.folder / "net.json").write_text(json.dumps(network))
    topo = json.loads(extorus("topo", "file:net.json", "--json"))
    cards, arcs = arcs_of_file(network)
    assert topo["bisection_method"] == "exhaustive: the least cut of all halves"
    assert topo["bisection"] == topo["bisection_at_least"] == least_cut(cards, arcs, range(cards))


def test_bisection_of_a_small_network_with_failures(extorus):
    network = Network("torus:4x4")
    ends = links_by_end(network)
    cards, arcs = arcs_of_network(network)
    topo = json.loads(extorus("topo", "torus:4x4~5~0:d0+~10:d1-", "--json"))
    gone = {ends[0, "d0+"], ends[10, "d1-"]}
    left = [arc for arc in arcs if arc[2] not in gone and 5 not in arc[:2]]
    assert topo["bisection"] == topo["bisection_at_least"] == least_cut(cards, left, set(range(cards)) - {5})


def random_network(cards, links, seed):
    draw = random.Random(seed)
    free = {card: list(range(6)) for card in range(cards)}
    network = []

    def link(a, b):
        network.append([a, free[a].pop(), b, free[b].pop()])

    for card in range(1, cards):
        link(card, draw.choice([c for c in range(card) if len(free[c]) > 1]))
    while len(network) < links:
        a, b = draw.sample(range(cards), 2)
        if free[a] and free[b]:
            link(a, b)
    return {"cards": cards, "links": network}


@pytest.mark.parametrize("cards, links, seed", [
    (21, 24, 1), (21, 40, 2), pytest.param(22, 60, 3, marks=pytest.mark.long), pytest.param(23, 50, 4, marks=pytest.mark.long),
    pytest.param(24, 44, 5, marks=pytest.mark.long), pytest.param(24, 70, 6, marks=pytest.mark.long)])
def test_bounds_of_the_bisection_hold(extorus, cards, links, seed):
    """Just beyond what the command tries exhaustively."""
    network = random_network(cards, links, seed)
    (extorus.folder / "net.json").write_text(json.dumps(network))
    topo = json.loads(extorus("topo", "file:net.json", "--json"))
    least = least_cut(*arcs_of_file(network), range(cards))
    assert "partitioner" in topo["bisection_method"]
    assert topo["bisection_at_least"] <= least == topo["bisection"]
    assert topo["bisection_at_least"] > 0.7 * least - 1


def as_file(network):
    ports, links = {}, []
    for here, there in network.hops.items():
        ports.setdefault(here, sum(card == here[0] for card, _ in ports))
    for here, there in network.hops.items():
        if here < there:
            links.append([here[0], ports[here], there[0], ports[there]])
    return {"cards": len(network.cards), "links": links}


@pytest.mark.parametrize("spec", ["torus:6x6", "torus:8x8", "torus:4x4x4", "mesh:6x6", "mesh:8x3", "pruned:4x4x4"])
def test_partitioner_finds_the_closed_forms(extorus, spec):
    """The same network by its rule and, without it, from a file."""
    by_rule = json.loads(extorus("topo", spec, "--json"))
    (extorus.folder / "net.json").write_text(json.dumps(as_file(Network(spec))))
    found = json.loads(extorus("topo", "file:net.json", "--json"))
    assert by_rule["bisection_method"].startswith("closed form") and "partitioner" in found["bisection_method"]
    assert found["bisection"] == found["bisection_at_least"] == by_rule["bisection"]
    for key in ("cards", "links", "degree", "diameter", "mean_distance"):
        assert found[key] == pytest.approx(by_rule[key])


@pytest.mark.parametrize("spec", ["twin:4x4x2", "rtt:8x4", "torus:5x5", "twin:3x3x3"])
def test_partitioner_against_planes(extorus, spec):
    network = Network(spec)
    (extorus.folder / "net.json").write_text(json.dumps(as_file(network)))
    found = json.loads(extorus("topo", "file:net.json", "--json"))
    assert found["bisection_at_least"] <= found["bisection"] <= min(network.plane_cuts())


def test_one_link_of_a_torus(extorus):
    """Without a link of the planes that are cut there is one less, and nothing better."""
    topo = json.loads(extorus("topo", "torus:8x8~0:d0+", "--json"))
    assert topo["bisection"] == topo["bisection_at_least"] == 15


@pytest.mark.long
def test_too_many_cards_for_a_lower_bound(extorus):
    topo = json.loads(extorus("topo", "torus:50x42~0:d0+", "--json"))
    assert (topo["bisection"], topo["bisection_at_least"]) == (83, 0)
    assert topo["bisection_method"] == "upper bound by a partitioner; too many cards for a lower one"
