# SPDX-License-Identifier: Apache-2.0
"""One card of `extoll64` on an ECPIX-5, with its six links at pins: loop-back plugs, and tori and twin tori of boards, whose
tables the command loads by the protocol. All four traffic classes, new tables under traffic, and nothing is lost. Wrong,
pulled and noisy cables and a board that was reset are found and named.

EXTORUS_PACKETS=3200 makes it 10^5 packets in each network."""

import json
import os
import subprocess
import time

import pytest

from board_mesh import BoardMesh
from processor_time import limited
from repository import ROOT

PROFILE, LINKS, CLASSES = "extoll64", 6, 4
SKEW = ("--skew", 3)
PACKETS = int(os.environ.get("EXTORUS_PACKETS", "100"))  # of each PE and class


def extorus(*words, status=0):
    done = subprocess.run([ROOT / "build/extorus", *map(str, words)], capture_output=True, text=True, **limited(3000), check=False)
    assert done.returncode == status, (words, done.stdout, done.stderr)
    return done.stdout


@pytest.fixture
def mesh():
    made = []

    def make(boards, cables, *options):
        made.append(BoardMesh(f"ecpix5-{PROFILE}", boards, *(options or SKEW), "--boards", boards, *(word for cable in cables for word in ("--cable", cable))))
        return made[-1]

    yield make
    for one in made:
        one.end()


def wiring(spec):
    """(cards, cables) of a topology: port n of its card c is link n of board c."""
    cards = json.loads(extorus("probe", "--device", f"model:{spec}", "--json"))["cards"]
    number = {(card["card"], name): port for card in cards for port, name in enumerate(card["links"])}
    cables = set()
    for line in extorus("topo", spec, "--profile", PROFILE, "--csv", "-").splitlines()[1:]:
        card, port, peer, peer_port = line.split(",")
        cables.add(tuple(sorted([(int(card), number[int(card), port]), (int(peer), number[int(peer), peer_port])])))
    return len(cards), [f"{a}.{p}-{b}.{q}" for (a, p), (b, q) in sorted(cables)]


def devices(boards):
    return [word for device in boards.devices for word in ("--device", f"{device};timeout=20000")]


def load(boards, image, *options):
    for card, device in enumerate(boards.devices):
        extorus("load", image, "--device", f"{device};timeout=20000;first={card}", *options)
        # A load reads back by itself, at one port of each table; all ports take minutes.
        if card == 0:
            extorus("verify", image, "--device", f"{device};timeout=20000;first={card}")


def reset(boards, board):
    """Holds the button until time has passed."""
    boards.say(f"press {board}")
    then = boards.cycle()
    while boards.cycle() == then:
        pass
    boards.say(f"release {board}")


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
@pytest.mark.parametrize("spec, routing", [("torus:2x2x2", ["dor"]), ("twin:2x2x1", ["ts-dor"]), ("twin:2x2x1", ["ts-dor", "--adaptive"]),
                                           ("twin:2x2x1x1x1", ["ts-dor", "--adaptive"])])
def test_eight_boards(mesh, tmp_path, spec, routing):
    """The torus has cables at all six links of each board."""
    boards, image = mesh(*wiring(spec)), tmp_path / "network.img"
    extorus("route", spec, "--algorithm", *routing, "--profile", PROFILE, "-o", image)
    load(boards, image)
    extorus("link", "--retrain", *devices(boards))
    nothing_lost(every_class(boards, PACKETS), 8, PACKETS)


FOUR = "twin:2x1x1"
OLD, NEW = ["ts-dor"], ["ts-dor", "--adaptive"]


@pytest.fixture
def four(mesh, tmp_path):
    """Makes four boards of a twin torus with these cables, or those of the topology; and its image."""
    def make(cables=None):
        count, right = wiring(FOUR)
        image = tmp_path / "four.img"
        extorus("route", FOUR, "--algorithm", *OLD, "--profile", PROFILE, "-o", image)
        return mesh(count, cables or right), image
    return make


def uniform(boards, *options, status=0):
    return json.loads(extorus("traffic", *devices(boards), "--uniform", 4, "--cells", 2, "--seconds", 3000, "--json", *options, status=status))


def wrong_cables(boards, image, status):
    """{(board, link): (where the cable leads, where it belongs)} as the command says; None: nowhere."""
    said = json.loads(extorus("link", "--wiring", image, "--json", *devices(boards), status=status))
    numbers = {f"{device};timeout=20000": number for number, device in enumerate(boards.devices)}
    place = lambda end: end and (numbers[end["device"]], end["port"])  # noqa: E731
    return {place(cable["end"]): (place(cable["leads_to"]), place(cable["wanted"])) for cable in said["wrong_cables"]}


@pytest.mark.long
def test_new_tables_under_traffic(four, tmp_path):
    """The transition is proved safe in any order, so board after board is told while packets flow."""
    boards, old = four()
    new, packets = tmp_path / "new.img", 20 * PACKETS
    extorus("route", FOUR, "--algorithm", *NEW, "--profile", PROFILE, "-o", new)
    extorus("check", old, "--transition", new)
    load(boards, old)
    extorus("link", "--retrain", *devices(boards))
    parts = [f"{device};timeout=20000;first={card}" for card, device in enumerate(boards.devices)]
    said = json.loads(extorus("traffic", *(word for part in parts for word in ("--device", part)), "--uniform", 4, "--cells", 2, "--packets",
                              packets, "--seconds", 3000, "--update", new, "--json"))
    nothing_lost([said], 4, packets)
    assert said["update"]["entries_written"] > 0 and 0 < said["update"]["sent_meanwhile"] < 4 * packets
    for part in parts:
        extorus("verify", new, "--device", part)


