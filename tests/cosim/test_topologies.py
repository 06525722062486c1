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
