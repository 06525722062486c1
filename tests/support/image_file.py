# SPDX-License-Identifier: Apache-2.0
"""Image files changed on purpose, in the format of host/lib/image."""

import struct
import zlib


class Reader:
    """Walks an image file."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, size):
        self.at += size
        return int.from_bytes(self.data[self.at - size:self.at], "little")

    def skip(self, count, size):
        self.at += count * size

    def text(self):
        self.skip(self.number(1), 1)


def cards(data, links, nics, tcs, ring_bytes=2):
    """Of each card: where its link registers begin, and where its tables do, each a number and as many entries of 8 bytes."""
    reader = Reader(data)
    reader.at = 12
    reader.text()
    reader.at += 4
    reader.text()
    reader.text()
    count, pes = reader.number(4), reader.number(4)
    reader.at += 5 * pes
    for _ in range(count):
        reader.at += 4 + 4 * tcs + 2
        registers = reader.at
        reader.at += (5 + ring_bytes) * links
        for _ in range(links + nics):
            reader.text()
        tables = []
        for _ in range(2):
            tables.append(reader.at)
            reader.skip(reader.number(4), 8)
        yield registers, tables
    assert reader.at == len(data) - 4


def sealed(data):
    return bytes(data[:-4]) + struct.pack("<I", zlib.crc32(data[:-4]))


def without_rings(data, links, nics, tcs, which=(0, 2), ring_bytes=2):
    """The same image with zeros from one byte of each port's rings up to another. A profile with rings of VCs has 4 bytes, of which
    the last two are the register VC_RING_FROM."""
    data = bytearray(data)
    rings = 0
    for registers, _ in cards(data, links, nics, tcs, ring_bytes):
        for port in range(links):
            at = registers + (5 + ring_bytes) * port + 5
            zeros = bytes(which[1] - which[0])
            rings += data[at + which[0]:at + which[1]] != zeros
            data[at + which[0]:at + which[1]] = zeros
    assert rings > 0
    return sealed(data)


def with_local_entries(data, links, nics, tcs, entries):
    """The same image, but with {(card, address): other}, that card routes an address as it routes the other one."""
    data = bytearray(data)
    local = [tables[1] + 4 for _, tables in cards(data, links, nics, tcs)]
    for (card, address), other in entries.items():
        data[local[card] + 8 * address:local[card] + 8 * address + 8] = data[local[card] + 8 * other:local[card] + 8 * other + 8]
    return sealed(data)


def with_longer_table(data, links, nics, tcs, entries):
    """The same image, but the last card has so many local entries, the new ones like its first."""
    data = bytearray(data)
    at = list(cards(data, links, nics, tcs))[-1][1][1]
    held = int.from_bytes(data[at:at + 4], "little")
    first, end = data[at + 4:at + 12], at + 4 + 8 * held
    data[end:end] = first * (entries - held)
    data[at:at + 4] = struct.pack("<I", entries)
    return sealed(data)


def with_loop(data, links, nics, tcs, dest, loop):
    """The same image, but the cards of `loop` send packets for address `dest` round: each on by its entry for the next one."""
    return with_local_entries(data, links, nics, tcs, {(card, dest): onward for card, onward in zip(loop, [*loop[1:], loop[0]])})


def with_candidates(data, links, nics, tcs, entries):
    """The same image, but with {(card, address): ports}, that local entry names these candidates too, a bit each, in TC 0."""
    data = bytearray(data)
    local = [tables[1] + 4 for _, tables in cards(data, links, nics, tcs)]
    for (card, address), ports in entries.items():
        at = local[card] + 8 * address
        data[at:at + 8] = struct.pack("<Q", struct.unpack("<Q", data[at:at + 8])[0] | ports << 6)
    return sealed(data)
