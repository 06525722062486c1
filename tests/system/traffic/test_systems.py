# SPDX-License-Identifier: Apache-2.0
"""Each network of the list "Systems" in the README, at full load on the fast model: nothing stalls, and the cards drain."""

import pytest

FULL = ("--load", 1, "--packet", 4, "--warmup", 300, "--measure", 1500)


@pytest.mark.parametrize("spec, words", [
    ("mesh:8x8", []), ("mesh:8x8", ["--fold-vcs", "1"]), ("mesh:8x8", ["--adaptive"]), ("mesh:4x4x4", []), ("mesh:16", ["--fold-vcs", "1"])])
def test_saturated_mesh(network, sim, spec, words):
    result, _ = sim(network(spec, *words, algorithm="dor"), *FULL)
    assert result["saturated"] and result["drained"] and result["ok"]


@pytest.mark.parametrize("spec, algorithm, words", [
    ("tree:k=3,n=3", "destro", []), ("tree:k=2,n=5", "destro", []), ("tree:k=4,n=3,cards=2,links=1", "destro", []),
    ("tree:k=4,n=2,cards=2,links=2,ports=apart", "destro", []), ("tree:k=3,n=3~12:up0", "layered", ["--profile", "extoll10"]),
    ("torus:4x4~1:nic~6:nic", "layered", []), ("torus:4x4~1:nic~6:nic", "updown", [])])
def test_saturated_with_cards_without_pe(network, sim, spec, algorithm, words):
    result, packets = sim(network(spec, *words, algorithm=algorithm), *FULL)
    assert result["saturated"] and result["drained"] and result["ok"]
    assert not {packet[end] for packet in packets for end in ("source", "destination")} & {1, 6} or spec.startswith("tree")


@pytest.mark.long
def test_the_rtl_of_a_tree_is_the_same(network, sim):
    image = network("tree:k=2,n=3", algorithm="destro")
    words = ("--load", 1, "--packet", 4, "--warmup", 100, "--measure", 300)
    rtl, packets = sim(image, *words, engine="rtl")
    assert rtl["ok"] and len(packets) > 50 and packets == sim(image, *words)[1]
