# SPDX-License-Identifier: Apache-2.0
"""Twin tori of every port configuration at full load: nothing stalls, and the cards drain."""

import pytest

FULL = ("--load", 1, "--packet", 4, "--warmup", 300, "--measure", 1500)


@pytest.mark.parametrize("algorithm", ("dort", "bubble"))
@pytest.mark.parametrize("spec", [f"twin:4x4x4,config={letter}" for letter in "CDGHIJ"]
                         + ["twin:5x3x3,config=D", "twin:5x5,config=d1+d1-", "twin:5,config=d0+", "twin:4x2x3x2,config=d0+d0-d2+d2-",
                            "twin:3x2x2x2x2,config=d0+d1+d1-d2+d2-"])
def test_saturated(network, sim, spec, algorithm):
    result, _ = sim(network(spec, "--ties", "positive", algorithm=algorithm), *FULL)
    assert result["saturated"] and result["drained"] and result["ok"]


@pytest.mark.parametrize("words", ((), ("--switch", "input-queued", "--port-buffer", 64)), ids=("model", "input-queued"))
@pytest.mark.parametrize("spec", [*(f"twin:4x4x4,config={letter}" for letter in "ABEF"), "twin:5x5x3,config=A", "twin:6x4,config=d0+d1+",
                                  "twin:3x2x4x2,config=d0+d0-d1+d2-"])
def test_saturated_where_rings_share_the_internal_link(network, sim, spec, words):
    """No VC of the internal link is left empty, and the rings of no dimension stand still."""
    result, _ = sim(network(spec, "--ties", "positive", algorithm="bubble"), *FULL, *words)
    assert result["saturated"] and result["drained"] and result["ok"] and result["profile"] == "bubble4"


@pytest.mark.parametrize("spec", ("twin:4x4x3,config=D", "twin:3x4x4,config=d2+d2-d1+", "twin:5x3,config=d1+d1-"))
def test_saturated_ts_dor(network, sim, spec):
    result, _ = sim(network(spec, "--adaptive"), *FULL)
    assert result["saturated"] and result["drained"] and result["ok"]


@pytest.mark.long
@pytest.mark.parametrize("spec, algorithm", (("twin:3x2x4,config=H", "dort"), ("twin:3x2x4,config=H", "bubble"), ("twin:4x2x2,config=A", "bubble"),
                                             ("twin:4x2,config=d0+d1+", "bubble")))
def test_the_rtl_is_the_same(network, sim, spec, algorithm):
    image = network(spec, "--ties", "positive", algorithm=algorithm)
    words = ("--load", 1, "--packet", 4, "--warmup", 100, "--measure", 300)
    rtl, packets = sim(image, *words, engine="rtl")
    assert rtl["ok"] and packets == sim(image, *words)[1]
