# SPDX-License-Identifier: Apache-2.0
"""`extorus link --wiring`: each cable of a served network is found, and a wrong one is named with where it belongs."""

import json
import random
import subprocess

import pytest

from served import COMMAND, Board

CARDS, PORTS = 4, 6
# Cables of twin:2x1x1: (card, port) of both ends.
RIGHT = [((0, 0), (2, 1)), ((0, 1), (2, 0)), ((0, 3), (1, 3)), ((2, 3), (3, 3))]


def route(network, path):
    subprocess.run([COMMAND, "route", network, "--algorithm", "ts-dor", "--profile", "extoll", "-o", path], check=True, capture_output=True)
    return path


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    return route("twin:2x1x1", tmp_path_factory.mktemp("wiring") / "twin.img")


def check(folder, image, cables, *options):
    network = folder / "network.json"
    network.write_text(json.dumps({"cards": CARDS, "links": [[*one, *other] for one, other in cables]}))
    board = Board(folder, {}, network=f"file:{network}", profile="extoll")
    try:
        return board.done("link", "--wiring", str(image), *options, status=None)
    finally:
        board.close()


def wrong(folder, image, cables):
    """{end: (where its cable leads, where it belongs)}."""
    def place(end):
        return end and (end["card"], end["port"])

    found = json.loads(check(folder, image, cables, "--json").stdout)["wrong_cables"]
    return {place(cable["end"]): (place(cable["leads_to"]), place(cable["wanted"])) for cable in found}


def expected(cables):
    def ends(some):
        return {**dict(some), **{other: one for one, other in some}}

    there, wanted = ends(cables), ends(RIGHT)
    return {end: (there.get(end), wanted.get(end)) for end in {*there, *wanted} if there.get(end) != wanted.get(end)}


def test_right_cables(tmp_path, image):
    assert wrong(tmp_path, image, RIGHT) == {}


@pytest.mark.parametrize("seed", range(4))
def test_cables_at_random(tmp_path, image, seed):
    chance = random.Random(seed)
    cables = chance.sample(RIGHT, seed)
    free = {card: [(card, port) for port in range(PORTS) if not any((card, port) in cable for cable in cables)] for card in range(CARDS)}
    for one, other in [(0, 1), (1, 2), (2, 3), chance.sample(range(CARDS), 2), chance.sample(range(CARDS), 2)]:
        cables.append(tuple(free[card].pop(chance.randrange(len(free[card]))) for card in (one, other)))
    assert wrong(tmp_path, image, cables) == expected(cables)


def test_words(tmp_path, image):
    said = check(tmp_path, image, [RIGHT[0], ((0, 1), (3, 5)), RIGHT[2]]).stdout
    assert " card 0 port 1 (d0+): the cable leads to tcp:" in said and " card 3 port 5 (p5); plug it into tcp:" in said
    assert " card 3 port 5 (p5): the cable leads to tcp:" in said and "; unplug it\n" in said
    assert " card 3 port 3 (int): no link to any of these boards; plug a cable from here into tcp:" in said


def test_too_few_boards(tmp_path, image):
    done = check(tmp_path, route("twin:2x2x1", tmp_path / "larger.img"), RIGHT)
    assert "the boards have 4 cards, the image has 8: name every board" in done.stderr
