# SPDX-License-Identifier: Apache-2.0
"""Networks from a file, and damaged ones: wiring, up/down and layered routing against the oracle."""

import json
import random

import pytest

from graph_oracle import Graph, assert_cycle, assert_layers_ascend, assert_updown, dependencies, examine, of_topology, random_graph
from test_routes import read_csv

ALGORITHMS = ["updown", "layered"]
DAMAGED = [("torus:4x4", 5), ("torus:8x4", 6), ("torus:5x3x2", 8), ("torus:4x4x4", 20), ("torus:2x2x2", 3),
           ("twin:4x4", 4), ("twin:5x3", 3), ("twin:3x3x3", 6), ("twin:4x4x2", 7), ("twin:2x2x2x2x2", 12),
           ("mesh:5x4", 4), ("rtt:8x4", 9), ("pdtt:6x3x3", 20), ("pruned:4x4x4", 12), ("twin:3x3x3,config=A", 5)]
TWO_WAY = [
    "torus:2", "torus:5", "torus:2x3", "torus:5x1", "torus:3x5", "torus:4x5", "torus:5x5", "torus:2x2x2", "torus:3x3x3",
    "torus:4x3x5", "torus:5x4x2", "mesh:4", "mesh:3x5", "mesh:4x4", "mesh:5x4x3", "twin:2", "twin:5", "twin:4x4",
    "twin:3x5", "twin:5x4x3", "twin:3x2x4x2", "twin:3x2x2x3x2", "twin:4x3x3,config=D", "rtt:4x2", "rtt:6x3", "rtt:10x5",
    "ptt:4x2x2", "ptt:8x4x4", "pdtt:6x3x3", "pdtt:8x4x4", "pruned:3x4", "pruned:4x3x5", "pruned:4x4x4", "pruned:3x2x3x4"]
ONE_WAY = [
    "manhattan:2x2", "manhattan:2x4", "manhattan:4x4", "manhattan:6x4", "manhattan:8x8", "manhattan:2x2x2",
    "manhattan:4x4x4", "manhattan:6x4x2", "pruned-directed:2x2", "pruned-directed:4x6", "pruned-directed:8x8",
    "pruned-directed:2x2x2", "pruned-directed:4x4x4", "pruned-directed:6x4x2", "pruned-directed:6x2x4x2"]


def route(extorus, algorithm, *arguments):
    """(table, what route says, what check says) of an image that the check passes."""
    csv = extorus("route", *arguments, "--algorithm", algorithm, "-o", "image", "--csv", "-")
    said = json.loads(extorus("route", *arguments, "--algorithm", algorithm, "--json"))
    return read_csv(csv.splitlines()), said, json.loads(extorus("check", "image", "--json"))


def assert_good(extorus, graph, algorithm, *arguments, tcs=4):
    table, said, check = route(extorus, algorithm, *arguments)
    assert {tc for _, tc, _ in table} == set(range(tcs))
    assert {card for card, _, _ in table} == {dest for _, _, dest in table} == graph.cards
    mean, shortest, longer = examine(graph, table, 0)
    channels = dependencies(graph, table, 0)
    for tc in range(tcs):
        assert check["tcs"][tc]["channels"] == len(channels)
        assert check["tcs"][tc]["dependencies"] == sum(map(len, channels.values()))
    assert all(hop == table[card, 0, dest] for (card, _, dest), hop in table.items())
    assert len(table) == tcs * len(graph.cards) ** 2
    (assert_updown if algorithm == "updown" else assert_layers_ascend)(graph, table, 0)
    pairs = len(graph.cards) * (len(graph.cards) - 1)
    assert (check["pairs"], check["unreachable"], check["cyclic_tcs"]) == (pairs, 0, [])
    assert check["mean_hops"] == said["graph"]["mean_hops"] == pytest.approx(mean, abs=1e-9)
    assert said["graph"]["mean_distance"] == pytest.approx(shortest, abs=1e-9)
    assert check["non_minimal"] == said["graph"]["detours"] == longer
    figures = said["graph"]
    assert figures["root"] == graph.root()
    assert figures["destinations"] == len(graph.cards) == (
        sum(figures["destinations_in_layer"]) + figures["destinations_in_several"] + figures["destinations_by_escape"])
    assert sum(figures["hops_on_vc"]) == pairs
    return table, check


