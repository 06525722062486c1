# SPDX-License-Identifier: Apache-2.0
"""Adaptive routing with DORT and with bubble as its escape, against the oracle, and the same with too few escape VCs."""

import json

import pytest

import image_file
from graph_oracle import assert_cycle, of_topology
from oracle import Network, bubble_safe, dependencies, is_acyclic
from test_negative_controls import printed_cycles
from test_routes import assert_hops, read_csv
from test_twisted import SHAPES as TWISTED
from test_twisted import graph_of
from twisted_oracle import Twisted

DORT = ["twin:4", "twin:5", "twin:4x4", "twin:3x5", "twin:4x4x4", "twin:5x4x3", "twin:2x5x4,config=D", "twin:4x3x4,config=C",
        "twin:3x4x2,config=H", "twin:4x2x4,config=J", "twin:2x2x2x2", "twin:3x2x4x2", "twin:2x3x2x3x2", "twin:4x2x2x2x2"]
BUBBLE = ["torus:5", "torus:4x4", "torus:5x3", "torus:6x5", "torus:3x3x3", "torus:4x3x5", "torus:5x5x3", "torus:1x6x2", "torus:7x2",
          "torus:2x2x2", "torus:8x4"]


def route(extorus, spec, *words):
    csv = extorus("route", spec, "--adaptive", *words, "-o", "image", "--csv", "-")
    return read_csv(csv.splitlines())


def examine(extorus, network, table):
    """The candidates of the table are those of the oracle, and its escapes deliver from wherever these lead. Returns routes."""
    routes, longest = network.routes(adaptive=(0, 1)), 0
    assert table == {(card, tc, dest): (*hop, frozenset(network.candidates(network.places[card], network.places[dest], None)))
                     for (card, tc, dest), hop in routes.items()}
    for dest in network.places:
        longest = max(longest, *network.reached(dest, None).values())
    check = json.loads(extorus("check", "image", "--json"))
    assert_hops(check, network)
    assert (check["adaptive"]["faults"], check["adaptive"]["max_hops"], check["cyclic_tcs"]) == (0, longest, [])
    assert check["adaptive"]["candidates"] == sum(len(ports) for *_, ports in table.values())
    return routes, check


@pytest.mark.parametrize("spec", DORT)
def test_dort(extorus, spec):
    network = Network(spec, "dort")
    routes, check = examine(extorus, network, route(extorus, spec, "--algorithm", "dort"))
    assert check["profile"] == "dort_adaptive"
    assert all(is_acyclic(dependencies(network, routes, tc)) for tc in range(2))


@pytest.mark.parametrize("spec", BUBBLE)
def test_bubble(extorus, spec):
    network = Network(spec, "bubble")
    routes, check = examine(extorus, network, route(extorus, spec, "--algorithm", "bubble"))
    assert (check["profile"], check["ring_merges"]) == ("bubble_adaptive", 0)
    safe, rings = bubble_safe(network, dependencies(network, routes, 0))
    assert safe and check["tcs"][0]["rings"] == rings
    assert {vc for *_, vc in routes.values()} == {0}


@pytest.mark.parametrize("spec", TWISTED)
def test_bubble_on_twisted_tori(extorus, spec):
    oracle = Twisted(spec, bubble=True)
    table = route(extorus, spec, "--algorithm", "bubble")
    assert table == {(card, tc, dest): (port, vc, ports)
                     for (card, dest), (port, vc, ports) in oracle.routes().items() for tc in range(2)}
    check = json.loads(extorus("check", "image", "--json"))
    distances = [graph_of(oracle).distances(dest) for dest in oracle.cards]
    assert (check["unreachable"], check["cyclic_tcs"], check["ring_merges"], check["adaptive"]["faults"]) == (0, [], 0, 0)
    assert check["adaptive"]["max_hops"] == max(max(d.values()) for d in distances)


@pytest.mark.parametrize("spec, words", [
    *((spec, ["--algorithm", "dort", "--fold-vcs", "3"]) for spec in ("twin:4x4x4", "twin:3x3x3,config=C", "twin:5x5x5,config=D",
                                                                     "twin:4x4x4,config=H", "twin:2x3x2x3x2", "twin:4x4x4,config=J")),
    *((spec, ["--algorithm", "dort", "--fold-vcs", "1"]) for spec in ("twin:4x4", "twin:5x3")),
    # One VC without the RING registers of bubble.
    *((spec, ["--algorithm", "dor", "--fold-vcs", "1", "--profile", "extoll"]) for spec in ("torus:5", "torus:8x4", "torus:5x5x3",
                                                                                           "rtt:8x4", "pdtt:8x4x4")),
])
def test_one_escape_vc_fewer_is_refused(extorus, spec, words):
    table = {key: hop[:2] for key, hop in route(extorus, spec, *words).items()}
    text = extorus("check", "image", status=1, stderr="can deadlock")
    cycles, graph = printed_cycles(text), of_topology(spec)
    assert set(cycles) == {tc for _, tc, _ in table}
    for tc, cycle in cycles.items():
        assert_cycle(graph, table, tc, cycle)


