# SPDX-License-Identifier: Apache-2.0
"""Faults on the way to a board. Each ends as specified, a failure in one clear line. The board is whole
afterwards: it holds the old tables or the new ones, is not quiesced, and carries packets."""

import os
import random
import signal
import socket
import subprocess
import threading
import time

import pytest

import frame_codec
from processor_time import limited
from served import COMMAND, Board


def intact(board, *names):
    """The board holds one of the images whole, and carries packets."""
    for name in names:
        held = subprocess.run([COMMAND, "verify", str(board.images / f"{name}.img"), "--device", board.uri],
                              capture_output=True, env=board.environment, **limited(60)).returncode == 0
        if held:
            assert board.holds(name)
            board.run("inject", "--packets", "200")
            return name
    raise AssertionError(f"the board holds none of {names}")


def once(when, what):
    """A hook that does `what` to the first frame of which `when` is true."""
    left = [True]

    def hook(number, frame, raw):
        if left[0] and when(number, frame):
            left[0] = False
            return what(frame, raw)
        return raw

    return hook


def always(when, what):
    return lambda number, frame, raw: what(frame, raw) if when(number, frame) else raw


def kind(value, skip=0):
    """The frames of a kind but the first `skip`."""
    seen = [0]

    def when(number, frame):
        seen[0] += frame.kind == value
        return frame.kind == value and seen[0] > skip

    return when


def flip(raw):
    return raw[:3] + bytes([raw[3] ^ 0x01]) + raw[4:]


