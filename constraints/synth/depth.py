#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The longest ways from register to register, in levels of logic, of a card that was mapped but not placed. They
limit the clock where place and route takes hours or does not end.

usage: depth.py FOLDER [-n NUMBER]

FOLDER holds netlist.json of synth.py, for an ECP5 or iCE40 (`--map-only` suffices). A LUT, a read of a LUT RAM
and the entry to a carry chain are a level each. Passing along a carry chain is none. The output of a block RAM
counts as 4, because it takes as long. Wires are more than half of a real delay and are not counted: compare
designs, and do not expect a frequency. Ways whose ends differ only in numbers (another port, another bit) are
shown once, the longest of them.
"""

import argparse
import collections
import json
import pathlib
import re

import report

REGISTERS = ("TRELLIS_FF", "SB_DFF")
BLOCK_RAMS = ("DP16KD", "SB_RAM40")
BLOCK_RAM_LEVELS = 4
CARRY_IN = {"CCU2C": ("CIN",), "SB_CARRY": ("CI",)}
LUT_RAM_READ = {"TRELLIS_DPR16X4": ("RAD",)}


class Depths:
    """Levels in front of every signal of a netlist, and from where they come."""

    def __init__(self, netlist):
        self.names = report.Names(netlist)
        self.level, self.before = {}, {}
        self.driver = {}  # bit -> [(bit it depends on, levels)]
        self.ends = []  # (bit, cell that takes it)
        for name, cell in self.names.cells.items():
            self.add(name, cell)

    def add(self, name, cell):
        kind, outputs = cell["type"], self.names.bits(cell, "output")
        inputs = {port: [bit for bit in bits if isinstance(bit, int)] for port, bits in cell["connections"].items()
                  if cell["port_directions"][port] == "input"}
        if kind.startswith(REGISTERS + BLOCK_RAMS):
            for bit in outputs:
                self.level[bit] = BLOCK_RAM_LEVELS if kind.startswith(BLOCK_RAMS) else 0
            self.ends += [(bit, name) for port, bits in inputs.items() if port != "CLK" for bit in bits]
            return
        reads = LUT_RAM_READ.get(kind, inputs)
        self.ends += [(bit, name) for port, bits in inputs.items() if port not in reads for bit in bits]
        along = CARRY_IN.get(kind, ())
        sources = [(bit, int(port not in along)) for port in reads for bit in inputs.get(port, ())]
        for bit in outputs:
            self.driver[bit] = sources

    def of(self, bit):
        """Levels in front of a signal; without recursion, since carry chains are long."""
        todo = [bit]
        while todo:
            here = todo[-1]
            if here in self.level:
                todo.pop()
                continue
            sources = self.driver.get(here, ())  # none: a pin
            unknown = [source for source, _ in sources if source not in self.level]
            if unknown:
                todo += unknown
                continue
            self.level[here], self.before[here] = max(
                ((self.level[source] + levels, source) for source, levels in sources), default=(0, None))
            todo.pop()
        return self.level[bit]

    def start(self, bit):
        while self.before.get(bit) is not None:
            bit = self.before[bit]
        return self.names.best[bit][1] if bit in self.names.best else "?"

    def longest(self):
        """(levels, from, to) of every end, the longest first."""
        for bit, cell in sorted(self.ends, key=lambda end: -self.of(end[0])):
            yield self.of(bit), bit, cell


def ways(depths, number):
    """The longest ways, each kind once."""
    seen = set()
    for levels, bit, cell in depths.longest():
        begin, end = report.short(depths.start(bit)), report.short(depths.names.near(cell))
        kind = (re.sub(r"\d+", "", begin), re.sub(r"\d+", "", end))
        if kind not in seen:
            seen.add(kind)
            yield levels, begin, end
            if len(seen) == number:
                return


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("-n", type=int, default=12, metavar="NUMBER", help="how many ways (%(default)s)")
    arguments = parser.parse_args()
    netlist = arguments.folder / "netlist.json"
    if not netlist.exists():
        parser.error(f"no {netlist}: run `make synth PROFILE=... TARGET=...` or synth.py with --map-only first")
    depths = Depths(json.loads(netlist.read_text()))
    ends = collections.Counter(levels for levels, _, _ in depths.longest())
    print("levels, ends:  " + "  ".join(f"{levels}: {ends[levels]}" for levels in sorted(ends, reverse=True)))
    for levels, begin, end in ways(depths, arguments.n):
        print(f"{levels:3} {begin}\n    -> {end}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
