# SPDX-License-Identifier: Apache-2.0
"""DORT, bubble and TS-DOR on every port configuration of a twin torus, against the oracle."""

import itertools
import json

import pytest

import image_file
from graph_oracle import assert_cycle, of_topology
from oracle import Network, bubble_safe, dependencies, is_acyclic
from test_negative_controls import printed_cycles
from test_routes import assert_hops, read_csv

ONE_SPLIT = [
    *(f"twin:{radices},config={letter}" for letter in "CDGHIJ" for radices in ("2x2x2", "3x4x5", "4x4x4", "5x2x3", "6x3x2")),
    "twin:4,config=d0+", "twin:4x5,config=d1+d1-", "twin:3x2x4x2,config=d0+d0-d2+d2-", "twin:2x3x2x2,config=d1+d1-d3+d3-",
    "twin:3x2x2x2x2,config=d0+d1+d1-d2+d2-", "twin:2x2x2x3x2,config=d0+d0-d1+d1-d2+", "twin:2x2x3x2x2,config=d3+d3-d4+d4-d2+",
]
# With a ring for each VC of the internal link: all three dimensions are split, or two of two to four.
SEVERAL_SPLIT = [
    *(f"twin:{radices},config={letter}" for letter in "ABEF" for radices in ("2x2x2", "3x4x5", "4x4x4", "5x2x3", "6x3x2")),
    "twin:2x6x3,config=A", "twin:3x5x4,config=B", "twin:5x5x3,config=E", "twin:4x3x6,config=F",
    "twin:4x4,config=d0+d1+", "twin:5x4,config=d0+d1-", "twin:6x5,config=d0-d1+", "twin:4x3x2x3,config=d0+d1+d2+d2-",
    "twin:3x2x4x2,config=d0+d0-d1+d2-", "twin:2x3x3x4,config=d0+d1-d3+d3-",
]
# Card 0 or card 1 has the lower dimensions, the other one the upper ones.
ORDERED = [
    *(f"twin:{radices},config={letter}" for letter in "DG" for radices in ("2x2x2", "3x4x5", "4x4x4", "5x2x3", "6x3x2")),
    "twin:4,config=d0+", "twin:4x5,config=d1+d1-", "twin:3x4x4,config=d2+d2-d1+", "twin:5x4x3,config=d2+d2-d1-",
    "twin:2x3x2x2,config=d2+d2-d3+d3-", "twin:2x2x3x2x2,config=d3+d3-d4+d4-d2+", "twin:2x2x4x2x2,config=d0+d0-d1+d1-d2+",
]
UNORDERED = ["twin:4x4x4,config=C", "twin:4x4x4,config=H", "twin:4x4x4,config=I", "twin:4x4x4,config=A", "twin:4x4,config=d0+d1+",
             "twin:2x2x2x2,config=d0+d0-d2+d2-"]
TIES = ("positive", "coordinate")


def route(extorus, spec, algorithm, *words):
    csv = extorus("route", spec, "--algorithm", algorithm, *words, "-o", "image", "--csv", "-")
    return read_csv(csv.splitlines()), json.loads(extorus("check", "image", "--json"))


@pytest.mark.parametrize("spec, ties", zip(ONE_SPLIT, itertools.cycle(TIES)))
def test_dort(extorus, spec, ties):
    network = Network(spec, "dort", ties)
    table, check = route(extorus, spec, "dort", "--ties", ties)
    assert table == network.routes()
    assert_hops(check, network)
    assert check["cyclic_tcs"] == [] and is_acyclic(dependencies(network, table, 0))
    used = {vc for (card, _, _), (port, vc) in table.items() if port == "int"}
    assert max(used, default=0) <= 3


@pytest.mark.parametrize("spec, ties", zip(ONE_SPLIT, itertools.cycle(reversed(TIES))))
def test_bubble(extorus, spec, ties):
    network = Network(spec, "bubble", ties)
    table, check = route(extorus, spec, "bubble", "--ties", ties)
    assert table == network.routes()
    assert_hops(check, network)
    safe, rings = bubble_safe(network, dependencies(network, table, 0))
    assert safe
    assert (check["cyclic_tcs"], check["ring_merges"]) == ([], 0)
    assert check["tcs"][0]["rings"] == rings


