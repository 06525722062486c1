# SPDX-License-Identifier: Apache-2.0
"""Packets of the network: a header cell, and cells of payload."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Packet:
    """`payload` has one number for each cell after the header."""

    destination: int
    source: int = 0
    traffic_class: int = 0
    tag: int = 0
    payload: tuple = ()

    def cells(self, profile):
        """The numbers that the cells carry, the header first."""
        header = 0
        fields = [("Dest", self.destination, profile.IdBits), ("Src", self.source, profile.IdBits), ("Len", len(self.payload), profile.LenBits),
                  ("Tc", self.traffic_class, profile.TcBits), ("Tag", self.tag, profile.HdrTagBits)]
        for name, value, bits in fields:
            if not 0 <= value < 1 << bits:
                raise ValueError(f"packet: {name} {value} has no room in {bits} bits")
            header |= value << getattr(profile, f"Hdr{name}Lsb")
        return [header, *self.payload]

    def bytes(self, profile):
        """The bytes on an AXI4-Stream, the lowest first."""
        return b"".join(cell.to_bytes(profile.cell_bytes, "little") for cell in self.cells(profile))

    @classmethod
    def parse(cls, profile, stream):
        """The packet that these bytes are; its length must be that of the header."""
        size = profile.cell_bytes
        cells = [int.from_bytes(stream[at:at + size], "little") for at in range(0, len(stream), size)]

        def field(name, bits):
            return cells[0] >> getattr(profile, f"Hdr{name}Lsb") & (1 << bits) - 1

        if len(cells) != field("Len", profile.LenBits) + 1:
            raise ValueError(f"packet: {len(cells)} cells, its header says {field('Len', profile.LenBits) + 1}")
        return cls(field("Dest", profile.IdBits), field("Src", profile.IdBits), field("Tc", profile.TcBits), field("Tag", profile.HdrTagBits),
                   tuple(cells[1:]))

    @classmethod
    def random(cls, profile, rng, destination, source=0, cells=None):
        """`cells` cells, or any number up to the longest packet's."""
        payload = (cells or rng.randint(1, profile.PacketCells)) - 1
        return cls(destination, source, rng.randrange(profile.Tcs), rng.getrandbits(profile.HdrTagBits),
                   tuple(rng.getrandbits(profile.CellBits) for _ in range(payload)))
