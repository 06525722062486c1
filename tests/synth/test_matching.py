# SPDX-License-Identifier: Apache-2.0
"""The matching of a large card in the middle of the device: what is tied, each to a site of its own, and near to what it
talks to."""

import re

import pytest

import annealing
import floorplan
import matching
import spread

OUTPUT = {"LUT4": "Z", "TRELLIS_FF": "Q"}
RESET, REQUESTS, FREE, DATA, MATCH, ORDER = 2, 100, 1000, 2000, 3000, 4000


def cell(kind, **connections):
    return {"type": kind, "attributes": {"src": "a"}, "connections": {port: [bit] for port, bit in connections.items()},
            "port_directions": {port: "output" if port == OUTPUT[kind] else "input" for port in connections}}


def netlist(ports, users=1):
    """Requests, each with the LUT before it, which has so many users; a LUT for each that looks at the request, at a free
    output and at an order, and behind these one that also looks elsewhere and one that goes into a register."""
    cells, pairs = {}, ports * ports
    for i in range(pairs):
        cells[f"before{i}"] = cell("LUT4", A=1, Z=DATA + i)
        cells[f"request{i}"] = cell("TRELLIS_FF", DI=DATA + i, Q=REQUESTS + i)
        cells.update({f"user{i}.{n}": cell("LUT4", A=DATA + i, Z=9000 + 10 * i + n) for n in range(1, users)})
        cells[f"inside{i}"] = cell("LUT4", A=REQUESTS + i, B=FREE + i % ports, C=ORDER, Z=MATCH + i)
        cells[f"outside{i}"] = cell("LUT4", A=MATCH + i, B=1, Z=5000 + i)
        cells[f"next{i}"] = cell("LUT4", A=MATCH + i, Z=6000 + i)
        cells[f"last{i}"] = cell("TRELLIS_FF", DI=6000 + i, Q=7000 + i)
    for o in range(ports):
        cells[f"free{o}"] = cell("TRELLIS_FF", DI=1, Q=FREE + o)
    cells["order"], cells["reset"] = cell("TRELLIS_FF", DI=1, Q=ORDER), cell("TRELLIS_FF", DI=1, Q=RESET)
    names = {"i_card.i_switch.i_switch_allocator.request_q": range(REQUESTS, REQUESTS + pairs),
             "i_card.i_switch.i_switch_allocator.i_islip.grant_order_q": [ORDER],
             "i_card.i_switch.output_free_q": range(FREE, FREE + ports), "rst_q": [RESET]}
    return {"cells": cells, "netnames": {name: {"bits": list(bits)} for name, bits in names.items()}}


def tied(module):
    return {name: c["attributes"]["BEL"] for name, c in module["cells"].items() if "BEL" in c["attributes"]}


@pytest.mark.parametrize("ports", (2, 5, 7, 10))
def test_registers_have_tiles_of_their_own_around_the_middle(ports):
    tiles = [tile for kind in matching.registers(ports) for tile in kind]
    assert len(set(tiles)) == len(tiles) == ports * ports + 2 * ports
    assert all(abs(x - 61) <= ports and abs(y - 58) <= ports + 1 and y not in spread.RAMS_AND_MULTIPLIERS for x, y in tiles)
    rows = [tile[1] for tile in tiles[:ports * ports]]
    assert all(len(set(rows[i * ports:(i + 1) * ports])) == 1 for i in range(ports))


def test_what_is_tied():
    """The LUT before a request with it, what looks at nothing but the matching, and what makes ports free; not what looks
    elsewhere, or goes into a register."""
    module = netlist(5)
    module["cells"]["i_card.i_switch.i_switch_allocator.$abc$1"] = cell("LUT4", A=MATCH, B=1, Z=9000)
    module["cells"]["i_card.i_switch.i_switch_allocator.$abc$2"] = cell("LUT4", A=9000, B=MATCH + 1, Z=9001)
    module["cells"]["free0"]["connections"]["DI"] = [9001]
    matching.fix(module, "rst_q")
    sites = tied(module)
    assert sites.pop("i_card.i_switch.i_switch_allocator.$abc$1")
    assert sites.pop("i_card.i_switch.i_switch_allocator.$abc$2") == sites["free0"].replace("FF", "K")
    assert {re.sub(r"\d+", "", name) for name in sites} == {"before", "request", "inside", "free"}
    assert len(sites) == 3 * 25 + 5 and len(set(sites.values())) == len(sites)
    for i in range(25):
        assert sites[f"before{i}"] == sites[f"request{i}"].replace("FF", "K")
    assert all(re.fullmatch(r"X\d+/Y\d+/SLICE(A.K1|B.K[01]|C.K0)", sites[f"inside{i}"]) for i in range(25))


def test_a_lut_that_has_other_users_is_not_tied_to_its_register():
    module = netlist(3, users=2)
    matching.fix(module, "rst_q")
    assert not any(name.startswith("before") for name in tied(module))