@pytest.mark.parametrize("spec, ties", zip(SEVERAL_SPLIT, itertools.cycle(TIES)))
def test_bubble_where_several_dimensions_are_split(extorus, spec, ties):
    network = Network(spec, "bubble", ties)
    table, check = route(extorus, spec, "bubble", "--ties", ties)
    assert len(network.splits) > 1 and check["profile"] == "bubble4"
    assert table == network.routes()
    assert_hops(check, network)
    safe, rings = bubble_safe(network, dependencies(network, table, 0))
    assert safe
    assert (check["cyclic_tcs"], check["ring_merges"]) == ([], 0)
    assert check["tcs"][0]["rings"] == rings
    if len(network.splits) == 3:
        assert max(vc for port, vc in table.values() if port == "int") == 3


@pytest.mark.parametrize("spec", ["twin:4x4x4,config=A", "twin:5x4x5,config=B", "twin:4x5x4,config=E", "twin:5x5x4,config=F",
                                  "twin:6x4,config=d0+d1+"])
@pytest.mark.parametrize("which", [(0, 4), (2, 4)], ids=["no rings", "all from one port"])
def test_bubble_without_rings_of_vcs_is_refused(extorus, spec, which):
    """The same routes, and registers that do not tell the rings of the VCs apart: a bubble of one is taken for another."""
    csv = extorus("route", spec, "--algorithm", "bubble", "--ties", "positive", "-o", "image", "--csv", "-")
    table = read_csv(csv.splitlines())
    image = extorus.folder / "image"
    image.write_bytes(image_file.without_rings(image.read_bytes(), links=6, nics=1, tcs=2, which=which, ring_bytes=4))
    cycles = printed_cycles(extorus("check", "image", status=1, stderr="can deadlock"))
    assert set(cycles) == {0, 1}
    for tc, cycle in cycles.items():
        assert_cycle(of_topology(spec), table, tc, cycle)


@pytest.mark.parametrize("spec", ORDERED)
def test_ts_dor(extorus, spec):
    network = Network(spec, "ts-dor")
    table, check = route(extorus, spec, "ts-dor")
    assert table == network.routes()
    assert_hops(check, network)
    assert check["cyclic_tcs"] == []
    assert all(is_acyclic(dependencies(network, table, tc)) for tc in range(4))
    adaptive = route(extorus, spec, "ts-dor", "--adaptive")[1]
    assert (adaptive["adaptive"]["faults"], adaptive["cyclic_tcs"]) == (0, [])


@pytest.mark.parametrize("spec", UNORDERED)
def test_ts_dor_is_refused(extorus, spec):
    extorus("route", spec, "--algorithm", "ts-dor", status=2, stderr="at most one between them split, which ")


def test_the_positive_port_in_a_split_dimension(extorus):
    """The published rule. By default a tie goes to the port of the card where it is met, which saves a crossing."""
    hops = {ties: route(extorus, "twin:4x4x4", "dort", "--ties", ties)[1]["mean_hops"] for ties in TIES}
    assert hops["positive"] > hops["coordinate"]
    table, _ = route(extorus, "twin:1x4x1", "dort", "--ties", "positive")
    # Card 0 has the negative port, card 1 the positive one; PE 4 is two nodes further.
    assert table[0, 0, 4][0] == "int" and table[1, 0, 4][0] == "d1+"


def crosses_in_split_dimension(network):
    return any(network.radix[d] > (1 if network.ties == "positive" else 2) for d in network.splits)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("shapes", [list(itertools.product((2, 4, 5), repeat=n)) for n in (1, 2, 3)]
                         + [[(4, 4, 2, 2, 2), (4, 4, 2, 4, 2), (3, 2, 1, 2, 3), (2, 2, 3, 2, 2), (2, 2, 4, 2, 2)],
                            [(4, 4, 4, 4), (5, 2, 3, 2)], [(7, 2, 8), (6, 2, 6), (4, 2, 4)]], ids=str)
def test_where_dort_does_with_two_vcs(extorus, shapes, ties):
    """DORT folded to two VCs is free of deadlock exactly where no packet crosses the internal link for a split dimension. Exempt
    are rings of three, and with ties that go positive of four: their crossings need two VCs where a dimension follows."""
    for radices in shapes:
        spec = "twin:" + "x".join(map(str, radices))
        network = Network(spec, "dort", ties)
        extorus("route", spec, "--algorithm", "dort", "--fold-vcs", "2", "--ties", ties, "-o", "image")
        text = extorus("check", "image", "--json", status=None)
        middle = len(radices) // 2
        alone = len(radices) % 2 == 1 and all(k == 1 for k in radices[middle + 1:])
        exempt = alone and radices[middle] <= (4 if ties == "positive" else 3)
        assert (json.loads(text)["cyclic_tcs"] == []) == (exempt or not crosses_in_split_dimension(network)), spec