def write_file(extorus, network, name="net.json"):
    (extorus.folder / name).write_text(json.dumps(network))
    return f"file:{name}"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("seed", [*range(32), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(200, 300))])
def test_random_graphs(extorus, seed, algorithm):
    graph, network = random_graph(seed)
    spec = write_file(extorus, network)
    assert_good(extorus, graph, algorithm, spec)
    topo = json.loads(extorus("topo", spec, "--json"))
    distances = [graph.distances(card).values() for card in graph.cards]
    assert (topo["cards"], topo["links"]) == (len(graph.cards), len(network["links"]))
    assert topo["diameter"] == max(map(max, distances))
    assert topo["mean_distance_with_self"] == pytest.approx(sum(map(sum, distances)) / len(graph.cards) ** 2)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("spec", TWO_WAY)
def test_families(extorus, spec, algorithm):
    assert_good(extorus, of_topology(spec), algorithm, spec)


@pytest.mark.parametrize("spec", ONE_WAY + [pytest.param(spec, marks=pytest.mark.long) for spec in (
    "manhattan:16x16", "manhattan:6x6x6", "pruned-directed:6x6x6", "pruned-directed:12x12")])
def test_one_way_networks(extorus, spec):
    """No card cuts another off, and the ways are hardly longer than the shortest: the diameter plus a few."""
    graph = of_topology(spec)
    _, check = assert_good(extorus, graph, "layered", spec)
    shortest = [graph.distances(dest) for dest in graph.cards]
    mean = sum(sum(d.values()) for d in shortest) / check["pairs"]
    assert check["mean_hops"] < 1.09 * mean
    extorus("route", spec, "--algorithm", "updown", status=2, stderr="go both ways")


@pytest.mark.parametrize("spec, profile, tcs", [("manhattan:8x8", "mini", 1), ("pruned-directed:4x4x4", "mini", 1),
                                                ("manhattan:8x8", "dort", 2), ("pruned-directed:6x4x2", "bubble", 2)])
def test_one_way_networks_of_other_vcs(extorus, spec, profile, tcs):
    assert_good(extorus, of_topology(spec), "layered", spec, "--profile", profile, tcs=tcs)


def test_adaptive_in_one_way_networks(extorus):
    for spec in ("manhattan:4x4", "pruned-directed:4x4x4"):
        graph = of_topology(spec)
        csv = extorus("route", spec, "--algorithm", "layered", "--adaptive", "-o", "image", "--csv", "-")
        check = json.loads(extorus("check", "image", "--json"))
        assert (check["unreachable"], check["cyclic_tcs"], check["adaptive"]["faults"]) == (0, [], 0)
        distances = {dest: graph.distances(dest) for dest in graph.cards}
        for (card, tc, dest), (_, _, candidates) in read_csv(csv.splitlines()).items():
            assert candidates == (set() if tc > 1 else {
                port for (here, port), (peer, _) in graph.wiring.items()
                if here == card and distances[dest][peer] < distances[dest][card]})


@pytest.mark.parametrize("profile, tcs", [("mini", 1), ("dort", 2), ("bubble", 2)])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_other_numbers_of_vcs(extorus, algorithm, profile, tcs):
    for seed in range(100, 104):
        graph, network = random_graph(seed, ports=4)
        spec = write_file(extorus, network)
        assert_good(extorus, graph, algorithm, spec, "--profile", profile, tcs=tcs)


