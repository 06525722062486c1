# SPDX-License-Identifier: Apache-2.0
"""A board tells where its links lead, and no image is loaded whose links inside the board are elsewhere."""

import itertools
import json
import subprocess

import pytest

import frame_codec
from processor_time import limited
from served import COMMAND, Board, route

LINK_PEER, PORTS = 0xC080, 4
# The port of the internal link of twin tori with so many dimensions, all of radix 1: the one after the dimensions.
INTERNAL = {"twin:1": 1, "twin:1x1": 2, "twin:1x1x1": 3}


class Told:
    """A proxy that puts other words into the answers to LINK_PEER; None: the board refuses the register."""

    def __init__(self, board, words):
        self.words, self.asked = words, {}
        self.proxy = frame_codec.Proxy(board.address, self.ask, self.answer, hosts=9)
        self.uri = self.proxy.uri

    def ask(self, number, frame, raw):
        if frame.kind == frame_codec.READ:
            self.asked[frame.sequence] = frame.argument
        return raw

    def answer(self, number, frame, raw):
        if frame.kind != frame_codec.READ | frame_codec.ANSWER or self.asked.get(frame.sequence) != LINK_PEER:
            return raw
        if self.words is None:
            frame.status, frame.argument, frame.words = 1, LINK_PEER, []
        else:
            frame.words = self.words(frame.card)
        return frame.encode()


def told(internal, pins=()):
    """As the specification has the words: told, an inner link to the other card's same port, or pins."""
    return lambda card: [1 << 31 | (1 << 30 | port << 16 | (1 - card) if port == internal else (port in pins) << 29) for port in range(PORTS)]


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    folder = tmp_path_factory.mktemp("twins")
    return {(twin, profile): route(twin, profile, "ts-dor" if profile == "node" else "updown", folder / f"{twin}-{profile}.img")
            for twin in INTERNAL for profile in ("node", "mini")}


@pytest.fixture
def twin(tmp_path):
    made = []

    def make(network, profile):
        made.append(Board(tmp_path, {}, network=network, profile=profile))
        return made[-1]

    yield make
    for board in made:
        board.close()


@pytest.mark.parametrize("profile", ["node", "mini"])
def test_images_on_each_others_boards(twin, images, profile):
    """load and verify refuse exactly the images whose internal link is at another port than the board's."""
    for network, image in itertools.product(INTERNAL, INTERNAL):
        board = twin(network, profile)
        path, right = images[image, profile], INTERNAL[network] == INTERNAL[image]
        for command in ("load", "verify"):
            done = board.done(command, str(path), status=0 if right else 1)
            if not right:
                said = done.stderr
                assert said.count("\n") == 1 and not done.stdout, said
                assert f"card 0 port {INTERNAL[image]} (int): the image {image} wants a link to its card 1 port {INTERNAL[image]} (int)" in said
                assert f"make an image whose internal link is at port {INTERNAL[network]}, " in said
        board.close()


def on_list(board, command, image, listed):
    return subprocess.run([COMMAND, command, str(image), "--devices", str(listed)], capture_output=True, text=True, check=False,
                          env=board.environment, **limited(60))


@pytest.mark.parametrize("pins", [(), (1,), (0, 1, 2)])
def test_a_list_of_one_board(tmp_path, twin, images, pins):
    """No cable is followed, so no link goes down, if no cable can mend it; else the cable is named."""
    board = twin("twin:1x1x1", "node")
    listed = tmp_path / "boards.txt"
    listed.write_text(f"0 {Told(board, told(3, pins)).uri}\n")
    done = on_list(board, "load", images["twin:1", "node"], listed)
    assert done.returncode == 1 and done.stdout.count("plug") == (4 if pins else 0), done.stdout + done.stderr
    assert ("the board has no link there; make an image whose internal link is at port 3" in done.stderr) == (not pins)
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [None, lambda card: [0] * PORTS])
def test_an_older_bitstream_is_warned_about(twin, images, words):
    """One refuses the register, another reads 0 there: both take any image, with a warning."""
    board = twin("twin:1x1x1", "node")
    for name in ("twin:1", "twin:1x1x1"):
        done = board.done("load", str(images[name, "node"]), uri=Told(board, words).uri)
        assert done.stdout.startswith(f"{name}, ts-dor: 2 cards of profile node loaded")
        assert done.stderr.count("\n") == 1 and "warning: this bitstream does not tell the board's internal links" in done.stderr
    done = board.done("load", str(images["twin:1x1x1", "node"]))
    assert not done.stderr


@pytest.mark.parametrize("internal", range(PORTS))
def test_selftest_names_a_port_without_link(twin, images, internal):
    """The board has the image of twin:1x1x1, and tells its internal link at another port: the tables lead to port 3."""
    board = twin("twin:1x1x1", "node")
    board.run("load", str(images["twin:1x1x1", "node"]))
    said = json.loads(board.done("selftest", "--json", uri=Told(board, told(internal)).uri, status=None).stdout)
    found = {test["card"]: test for test in said["tests"] if test["test"] == "wiring"}
    assert sorted(found) == [0, 1]
    for card, test in found.items():
        assert test["ok"] == (internal == 3), (card, test)
        assert internal == 3 or ("port 3: LRT entry" in test["problem"] and "internal link is at another port" in test["problem"])
        assert internal != 3 or test["found"] == f"internal link at port 3, to card {1 - card} port 3"
