# SPDX-License-Identifier: Apache-2.0
"""How a large card is placed, and which LUT sites of a crowded one stay empty, so that its wires find a way.

nextpnr's placers pull a card together until its wires find no way. A card of about half of an LFE5U-85F lacks
wires in the middle of the device, not LUTs. So the netlist of a crowded card gets LUTs without connections, each
tied to its site. They take a quarter of the sites in every other tile, and half of them beside the rows of block
RAMs. With such sites the default placer makes wires half again as long as `static`. Without them, for a card that
is not crowded, the default placer is better.

router1 makes few detours, but frees the wires of a crowded card too slowly. There router2 gets three settings. It
looks further around a net than by default. It searches as if a wire ahead had its least cost. The price of a wire
that several nets claim grows a quarter as fast: dear wires make detours, which take the wires of others. With its
own settings router2 ends with thousands of disputed wires.
"""

# Of the device's LUTs: smaller cards need none of this; those that are smaller than crowded find their wires.
LARGE, CROWDED = 0.4, 0.46
# Strings that are not read as binary numbers; margins in tiles.
ROUTER = {"bbMargin/x": "12", "bbMargin/y": "12", "estimateWeight": "1.0", "currCongWeightMult": "0.5"}

# nextpnr's, and the MHz to aim at. It writes them into what it places, and reads them there. The default placer is told
# that late ways matter more than by its own settings.
BY_STATIC = ("--placer", "static", "--router", "router2"), 60
BY_HEAP = ("--placer", "heap", "--placer-heap-timingweight", "10", "--placer-heap-alpha", "0.05", "--router", "router1"), 80

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
    """(options, MHz) for a netlist's module that takes more than LARGE of `luts`, else None; a crowded one gets empty
    sites."""
    found = [cell for cell in module["cells"].values() if cell["type"] == "LUT4"]
    if len(found) < LARGE * luts:
        return None
    if len(found) < CROWDED * luts:
        return BY_HEAP
    for site in sites():
        module["cells"][f"$empty${site}"] = {**found[0], "attributes": {"BEL": site, "keep": "1"},
                                             "connections": {port: [] for port in found[0]["connections"]}}
    module["settings"] = {f"router2/{name}": value for name, value in ROUTER.items()}
    return BY_STATIC