def damaged(extorus, spec, *arguments):
    """(the graph without what the command says has failed, what it says)"""
    said = json.loads(extorus("topo", spec, *arguments, "--json"))
    whole = of_topology(spec)
    ends = [(card, port) for card, port, _, _ in said["failed_links"]]
    for card, port, peer, peer_port in said["failed_links"]:
        assert whole.wiring[card, port] == (peer, peer_port)
    assert len({frozenset((end, whole.wiring[end])) for end in ends}) == len(ends)
    return whole.without(ends, said["failed_cards"]), said


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(3, 12))])
@pytest.mark.parametrize("spec, links", DAMAGED)
def test_damaged(extorus, spec, links, seed, algorithm):
    while True:
        arguments = (spec, "--fail-random", str(links), "--seed", str(seed))
        if not extorus("topo", *arguments, status=None):
            seed += 100  # disconnected; test_disconnected
            continue
        break
    graph, said = damaged(extorus, *arguments)
    assert len(said["failed_links"]) == links
    assert said["links"] == len(graph.wiring) // 2
    assert said["diameter"] == max(max(graph.distances(card).values()) for card in graph.cards)
    assert_good(extorus, graph, algorithm, *arguments)
    # The name says it all.
    assert said["topology"] == f"{spec}~random={links}:{seed}"
    table, _, _ = route(extorus, algorithm, said["topology"])
    assert table == route(extorus, algorithm, *arguments)[0]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("spec, links, cards", [
    ("torus:4x4", ["5:d0+", "2:1", "15:d1-"], [9]), ("torus:8x8", ["0:d0-"], [9, 18, 63]), ("torus:4x4x2", [], [0]),
    ("twin:4x4", ["4:d0+", "6:int"], [9]), ("twin:4x4x4", ["0:int", "17:d1+"], [64, 99]),
])
def test_named_links_and_cards(extorus, spec, links, cards, algorithm):
    arguments = [spec]
    for link in links:
        arguments += ["--fail-link", link]
    for card in cards:
        arguments += ["--fail-card", str(card)]
    graph, said = damaged(extorus, *arguments)
    assert (len(said["failed_links"]), said["failed_cards"]) == (len(links), sorted(cards))
    assert said["topology"].startswith(spec + "~")
    _, check = assert_good(extorus, graph, algorithm, *arguments)
    assert check["pes_out_of_service"] == len(cards)
    assert check["topology"] == said["topology"]


@pytest.mark.parametrize("spec", ["torus:4x4x4", "twin:4x4x4", "torus:8x8",
                                  pytest.param("twin:4x4x2x2x2", marks=pytest.mark.long)])
def test_undamaged(extorus, spec):
    for algorithm in ALGORITHMS:
        assert_good(extorus, of_topology(spec), algorithm, spec)
    figures = json.loads(extorus("route", spec, "--algorithm", "layered", "--json"))["graph"]
    assert figures["mean_hops"] < 1.01 * figures["mean_distance"]


def test_ways_left_to_updown(extorus):
    """A network in which the two VCs do not do for all destinations. Some cards on the way have to change over."""
    arguments = ("twin:8x8", "--fail-random", "30", "--seed", "8")
    graph, _ = damaged(extorus, *arguments)
    assert_good(extorus, graph, "layered", *arguments)
    figures = json.loads(extorus("route", *arguments, "--algorithm", "layered", "--json"))["graph"]
    assert 0 < figures["destinations_by_escape"] < 50


@pytest.mark.parametrize("spec, arguments", [
    ("torus:4x4", ["--fail-link", "5:d0+", "--fail-card", "3"]), ("twin:3x3x3", ["--fail-random", "6"])])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_adaptive(extorus, spec, arguments, algorithm):
    graph, _ = damaged(extorus, spec, *arguments)
    csv = extorus("route", spec, *arguments, "--algorithm", algorithm, "--adaptive", "-o", "image", "--csv", "-")
    check = json.loads(extorus("check", "image", "--json"))
    assert check["adaptive"]["candidates"] > 0
    for (card, tc, dest), (_, _, candidates) in read_csv(csv.splitlines()).items():
        distance = graph.distances(dest)
        assert candidates == (set() if tc > 1 else {
            port for (here, port), (peer, _) in graph.wiring.items()
            if here == card and distance[peer] < distance[card]})


