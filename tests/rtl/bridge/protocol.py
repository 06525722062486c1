# SPDX-License-Identifier: Apache-2.0
"""The host's side of host/protocol/specification.md a second time, written from the document alone."""

import re
import socket
import struct
import subprocess
import zlib

INFO, SYNC, READ, WRITE, INJECT, RECEIVE, STREAM, RESET = range(8)
PACKET, EVENT = 0xC0, 0xC1
OK, BUS, KIND, CARD, UNIT, LENGTH, BUSY, SEQUENCE, UNSYNCED, VERSION = range(10)
REPEATED, REWIND = 0x80, 0x10000
STARTED, ATTENTION, WAITING = 1, 2, 3


class Frame:
    def __init__(self, kind, status=0, sequence=0, card=0, unit=0, argument=0, words=()):
        self.kind, self.status, self.sequence = kind, status, sequence
        self.card, self.unit, self.argument, self.words = card, unit, argument, list(words)

    def __repr__(self):
        return (f"Frame({self.kind:#x}, status {self.status:#x}, sequence {self.sequence}, card {self.card}, "
                f"unit {self.unit}, argument {self.argument:#x}, {len(self.words)} words)")

    def body(self):
        head = struct.pack("<BBHBBH", self.kind, self.status, self.sequence, self.card, self.unit, self.argument)
        return head + struct.pack(f"<{len(self.words)}I", *self.words)


def stuff(data):
    return data.replace(b"\x7d", b"\x7d\x5d").replace(b"\x7e", b"\x7d\x5e")


def encode(frame):
    body = frame.body()
    return b"\x7e" + stuff(body + struct.pack("<I", zlib.crc32(body))) + b"\x7e"


def decode(data):
    """The frame between two flags; an AssertionError if it is no good one."""
    out, escaped = bytearray(), False
    for byte in data:
        assert byte != 0x7E
        if escaped:
            out.append(byte ^ 0x20)
            escaped = False
        elif byte == 0x7D:
            escaped = True
        else:
            out.append(byte)
    assert not escaped and len(out) >= 12 and len(out) % 4 == 0, f"{len(out)} bytes between flags"
    assert zlib.crc32(out[:-4]) == struct.unpack("<I", out[-4:])[0], "CRC of the board"
    fields = struct.unpack_from("<BBHBBH", out)
    return Frame(*fields, struct.unpack_from(f"<{len(out) // 4 - 3}I", out, 8))


class Board:
    """A process of the virtual board and the one connection to it."""

    def __init__(self, program, timeout=60):
        self.process = subprocess.Popen([program, "--tcp", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("tcp:"), line + self.process.stderr.read()
        self.port = int(line.rsplit(":", 1)[1])
        self.timeout = timeout
        self.connect()

    def connect(self):
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=self.timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest, self.packets, self.events, self.sequence, self.frames = b"", [], [], 0, []

    def hang_up(self):
        self.socket.close()

    def close(self):
        """The board's own counts: cycles, received, refused, sent, pauses within what was sent."""
        self.socket.close()
        self.process.terminate()
        _, errors = self.process.communicate(timeout=60)
        return [int(number) for number in re.findall(r"\d+", errors)]

    def send(self, data):
        self.socket.sendall(data)

    def any_frame(self):
        while not self.frames:
            data = self.socket.recv(65536)
            assert data, "the board has hung up"
            *whole, self.rest = (self.rest + data).split(b"\x7e")
            self.frames += [decode(part) for part in whole if part]
        return self.frames.pop(0)

    def answer(self):
        """The next frame that is an answer; what comes before it is kept."""
        while True:
            frame = self.any_frame()
            if frame.kind == PACKET:
                self.packets.append(frame)
            elif frame.kind == EVENT:
                self.events.append(frame)
            else:
                return frame

    def ask(self, kind, card=0, unit=0, argument=0, words=(), sequence=None):
        if sequence is None:
            sequence = self.sequence
            if kind not in (INFO, SYNC):
                self.sequence = (self.sequence + 1) & 0xFFFF
        self.send(encode(Frame(kind, 0, sequence, card, unit, argument, words)))
        answer = self.answer()
        assert (answer.kind, answer.sequence, answer.card, answer.unit) == (kind | 0x80, sequence, card, unit), answer
        return answer

    def sync(self, sequence=0x1233):
        answer = self.ask(SYNC, words=[1], sequence=sequence)
        assert answer.status == OK, answer
        self.sequence = (sequence + 1) & 0xFFFF

    def read(self, card, address, count=1):
        answer = self.ask(READ, card, count - 1, address)
        assert answer.status == OK and len(answer.words) == count and answer.argument == address, answer
        return answer.words

    def write(self, card, address, *words):
        answer = self.ask(WRITE, card, 0, address, words)
        assert answer.status == OK and not answer.words and answer.argument == address, answer

    def wait_ready(self, cards=2):
        for card in range(cards):
            while not self.read(card, 0x14)[0] & 1:
                pass
