# SPDX-License-Identifier: Apache-2.0
"""Adaptive routing in saturated networks: whatever the selection function, nothing deadlocks, nothing is lost, and
every hop is one that the image allows."""

import csv

import pytest

SELECTIONS = ("rr", "no-internal", "2-priority", "3-priority")


def check_clean(result, found):
    assert result["ok"] and result["drained"] and not found(result), result["reports"]
    assert result["packets_sent"] == result["packets_delivered"] > 0


@pytest.mark.parametrize("select", SELECTIONS)
@pytest.mark.slow
def test_saturated(network, sim, found, select):
    """16 cards of a 3D twin torus, which has candidates of all three priorities."""
    result = sim(network("twin:2x2x2", adaptive=True), "--backdoor", "--tc", "0,1", load=1.0, select=select, warmup=500,
                 measure=2000)
    check_clean(result, found)
    assert result["accepted_load"] > 0.4


@pytest.mark.slow
def test_saturated_torus(network, sim, found):
    result = sim(network("torus:4x4", adaptive=True), "--backdoor", load=1.0, warmup=500, measure=1500)
    check_clean(result, found)
    assert result["accepted_load"] > 0.7


@pytest.mark.parametrize("options", ({"adaptive_low": 4, "adaptive_high": 8}, {"patience": 1}, {"patience": 0},
                                     {"packet": "1"}, {"packet": "32"}, {"error_rate": 0.005}))
@pytest.mark.slow
def test_variations(network, sim, found, options):
    check_clean(sim(network("twin:2x2x2", adaptive=True), "--backdoor", load=0.9, warmup=300, measure=1200, **options),
                found)


@pytest.mark.slow
def test_killed_link(network, sim, found):
    """Adaptive packets go round a dead link as long as they have another way; those that do not are counted."""
    result = sim(network("torus:4x4", adaptive=True), "--kill-link", "5:d0+@1500", load=0.4, warmup=500, measure=2500, drain=500,
                 watchdog=1200)
    assert not found(result) and result["drained"], result["reports"]
    assert result["packets_sent"] == (result["packets_delivered"] + result["packets_poisoned"] +
                                      result["packets_dropped"])
    assert {(link["card"], link["port"]) for link in result["links_down"]} == {(5, "d0+"), (6, "d0-")}


@pytest.mark.slow
def test_escape_only(network, sim_on, without_time):
    """With a threshold of 0 no adaptive VC is ever chosen: the same as without candidates."""
    adaptive, plain = (without_time(sim_on(network("torus:4x4", adaptive=a), *words, load=0.5, measure=1000))
                       for a, words in ((True, ("--adaptive-low", "0", "--adaptive-high", "0")), (False, ())))
    differ = {key for key in plain if plain[key] != adaptive[key]}
    assert differ <= {"image", "algorithm"}


@pytest.mark.slow
def test_adaptive_spreads_the_load(extorus, network, sim_on, found):
    """Of two minimal ports the less busy one is taken: a saturated torus accepts more, where ties leave links idle."""
    plain, adaptive = (sim_on(network("torus:4x4", adaptive=a, ties="positive"), "--backdoor", "--tc", "0,1", load=1.0, warmup=1000,
                           measure=3000) for a in (False, True))
    check_clean(plain, found)
    check_clean(adaptive, found)
    assert adaptive["accepted_load"] > plain["accepted_load"]


@pytest.mark.slow
def test_zipf(extorus, network, sim_on, found):
    """One ranking for all: the PE of the first rank takes what one NIC can; the law's shares at a low load."""
    image = network("torus:4x4", adaptive=True)
    result = sim_on(image, "--backdoor", traffic="zipf-common", load=0.15, warmup=0, measure=4000, per_packet="log.csv")
    check_clean(result, found)
    assert result["traffic"] == "zipf-common" and result["zipf_exponent"] == 1.0
    counts = {}
    with open(extorus.folder / "log.csv", newline="") as file:
        for row in csv.DictReader(file):
            counts[row["destination"]] = counts.get(row["destination"], 0) + 1
    shares = sorted((count / result["packets_delivered"] for count in counts.values()), reverse=True)
    assert len(shares) == 16
    assert 0.22 < shares[0] < 0.36 and 0.1 < shares[1] < 0.22  # 0.30 and 0.15
    check_clean(sim_on(image, "--backdoor", traffic="zipf", zipf_exponent=2, load=0.4, measure=1000), found)


@pytest.mark.long
@pytest.mark.parametrize("select", SELECTIONS)
@pytest.mark.parametrize("spec", ("torus:8x8", "torus:4x4x4", "twin:4x4x2", "twin:2x2x2x2x2"))
def test_64_cards_saturated(network, sim, found, spec, select):
    for traffic in ("uniform", "zipf"):
        result = sim(network(spec, adaptive=True), "--backdoor", load=1.0, select=select, traffic=traffic, warmup=2000,
                     measure=10000)
        check_clean(result, found)


@pytest.mark.parametrize("words, says", (
    (["--zipf-exponent", "9"], "0 to 8"), (["--zipf-exponent", "x"], "0 to 8"), (["--tc", "4"], "--tc"),
    (["--tc", "0,"], "--tc"), (["--tc", "1", "--traffic", "none"], "none")))
def test_usage(extorus, network, words, says):
    extorus("sim", network("torus:2x2"), *words, status=2, stderr=says)