def test_disconnected(extorus):
    """Every set of links is either left connected or refused with the cards that it cuts off."""
    refused = 0
    draw = random.Random(7)
    whole = of_topology("twin:3x3")
    for _ in range(40):
        ends = [end for end in whole.wiring if end < whole.wiring[end]]
        links = draw.sample(ends, 9)
        arguments = [word for card, port in links for word in ("--fail-link", f"{card}:{port}")]
        cut = whole.without(links).cut_off()
        if cut:
            refused += 1
            says = f"from card 0 there is no way to {len(cut)} card{'s' * (len(cut) > 1)}, " + \
                " ".join(map(str, cut[:8])) + ";" * (len(cut) <= 8)
            assert extorus("topo", "twin:3x3", *arguments, status=2, stderr=says) == ""
        else:
            extorus("topo", "twin:3x3", *arguments)
    assert 5 < refused < 40


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("spec", ["torus:4x4", "twin:4x4x2", "torus:5x3x2~4~9:d0+"])
def test_up_after_down_is_refused(extorus, spec, seed):
    whole, said = damaged(extorus, spec.split("~")[0], *(["--fail-card", "4", "--fail-link", "9:d0+"] * ("~" in spec)))
    arguments = (spec, "--algorithm", "updown", "--up-after-down", "--seed", str(seed))
    table = read_csv(extorus("route", *arguments, "-o", "image", "--csv", "-").splitlines())
    good = read_csv(extorus("route", spec, "--algorithm", "updown", "--csv", "-").splitlines())
    assert len({(card, dest) for (card, tc, dest), hop in table.items() if good[card, tc, dest] != hop}) == 1
    with pytest.raises(AssertionError, match="up after down"):
        assert_updown(whole, table, 0)
    with pytest.raises(AssertionError, match="cyclic"):
        examine(whole, table, 0)
    check = json.loads(extorus("check", "image", "--json", status=1, stderr="can deadlock"))
    assert (check["unreachable"], check["cyclic_tcs"]) == (0, [0, 1, 2, 3])
    assert_cycle(whole, table, 0, [(c["card"], c["port"], c["to_card"], c["to_port"], c["vc"])
                                   for c in check["cycle"] if c["tc"] == 0])


def test_the_oracle_finds_faults(extorus):
    """What this file relies on refuses a table with one entry wrong, and one that needs a failed link."""
    graph = of_topology("torus:4x4")
    table, _, _ = route(extorus, "layered", "torus:4x4")
    examine(graph, table, 0)
    draw = random.Random(3)
    found = {}
    for _ in range(200):
        key = draw.choice([(card, tc, dest) for card, tc, dest in table if tc == 0 and card != dest])
        spoilt = {**table, key: (draw.choice(["d0-", "d0+", "d1-", "d1+", "p4", "nic"]), draw.randint(0, 1))}
        try:
            examine(graph, spoilt, 0)
            assert_layers_ascend(graph, spoilt, 0)
        except AssertionError as error:
            what = str(error).split("\n")[0]
            reason = next(r for r in ("no link", "goes round", "delivered at", "cyclic", "VCs") if r in what)
            found[reason] = found.get(reason, 0) + 1
    assert set(found) == {"no link", "goes round", "delivered at", "cyclic", "VCs"}
    with pytest.raises(AssertionError, match="no link at 5:d0"):
        examine(graph.without([(5, "d0+"), (5, "d0-")]), table, 0)
    with pytest.raises(AssertionError):
        examine(Graph(graph.cards | {16}, graph.wiring), table, 0)


