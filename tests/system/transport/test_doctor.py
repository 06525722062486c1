# SPDX-License-Identifier: Apache-2.0
"""`extorus doctor` and the way's line of `extorus selftest`: seeded faults, each found and named with what to do."""

import json
import os
import pty
import re
import shutil
import socket
import subprocess
import threading
import time

import pytest

import frame_codec
from processor_time import limited
from served import COMMAND, route
from test_quiesce import ask, quiesce

LINK_DISABLE, LRT, TABLE_PORTS, WINDOW, CLOCK = 0x60, 0x8000, 0x40, 0xC000, 0xC114


def doctor(folder, *words, root=None, status=0, command=COMMAND, **more):
    environment = {**os.environ, "EXTORUS_STATE_DIR": str(folder / "state"), "EXTORUS_SYSTEM_ROOT": str(root or folder)}
    done = subprocess.run([command, "doctor", *map(str, words)], capture_output=True, text=True, **limited(60), check=False, env=environment, **more)
    assert done.returncode == status, done.stdout + done.stderr
    return done


def wrong(text):
    """The findings, which come first; each has a remedy."""
    lines = text.splitlines()
    found = [line for line in lines if line.startswith("WRONG ")]
    assert lines[:len(found)] == found and all("; " in line for line in found), text
    return found


@pytest.fixture
def ring(boards):
    return boards("torus:2x1", "extoll", 1)[0]


def test_nothing_is_wrong(tmp_path, ring):
    text = doctor(tmp_path, "--device", ring.uri, "--selftest").stdout
    assert text.startswith("nothing is wrong\n") and "serial number 0000000000c0ffee, profile extoll" in text
    assert "selftest card 1 tables: ok" in text and "selftest card 0 tcp: ok" in text
    said = json.loads(doctor(tmp_path, "--device", ring.uri, "--json").stdout)
    version = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=True).stdout
    assert said["ok"] and said["findings"] == [] and said["facts"]["command"]["commit"] in version
    assert re.match(r"\d+\.\d+", said["facts"]["libraries"]["libusb"]) and said["facts"]["system"]["release"] == os.uname().release
    [board] = said["facts"]["boards"]
    probed = json.loads(ring.run("probe", "--json"))["board"]
    assert all(board[key] == probed[key] for key in ("serial", "profile_hash", "protocol"))


def test_it_writes_nothing_to_a_board(tmp_path, ring):
    seen = []

    def note(_, frame, raw):
        seen.append(frame.kind)
        return raw

    proxy = frame_codec.Proxy(ring.address, note)
    doctor(tmp_path, "--device", proxy.uri)
    proxy.close()
    assert frame_codec.READ in seen and set(seen) <= {frame_codec.INFO, frame_codec.SYNC, frame_codec.READ}


def test_a_board_that_does_not_answer(tmp_path, ring):
    """The other one is looked at all the same."""
    text = doctor(tmp_path, "--device", "tcp:127.0.0.1:1", "--device", ring.uri, status=1).stdout
    [found] = wrong(text)
    assert found.startswith("WRONG tcp:127.0.0.1:1: nothing answers at 127.0.0.1 port 1") and f"board {ring.uri}: " in text
    listed = tmp_path / "boards.txt"
    listed.write_text(f"0 {ring.uri}\n2 tcp:127.0.0.1:1\n")
    [found] = wrong(doctor(tmp_path, "--devices", listed, status=1).stdout)
    assert f"{listed}:2: nothing answers" in found


def test_a_link_that_is_down(tmp_path, ring):
    """One end is disabled, which is no fault; the other end is told so."""
    ask(ring, frame_codec.Frame(frame_codec.WRITE, 0, 0, 0, 0, LINK_DISABLE, [1]))
    found = wrong(doctor(tmp_path, "--device", ring.uri, status=1).stdout)
    down = [line for line in found if " is down " in line]
    assert down and all("(cause: " in line and "extorus link --retrain" in line for line in down)
    told = {(link["card"], link["port"]) for link in json.loads(ring.run("link", "--json", status=1))["boards"][0]["links"]
            if link["state"] != "up" and link["cause"] != "disabled"}
    assert {(int(number), port) for line in down for number, port in re.findall(r"card (\d+) link (\S+) is", line)} == told


def test_a_damaged_table(tmp_path, boards):
    [board] = boards("torus:2x1", "mini", 1)
    image = route("torus:2x1", "mini", "dor", tmp_path / "ring.img")
    board.run("load", str(image))
    doctor(tmp_path, "--device", board.uri, "--image", image)
    ask(board, *(frame_codec.Frame(frame_codec.WRITE, 0, 0, 1, 0, address, words) for address, words in
                 ((TABLE_PORTS, [1 << 2]), (LRT + 8 * 1, [0x7, 0]))))
    found = wrong(doctor(tmp_path, "--device", board.uri, "--image", image, status=1).stdout)
    listed = [line.split(",") for line in board.run("diff", str(image), status=1).splitlines()[1:]]
    entries = [(card, table, index, where) for card, table, index, where, *_ in listed if where]
    assert len(entries) == 1
    card, table, index, where = entries[0]
    assert any(f"card {card} {table} {index} of input {where} holds 0000000000000007" in line and "load the image again" in line for line in found)


def test_ports_that_are_quiesced(tmp_path, board):
    quiesce(board, 2, 2)
    assert any("card 2" in line for line in wrong(doctor(tmp_path, "--device", board.uri, status=1).stdout))


