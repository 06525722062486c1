# SPDX-License-Identifier: Apache-2.0
"""Every profile on a small network with its own routing."""

import pytest

import image_file


def check_clean(result, found):
    assert result["ok"] and result["drained"] and not found(result), result["reports"]
    assert result["packets_sent"] == result["packets_delivered"] > 0


@pytest.mark.parametrize("load", (0.2, 1.0))
@pytest.mark.parametrize("spec, profile, algorithm", (
    ("torus:2x2x2", "extoll10", "dor"), ("twin:2x2", "extoll10", "ts-dor"), ("twin:2x2x2", "dort", "dort"),
    ("torus:4x4", "bubble", "bubble"), ("twin:4x2", "bubble", "bubble"), ("torus:4x4", "mini", "dor")))
def test_profile(network, sim_on, found, spec, profile, algorithm, load):
    result = sim_on(network(spec, profile, algorithm=algorithm), "--backdoor", load=load, warmup=300, measure=1000)
    check_clean(result, found)
    assert result["pes"] == result["cards"] * (4 if profile == "extoll10" else 1)
    if load < 0.5:
        assert abs(result["accepted_load"] - result["offered_load"]) < 0.05


def test_function_units_of_a_card(network, sim_on, found):
    """extoll10: packets between the four PEs of a card too, adaptive ones among them."""
    check_clean(sim_on(network("torus:2x2x2", "extoll10", adaptive=True), "--backdoor", load=0.5, warmup=200, measure=800),
                found)


@pytest.mark.parametrize("spec", ("torus:8", "torus:4x4", "twin:4x4"))
def test_bubble_does_not_deadlock(network, sim_on, found, spec):
    """Saturated with the longest packets, on rings of one VC."""
    check_clean(sim_on(network(spec, "bubble", algorithm="bubble"), "--backdoor", load=1.0, packet="32", warmup=500,
                    measure=3000, watchdog=1500), found)


@pytest.mark.parametrize("spec", ("torus:8", "torus:4x4"))
def test_without_bubbles_rings_deadlock(extorus, network, sim_on, engine, found, spec):
    """The same network without its rings: refused, and when forced in, a ring of full buffers stands still."""
    image = network(spec, "bubble", algorithm="bubble", ties="positive")
    (extorus.folder / "bare.xti").write_bytes(
        image_file.without_rings((extorus.folder / image).read_bytes(), links=6, nics=1, tcs=2))
    extorus("sim", "bare.xti", "--engine", engine, status=1, stderr="cycle of ")
    result = sim_on("bare.xti", "--force", "--backdoor", load=1.0, packet="32", warmup=500, measure=20000, watchdog=1500,
                 status=1)
    assert found(result) == {"stall": 1} and not result["drained"], result["reports"]
    assert any("channel cycle of " in line for line in result["reports"])
