# SPDX-License-Identifier: Apache-2.0
"""The LUTs between the switch allocator and the block RAMs of an input's queue heads, beside these block RAMs.

The match reaches the LUTs across the device. nextpnr's placers put them with most of the input's logic, up to 35
rows from the block RAMs. The way from the match then becomes the longest of a card.
"""

import collections
import re

import annealing
import connections
import matching

OWN = re.compile(r"g_input\[(\d+)\]\.i_input_unit\.i_grant_mux\.")  # mapped by itself: all of its LUTs
HEADS = re.compile(r"g_input\[(\d+)\]\..*\.i_queues\.i_(head_linked|head_next|second)\.")
MATCH = re.compile(r"i_switch\.match$")
SITE = re.compile(r"X(\d+)/Y(\d+)/")

# Sites of a tile, by its distance from the row of block RAMs: their wires leave less room in the rows beside them.
BESIDE, FURTHER = ("SLICEA.K0", "SLICEB.K0"), ("SLICEA.K0", "SLICEA.K1", "SLICEB.K0", "SLICEB.K1")
ROWS = {-3: FURTHER, -2: FURTHER, -1: BESIDE, 1: BESIDE, 2: FURTHER, 3: FURTHER}
PULL = 3  # how much more a way to a block RAM counts than another


def _by_port(names, pattern):
    found = collections.defaultdict(list)
    for name in names:
        if match := pattern.search(name):
            found[int(match[1])].append(name)
    return found


def fix(module):
    """Ties it, in a netlist's module whose block RAMs are tied. An input whose heads are not in block RAM, or these not
    tied, stays as it is."""
    cells = module["cells"]
    rams = _by_port((name for name, cell in cells.items() if "BEL" in cell["attributes"]), HEADS)
    if not rams:
        return
    netlist = connections.Connections(module)
    netlist.part(OWN)
    luts = _by_port((name for name, cell in cells.items() if cell["type"] == "LUT4"), OWN)
    match = set(netlist.bits(MATCH))
    for port in sorted(luts.keys() & rams.keys()):
        tiles = {name: tuple(map(int, SITE.match(cells[name]["attributes"]["BEL"]).groups())) for name in rams[port]}
        # A LUT whose only user is a register stands with it; so do those parted from others.
        ends = {cells[name]["connections"]["Z"][0]: name for name in luts[port] if not any(
            cells[user]["type"] == "TRELLIS_FF" for user in netlist.users[cells[name]["connections"]["Z"][0]])}
        bits = {name: bit for bit, name in ends.items()}
        columns, row = [x for x, _ in tiles.values()], next(iter(tiles.values()))[1]
        sites = [(x, row + step, site) for step, of_tile in ROWS.items() for x in range(min(columns) - 1, max(columns) + 3)
                 for site in of_tile]
        if len(sites) < len(ends):
            continue
        nets = []
        for bit, name in ends.items():
            near = [user for user in netlist.users[bit] if user in tiles]
            nets += [[bit, *near, *(bits[user] for user in netlist.users[bit] if user in bits)]] * (PULL if near else 1)
            nets += [[bit, "middle"] for inputs in "ABCD" if match.intersection(cells[name]["connections"].get(inputs, []))]
        found = annealing.anneal(nets, {**tiles, "middle": matching.MIDDLE}, sorted(ends), sites)
        for bit, (x, y, site) in found.items():
            cells[ends[bit]]["attributes"]["BEL"] = f"X{x}/Y{y}/{site}"
