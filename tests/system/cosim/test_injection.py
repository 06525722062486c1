# SPDX-License-Identifier: Apache-2.0
"""Packets from NICs give way to packets under way: the network stays good beyond saturation, and the model is the RTL."""

import pytest


def run(sim, image, engine="model", load=1.0, **options):
    return sim(image, "--backdoor", load=load, drain=0, engine=engine, **options)


@pytest.mark.slow
@pytest.mark.parametrize("options", ({}, {"inject_wait": 0}, {"inject_wait": 40, "inject_room": 100}))
def test_a_saturated_run_of_the_model_is_that_of_the_rtl(network, sim, without_time, options):
    """Run by events against cells in Verilog, with packets that escape: a count of patience that is off shows here."""
    image = network("torus:4x4x4", adaptive=True)
    model, rtl = (without_time(run(sim, image, engine, warmup=0, measure=900, seed=2, **options)) for engine in ("model", "rtl"))
    assert {key for key in rtl if rtl[key] != model[key]} == {"engine"}


def test_nothing_is_lost_by_going_on(network, sim):
    """Rings of eight, where throughput falls with time. Without priority it does, or the test shows nothing."""
    image = network("torus:8x8x4")
    early = run(sim, image, warmup=2000, measure=3000)
    late = run(sim, image, warmup=15000, measure=3000)
    assert early["accepted_load"] > 0.8 and late["accepted_load"] > 0.98 * early["accepted_load"]
    assert early["fairness"] > 0.95 and late["fairness"] > 0.95
    without = run(sim, image, warmup=15000, measure=3000, inject_wait=0)
    assert without["accepted_load"] < late["accepted_load"] - 0.02


def test_fairness_counts_those_that_send(network, sim):
    """A permutation with fixed points, and a hot spot that some senders lose."""
    image = network("torus:4x4")
    assert sim(image, traffic="transpose", load=0.2, engine="model", measure=3000, packet="4")["fairness"] > 0.9
    assert sim(image, load=0, engine="model", measure=100)["fairness"] is None
