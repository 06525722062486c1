# SPDX-License-Identifier: Apache-2.0
"""The routing function that an image encodes, against the oracle: every line, no more and no fewer."""

import json

import pytest
from oracle import Network, dependencies, is_acyclic

SHAPES = [
    "torus:1", "torus:2", "torus:5", "torus:1x1", "torus:2x3", "torus:4x4", "torus:5x1", "torus:3x5", "torus:4x5",
    "torus:2x2x2", "torus:3x3x3", "torus:1x4x2", "torus:4x3x5", "torus:5x4x2",
    "twin:1", "twin:2", "twin:4", "twin:5", "twin:1x1", "twin:2x2", "twin:4x4", "twin:3x5", "twin:5x2", "twin:1x4",
    "twin:1x1x1", "twin:2x2x2", "twin:3x3x3", "twin:4x4x4", "twin:5x4x3", "twin:2x5x4", "twin:4x1x3", "twin:3x2x1",
    "twin:2x2x2x2", "twin:3x2x4x2", "twin:1x4x2x3", "twin:4x3x2x3",
    "twin:2x2x2x2x2", "twin:4x3x2x2x1", "twin:2x1x4x1x3", "twin:3x2x2x3x2", "twin:1x2x5x2x2", "twin:2x3x3x2x2",
]


def algorithm(spec):
    return "ts-dor" if spec.startswith("twin") else "dor"


def read_csv(lines, dests=None):
    """{(card, tc, dest): (port, vc)}; the lines must be in order and without duplicates."""
    lines = iter(lines)
    assert next(lines).rstrip() == "card,tc,dest,port,vc"
    table, last = {}, (-1, -1, -1)
    for line in lines:
        card, tc, dest, port, vc = line.rstrip().split(",")
        if dests is not None and int(dest) not in dests:
            continue
        key = int(card), int(tc), int(dest)
        assert key > last
        last = key
        table[key] = port, int(vc)
    return table


@pytest.mark.parametrize("spec", SHAPES)
def test_routes_figures_and_dependencies(extorus, spec):
    network = Network(spec)
    csv = extorus("route", spec, "--algorithm", algorithm(spec), "-o", "image", "--csv", "-")
    table = read_csv(csv.splitlines())
    assert table == network.routes()
    for tc in range(4):
        assert is_acyclic(dependencies(network, table, tc))

    pes = len(network.places)
    max_hops, mean_hops = network.hop_figures()
    check = json.loads(extorus("check", "image", "--json"))
    assert check["pairs"] == pes * (pes - 1)
    assert check["unreachable"] == 0
    assert check["max_hops"] == max_hops
    assert check["mean_hops"] == pytest.approx(mean_hops, abs=1e-9)
    assert check["cyclic_tcs"] == []
    for tc in range(4):
        graph = dependencies(network, table, tc)
        assert check["tcs"][tc]["channels"] == len(graph)
        assert check["tcs"][tc]["dependencies"] == sum(map(len, graph.values()))

    topology = json.loads(extorus("topo", spec, "--json"))
    diameter, mean = network.distances()
    assert (topology["cards"], topology["pes"]) == (pes, pes)
    assert topology["diameter"] == diameter
    assert topology["mean_distance_with_self"] == pytest.approx(mean, abs=1e-9)


@pytest.mark.parametrize("spec, pes, max_hops, mean_hops", [
    ("twin:4x4x2x2x2", 256, 8, 4.4392),
    ("twin:3x2x4x2x3", 288, 8, 4.7666),
    ("torus:8x8x4", 256, 10, 5.0196),
])
def test_published_figures(extorus, spec, pes, max_hops, mean_hops):
    extorus("route", spec, "--algorithm", algorithm(spec), "-o", "image")
    check = json.loads(extorus("check", "image", "--json"))
    assert check["cards"] == pes
    assert check["max_hops"] == max_hops
    assert check["mean_hops"] == pytest.approx(mean_hops, abs=5e-5)
    assert check["cyclic_tcs"] == []


def compare_some_destinations(extorus, spec, dests, *options):
    network = Network(spec)
    extorus("route", spec, "--algorithm", algorithm(spec), "--csv", "table.csv", *options)
    with open(extorus.folder / "table.csv", encoding="ascii") as lines:
        table = read_csv(lines, dests)
    expected = network.routes(sorted(dests))
    if "mini" in options:
        expected = {key: hop for key, hop in expected.items() if key[1] == 0}
    assert table == expected


@pytest.mark.parametrize("spec", ["torus:20x4", "torus:33x3", "torus:64x4"])
def test_global_table_of_a_small_profile(extorus, spec):
    pes = len(Network(spec).places)
    compare_some_destinations(extorus, spec, set(range(0, pes, 3)), "--profile", "mini")


def test_global_table_of_a_twin_torus(extorus):
    """1080 PEs: the last dimension is in the GRT."""
    compare_some_destinations(extorus, "twin:2x2x9x5x3", {0, 1, 359, 360, 500, 719, 720, 1079})


@pytest.mark.long
@pytest.mark.parametrize("spec", ["twin:11x11x5", "twin:4x4x4x4x4", "torus:33x32", "twin:20x30"])
def test_large_networks(extorus, spec):
    pes = len(Network(spec).places)
    compare_some_destinations(extorus, spec, set(range(0, pes, 67)) | {pes - 1})


@pytest.mark.parametrize("spec", ["twin:4x4x4", "twin:2x2x2x2x2", "twin:4x4", "twin:3x3x3"])
def test_single_tc_is_delivered_but_cyclic(extorus, spec):
    network = Network(spec)
    csv = extorus("route", spec, "--algorithm", "ts-dor", "--single-tc", "-o", "image", "--csv", "-")
    table = read_csv(csv.splitlines())
    assert {tc for _, tc, _ in table} == {0}
    for source in range(len(network.places)):
        for dest in range(len(network.places)):
            place, hops = network.places[source], 0
            while (port := table[network.number[place], 0, dest][0]) != "nic":
                place, hops = network.move(place, port), hops + 1
                assert hops < 100
            assert network.number[place] == dest
    graph = dependencies(network, table, 0)
    assert not is_acyclic(graph)

    check = json.loads(extorus("check", "image", "--json", status=1, stderr="TC 0: cycle of"))
    assert check["unreachable"] == 0
    assert check["cyclic_tcs"] == [0]
    cycle = [(c["card"], c["port"], c["vc"]) for c in check["cycle"]]
    assert len(cycle) >= 2
    for channel, follower in zip(cycle, cycle[1:] + cycle[:1]):
        assert follower in graph[channel]
    for c in check["cycle"]:
        assert network.number[network.move(network.places[c["card"]], c["port"])] == c["to_card"]
    assert "-> card" in extorus("check", "image", status=1, stderr="can deadlock")
