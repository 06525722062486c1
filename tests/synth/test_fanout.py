# SPDX-License-Identifier: Apache-2.0
"""Copies of what reaches very many: simulated, the divided netlist does what the whole one does, in the same cycle."""

import collections
import copy
import random

import pytest

import fanout
from test_resets import lut, register, run  # and where the scripts are

RESET, SOURCE, GATE = 3, 4, 5
USERS = 150
SHOWN = [100 + i for i in range(USERS)]


def card():
    """A register that reaches USERS registers of two units, and a LUT of it that reaches as many and a block RAM."""
    cells = {"reset": register(2, RESET), "source": register(2, SOURCE), "gate": lut(0x5555, A=SOURCE, Z=GATE)}
    names = {"rst_q": RESET, "source_q": SOURCE}
    for i in range(USERS):
        unit = i % 2
        cells[f"ff{i}"] = register(SOURCE if i % 3 else GATE, 100 + i)
        cells[f"held{i}"] = register(100 + i, 400 + i, ce=GATE)
        names[f"g_input[{unit}].word_q[{i}]"] = 100 + i
        names[f"g_input[{unit}].held_q[{i}]"] = 400 + i
    cells["ram"] = {"type": "DP16KD", "parameters": {}, "attributes": {}, "port_directions": {"ADA0": "input"},
                    "connections": {"ADA0": [GATE]}}
    for cell in cells.values():
        cell.setdefault("attributes", {"BEL": "X1/Y1/SLICEA.FF0"})
    return {"modules": {"top": {"cells": cells, "netnames": {name: {"bits": [bit]} for name, bit in names.items()}}}}


def users(module):
    found = collections.Counter()
    for cell in module["cells"].values():
        found.update(bit for port, bits in cell["connections"].items() if cell["port_directions"][port] == "input" for bit in bits)
    return found


@pytest.mark.parametrize("most", (fanout.CROWDED, fanout.ROOMY))
def test_does_the_same_and_reaches_few(most):
    netlist = card()
    module = netlist["modules"]["top"]
    assert users(module)[SOURCE] > fanout.CROWDED and users(module)[GATE] > fanout.CROWDED
    fanout.divide(module, "rst_q", most)
    rng = random.Random(1)
    pin = [rng.randrange(2) for _ in range(40)]
    assert run(netlist, pin, SHOWN) == run(card(), pin, SHOWN)
    assert max(count for bit, count in users(module).items() if bit not in (2, "0", "1")) <= most


def test_a_copy_reaches_one_unit_as_far_as_it_goes():
    module = card()["modules"]["top"]
    fanout.divide(module, "rst_q")
    of = collections.defaultdict(set)
    for i in range(USERS):
        of[module["cells"][f"held{i}"]["connections"]["CE"][0]].add(i % 2)
    assert sum(len(units) > 1 for units in of.values()) <= 1


def test_a_block_ram_and_a_register_each_have_a_lut():
    module = card()["modules"]["top"]
    fanout.divide(module, "rst_q")
    address = module["cells"]["ram"]["connections"]["ADA0"][0]
    assert address != GATE and users(module)[address] == 1


@pytest.mark.parametrize("source", (SOURCE, GATE))
def test_what_reaches_many_units_has_a_copy_for_each(source):
    module = card()["modules"]["top"]
    for i in range(30):  # six block RAMs of each of five units
        module["cells"][f"g_input[{i % 5}].ram{i}"] = copy.deepcopy(module["cells"]["ram"])
        module["cells"][f"g_input[{i % 5}].ram{i}"]["connections"] = {"ADA0": [source]}
    for name in [name for name in module["cells"] if name.startswith(("ff", "held"))]:
        del module["cells"][name]
    fanout.divide(module, "rst_q")
    of = {name: cell["connections"]["ADA0"][0] for name, cell in module["cells"].items() if "].ram" in name}
    assert len(set(of.values())) == 5
    assert all(bit == of[f"g_input[{name[8]}].ram{name[8]}"] for name, bit in of.items())


def test_a_copy_is_tied_to_no_site():
    module = card()["modules"]["top"]
    before = set(module["cells"])
    fanout.divide(module, "rst_q")
    copies = set(module["cells"]) - before
    assert copies and not any("BEL" in module["cells"][name]["attributes"] for name in copies)


def test_what_reaches_few_is_left_alone():
    netlist = card()
    module = netlist["modules"]["top"]
    module["cells"] = {name: cell for name, cell in module["cells"].items() if name in ("reset", "source", "gate", "ff1", "ff3")}
    before = dict(module["cells"])
    fanout.divide(module, "rst_q")
    assert module["cells"] == before