@pytest.mark.parametrize("text, says", [
    ("", "net.json:1: column 0: '[' or '{' expected near end of file; mend the JSON"),
    ('{"cards": 2,\n "links": [[0, 0 1, 0]]}', "net.json:2: column"),
    ('{"cards": 2, "cards": 3, "links": []}', "duplicate object key"),
    ("[]", "not an object; write {"),
    ('{"cards": 2, "wires": []}', '"wires": unknown key'),
    ('{"links": []}', '"cards": not a number from 1 to 65536'),
    ('{"cards": 0, "links": []}', '"cards": not a number from 1'),
    ('{"cards": 65537, "links": []}', '"cards": not a number from 1'),
    ('{"cards": "2", "links": []}', '"cards": not a number'),
    ('{"cards": 2}', '"links": not a list'),
    ('{"cards": 2, "links": [[0, 0, 1, 0], [0, 1, 1]]}', "links[1]: not [card, port, card, port]"),
    ('{"cards": 2, "links": [7]}', "links[0]: not [card"),
    ('{"cards": 2, "links": [[0, 0, 1, "d0+"]]}', "links[0][3]: the port is no whole number"),
    ('{"cards": 2, "links": [[0, 0, 1.5, 0]]}', "links[0][2]: the card is no whole number"),
    ('{"cards": 2, "links": [[0, 0, 2, 0]]}', "links[0][2]: there is no card 2, only 0 to 1; raise"),
    ('{"cards": 2, "links": [[0, 0, -1, 0]]}', "links[0][2]: there is no card -1"),
    ('{"cards": 2, "links": [[0, 14, 1, 0]]}', "links[0][1]: there is no port 14, only 0 to 5; use another"),
    ('{"cards": 3, "links": [[0, 0, 1, 0], [1, 0, 2, 0]]}', "links[1]: port 0 of card 1 is used by links[0] already"),
    ('{"cards": 2, "links": [[0, 0, 1, 0], [1, 1, 1, 2]]}', "links[1]: card 1 is linked to itself"),
    ('{"cards": 5, "links": [[0, 0, 1, 0], [2, 0, 4, 0]]}',
     "from card 0 there is no way to 3 cards, 2 3 4; add the links that are lacking"),
    ('{"cards": 2, "links": []}', "from card 0 there is no way to 1 card, 1;"),
])
def test_wrong_files(extorus, text, says):
    (extorus.folder / "net.json").write_text(text)
    for command in (["topo", "file:net.json"], ["route", "file:net.json", "--algorithm", "updown"]):
        assert extorus(*command, status=2, stderr=says) == ""


