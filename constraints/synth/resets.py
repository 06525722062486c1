# SPDX-License-Identifier: Apache-2.0
"""Copies of the register of the reset: one for each unit of a large card, behind the one that takes it from the pin.

A card's reset reaches thousands of flip-flops, most of them by the inverter that yosys makes of an active-low one. As
one net it is the longest of all and, as neither tool divides it, the slowest: 24.6 ns of wires. A register for each
unit is what a designer would write; in the RTL it would be merged with its equals.
"""

import collections
import copy
import re

# A unit is recognised by the names of its registers.
UNITS = (re.compile(r"g_bank\[\d+\]"), re.compile(r"(g_input|g_link|g_output|g_nic|g_port)\[\d+\]|i_registers|i_islip"))
OWN = re.compile(r"_q+$")
INVERTER = "0000000011111111"  # of input D of a LUT4
LOGIC = {"LUT4": ("Z",), "CCU2C": ("S0", "S1", "COUT")}  # and its outputs
OUTPUTS = ("Z", "S0", "S1", "COUT", "Q")
DEEPEST = 3  # cells of logic between what is divided and the registers by whose unit they are counted; a chain is one
NEAREST = 2  # and between those before it


class Copies:
    def __init__(self, module, reset):
        self.module, self.cells = module, module["cells"]
        self.reset = module["netnames"][reset]["bits"][0]
        self.names, self.users, self.made = {}, collections.defaultdict(list), {}
        self.makes = {bit: name for name, cell in self.cells.items() for port in OUTPUTS
                      for bit in cell["connections"].get(port, [])}
        # A register has a name that ends in _q where it is made; others are those of ports it goes through.
        for name, net in sorted(module["netnames"].items(), key=lambda item: ("$" in item[0], OWN.search(item[0]) is None)):
            for bit in net["bits"]:
                self.names.setdefault(bit, name)
        for name in self.cells:
            self._use(name)
        self.last = max(bit for cell in self.cells.values() for bits in cell["connections"].values() for bit in bits
                        if isinstance(bit, int))
        self.register = next(cell for cell in self.cells.values()
                             if cell["type"] == "TRELLIS_FF" and cell["connections"]["Q"] == [self.reset])

    def _inputs(self, name):
        cell = self.cells[name]
        return [(bit, port) for port, bits in cell["connections"].items() if cell["port_directions"][port] == "input" for bit in bits]

    def _use(self, name):
        for bit, port in self._inputs(name):
            self.users[bit].append((name, port))

    def remove(self, name):
        for bit, port in self._inputs(name):
            self.users[bit].remove((name, port))
        del self.cells[name]

    def add(self, name, source, like):
        """A register like another one, but for what it takes; the bit it drives."""
        self.last += 1
        cell = copy.deepcopy(like)
        cell["connections"].update(DI=[source], Q=[self.last])
        self.cells[f"$reset${name}"] = cell
        self._use(f"$reset${name}")
        self.makes[self.last] = f"$reset${name}"
        self.names[self.last] = f"reset.{name}"
        self.module["netnames"][f"reset.{name}"] = {"hide_name": 0, "bits": [self.last], "attributes": {}}
        return self.last

    def repeat(self, name, users, kind):
        """A copy of a cell of one output, for some of its users."""
        cell = copy.deepcopy(self.cells[name])
        cell["attributes"].pop("BEL", None)
        port = next(port for port in OUTPUTS if port in cell["connections"])
        self.last += 1
        bit, cell["connections"][port] = cell["connections"][port][0], [self.last]
        twin = f"$copy.{kind}${name}"
        self.cells[twin] = cell
        self._use(twin)
        self.makes[self.last], self.names[self.last] = twin, self.names.get(bit, "")
        for user, at in users:
            self.cells[user]["connections"][at] = [self.last]
            self.users[bit].remove((user, at))
            self.users[self.last].append((user, at))

    @staticmethod
    def _named_unit(name):
        return next((match[0] for match in (unit.search(name) for unit in UNITS) if match), "rest")

    def _unit_of_register(self, cell):
        return self._named_unit(self.names.get(cell["connections"]["Q"][0], ""))

    def units(self, name, depth=0):
        """Of the registers behind a cell."""
        cell, found = self.cells[name], collections.Counter()
        if cell["type"] == "TRELLIS_FF":
            found[self._unit_of_register(cell)] += 1
        elif cell["type"] in LOGIC and depth < DEEPEST:
            for port in LOGIC[cell["type"]]:
                for bit in cell["connections"].get(port, []):
                    for user, at in self.users[bit]:
                        found += self.units(user, depth + (at != "CIN"))
        return found

    def sources(self, name, depth=0):
        """Of the registers before a cell, if they belong to a unit."""
        found = collections.Counter()
        for bit, _ in self._inputs(name):
            source = self.makes.get(bit)
            cell = self.cells.get(source, {"type": ""})
            if cell["type"] == "TRELLIS_FF":
                found[self._unit_of_register(cell)] += 1
            elif cell["type"] in LOGIC and depth < NEAREST:
                found += self.sources(source, depth + 1)
        del found["rest"]
        return found

    def unit(self, name):
        """Of most of the registers behind a cell; if they are far, or of no unit, of those before it. A block RAM's own."""
        if self.cells[name]["type"] == "DP16KD":
            return self._named_unit(name)
        for found in (self.units(name), self.sources(name)):
            del found["rest"]
            if found:
                return found.most_common(1)[0][0]
        return "rest"

    def share(self, users, source, kind, like=None):
        """Each of the users gets its unit's copy of `source`, kept as by `like`, instead."""
        for name, port in users:
            unit = self.unit(name)
            if (kind, unit) not in self.made:
                self.made[kind, unit] = self.add(f"{kind}.{unit}", source, like or self.register)
            self.cells[name]["connections"][port] = [self.made[kind, unit]]
            self.users[self.made[kind, unit]].append((name, port))


def divide(module, reset):
    """Divides the net `reset` of a netlist's module, and its inverse. For an ECP5."""
    copies = Copies(module, reset)
    direct = list(copies.users[copies.reset])
    for name, port in list(direct):
        cell = copies.cells[name]
        if cell["type"] == "LUT4" and port == "D" and cell["parameters"]["INIT"] == INVERTER:
            direct.remove((name, port))
            inverse = cell["connections"]["Z"][0]
            cell["connections"]["D"] = list(copies.register["connections"]["DI"])
            copies.share(list(copies.users[inverse]), copies.add("inverse", inverse, copies.register), "inverse")
    copies.share(direct, copies.reset, "direct")
