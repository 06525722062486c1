# SPDX-License-Identifier: Apache-2.0
"""The routing function that an image encodes, against the oracle: every line, no more and no fewer."""

import json

import pytest

from graph_oracle import assert_cycle, of_topology
from oracle import Network, bubble_safe, dependencies, is_acyclic

SHAPES = [
    "torus:1", "torus:2", "torus:5", "torus:1x1", "torus:2x3", "torus:4x4", "torus:5x1", "torus:3x5", "torus:4x5",
    "torus:2x2x2", "torus:3x3x3", "torus:1x4x2", "torus:4x3x5", "torus:5x4x2",
    "twin:1", "twin:2", "twin:4", "twin:5", "twin:1x1", "twin:2x2", "twin:4x4", "twin:3x5", "twin:5x2", "twin:1x4",
    "twin:1x1x1", "twin:2x2x2", "twin:3x3x3", "twin:4x4x4", "twin:5x4x3", "twin:2x5x4", "twin:4x1x3", "twin:3x2x1",
    "torus:5x5x3", "twin:3", "twin:5x5", "twin:4x3", "twin:3x5x2", "twin:2x2x2x2", "twin:3x2x4x2", "twin:1x4x2x3", "twin:4x3x2x3",
    "twin:2x2x2x2x2", "twin:4x3x2x2x1", "twin:2x1x4x1x3", "twin:3x2x2x3x2", "twin:1x2x5x2x2", "twin:2x3x3x2x2",
]


MESHES = ["mesh:1", "mesh:2", "mesh:7", "mesh:2x2", "mesh:4x4", "mesh:8x8", "mesh:3x5", "mesh:6x1x2", "mesh:1x5", "mesh:4x4x4",
          "mesh:5x4x3", "mesh:2x2x2", "mesh:2x7x3"]
TWINS = [spec for spec in SHAPES if spec.startswith("twin")]


def algorithm(spec):
    return "ts-dor" if spec.startswith("twin") else "dor"


def read_csv(lines, dests=None):
    """{(card, tc, dest): (port, vc)}; the lines must be in order and without duplicates. With a column of
    candidates: {...: (port, vc, candidates)}."""
    lines = iter(lines)
    heading = next(lines).rstrip()
    assert heading in ("card,tc,dest,port,vc", "card,tc,dest,port,vc,adaptive")
    table, last = {}, (-1, -1, -1)
    for line in lines:
        card, tc, dest, port, vc, *candidates = line.rstrip("\n").split(",")
        assert len(candidates) == heading.count("adaptive")
        if dests is not None and int(dest) not in dests:
            continue
        key = int(card), int(tc), int(dest)
        assert key > last
        last = key
        table[key] = (port, int(vc), *(frozenset(ports.split()) for ports in candidates))
    return table


@pytest.mark.parametrize("spec", SHAPES + MESHES)
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


def assert_hops(check, network):
    max_hops, mean_hops = network.hop_figures()
    assert check["unreachable"] == 0
    assert check["max_hops"] == max_hops
    assert check["mean_hops"] == pytest.approx(mean_hops, abs=1e-9)


@pytest.mark.parametrize("spec", TWINS)
def test_dort(extorus, spec):
    network = Network(spec, "dort")
    csv = extorus("route", spec, "--algorithm", "dort", "-o", "image", "--csv", "-")
    table = read_csv(csv.splitlines())
    assert table == network.routes()
    check = json.loads(extorus("check", "image", "--json"))
    assert check["profile"] == "dort"
    assert_hops(check, network)
    assert check["cyclic_tcs"] == []
    for tc in range(2):
        graph = dependencies(network, table, tc)
        assert is_acyclic(graph)
        assert check["tcs"][tc]["channels"] == len(graph)
        assert check["tcs"][tc]["dependencies"] == sum(map(len, graph.values()))
        assert check["tcs"][tc]["rings"] == 0


@pytest.mark.parametrize("spec", SHAPES)
def test_bubble(extorus, spec):
    network = Network(spec, "bubble")
    csv = extorus("route", spec, "--algorithm", "bubble", "-o", "image", "--csv", "-")
    table = read_csv(csv.splitlines())
    assert table == network.routes()
    check = json.loads(extorus("check", "image", "--json"))
    assert check["profile"] == "bubble"
    assert_hops(check, network)
    assert (check["cyclic_tcs"], check["ring_merges"]) == ([], 0)
    for tc in range(2):
        graph = dependencies(network, table, tc)
        safe, rings = bubble_safe(network, graph)
        assert safe
        assert check["tcs"][tc]["rings"] == rings
        assert check["tcs"][tc]["channels"] == len(graph)
        assert check["tcs"][tc]["dependencies"] == sum(map(len, graph.values()))
        # Longer rings are why bubbles are needed. In a ring of four, balanced ties close no cycle.
        assert is_acyclic(graph) == all(k < (4 if d in network.splits else 5) for d, k in enumerate(network.radix))


