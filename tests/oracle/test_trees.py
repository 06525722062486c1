# SPDX-License-Identifier: Apache-2.0
"""Trees, cards without a PE and DESTRO, against the independent tree: wiring, metrics, every table entry, dependencies."""

import csv
import io
import json

import pytest

import image_file
from graph_oracle import Graph
from oracle import is_acyclic
from test_negative_controls import printed_cycles
from test_routes import read_csv
from tree_oracle import of_spec

PROFILE = ["--profile", "extoll10"]
SHAPES = [
    "tree:k=2,n=2", "tree:k=2,n=3", "tree:k=2,n=4", "tree:k=2,n=5", "tree:k=3,n=1", "tree:k=3,n=2", "tree:k=3,n=3",
    "tree:k=2,n=3,cards=2,links=1", "tree:k=4,n=2,cards=2,links=1", "tree:k=4,n=2,cards=2,links=2", "tree:k=4,n=3,cards=2,links=2",
    "tree:k=4,n=2,cards=4,links=1", "tree:k=2,n=3,cards=2,links=1,ports=apart", "tree:k=2,n=2,cards=2,links=4,ports=apart",
    "tree:k=4,n=2,cards=2,links=2,ports=apart", "tree:k=3,n=2,cards=3,links=2",
]


def graph_of(tree):
    return Graph(range(len(tree.places)), tree.wiring)


def read_table(tree, text):
    """Each TC has the same routes, on VC 0."""
    table = read_csv(text.splitlines())
    assert {vc for _, vc in table.values()} == {0}
    for tc in range(4):
        assert {(card, dest): port for (card, of_tc, dest), (port, _) in table.items() if of_tc == tc} == tree.routes()
    return table


def channels(tree, routes):
    """{(card, port): channels that packets go on to}"""
    graph = {}
    for (card, dest), port in routes.items():
        if not port.startswith("nic"):
            there = tree.wiring[card, port][0]
            onward = routes[there, dest]
            graph.setdefault((card, port), set()).update([] if onward.startswith("nic") else [(there, onward)])
    return graph


