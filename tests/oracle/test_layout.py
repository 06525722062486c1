# SPDX-License-Identifier: Apache-2.0
"""Floors of cabinets: every card has a slot, and every link a wire of the stated length. No wire could be shorter
in the ways of folding that layout knows."""

import json
import math
import pathlib
import shutil
import xml.etree.ElementTree as ElementTree

import pytest

from layout_oracle import best_longest, examine, placement
from networks import Network

TABLE = pathlib.Path(__file__).parents[2] / "sim/experiments/reproductions/layouts.md"
SHAPES = ["torus:2", "torus:5", "torus:8x8", "torus:7x5", "torus:4x3x5", "torus:2x2x2", "mesh:5x4", "mesh:3x3x3", "twin:4",
          "twin:4x4", "twin:3x4x2", "twin:2x3x2x2", "twin:4x4x4,config=A", "rtt:2x1", "rtt:4x2", "rtt:6x3", "rtt:8x4",
          "rtt:14x7", "ptt:4x2x2", "ptt:6x3x3", "ptt:8x4x4", "pdtt:4x2x2", "pdtt:6x3x3", "pdtt:8x4x4", "pruned:4x4x4",
          "manhattan:4x6", "pruned-directed:4x4x4"]


def ways(family):
    return {"mesh": ["plain"], "rtt": ["folded", "trellis", "wound"], "ptt": ["folded", "trellis", "wound"],
            "pdtt": ["folded", "wound"]}.get(family, ["folded"])


@pytest.mark.parametrize("spec", SHAPES)
@pytest.mark.parametrize("plain", [False, True])
def test_wires_and_best_arrangement(extorus, spec, plain):
    network, pitch_mm = Network(spec), (150, 150, 150)
    arguments = ["layout", spec] + ["--plain"] * plain
    said = json.loads(extorus(*arguments, "--csv", "wires.csv", "--json"))
    text = (extorus.folder / "wires.csv").read_text()
    longest, longest_mm, total, histogram, slots, cabinets = examine(text, network, (4, 8, 1), pitch_mm)
    assert len(slots) == len(network.cards)
    assert said["longest_cabinets"] == cabinets
    assert (said["longest_slots"], said["longest_m"]) == (longest, longest_mm / 1000)
    assert said["total_slots"] == total and said["total_m"] == pytest.approx(total * 0.15, abs=1e-9)
    assert {entry["slots"]: entry["wires"] for entry in said["histogram"]} == histogram
    assert [[wire["from"]["card"], wire["to"]["card"], wire["slots"]] for wire in said["wires"]] == [
        [int(line.split(",")[i]) for i in (0, 6, 12)] for line in text.splitlines()[1:]]
    assert (longest_mm, total * 150) == min(
        best_longest(network, way, pitch_mm) for way in (["plain"] if plain else ways(network.family)))
    if network.family == "twin":
        for card in range(0, len(slots), 2):
            assert slots[card + 1] == (slots[card][0] + 1, slots[card][1], slots[card][2])


