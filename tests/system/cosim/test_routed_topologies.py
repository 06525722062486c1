# SPDX-License-Identifier: Apache-2.0
"""Saturated networks of every family that can be routed, and damaged ones: nothing is lost, and nothing stalls."""

import pytest


@pytest.mark.parametrize("algorithm", ("layered", "updown"))
@pytest.mark.parametrize("spec", ("mesh:4x3", "rtt:6x3", "ptt:4x2x2", "pdtt:4x2x2", "pruned:2x2x2", "twin:2x2x2,config=C",
                                  "torus:4x3~5:d0+~7", "twin:3x2x2~random=3:1"))
def test_saturated(network, sim, found, spec, algorithm):
    result = sim(network(spec, algorithm=algorithm), "--backdoor", load=1.0, packet="1-32", warmup=300, measure=900)
    assert result["topology"] == spec and result["ok"] and result["drained"] and not found(result), result["reports"]
    assert result["packets_sent"] == result["packets_delivered"] > 0


@pytest.mark.parametrize("spec, algorithm, profile", [
    ("mesh:4x3", "dor", "extoll"), ("mesh:2x2x3", "dor", "extoll"), ("rtt:6x3", "dor", "extoll"), ("pdtt:4x2x2", "dor", "extoll"), ("rtt:8x4", "bubble", "bubble"),
    ("ptt:4x2x2", "bubble", "bubble"), ("manhattan:4x4", "layered", "extoll"), ("manhattan:4x2x2", "layered", "dort"),
    ("pruned-directed:4x4x2", "layered", "extoll"), ("pruned-directed:4x4x4", "layered", "mini")])
def test_saturated_by_algorithms_of_their_own(network, sim_on, found, spec, algorithm, profile):
    packet = "1-4" if profile == "mini" else "1-32"
    result = sim_on(network(spec, profile, algorithm=algorithm), "--backdoor", load=1.0, packet=packet, warmup=300,
                 measure=900)
    assert result["ok"] and result["drained"] and not found(result), result["reports"]
    assert result["packets_sent"] == result["packets_delivered"] > 0


@pytest.mark.parametrize("spec", ("pdtt:4x2x2", "manhattan:4x4"))
def test_saturated_and_adaptive(network, sim, found, spec):
    image = network(spec, algorithm="dor" if spec.startswith("pdtt") else "layered", adaptive=True)
    result = sim(image, "--backdoor", load=1.0, packet="1-32", warmup=300, measure=900)
    assert result["ok"] and result["drained"] and not found(result), result["reports"]