def test_a_line_that_damages(tmp_path, board):
    """By doctor and by selftest."""
    def damage(number, _, raw):
        return raw if number % 20 != 7 else raw[:3] + bytes([raw[3] ^ 1]) + raw[4:]

    for words in (["doctor"], ["selftest"]):
        proxy = frame_codec.Proxy(board.address, None, damage)
        said = board.done(*words, uri=f"{proxy.uri};timeout=200;retries=20", status=1).stdout
        assert "damaged" in said and "take another cable and another port" in said, said
        proxy.close()


def plug(root, at, mode, ids=("1209", "0001")):
    """A device as the kernel shows it."""
    folder = root / "sys/bus/usb/devices" / at
    folder.mkdir(parents=True)
    for name, text in zip(("idVendor", "idProduct", "busnum", "devnum", "serial", "product"), (*ids, "1", "5", "0123", "extorus board")):
        (folder / name).write_text(text + "\n")
    node = root / "dev/bus/usb/001/005"
    node.parent.mkdir(parents=True, exist_ok=True)
    if mode is not None:
        node.touch()
        node.chmod(mode)


def as_nobody(folder):
    """Of root, with the command in a folder that all may enter: the tree may be in root's home."""
    return {"command": shutil.copy(COMMAND, folder), "user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}


def test_permission_for_a_board(tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    for folder in (root, root.parent, root.parent.parent):
        folder.chmod(0o755)
    plug(root, "1-2", 0o600 if os.geteuid() == 0 else 0)
    found = wrong(doctor(root, status=1, **as_nobody(root)).stdout)
    assert found[0].startswith("WRONG usb 1-2: 1209:0001: no permission for ") and "the udev rule is missing: copy 70-extorus.rules" in found[0]
    (root / "etc/udev/rules.d").mkdir(parents=True)
    (root / "etc/udev/rules.d/70-extorus.rules").touch()
    assert "join the group plugdev" in wrong(doctor(root, status=1, **as_nobody(root)).stdout)[0]


def test_boards_that_are_plugged_in(tmp_path):
    assert "there is no board on USB" in wrong(doctor(tmp_path, status=1).stdout)[0]
    plug(tmp_path, "1-2", 0o666, ids=("0403", "6010"))
    text = doctor(tmp_path, status=1).stdout
    assert 'usb 1-2: FTDI chip 0403:6010 "extorus board", serial number "0123", usable' in text
    plug(tmp_path, "1-3", None)
    (tmp_path / "dev/bus/usb/001/005").unlink()
    assert any("1209:0001: there is no" in line for line in wrong(doctor(tmp_path, status=1).stdout))


def test_a_report_is_written_whole_or_not(tmp_path, ring):
    report = tmp_path / "report.json"
    report.write_text("before")
    doctor(tmp_path, "--device", ring.uri, "--image", "/nowhere", "-o", report, status=2)
    assert report.read_text() == "before"
    doctor(tmp_path, "--device", ring.uri, "--json", "-o", report)
    assert json.loads(report.read_text())["ok"] and sorted(path.name for path in tmp_path.glob("report*")) == ["report.json"]
    for words in (["--selftest"], ["--image", "x"], ["--device", ring.uri, "--devices", "x"]):
        assert doctor(tmp_path, *words, status=2).stderr


class Clocked:
    """A proxy before a board: its cards have a traffic generator whose clock has a rate of its own, and the bitstream says 40 MHz."""

    def __init__(self, board, rate):
        self.rate, self.asked = rate, {}
        self.proxy = frame_codec.Proxy(board.address, self.ask, self.answer)

    def ask(self, number, frame, raw):
        if frame.kind in (frame_codec.READ, frame_codec.INFO):
            self.asked[frame.sequence] = frame.argument if frame.kind == frame_codec.READ else None
        return raw

    def answer(self, number, frame, raw):
        if frame.kind == frame_codec.INFO | frame_codec.ANSWER:
            frame.words[8] = 40000
            return frame.encode()
        address = self.asked.get(frame.sequence) if frame.kind == frame_codec.READ | frame_codec.ANSWER else None
        if address not in (WINDOW, CLOCK):
            return raw
        frame.status, frame.words = 0, [0x100 if address == WINDOW else int(time.monotonic() * self.rate) & 0xFFFFFFFF]
        return frame.encode()

    def as_serial_port(self):
        """The name of a serial port at which the board is."""
        near, far = pty.openpty()
        name, line = os.ttyname(far), socket.create_connection(("127.0.0.1", int(self.proxy.uri.rsplit(":", 1)[1])))

        def pass_on(read, write):
            try:
                while data := read(65536):
                    write(data)
            except OSError:
                pass

        threading.Thread(target=pass_on, args=(lambda n: os.read(near, n), line.sendall), daemon=True).start()
        threading.Thread(target=pass_on, args=(line.recv, lambda data: os.write(near, data)), daemon=True).start()
        return f"uart:{name}"


@pytest.mark.parametrize("rate, right", [(40e6, True), (25e6, False), (60e6, False)])
def test_the_clock(board, rate, right):
    """That of a board behind tcp: is told and not judged."""
    said = board.done("selftest", uri=Clocked(board, rate).proxy.uri, status=None).stdout
    assert re.search(r"card 0 clock +ok: [\d.]+ MHz measured; not judged", said)
    uri = Clocked(board, rate).as_serial_port()
    done = board.done("selftest", uri=uri, status=None).stdout
    [line] = [line for line in done.splitlines() if line.startswith("card 0 clock")]
    measured = float(re.search(r"([\d.]+) MHz by the host's clock", line)[1])
    assert abs(measured - rate / 1e6) < 0.1 * rate / 1e6
    assert ("FAILED" not in line) == right and ("oscillator" in line) != right, line
