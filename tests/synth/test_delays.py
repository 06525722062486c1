# SPDX-License-Identifier: Apache-2.0
"""Copies of registers that delay others: simulated, the divided netlist does what the whole one does, in every cycle."""

import copy
import random

import pytest

import delays
from test_resets import RESET, card, lut, register, run  # and where the scripts are

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

    # `gated` is a unit of its own; three units suffice for a setting.
    for name, takers, divided in (("delay_q", 2, False), ("i_card.g_nic[0].i_inject.quiesce_i", 2, True),
                                  ("i_card.g_nic[0].i_inject.quiesce_i", 1, False)):
        netlist = broadcast(TAKERS[:takers])
        netlist["modules"]["top"]["netnames"][name] = {"bits": [DELAYED]}
        delays.divide(netlist["modules"]["top"], "rst_q")
        assert ("delay" not in netlist["modules"]["top"]["cells"]) == divided


def test_what_does_more_than_delay_stays():
    for other in (register(18, DELAYED, RESET), register(61, DELAYED)):  # it is reset; what it takes comes from a LUT
        netlist = broadcast(TAKERS)
        cells = netlist["modules"]["top"]["cells"]
        cells["delay"] = other
        delays.divide(netlist["modules"]["top"], "rst_q")
        assert cells["delay"] is other


@pytest.mark.parametrize("name", ["i_card.g_link[0].i_link.keepalive_i", "i_card.g_link[0].i_link.retries_i",
                                  "i_card.g_input[6].i_choice.group1_i", "i_card.g_output[1].g_link.credit_ok_of_vc",
                                  "i_card.g_nic[0].i_inject.quiesce_i"])
def test_settings_are_divided_whatever_they_take(name):
    rng = random.Random(3)
    pin = [0] * 3 + [int(rng.randrange(5) > 0) for _ in range(200)]
    whole = broadcast(TAKERS)
    module = whole["modules"]["top"]
    module["cells"]["delay"] = register(11, DELAYED, RESET)
    module["netnames"][name] = {"bits": [DELAYED]}
    divided = copy.deepcopy(whole)
    delays.divide(divided["modules"]["top"], "rst_q")
    cells = divided["modules"]["top"]["cells"]
    made = [cell["connections"] for name, cell in cells.items() if name.startswith("$reset$delay.")]
    assert "delay" not in cells and len(made) == len(TAKERS) + 1
    assert {(one["DI"][0], one["LSR"][0]) for one in made} == {(11, RESET)}
    before = state(whole, pin, TAKERS)
    assert state(divided, pin, TAKERS) == before
    assert any(any(row) for row in before)


def test_registers_one_behind_the_other_are_divided():
    netlist = broadcast(TAKERS)
    module = netlist["modules"]["top"]
    for i, name in enumerate(TAKERS):  # what delays the delay, for as many units
        q, d = 80 + 2 * i, 81 + 2 * i
        module["cells"][f"late_mix{i}"], module["cells"][f"late{i}"] = lut(0x6666, A=q, B=79, Z=d), register(d, q)
        module["netnames"][name.replace(".x", ".y")] = {"bits": [q]}
    module["cells"]["second"] = register(DELAYED, 79)
    rng = random.Random(4)
    pin = [0] * 3 + [int(rng.randrange(5) > 0) for _ in range(200)]
    shown = [60 + 2 * i for i in range(len(TAKERS))] + [80 + 2 * i for i in range(len(TAKERS))]
    before = run(netlist, pin, shown)
    delays.divide(module, "rst_q")
    assert "second" not in module["cells"] and "delay" not in module["cells"]
    assert run(netlist, pin, shown) == before
    assert any(any(row) for row in before)


def test_what_sets_a_setting_is_divided_after_it():
    netlist = broadcast(TAKERS)
    module = netlist["modules"]["top"]
    module["cells"]["sets"] = register(14, 90)  # before the setting, by its place among the cells
    module["cells"] = dict(sorted(module["cells"].items(), key=lambda item: item[0] != "sets"))
    module["cells"]["delay"] = register(13, DELAYED, ce=90)
    module["netnames"].update({"i_card.i_registers.sets_keepalive_q": {"bits": [90]},
                               "i_card.g_link[0].i_link.keepalive_i": {"bits": [DELAYED]}})
    rng = random.Random(5)
    pin = [0] * 3 + [int(rng.randrange(5) > 0) for _ in range(200)]
    before = state(netlist, pin, TAKERS)
    delays.divide(module, "rst_q")
    assert "sets" not in module["cells"]
    enables = {name: cell["connections"]["CE"][0] for name, cell in module["cells"].items() if "delay.delay." in name}
    # The copy that belongs to no unit is set by what set them all.
    assert len(enables) == len(TAKERS) + 1 and len(set(enables.values())) == len(TAKERS)
    assert state(netlist, pin, TAKERS) == before
    assert any(any(row) for row in before)
