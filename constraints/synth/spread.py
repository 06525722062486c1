# SPDX-License-Identifier: Apache-2.0
"""Room for the wires of a large card: LUT sites of the device that the placer must leave empty.

nextpnr's placers pull a card together until its wires do not find a way: what a card of more than half of an LFE5U-85F
lacks is wires in the middle of the device, not LUTs. So a netlist gets LUTs without connections, each tied to its
site: a quarter of the sites in every other tile, half of them beside the rows of block RAMs. With such sites
the default placer makes wires half again as long as `static`.

The router, router2, may look further around a net than by default, searches as if a wire ahead cost what it costs at
the least, and lets the price of a wire that several nets claim grow a quarter as fast: dear wires make long ways round,
which take the wires of others. With its own settings it ends with thousands of wires in dispute.
"""

AIM = 60  # MHz
FULL = 0.4  # of the device's LUTs: smaller cards find their wires without
# Strings that are not read as binary numbers; margins in tiles.
ROUTER = {"bbMargin/x": "12", "bbMargin/y": "12", "estimateWeight": "1.0", "currCongWeightMult": "0.5"}

OPTIONS = ("--placer", "static", "--router", "router2")  # nextpnr writes them into what it places, and reads them there

# Of the LFE5U-85F: first and last column and row.
COLUMNS, ROWS = (6, 118), (6, 80)
BESIDE_RAMS = (21, 23, 45, 47, 69, 71)
RAMS_AND_MULTIPLIERS = (10, 22, 34, 46, 58, 70, 82)  # rows without slices
SITES = ("SLICED.K1", "SLICED.K0", "SLICEC.K1", "SLICEC.K0")  # of the eight of a tile


def _empty(x, y):
    """How many of SITES stay empty."""
    if y in BESIDE_RAMS:
        return 4
    return 2 if (x + y) % 2 == 0 else 0


def sites():
    for x in range(COLUMNS[0], COLUMNS[1] + 1):
        for y in range(ROWS[0], ROWS[1] + 1):
            if y not in RAMS_AND_MULTIPLIERS:
                yield from (f"X{x}/Y{y}/{site}" for site in SITES[:_empty(x, y)])


def spread(module, luts):
    """Adds them to a netlist's module if it takes more than FULL of `luts`; whether it does."""
    found = [cell for cell in module["cells"].values() if cell["type"] == "LUT4"]
    if len(found) < FULL * luts:
        return False
    for site in sites():
        module["cells"][f"$empty${site}"] = {**found[0], "attributes": {"BEL": site, "keep": "1"},
                                             "connections": {port: [] for port in found[0]["connections"]}}
    module["settings"] = {f"router2/{name}": value for name, value in ROUTER.items()}
    return True
