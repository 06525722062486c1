# SPDX-License-Identifier: Apache-2.0
"""Sites that a large card leaves empty: where they are, and that nothing else of the netlist changes."""

import copy

import spread

LUT = {"type": "LUT4", "parameters": {"INIT": "0"}, "attributes": {"src": "card.sv:1"},
       "port_directions": {"A": "input", "Z": "output"}, "connections": {"A": [2], "Z": [3]}}


def card(luts):
    return {"cells": {f"lut{i}": copy.deepcopy(LUT) for i in range(luts)}}


def test_a_crowded_card_leaves_sites_empty():
    module = card(50)
    assert spread.spread(module, 100) == spread.BY_STATIC
    cells = module["cells"]
    empty = [cell for name, cell in cells.items() if name.startswith("$empty$")]
    assert {name: cell for name, cell in cells.items() if not name.startswith("$empty$")} == {
        f"lut{i}": LUT for i in range(50)}
    assert all(cell["connections"] == {"A": [], "Z": []} for cell in empty)
    sites = [cell["attributes"]["BEL"] for cell in empty]
    assert len(set(sites)) == len(sites) == 9832
    # Half of the LUTs of a tile at the most, and what is left takes a card of 54 % of the device.
    assert {site.partition("SLICE")[2][0] for site in sites} == {"C", "D"}
    assert 83640 - len(sites) > 0.54 * 83640
    assert not any(f"/Y{row}/" in site for site in sites for row in (10, 22, 34, 46, 58, 70, 82))


def test_a_small_card_is_left_alone():
    module = card(30)
    assert spread.spread(module, 100) is None
    assert module == card(30)


def test_a_large_card_that_is_not_crowded_goes_to_the_default_placer():
    module = card(43)
    assert spread.spread(module, 100) == spread.BY_HEAP
    assert module == card(43)
