# SPDX-License-Identifier: Apache-2.0
"""One card of `extoll` on an ECPIX-5, with its six links at pins: loop-back plugs, and a torus and a twin torus of eight
boards, whose tables the command loads by the protocol. All four traffic classes, and nothing is lost.

EXTORUS_PACKETS=3200 makes it 10^5 packets in each network."""

import json
import os
import subprocess

import pytest

from board_mesh import BoardMesh
from processor_time import limited
from repository import ROOT

NAME, LINKS, CLASSES = "ecpix5-extoll", 6, 4
SKEW = ("--skew", 3)
PACKETS = int(os.environ.get("EXTORUS_PACKETS", "100"))  # of each PE and class


def extorus(*words, status=0):
    done = subprocess.run([ROOT / "build/extorus", *map(str, words)], capture_output=True, text=True, **limited(3000), check=False)
    assert done.returncode == status, (words, done.stdout, done.stderr)
    return done.stdout


@pytest.fixture
def mesh():
    made = []

    def make(boards, cables):
        made.append(BoardMesh(NAME, boards, *SKEW, "--boards", boards, *(word for cable in cables for word in ("--cable", cable))))
        return made[-1]

    yield make
    for one in made:
        one.end()


def wiring(spec):
    """(cards, cables) of a topology: port n of its card c is link n of board c."""
    cards = json.loads(extorus("probe", "--device", f"model:{spec}", "--json"))["cards"]
    number = {(card["card"], name): port for card in cards for port, name in enumerate(card["links"])}
    cables = set()
    for line in extorus("topo", spec, "--profile", "extoll", "--csv", "-").splitlines()[1:]:
        card, port, peer, peer_port = line.split(",")
        cables.add(tuple(sorted([(int(card), number[int(card), port]), (int(peer), number[int(peer), peer_port])])))
    return len(cards), [f"{a}.{p}-{b}.{q}" for (a, p), (b, q) in sorted(cables)]


def devices(boards):
    return [word for device in boards.devices for word in ("--device", f"{device};timeout=20000")]


def load(boards, image, *options):
    for card, device in enumerate(boards.devices):
        extorus("load", image, "--device", f"{device};timeout=20000;first={card}", *options)
        extorus("verify", image, "--device", f"{device};timeout=20000;first={card}")


def every_class(boards, packets):
    """Uniform traffic of each class, from every PE to every other; what `extorus traffic` says."""
    return [json.loads(extorus("traffic", *devices(boards), "--uniform", len(boards.devices), "--tc", tc, "--cells", 2, "--packets",
                               packets, "--seconds", 3000, "--json")) for tc in range(CLASSES)]


def nothing_lost(said, boards, packets):
    for one in said:
        assert one["ok"]
        assert sum(nic["sent"] for nic in one["nics"]) == sum(nic["came"] for nic in one["nics"]) == boards * packets
        assert all(nic["wrong"] == nic["stray"] == 0 for nic in one["nics"])


def plugs(boards, status=0):
    said = json.loads(extorus("selftest", "--plugs", "--json", "--device", f"{boards.devices[0]};timeout=20000", status=status))
    return {test["test"]: test for test in said["tests"]}


@pytest.mark.long
def test_six_plugs(mesh):
    boards = mesh(1, [f"0.{link}-0.{link}" for link in range(LINKS)])
    tests = plugs(boards)
    assert len([name for name in tests if name.startswith("plug")]) == LINKS and all(test["ok"] for test in tests.values())
    assert all("error rate below" in test["found"] for name, test in tests.items() if name.startswith("plug"))


@pytest.mark.long
def test_a_bad_plug_is_named(mesh):
    boards = mesh(1, [f"0.{link}-0.{link}" for link in range(LINKS) if link != 2])
    tests = plugs(boards, status=1)
    assert [name for name, test in tests.items() if not test["ok"]] == ["plug p2"]
    assert "p2" in tests["plug p2"]["problem"]
    boards.say("errors 500")
    assert sum(not test["ok"] for name, test in plugs(boards, status=1).items() if name.startswith("plug")) > 1


@pytest.mark.long
@pytest.mark.parametrize("spec, routing", [("torus:2x2x2", ["dor"]), ("twin:2x2x1", ["ts-dor"]), ("twin:2x2x1", ["ts-dor", "--adaptive"])])
def test_eight_boards(mesh, tmp_path, spec, routing):
    """The torus has cables at all six links of each board."""
    boards, image = mesh(*wiring(spec)), tmp_path / "network.img"
    extorus("route", spec, "--algorithm", *routing, "--profile", "extoll", "-o", image)
    load(boards, image)
    extorus("link", "--retrain", *devices(boards))
    nothing_lost(every_class(boards, PACKETS), 8, PACKETS)
