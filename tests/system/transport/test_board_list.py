# SPDX-License-Identifier: Apache-2.0
"""A network on several boards, by a list of them: `extorus load --devices`, and the other commands that take one."""

import json
import os
import signal
import subprocess
import time

import pytest

import frame_codec
from processor_time import limited
from served import COMMAND, route
from test_quiesce import ask

LINK_DISABLE, LINK_RETRAIN, TABLES = 0x60, 0x64, 0x4000


def command(folder, *words, status=0):
    """`status` 1: any that is not 0; None: any."""
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, **limited(60), check=False,
                          env={**os.environ, "EXTORUS_STATE_DIR": str(folder / "state")})
    assert status is None or min(done.returncode, 1) == status, done.stdout + done.stderr
    return done


def refusal(folder, lines, *words):
    listed = folder / "boards.txt"
    listed.write_text(lines)
    said = command(folder, *words, "--devices", listed, status=1).stderr
    assert said.count("\n") == 1, said
    return said.replace(str(listed), "LIST")


def test_each_board_has_its_cards(tmp_path, boards, torus):
    uris = [board.uri for board in boards("torus:2x1", "mini")]
    listed = tmp_path / "boards.txt"
    listed.write_text(f"\ufeff# any order\r\n 2\t{uris[1]};timeout=5000  # above\r\n\r\n0 {uris[0]}\r\n")
    said = command(tmp_path, "load", torus, "--devices", listed, "--any-cables").stdout
    assert said.splitlines()[0].startswith(f"{uris[0]};first=0: 2 cards loaded and read back; ")
    for number, uri in enumerate(uris):
        command(tmp_path, "verify", torus, "--device", f"{uri};first={2 * number}")
        command(tmp_path, "verify", torus, "--device", f"{uri};first={2 - 2 * number}", status=1)
    again = json.loads(command(tmp_path, "load", torus, "--devices", listed, "--any-cables", "--json").stdout)
    assert [(board["cards"], board["entries_written"]) for board in again["boards"]] == [(2, 0), (2, 0)]
    assert again["cards"] == 4 and again["wrong_cables"] == []


def on_each(folder, listed, *words, status=0):
    """What a command says of each board, as text and as JSON."""
    text = command(folder, *words, "--devices", listed, status=status)
    said = json.loads(command(folder, *words, "--devices", listed, "--json", status=status).stdout)
    assert said["ok"] == (status == 0)
    return text, said["boards"]


def test_every_board_is_done(tmp_path, boards, torus):
    uris = [f"{board.uri};first={2 * number}" for number, board in enumerate(boards("torus:2x1", "mini"))]
    listed = tmp_path / "boards.txt"
    listed.write_text("".join(f"{2 * number} {uri.partition(';')[0]}\n" for number, uri in enumerate(uris)))
    text, said = on_each(tmp_path, listed, "verify", torus, status=1)
    assert text.stderr.count("\n") == 2 and all(f"extorus verify: {uri}: " in text.stderr for uri in uris)
    assert [(board["device"], board["equal"]) for board in said] == [(uri, False) for uri in uris]
    command(tmp_path, "load", torus, "--devices", listed, "--any-cables")
    text, said = on_each(tmp_path, listed, "verify", torus)
    assert text.stdout == "".join(f"{uri}: torus:2x2: 2 cards hold the image at every input port\n" for uri in uris)
    assert [(board["device"], board["cards"], board["equal"]) for board in said] == [(uri, 2, True) for uri in uris]
    text, said = on_each(tmp_path, listed, "counters")
    assert [line for line in text.stdout.splitlines() if line in uris] == uris
    alone = json.loads(command(tmp_path, "counters", "--device", uris[1], "--json").stdout)
    assert [board["device"] for board in said] == uris and said[1]["counters"] == alone
    text, said = on_each(tmp_path, listed, "reset")
    assert text.stdout == "".join(f"{uri}: 2 cards are reset and have empty tables\n" for uri in uris)
    assert said == [{"device": uri, "cards": 2} for uri in uris]
    text, said = on_each(tmp_path, listed, "selftest")
    assert [line for line in text.stdout.splitlines() if line in uris] == uris and text.stdout.count("card 1 tables     ok") == text.stdout.count("card 0 tcp        ok: ") == 2
    assert [(board["device"], board["ok"], len(board["tests"])) for board in said] == [(uri, True, 9) for uri in uris]
    command(tmp_path, "verify", torus, "--devices", listed, status=1)


