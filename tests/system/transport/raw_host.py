# SPDX-License-Identifier: Apache-2.0
"""A host without the library's manners: any frame, any order. Packets are those of `mini` cards."""

import socket
import time

import frame_codec
from frame_codec import ANSWER, EVENT, PACKET, Frame


def packet(source, destination, cells=4, tag=0, fill=0):
    """The cells of a packet: destination, source, cells less one and tag, as the profile's registers lay them out."""
    return [destination | source << 8 | (cells - 1) << 16 | tag << 19] + [fill] * (cells - 1)


class RawHost:
    def __init__(self, address, sync=True, timeout=5):
        self.socket = socket.create_connection(address, timeout=timeout)
        self.rest, self.sequence, self.packets = bytearray(), 0, []
        if sync:
            assert self.ask(frame_codec.SYNC, words=[1]).status == 0

    def frames(self):
        """The frames that come next; none: the board has closed."""
        data = self.socket.recv(65536)
        self.rest += data
        *whole, self.rest = self.rest.split(bytes([frame_codec.FLAG]))
        return [frame for frame in map(frame_codec.decode, filter(None, whole)) if frame] if data else None

    def send(self, kind, card=0, unit=0, argument=0, words=()):
        self.sequence = self.sequence + 1 & 0xFFFF
        self.socket.sendall(Frame(kind, 0, self.sequence, card, unit, argument, words).encode())
        return self.sequence

    def ask_all(self, kind, cards, **what):
        """Asks each of the cards the same, by one packet of the connection: no time passes in between."""
        frames = b""
        for card in cards:
            self.sequence = self.sequence + 1 & 0xFFFF
            frames += Frame(kind, 0, self.sequence, card, 0, what.get("argument", 0), what.get("words", ())).encode()
        self.socket.sendall(frames)
        return self.answer(kind, self.sequence)

    def ask(self, kind, **what):
        """The answer to a request; packets that come before are kept."""
        return self.answer(kind, self.send(kind, **what))

    def answer(self, kind, number):
        answer = None
        while answer is None:
            frames = self.frames()
            assert frames is not None, "the board closed the connection"
            for frame in frames:
                if frame.kind == PACKET:
                    self.packets.append(frame)
                elif frame.kind != EVENT and frame.sequence == number:
                    answer = frame
        assert answer.kind == kind | ANSWER
        return answer

    def collect(self, count, seconds=5):
        """Waits until so many packets are there."""
        end = time.monotonic() + seconds
        self.socket.settimeout(0.1)
        while len(self.packets) < count and time.monotonic() < end:
            try:
                self.packets += [frame for frame in self.frames() or [] if frame.kind == PACKET]
            except TimeoutError:
                pass
        self.socket.settimeout(5)
        return self.packets

    def close(self):
        self.socket.close()
