# SPDX-License-Identifier: Apache-2.0
"""Which way round a ring of even radix ties go, against the oracle; and that the images are still proved."""

import json

import pytest

from oracle import LOWER, UPPER, Network, dependencies, is_acyclic
from test_routes import read_csv

CASES = [(spec, algorithm, ties)
         for algorithm, specs, kinds in (
             ("dor", ("torus:4x4", "torus:2x4x6", "torus:6x5", "torus:2"), ("positive", "coordinate")),
             ("ts-dor", ("twin:4x4x2", "twin:2x2x2x2x2", "twin:4x3x4"), ("positive", "coordinate", "source")),
             ("dort", ("twin:4x4x2", "twin:2x4x4x2"), ("positive", "coordinate")))
         for spec in specs for ties in kinds]


def route(extorus, spec, algorithm, *words):
    return read_csv(extorus("route", spec, "--algorithm", algorithm, *words, "-o", "ties.img", "--csv", "-").splitlines())


@pytest.mark.parametrize("spec, algorithm, ties", CASES)
def test_ties_go_as_the_option_says(extorus, spec, algorithm, ties):
    network = Network(spec, algorithm, ties)
    table = route(extorus, spec, algorithm, "--ties", ties)
    assert table == network.routes()
    check = json.loads(extorus("check", "ties.img", "--json"))
    assert (check["unreachable"], check["cyclic_tcs"]) == (0, [])
    assert check["algorithm"] == f"{algorithm}-{ties}-ties"
    for tc in range(len(check["tcs"])):
        assert is_acyclic(dependencies(network, table, tc))


CLASSIC = [("torus:6", "dor"), ("torus:7", "dor"), ("torus:8", "dor"), ("torus:9x3", "dor"), ("torus:6x5", "dor"), ("torus:8x4x2", "dor"),
           ("torus:10x4", "dor"), ("torus:16", "dor"), ("twin:8x2x2", "ts-dor"), ("twin:2x7x2", "ts-dor"), ("twin:6x2x6", "ts-dor")]


@pytest.mark.parametrize("adaptive", ([], ["--adaptive"]), ids=("deterministic", "adaptive"))
@pytest.mark.parametrize("spec, algorithm", CLASSIC)
def test_classic_dateline(extorus, spec, algorithm, adaptive):
    """The upper VC exactly where the destination's digit is the greater one."""
    network = Network(spec, algorithm, classic=True)
    table = route(extorus, spec, algorithm, "--classic-dateline", *adaptive)
    check = json.loads(extorus("check", "ties.img", "--json"))
    assert (check["unreachable"], check["cyclic_tcs"]) == (0, []) and "-classic-dateline" in check["algorithm"]
    if adaptive:
        return
    assert table == network.routes()
    for (card, _, dest), (port, vc) in table.items():
        if port not in ("int", "nic"):
            here, there = (network.places[place][0][int(port[1])] for place in (card, dest))
            assert vc == (UPPER if there > here else LOWER)
    assert table != Network(spec, algorithm).routes()


@pytest.mark.parametrize("spec", ("torus:8", "torus:7x3", "torus:8x4"))
def test_classic_dateline_on_one_vc_is_refused(extorus, spec):
    route(extorus, spec, "dor", "--classic-dateline", "--fold-vcs", "1")
    extorus("check", "ties.img", status=1, stderr="can deadlock")


@pytest.mark.parametrize("spec, algorithm", (("twin:4x4x4", "dort"), ("torus:8x4", "bubble"), ("mesh:8x4", "dor"), ("rtt:8x4", "dor")))
def test_no_dateline_to_choose(extorus, spec, algorithm):
    extorus("route", spec, "--algorithm", algorithm, "--classic-dateline", "-o", "x.img", status=2, stderr="a classic dateline is that of")


@pytest.mark.parametrize("spec, algorithm, ties", (("torus:4x4", "dor", "coordinate"), ("twin:4x4x2", "ts-dor", "source"),
                                                   ("twin:4x4x2", "dort", "coordinate"), ("torus:4x4", "bubble", "coordinate")))
def test_default(extorus, spec, algorithm, ties):
    assert route(extorus, spec, algorithm) == route(extorus, spec, algorithm, "--ties", ties)
    assert route(extorus, spec, algorithm) != route(extorus, spec, algorithm, "--ties", "positive")


@pytest.mark.parametrize("spec, algorithm", (("torus:4x4x2", "dor"), ("torus:6x4", "dor"), ("twin:4x4x4", "ts-dor"), ("twin:2x2x2x2x2", "ts-dor")))
@pytest.mark.parametrize("ties", ("positive", "coordinate"))
def test_adaptive_images_are_safe_and_minimal(extorus, spec, algorithm, ties):
    extorus("route", spec, "--algorithm", algorithm, "--ties", ties, "--adaptive", "-o", "ties.img")
    assert "; 0 pairs not minimal" in extorus("check", "ties.img") or spec.startswith("twin")


@pytest.mark.parametrize("spec, algorithm", (("torus:5x3", "dor"), ("twin:3x5x3", "ts-dor"), ("twin:3x4x3", "ts-dor"), ("torus:3x3", "bubble")))
def test_an_odd_radix_has_no_ties(extorus, spec, algorithm, tmp_path):
    images = []
    for ties in ("positive", "coordinate"):
        extorus("route", spec, "--algorithm", algorithm, "--ties", ties, "-o", "odd.img")
        images.append((tmp_path / "odd.img").read_bytes())
    assert images[0] == images[1]


@pytest.mark.parametrize("spec, algorithm, ties, said", (
    ("torus:4x4", "dor", "source", "take coordinate"), ("twin:4x4x4", "dort", "source", "take coordinate"),
    ("rtt:8x4", "dor", "positive", "rule of its own"), ("torus:4x4", "updown", "coordinate", "rule of its own"),
    ("torus:4x4", "dor", "luck", "use positive, coordinate or source")))
def test_refused(extorus, spec, algorithm, ties, said):
    extorus("route", spec, "--algorithm", algorithm, "--ties", ties, "-o", "x.img", status=2, stderr=said)