@pytest.mark.parametrize("spec", SHAPES)
def test_wiring_and_metrics(extorus, spec):
    tree = of_spec(spec)
    rows = list(csv.reader(io.StringIO(extorus("topo", spec, *PROFILE, "--csv", "-"))))[1:]
    assert {(int(a), b): (int(c), d) for a, b, c, d in rows} == tree.wiring
    topo = json.loads(extorus("topo", spec, *PROFILE, "--json"))
    assert (topo["topology"], topo["cards"], topo["pes"]) == (spec, len(tree.places), len(tree.ends))
    assert topo["links"] == len(tree.wiring) // 2
    leaves = {pe // tree.nics for pe in tree.pe.values()}
    graph = graph_of(tree)
    ways = [graph.distances(dest)[source] for dest in leaves for source in leaves]
    assert topo["diameter"] == max(ways)
    assert topo["mean_distance_with_self"] == pytest.approx(sum(ways) / len(ways))
    used, internal = tree.connections()
    told = topo["connections"]
    assert told["destro"] == {kind: len(found) for kind, found in used.items()}
    assert told["internal"] == {kind: len(found) for kind, found in internal.items()}
    inner = (tree.n - 1) * tree.k ** (tree.n - 1)
    assert told["all"] == {"forward": inner * tree.k ** 2, "backward": inner * tree.k ** 2,
                           "turnaround": tree.n * tree.k ** (tree.n - 1) * tree.k * (tree.k - 1)}


@pytest.mark.parametrize("spec", SHAPES)
def test_destro(extorus, spec):
    tree = of_spec(spec)
    table = read_table(tree, extorus("route", spec, "--algorithm", "destro", *PROFILE, "-o", "image", "--csv", "-"))
    routes = {(card, dest): port for (card, tc, dest), (port, _) in table.items() if tc == 0}
    graph = channels(tree, routes)
    assert is_acyclic(graph)
    check = json.loads(extorus("check", "image", "--json"))
    pes = len(tree.ends)
    assert (check["pairs"], check["unreachable"], check["cyclic_tcs"]) == (pes * (pes - 1), 0, [])
    assert check["pes_out_of_service"] == 0
    hops = [len(tree.walk(a, b)) - 1 for a in tree.ends for b in tree.ends if a != b]
    assert check["max_hops"] == max(hops) and check["mean_hops"] == pytest.approx(sum(hops) / len(hops))
    assert check["tcs"][0]["channels"] == len(graph)
    assert check["tcs"][0]["dependencies"] == sum(map(len, graph.values()))


@pytest.mark.parametrize("k, n, group", [(2, 3, 0), (2, 3, 1), (2, 4, 0)])
def test_a_turn_up_after_down(extorus, k, n, group):
    """DESTRO needs one VC, so that none can be taken away. Two destinations p and q under the switches A and B of level 1
    come from another leaf z over the wrong one of these, and from there down to the wrong leaf and up again: both still
    arrive, and the four links between A, B and the two leaves wait for each other."""
    spec = f"tree:k={k},n={n}"
    tree = of_spec(spec)
    extorus("route", spec, "--algorithm", "destro", *PROFILE, "-o", "image")
    rest = (group,) + (0,) * (n - 3)
    leaf = [tree.number[0, (d, *rest), 0] for d in range(2)]
    middle = [tree.number[1, (d, *rest), 0] for d in range(2)]
    z = tree.number[0, (0, 1 - group, *rest[1:]), 0]
    end = {(u, d): tree.pe[u, d, *rest] for u in range(2) for d in range(2)}  # by NIC port and leaf
    p, q = end[1, 1], end[0, 0]
    entries = {(z, p): end[0, 1], (middle[0], p): end[0, 0], (z, q): end[1, 0], (middle[1], q): end[1, 1]}
    image = (extorus.folder / "image").read_bytes()
    (extorus.folder / "image").write_bytes(image_file.with_local_entries(image, 6, 4, 4, entries))
    check = json.loads(extorus("check", "image", "--json", status=1, stderr="can deadlock"))
    assert check["unreachable"] == 0 and check["cyclic_tcs"] == [0, 1, 2, 3]
    for cycle in printed_cycles(extorus("check", "image", status=1)).values():
        assert {card for card, *_ in cycle} == {*leaf, *middle}
        for (a, port, b, there, _), (c, *_) in zip(cycle, cycle[1:] + cycle[:1]):
            assert tree.wiring[a, port] == (b, there) and b == c


@pytest.mark.parametrize("algorithm", ["updown", "layered"])
@pytest.mark.parametrize("spec", ["tree:k=2,n=3", "tree:k=3,n=2", "tree:k=4,n=2,cards=2,links=2", "tree:k=2,n=3~3:up0",
                                  "tree:k=2,n=3~9", "tree:k=2,n=3,cards=2,links=2,ports=apart~0:int1.0"])
def test_other_routings_of_trees(extorus, spec, algorithm):
    extorus("route", spec, "--algorithm", algorithm, *PROFILE, "-o", "image")
    check = json.loads(extorus("check", "image", "--json"))
    ends = len(of_spec(spec.partition("~")[0]).ends)
    assert (check["unreachable"], check["cyclic_tcs"], check["pairs"]) == (0, [], ends * (ends - 1))


@pytest.mark.parametrize("algorithm", ["updown", "layered"])
def test_cards_without_pe(extorus, algorithm):
    """In any network: a torus in which cards 1, 6 and 15 only switch, and a file whose cards 0 and 3 do."""
    net = {"cards": 5, "links": [[0, 0, 1, 0], [0, 1, 2, 0], [3, 0, 1, 1], [3, 1, 2, 1], [3, 2, 4, 0]], "switches": [0, 3]}
    (extorus.folder / "net.json").write_text(json.dumps(net))
    for spec, cards, without in (("torus:4x4~1:nic~6:nic~15:nic", 16, {1, 6, 15}), ("file:net.json", 5, {0, 3})):
        topo = json.loads(extorus("topo", spec, "--json"))
        assert (topo["topology"], topo["cards"], topo["pes"]) == (spec, cards, cards - len(without))
        table = read_csv(extorus("route", spec, "--algorithm", algorithm, "-o", "image", "--csv", "-").splitlines())
        assert {dest for *_, dest in table} == set(range(cards)) - without
        check = json.loads(extorus("check", "image", "--json"))
        ends = cards - len(without)
        assert (check["pairs"], check["unreachable"], check["cyclic_tcs"]) == (ends * (ends - 1), 0, [])


def test_rerouting_around_a_failed_link_of_a_tree(extorus):
    extorus("route", "tree:k=2,n=3", "--algorithm", "layered", *PROFILE, "-o", "image")
    extorus("route", "--from", "image", "--fail-link", "4:up1", "-o", "new")
    assert json.loads(extorus("check", "new", "--json"))["unreachable"] == 0


@pytest.mark.parametrize("arguments, says", [
    (["topo", "tree:k=4"], "write for example tree:k=4,n=5"),
    (["topo", "tree:4x4"], "\"4x4\" is not understood"),
    (["topo", "tree:k=1,n=3", *PROFILE], "k from 2 on"),
    (["topo", "tree:k=2,n=99", *PROFILE], "n from 1 to 16"),
    (["topo", "tree:k=4,n=2,cards=3,links=1", *PROFILE], "cards that divide k"),
    (["topo", "tree:k=4,n=2,cards=2", *PROFILE], "several have links"),
    (["topo", "tree:k=4,n=2,links=2", *PROFILE], "several have links"),
    (["topo", "tree:k=4,n=2", *PROFILE], "needs 8 link and 4 NIC ports per card, profile extoll10 has 6 and 4"),
    (["topo", "tree:k=3,n=12", *PROFILE], "more than 65536 cards"),
    (["topo", "torus:2~0:nic~1:nic"], "no card has a PE"),
    (["route", "torus:4x4", "--algorithm", "destro"], "destro routes a tree without failures, not torus:4x4"),
    (["route", "tree:k=2,n=3~3:up0", "--algorithm", "destro"], "destro routes a tree without failures"),
    (["route", "tree:k=2,n=3", "--algorithm", "destro", "--adaptive"], "leave out --adaptive"),
    (["route", "tree:k=2,n=3", "--algorithm", "dor", *PROFILE], "use layered or updown"),
])
def test_wrong_usage_is_status_2(extorus, arguments, says):
    assert extorus(*arguments, status=2, stderr=says) == ""


@pytest.mark.parametrize("network, says", [
    ({"cards": 2, "links": [[0, 0, 1, 0]], "switches": 3}, "\"switches\": not a list"),
    ({"cards": 2, "links": [[0, 0, 1, 0]], "switches": [2]}, "switches[0]: not a card from 0 to 1"),
    ({"cards": 2, "links": [[0, 0, 1, 0]], "switches": [1, 1]}, "switches[1]: card 1 is listed twice"),
    ({"cards": 2, "links": [[0, 0, 1, 0]], "switches": [1, 0]}, "no card has a PE"),
])
def test_wrong_files_are_refused(extorus, network, says):
    (extorus.folder / "net.json").write_text(json.dumps(network))
    assert extorus("topo", "file:net.json", status=2, stderr=says) == ""


@pytest.mark.parametrize("spec, cards, hops", [
    ("tree:k=4,n=5", 1280, 8),
    ("tree:k=4,n=5,cards=2,links=1", 2560, 13),
    ("tree:k=4,n=5,cards=2,links=4,ports=apart", 2560, 16),
    pytest.param("tree:k=2,n=10", 5120, 18, marks=pytest.mark.long)])
def test_trees_of_1024_ends(extorus, spec, cards, hops):
    topo = json.loads(extorus("topo", spec, "--profile", "tree8", "--json"))
    assert (topo["cards"], topo["pes"]) == (cards, 1024)
    extorus("route", spec, "--algorithm", "destro", "--profile", "tree8", "-o", "image")
    check = json.loads(extorus("check", "image", "--json"))
    assert (check["pairs"], check["unreachable"], check["cyclic_tcs"], check["max_hops"]) == (1024 * 1023, 0, [], hops)


@pytest.mark.long
@pytest.mark.parametrize("links, hops", [(1, 10), (2, 10)])
def test_trees_of_4096_ends(extorus, links, hops):
    extorus("route", f"tree:k=8,n=4,cards=2,links={links}", "--algorithm", "destro", "--profile", "tree10", "-o", "image")
    check = json.loads(extorus("check", "image", "--json"))
    assert (check["pairs"], check["unreachable"], check["cyclic_tcs"], check["max_hops"]) == (4096 * 4095, 0, [], hops)
