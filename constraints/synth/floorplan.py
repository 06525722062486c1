# SPDX-License-Identifier: Apache-2.0
"""Sites of a large card's block RAMs, a compact block of the device for each port.

With five of six block RAMs taken, nextpnr's placers scatter the memories of a port over the device, and its logic
with them. So each port gets 26 sites in one of eight blocks, a quarter of the device's width and half of its
height. Within a block the way of a cell is short. Cell memories, of the buffer and of the link layer, stand
towards the middle with the crossbar. Tables stand at the outer end.

Above the middle of a card that is not crowded, the buffer's row is the outer one: the default placer puts the
logic of these ports around it. The placer keeps the memories of no port, and cards with more ports or more
memories to a port.
"""

import collections
import re

# Of the LFE5U-85F: four rows of 52 block RAMs, in groups of four.
COLUMNS = [x + offset for x in (4, 13, 22, 31, 40, 49, 58, 69, 78, 87, 96, 105, 114) for offset in (0, 2, 4, 6)]
BLOCK = 13  # columns
CROWDED, ROOMY = ((46, 22), (70, 82)), ((22, 46), (70, 82))  # rows of a block above and below the middle: the buffer's, the other
# (half, quarter of the width) of each port. The block that is left over is for the rest of the card.
BLOCKS = [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 3), (1, 2)]

PORT = re.compile(r"g_(input|link|nic)\[(\d+)\]")
# A row's memories from the middle of the width outwards, by their instances.
ROWS = (("i_cells.i_cells", "i_buffer.g"), ("cells_tx|i_eject", "credits_tx", "i_lrt", "i_grt"))


def _port(name, links):
    """Of the memory `name`; None if it belongs to none."""
    found = PORT.search(name)
    return found and int(found[2]) + (links if found[1] == "nic" else 0)


def _place(name):
    """(row, place in it), counted from the middle of the width. One that ROWS does not know stands at the outer end."""
    known = ((r, p) for r, row in enumerate(ROWS) for p, part in enumerate(row) if re.search(part, name))
    return next(known, (1, len(ROWS[1])))


def sites(memories, halves=CROWDED):
    """{memory: site} of the memories of ports, or {} if they do not go into the blocks."""
    units = {found.groups() for found in map(PORT.search, memories) if found}
    links = sum(unit == "input" for unit, _ in units) - sum(unit == "nic" for unit, _ in units)
    rows = collections.defaultdict(list)
    for name in sorted(memories):
        port = _port(name, links)
        if port is not None:
            row, place = _place(name)
            rows[port, row].append((place, name))
    if any(port >= len(BLOCKS) for port, _ in rows) or any(len(row) > BLOCK for row in rows.values()):
        return {}
    found = {}
    for (port, row), ranked in rows.items():
        half, quarter = BLOCKS[port]
        columns = range(quarter * BLOCK, (quarter + 1) * BLOCK)
        for (_, name), column in zip(sorted(ranked), columns if quarter >= 2 else reversed(columns)):
            found[name] = f"X{COLUMNS[column]}/Y{halves[half][row]}/EBR{column % 4}"
    return found


def middle(port):
    """Tile in the middle of a port's block."""
    half, quarter = BLOCKS[port]
    return COLUMNS[quarter * BLOCK + BLOCK // 2], sum(CROWDED[half]) // 2


def fix(module, halves=CROWDED):
    """Ties the block RAMs of a netlist's module to their sites."""
    cells = module["cells"]
    for name, site in sites([name for name, cell in cells.items() if cell["type"] == "DP16KD"], halves).items():
        cells[name]["attributes"]["BEL"] = site