GARBAGE = bytes(range(256)) * 4
REPAIRED = {
    "lost": lambda frame, raw: b"",
    "doubled": lambda frame, raw: raw + raw,
    "corrupted": lambda frame, raw: flip(raw),
    "truncated": lambda frame, raw: raw[:len(raw) // 2],
    "truncated-with-flag": lambda frame, raw: raw[:len(raw) // 2] + bytes([frame_codec.FLAG]),
    "byte-doubled": lambda frame, raw: raw[:5] + raw[4:],
    "after-garbage": lambda frame, raw: GARBAGE + bytes([frame_codec.FLAG]) + raw,
    "escape-at-end": lambda frame, raw: raw[:-1] + bytes([frame_codec.ESCAPE, frame_codec.FLAG]),
}


@pytest.mark.parametrize("skip", [0, 5])
@pytest.mark.parametrize("way", ["request", "answer"])
@pytest.mark.parametrize("fault", REPAIRED)
def test_damage_is_repaired(board, fault, way, skip):
    """One WRITE or its answer is damaged: the load succeeds, and every write was carried out once, in order."""
    when = kind(frame_codec.WRITE | (frame_codec.ANSWER if way == "answer" else 0), skip)
    hook = once(when, REPAIRED[fault])
    proxy = frame_codec.Proxy(board.address, **{"to_board" if way == "request" else "from_board": hook})
    board.load("new", uri=proxy.uri)
    assert board.holds("new")
    board.run("inject", "--packets", "200")


@pytest.mark.parametrize("share", [0.02, 0.1])
def test_many_losses_are_repaired(board, share):
    """A share of the frames each way is lost or corrupted; packets arrive once and in order all the same."""
    chance = random.Random(1)
    lose = always(lambda n, f: chance.random() < share, REPAIRED["lost"])
    spoil = always(lambda n, f: chance.random() < share, REPAIRED["corrupted"])
    proxy = frame_codec.Proxy(board.address, lose, spoil, hosts=2)
    board.load("new", uri=proxy.uri + ";retries=20")
    board.run("inject", "--packets", "300", "--timeout", "5000", uri=proxy.uri + ";retries=20")
    assert board.holds("new")


@pytest.mark.parametrize("fault", ["lost", "corrupted", "doubled"])
def test_packets_that_are_damaged_come_again(board, fault):
    # By chance: each fifth frame would always be the same one when all a board has to say repeats itself after five.
    chance = random.Random(1)
    proxy = frame_codec.Proxy(board.address,
                       from_board=always(lambda n, f: f.kind == frame_codec.PACKET and chance.random() < 0.2, REPAIRED[fault]))
    board.run("inject", "--packets", "300", "--timeout", "5000", uri=proxy.uri)
    assert intact(board, "old")


def short(frame, raw):
    frame.words = frame.words[:-1]
    return frame.encode()


def oversized(frame, raw):
    frame.words += [1, 2, 3]
    return frame.encode()


def huge(frame, raw):
    frame.words = [7] * 1024
    return frame.encode()


def other_kind(frame, raw):
    frame.kind = frame_codec.ANSWER | frame_codec.WRITE
    return frame.encode()


def refused(frame, raw):
    frame.status, frame.words = 1, []
    return frame.encode()


def unknown_status(frame, raw):
    frame.status, frame.words = 0x55, []
    return frame.encode()


def unsynced(frame, raw):
    frame.status, frame.words = 8, []
    return frame.encode()


def started(frame, raw):
    return frame_codec.Frame(frame_codec.EVENT, 0, 0, 0, 0, 1, []).encode() + raw


@pytest.mark.parametrize("what, status, says", [
    (short, 1, "instead of"), (oversized, 1, "instead of"), (huge, 1, "instead of"), (other_kind, 1, "answers READ with WRITE"),
    (refused, 2, "refuses to read register"), (unknown_status, 2, "does not know"), (unsynced, 1, "board was reset"),
    (started, 1, "board was reset"),
])
def test_wrong_answers_are_refused(board, what, status, says):
    proxy = frame_codec.Proxy(board.address, from_board=once(kind(frame_codec.READ | frame_codec.ANSWER, 12), what))
    board.load("new", uri=proxy.uri, status=status, says=says)
    assert intact(board, "old") == "old"


@pytest.mark.parametrize("way", ["to_board", "from_board"])
@pytest.mark.parametrize("skip", [3, 40])
def test_silence_ends_in_a_timeout(board, way, skip):
    """From some frame on nothing passes any more."""
    proxy = frame_codec.Proxy(board.address, **{way: always(lambda n, f: n > skip, REPAIRED["lost"])})
    board.load("new", uri=proxy.uri, status=1, says="does not answer")
    board.load("new")
    assert intact(board, "new") == "new"


def test_a_pause_is_no_fault(board):
    def wait(frame, raw):
        time.sleep(0.35)
        return raw

    proxy = frame_codec.Proxy(board.address, from_board=once(kind(frame_codec.WRITE | frame_codec.ANSWER, 3), wait))
    board.load("new", uri=proxy.uri)
    assert board.holds("new")


def cut(frame, raw):
    raise frame_codec.Cut


@pytest.mark.parametrize("when", [
    lambda: kind(frame_codec.READ, 0), lambda: kind(frame_codec.READ, 30), lambda: kind(frame_codec.WRITE, 1), lambda: kind(frame_codec.WRITE, 20),
    lambda: kind(frame_codec.WRITE, 24), lambda: kind(frame_codec.WRITE, 30), lambda: kind(frame_codec.WRITE, 40), lambda: kind(frame_codec.WRITE, 60),
])
def test_unplugged_during_load(board, when):
    """Whatever was written, loading the old image again finds nothing to do: the card was put back word for word."""
    proxy = frame_codec.Proxy(board.address, to_board=once(when(), cut))
    board.load("new", uri=proxy.uri, status=3, says="still there?")
    board.load("old")
    assert intact(board, "old") == "old"
    board.load("new")
    assert intact(board, "new") == "new"


@pytest.mark.parametrize("way", ["to_board", "from_board"])
def test_unplugged_during_stream(board, way):
    when = kind(frame_codec.INJECT if way == "to_board" else frame_codec.PACKET, 20)
    proxy = frame_codec.Proxy(board.address, **{way: once(when, cut)})
    board.run("inject", "--packets", "2000", uri=proxy.uri, status=3, says="still there?")
    # What was under way comes first; nobody awaits it.
    board.run("capture", "--seconds", "1")
    assert intact(board, "old") == "old"


def test_unplugged_before_the_first_answer(board):
    proxy = frame_codec.Proxy(board.address, from_board=once(kind(frame_codec.INFO | frame_codec.ANSWER), cut))
    board.run("probe", uri=proxy.uri, status=3, says="still there?")
    assert intact(board, "old") == "old"


@pytest.mark.parametrize("skip", [3, 24, 30, 38])
def test_killed_during_load(board, skip):
    """The old tables are put back by the next load, which then finds no entry that differs."""
    ready, go = threading.Event(), threading.Event()

    def hold(frame, raw):
        ready.set()
        go.wait(20)
        return raw

    proxy = frame_codec.Proxy(board.address, to_board=once(kind(frame_codec.WRITE, skip), hold))
    loading = subprocess.Popen([COMMAND, "load", str(board.images / "new.img"), "--device", proxy.uri + ";timeout=5000"],
                               env=board.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert ready.wait(20)
    loading.send_signal(signal.SIGKILL)
    loading.wait()
    go.set()
    time.sleep(0.1)
    again = board.load("old", "--json")
    assert '"entries_written": 0' in again and '"registers_written": 0' in again, again
    assert intact(board, "old") == "old"


def test_a_half_written_card_is_reported(board):
    def is_entry(number, frame):
        return frame.kind == frame_codec.WRITE and frame.argument >= 0x4000

    proxy = frame_codec.Proxy(board.address, to_board=once(is_entry, cut))
    board.load("new", uri=proxy.uri, status=3, says="the next load puts the old ones back")
    assert "a load or test was interrupted here" in board.errors("probe", status=1)
    board.load("new")
    board.run("probe")
    assert intact(board, "new") == "new"


def test_damaged_memory_is_found_and_put_back(board):
    """A written entry reads back other than it was written: refused, and the old tables are back."""
    def spoil(number, frame, raw):
        if frame.kind == frame_codec.WRITE and frame.argument >= 0x8000 and not spoil.done:
            spoil.done = True
            frame.words[0] ^= 0x10
            return frame.encode()
        return raw

    spoil.done = False
    proxy = frame_codec.Proxy(board.address, to_board=spoil)
    board.load("new", uri=proxy.uri, status=1, says="have their old tables back")
    assert intact(board, "old") == "old"


def test_nobody_there(board):
    board.run("probe", uri="tcp:127.0.0.1:1", status=3, says="nothing answers")
    board.run("probe", uri="uart:/dev/no-such-port", status=3, says="plugged in")
    board.run("probe", uri="usb:", status=3)
    board.run("probe", uri="usb:serial=123", status=3)
    board.run("probe", uri="ftdi:", status=3)


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x7e\x7e\x7e" + bytes(64) + b"\x7e", b""])
def test_something_else_there(board, answer):
    """Another bitstream, a wrong baud rate, a wrong port: it says something else, or nothing."""
    listener = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()

    def serve():
        host, _ = listener.accept()
        while not over.is_set() and host.recv(1000):
            host.sendall(answer)

    threading.Thread(target=serve, daemon=True).start()
    says = "does not speak the protocol" if answer else "does not answer"
    board.run("probe", uri="tcp:127.0.0.1:%d" % listener.getsockname()[1], status=1, says=says)
    over.set()
    listener.close()


@pytest.mark.parametrize("options, says", [
    (("--say-version", "0"), "load a newer bitstream"), (("--say-version", "9"), "use a newer program"),
    (("--say-profile", "12345678"), "is another than this program's"),
])
def test_wrong_bitstream(tmp_path, images, board, options, says):
    other = Board(tmp_path, images, *options)
    try:
        other.run("probe", status=1, says=says)
        other.load("new", status=1, says=says)
    finally:
        other.close()


@pytest.mark.parametrize("change, says", [
    ({0: 0x12345678}, "no extorus board"), ({2: 0x00030101}, "impossible"), ({4: 0}, "impossible"),
    ({3: 1, 10: 0x6F6F66, 11: 0, 12: 0, 13: 0}, "profile foo"), ({2: 0x00400204}, "NIC ports"),
])
def test_strange_boards(board, change, says):
    def strange(frame, raw):
        for index, word in change.items():
            frame.words[index] = word
        return frame.encode()

    proxy = frame_codec.Proxy(board.address, from_board=always(kind(frame_codec.INFO | frame_codec.ANSWER), strange))
    board.run("probe", uri=proxy.uri, status=1, says=says)
    assert intact(board, "old") == "old"


def test_serial_ports(tmp_path, images, board):
    """A UART: the same, one program at a time, and permission is needed."""
    uart = Board(tmp_path / "uart", images, listen="pty")
    try:
        uart.load("old")
        uart.run("inject", "--packets", "300")
        path = uart.uri[len("uart:"):]
        holder = subprocess.Popen([COMMAND, "watch", "--device", uart.uri], stdout=subprocess.DEVNULL)
        time.sleep(0.5)
        uart.run("probe", status=3, says="in use by another program")
        holder.kill()
        holder.wait()
        uart.run("probe", status=0)
        if os.getuid() == 0:
            os.chmod(path, 0o600)
            try:
                done = subprocess.run([COMMAND, "probe", "--device", uart.uri], capture_output=True, text=True, user=65534)
            except PermissionError:
                return
            assert done.returncode == 3 and "no permission" in done.stderr
    finally:
        uart.close()


def test_a_board_is_waited_for(tmp_path, images):
    """Replugged: it comes while somebody waits."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    listener.close()
    waiting = subprocess.Popen([COMMAND, "probe", "--device", f"tcp:127.0.0.1:{port};wait=20000"], stdout=subprocess.PIPE,
                               text=True)
    time.sleep(0.3)
    late = Board(tmp_path, images, listen=f"tcp:127.0.0.1:{port}")
    try:
        assert "4 cards of profile mini" in waiting.communicate(timeout=30)[0]
        assert waiting.returncode == 0
    finally:
        late.close()


def test_reset_empties_the_tables(board):
    board.run("reset")
    board.run("verify", str(board.images / "old.img"), status=1)
    board.load("old")
    assert intact(board, "old") == "old"


def test_requests_do_not_wait_for_each_other(board):
    """As many requests as the window allows are sent before the first is answered."""
    most, waiting = [0], [0]

    def request(number, frame, raw):
        waiting[0] += frame.kind in (frame_codec.READ, frame_codec.WRITE)
        most[0] = max(most[0], waiting[0])
        return raw

    def answer(number, frame, raw):
        waiting[0] -= frame.kind in (frame_codec.READ | frame_codec.ANSWER, frame_codec.WRITE | frame_codec.ANSWER)
        time.sleep(0.0005)
        return raw

    proxy = frame_codec.Proxy(board.address, request, answer)
    board.load("new", uri=proxy.uri)
    assert 16 < most[0] <= 64 + 1


def test_a_load_is_bound_by_the_link(tmp_path):
    """Cards with LRTs of 1,024 entries: the host waits for few round trips of many requests each, and a lone table
    entry costs hardly more on the way than its two words."""
    subprocess.run([COMMAND, "route", "torus:2x2", "--profile", "extoll", "--algorithm", "dor", "-o", str(tmp_path / "old.img")],
                   check=True, capture_output=True)
    board = Board(tmp_path, tmp_path, profile="extoll")
    try:
        way = frame_codec.Lockstep(board.address, 64)
        board.load("old", uri=way.uri + ";timeout=20000")
    finally:
        board.close()
    # All entries at all input ports are read once to compare, and those of the cards again to verify.
    words = 2 * 4 * 7 * (64 + 1024) * 2
    print(f"{way.requests} requests in {way.trips} round trips, {way.bytes} bytes for {4 * words} of table entries")
    assert way.requests > words / 256
    assert way.trips < way.requests / 10
    assert way.bytes < 1.25 * 4 * words