def test_a_board_that_does_not_answer(tmp_path, boards, torus):
    """It is named, whether it is the first or the last, and the other is done."""
    first, second = (board.uri for board in boards("torus:2x1", "mini"))
    listed = tmp_path / "boards.txt"
    listed.write_text(f"0 {first}\n2 {second}\n")
    command(tmp_path, "load", torus, "--devices", listed, "--any-cables")
    for lines, missing, there in [(f"0 tcp:127.0.0.1:1\n2 {second}\n", 0, f"{second};first=2"), (f"0 {first}\n2 tcp:127.0.0.1:1\n", 1, f"{first};first=0")]:
        listed.write_text(lines)
        for words in (["verify", torus], ["counters"], ["selftest"], ["reset"]):
            text, said = on_each(tmp_path, listed, *words, status=1)
            assert f"extorus {words[0]}: tcp:127.0.0.1:1;first={2 * missing}: {listed}:{missing + 1}: " in text.stderr
            assert text.stderr.count("\n") == 1 and there in text.stdout
            assert said[missing]["device"].startswith("tcp:127.0.0.1:1;") and said[missing]["error"]
            assert said[1 - missing]["device"] == there and "error" not in said[1 - missing]


def test_lists_with_a_command_for_all(tmp_path, boards, torus):
    one, other = (board.uri for board in boards("torus:2x1", "mini"))
    assert "LIST:2: the board's first card is 3, and no board has card 2" in refusal(tmp_path, f"0 {one}\n3 {other}\n", "reset")
    assert "LIST:2: line 1 names the same board" in refusal(tmp_path, f"0 {one}\n2 {one}\n", "counters")
    command(tmp_path, "load", torus, "--device", f"{one};first=0")
    assert "the boards have 2 cards, the image has 4: name every board" in refusal(tmp_path, f"0 {one}\n", "verify", torus)
    for words in (["reset", "--card", 1], ["counters", "--card", 1], ["counters", "--prometheus"], ["verify", torus, "--image", torus],
                  ["selftest", "--device", one]):
        assert command(tmp_path, *words, "--devices", tmp_path / "boards.txt", status=1).returncode == 2


def test_lists_that_are_refused(tmp_path, boards, torus):
    one, other = (board.uri for board in boards("torus:2x1", "mini"))
    for lines, says in [
            ("", "LIST: names no board; write a line for each"),
            (f"0 {one}\nx {other}\n", "LIST:2: write the number of the board's first card and its URI"),
            (f"-1 {one}\n", "LIST:1: write the number"),
            (f"0 {one} {other}\n", "LIST:1: write the number"),
            ("0\n", "LIST:1: write the number"),
            ("99999999999999999999 usb:\n", "LIST:1: write the number"),
            (f"0 {one};first=0\n", "LIST:1: the line begins with the first card; leave out first="),
            ("0 " + "x" * 4094 + "\n", "LIST:1: over 4095 characters"),
            (f"\n0 {one};wiring=torus:2x1\n", "LIST:2: the line begins with the first card; leave out first="),
            (f"0 {one}\n2 {one}\n", "LIST:2: line 1 names the same board"),
            ("0 tcp:127.0.0.1:1\n2 tcp:127.0.0.1:2\n\n0 tcp:127.0.0.1:3\n", "LIST:4: line 1 has a board with first card 0 already; mend the number"),
            ("".join(f"{n} usb:serial={n}\n" for n in range(65)), "LIST:65: more than 64 boards"),
            (f"0 {one}\n3 {other}\n", "LIST:2: the board's first card is 3, and no board has card 2; list all boards"),
            (f"0 {one}\n1 {other}\n", "LIST:2: the board's first card is 1, but the boards before have all up to 1"),
            (f"0 {one}\n", "the boards have 2 cards, the image has 4: name every board"),
            ("0 model:torus:2x2\n", "LIST:1: model:torus:2x2 is no board"),
            ("0 ftdi:serial=none#1\n", "LIST:1: "),
            ("0 nothing:\n", "LIST:1: ")]:
        assert says in refusal(tmp_path, lines, "load", torus), lines
    command(tmp_path, "load", torus, "--devices", tmp_path / "none", status=1)
    for words in (["load", torus, "--device", one], ["load", torus, "--backdoor"], ["link", "--device", one],
                  ["traffic", "--device", one, "--uniform", 4]):
        command(tmp_path, *words, "--devices", tmp_path / "boards.txt", status=1)
    command(tmp_path, "load", torus, "--device", one, "--any-cables", status=1)
    assert "links without a link layer" in refusal(tmp_path, f"0 {one}\n2 {other}\n", "link")