@pytest.mark.parametrize("spec, pitch", [("torus:4x4x4", "0.6x0.05"), ("rtt:8x4", "0.05x0.6"), ("twin:4x4x4", "1.2x0.044")])
def test_pitch_and_cabinets(extorus, spec, pitch):
    pitch_mm = *(round(1000 * float(p)) for p in pitch.split("x")), 1
    said = json.loads(extorus("layout", spec, "--pitch", pitch, "--cabinet", "3x5", "--csv", "wires.csv", "--json"))
    text = (extorus.folder / "wires.csv").read_text()
    _, longest_mm, _, _, slots, _ = examine(text, Network(spec), (3, 5, 1), pitch_mm)
    assert said["longest_m"] == longest_mm / 1000
    assert longest_mm == min(best_longest(Network(spec), way, pitch_mm)[0] for way in ways(spec.split(":")[0]))
    assert said["cabinets"] == (-(-said["columns"] // 3)) * (-(-said["rows"] // 5))
    assert (said["columns"], said["rows"], said["levels"]) == tuple(
        1 + max(slot[i] for slot in slots.values()) for i in range(3))


@pytest.mark.parametrize("spec, levels, cabinet, pitch", [
    ("torus:4x4x4", 4, (2, 2, 2), (150, 150, 150)), ("torus:5x3x4", 3, (2, 2, 2), (600, 50, 100)),
    ("twin:4x2x4x2", 8, (4, 4, 8), (100, 150, 60)), ("mesh:3x3x3", 3, (2, 2, 2), (150, 150, 150)),
    ("twin:4x4x4", 4, (4, 2, 2), (44, 600, 44)), ("twin:3x2x2x4,config=best", 8, (4, 2, 3), (150, 150, 150)),
    ("rtt:8x4", 2, (2, 2, 2), (150, 150, 150)), ("ptt:8x4x4", 4, (4, 2, 2), (150, 150, 150)),
    ("pdtt:8x4x4", 4, (4, 2, 2), (150, 150, 150)), ("pdtt:6x3x3", 2, (3, 3, 1), (90, 150, 40)),
    ("pruned:4x4x4", 4, (2, 2, 2), (150, 150, 150)), ("torus:4x4x4", 3, (4, 4, 3), (150, 150, 150))])
def test_levels(extorus, spec, levels, cabinet, pitch):
    network, family = Network(spec), spec.split(":")[0]
    said = json.loads(extorus("layout", spec, "--levels", str(levels), "--cabinet", "x".join(map(str, cabinet)), "--pitch",
                              "x".join(f"{mm / 1000}" for mm in pitch), "--csv", "wires.csv", "--json"))
    text = (extorus.folder / "wires.csv").read_text()
    longest, longest_mm, total, histogram, slots, cabinets = examine(text, network, cabinet, pitch)
    assert (said["longest_slots"], said["longest_m"], said["longest_cabinets"]) == (longest, longest_mm / 1000, cabinets)
    assert (longest_mm, round(1000 * said["total_m"])) == min(
        best_longest(network, way, pitch, levels) for way in ways(family))
    extents = [1 + max(slot[axis] for slot in slots.values()) for axis in range(3)]
    assert [said["columns"], said["rows"], said["levels"]] == extents and extents[2] <= levels
    assert said["cabinets"] == math.prod(-(-extent // size) for extent, size in zip(extents, cabinet))


# The folding in three dimensions: a module has two places of each ring, and where the torus is twisted both blocks.
@pytest.mark.parametrize("spec, module, longest", [
    ("torus:4x4x4", (2, 2, 2), 2), ("torus:8x8x8", (2, 2, 2), 2), ("torus:8x6x4", (2, 2, 2), 2),
    ("torus:5x7x3", (2, 2, 2), 2), ("torus:16x8x8", (2, 2, 2), 2), ("ptt:8x4x4", None, 3), ("ptt:16x8x8", None, 3),
    ("rtt:16x8", (4, 2, 1), 4), ("ptt:8x4x4", (4, 2, 2), 4), ("pdtt:4x2x2", (4, 2, 2), 3), ("pdtt:8x4x4", (4, 2, 2), 4), ("pdtt:16x8x8", (4, 2, 2), 4)])
def test_folding_in_three_dimensions(extorus, spec, module, longest):
    radix = Network(spec).radix
    arguments = ["--levels", str(max(radix) if len(radix) > 2 else 1)] + (["--cabinet", "x".join(map(str, module))] if module else [])
    arguments += ["--fold", "blocks"] if module and module[0] == 4 else []
    said = json.loads(extorus("layout", spec, *arguments, "--json"))
    assert said["longest_slots"] == longest
    assert sorted((said["columns"], said["rows"], said["levels"])) == sorted((*radix, 1)[:3])
    if module:
        assert said["longest_cabinets"] == (1 if any(k > 2 * (1 + (i == 0 and module[0] == 4))
                                                     for i, k in enumerate(radix)) else 0)


@pytest.mark.parametrize("spec, floor, longest", [("torus:4x4x4", (4, 4, 4), 2), ("torus:3x3x3", (3, 3, 3), 2),
                                                  ("ptt:4x2x2", (4, 2, 2), 2), ("pdtt:4x2x2", (4, 2, 2), 3)])
def test_least_longest_wire_in_a_box(spec, floor, longest):
    """What a search of all placements finds in the smallest box, folded or not."""
    assert placement(Network(spec), floor, longest - 1) is None
    assert placement(Network(spec), floor, longest) is not None


@pytest.mark.parametrize("spec", ["rtt:8x4", "ptt:8x4x4", "pdtt:8x4x4"])
@pytest.mark.parametrize("fold, way", [("rings", "folded"), ("trellis", "trellis"), ("blocks", "wound")])
def test_each_folding(extorus, spec, fold, way):
    if way in ways(spec.split(":")[0]):
        said = json.loads(extorus("layout", spec, "--fold", fold, "--levels", "4", "--json"))
        assert round(1000 * said["longest_m"]) == best_longest(Network(spec), way, (150, 150, 150), 4)[0]


@pytest.mark.parametrize("k", [3, 4, 5, 16, 31])
def test_longest_wire_of_a_ring(extorus, k):
    said = json.loads(extorus("layout", f"torus:{k}", "--json"))
    assert (said["longest_slots"], said["plain"]["longest_slots"]) == (2, k - 1)


@pytest.mark.parametrize("a", [2, 3, 4, 5, 8, 16])
def test_longest_wire_of_an_rtt(extorus, a):
    said = json.loads(extorus("layout", f"rtt:{2 * a}x{a}", "--json"))
    assert said["layout"] == "trellis-folded"
    assert said["longest_slots"] == 3
    assert sorted((said["columns"], said["rows"])) == [a, 2 * a]
    assert said["plain"]["longest_slots"] == 2 * a - 1


@pytest.mark.parametrize("a", [2, 3, 4, 5])
def test_no_floor_of_an_rtt_does_with_less(a):
    """No placement of the cards on 2a x a slots, folded or not, has a longest wire of 2. (The plain torus of the same
    size has one, and the search finds it.)"""
    assert placement(Network(f"rtt:{2 * a}x{a}"), (2 * a, a, 1), 2) is None
    assert placement(Network(f"torus:{2 * a}x{a}"), (2 * a, a, 1), 2) is not None


def spoiled(text, line, field, value):
    lines = [row.split(",") for row in text.splitlines()]
    lines[line][field] = value
    return "\n".join(",".join(row) for row in lines) + "\n"


@pytest.mark.parametrize("spoil, says", [
    (lambda t: spoiled(t, 3, 12, "9"), "a wrong length"),
    (lambda t: spoiled(t, 3, 4, "7"), ""),
    (lambda t: spoiled(t, 3, 14, "1"), "a card in two slots"),
    (lambda t: "\n".join(t.splitlines()[:-1]) + "\n", "links are missing"),
    (lambda t: t + t.splitlines()[-1] + "\n", "a wire twice"),
    (lambda t: spoiled(t, 2, 1, "d0-"), "links are missing"),
])
def test_the_examination_finds_faults(extorus, spoil, says):
    text = extorus("layout", "rtt:8x4", "--csv", "-")
    examine(text, Network("rtt:8x4"), (4, 8, 1), (150, 150, 150))
    with pytest.raises(AssertionError, match=says):
        examine(spoil(text), Network("rtt:8x4"), (4, 8, 1), (150, 150, 150))


def test_failed_links_have_no_wire(extorus):
    said = json.loads(extorus("layout", "torus:4x4", "--fail-card", "5", "--fail-link", "0:d0+", "--json"))
    assert len(said["wires"]) == 32 - 4 - 1
    ends = [{(wire[end]["card"], wire[end]["port"]) for end in ("from", "to")} for wire in said["wires"]]
    assert not any(card == 5 for wire in ends for card, _ in wire)
    assert {(0, "d0+"), (1, "d0-")} not in ends


@pytest.mark.skipif(not shutil.which("neato"), reason="Graphviz is not installed")
@pytest.mark.parametrize("spec", ["rtt:8x4", "twin:3x4x2", "torus:5", "torus:3x4x4"])
def test_picture_has_all_cards_and_wires(extorus, spec):
    extorus("layout", spec, "--levels", "4", "--svg", "floor.svg")
    root = ElementTree.parse(extorus.folder / "floor.svg").getroot()
    svg = "{http://www.w3.org/2000/svg}"
    titles = {kind: [g.find(svg + "title").text for g in root.iter(svg + "g") if g.get("class") == kind]
              for kind in ("node", "edge")}
    network = Network(spec)
    assert sorted(t for t in titles["node"] if t.startswith("c") and t[1].isdigit()) == sorted(
        f"c{card}" for card in range(len(network.cards)))
    assert sorted(tuple(sorted(t.split("--"))) for t in titles["edge"]) == sorted(
        tuple(sorted(f"c{card}" for card, _ in link)) for link in {frozenset(hop) for hop in network.hops.items()})
    longest = json.loads(extorus("layout", spec, "--levels", "4", "--json"))["longest_slots"]
    assert f"longest wire: {longest} slots" in (extorus.folder / "floor.svg").read_text()


@pytest.mark.parametrize("arguments, says", [
    ([], "say which topology"),
    (["torus:4", "torus:4"], "unexpected argument"),
    (["rtt:8x5"], "the radices of rtt are 2a and a"),
    (["torus:4", "--fold", "twice"], "write best, rings, trellis or blocks"),
    (["torus:8x4", "--fold", "blocks"], "torus:8x4 cannot be folded like that"),
    (["mesh:8x4", "--fold", "rings"], "mesh:8x4 cannot be folded like that"),
    (["pdtt:8x4x4", "--fold", "trellis"], "pdtt:8x4x4 cannot be folded like that"),
    (["torus:4", "--pitch", "0"], "--pitch: \"0\" is not a number from 0.001 to 10"),
    (["torus:4", "--pitch", "0.1x"], "is not a number from 0.001 to 10"),
    (["torus:4", "--pitch", "nan"], "is not a number from 0.001 to 10"),
    (["torus:4", "--pitch", "11"], "is not a number from 0.001 to 10"),
    (["torus:4", "--cabinet", "4"], "write columns and rows"),
    (["torus:4", "--cabinet", "0x4"], "is not a number from 1 to 1000"),
    (["torus:4", "--cabinet", "4x4x4x4"], "is not a number from 1 to 1000"),
    (["torus:4", "--cabinet", "4x4x0"], "is not a number from 1 to 1000"),
    (["torus:4", "--levels", "0"], "--levels: \"0\" is not a number from 1 to 1000"),
    (["torus:4", "--pitch", "1x1x0"], "is not a number from 0.001 to 10"),
    (["torus:4", "--csv", "-", "--json"], "only one of --json"),
    (["torus:4", "--plain", "--fold", "rings"], "--plain does not fold"),
    (["torus:4", "--csv", "none/x"], "none/x: cannot write here"),
])
def test_wrong_usage_is_status_2(extorus, arguments, says):
    assert extorus("layout", *arguments, status=2, stderr=says) == ""
    assert list(extorus.folder.iterdir()) == []


def test_a_network_from_a_file_has_no_coordinates(extorus):
    (extorus.folder / "net.json").write_text('{"cards": 2, "links": [[0, 0, 1, 0]]}')
    extorus("layout", "file:net.json", status=2, stderr="those of a network from a file have none; name a torus or a mesh")


def test_table_of_the_reproductions(extorus):
    """Every figure of layouts.md is what the command says."""
    rows = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in TABLE.read_text().splitlines()
            if line.startswith("| `")]
    assert len(rows) >= 10
    for spec, fold, levels, module, plain, flat, longest, away in rows:
        one = json.loads(extorus("layout", spec, "--json"))
        high = json.loads(extorus("layout", spec, "--fold", fold, "--levels", levels, "--cabinet", module, "--json"))
        assert [one["plain"]["longest_slots"], one["longest_slots"], high["longest_slots"], high["longest_cabinets"]] == [
            int(figure) for figure in (plain, flat, longest, away)], spec
