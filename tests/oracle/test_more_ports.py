# SPDX-License-Identifier: Apache-2.0
"""Cards of 8, 10 and 14 link ports: 4D to 7D tori and twin tori of six and seven dimensions, against the oracle."""

import json

import pytest

from oracle import Network, dependencies, is_acyclic
from test_routes import assert_hops, read_csv

# spec, algorithm, profile
SHAPES = [
    ("torus:2x2x2x2", "dor", "links8"), ("torus:3x1x3x3", "dor", "links8"), ("torus:4x2x1x4", "dor", "links8"),
    ("torus:3x2x2x2x2", "dor", "links10"), ("torus:1x3x2x5x1", "dor", "links10"), ("torus:4x1x2x2x3", "dor", "links10"),
    ("torus:2x2x1x2x2x2x2", "dor", "links14"), ("torus:3x1x2x1x2x1x4", "dor", "links14"),
    ("twin:2x2x2x1x2x2", "dort", "links8"), ("twin:3x1x2x2x1x3", "dort", "links8"), ("twin:2x1x2x1x3x1x2", "dort", "links8"),
    ("twin:1x2x1x4x2x1x2", "dort", "links8"), ("twin:2x2x1x2x2x2", "ts-dor", "links8"), ("twin:2x1x2x3x1x1x2", "ts-dor", "links8"),
]


@pytest.fixture
def routed(extorus):
    """routed(spec, algorithm, profile, words) -> table and check."""

    def route(spec, algorithm, profile, *words, status=0):
        csv = extorus("route", spec, "--algorithm", algorithm, "--profile", profile, *words, "-o", "image", "--csv", "-")
        return read_csv(csv.splitlines()), json.loads(extorus("check", "image", "--json", status=status))

    return route


@pytest.mark.parametrize("spec, algorithm, profile", SHAPES)
def test_routes(routed, spec, algorithm, profile):
    network = Network(spec, algorithm)
    table, check = routed(spec, algorithm, profile)
    oracle = network.routes()
    assert {key: hop for key, hop in table.items() if key[1] < 2} == {key: hop for key, hop in oracle.items() if key[1] < 2}
    assert_hops(check, network)
    assert check["cyclic_tcs"] == [] and all(is_acyclic(dependencies(network, table, tc)) for tc in range(2))


@pytest.mark.parametrize("spec, algorithm, profile, vcs", (
    ("torus:2x5x3x1", "dor", "links8", "1"), ("torus:2x1x5x2x2", "dor", "links10", "1"), ("torus:2x2x1x1x2x2x5", "dor", "links14", "1"),
    ("twin:1x3x2x1x3x1x2", "dort", "links8", "3"), ("twin:1x4x1x4x1x4", "dort", "links8", "3")))
def test_one_vc_fewer(routed, spec, algorithm, profile, vcs):
    """The checker and the oracle both find the cycle."""
    network = Network(spec, algorithm)
    table, check = routed(spec, algorithm, profile, "--fold-vcs", vcs, status=1)
    assert check["cyclic_tcs"] == [0, 1] and not is_acyclic(dependencies(network, table, 0))


@pytest.mark.parametrize("spec, algorithm, profile, words", [
    (*shape, words) for shape, words in zip(SHAPES[::3], ((), ("--error-rate", "0.01"), (), ("--no-skip",), ()))])
def test_saturated(extorus, routed, spec, algorithm, profile, words):
    """Nothing stalls; by events, cell by cell, and with links that repeat cells."""
    routed(spec, algorithm, profile)
    result = json.loads(extorus("sim", "image", "--engine", "model", "--backdoor", "--load", "1", "--warmup", "200", "--measure", "300",
                                "--json", *words))
    assert result["ok"] and result["saturated"] and result["drained"]


def test_events_change_nothing(extorus, routed):
    """Links beyond the eighth too."""
    routed("torus:2x1x1x2x2x1x3", "dor", "links14")
    logs = []
    for words in ((), ("--no-skip",), ("--threads", "2")):
        extorus("sim", "image", "--engine", "model", "--backdoor", "--load", "0.7", "--warmup", "100", "--measure", "150", "--packet-log",
                "log.csv", *words)
        logs.append((extorus.folder / "log.csv").read_text())
    assert logs[0] == logs[1] == logs[2]


@pytest.mark.long
def test_8192_cards(extorus):
    """The 4D torus, the 7D twin torus and the 7D torus of 8,192 PEs."""
    for spec, algorithm, profile in (("torus:16x8x8x8", "dor", "links8"), ("twin:4x4x4x4x4x2x2", "dort", "links8"),
                                     ("torus:4x4x4x4x4x4x2", "dor", "links14")):
        extorus("route", spec, "--algorithm", algorithm, "--profile", profile, "-o", "image")
        check = json.loads(extorus("check", "image", "--json"))
        assert check["cards"] == 8192 and check["unreachable"] == 0 and check["cyclic_tcs"] == []


def test_without_rtl(extorus):
    extorus("route", "torus:2x2x2x2", "--algorithm", "dor", "--profile", "links8", "-o", "image")
    extorus("sim", "image", "--load", "0.1", "--engine", "rtl", status=2, stderr="profile links8 has no RTL")
