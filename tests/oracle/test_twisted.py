# SPDX-License-Identifier: Apache-2.0
"""Minimal routing of twisted tori against the oracle: every line, no more and no fewer."""

import json

import pytest

from graph_oracle import Graph, dependencies, examine, walk
from oracle import is_acyclic
from test_routes import read_csv
from twisted_oracle import Twisted

SHAPES = ["rtt:2x1", "rtt:4x2", "rtt:6x3", "rtt:8x4", "rtt:10x5", "ptt:2x1x1", "ptt:4x2x2", "ptt:6x3x3", "ptt:8x4x4",
          "pdtt:2x1x1", "pdtt:4x2x2", "pdtt:6x3x3", "pdtt:8x4x4"]
LARGE = [pytest.param(spec, marks=pytest.mark.long) for spec in ("rtt:24x12", "ptt:10x5x5", "pdtt:10x5x5")]


def route(extorus, spec, *arguments):
    csv = extorus("route", spec, *arguments, "-o", "image", "--csv", "-")
    return read_csv(csv.splitlines()), json.loads(extorus("check", "image", "--json"))


def graph_of(oracle):
    return Graph(oracle.cards, oracle.network.hops)


@pytest.mark.parametrize("spec", SHAPES + LARGE)
def test_dor_and_adaptive(extorus, spec):
    oracle = Twisted(spec)
    routes, graph = oracle.routes(), graph_of(oracle)
    table, check = route(extorus, spec, "--algorithm", "dor")
    assert table == {(card, tc, dest): hop[:2] for (card, dest), hop in routes.items() for tc in range(4)}
    hops, shortest, longer = examine(graph, table, 0)
    assert (hops, longer) == (shortest, 0)
    assert (check["unreachable"], check["non_minimal"], check["cyclic_tcs"]) == (0, 0, [])
    assert check["mean_hops"] == pytest.approx(shortest, abs=1e-9)
    follows = dependencies(graph, table, 0)
    for tc in range(4):
        assert check["tcs"][tc]["dependencies"] == sum(map(len, follows.values()))

    table, check = route(extorus, spec, "--algorithm", "dor", "--adaptive")
    assert table == {(card, tc, dest): (port, vc, ports if tc < 2 else frozenset())
                     for (card, dest), (port, vc, ports) in routes.items() for tc in range(4)}
    distances = {dest: graph.distances(dest) for dest in graph.cards}
    for (card, dest), (_, _, ports) in routes.items():
        nearer = {port for (here, port), (peer, _) in graph.wiring.items()
                  if here == card and distances[dest][peer] < distances[dest][card]}
        assert ports == nearer
    assert (check["unreachable"], check["cyclic_tcs"], check["adaptive"]["faults"]) == (0, [], 0)
    assert check["adaptive"]["max_hops"] == max(max(d.values()) for d in distances.values())


def stays(channel, follower):
    return channel[1] == follower[1]


@pytest.mark.parametrize("spec", SHAPES + LARGE)
def test_bubble(extorus, spec):
    """Only rings are cycles: packets go from one dimension to a higher one, and keep their direction in it."""
    oracle = Twisted(spec, bubble=True)
    graph = graph_of(oracle)
    table, check = route(extorus, spec, "--algorithm", "bubble")
    assert table == {(card, tc, dest): hop[:2] for (card, dest), hop in oracle.routes().items() for tc in range(2)}
    follows = dependencies(graph, table, 0)
    for channel, followers in follows.items():
        for follower in followers - {f for f in followers if stays(channel, f)}:
            assert follower[1][:2] > channel[1][:2]
    rings, seen = 0, set()
    for start in follows:
        ring, channel = [], start
        while channel not in seen:
            seen.add(channel)
            ring.append(channel)
            channel = next((f for f in follows[channel] if stays(channel, f)), None)
            if channel is None:
                break
        rings += bool(ring) and channel == ring[0]
    assert is_acyclic(follows) == (rings == 0)
    assert (check["unreachable"], check["non_minimal"], check["cyclic_tcs"], check["ring_merges"]) == (0, 0, [], 0)
    assert check["tcs"][0]["rings"] == rings
    longest = 2 * oracle.network.radix[1]
    assert (rings > 0) == (longest > 4)


def test_planes_of_a_large_ptt_are_minimal(extorus):
    """1458 PEs: the plane is in the LRT, the ring of dimension 2 in the GRT."""
    extorus("route", "ptt:18x9x9", "--algorithm", "dor", "-o", "image")
    check = json.loads(extorus("check", "image", "--json"))
    assert (check["cards"], check["unreachable"], check["non_minimal"], check["cyclic_tcs"]) == (1458, 0, 0, [])


@pytest.mark.long
def test_planes_of_a_large_ptt(extorus):
    oracle, dests = Twisted("ptt:18x9x9"), (0, 161, 162, 700, 1457)
    extorus("route", "ptt:18x9x9", "--algorithm", "dor", "--csv", "table.csv")
    with open(extorus.folder / "table.csv", encoding="ascii") as lines:
        table = read_csv(lines, set(dests))
    for source in (0, 5, 171, 800, 1457):
        records = oracle.shortest(source)
        for dest in dests:
            assert table[source, 0, dest] == oracle.step(source, oracle.choose(dest, records[dest]))


@pytest.mark.parametrize("spec, says", [
    ("rtt:46x23", "the twist couples the first 2 dimensions, which do not fit the 1024 LRT entries of profile extoll"),
    ("pdtt:18x9x9", "the twist couples the first 3 dimensions"),
    ("rtt:8x4~5:d0+", "without failures, not rtt:8x4~5:d0+; use layered or updown"),
])
def test_refused(extorus, spec, says):
    extorus("route", spec, "--algorithm", "dor", "-o", "image", status=2, stderr=says)
    assert list(extorus.folder.iterdir()) == []


def test_uniform_load_is_near_its_limit(extorus):
    """What ties are spread for: the busiest link has little more than the mean of all."""
    for spec, most in (("rtt:8x4", 1.06), ("rtt:12x6", 1.04), ("pdtt:8x4x4", 1.12)):
        oracle = Twisted(spec)
        graph = graph_of(oracle)
        table, _ = route(extorus, spec, "--algorithm", "dor")
        load = dict.fromkeys(graph.wiring, 0)
        for source in graph.cards:
            for dest in graph.cards - {source}:
                for card, port, _ in walk(graph, table, 0, source, dest):
                    load[card, port] += 1
        assert max(load.values()) * len(load) / sum(load.values()) < most