@pytest.mark.parametrize("arguments, says", [
    (["topo", "file:"], "no path; write for example file:net.json"),
    (["topo", "file:none.json"], "none.json: cannot be read"),
    (["topo", "file:a b.json"], "a b.json: cannot be read"),
    (["topo", "torus:4x4", "--fail-link", "5"], "write CARD:PORT"),
    (["topo", "torus:4x4", "--fail-link", "5:d2+"], 'card 5 has no link port "d2+"; name it like d0- or by its number'),
    (["topo", "torus:4x4", "--fail-link", "5:6"], 'card 5 has no link port "6"'),
    (["topo", "torus:4x4", "--fail-link", "5:p4"], "port p4 of card 5 has no link that could fail"),
    (["topo", "torus:4x4", "--fail-link", "5:0", "--fail-link", "4:d0+"], "it has failed already; leave out 4:d0+"),
    (["topo", "torus:4x4", "--fail-link", "16:0"], "there is no card 16 that could fail, only 0 to 15"),
    (["topo", "torus:4x4", "--fail-card", "16"], "there is no card 16 that could fail"),
    (["topo", "torus:4x4", "--fail-card", "5:0"], "write the number of a card"),
    (["topo", "torus:4x4", "--fail-card", "five"], 'failure "five" is none of'),
    (["topo", "torus:4x4", "--fail-card", "5", "--fail-card", "5"], "card 5 fails twice"),
    (["topo", "torus:2", "--fail-card", "0", "--fail-card", "1"], "no card is left"),
    (["topo", "torus:4x4", "--fail-random", "33"], "33 links cannot fail, there are 32"),
    (["topo", "torus:4x4", "--fail-random", "-1"], "is not a number from 0"),
    (["topo", "torus:4x4", "--fail-random", "3", "--seed", "x"], "is not a number from 0"),
    (["topo", "torus:4x4~"], 'failure "" is none of'),
    (["topo", "torus:4x4~random=3"], "random failures are ~random=N:SEED"),
    (["topo", "torus:64x64", *(w for i in range(60) for w in ("--fail-card", str(1000 + i)))], "more failures than"),
    (["route", "torus:4x4~5", "--algorithm", "dor"], "a twisted torus or a mesh without failures, not torus:4x4~5; use layered"),
    (["route", "twin:4x4~5:int", "--algorithm", "ts-dor"], "use layered or updown"),
    (["route", "torus:32x32", "--algorithm", "updown", "--profile", "tree8"], "in each TC, it has 1: use profile extoll"),
    (["route", "torus:4x4", "--algorithm", "layered", "--up-after-down"], "is a fault of updown, not of layered"),
    (["route", "torus:3", "--algorithm", "updown", "--up-after-down", "--fail-link", "0:0"], "closes a cycle here"),
])
def test_wrong_usage_is_status_2(extorus, arguments, says):
    assert extorus(*arguments, status=2, stderr=says) == ""
    assert list(extorus.folder.iterdir()) == []


COMMENTED = {"edges": "a b\nb c\nc a\n", "conf": "SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-3]\nSwitchName=s2 Switches=s[0-1]\n",
             "dot": "graph {\na -- b;\nb -- c;\n}\n"}


@pytest.mark.parametrize("length", (254, 255, 256, 4095, 70000))
@pytest.mark.parametrize("kind", COMMENTED)
def test_comments_of_any_length_are_none_of_the_network(extorus, kind, length):
    """Nor is what stands at their end; the same line without its mark is no comment."""
    begin, rest = COMMENTED[kind].split("\n", 1)
    line = "x" * (length - 4) + " a d"
    told = {}
    for name, text in (("without", ""), ("with", f"# {line}\n"), ("unmarked", f"{line}\n")):
        (extorus.folder / f"net.{kind}").write_text(f"{begin}\n{text}{rest}")
        told[name] = extorus("topo", f"file:net.{kind}", "--csv", "-", "--profile", "extoll10", status=None)
    assert told["with"] == told["without"] != "" and told["unmarked"] != told["without"]


def test_a_file_that_is_too_large(extorus):
    """For one entry for each PE, and for the addresses of a profile."""
    ring = {"cards": 1025, "links": [[i, 0, (i + 1) % 1025, 1] for i in range(1025)]}
    spec = write_file(extorus, ring)
    extorus("topo", spec)
    extorus("route", spec, "--algorithm", "updown", "--profile", "mini", status=2, stderr="1025 PEs do not fit the 8 address bits")
    for cards, algorithm in (1025, "updown-in-groups"), (1024, "updown,"):
        spec = write_file(extorus, {"cards": cards, "links": [[i, 0, (i + 1) % cards, 1] for i in range(cards)]})
        assert algorithm in extorus("route", spec, "--algorithm", "updown", "-o", "image")
        extorus("check", "image")


def test_drawing(extorus):
    for arguments in (["torus:4x4", "--fail-link", "3:d0+", "--fail-card", "9"],
                      [write_file(extorus, random_graph(5)[1])]):
        said = json.loads(extorus("topo", *arguments, "--json"))
        dot = extorus("topo", *arguments, "--dot", "-")
        assert dot.count(" -- ") == said["links"]
