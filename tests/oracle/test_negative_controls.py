# SPDX-License-Identifier: Apache-2.0
"""Routings that are known to deadlock: the check refuses each, and what it prints is a cycle of the dependencies that
an independent walk of the routing finds."""

import json
import re

import pytest

import image_file
from graph_oracle import assert_cycle, dependencies, of_topology
from oracle import is_acyclic
from test_routes import read_csv

DORT_ON_TWO_VCS = ["--algorithm", "dort", "--fold-vcs", "2"]
ONE_FEWER = {"dort": "3", "bubble": "2"}  # than the internal link of a twin torus with one split dimension needs
CONTROLS = [
    *((spec, DORT_ON_TWO_VCS) for spec in ("twin:4", "twin:3x3x3", "twin:4x4x4", "twin:5x4x3", "twin:2x2x4x3x2")),
    ("twin:4x4x4", [*DORT_ON_TWO_VCS, "--profile", "extoll"]),
    *((f"twin:{radices}{config and ',config='}{config}", ["--algorithm", algorithm, "--fold-vcs", vcs])
      for algorithm, vcs in ONE_FEWER.items()
      for radices, config in [*(("4x4x4", config) for config in ("", *"CDGHIJ")), ("2x2x2", ""), ("3x3x3", "C"), ("5x5x5", "D"),
                              ("5x4x3", "H"), ("3x2x4", "I"), ("2x3x2x3x2", ""), ("3x2x2x2x2", "d0+d1+d1-d2+d2-")]),
    *((f"twin:{radices},config={config}", ["--algorithm", "bubble", "--fold-vcs", vcs])
      for vcs, radices, config in [*(("3", "4x4x4", config) for config in "ABEF"), ("3", "2x2x2", "A"), ("3", "3x3x3", "E"), ("3", "5x5x5", "B"),
                                   ("3", "6x2x3", "F"), ("3", "5x4x3", "A"), ("3", "3x2x4", "B"), ("3", "2x5x4", "E"), ("2", "4x4", "d0+d1+"),
                                   ("2", "5x3", "d0+d1-")]),
    *((f"twin:{radices}", ["--algorithm", "dort", "--fold-vcs", "1"]) for radices in ("4x4", "5x3", "2x2x2x2")),
    ("twin:4x2x4", [*DORT_ON_TWO_VCS, "--ties", "positive"]),
    *((spec, ["--algorithm", "ts-dor", "--single-tc"]) for spec in ("twin:4x4", "twin:3x3x3", "twin:2x2x2x2x2",
                                                                               "twin:4x4x4,config=D")),
    *((spec, ["--algorithm", "dor", "--fold-vcs", "1"]) for spec in ("torus:4", "torus:5x3", "torus:4x4x4", "rtt:8x4",
                                                                   "ptt:6x3x3", "pdtt:8x4x4")),
    *((spec, ["--algorithm", "updown", "--up-after-down", "--seed", seed]) for seed in "18"
      for spec in ("torus:4x4", "twin:3x3x3", "mesh:4x4", "rtt:8x4", "pruned:4x4x4", "torus:4x4~5:d0+~3")),
    *((spec, ["--algorithm", "layered", "--fold-vcs", "1"]) for spec in ("torus:6x6", "twin:4x4x4", "manhattan:4x4",
                                                                       "pruned-directed:4x4x4")),
    *((spec, ["--algorithm", "ts-dor", "--fold-vcs", "1"]) for spec in ("twin:4x4", "twin:4x4x4")),
]
LINE = re.compile(r"  card (\d+) (\S+) -> card (\d+) (\S+), VC (\d)\n")


def graph_of(extorus, spec):
    whole = of_topology(spec.split("~")[0])
    said = json.loads(extorus("topo", spec, "--json"))
    return whole.without([tuple(link[:2]) for link in said["failed_links"]], said["failed_cards"])


def printed_cycles(text):
    """{tc: [(card, port, to_card, to_port, vc), ...]}"""
    cycles = {}
    for tc, count, lines in re.findall(
            r"TC (\d): cycle of (\d+) channels, each waits for the next and the last for the first:\n((?:  card .*\n)+)", text):
        cycles[int(tc)] = [(int(a), b, int(c), d, int(e)) for a, b, c, d, e in LINE.findall(lines)]
        assert len(cycles[int(tc)]) == int(count)
    return cycles


@pytest.mark.parametrize("spec, arguments", CONTROLS, ids=lambda value: " ".join(value) if isinstance(value, list) else value)
def test_refused_with_the_cycle(extorus, spec, arguments):
    graph = graph_of(extorus, spec)
    table = read_csv(extorus("route", spec, *arguments, "-o", "image", "--csv", "-").splitlines())
    text = extorus("check", "image", status=1, stderr="can deadlock")
    check = json.loads(extorus("check", "image", "--json", status=1, stderr="can deadlock"))
    assert check["unreachable"] == 0
    cycles = printed_cycles(text)
    assert set(cycles) == set(check["cyclic_tcs"]) == {tc for _, tc, _ in table}
    for tc, cycle in cycles.items():
        one_side = "ts-dor" in arguments and "--single-tc" not in arguments
        sources = {card for card in graph.cards if not one_side or card % 2 == tc % 2}
        assert_cycle(graph, table, tc, cycle, sources)
        assert cycle == [(c["card"], c["port"], c["to_card"], c["to_port"], c["vc"])
                         for c in check["cycle"] if c["tc"] == tc]


