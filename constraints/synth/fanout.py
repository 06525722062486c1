# SPDX-License-Identifier: Apache-2.0
"""Copies of registers and LUTs of a large card that have very many users.

- Very many users: each copy serves users that stand together.
- Many users in many units: a copy for each unit.
- LUTs that reach a block RAM as well as a register: a copy for each.

nextpnr's router2 hangs each new user of a net on the nearest wire of the net. The way to the last of more than a
hundred users becomes a detour of several ns, which no placer foresees. A LUT is placed together with the register
behind it, which need not be on the way to the block RAM.
"""

import collections
import re

import resets

CROWDED, ROOMY = 96, 48  # users of a net that stays as it is: where there is little room for copies, and elsewhere
MANY, UNITS = 20, 5  # users, and of how many units, of what has a copy for each unit
OUTPUT = {"TRELLIS_FF": "Q", "LUT4": "Z"}
NUMBER = re.compile(r"\d+")


def _order(copies):
    """Names of the registers behind a cell, so that those of one part of a unit come in a row."""
    def named(name, depth=0):
        cell = copies.cells[name]
        if cell["type"] == "TRELLIS_FF":
            return copies.names.get(cell["connections"]["Q"][0], "")
        if cell["type"] in resets.LOGIC and depth < resets.DEEPEST:
            found = [named(user, depth + 1) for port in resets.LOGIC[cell["type"]] for bit in cell["connections"].get(port, [])
                     for user, _ in copies.users[bit]]
            return min(filter(None, found), default="")
        return ""

    return lambda user: (NUMBER.sub(lambda number: number[0].zfill(6), named(user[0])), user)


def _outputs(copies):
    """(cell, its name, the bit it makes) of what can be copied."""
    for name, cell in list(copies.cells.items()):
        bit = (cell["connections"].get(OUTPUT.get(cell["type"])) or [None])[0]
        if bit is not None:
            yield name, cell, bit


def _by_unit(copies):
    """The first unit keeps the register or LUT itself."""
    for name, cell, bit in _outputs(copies):
        if len(copies.users[bit]) < MANY:
            continue
        units = collections.defaultdict(list)
        for user in copies.users[bit]:
            units[copies.unit(user[0])].append(user)
        if len(units) >= UNITS:
            for unit, users in list(units.items())[1:]:
                copies.repeat(name, users, unit)


def divide(module, reset, most=CROWDED):
    """Divides those nets of a netlist's module that have more than `most` users; `reset`: the register of the reset. For an
    ECP5."""
    copies = resets.Copies(module, reset)
    _by_unit(copies)
    order = _order(copies)
    for name, cell, bit in _outputs(copies):
        rams = [(user, port) for user, port in copies.users[bit] if copies.cells[user]["type"] == "DP16KD"]
        if rams and cell["type"] == "LUT4" and any(port == "DI" for _, port in copies.users[bit]):
            copies.repeat(name, rams, "ram")
        users = copies.users[bit]
        if len(users) <= most:
            continue
        users = sorted(users, key=order)
        each = most * 2 // 3
        for first in range(each, len(users), each):
            copies.repeat(name, users[first:first + each], first // each)
