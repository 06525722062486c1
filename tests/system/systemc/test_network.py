# SPDX-License-Identifier: Apache-2.0
"""A network of SystemC modules equals the plain C++ harness with the same seed, cycle by cycle. Every packet is
generated, accepted and delivered in the same cycle, and cards sleep in the same cycles."""

import json

import pytest

MEASURE = 600
CASES = {
    # name: (topology, algorithm, profile, settings)
    "ring": ("torus:2", "dor", "mini", {"load": 0.5}),
    "long links": ("torus:3x3", "dor", "mini", {"load": 0.4, "latency": 7}),
    "saturated, with pauses": ("torus:4x2", "dor", "mini", {"load": 1.0, "stall": 3, "period": 8, "seed": 5}),
    "nearly idle": ("twin:2x2", "updown", "mini", {"load": 0.01, "seed": 2}),
    "links with replay": ("twin:2x2", "ts-dor", "extoll", {"load": 0.5, "seed": 3}),
}


@pytest.fixture
def plain(extorus):
    """The same on the RTL without SystemC."""

    def on_harness(image, load, latency=0, stall=0, period=0, seed=1):
        words = ["--latency", latency] if latency else []
        words += ["--nic-stall", f"{stall}/{period}"] if stall else []
        out = extorus(*map(str, ("sim", image, "--engine", "rtl", "--backdoor", "--warmup", 0, "--measure", MEASURE, "--load",
                                 load, "--seed", seed, "--packet-log", "plain.csv", "--json", *words)))
        return json.loads(out), (extorus.folder / "plain.csv").read_text()

    return on_harness


@pytest.mark.parametrize("name", CASES)
def test_same_cycles_as_the_plain_harness(extorus, network, plain, name):
    where, algorithm, profile, settings = CASES[name]
    extorus("route", where, "--algorithm", algorithm, "--profile", profile, "-o", "a.img")
    expected, log = plain("a.img", **settings)
    assert len(log.splitlines()) > 10
    for engine in ("rtl", "model", "mixed"):
        result, got = network("a.img", engine=engine, measure=MEASURE, **settings)
        assert got == log, engine
        for key in ("cycles", "packets_sent", "packets_delivered", "evaluated_card_cycles"):
            assert result[key] == expected[key], (engine, key)


def test_adaptive_packets_choose_the_same_ways(extorus, network, plain):
    extorus("route", "torus:2x2x2", "--algorithm", "dor", "--adaptive", "-o", "a.img")
    _, log = plain("a.img", load=0.6)
    for engine in ("model", "mixed"):
        assert network("a.img", engine=engine, measure=MEASURE, load=0.6)[1] == log, engine


def test_cards_that_never_sleep_do_the_same(network):
    settings = {"profile": "mini", "measure": MEASURE, "load": 0.005}
    result, log = network("torus:3x2", sleep="no", **settings)
    sleeping, same = network("torus:3x2", sleep="yes", **settings)
    assert log == same
    assert result["cycles"] == sleeping["cycles"]
    assert result["evaluated_card_cycles"] == result["cycles"] * 6
    assert sleeping["evaluated_card_cycles"] < 0.8 * result["evaluated_card_cycles"]


def test_tables_written_by_registers(network):
    settings = {"profile": "mini", "measure": MEASURE, "load": 0.3}
    assert network("torus:4", tables="registers", **settings)[1] == network("torus:4", **settings)[1]


def test_a_second_run_goes_on_where_the_first_ended(network):
    result, log = network("torus:2x2", profile="mini", engine="mixed", measure=MEASURE, load=0.3, runs=2)
    assert result["ok"] and log == network("torus:2x2", profile="mini", measure=MEASURE, load=0.3, runs=2)[1]
