# SPDX-License-Identifier: Apache-2.0
"""What an input serves, beside the block RAMs of its queues' heads: what is tied, and how near."""

import re

import service
import spread

OUTPUT = {"LUT4": "Z", "TRELLIS_FF": "Q", "DP16KD": "DOA0"}
MATCH, SERVED, QUEUE = 10, 1000, 2000
ROW, COLUMNS = 46, {"head_next": 15, "head_linked": 13, "second": 10}
LUTS = 24


def cell(kind, **connections):
    return {"type": kind, "attributes": {}, "connections": {port: [bit] for port, bit in connections.items()},
            "port_directions": {port: "output" if port == OUTPUT[kind] else "input" for port in connections}}


def netlist(tie=True):
    """An input: of the matches, LUTs; of each of these another that goes to the block RAMs of the heads, a register, or both."""
    unit = "i_card.i_switch.g_input[0].i_input_unit"
    cells = {}
    for i in range(LUTS):
        cells[f"{unit}.i_grant_mux.$first{i}"] = cell("LUT4", A=MATCH + i % 7, Z=SERVED + i)
        cells[f"{unit}.i_grant_mux.$last{i}"] = cell("LUT4", A=SERVED + i, Z=QUEUE + i)
        if i % 3 != 0:
            cells[f"register{i}"] = cell("TRELLIS_FF", DI=QUEUE + i, Q=3000 + i)
    for memory, column in COLUMNS.items():
        name = f"{unit}.i_buffer.g_ram.i_queues.i_{memory}.mem.0.0"
        cells[name] = cell("DP16KD", **{f"ADB{i}": QUEUE + i for i in range(LUTS) if i % 3 != 1})
        if tie:
            cells[name]["attributes"]["BEL"] = f"X{column}/Y{ROW}/EBR0"
    cells["elsewhere"] = cell("LUT4", A=QUEUE, Z=4000)
    return {"cells": cells, "netnames": {"i_card.i_switch.match": {"bits": list(range(MATCH, MATCH + 7))}}}


def tied(module):
    return {name: c["attributes"]["BEL"] for name, c in module["cells"].items() if "BEL" in c["attributes"]
            and c["type"] == "LUT4"}


def test_what_is_tied_has_sites_of_its_own_around_the_block_rams():
    """All but what only a register looks at, which stands with that."""
    module = netlist()
    service.fix(module)
    sites = tied(module)
    kinds = {kind: {int(re.search(r"\d+$", name)[0]) for name in sites if f"${kind}" in name} for kind in ("first", "last")}
    assert kinds == {"first": set(range(LUTS)), "last": {i for i in range(LUTS) if i % 3 != 1}}
    assert len(set(sites.values())) == len(sites) == sum(map(len, kinds.values()))
    for site in sites.values():
        x, y = map(int, re.match(r"X(\d+)/Y(\d+)/SLICE", site).groups())
        assert min(COLUMNS.values()) - 1 <= x <= max(COLUMNS.values()) + 2
        assert abs(y - ROW) <= 3 and y not in spread.RAMS_AND_MULTIPLIERS


def test_what_a_register_looks_at_too_is_parted_from_it():
    module = netlist()
    service.fix(module)
    for i in range(LUTS):
        if i % 3 == 0:
            continue
        between = module["cells"]["register%d" % i]["connections"]["DI"][0]
        assert (between == QUEUE + i) == (i % 3 == 1)


def test_what_goes_to_the_block_rams_is_nearest_to_them():
    module = netlist()
    service.fix(module)
    middle = sorted(COLUMNS.values())[1]

    def far(kind):
        found = [tuple(map(int, re.match(r"X(\d+)/Y(\d+)/", site).groups())) for name, site in tied(module).items()
                 if f"${kind}" in name]
        return sum(abs(x - middle) + abs(y - ROW) for x, y in found) / len(found)

    assert far("last") < far("first")


def test_an_input_whose_block_rams_are_not_tied_stays_as_it_is():
    module = netlist(tie=False)
    service.fix(module)
    assert tied(module) == {}
