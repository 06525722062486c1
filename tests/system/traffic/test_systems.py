# SPDX-License-Identifier: Apache-2.0
"""The list "Systems" in the README holds, line by line; meshes and trees at full load on the fast model neither stall nor lose."""

import json
import math
import re

import pytest

from repository import ROOT

LARGE = 300  # cards, from which on a system is left to the long tests


def cards_of(spec):
    """About, without the cards that a switch is divided into."""
    tree = re.match(r"tree:k=(\d+),n=(\d+)", spec)
    if tree:
        return int(tree[1]) ** (int(tree[2]) - 1) * int(tree[2])
    radices = re.match(r"[a-z-]+:([\dx]+)", spec)
    return math.prod(map(int, radices[1].split("x"))) * (2 if spec.startswith("twin:") else 1) if radices else 0


def listed():
    """[(spec, words of its routing)]: each spec of a line of the list with each routing of the line."""
    section = (ROOT / "README.md").read_text().partition("\n## Systems\n")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| ")][1:]
    return [(spec, routing) for _, specs, routings in rows for spec in re.findall("`([^`]*)`", specs)
            for routing in re.findall("`([^`]*)`", routings)]


def test_all_families_and_algorithms_are_listed(extorus):
    assert {spec.partition(":")[0] for spec, _ in listed()} == {
        "torus", "twin", "mesh", "rtt", "ptt", "pdtt", "pruned", "manhattan", "pruned-directed", "tree", "file"}
    assert {routing.split()[0] for _, routing in listed()} == {"dor", "ts-dor", "dort", "bubble", "destro", "updown", "layered"}


@pytest.mark.parametrize("spec, routing", [
    pytest.param(spec, routing, marks=pytest.mark.long if cards_of(spec) >= LARGE else ()) for spec, routing in listed()])
def test_listed_system(extorus, spec, routing):
    """All four commands take it as it stands in the list: all pairs are routed, no TC is cyclic, and traffic arrives."""
    (extorus.folder / "net.json").write_text(json.dumps({"cards": 4, "links": [[0, 0, 1, 0], [1, 1, 2, 0], [2, 1, 3, 0]]}))
    measured = json.loads(extorus("topo", spec, "--json"))
    extorus("route", spec, "--algorithm", *routing.split(), "-o", "listed.img")
    found = json.loads(extorus("check", "listed.img", "--json"))
    pes = measured["pes"] - len(measured["failed_cards"])
    assert found["cyclic_tcs"] == [] and found["unreachable"] == 0 and found["pairs"] == pes * (pes - 1)
    result = json.loads(extorus("sim", "listed.img", "--engine", "model", "--backdoor", "--json", "--load", "0.1", "--packet", "4",
                                "--warmup", "100", "--measure", "200"))
    assert result["ok"] and result["drained"]


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
