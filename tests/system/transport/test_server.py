# SPDX-License-Identifier: Apache-2.0
"""What any client may do to `extorus serve`: it answers or refuses, holds no more than a board, and goes on."""

import contextlib
import os
import pathlib
import socket
import subprocess
import sys
import time

import pytest

import frame_codec
from frame_codec import INFO, INJECT, READ, RECEIVE, RESET, STREAM, WRITE
from processor_time import limited
from raw_host import RawHost, packet
from served import COMMAND, ROOT, Board

REWIND = 0x10000
LENGTH, BUSY = 5, 6
CARD_ID, QUIESCE, LINK_RETRAIN, LINK_KEEPALIVE, LATENCY_CONTROL = 0x18, 0x58, 0x64, 0x6C, 0x84
PORTS = 0x1F  # four link ports and the NIC port of a `mini` card


def addresses(host, cards=4):
    return [host.ask(READ, card=card, argument=CARD_ID).words[0] for card in range(cards)]


def status_of(board, key):
    text = pathlib.Path(f"/proc/{board.server.pid}/status").read_text()
    return int(next(line.split()[1] for line in text.splitlines() if line.startswith(key)))


def processor_seconds(board):
    fields = pathlib.Path(f"/proc/{board.server.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def guarded(tmp_path, images):
    """A board whose server runs under the address sanitizer."""
    program = ROOT / "build" / "san" / "extorus"
    assert program.exists(), "run `make tests-build`"
    it = Board(tmp_path, images, program=str(program))
    it.load("old")
    yield it
    it.close()


@pytest.mark.parametrize("word", [0x0000FFFF, 0xFFFFFFFF, 5, 0])
def test_an_acknowledgement_within_a_packet_acknowledges_nothing(guarded, word):
    """A payload word is never taken for a length, wherever the host says that a packet begins."""
    host = RawHost(guarded.address)
    place = addresses(host)
    for tag in range(8):
        assert host.ask(INJECT, card=0, words=packet(place[0], place[1], tag=tag, fill=word)).status == 0
    assert host.ask(RECEIVE, card=1, argument=0, words=[0x4000]).status == 0
    assert len(host.collect(8)) == 8
    for inside in range(1, 5):
        host.packets.clear()
        answer = host.ask(RECEIVE, card=1, argument=inside, words=[0x4000 | REWIND])
        assert answer.argument == 0
        assert [frame.argument for frame in host.collect(8)] == list(range(0, 40, 5))
    assert host.ask(RECEIVE, card=1, argument=40, words=[0x4000]).argument == 40
    assert host.ask(STREAM, card=1).words[1] == 40 | 40 << 16


@pytest.fixture(scope="module")
def extoll(tmp_path_factory):
    """An image of cards whose links have a protocol and whose NICs have clocks."""
    folder = tmp_path_factory.mktemp("extoll")
    subprocess.run([COMMAND, "route", "torus:2x2", "--profile", "extoll", "--algorithm", "dor", "-o", str(folder / "old.img")],
                   check=True, capture_output=True)
    return folder


WRITES = {
    "keepalive": (LINK_KEEPALIVE, 4000), "stamp": (LATENCY_CONTROL, 1), "retrain": (LINK_RETRAIN, 0x3F), "quiesce and release": (QUIESCE, 0),
}


@pytest.mark.parametrize("name", WRITES)
def test_no_write_ends_the_server(tmp_path, extoll, name):
    """And the packets after it arrive."""
    board = Board(tmp_path, extoll, profile="extoll")
    try:
        slow = board.uri + ";timeout=20000"
        board.load("old", uri=slow)
        host = RawHost(board.address)
        # A link of which one end alone has keepalives for long goes down.
        assert host.ask_all(WRITE, range(4), argument=WRITES[name][0], words=[WRITES[name][1]]).status == 0
        host.close()
        for _ in range(2):
            told = board.run("inject", "--packets", "200", "--timeout", "2000", uri=slow, status=1 if name == "stamp" else 0)
            # A stamp lies where `inject` numbers its packets.
            assert ("200 received" if name == "stamp" else "200 received, 0 lost, 0 wrong") in told
        assert board.server.poll() is None
    finally:
        board.close()


GRT, LRT, TABLE_PORTS, VALID = 0x4000, 0x8000, 0x40, 0x8000


def test_packets_in_a_circle_stay_there(board):
    """Every entry of every card sends by link port 0: packets go round for ever, and requests are served."""
    host = RawHost(board.address)
    place = addresses(host)
    for card in range(4):
        assert host.ask(WRITE, card=card, argument=TABLE_PORTS, words=[PORTS]).status == 0
        for table, entries in ((GRT, 4), (LRT, 64)):
            assert host.ask(WRITE, card=card, argument=table, words=[VALID, 0] * entries).status == 0
        assert host.ask(WRITE, card=card, argument=CARD_ID, words=[0x80 | place[card]]).status == 0
    for tag in range(50):
        assert host.ask(INJECT, card=tag % 4, words=packet(0, tag % 4, tag=tag)).status == 0
    time.sleep(0.5)
    assert [host.ask(STREAM, card=card).words[1] for card in range(4)] == [0] * 4  # none arrived
    assert board.server.poll() is None
    for card in range(4):
        assert host.ask(RESET, card=card).status == 0
    host.close()
    board.run("probe")


def test_packets_that_nobody_receives_are_held_back(board):
    """The queues fill, then INJECT is refused; the server grows by no more than they take."""
    before = status_of(board, "VmHWM")
    host = RawHost(board.address)
    place, refused, sent = addresses(host), 0, 0
    for tag in range(30000):
        status = host.ask(INJECT, card=0, words=packet(place[0], place[3], tag=tag % 8192)).status
        assert status in (0, BUSY)
        sent += status == 0
        refused += status == BUSY
        if refused > 200:
            break
    assert refused > 200, f"{sent} packets went in"
    assert status_of(board, "VmHWM") - before < 4096
    # What is in the queues comes out, whole and in order.
    host.packets.clear()
    while len(host.packets) < sent:
        had = len(host.packets)
        position = host.packets[-1].argument + 5 & 0xFFFF if had else 0
        host.ask(RECEIVE, card=3, argument=position, words=[position + 0x2000 & 0xFFFF])
        assert len(host.collect(min(had + 1000, sent))) > had
    assert [frame.words[0] >> 19 for frame in host.packets] == [tag % 8192 for tag in range(sent)]


def test_answers_that_nobody_reads_are_held_back(board):
    """Reads without end, whose answers are not taken: the server stops reading."""
    before = status_of(board, "VmHWM")
    host = RawHost(board.address)
    block = b"".join(frame_codec.Frame(READ, 0, 1, 0, 255, LRT, []).encode() for _ in range(1000))
    host.socket.settimeout(0.5)
    with pytest.raises(TimeoutError):
        for _ in range(3000):
            host.socket.sendall(block)
    assert status_of(board, "VmHWM") - before < 8192
    host.close()
    board.run("probe")


@pytest.mark.parametrize("engine", ["model", "sim"])
def test_packets_stay_under_way(tmp_path, images, engine):
    """While registers are read and written, and though some wait: the rest arrives, and then all do."""
    board = Board(tmp_path, images, engine=engine)
    try:
        slow = board.uri + ";timeout=20000"
        board.load("old", uri=slow)
        host = RawHost(board.address, timeout=60)
        place, sent = addresses(host), {card: [] for card in range(4)}
        host.ask(WRITE, card=2, argument=QUIESCE, words=[PORTS])
        for tag in range(400):
            source, destination = tag % 4, (tag + 1 + tag // 4 % 3) % 4
            assert host.ask(INJECT, card=source, words=packet(place[source], place[destination], 1 + tag % 4, tag)).status == 0
            sent[destination].append((source, tag))
            if tag % 16 == 0:
                host.ask(WRITE, card=2, argument=QUIESCE, words=[PORTS if tag // 16 % 4 == 0 else 0])
                for card in range(4):
                    host.ask(RECEIVE, card=card, argument=0, words=[0x3000])
        host.ask(WRITE, card=2, argument=QUIESCE, words=[0])
        host.collect(400, 60)
        for card in range(4):
            came = [(place.index(f.words[0] >> 8 & 0xFF), f.words[0] >> 19) for f in host.packets if f.card == card]
            for source in range(4):
                assert [p for p in came if p[0] == source] == [p for p in sent[card] if p[0] == source]
        host.close()
        told = board.run("inject", "--packets", "300", "--update", str(images / "new.img"), "--live", uri=slow)
        assert "300 received, 0 lost, 0 wrong" in told
    finally:
        board.close()


def test_waiting_takes_no_processor(board):
    """A packet before a quiesced port: the server rests, and packets by other ports arrive."""
    host = RawHost(board.address)
    place = addresses(host)
    host.ask(WRITE, card=3, argument=QUIESCE, words=[PORTS])
    assert host.ask(INJECT, card=3, words=packet(place[3], place[0])).status == 0
    assert host.ask(INJECT, card=0, words=packet(place[0], place[1], tag=7)).status == 0
    host.ask(RECEIVE, card=1, words=[0x1000])
    assert [frame.words[0] >> 19 for frame in host.collect(1)] == [7]
    time.sleep(0.5)
    begin = processor_seconds(board)
    time.sleep(2)
    assert processor_seconds(board) - begin < 0.3
    host.ask(WRITE, card=3, argument=QUIESCE, words=[0])
    host.ask(RECEIVE, card=0, words=[0x1000])
    assert len(host.collect(2)) == 2


@pytest.mark.parametrize("kind, card, unit, argument, words", [
    (READ, 0, 255, 0xFFFC, []), (READ, 0, 0, 2, []), (READ, 4, 0, 0, []), (READ, 0, 0, 0, [0]), (WRITE, 0, 0, 0xFFFC, [0] * 9),
    (WRITE, 0, 0, 0, []), (INJECT, 0, 0, 0, []), (INJECT, 0, 0, 0, [0] * 5), (INJECT, 0, 1, 0, [0]), (RECEIVE, 0, 0, 0, []),
    (RECEIVE, 0, 0, 0, [0, 0]), (STREAM, 0, 0, 0, [0]), (STREAM, 255, 255, 0, []), (RESET, 4, 0, 0, []), (8, 0, 0, 0, []), (0x20, 0, 0, 0, []),
])
def test_wrong_requests_are_refused(board, kind, card, unit, argument, words):
    """No answer but that to READ, INFO or STREAM has words, and a refusal has none."""
    host = RawHost(board.address)
    answer = host.ask(kind, card=card, unit=unit, argument=argument, words=words)
    assert answer.status and not answer.words
    assert host.ask(READ, argument=0, unit=3).words[0] == 0x58544F52
    host.close()


def test_a_second_host_is_refused_at_once(board):
    first = RawHost(board.address)
    name = "127.0.0.1:%d" % first.socket.getsockname()[1]
    begin = time.monotonic()
    for _ in range(3):
        board.run("probe", status=3, says=f"in use by {name}, for ")
    others = [RawHost(board.address, sync=False) for _ in range(12)]
    for other in others:
        answer = other.ask(INFO)
        assert answer.status == BUSY and answer.words[0] <= 10
        other.close()
    assert time.monotonic() - begin < 3
    assert first.ask(READ).status == 0
    # One that waits gets the board as soon as it is free.
    waiting = subprocess.Popen([COMMAND, "probe", "--device", board.uri + ";wait=20000"], stdout=subprocess.PIPE, text=True)
    time.sleep(0.5)
    first.close()
    assert "4 cards" in waiting.communicate(timeout=20)[0]
    assert waiting.returncode == 0


def test_those_who_say_nothing_keep_nobody_out(board):
    silent = [socket.create_connection(board.address) for _ in range(40)]
    begin = time.monotonic()
    board.run("probe")
    assert time.monotonic() - begin < 2
    for other in silent:
        other.close()


@pytest.mark.parametrize("words", [b"GET / HTTP/1.1\r\nHost: board\r\n\r\n", b"~", bytes(200), b"~" * 5000, b"\x7e\x00\x00\x01"],
                         ids=["browser", "flag", "zeros", "flags", "half"])
def test_those_who_say_something_else_keep_nobody_out(board, words):
    """A browser, a scan of ports, half a frame: the board is of those who speak the protocol."""
    others = [socket.create_connection(board.address) for _ in range(3)]
    for other in others:
        other.sendall(words)
    time.sleep(0.1)
    begin = time.monotonic()
    board.run("probe")
    host = RawHost(board.address)
    assert host.ask(READ).status == 0 and time.monotonic() - begin < 2
    for other in others:
        other.settimeout(5)
        with contextlib.suppress(ConnectionResetError):
            assert other.recv(1) == b""


def reads(count, words):
    return b"".join(frame_codec.Frame(READ, 0, 1, 0, words - 1, LRT, []).encode() for _ in range(count))


def unread(host):
    """Bytes that the server's end of a connection holds and has not read."""
    port = "%04X" % host.socket.getsockname()[1]
    rows = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return next(int(row[4].split(":")[1], 16) for row in rows if row[2].endswith(port))


def test_a_host_that_takes_no_answers_cannot_stay(board):
    """It says that it asks no more, and takes none of its answers: the board is free again."""
    host = RawHost(board.address)
    had = 0
    while not had or unread(host) != had:  # until the server reads no more
        host.socket.sendall(reads(0 if had else 500, 128))
        time.sleep(0.3 if had else 0.05)
        had = unread(host)
        time.sleep(0.2 if had else 0)
    host.socket.shutdown(socket.SHUT_WR)
    begin = time.monotonic()
    board.run("probe", uri=board.uri + ";timeout=300;wait=10000")
    assert time.monotonic() - begin < 5
    host.close()


def test_a_host_that_asks_much_keeps_no_guest_waiting(board):
    """Many words that are not there take the server seconds; meanwhile others are told who has the board."""
    host = RawHost(board.address)
    host.socket.sendall(reads(8000, 256))
    begin = time.monotonic()
    for _ in range(3):
        board.run("probe", status=3, says="in use by 127.0.0.1:%d" % host.socket.getsockname()[1])
    assert time.monotonic() - begin < 1.5
    host.close()


def test_a_refusal_that_comes_late_is_one(board):
    """The host has asked again meanwhile."""
    holder = RawHost(board.address)
    proxy = frame_codec.Proxy(board.address, from_board=lambda number, frame, raw: time.sleep(0.35) or raw)
    board.run("probe", uri=proxy.uri, status=3, says="in use by 127.0.0.1:")
    holder.close()


def test_answers_to_a_host_that_asks_no_more_arrive(board):
    host = RawHost(board.address)
    host.socket.sendall(reads(300, 128))
    host.socket.shutdown(socket.SHUT_WR)
    time.sleep(0.5)
    answers = 0
    while (frames := host.frames()) is not None:
        answers += len(frames)
    assert answers == 300


def test_idle_sessions_end(tmp_path, images):
    board = Board(tmp_path, images, "--idle", "1")
    try:
        host = RawHost(board.address)
        for _ in range(4):  # not idle
            time.sleep(0.5)
            assert host.ask(READ).status == 0
        board.run("probe", status=3, says="in use by")
        begin = time.monotonic()
        assert host.socket.recv(1) == b""
        assert 0.5 < time.monotonic() - begin < 3
        board.run("probe")
    finally:
        board.close()


def test_connecting_has_a_bound():
    """A listener whose queue is full: the connection is neither made nor refused."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(0)
    fill = []
    for _ in range(3):
        fill.append(socket.socket())
        fill[-1].setblocking(False)
        fill[-1].connect_ex(listener.getsockname())
    begin = time.monotonic()
    done = subprocess.run([COMMAND, "probe", "--device", "tcp:127.0.0.1:%d;timeout=300" % listener.getsockname()[1]],
                          capture_output=True, text=True, timeout=20)
    assert done.returncode == 3 and "timed out" in done.stderr, done
    assert time.monotonic() - begin < 3


@pytest.mark.parametrize("listen, says", [
    ("tcp:localhost:70000", "not a number from 0 to 65535"), ("tcp:localhost:-1", "not a number"), ("tcp:localhost:", "not a number"),
    ("tcp:localhost:0x10", "not a number"), ("tcp:localhost: 80", "not a number"), ("tcp:localhost", "not HOST:PORT"),
    ("tcp:::1:80", "in brackets"), ("tcp:[::1:80", "not HOST:PORT"), ("tcp:[]:80", "not HOST:PORT"),
    ("tcp:" + "a" * 300 + ":1", "not HOST:PORT"), ("tcp:no-such-host.invalid:1", "no-such-host"), ("udp:localhost:1", "neither"),
])
def test_places_are_checked(listen, says):
    done = subprocess.run([COMMAND, "serve", "model:torus:2x2;profile=mini", "--listen", listen], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and says in done.stderr, done
    assert done.stderr.count("\n") == 1
    if listen.startswith("tcp:"):
        done = subprocess.run([COMMAND, "probe", "--device", listen], capture_output=True, text=True, timeout=60)
        assert done.returncode in (2, 3) and done.stderr.count("\n") == 1, done


@pytest.mark.parametrize("option, value", [
    ("--serial", "-1"), ("--serial", " 1"), ("--serial", "10000000000000000"), ("--serial", "0x1"), ("--serial", ""),
    ("--say-profile", "xyz"), ("--say-profile", "100000000"), ("--window", "128"), ("--window", "-4"), ("--idle", "0"),
])
def test_numbers_are_checked(option, value):
    done = subprocess.run([COMMAND, "serve", "model:torus:2x2;profile=mini", "--listen", "tcp::0", f"{option}={value}"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "number from" in done.stderr, done


@pytest.mark.parametrize("serial", ["-1", "+1", "12345678901234567", "1x", " 1"])
def test_serial_numbers_are_checked(serial):
    done = subprocess.run([COMMAND, "probe", "--device", f"usb:serial={serial}"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and f'device: serial=: "{serial}" is not a hexadecimal number from 0 to ffffffffffffffff' in done.stderr, done


@pytest.mark.parametrize("words", ["--tcp 70000", "--tcp -1", "--tcp 5x", "--tcp 0 --serial -1", "--tcp 0 --serial 0x5",
                                   "--tcp 0 --serial 99999999999999999999"])
def test_numbers_of_a_virtual_board_are_checked(words):
    done = subprocess.run([str(ROOT / "build" / "boards" / "extorus-board-mini"), *words.split()], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and f'{words.split()[-2]}: "{words.split()[-1]}" is not a number from 0 to ' in done.stderr, done


@pytest.mark.parametrize("option", ["timeout=0", "timeout=-1", "timeout=1e3", "retries=1001", "first=65536", "baud=0", "wait="])
def test_numbers_of_a_board_are_checked(option):
    done = subprocess.run([COMMAND, "probe", "--device", f"tcp:localhost:1;{option}"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and ("number from" in done.stderr or "is not one of" in done.stderr), done


def has_ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        return True
    except OSError:
        return False


@pytest.mark.parametrize("listen", ["tcp:[::1]:0", "tcp:localhost:0", "tcp::0", "tcp:127.0.0.1:0"])
def test_names_and_literals_work_on_both_sides(tmp_path, images, listen):
    if "::1" in listen and not has_ipv6():
        pytest.skip("this machine has no IPv6")
    board = Board(tmp_path, images, listen=listen)
    try:
        assert "4 cards" in board.run("probe")
    finally:
        board.close()


def test_only_this_machine_unless_told(tmp_path):
    def starts(listen):
        server = subprocess.Popen([COMMAND, "serve", "model:torus:2x2;profile=mini", "--listen", listen], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        uri = server.stdout.readline().strip()
        server.kill()
        return uri, server.communicate()[1]

    uri, said = starts("tcp::0")
    assert uri.startswith("tcp:localhost:") and not said
    uri, said = starts("tcp:0.0.0.0:0")
    assert uri.startswith("tcp:0.0.0.0:") and "controls the network" in said


def within(namespace, script):
    """Words that run a command in such a namespace of its own after the script; the test is skipped where there can be none."""
    words = ["unshare", namespace, "bash", "-c", f'{script} && exec "$@"', "within"]
    if subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        pytest.skip(f"no `unshare {namespace}` here")
    return words


def test_this_machine_needs_no_resolver():
    """A bare system has no /etc/hosts."""
    hidden = within("--mount", "mount --bind /dev/null /etc/hosts")
    server = subprocess.Popen([*hidden, COMMAND, "serve", "model:torus:2x2;profile=mini", "--listen", "tcp::0"], stdout=subprocess.PIPE, text=True)
    try:
        uri = server.stdout.readline().strip()
        done = subprocess.run([*hidden, COMMAND, "probe", "--device", uri], capture_output=True, text=True, check=False, **limited(60))
        assert done.returncode == 0 and "4 cards" in done.stdout, done.stderr
    finally:
        server.kill()
        server.wait()


ALL_BUT_TWO_PORTS = """
import socket, subprocess, sys
taken = [socket.create_server(("127.0.0.1", port)) for port in range(40000, 40014)]
server = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
print(server.stdout.readline())
server.kill()
"""


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
def test_any_port_is_one_free_at_each_address():
    """Of sixteen ports that are free at ::1, fourteen are taken at 127.0.0.1."""
    sixteen = within("--net", "ip link set lo up && echo 40000 40015 > /proc/sys/net/ipv4/ip_local_port_range")
    serve = [COMMAND, "serve", "model:torus:2x2;profile=mini", "--listen", "tcp::0"]
    done = subprocess.run([*sixteen, sys.executable, "-c", ALL_BUT_TWO_PORTS, *serve], capture_output=True, text=True, check=False, **limited(60))
    assert done.stdout.strip() in ("tcp:localhost:40014", "tcp:localhost:40015"), done.stderr
