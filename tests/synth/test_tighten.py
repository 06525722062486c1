# SPDX-License-Identifier: Apache-2.0
"""Cells that are moved after placement: ways become shorter, and every site remains one that the device allows."""

import collections
import pathlib
import random
import re
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "constraints" / "synth"))
import spread  # noqa: E402
import tighten  # noqa: E402

SITE = re.compile(r"X(\d+)/Y(\d+)/SLICE([A-D])\.(K|FF)([01])")


class Netlist:
    """A placed module, wires by names, as nextpnr writes it."""

    def __init__(self):
        self.module, self.numbers = {"cells": {}}, {}

    def add(self, name, kind, site, inputs, outputs, **parameters):
        wires = {**inputs, **outputs}
        self.module["cells"][name] = {
            "type": kind, "attributes": {"NEXTPNR_BEL": site}, "parameters": parameters,
            "port_directions": {port: "input" if port in inputs else "output" for port in wires},
            "connections": {port: [self.numbers.setdefault(wire, len(self.numbers) + 2)] if wire else []
                            for port, wire in wires.items()}}

    def lut(self, name, site, inputs, output):
        self.add(name, "TRELLIS_COMB", site, dict(zip("ABCD", [*inputs, None, None, None])), {"F": output}, MODE="LOGIC")

    def register(self, name, site, data, output, enable=None, reset="reset", behind=False):
        """`behind`: it takes the output of the LUT on its site."""
        self.add(name, "TRELLIS_FF", site, {"DI": data if behind else None, "M": None if behind else data, "CLK": "clock",
                                            "CE": enable, "LSR": reset}, {"Q": output}, CEMUX="CE" if enable else "1")

    def site(self, name):
        return self.module["cells"][name]["attributes"]["NEXTPNR_BEL"]


def far_lut():
    netlist = Netlist()
    netlist.register("from", "X20/Y30/SLICEA.FF0", "outside", "a")
    netlist.lut("first", "X24/Y31/SLICEB.K1", ["a"], "b")
    netlist.lut("far", "X112/Y79/SLICED.K0", ["b"], "c")
    netlist.lut("last", "X28/Y31/SLICEC.K0", ["c"], "d")
    netlist.register("to", "X28/Y31/SLICEC.FF0", "d", "e", behind=True)
    for name in ("from", "last"):
        netlist.module["cells"][name]["attributes"]["BEL"] = netlist.site(name)
    return netlist


def crowd(seed):
    """A few tiles full of LUTs and registers, of a dozen control sets, some of them behind their LUTs; ways from and to
    cells that stand far away."""
    rng, netlist = random.Random(seed), Netlist()
    wires = ["seed"]
    netlist.register("origin", "X110/Y76/SLICEA.FF0", "elsewhere", "seed")
    for tile in range(20):
        x, y = 40 + tile % 5, 50 + tile // 5
        reset = f"reset{rng.randrange(2)}"
        for part in "ABCD":
            enable = f"enable{rng.randrange(6)}"
            for half in "01":
                site, wire = f"X{x}/Y{y}/SLICE{part}.", f"w{tile}{part}{half}"
                kind = rng.randrange(4)
                if kind:
                    netlist.lut("lut" + wire, site + "K" + half, rng.choices(wires[-20:], k=3), wire)
                if kind == 1:
                    netlist.register("ff" + wire, site + "FF" + half, wire, "q" + wire, enable, reset, behind=True)
                elif kind in (0, 2):
                    netlist.register("ff" + wire, site + "FF" + half, rng.choice(wires[-20:]), "q" + wire, enable, reset)
                if kind:
                    wires.append(wire)
                if kind == 2:
                    wires.append("q" + wire)
    netlist.lut("away", "X10/Y12/SLICEA.K0", wires[-3:], "last")
    netlist.register("end", "X10/Y12/SLICEA.FF0", "last", "seen", behind=True)
    return netlist


