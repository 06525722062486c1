# SPDX-License-Identifier: Apache-2.0
"""Copies of registers that only delay others: one for each unit of a large card that uses them.

What all units get and each keeps a cycle in a register of its own, synthesis keeps in one register for all: the equal
ones are merged. On a large device its wires are then the longest of all, and lead into logic. A register for each unit
takes its own share of the way in the cycle before, where there is nothing else on it. Nothing changes in any cycle.
"""

import resets

UNITS = 4  # that use it, at least


def _delays(copies):
    """(register, bit it delays) of those that are like the register of the reset, and read another register."""
    registers = {name: cell for name, cell in copies.cells.items() if cell["type"] == "TRELLIS_FF"}
    outputs = {cell["connections"]["Q"][0] for cell in registers.values()}

    def rest(cell):
        return {port: bits for port, bits in cell["connections"].items() if port not in ("DI", "Q")}

    for name, cell in registers.items():
        if cell["parameters"] == copies.register["parameters"] and rest(cell) == rest(copies.register):
            source = cell["connections"]["DI"][0]
            if source in outputs and source != copies.reset:
                yield name, source


def divide(module, reset):
    """Divides those registers of a netlist's module of which UNITS units use the output. For an ECP5; `reset` is the
    register of the reset, which the copies are like."""
    copies = resets.Copies(module, reset)
    for name, source in list(_delays(copies)):
        users = copies.users[copies.cells[name]["connections"]["Q"][0]]
        if len({copies.unit(user) for user, _ in users}) >= UNITS:
            copies.share(users, source, f"delay.{name}")
            del copies.cells[name]
