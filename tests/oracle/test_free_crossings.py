# SPDX-License-Identifier: Apache-2.0
"""Adaptive DORT whose packets may cross the internal link wherever the other card has a minimal port: two cards can both name it,
and the rule that no candidate leads back by the link of arrival keeps packets from going back and forth."""

import json

import pytest

import image_file
from graph_oracle import assert_cycle, of_topology
from oracle import Network
from test_adaptive_escapes import examine, route
from test_negative_controls import printed_cycles

SHAPES = ["twin:4", "twin:5", "twin:4x4", "twin:3x5", "twin:4x2x4", "twin:4x4x4", "twin:5x4x3", "twin:2x5x4,config=D", "twin:4x3x4,config=C",
          "twin:3x4x2,config=H", "twin:4x2x4,config=J", "twin:2x2x2x2", "twin:3x2x4x2", "twin:2x3x2x3x2"]
FREE = ["--algorithm", "dort", "--free-crossings"]


def to_go(network, place, dest):
    """Links outside nodes of a minimal way."""
    return sum(min((there - here) % k, (here - there) % k) for here, there, k in zip(place[0], dest[0], network.radix))


def both_name_it(network, table):
    """(card, destination) where both cards of a node have the internal link as a candidate."""
    return [(card, dest) for (card, tc, dest), (*_, ports) in table.items()
            if tc == 0 and card % 2 == 0 and "int" in ports and "int" in table[card + 1, 0, dest][2]]


@pytest.mark.parametrize("spec", SHAPES)
def test_tables_are_those_of_the_oracle(extorus, spec):
    network = Network(spec, "dort", free=True)
    table = route(extorus, spec, *FREE)
    _, check = examine(extorus, network, table)
    assert check["algorithm"].endswith("-free-crossings")
    if len(network.radix) > 1:
        assert both_name_it(network, table)


@pytest.mark.parametrize("spec", SHAPES)
def test_packets_get_nearer_and_cross_once_between(extorus, spec):
    """The measure of progress: each candidate outside the node is a hop of a minimal way, and behind a crossing the packet finds
    such a hop, or its PE. So no packet meets a place twice."""
    network = Network(spec, "dort")
    table = route(extorus, spec, *FREE)
    for (card, _, dest), (port, _, ports) in table.items():
        place, goal = network.places[card], network.places[dest]
        for candidate in ports:
            there = network.move(place, candidate)
            onward = table[network.number[there], 0, dest]
            if candidate == "int":
                assert onward[0] == "nic" or onward[2] - {"int"}
            else:
                assert to_go(network, there, goal) == to_go(network, place, goal) - 1
        assert "int" not in ports or port != "nic"


@pytest.mark.parametrize("spec", ["twin:4x4x4", "twin:3x3x3,config=C", "twin:5x5x5,config=D", "twin:4x4x4,config=H", "twin:2x3x2x3x2",
                                  "twin:4x4x4,config=J"])
def test_one_escape_vc_fewer_is_refused(extorus, spec):
    table = {key: hop[:2] for key, hop in route(extorus, spec, *FREE, "--fold-vcs", "3").items()}
    for tc, cycle in printed_cycles(extorus("check", "image", status=1, stderr="can deadlock")).items():
        assert_cycle(of_topology(spec), table, tc, cycle)


def round_trip(network, place):
    """[(place, port), ...]: out, over the internal link, back beside, and over the internal link again to `place`. Every link is left
    by another one, so that the rule does not forbid it."""
    dimension = next(d for d in network.splits if network.radix[d] > 2)
    out = next(f"d{dimension}{sign}" for sign in "-+" if f"d{dimension}{sign}" in network.ports[place[1]])
    way = [(place, out)]
    for _ in range(2 * network.radix[dimension]):
        there = network.move(*way[-1])
        if there == place:
            return way
        way.append((there, "int" if way[-1][1] != "int" else out))
    raise AssertionError(f"no way round from {place}")


@pytest.mark.parametrize("spec", ["twin:4x4x4", "twin:5x4x3", "twin:4x3x4,config=C", "twin:4x4x4,config=J", "twin:5", "twin:2x2x4x2x2"])
def test_tables_that_pass_packets_round_are_refused(extorus, spec):
    """Round the split dimension: out of a node and over the internal link of the next, in which no candidate leads back."""
    network = Network(spec, "dort", free=True)
    route(extorus, spec, *FREE)
    rows = [row.split(",") for row in extorus("topo", spec, "--profile", "dort_adaptive", "--csv", "-").splitlines()[1:]]
    ports = [[port for of, port, *_ in rows if int(of) == card] for card in range(len(network.places))]
    seeds = {(card, 0): 1 << ports[card].index(port)
             for card, port in ((network.number[place], port) for place, port in round_trip(network, network.places[-2]))}
    image = (extorus.folder / "image").read_bytes()
    (extorus.folder / "image").write_bytes(image_file.with_candidates(image, 6, 1, 2, seeds))
    said = json.loads(extorus("check", "image", "--json", status=1, stderr="livelock"))
    assert said["adaptive"]["faults"] > 0 and said["cyclic_tcs"] == []


@pytest.mark.parametrize("words, says", [
    (["twin:4x4", "--algorithm", "dort", "--free-crossings"], "of dort without it"),
    (["twin:4x4", "--algorithm", "ts-dor", "--adaptive", "--free-crossings"], "not of ts-dor"),
    (["torus:4x4", "--algorithm", "dor", "--adaptive", "--free-crossings"], "not of dor"),
])
def test_refused(extorus, words, says):
    extorus("route", *words, "-o", "image", status=2, stderr=says)


@pytest.mark.parametrize("switch", [["--switch", "input-queued", "--port-buffer", "48"], []], ids=["input-queued", "extorus"])
@pytest.mark.parametrize("spec", ["twin:4x2x4", "twin:4x4x4", "twin:2x2x2x2", "twin:4x4"])
def test_a_saturated_run_does_not_stall(extorus, spec, switch):
    """All packets of a run at full load arrive, each by ways of the image."""
    extorus("route", spec, *FREE, "--adaptive", "-o", "image")
    run = json.loads(extorus("sim", "image", "--engine", "model", *switch, "--backdoor", "--tc", "0", "--packet", "4",
                             "--load", "1", "--warmup", "300", "--measure", "700", "--drain", "0", "--json"))
    assert run["ok"] and run["saturated"] and run["packets_sent"] == run["packets_delivered"] > 1000
