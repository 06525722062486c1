# SPDX-License-Identifier: Apache-2.0
"""The protocol between host and board once more, written from host/protocol/specification.md, and a man in the middle that
damages what passes."""

import socket
import struct
import threading
import zlib

FLAG, ESCAPE = 0x7E, 0x7D
INFO, SYNC, READ, WRITE, INJECT, RECEIVE, STREAM, RESET = range(8)
ANSWER, PACKET, EVENT = 0x80, 0xC0, 0xC1


class Frame:
    def __init__(self, kind, status, sequence, card, unit, argument, words):
        self.kind, self.status, self.sequence = kind, status, sequence
        self.card, self.unit, self.argument, self.words = card, unit, argument, list(words)

    def encode(self):
        body = struct.pack("<BBHBBH", self.kind, self.status, self.sequence, self.card, self.unit, self.argument)
        body += struct.pack(f"<{len(self.words)}I", *self.words)
        body += struct.pack("<I", zlib.crc32(body))
        return b"".join(bytes([ESCAPE, b ^ 0x20]) if b in (FLAG, ESCAPE) else bytes([b]) for b in body) + bytes([FLAG])


def decode(raw):
    """The frame between two flags, or None."""
    body, escaped = bytearray(), False
    for byte in raw:
        if byte == ESCAPE and not escaped:
            escaped = True
        else:
            body.append(byte ^ 0x20 if escaped else byte)
            escaped = False
    if escaped or len(body) < 12 or len(body) % 4 or zlib.crc32(body[:-4]) != struct.unpack("<I", body[-4:])[0]:
        return None
    words = struct.unpack(f"<{(len(body) - 12) // 4}I", body[8:-4])
    return Frame(*struct.unpack("<BBHBBH", body[:8]), words)


class Cut(Exception):
    """The connection breaks here."""


PROXIES = {}  # by URI


class Proxy:
    """Passes frames between a host and a board. `to_board` and `from_board` get each frame with its bytes, and return the
    bytes that go on; they may raise Cut. A frame is (number, Frame, bytes with the flag at the end)."""

    def __init__(self, board, to_board=None, from_board=None, hosts=1):
        self.board = board
        self.hooks = (to_board, from_board)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.uri = "tcp:127.0.0.1:%d" % self.listener.getsockname()[1]
        self.log = []
        self.idle = threading.Event()
        self.idle.set()
        PROXIES[self.uri] = self
        threading.Thread(target=self.serve, args=(hosts,), daemon=True).start()

    def serve(self, hosts):
        for _ in range(hosts):
            try:
                host, _ = self.listener.accept()
            except OSError:
                return
            self.idle.clear()
            board = socket.create_connection(self.board)
            for end in (host, board):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            ways = [threading.Thread(target=self.carry, args=way, daemon=True)
                    for way in ((host, board, 0), (board, host, 1))]
            for way in ways:
                way.start()
            for way in ways:
                way.join()
            host.close()
            board.close()
            self.idle.set()

    def carry(self, source, sink, way):
        hook, number, rest = self.hooks[way], 0, bytearray()
        try:
            while data := source.recv(65536):
                rest += data
                while (at := rest.find(FLAG)) >= 0:
                    raw = bytes(rest[:at + 1])
                    del rest[:at + 1]
                    frame = decode(raw[:-1]) if at else None
                    if frame:
                        self.log.append((way, frame))
                    if frame and hook:
                        raw = hook(number, frame, raw)
                    number += frame is not None
                    sink.sendall(raw)
        except (Cut, OSError):
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.close()


def await_hang_up(uri):
    """Until a proxy has hung up, the board is its host's, also when that host has ended: another one is refused."""
    proxy = PROXIES.get(uri.partition(";")[0])
    assert not proxy or proxy.idle.wait(60), "the proxy does not hang up"


class Lockstep:
    """Keeps what the host sends until it sends no more, or `most` requests have come, and only then passes it on: the
    number of times is the number of round trips that the host waits for. `trips` and `requests` count."""

    def __init__(self, board, most, quiet=0.05):
        self.board, self.most, self.quiet = board, most, quiet
        self.trips = self.requests = self.bytes = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.uri = "tcp:127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        host, _ = self.listener.accept()
        board = socket.create_connection(self.board)
        threading.Thread(target=self.back, args=(board, host), daemon=True).start()
        held = bytearray()
        while True:
            host.settimeout(self.quiet if held else None)
            try:
                data = host.recv(65536)
                if not data:
                    break
                held += data
                if sum(decode(part) is not None for part in bytes(held).split(bytes([FLAG])) if part) < self.most:
                    continue
            except TimeoutError:
                pass
            self.trips += 1
            self.requests += sum(decode(part) is not None for part in bytes(held).split(bytes([FLAG])) if part)
            self.bytes += len(held)
            board.sendall(held)
            held.clear()
        board.close()

    def back(self, board, host):
        try:
            while data := board.recv(65536):
                self.bytes += len(data)
                host.sendall(data)
        except OSError:
            pass
