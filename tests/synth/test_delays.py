# SPDX-License-Identifier: Apache-2.0
"""Copies of registers that delay others: simulated, the divided netlist does what the whole one does, in every cycle."""

import copy
import random

import pytest

from test_resets import RESET, card, lut, register, run  # and where the scripts are

import delays

DELAYED, GATED = 51, 52
TAKERS = ("g_input[0].x", "g_input[1].x", "g_output[0].x", "g_link[0].x", "i_registers.x")


def broadcast(takers):
    """The card of test_resets with a register that delays one of its registers, and registers that take it."""
    netlist = card()
    module = netlist["modules"]["top"]
    cells, names = module["cells"], module["netnames"]
    cells["delay"], cells["gated"] = register(18, DELAYED), register(DELAYED, GATED, RESET)
    names["delay_q"] = {"bits": [DELAYED]}
    for i, name in enumerate(takers):
        q, d = 60 + 2 * i, 61 + 2 * i
        cells[f"mix{i}"], cells[f"taker{i}"] = lut(0x6666, A=q, B=DELAYED, Z=d), register(d, q)
        names[name] = {"bits": [q]}
    return netlist


def state(netlist, pin, takers):
    return run(netlist, pin, [60 + 2 * i for i in range(len(takers))] + [GATED])


@pytest.mark.parametrize("takers", [TAKERS, TAKERS[:3]])
def test_takers_get_what_they_got(takers):
    rng = random.Random(2)
    pin = [0] * 3 + [int(rng.randrange(5) > 0) for _ in range(200)]
    whole = broadcast(takers)
    divided = copy.deepcopy(whole)
    delays.divide(divided["modules"]["top"], "rst_q")
    before = state(whole, pin, takers)
    assert state(divided, pin, takers) == before
    assert any(any(row) for row in before)


def test_each_unit_has_a_copy_if_there_are_enough():
    netlist = broadcast(TAKERS)
    delays.divide(netlist["modules"]["top"], "rst_q")
    cells = netlist["modules"]["top"]["cells"]
    made = [cell["connections"] for name, cell in cells.items() if name.startswith("$reset$delay.")]
    assert "delay" not in cells and len(made) == len(TAKERS) + 1  # and one of `gated`, which has no unit
    assert {one["DI"][0] for one in made} == {18}

    netlist = broadcast(TAKERS[:2])
    delays.divide(netlist["modules"]["top"], "rst_q")
    assert "delay" in netlist["modules"]["top"]["cells"]


def test_what_does_more_than_delay_stays():
    for other in (register(18, DELAYED, RESET), register(61, DELAYED)):  # it is reset; what it takes comes from a LUT
        netlist = broadcast(TAKERS)
        cells = netlist["modules"]["top"]["cells"]
        cells["delay"] = other
        delays.divide(netlist["modules"]["top"], "rst_q")
        assert cells["delay"] is other
