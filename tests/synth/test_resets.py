# SPDX-License-Identifier: Apache-2.0
"""Copies of the reset's register: simulated, the divided netlist does what the whole one does, a cycle later."""

import random

import pytest

import resets

LUT = {"A": "input", "B": "input", "C": "input", "D": "input", "Z": "output"}
REGISTER = {"CE": "input", "DI": "input", "LSR": "input", "Q": "output"}
PIN, RESET, INVERSE, HELD = 2, 3, 4, 5
UNITS = ("g_input[0].a", "g_input[0].b", "g_input[1].a", "i_registers.a", "odd")


def register(d, q, lsr="0", ce="1"):
    return {"type": "TRELLIS_FF", "parameters": {}, "port_directions": REGISTER,
            "connections": {"CE": [ce], "DI": [d], "LSR": [lsr], "Q": [q]}}


def lut(init, **inputs):
    wired = {port: [inputs.get(port, "0")] for port in "ABCD"}
    return {"type": "LUT4", "parameters": {"INIT": f"{init:016b}"}, "port_directions": LUT,
            "connections": {**wired, "Z": [inputs["Z"]]}}


def card():
    """Registers that invert themselves unless the inverse reset holds them, and one that a LUT of the reset does."""
    cells = {"reset": register(PIN, RESET), "inverter": lut(0x00FF, D=RESET, Z=INVERSE), "holds": lut(0x5555, A=RESET, Z=HELD)}
    names = {"rst_q": RESET}
    for i, unit in enumerate(UNITS):
        q, d = 10 + 2 * i, 11 + 2 * i
        cells[f"not{i}"], cells[f"ff{i}"] = lut(0x5555, A=q, Z=d), register(d, q, INVERSE if i else HELD)
        names[unit] = q
    return {"modules": {"top": {"cells": cells, "netnames": {name: {"bits": [bit]} for name, bit in names.items()}}}}


def run(netlist, pin, shown=tuple(10 + 2 * i for i in range(len(UNITS)))):
    """What registers hold in each cycle, of the card the named ones."""
    module = netlist["modules"]["top"]
    value, told = {"0": 0, "1": 1}, []
    luts = [cell for cell in module["cells"].values() if cell["type"] == "LUT4"]
    registers = [cell["connections"] for cell in module["cells"].values() if cell["type"] == "TRELLIS_FF"]
    for bit in pin:
        value[PIN] = bit
        for _ in luts:
            for cell in luts:
                index = sum(value.get(cell["connections"][port][0], 0) << i for i, port in enumerate("ABCD"))
                value[cell["connections"]["Z"][0]] = int(cell["parameters"]["INIT"][15 - index])
        told.append([value.get(bit, 0) for bit in shown])
        value.update({r["Q"][0]: 0 if value.get(r["LSR"][0], 0) else value.get(r["DI"][0], 0)
                      for r in registers if value.get(r["LSR"][0], 0) or value.get(r["CE"][0], 0)})
    return told


@pytest.fixture
def divided():
    netlist = card()
    resets.divide(netlist["modules"]["top"], "rst_q")
    return netlist


def test_units_are_reset_as_before_a_cycle_later(divided):
    rng = random.Random(1)
    pin = [0] * 6 + [rng.randrange(4) > 0 for _ in range(200)]
    later, before = run(divided, [0] + [int(bit) for bit in pin]), run(card(), [0] + [int(bit) for bit in pin])
    assert later[7:] == before[6:-1]
    assert any(any(row) for row in before)


def test_each_unit_has_a_copy(divided):
    cells = divided["modules"]["top"]["cells"]
    assert {name for name in cells if name.startswith("$reset$")} == {
        "$reset$inverse", "$reset$inverse.g_input[0]", "$reset$inverse.g_input[1]", "$reset$inverse.i_registers",
        "$reset$inverse.rest", "$reset$direct.g_input[0]"}
    assert cells["ff1"]["connections"]["LSR"] != cells["ff2"]["connections"]["LSR"]


def chain(length):
    """Carry cells of a counter's compare, each of which looks at a bit of RESET, and the register behind the last."""
    ports = {"A0": "input", "CIN": "input", "S0": "output", "COUT": "output"}
    cells = {f"carry{i}": {"type": "CCU2C", "parameters": {}, "port_directions": ports,
                           "connections": {"A0": [RESET], "CIN": [100 + i], "S0": [200 + i], "COUT": [101 + i]}}
             for i in range(length)}
    return {**cells, "over": register(100 + length, 300)}


@pytest.fixture
def known():
    """The card, a carry chain of g_input[2], and a way of five LUTs from the reset and g_input[1] to a register of none."""
    netlist = card()
    module = netlist["modules"]["top"]
    module["cells"].update(chain(9), far=register(405, 406), **{f"way{i}": lut(0x8888, A=400 + i, B=RESET, Z=401 + i) for i in range(5)})
    module["cells"]["way0"]["connections"]["A"] = [14]
    module["netnames"].update({"i_registers.told_i": {"bits": [300]}, "i_card.g_input[2].over_q": {"bits": [300]},
                               "odd2": {"bits": [406]}})
    return resets.Copies(module, "rst_q")


def test_a_register_is_of_the_unit_that_makes_it_not_of_one_that_is_told(known):
    assert known.units("over") == {"g_input[2]": 1}


def test_all_of_a_carry_chain_is_of_one_unit(known):
    assert {known.unit(f"carry{i}") for i in range(9)} == {"g_input[2]"}


def test_what_is_far_from_a_register_is_of_the_unit_before_it(known):
    assert known.names[14] == "g_input[1].a"
    assert [known.unit(f"way{i}") for i in range(5)] == ["g_input[1]"] * 3 + ["rest"] * 2