def test_wrong_cables_load_nothing(tmp_path, boards):
    """Two boards of two cards each, that no cable joins."""
    image = route("torus:2x2", "extoll", "updown", tmp_path / "torus.img")
    uris = [board.uri for board in boards("torus:2x1", "extoll")]
    listed = tmp_path / "boards.txt"
    listed.write_text("".join(f"{2 * number} {uri}\n" for number, uri in enumerate(uris)))
    done = command(tmp_path, "load", image, "--devices", listed, status=1)
    assert "the cables are not as in the image, at " in done.stderr and "; nothing was loaded. Plug them in as told" in done.stderr
    assert f"{uris[0]};first=0 card 0 port 2 (d1-): no link to any of these boards; plug a cable from here into {uris[1]};first=2 card " in done.stdout
    for number, uri in enumerate(uris):
        command(tmp_path, "verify", image, "--device", f"{uri};first={2 * number}", status=1)
    refused = json.loads(command(tmp_path, "load", image, "--devices", listed, "--json", status=1).stdout)
    assert (refused["loaded"], refused["boards"]) == (False, [])
    said = json.loads(command(tmp_path, "link", "--devices", listed, "--wiring", image, "--json", status=1).stdout)
    assert said["wrong_cables"] == refused["wrong_cables"]
    assert len(said["wrong_cables"]) == done.stdout.count("no link to any")
    command(tmp_path, "load", image, "--devices", listed, "--force", status=1)
    loaded = json.loads(command(tmp_path, "load", image, "--devices", listed, "--any-cables", "--json").stdout)
    assert loaded["loaded"] and loaded["wrong_cables"] == []
    for number, uri in enumerate(uris):
        command(tmp_path, "verify", image, "--device", f"{uri};first={2 * number}")


@pytest.fixture(scope="module")
def unsafe(tmp_path_factory):
    path = tmp_path_factory.mktemp("unsafe") / "unsafe.img"
    subprocess.run([COMMAND, "route", "torus:5", "--algorithm", "dor", "--fold-vcs", "1", "-o", path], check=True, capture_output=True)
    return path


def states(folder, uri):
    return [link["state"] for link in json.loads(command(folder, "link", "--device", uri, "--json", status=None).stdout)["boards"][0]["links"]]


def test_right_cables(tmp_path, boards):
    """Links that are down are trained before; then all are up, and the image is loaded."""
    image = route("torus:2x2", "extoll", "updown", tmp_path / "torus.img")
    [board] = boards("torus:2x2", "extoll", 1)
    uri, listed = board.uri, tmp_path / "boards.txt"
    listed.write_text(f"0 {uri}\n")
    up = states(tmp_path, uri).count("up")
    for ports in (1, 0):
        ask(board, frame_codec.Frame(frame_codec.WRITE, 0, 0, 0, 0, LINK_DISABLE, [ports]))
    assert states(tmp_path, uri).count("up") < up
    command(tmp_path, "load", image, "--devices", listed)
    assert states(tmp_path, uri).count("up") == up
    command(tmp_path, "verify", image, "--device", uri)
    command(tmp_path, "load", image, "--devices", listed, "--live")
    # Ports without a cable are disabled; that is no fault.
    command(tmp_path, "link", "--devices", listed)


