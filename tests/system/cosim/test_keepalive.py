# SPDX-License-Identifier: Apache-2.0
"""Healthy links stay up: how often keepalives end a link without a fault, by a Markov chain, and measured.

An idle link carries a keepalive every PERIOD cycles. A link goes down when MISSED of them in a row come damaged or not at all."""

import json
import math

import pytest

PERIOD, MISSED = 256, 4  # XT_KILL_KEEPALIVE; LINK_KEEPALIVE cycles without a frame, four times
LEAST = 8                # below this period a burst may take two keepalives
TAIL = 4                 # cycles for which a burst of errors lasts on, at most


def ends_per_cycle(rate, period=PERIOD, missed=MISSED, tail=TAIL):
    """How often one direction of an idle link ends, per cycle. State of the chain: keepalives missed in a row, and cycles
    for which a burst goes on. A third of the errors are bursts; a quarter of these last for 1 to `tail` cycles more."""
    lengths = {0: rate * (1 - 1 / 12), **{tail_cycles: rate / 12 / tail for tail_cycles in range(1, tail + 1)}}
    chances, ends = {(0, 0): 1.0}, 0.0
    for _ in range(4 * missed + 4):  # the chain forgets its start within `missed` keepalives
        following, ends = {}, 0.0
        for (count, burst), chance in chances.items():
            steps = {(count + 1, burst - period): 1.0} if burst >= period else {
                (0, 0): 1 - rate, **{(count + 1, length): chance_of for length, chance_of in lengths.items()}}
            for (now, left), part in steps.items():
                ends += chance * part if now == missed else 0.0
                state = (0, 0) if now == missed else (now, left)
                following[state] = following.get(state, 0.0) + chance * part
        chances = following
    return ends / period


def test_a_healthy_link_stays_up_for_a_million_million_cycles():
    """Both directions; also with the shortest period of `extorus link`, and without a margin for chance."""
    assert 2 * ends_per_cycle(1e-3) < 1e-12
    for period in range(LEAST, 4096):
        assert 2 * ends_per_cycle(1e-3, period) < 1e-12, period


def test_the_chain_agrees_with_the_closed_form():
    q = 0.1
    assert math.isclose(ends_per_cycle(q), q**4 * (1 - q) / (1 - q**4) / PERIOD, rel_tol=1e-3)


@pytest.mark.parametrize("weaker", ({"missed": 3}, {"period": 2}, {"tail": 4 * PERIOD}))
def test_weaker_rules_are_refused(weaker):
    """Three keepalives, or bursts that reach from a keepalive to the next, would not do."""
    assert 2 * ends_per_cycle(1e-3, **weaker) > 1e-12


@pytest.mark.parametrize("rate", (0.1, 0.15, 0.2))
def test_the_chain_agrees_with_the_simulation(network, extorus, rate):
    """Healthy links that went down in idle networks, within four standard deviations of the expected number."""
    image, links, down, expected = network("torus:4x4"), 0, 0, 0.0
    for seed in range(1, 5):
        result = json.loads(extorus("sim", image, "--json", "--engine", "model", "--load", "0.00001", "--warmup", "0",
                                    "--measure", "40000", "--drain", "500", "--packet", "1", "--seed", str(seed),
                                    "--error-rate", str(rate), "--kill-link", "0:d0+@100", status=None))
        cycles = result["cycles"]
        links += 31
        expected += 31 * (1 - math.exp(-2 * ends_per_cycle(rate) * cycles))
        down += len({end["since"] // 64 for end in result["links_down"] if not end["killed"]})
    print(f"rate {rate}: {down} of {links} links down, {expected:.1f} expected")
    assert abs(down - expected) < 4 * math.sqrt(expected * (1 - expected / links)) + 1


@pytest.mark.parametrize("engine", ("model", "rtl"))
def test_healthy_links_stay_up_beside_a_dead_one(network, sim, found, engine):
    """Where bursts were counted in frames, each of these lost healthy links: all that need not pass the dead link arrives."""
    image = network("torus:4x4", adaptive=True)
    for seed in (369,) if engine == "rtl" else (369, 370, 371, 372):
        result = sim(image, "--engine", engine, "--kill-link", "6:1@474", load=0.001, measure=3000 if engine == "rtl" else 100000,
                     warmup=300, packet=32, error_rate=1e-3, seed=seed)
        assert not found(result) and result["drained"], result["reports"]
        assert {(end["card"], end["killed"]) for end in result["links_down"]} == {(6, True), (7, True)}
        assert result["packets_sent"] == result["packets_delivered"] + result["packets_poisoned"] + result["packets_dropped"]


@pytest.mark.parametrize("rate", (1e-9, 1e-3))
def test_long_links_stay_up(network, sim, found, rate):
    """The way there and back is longer than the time after which a card repeats what was not acknowledged, as it is after a
    reset: without errors nothing is repeated, and with some no link goes down."""
    result = sim(network("torus:4x4"), "--engine", "model", load=0.05, measure=20000, warmup=300, packet=32, latency=1024, error_rate=rate, seed=369)
    assert not found(result) and result["drained"] and result["links_down"] == [], result["reports"]
    assert result["links"]["timeouts"] <= result["errors_injected"]


@pytest.mark.parametrize("rate", (0, 1e-9))
def test_long_links_of_the_rtl_repeat_nothing(network, sim, without_time, rate):
    """Nor of the model, and both are the same; without errors it carries long links in another way."""
    image = network("torus:2x2")
    model, rtl = (without_time(sim(image, "--engine", engine, load=0.2, measure=400, warmup=100, latency=300, error_rate=rate))
                  for engine in ("model", "rtl"))
    assert model.pop("engine") != rtl.pop("engine") and model == rtl
    assert rtl["links"]["timeouts"] == rtl["links"]["replays"] == 0
