# SPDX-License-Identifier: Apache-2.0
"""A netlist's module by its connections: what makes a bit, what uses it."""

import collections
import copy

SAME = "1" * 8 + "0" * 8  # of a LUT: what D says


class Connections:
    def __init__(self, module):
        self.module, self.cells = module, module["cells"]
        self.makes, self.users = {}, collections.defaultdict(list)
        for name, cell in self.cells.items():
            for port, bits in cell["connections"].items():
                for bit in bits:
                    if cell["port_directions"][port] == "output":
                        self.makes[bit] = name
                    else:
                        self.users[bit].append(name)

    def bits(self, pattern):
        return next((net["bits"] for name, net in self.module["netnames"].items() if pattern.search(name)), [])

    def part(self, own):
        """A LUT of a name like `own` that goes into registers and elsewhere gets a LUT between itself and each of them:
        nextpnr places a LUT together with the register behind it, and that is not where the others need it."""
        last = max([*self.makes, *self.users], key=lambda bit: bit if isinstance(bit, int) else 0)
        for name, cell in list(self.cells.items()):
            if cell["type"] != "TRELLIS_FF":
                continue
            data = (cell["connections"].get("DI") or [None])[0]
            lut = self.cells.get(self.makes.get(data), {"type": ""})
            if lut["type"] != "LUT4" or not own.search(self.makes[data]) or len(self.users[data]) == 1:
                continue
            last += 1
            between = copy.deepcopy(lut)
            between["connections"] = {"A": ["0"], "B": ["0"], "C": ["0"], "D": [data], "Z": [last]}
            between["port_directions"] = {port: "output" if port == "Z" else "input" for port in "ABCDZ"}
            between["parameters"] = {**lut.get("parameters", {}), "INIT": SAME}
            self.cells[f"$between${name}"] = between
            self.makes[last], self.users[last] = f"$between${name}", [name]
            self.users[data] = [f"$between${name}" if user == name else user for user in self.users[data]]
            cell["connections"]["DI"] = [last]
