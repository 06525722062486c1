# SPDX-License-Identifier: Apache-2.0
"""Up/down and layered where the local table has fewer entries than the network has PEs, above all with profile mini (64)."""

import json

import pytest

from graph_oracle import assert_layers_ascend, dependencies, examine, of_topology, random_graph
from oracle import is_acyclic
from test_routes import read_csv

ALGORITHMS = ["updown", "layered"]
SHAPES = ["torus:9x9", "torus:10x8", "torus:67", "mesh:16x5", "mesh:11x7", "rtt:16x8", "twin:4x4x4", "twin:7x5", "pruned:4x4x6",
          "torus:13x7", "twin:67", "torus:11x7~5~20:d0+~33:d1-", "twin:6x4x2~7~12:int"]


def route(extorus, spec, algorithm, *words, profile="mini"):
    csv = extorus("route", spec, "--algorithm", algorithm, "--profile", profile, "-o", "image", "--csv", "-", *words)
    return read_csv(csv.splitlines())


def graph_of(spec):
    """of_topology, without the cards and links that the spec says have failed."""
    whole, *failed = spec.split("~")
    links = [(int(card), port) for card, port in (word.split(":") for word in failed if ":" in word)]
    return of_topology(whole).without(links, [int(word) for word in failed if ":" not in word])


def assert_good(extorus, graph, spec, algorithm, profile="mini"):
    table = route(extorus, spec, algorithm, profile=profile)
    said = json.loads(extorus("route", spec, "--algorithm", algorithm, "--profile", profile, "--json"))["graph"]
    check = json.loads(extorus("check", "image", "--json"))
    assert f"{algorithm}-in-groups" in check["algorithm"]
    mean, shortest, longer = examine(graph, table, 0)
    assert_layers_ascend(graph, table, 0)
    assert (check["unreachable"], check["cyclic_tcs"], check["non_minimal"], said["detours"]) == (0, [], longer, longer)
    assert check["mean_hops"] == pytest.approx(mean, abs=1e-9) == pytest.approx(said["mean_hops"], abs=1e-9)
    assert said["mean_distance"] == pytest.approx(shortest, abs=1e-9)
    assert said["destinations_in_layer"] == [0, 0] and said["hops_on_vc"][1] > 0
    assert said["destinations_by_escape"] + said["destinations_in_several"] == said["destinations_measured"] == len(graph.cards)
    return mean / shortest


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("spec", SHAPES + [pytest.param(spec, marks=pytest.mark.long) for spec in (
    "torus:16x16", "pruned:8x4x4", "mesh:15x15", "twin:8x4x4", "rtt:20x10")])
def test_shapes(extorus, spec, algorithm):
    assert_good(extorus, graph_of(spec), spec, algorithm)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("seed", [2, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(3, 12))])
def test_random_graphs(extorus, seed, algorithm):
    """Networks without coordinates are divided too."""
    while len((drawn := random_graph(seed, most_cards=130, ports=4))[0].cards) < 70:
        seed += 100
    (extorus.folder / "net.json").write_text(json.dumps(drawn[1]))
    assert_good(extorus, drawn[0], "file:net.json", algorithm)


def write_links(extorus, cards, links):
    (extorus.folder / "net.json").write_text(json.dumps({"cards": cards, "links": links}))


def summary(extorus, spec, profile, *words):
    said = json.loads(extorus("route", spec, "--algorithm", "layered", "--profile", profile, "--json", "-o", "image", *words))
    check = json.loads(extorus("check", "image", "--json"))
    assert "in-groups" in check["algorithm"] and (check["unreachable"], check["cyclic_tcs"]) == (0, [])
    return said, check


def test_exact_fit(extorus):
    """A chain of 256 cards is four groups of 64, all that there is."""
    write_links(extorus, 256, [[card, 0, card + 1, 1] for card in range(255)])
    assert summary(extorus, "file:net.json", "mini")[0]["lrt_entries_used"] == 64


def test_several_nic_ports(extorus):
    """PEs of a card share the high bits of their address. Here a hub without PEs is a group of its own."""
    arms, links, last = [45, 45, 45, 45, 40, 40], [], 0
    for port, length in enumerate(arms):
        links += [[0, port, last + 1, 0], *([card, 1, card + 1, 0] for card in range(last + 1, last + length))]
        last += length
    write_links(extorus, last + 1, links)
    said, check = summary(extorus, "file:net.json~0:nic", "extoll10")
    assert said["graph"]["root"] == 0 and said["lrt_entries_used"] == 0 and said["grt_entries_used"] == 52


@pytest.mark.parametrize("spec, profile, words", [("torus:17x16", "node", []), ("torus:33x32", "extoll", ["--adaptive"]),
                                                  ("torus:32x32", "extoll10", [])])
def test_other_profiles(extorus, spec, profile, words):
    said, check = summary(extorus, spec, profile, *words)
    assert not words or check["adaptive"]["candidates"] > check["adaptive"]["faults"] == 0
    assert said["graph"]["destinations"] == said["graph"]["destinations_measured"] == said["cards"]


