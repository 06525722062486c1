# SPDX-License-Identifier: Apache-2.0
"""Paths from a register of one clock to a register of another, found in a flat netlist of yosys."""

import collections
import json
import subprocess

from processor_time import limited
from repository import ROOT

STATE = ("$dff", "$adff", "$sdff", "$aldff", "$dffsr")
BITWISE = ("$mux", "$not", "$and", "$or", "$xor")  # bit by bit, but for what selects
CLOCKS = ("clk_i", "usb_clk")  # of boxes


def netlist(top, files, boxes, parameters, folder):
    """The flat module `top`; modules of `boxes` keep their ports only, and modules without a file are boxes too."""
    out = folder / f"{top}.json"
    chosen = " ".join(f"-chparam {name} {value}" for name, value in parameters.items())
    # At pins, registers stand for the cells of a vendor.
    script = [*(f"read_verilog -sv {'-DXT_SIMULATION' * (file.stem == 'xt_phy_pins')} {file}" for file in files), *(f"read_verilog -sv -lib {box}" for box in boxes),
              f"hierarchy -top {top} {chosen}", "proc", "flatten", "opt_clean", "memory_collect", f"write_json {out}"]
    subprocess.run(["yosys", "-q", "-p", "; ".join(script)], cwd=ROOT, check=True, **limited(600))
    modules = json.loads(out.read_text())["modules"]
    return next(module for module in modules.values() if "top" in module["attributes"])


class Domains:
    """Registers by their clocks."""

    def __init__(self, module):
        self.names, self.makes, self.cells = collections.defaultdict(list), {}, module["cells"]
        for name, net in module["netnames"].items():
            for place, bit in enumerate(net["bits"]):
                if not net["hide_name"]:
                    self.names[bit].append(f"{name}[{place}]")
        driven = {bit for port in module["ports"].values() if port["direction"] == "input" for bit in port["bits"]}
        later = []
        for cell, data in self.cells.items():
            if data["type"].startswith("$") or data.get("port_directions"):
                for port, bits in data["connections"].items():
                    if data["port_directions"][port] == "output":
                        self.makes.update((bit, cell) for bit in bits)
            else:
                later.append(cell)
        for cell in later:  # a module without a file: what nobody else drives are outputs
            for bits in self.cells[cell]["connections"].values():
                self.makes.update((bit, cell) for bit in bits if bit not in self.makes and bit not in driven)

    def clock(self, cell):
        """The clock of a register, a memory or a box; None: logic."""
        data = self.cells[cell]
        kind, connections = data["type"], data["connections"]
        if kind.startswith(STATE):
            return connections["CLK"][0]
        if kind == "$mem_v2":
            return connections["WR_CLK"][0]
        clocks = [port for port in connections if port in CLOCKS]
        return None if kind.startswith("$") or not clocks else connections[clocks[0]][0]

    def sources(self, bits):
        """(register, bit) from which logic leads to these bits."""
        waiting, seen, found = [bit for bit in bits if isinstance(bit, int)], set(), set()
        while waiting:
            bit = waiting.pop()
            cell = self.makes.get(bit)
            if bit in seen or cell is None:
                continue
            seen.add(bit)
            if self.clock(cell) is not None:
                found.add((cell, bit))
                continue
            data = self.cells[cell]
            for port, more in data["connections"].items() if data["type"].startswith("$") else ():
                if data["port_directions"][port] == "input":
                    output = data["connections"]["Y"] if data["type"] in BITWISE else []
                    own = [more[output.index(bit)]] if len(more) == len(output) > 1 else more
                    waiting += [other for other in own if isinstance(other, int)]
        return found

    def crossings(self):
        """Pairs of registers of two clocks. A register is all names of its bit, `a.b[0]`; a memory has one."""
        found = set()
        for cell, data in self.cells.items():
            clock = self.clock(cell)
            if clock is None:
                continue
            kind, directions = data["type"], data.get("port_directions", {})
            for port, bits in data["connections"].items():
                if port.endswith("CLK") or port in CLOCKS or port.startswith("RD_") or directions.get(port) == "output":
                    continue
                for place, target in enumerate(bits):
                    if self.makes.get(target) == cell and not directions:
                        continue  # an output of a box without a file
                    own = data["connections"]["Q"][min(place, len(data["connections"]["Q"]) - 1)] if kind.startswith(STATE) else None
                    for source, bit in self.sources([target]):
                        if self.clock(source) != clock:
                            found.add((self.register(source, bit), self.register(cell, own)))
        return found

    def register(self, cell, bit):
        if self.cells[cell]["type"] == "$mem_v2":
            return (self.cells[cell]["parameters"]["MEMID"].lstrip("\\"),)
        return tuple(self.names.get(bit, [cell]))