def test_an_unsafe_image_takes_no_link_down(tmp_path, boards, unsafe):
    def count(_, frame, raw):
        writes.extend([frame] if frame.kind == frame_codec.WRITE else [])
        return raw

    [board] = boards("torus:5", "extoll", 1)
    writes, listed = [], tmp_path / "boards.txt"
    proxy = frame_codec.Proxy(board.address, count)
    listed.write_text(f"0 {proxy.uri}\n")
    done = command(tmp_path, "load", unsafe, "--devices", listed, status=1)
    assert "deadlock" in done.stderr and not writes
    proxy.close()


def test_a_board_that_fails(tmp_path, boards, torus):
    """The boards before it are loaded, and the message says so."""
    def cut(_, frame, raw):
        if frame.kind == frame_codec.WRITE:
            raise frame_codec.Cut
        return raw

    first, second = boards("torus:2x1", "mini")
    one, proxy = first.uri, frame_codec.Proxy(second.address, cut, hosts=2)
    said = refusal(tmp_path, f"0 {one}\n2 {proxy.uri};retries=0;timeout=300\n", "load", torus, "--any-cables")
    assert f"{proxy.uri};retries=0;timeout=300;first=2: " in said
    assert "the boards with lower cards have the new tables already, so load again" in said
    command(tmp_path, "verify", torus, "--device", f"{one};first=0")
    frame_codec.await_hang_up(proxy.uri)
    said = refusal(tmp_path, f"0 {proxy.uri};retries=0;timeout=300\n2 {one}\n", "load", torus, "--any-cables")
    assert f"{proxy.uri};retries=0;timeout=300;first=0: " in said and "already" not in said
    proxy.close()


@pytest.mark.parametrize("register, says", [(LINK_DISABLE, "interrupted; nothing was loaded"), (TABLES, "the boards with lower cards have the new")])
def test_interrupts(tmp_path, boards, register, says):
    """While the cables are followed all links come up again; while a board is loaded those before keep the new tables."""
    def send(_, frame, raw):
        if frame.kind == frame_codec.WRITE and frame.argument >= register and not running.poll() and frame.argument != LINK_RETRAIN:
            running.send_signal(signal.SIGINT)
            time.sleep(0.05)
        return raw

    image = route("torus:2x2", "extoll", "updown", tmp_path / "torus.img")
    first, second = boards("torus:2x1", "extoll")
    proxy = frame_codec.Proxy((first if register == LINK_DISABLE else second).address, send)
    uris = [proxy.uri, second.uri] if register == LINK_DISABLE else [first.uri, proxy.uri]
    up = [states(tmp_path, board.uri) for board in (first, second)]
    listed = tmp_path / "boards.txt"
    listed.write_text("".join(f"{2 * number} {uri};timeout=5000\n" for number, uri in enumerate(uris)))
    options = [] if register == LINK_DISABLE else ["--any-cables"]
    running = subprocess.Popen([COMMAND, "load", image, "--devices", listed, *options], stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "EXTORUS_STATE_DIR": str(tmp_path / "state")})
    said = running.communicate(timeout=60)[1]
    assert running.returncode == -signal.SIGINT and says in said, said
    frame_codec.await_hang_up(proxy.uri)
    assert [states(tmp_path, board.uri) for board in (first, second)] == up
    for number, board in enumerate((first, second)):
        command(tmp_path, "verify", image, "--device", f"{board.uri};first={2 * number}", status=0 if register == TABLES and number == 0 else 1)


def test_a_board_that_goes_while_links_are_trained(tmp_path, boards):
    """The links of the others come up again."""
    def cut(_, frame, raw):
        if frame.kind == frame_codec.WRITE and frame.argument == LINK_RETRAIN:
            raise frame_codec.Cut
        return raw

    image = route("torus:2x2", "extoll", "updown", tmp_path / "torus.img")
    first, second = boards("torus:2x1", "extoll")
    up, proxy = states(tmp_path, second.uri), frame_codec.Proxy(first.address, cut)
    listed = tmp_path / "boards.txt"
    listed.write_text(f"0 {proxy.uri};retries=0;timeout=300\n2 {second.uri}\n")
    command(tmp_path, "link", "--devices", listed, "--wiring", image, status=1)
    assert states(tmp_path, second.uri) == up
