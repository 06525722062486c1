# SPDX-License-Identifier: Apache-2.0
"""Networks of over 1,024 cards, in profile large with a local entry for each PE, in extoll and dort with one for each PE of a group."""

import json

import pytest

from graph_oracle import of_topology

HUGE = [("pruned:16x16x16", "layered"), ("pruned:16x16x16", "updown"), ("manhattan:16x16x16", "layered"),
        ("pruned-directed:16x16x16", "layered")]


@pytest.fixture
def routed(extorus):
    """routed(spec, algorithm) -> check of the image."""

    def route(spec, algorithm, *words):
        extorus("route", spec, "--algorithm", algorithm, "--profile", "large", "-o", "image", *words)
        return json.loads(extorus("check", "image", "--json"))

    return route


def sim(extorus, *words):
    return json.loads(extorus("sim", "image", "--engine", "model", "--backdoor", "--load", "0.05", "--packet", "4", "--warmup", "50",
                              "--measure", "100", "--drain", "0", "--json", *words))


@pytest.mark.parametrize("spec, algorithm", (("torus:33x32", "updown"), ("torus:35x30", "layered")))
def test_over_1024_cards(routed, spec, algorithm):
    check, graph = routed(spec, algorithm), of_topology(spec)
    assert check["cards"] == len(graph.cards) > 1024 and check["unreachable"] == 0 and check["cyclic_tcs"] == []
    assert check["max_hops"] >= max(graph.distances(5).values())


def test_every_packet_arrives(extorus, routed):
    """Beyond the 1,024th card too, at low load."""
    routed("torus:35x30", "layered")
    result = sim(extorus, "--switch", "input-queued")
    assert result["ok"] and result["packets_sent"] == result["packets_delivered"] > 800


def test_the_cycle_of_one_vc_is_seen(extorus):
    extorus("route", "torus:206x5", "--algorithm", "dor", "--profile", "large", "--fold-vcs", "1", "-o", "image")
    assert json.loads(extorus("check", "image", "--json", status=1))["cyclic_tcs"] == [0, 1]


def test_the_usual_profile_has_groups(extorus):
    """3 x 16 boxes of 11 x 2 cards."""
    extorus("route", "torus:33x32", "--algorithm", "updown", "-o", "image")
    check = json.loads(extorus("check", "image", "--json"))
    assert check["profile"] == "extoll" and check["unreachable"] == 0 and check["cyclic_tcs"] == []


@pytest.mark.long
@pytest.mark.parametrize("spec, algorithm, profile", [(*pair, "extoll" if pair[0].startswith("pruned:") else "dort") for pair in HUGE])
def test_4096_cards_in_groups(extorus, spec, algorithm, profile):
    extorus("route", spec, "--algorithm", algorithm, "--profile", profile, "-o", "image")
    check = json.loads(extorus("check", "image", "--json"))
    assert check["cards"] == 4096 and check["unreachable"] == 0 and check["cyclic_tcs"] == []
    assert sim(extorus)["ok"]


@pytest.mark.long
@pytest.mark.parametrize("spec, algorithm", HUGE)
def test_4096_cards(extorus, routed, spec, algorithm):
    check = routed(spec, algorithm)
    assert check["cards"] == 4096 and check["unreachable"] == 0 and check["cyclic_tcs"] == []
    assert sim(extorus, "--switch", "input-queued")["ok"]


@pytest.mark.long
def test_new_routes_for_1200_cards(extorus, routed):
    routed("torus:40x30", "updown")
    extorus("route", "--from", "image", "--fail-link", "5:d0+", "-o", "image")
    check = json.loads(extorus("check", "image", "--json"))
    assert check["unreachable"] == 0 and check["cyclic_tcs"] == []