@pytest.mark.parametrize("spec", SHAPES + MESHES)
def test_adaptive(extorus, spec):
    network = Network(spec)
    csv = extorus("route", spec, "--algorithm", algorithm(spec), "--adaptive", "-o", "image", "--csv", "-")
    table = read_csv(csv.splitlines())
    routes, expected, longest = network.routes(adaptive=(0, 1)), {}, 0
    for (card, tc, dest), hop in routes.items():
        side = tc % 2 if network.twin else None
        candidates = network.candidates(network.places[card], network.places[dest], side) if tc < 2 else ()
        expected[card, tc, dest] = (*hop, frozenset(candidates))
    if len(network.places) == 1:
        assert table == routes
    else:
        assert table == expected
    for dest in network.places:
        for side in network.source_sides():
            reached = network.reached(dest, side)
            longest = max(longest, *(reached[source] for source in network.sources(side)))

    check = json.loads(extorus("check", "image", "--json"))
    assert_hops(check, network)
    assert check["cyclic_tcs"] == []
    adaptive = check["adaptive"]
    assert adaptive["faults"] == 0
    assert adaptive["max_hops"] == longest
    assert adaptive["candidates"] == sum(len(ports) for *_, ports in expected.values())
    for tc in range(4):
        graph = dependencies(network, routes, tc)
        assert is_acyclic(graph)
        assert check["tcs"][tc]["channels"] == len(graph)
        assert check["tcs"][tc]["dependencies"] == sum(map(len, graph.values()))


def test_ways_of_dort_and_bubble(extorus):
    """Ascending for everybody costs a packet from PE 1 to PE 0 a third crossing of the internal link."""
    means = {}
    for name in ("ts-dor", "dort", "bubble"):
        extorus("route", "twin:4x4x2x2x2", "--algorithm", name, "-o", "image")
        check = json.loads(extorus("check", "image", "--json"))
        assert_hops(check, Network("twin:4x4x2x2x2", name))
        means[name] = check["mean_hops"], check["max_hops"]
    assert means["dort"] == means["bubble"]
    assert means["ts-dor"] == (pytest.approx(4.4392, abs=5e-5), 8)
    assert means["dort"] == (pytest.approx(4.8627, abs=5e-5), 9)


@pytest.mark.parametrize("spec", ["torus:3x4", "twin:2x2x2", "twin:3x2x2x2"])
def test_function_units_share_a_card(extorus, spec):
    """Four PEs per card: PE 4 c + u is behind NIC port u of card c, all else is as with one."""
    network = Network(spec)
    csv = extorus("route", spec, "--algorithm", algorithm(spec), "--profile", "extoll10", "-o", "image", "--csv", "-")
    expected = {(card, tc, 4 * dest + unit): (f"nic{unit}", 0) if hop[0] == "nic" else hop
                for (card, tc, dest), hop in network.routes().items() for unit in range(4)}
    assert read_csv(csv.splitlines()) == expected
    cards, pes = len(network.places), 4 * len(network.places)
    check = json.loads(extorus("check", "image", "--json"))
    assert check["pairs"] == pes * (pes - 1)
    assert check["unreachable"] == 0
    mean = network.hop_figures()[1] * cards * (cards - 1) * 16 / (pes * (pes - 1))
    assert check["mean_hops"] == pytest.approx(mean, abs=1e-9)
    topology = json.loads(extorus("topo", spec, "--profile", "extoll10", "--json"))
    assert (topology["cards"], topology["pes"]) == (cards, pes)


def test_candidates_of_large_networks(extorus):
    """1080 PEs, the last dimension in the GRT: an entry names candidates in its own table's dimensions."""
    network = Network("twin:2x2x9x5x3")
    dests = {0, 1, 359, 360, 719, 720, 1079}
    extorus("route", "twin:2x2x9x5x3", "--algorithm", "ts-dor", "--adaptive", "--csv", "table.csv", "-o", "image")
    with open(extorus.folder / "table.csv", encoding="ascii") as lines:
        table = read_csv(lines, dests)
    met = 0
    for (card, tc, dest), (port, vc, candidates) in table.items():
        place, target = network.places[card], network.places[dest]
        if tc > 1:
            assert not candidates
            continue
        assert (port, vc) == network.step(place, target, tc)
        local = place[0][:4] != target[0][:4]
        by_local = local if tc == 0 else place[0][4] == target[0][4]
        full = network.candidates(place, target, tc)
        assert candidates == {p for p in full if p == "int" or p.startswith("d4") != by_local}
        met += candidates != full
    assert met > 0
    check = json.loads(extorus("check", "image", "--json"))
    assert check["adaptive"]["faults"] == 0
    assert check["cyclic_tcs"] == []


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
@pytest.mark.parametrize("spec", ["torus:5x5x5", "twin:5x5x5", "twin:5x4x5x2", "twin:4x3x2x3x2"])
@pytest.mark.parametrize("name", ["", "dort", "bubble"])
def test_larger_shapes(extorus, spec, name):
    if name == "dort" and spec.startswith("torus"):
        return
    name = name or algorithm(spec)
    table = read_csv(extorus("route", spec, "--algorithm", name, "--csv", "-").splitlines())
    assert table == Network(spec, name).routes()


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
    check = json.loads(extorus("check", "image", "--json", status=1, stderr="TC 0: cycle of"))
    assert check["unreachable"] == 0
    assert check["cyclic_tcs"] == [0]
    assert_cycle(of_topology(spec), table, 0, [(c["card"], c["port"], c["to_card"], c["to_port"], c["vc"])
                                               for c in check["cycle"]])
    assert "-> card" in extorus("check", "image", status=1, stderr="can deadlock")
