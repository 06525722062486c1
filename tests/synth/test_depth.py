# SPDX-License-Identifier: Apache-2.0
"""Levels of logic in a mapped netlist, of netlists small enough to count by hand."""

import json
import subprocess

import depth
from repository import ROOT

OUTPUTS = {"Z", "Q", "S0", "COUT", "DO", "DOA0"}


def netlist(*cells, names):
    """cells: (type, {port: [bits]})"""
    return {"modules": {"xt_card_pins": {
        "cells": {f"$cell${number}": {"type": kind, "connections": ports, "port_directions": {
            port: "output" if port in OUTPUTS else "input" for port in ports}} for number, (kind, ports) in enumerate(cells)},
        "netnames": {name: {"hide_name": 0, "bits": [bit]} for name, bit in names.items()}}}}


def register(d, q):
    return "TRELLIS_FF", {"CLK": [1], "DI": [d], "Q": [q]}


def lut(output, *inputs):
    return "LUT4", {**{port: [bit] for port, bit in zip("ABCD", inputs)}, "Z": [output]}


def longest(*cells, names):
    return next(depth.ways(depth.Depths(netlist(*cells, names=names)), 1))


def test_longer_of_two_ways():
    assert longest(register(20, 10), register(30, 11), lut(20, 11), lut(21, 10, 11), lut(22, 21, 11), lut(30, 22, "0"),
                   names={"a_q": 10, "b_q": 11}) in ((3, "a_q", "b_q"), (3, "b_q", "b_q"))


def test_carry_chain_is_one_level():
    chain = [("CCU2C", {"A0": [10], "CIN": [100 + n], "S0": [200 + n], "COUT": [101 + n]}) for n in range(50)]
    assert longest(register(2, 10), register(249, 11), *chain, names={"a_q": 10, "sum_q": 11}) == (1, "a_q", "sum_q")


def test_lut_ram_passes_its_read_address_and_ends_at_its_write():
    ram = ("TRELLIS_DPR16X4", {"RAD": [20], "WAD": [23], "DI": [23], "DO": [21]})
    made = depth.Depths(netlist(register(22, 10), register(21, 11), lut(20, 10), ram, lut(23, 21), lut(22, 23),
                                names={"a_q": 10, "b_q": 11}))
    found = {(levels, made.names.cells[cell]["type"]) for levels, _, cell in made.longest()}
    assert (2, "TRELLIS_FF") in found  # LUT and read
    assert (3, "TRELLIS_DPR16X4") in found  # and the LUT to the write
    assert (4, "TRELLIS_FF") in found


def test_block_ram_ends_a_way_and_begins_one():
    ram = ("DP16KD", {"CLKA": [1], "ADA0": [20], "DOA0": [21]})
    made = depth.Depths(netlist(register(22, 10), lut(20, 10), ram, lut(22, 21), names={"a_q": 10, "word": 21}))
    assert next(depth.ways(made, 1)) == (depth.BLOCK_RAM_LEVELS + 1, "word", "a_q")


def test_kinds_are_shown_once():
    cells = [cell for n in range(4) for cell in (register(20 + n, 10 + n), lut(20 + n, 10 + n))]
    names = {f"in[{n}].x_q": 10 + n for n in range(4)}
    assert list(depth.ways(depth.Depths(netlist(*cells, names=names)), 9)) == [(1, "in[0].x_q", "in[0].x_q")]


def test_command():
    tool, recorded = ROOT / "constraints/synth/depth.py", ROOT / "tests/synth/recorded"
    said = subprocess.run([tool, recorded], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert said.startswith("levels, ends: ")
    missing = subprocess.run([tool, ROOT / "tests"], stderr=subprocess.PIPE, text=True, check=False)
    assert missing.returncode == 2 and "make synth" in missing.stderr
    assert json.loads((recorded / "netlist.json").read_text())["modules"]