@pytest.mark.long
def test_swapped_cables_are_named(four):
    """Two cables change places at one end; the command says of all four ends where each is and where it belongs."""
    swapped = {"0.0-2.1": "0.0-2.0", "0.1-2.0": "0.1-2.1", "0.3-1.3": "0.3-3.3", "2.3-3.3": "2.3-1.3"}
    boards, image = four([swapped.get(cable, cable) for cable in wiring(FOUR)[1]])
    extorus("link", "--retrain", *devices(boards))
    assert wrong_cables(boards, image, 1) == {
        (0, 0): ((2, 0), (2, 1)), (2, 0): ((0, 0), (0, 1)), (0, 1): ((2, 1), (2, 0)), (2, 1): ((0, 1), (0, 0)),
        (0, 3): ((3, 3), (1, 3)), (3, 3): ((0, 3), (2, 3)), (2, 3): ((1, 3), (3, 3)), (1, 3): ((2, 3), (0, 3))}


@pytest.mark.long
def test_a_pulled_and_a_noisy_cable_are_named(four):
    boards, image = four()
    load(boards, image)
    extorus("link", "--retrain", *devices(boards))
    assert not wrong_cables(boards, image, 0)
    boards.say("errors 2000 0 3")
    nothing_lost([uniform(boards, "--packets", PACKETS)], 4, PACKETS)
    boards.say("errors 0")
    said = json.loads(extorus("link", "--json", *devices(boards)))
    noisy = {(number, link["port"]) for number, board in enumerate(said["boards"]) for link in board["links"] if link["crc_errors"]}
    assert noisy and noisy <= {(0, "p3"), (1, "p3")}
    boards.say("pull 0 1")
    assert wrong_cables(boards, image, 1) == {(0, 1): (None, (2, 0)), (2, 0): (None, (0, 1))}
    boards.say("plug 0 1")
    extorus("link", "--retrain", *devices(boards))
    assert not wrong_cables(boards, image, 0)


@pytest.mark.long
def test_a_board_that_was_reset_is_named(four):
    """Its tables are gone and its neighbours' links are down. Loaded again, and trained, all packets come."""
    boards, image = four()
    load(boards, image)
    extorus("link", "--retrain", *devices(boards))
    reset(boards, 2)
    for card, device in enumerate(boards.devices):
        extorus("verify", image, "--device", f"{device};timeout=20000;first={card}", status=int(card == 2))
    said = json.loads(extorus("link", "--json", *devices(boards), status=1))
    states = {(number, link["port"]): (link["state"], link["cause"]) for number, board in enumerate(said["boards"]) for link in board["links"]}
    assert states[0, "p0"] == states[0, "p1"] == states[3, "p3"] == ("down", "remote")
    load(boards, image)
    extorus("link", "--retrain", *devices(boards))
    nothing_lost([uniform(boards, "--packets", PACKETS)], 4, PACKETS)


@pytest.mark.long
def test_a_board_reset_without_its_links_clocks(four):
    """Its cables are pulled while packets flow, so no receiver has a clock in the reset. Nothing of before comes out of them after."""
    boards, image = four()
    load(boards, image)
    extorus("link", "--retrain", *devices(boards))
    nothing_lost([uniform(boards, "--packets", PACKETS)], 4, PACKETS)
    flowing = subprocess.Popen([ROOT / "build/extorus", "traffic", *devices(boards), "--uniform", "4", "--cells", "16", "--seconds", "1"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(2)
    cables = [(2, link) for link in range(LINKS) if any(f"2.{link}" in cable.split("-") for cable in wiring(FOUR)[1])]
    for board, link in cables:
        boards.say(f"pull {board} {link}")
    reset(boards, 2)
    flowing.wait(timeout=600)
    for board, link in cables:
        boards.say(f"plug {board} {link}")
    load(boards, image)
    extorus("link", "--retrain", *devices(boards))
    nothing_lost([uniform(boards, "--packets", PACKETS)], 4, PACKETS)


def one_way(boards, tmp_path):
    """Least latency of each way between two boards, and what it may be wrong by."""
    image = tmp_path / "two.img"
    extorus("route", "mesh:2", "--algorithm", "dor", "--profile", PROFILE, "-o", image)
    for card, device in enumerate(boards.devices):
        extorus("load", image, "--device", f"{device};timeout=20000;first={card}")
    extorus("link", "--retrain", *devices(boards))
    said = json.loads(extorus("traffic", *devices(boards), "--uniform", 2, "--cells", 1, "--rate", 0.005, "--seconds", 2, "--json"))
    assert said["ok"] and all(nic["sent"] > 20 for nic in said["nics"]), said
    return [nic["latency"]["least"] for nic in said["nics"]], said["common_time"]["uncertainty"]


@pytest.mark.long
def test_latencies_in_a_common_time(mesh, tmp_path):
    """As with clocks that began together, when one board is reset later and the clocks' rates are 100 ppm apart."""
    right, _ = one_way(mesh(2, ["0.1-1.0"], "--skew", 0), tmp_path)
    boards = mesh(2, ["0.1-1.0"], "--skew", 0, "--jitter", 100)
    reset(boards, 1)
    found, uncertainty = one_way(boards, tmp_path)
    assert right[0] == right[1] and uncertainty <= 5
    assert all(abs(latency - right[0]) <= uncertainty + 1 for latency in found), (right, found, uncertainty)