def faults(netlist):
    """What the device does not allow, told from the netlist alone."""
    found, at, controls = [], {}, collections.defaultdict(set)
    cells = netlist.module["cells"]
    makes = {wires[0]: name for name, cell in cells.items() for port, wires in cell["connections"].items()
             if wires and cell["port_directions"][port] == "output"}
    for name in cells:
        if netlist.site(name) in at:
            found.append(f"{name} and {at[netlist.site(name)]} on one site")
        at[netlist.site(name)] = name
    slices = {}
    for name, cell in cells.items():
        x, y, part, kind, half = SITE.fullmatch(netlist.site(name)).groups()
        if int(y) in spread.RAMS_AND_MULTIPLIERS:
            found.append(f"{name} in a row without slices")
        if kind == "FF":
            control = [tuple(cell["connections"][port]) for port in ("CE", "LSR", "CLK")]
            if slices.setdefault((x, y, part), control) != control:
                found.append(f"{name} in a slice of other controls")
            controls[x, y].add(tuple(control[1:]))
            if cell["connections"]["DI"] and at.get(netlist.site(name).replace("FF", "K")) != makes[cell["connections"]["DI"][0]]:
                found.append(f"{name} is not behind its LUT")
    return found + [f"several resets or clocks in X{x}/Y{y}" for (x, y), wires in controls.items() if len(wires) > 1]


def test_a_lut_far_from_its_way_is_moved_to_it(monkeypatch):
    monkeypatch.setattr(tighten, "ENOUGH", 1)
    netlist = far_lut()
    before, after = tighten.tighten(netlist.module)
    x, y = map(int, SITE.fullmatch(netlist.site("far")).groups()[:2])
    assert 15 < x < 33 and 25 < y < 36
    assert before > tighten.LIMIT > after
    assert not faults(netlist)


def test_nothing_is_moved_on_ways_that_are_short():
    netlist = far_lut()
    netlist.module["cells"]["far"]["attributes"]["NEXTPNR_BEL"] = "X27/Y31/SLICED.K0"
    sites = {name: netlist.site(name) for name in netlist.module["cells"]}
    tighten.tighten(netlist.module)
    assert sites == {name: netlist.site(name) for name in sites}


def test_what_is_tied_to_a_site_stays():
    netlist = far_lut()
    netlist.module["cells"]["far"]["attributes"]["BEL"] = netlist.site("far")
    tighten.tighten(netlist.module)
    assert netlist.site("far") == "X112/Y79/SLICED.K0"


def test_carry_chains_stay_and_keep_their_slices():
    netlist = far_lut()
    for half in "01":
        netlist.add("carry" + half, "TRELLIS_COMB", f"X26/Y31/SLICEA.K{half}", {"A": "b"}, {"F": "s" + half}, MODE="CCU2")
    tighten.tighten(netlist.module)
    assert [netlist.site(f"carry{half}") for half in "01"] == ["X26/Y31/SLICEA.K0", "X26/Y31/SLICEA.K1"]
    assert not faults(netlist)


@pytest.mark.parametrize("seed", range(6))
def test_every_site_is_one_that_the_device_allows(seed):
    netlist = crowd(seed)
    assert not faults(netlist)
    sites = {name: netlist.site(name) for name in netlist.module["cells"]}
    before, after = tighten.tighten(netlist.module)
    assert after <= before
    assert sum(sites[name] != netlist.site(name) for name in sites) > 20
    assert not faults(netlist)


@pytest.mark.parametrize("part, fault", [(0, "several resets or clocks"), (1, "in a slice of other controls")])
def test_without_a_rule_for_registers_the_check_fails(monkeypatch, part, fault):
    control = tighten.Card.control
    monkeypatch.setattr(tighten.Card, "control", lambda card, i: tuple(
        None if kept == part else value for kept, value in enumerate(control(card, i))))
    found = []
    for seed in range(6):
        netlist = crowd(seed)
        tighten.tighten(netlist.module)
        found += faults(netlist)
    assert any(fault in text for text in found)


def test_cells_that_kept_sites_empty_are_taken_away():
    netlist = far_lut()
    netlist.module["cells"][spread.EMPTY + "X1"] = {}
    spread.clear(netlist.module)
    assert sorted(netlist.module["cells"]) == ["far", "first", "from", "last", "to"]
