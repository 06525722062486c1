# SPDX-License-Identifier: Apache-2.0
"""A network on several boards, by a list of them: `extorus load --devices`."""

import json
import os
import subprocess

import pytest

import frame_codec
from processor_time import limited
from served import COMMAND, Board


def route(network, profile, algorithm, path):
    subprocess.run([COMMAND, "route", network, "--algorithm", algorithm, "--profile", profile, "-o", path], check=True, capture_output=True)
    return path


def command(folder, *words, status=0):
    """`status` 1: any that is not 0."""
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, **limited(60), check=False,
                          env={**os.environ, "EXTORUS_STATE_DIR": str(folder / "state")})
    assert min(done.returncode, 1) == status, done.stdout + done.stderr
    return done


def refusal(folder, lines, *words):
    listed = folder / "boards.txt"
    listed.write_text(lines)
    said = command(folder, *words, "--devices", listed, status=1).stderr
    assert said.count("\n") == 1, said
    return said.replace(str(listed), "LIST")


@pytest.fixture
def boards(tmp_path):
    made = []

    def make(network, profile, count=2):
        for number in range(count):
            folder = tmp_path / str(number)
            folder.mkdir()
            made.append(Board(folder, {}, network=network, profile=profile))
        return [board.uri for board in made]

    yield make
    for board in made:
        board.close()


@pytest.fixture(scope="module")
def torus(tmp_path_factory):
    return route("torus:2x2", "mini", "dor", tmp_path_factory.mktemp("list") / "torus.img")


def test_each_board_has_its_cards(tmp_path, boards, torus):
    uris = boards("torus:2x1", "mini")
    listed = tmp_path / "boards.txt"
    listed.write_text(f"# any order\r\n 2\t{uris[1]};timeout=5000  # above\r\n\r\n0 {uris[0]}\r\n")
    said = command(tmp_path, "load", torus, "--devices", listed).stdout
    assert said.splitlines()[0].startswith(f"{uris[0]};first=0: 2 cards loaded and read back; ")
    for number, uri in enumerate(uris):
        command(tmp_path, "verify", torus, "--device", f"{uri};first={2 * number}")
        command(tmp_path, "verify", torus, "--device", f"{uri};first={2 - 2 * number}", status=1)
    again = json.loads(command(tmp_path, "load", torus, "--devices", listed, "--json").stdout)
    assert [(board["cards"], board["entries_written"]) for board in again["boards"]] == [(2, 0), (2, 0)]
    assert again["cards"] == 4 and again["wrong_cables"] == []


def test_lists_that_are_refused(tmp_path, boards, torus):
    one, other = boards("torus:2x1", "mini")
    for lines, says in [
            ("", "LIST: names no board; write a line for each"),
            (f"0 {one}\nx {other}\n", "LIST:2: write the number of the board's first card and its URI"),
            (f"-1 {one}\n", "LIST:1: write the number"),
            (f"0 {one} {other}\n", "LIST:1: write the number"),
            ("0\n", "LIST:1: write the number"),
            ("99999999999999999999 usb:\n", "LIST:1: write the number"),
            (f"0 {one};first=0\n", "LIST:1: the line begins with the first card; leave out first="),
            ("0 " + "x" * 5000 + "\n", "LIST:1: over 4094 characters"),
            ("0 usb:\n" * 65, "LIST:65: more than 64 boards"),
            (f"0 {one}\n3 {other}\n", "LIST:2: the board's first card is 3, and no board has card 2; list all boards"),
            (f"0 {one}\n1 {other}\n", "LIST:2: the board's first card is 1, but the boards before have all up to 1"),
            (f"0 {one}\n", "the boards of LIST have 2 cards, the image has 4; list all boards, and no other"),
            ("0 model:torus:2x2\n", "is no board"),
            ("0 nothing:\n", "nothing:")]:
        assert says in refusal(tmp_path, lines, "load", torus), lines
    command(tmp_path, "load", torus, "--devices", tmp_path / "none", status=1)
    for words in (["--device", one], ["--backdoor"]):
        command(tmp_path, "load", torus, "--devices", tmp_path / "boards.txt", *words, status=1)
    assert "links without a link layer" in refusal(tmp_path, f"0 {one}\n2 {other}\n", "link")


def test_wrong_cables_load_nothing(tmp_path, boards):
    """Two boards of two cards each, that no cable joins."""
    image = route("torus:2x2", "extoll", "updown", tmp_path / "torus.img")
    uris = boards("torus:2x1", "extoll")
    listed = tmp_path / "boards.txt"
    listed.write_text("".join(f"{2 * number} {uri}\n" for number, uri in enumerate(uris)))
    done = command(tmp_path, "load", image, "--devices", listed, status=1)
    assert "ends of cables are not where the image says; nothing was loaded" in done.stderr
    assert f"{uris[0]};first=0 card 0 port 2 (d1-): no link to any of these boards; plug a cable from here into {uris[1]};first=2 card " in done.stdout
    for number, uri in enumerate(uris):
        command(tmp_path, "verify", image, "--device", f"{uri};first={2 * number}", status=1)
    refused = json.loads(command(tmp_path, "load", image, "--devices", listed, "--json", status=1).stdout)
    assert (refused["loaded"], refused["boards"]) == (False, [])
    said = json.loads(command(tmp_path, "link", "--devices", listed, "--wiring", image, "--json", status=1).stdout)
    assert said["wrong_cables"] == refused["wrong_cables"]
    assert len(said["wrong_cables"]) == done.stdout.count("no link to any")
    forced = json.loads(command(tmp_path, "load", image, "--devices", listed, "--force", "--json").stdout)
    assert len(forced["wrong_cables"]) == len(said["wrong_cables"])
    for number, uri in enumerate(uris):
        command(tmp_path, "verify", image, "--device", f"{uri};first={2 * number}")


def test_a_board_that_fails(tmp_path, boards, torus):
    """The boards before it are loaded, and the message says so."""
    def cut(_, frame, raw):
        if frame.kind == frame_codec.WRITE:
            raise frame_codec.Cut
        return raw

    one, other = boards("torus:2x1", "mini")
    proxy = frame_codec.Proxy(("127.0.0.1", int(other.rsplit(":", 1)[1])), cut, hosts=2)
    said = refusal(tmp_path, f"0 {one}\n2 {proxy.uri};retries=0;timeout=300\n", "load", torus)
    assert f"{proxy.uri};retries=0;timeout=300;first=2: " in said
    assert "the boards with lower cards have the new tables already, so load again" in said
    command(tmp_path, "verify", torus, "--device", f"{one};first=0")
    frame_codec.await_hang_up(proxy.uri)
    said = refusal(tmp_path, f"0 {proxy.uri};retries=0;timeout=300\n2 {one}\n", "load", torus)
    assert f"{proxy.uri};retries=0;timeout=300;first=0: " in said and "already" not in said
    proxy.close()