def test_a_lut_that_goes_into_registers_and_elsewhere_is_parted_from_them():
    """nextpnr would place it with one of them. A register that is its only user keeps it."""
    module = netlist(3)
    module["cells"]["i_card.i_switch.i_switch_allocator.$abc$1"] = cell("LUT4", A=MATCH, Z=9000)
    module["cells"]["i_card.i_switch.i_switch_allocator.$abc$2"] = cell("LUT4", A=MATCH, Z=9001)
    module["cells"]["elsewhere"] = cell("LUT4", A=9000, Z=9002)
    registers = {"first": 9000, "second": 9000, "alone": 9001}
    for number, (name, bit) in enumerate(registers.items()):
        module["cells"][name] = cell("TRELLIS_FF", DI=bit, Q=9010 + number)
    matching.fix(module, "rst_q")
    makes = {c["connections"]["Z"][0]: (name, c) for name, c in module["cells"].items() if c["type"] == "LUT4"}
    between = [makes[module["cells"][name]["connections"]["DI"][0]] for name in ("first", "second")]
    assert len({name for name, _ in between}) == 2
    for _, lut in between:
        assert lut["connections"]["D"] == [9000] and lut["parameters"]["INIT"] == "1" * 8 + "0" * 8
        assert "BEL" not in lut["attributes"]
    assert module["cells"]["alone"]["connections"]["DI"] == [9001]
    assert module["cells"]["elsewhere"]["connections"]["A"] == [9000]
    assert "i_card.i_switch.i_switch_allocator.$abc$1" in tied(module) and "i_card.i_switch.i_switch_allocator.$abc$2" not in tied(module)


def test_a_card_without_requests_stays_as_it_is():
    module = netlist(3)
    module["netnames"] = {"i_card.i_switch.i_switch_allocator.request": module["netnames"].popitem()[1]}
    matching.fix(module, "rst_q")
    assert tied(module) == {}


def test_luts_stand_where_their_nets_are():
    """Two groups, each of which talks to one fixed tile: every one stands nearer to its own. That no two share a site is
    what keeps them from standing all in the same."""
    groups = {0: (50, 50), 1: (72, 57)}
    luts = [(group, i) for group in groups for i in range(40)]
    nets = [[groups[group], (group, i)] for group, i in luts] + [[(g, i), (g, i + 1)] for g, i in luts if i < 39]
    sites = [(x, y, site) for x in range(50, 73) for y in range(50, 58) for site in matching.SITES]
    fixed = {tile: tile for tile in groups.values()}
    found = annealing.anneal(nets, fixed, luts, sites, 400)
    assert len(set(found.values())) == len(luts) and set(found.values()) <= set(sites)
    assert found == annealing.anneal(nets, fixed, luts, sites, 400)

    def far(at, tile):
        return abs(at[0] - tile[0]) + abs(at[1] - tile[1])

    assert all(far(at, groups[group]) < far(at, groups[1 - group]) for (group, _), at in found.items())
    # Forty LUTs fill a corner of ten tiles of four sites: none need be further than three from it.
    assert sum(far(at, groups[group]) for (group, _), at in found.items()) < 6 * len(luts)


def test_what_leaves_stands_on_the_side_of_the_port_it_goes_to():
    module = netlist(7)
    for i in range(49):  # the register behind each `outside`, of the input whose row it is
        module["cells"][f"unit{i}"] = cell("TRELLIS_FF", DI=5000 + i, Q=8000 + i)
        module["netnames"][f"i_card.i_switch.g_input[{i // 7}].i_input_unit.serve_q.{i}"] = {"bits": [8000 + i]}
    matching.fix(module, "rst_q")
    sites = tied(module)
    columns = {port: sum(int(re.match(r"X(\d+)", sites[f"inside{7 * port + o}"])[1]) for o in range(7)) / 7 for port in range(7)}
    left, right = (0, 4), (3, 5)
    assert all(floorplan.middle(port)[0] < 30 for port in left) and all(floorplan.middle(port)[0] > 90 for port in right)
    assert max(columns[port] for port in left) < min(columns[port] for port in right)


def test_a_lut_is_drawn_to_the_register_that_it_leads_to(monkeypatch):
    module = netlist(5)
    module["cells"]["i_card.i_switch.i_switch_allocator.$abc$1"] = cell("LUT4", A=MATCH, Z=9000)
    module["cells"]["last of all"] = cell("LUT4", A=9000, B=1, Z=9001)
    module["cells"]["free0"]["connections"]["DI"] = [9001]
    seen = {}

    def anneal(nets, fixed, movable, sites):
        seen.update(nets=nets, fixed=fixed)
        return dict(zip(movable, sites))

    monkeypatch.setattr(annealing, "anneal", anneal)
    matching.fix(module, "rst_q")
    assert [9000, FREE] in seen["nets"] and FREE in seen["fixed"]
