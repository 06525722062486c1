# SPDX-License-Identifier: Apache-2.0
"""Sites of a large card's block RAMs: each has its own, those of a port stand together, and nothing else changes."""

import collections
import re

import pytest

import floorplan

SITE = re.compile(r"X(\d+)/Y(\d+)/EBR([0-3])")


def memories(links, nics, tables=8, layer=True):
    """Names as synthesis makes them of a card, with a link layer or without."""
    names = ["i_card.i_port_counters.i_bank.i_counters.mem.0.0"]
    for link in range(links if layer else 0):
        unit = f"i_card.g_link[{link}].g_layer.i_link"
        names += [f"{unit}.i_cells_tx.i_buffer.mem.0.{i}" for i in range(4)] + [f"{unit}.i_credits_tx.i_buffer.mem.0.0"]
    names += [f"i_card.g_nic[{nic}].i_eject.i_fifo.mem.0.{i}" for nic in range(nics) for i in range(4)]
    for port in range(links + nics):
        unit = f"i_card.i_switch.g_input[{port}].i_input_unit"
        names += [f"{unit}.i_buffer.g_linked.i_cells.i_cells.mem.0.{i}" for i in range(4)]
        names += [f"{unit}.i_buffer.g_ram.i_queues.{part}.mem.0.0" for part in ("i_head", "i_second", "i_tail", "i_follow")]
        names += [f"{unit}.i_route_table.g_two_memories.i_{'grt' if i % 2 else 'lrt'}.mem.0.{i // 2}" for i in range(tables)]
    return names


@pytest.mark.parametrize("halves", (floorplan.CROWDED, floorplan.ROOMY))
@pytest.mark.parametrize("layer", (True, False))
def test_a_port_has_a_block_of_its_own(layer, halves):
    names = memories(6, 1, layer=layer)
    sites = floorplan.sites(names, halves)
    assert set(names) - set(sites) == {names[0]}
    assert len(set(sites.values())) == len(sites)
    columns, of_ports = collections.defaultdict(list), collections.defaultdict(set)
    for name, site in sites.items():
        x, y, ebr = map(int, SITE.fullmatch(site).groups())
        # What nextpnr calls the sites of a row: groups of four, whose first stands in every ninth column but one.
        assert y in (22, 46, 70, 82) and x - 2 * ebr in (4, 13, 22, 31, 40, 49, 58, 69, 78, 87, 96, 105, 114)
        found = re.search(r"g_(input|link|nic)\[(\d)\]", name)
        port = 6 if found[1] == "nic" else int(found[2])
        columns[port].append(x)
        of_ports[port].add(y > 58)
    assert sorted(columns) == list(range(7))
    assert all(max(xs) - min(xs) < 34 for xs in columns.values())
    assert all(len(of_port) == 1 for of_port in of_ports.values())


def test_cells_are_nearer_to_the_middle_than_tables():
    sites = floorplan.sites(memories(6, 1))
    for name, site in sites.items():
        if "i_cells.i_cells" in name:
            table = re.sub(r"i_buffer.*", "i_route_table.g_two_memories.i_grt.mem.0.0", name)
            x, y, _ = map(int, SITE.fullmatch(site).groups())
            of_table = SITE.fullmatch(sites[table])
            assert abs(x - 62) < abs(int(of_table[1]) - 62) and abs(y - 58) < abs(int(of_table[2]) - 58)


def test_the_row_of_the_buffer():
    """Of a crowded card the one nearer to the middle; of another the outer one above the middle."""
    for halves, rows in ((floorplan.CROWDED, {46, 70}), (floorplan.ROOMY, {22, 70})):
        found = floorplan.sites(memories(6, 1), halves)
        assert {int(SITE.fullmatch(site)[2]) for name, site in found.items() if ".i_buffer.g_" in name} == rows


def test_what_does_not_go_into_the_blocks_is_left_to_the_placer():
    assert floorplan.sites(memories(6, 4)) == {}
    assert floorplan.sites(memories(6, 1, tables=10)) == {}
    assert floorplan.sites([]) == {}


def test_only_block_rams_are_tied():
    name = memories(1, 0)[1]
    module = {"cells": {name: {"type": "DP16KD", "attributes": {"src": "a"}}, "lut": {"type": "LUT4", "attributes": {"src": "a"}}}}
    floorplan.fix(module)
    assert {n: cell["attributes"] for n, cell in module["cells"].items()} == \
        {name: {"src": "a", "BEL": floorplan.sites([name])[name]}, "lut": {"src": "a"}}