def test_failed_card_is_not_rewritten(extorus):
    """Nor is one without a PE."""
    for spec in ("torus:12x12", "torus:12x12~70:nic"):
        route(extorus, spec, "layered")
        rewrites = extorus("route", "--from", "image", "--fail-card", "70", "--rewrites", "-").splitlines()
        assert rewrites[0].split(",")[1] == "card" and "70" not in {line.split(",")[1] for line in rewrites}


def test_ways_are_hardly_longer(extorus):
    """Groups of 4 x 9 cards are convex, so that layered finds shortest ways to most of their cards."""
    assert assert_good(extorus, of_topology("mesh:16x9"), "mesh:16x9", "layered") < 1.1


@pytest.mark.parametrize("spec", ["torus:9x9", "torus:10x8", "torus:13x7", "rtt:16x8", "twin:4x4x4"])
def test_one_vc_for_both_levels_is_refused(extorus, spec):
    """The ways to groups and those within a group wait for each other."""
    table = route(extorus, spec, "layered", "--fold-vcs", "1")
    assert not is_acyclic(dependencies(of_topology(spec), table, 0))
    assert json.loads(extorus("check", "image", "--json", status=1))["cyclic_tcs"] == [0]


def test_cards_that_only_switch(extorus):
    """They are in a group as well, whose tables they need."""
    graph = of_topology("torus:9x9")
    table = route(extorus, "torus:9x9~0:nic~44:nic", "layered")
    dests = {dest for _, _, dest in table}
    assert dests == graph.cards - {0, 44}
    for dest in dests:
        for card in dests - {dest}:
            for _ in range(81):
                card = graph.wiring[card, table[card, 0, dest][0]][0]
                if card == dest:
                    break
            assert card == dest
    assert json.loads(extorus("check", "image", "--json"))["cyclic_tcs"] == []


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_saturated(extorus, algorithm):
    """Full load on the model, and every packet arrives."""
    route(extorus, "torus:10x10", algorithm)
    result = json.loads(extorus("sim", "image", "--engine", "model", "--backdoor", "--load", "1.0", "--packet", "1-4", "--warmup", "500",
                                "--measure", "2000", "--json"))
    assert result["ok"] and result["packets_sent"] == result["packets_delivered"] > 5000


def test_rtl(extorus):
    """The RTL looks both tables up alike."""
    route(extorus, "torus:9x9", "layered")
    results = [json.loads(extorus("sim", "image", "--engine", engine, "--load", "0.3", "--packet", "1-4", "--warmup", "20",
                                  "--measure", "60", "--json")) for engine in ("rtl", "model")]
    assert results[0]["ok"] and results[0]["packets_delivered"] > 1000
    assert len({(result["packets_delivered"], json.dumps(result["network_latency"])) for result in results}) == 1


@pytest.mark.parametrize("spec, algorithm, card", [("torus:12x12", "layered", 40), ("torus:60x4", "dor", 70)])
def test_new_routes(extorus, spec, algorithm, card):
    """From an image whose PEs share entries, its own or one of dimension order, whose groups are kept."""
    old, words = route(extorus, spec, algorithm), ("--from", "image", "--fail-link", "5:d0+", "--fail-card", str(card))
    csv = extorus("route", *words, "-o", "new", "--csv", "-")
    graph = graph_of(f"{spec}~{card}~5:d0+")
    failed = set(graph_of(spec).wiring) - set(graph.wiring)
    affected = {dest for (card, _, dest), (port, _) in old.items() if (card, port) in failed and {card, dest} <= graph.cards}
    assert json.loads(extorus("route", *words, "--json"))["affected_destinations"] == len(affected) > 0
    examine(graph, read_csv(csv.splitlines()), 0)
    said = json.loads(extorus("check", "image", "--transition", "new", "--json", status=1))
    assert said["transition"] == "drain"


def test_refusals(extorus):
    # Six arms of 40 cards on two hubs: only the groups of the hubs can be of more than 40.
    arms = [[card - 6 if card > 7 else card % 2, 1 if card > 7 else card // 2, card, 0] for card in range(2, 242)]
    (extorus.folder / "arms.json").write_text(json.dumps({"cards": 242, "links": [[0, 0, 1, 0], *arms]}))
    for spec, profile, says in [
            ("file:arms.json", "mini", "no division into 4 connected groups of 64 cards"),
            ("manhattan:10x10", "mini", "need 4 deterministic VCs in each TC, it has 2: use profile dort"),
            ("torus:33x32", "tree8", "need 2 deterministic VCs in each TC, it has 1: use profile extoll")]:
        extorus("route", spec, "--algorithm", "layered", "--profile", profile, "-o", "image", status=2, stderr=says)
    extorus("route", "mesh:33x32", "--algorithm", "dor", "--profile", "tree8", "-o", "image")
    extorus("route", "--from", "image", "--fail-link", "5:d0+", "-o", "new", status=2,
            stderr="route the network anew, without --from, and use profile extoll")
    route(extorus, "torus:60x4", "dor")
    extorus("route", "--from", "image", "--fail-link", "5:d0+", "--fail-link", "20:d0+", "-o", "new", status=2,
            stderr="cut a group of cards that share GRT entries apart")
    extorus("route", "torus:9x9", "--algorithm", "updown", "--profile", "mini", "--up-after-down", "-o", "image", status=2,
            stderr="needs an LRT entry for each PE")