def test_what_is_no_cycle_is_noticed(extorus):
    graph = of_topology("torus:4x4")
    table = read_csv(extorus("route", "torus:4x4", "--algorithm", "dor", "--fold-vcs", "1", "-o", "image", "--csv",
                             "-").splitlines())
    cycle = printed_cycles(extorus("check", "image", status=1))[0]
    assert_cycle(graph, table, 0, cycle)
    card, port, to_card, to_port, vc = cycle[1]
    for spoilt in (cycle[:-1], cycle[::-1], cycle + cycle, cycle[:1], [cycle[0], *cycle[2:]],
                   [cycle[0], (card, port, (to_card + 1) % 16, to_port, vc), *cycle[2:]],
                   [cycle[0], (card, port, to_card, to_port, 1), *cycle[2:]]):
        with pytest.raises(AssertionError):
            assert_cycle(graph, table, 0, spoilt)
    good = read_csv(extorus("route", "torus:4x4", "--algorithm", "dor", "--csv", "-").splitlines())
    with pytest.raises(AssertionError):
        assert_cycle(graph, good, 0, cycle)


@pytest.mark.parametrize("spec, arguments", [
    ("torus:3x3", ["--algorithm", "dor", "--fold-vcs", "1"]), ("twin:2x2x2", DORT_ON_TWO_VCS), ("twin:4x4", DORT_ON_TWO_VCS),
    ("torus:5x4", ["--algorithm", "updown", "--fold-vcs", "1"]), ("twin:4x4x4", ["--algorithm", "dort", "--fold-vcs", "4"]),
])
def test_what_cannot_deadlock_is_not_refused(extorus, spec, arguments):
    """Rings of three cards have no cycle, DORT needs four VCs where packets cross in a split dimension, and up/down needs one."""
    table = read_csv(extorus("route", spec, *arguments, "-o", "image", "--csv", "-").splitlines())
    assert is_acyclic(dependencies(of_topology(spec), table, 0))
    assert json.loads(extorus("check", "image", "--json"))["cyclic_tcs"] == []


@pytest.mark.parametrize("spec, square", [("mesh:2x2", (0, 1, 3, 2)), ("mesh:4x4", (5, 6, 10, 9)), ("mesh:3x4x2", (13, 14, 17, 16))])
def test_turns_that_dimension_order_forbids(extorus, spec, square):
    """A mesh has no ring to cut, so that DOR needs one VC; that the order of the dimensions matters is what two turns the
    other way show. Around a square of a, b, c, d packets from a to c go by b and those from c to a by d; here those from b
    to d go by c and those from d to b by a as well."""
    graph = of_topology(spec)
    a, b, c, d = square
    for vcs in ([], ["--fold-vcs", "1"]):
        route = ["route", spec, "--algorithm", "dor", *vcs]
        good = read_csv(extorus(*route, "-o", "image", "--csv", "-").splitlines())
        assert is_acyclic(dependencies(graph, good, 0))
        assert json.loads(extorus("check", "image", "--json"))["cyclic_tcs"] == []
    image = (extorus.folder / "image").read_bytes()
    (extorus.folder / "image").write_bytes(image_file.with_local_entries(image, 6, 1, 4, {(b, d): c, (d, b): a}))
    table = {**good, **{(b, tc, d): good[b, tc, c] for tc in range(4)}, **{(d, tc, b): good[d, tc, a] for tc in range(4)}}
    check = json.loads(extorus("check", "image", "--json", status=1, stderr="can deadlock"))
    cycles = printed_cycles(extorus("check", "image", status=1))
    assert check["unreachable"] == 0 and set(cycles) == {0, 1, 2, 3}
    for tc, cycle in cycles.items():
        assert_cycle(graph, table, tc, cycle)
        assert {card for card, *_ in cycle} == set(square)


@pytest.mark.parametrize("arguments, says", [
    (["torus:4x4", "--algorithm", "dor", "--fold-vcs", "0"], "a number from 1 to 8"),
    (["twin:4x4", "--algorithm", "dort", "--profile", "extoll", "--fold-vcs", "3"], "dort needs 3 deterministic VCs"),
    (["manhattan:4x4", "--algorithm", "updown", "--up-after-down"], "use layered"),
])
def test_wrong_usage_is_status_2(extorus, arguments, says):
    assert extorus("route", *arguments, status=2, stderr=says) == ""