@pytest.mark.parametrize("spec", ["torus:5", "torus:8x4", "torus:5x5x3", "rtt:8x4", "pdtt:8x4x4"])
def test_bubble_without_its_rings_is_refused(extorus, spec):
    """The same routes on one VC, and no register RING that keeps a bubble."""
    table = {key: hop[:2] for key, hop in route(extorus, spec, "--algorithm", "bubble").items()}
    image = extorus.folder / "image"
    image.write_bytes(image_file.without_rings(image.read_bytes(), links=6, nics=1, tcs=2))
    cycles = printed_cycles(extorus("check", "image", status=1, stderr="can deadlock"))
    assert set(cycles) == {0, 1}
    for tc, cycle in cycles.items():
        assert_cycle(of_topology(spec), table, tc, cycle)


def test_a_wrong_candidate_is_noticed(extorus):
    """The candidates of the oracle are compared: one port more in one place differs."""
    network = Network("twin:4x4", "dort")
    table = route(extorus, "twin:4x4", "--algorithm", "dort")
    key = next(key for key, (*_, ports) in table.items() if "int" not in ports and key[0] != key[2])
    table[key] = (*table[key][:2], table[key][2] | {"int"})
    with pytest.raises(AssertionError):
        examine(extorus, network, table)


@pytest.mark.parametrize("words, says", [
    (["twin:4x4x4", "--algorithm", "dort", "--adaptive", "--profile", "dort"], "use profile dort_adaptive"),
    (["torus:4x4", "--algorithm", "bubble", "--adaptive", "--profile", "bubble"], "use profile bubble_adaptive"),
    (["twin:4x4x4,config=A", "--algorithm", "dort", "--profile", "dort"], "dort needs 7 deterministic VCs in each TC; TC 0 of profile dort has 4: "
                                                                          "use another profile, for example dort7"),
    (["twin:4x4x4,config=A", "--algorithm", "dort", "--adaptive"], "dort needs 7 deterministic VCs in each TC; TC 0 of profile dort_adaptive "
                                                                   "has 4: no profile that fits otherwise has as many"),
    (["twin:4x4", "--algorithm", "bubble", "--adaptive"], "bubble needs 3 deterministic VCs in each TC; TC 0 of profile bubble_adaptive has 1: "
                                                          "no profile that fits otherwise has as many"),
])
def test_refused(extorus, words, says):
    extorus("route", *words, "-o", "image", status=2, stderr=says)
    assert not (extorus.folder / "image").exists()


@pytest.mark.parametrize("profile", ["dort7", "dort8"])
@pytest.mark.parametrize("spec", ["twin:4x4x4,config=A", "twin:3x4x5,config=B", "twin:5x3x2,config=E", "twin:2x3x4,config=F"])
def test_dort_where_three_dimensions_are_split(extorus, spec, profile):
    network = Network(spec, "dort")
    csv = extorus("route", spec, "--algorithm", "dort", "--profile", profile, "-o", "image", "--csv", "-")
    table = read_csv(csv.splitlines())
    assert table == network.routes()
    assert is_acyclic(dependencies(network, table, 0))
    assert json.loads(extorus("check", "image", "--json"))["cyclic_tcs"] == []
    assert max(vc for port, vc in table.values() if port == "int") == 6


@pytest.mark.parametrize("spec", ["twin:4x4x4,config=A", "twin:5x4x5,config=B", "twin:4x5x4,config=E", "twin:5x5x4,config=F"])
def test_six_vcs_are_refused_where_three_dimensions_are_split(extorus, spec):
    csv = extorus("route", spec, "--algorithm", "dort", "--profile", "dort7", "--fold-vcs", "6", "-o", "image", "--csv", "-")
    table = read_csv(csv.splitlines())
    for tc, cycle in printed_cycles(extorus("check", "image", status=1, stderr="can deadlock")).items():
        assert_cycle(of_topology(spec), table, tc, cycle)


@pytest.mark.parametrize("radix, ties", [(3, "positive"), (3, "coordinate"), (4, "positive")])
@pytest.mark.parametrize("config", "ABEF")
def test_six_vcs_do_in_short_rings(extorus, config, radix, ties):
    """No packet takes two links of a ring of 3, nor, with ties to the positive port, of the negative direction of a ring of 4."""
    spec = f"twin:{radix}x{radix}x{radix},config={config}"
    for vcs, status in ((6, 0), (5, 1)):
        csv = extorus("route", spec, "--algorithm", "dort", "--fold-vcs", str(vcs), "--ties", ties, "-o", "image", "--csv", "-")
        assert is_acyclic(dependencies(Network(spec, "dort"), read_csv(csv.splitlines()), 0)) == (status == 0)
        extorus("check", "image", status=status)


def test_profiles_for_the_model_have_no_rtl(extorus):
    extorus("route", "torus:4x4", "--algorithm", "bubble", "--adaptive", "-o", "image")
    extorus("sim", "image", "--load", "0.1", "--engine", "rtl", status=2, stderr="profile bubble_adaptive has no RTL")
