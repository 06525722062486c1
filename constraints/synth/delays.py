# SPDX-License-Identifier: Apache-2.0
"""Copies of registers that all units of a large card use: one for each unit.

Registers that only delay another by a cycle are equal for all units, and synthesis makes one of them. Among them
are settings of links, adaptive routing and NICs, initialisation, the patience count, and the credit check of an
output. On a large device the wires of such a register are the longest of all, and lead into logic.

A register for each unit takes its share of the way in the cycle before, where little else is on the way. No cycle
changes.
"""

import re

import resets

UNITS = 4  # that use it, at least
UNITS_OF_A_SETTING = 3  # its read-back is one
# By any of the names that synthesis may have left them.
SETTINGS = re.compile(r"\.(timeout|retry_limit|retries|keepalive|keeps_alive|group[01]|credit_ok|quiesce)_i$|\.group[01]_q$|\.credit_ok_o(f_\w+)?$"
                      r"|i_card\.init_q$|i_switch\.tick_q$")
SETTERS = re.compile(r"\.sets_\w+_q$")  # of settings


def _named(module, pattern):
    return {bit for name, net in module["netnames"].items() if pattern.search(name) for bit in net["bits"]}


def _shared(copies):
    """Registers that only delay another one, or hold what SETTINGS and SETTERS name, not that of the reset; and how many
    units must use each. The setters last: of which units they are used is known when the settings are divided."""
    registers = {name: cell for name, cell in copies.cells.items() if cell["type"] == "TRELLIS_FF"}
    outputs = {cell["connections"]["Q"][0] for cell in registers.values()}
    settings, setters = _named(copies.module, SETTINGS), _named(copies.module, SETTERS)
    last = []

    def rest(cell):
        return {port: bits for port, bits in cell["connections"].items() if port not in ("DI", "Q")}

    for name, cell in registers.items():
        source, bit = cell["connections"]["DI"][0], cell["connections"]["Q"][0]
        plain = cell["parameters"] == copies.register["parameters"] and rest(cell) == rest(copies.register)
        if bit in setters:
            last.append(name)
        elif bit in settings:
            yield name, UNITS_OF_A_SETTING
        elif plain and source in outputs and copies.reset not in (source, bit):
            yield name, UNITS
    yield from ((name, UNITS) for name in last)


def divide(module, reset):
    """Divides those registers of a netlist's module of which enough units use the output. For an ECP5; before the reset,
    of which `reset` is the register, is divided itself."""
    copies = resets.Copies(module, reset)
    for name, enough in list(_shared(copies)):
        cell = copies.cells[name]
        users = list(copies.users[cell["connections"]["Q"][0]])
        if len({copies.unit(user) for user, _ in users}) >= enough:
            copies.share(users, cell["connections"]["DI"][0], f"delay.{name}", cell)
            copies.remove(name)
