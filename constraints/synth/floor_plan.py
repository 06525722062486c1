# SPDX-License-Identifier: Apache-2.0
"""Where the block RAMs of a card's queues stand on an ECP5-85F, as commands for yosys.

nextpnr puts a cell with the attribute BEL where the attribute says, and the placer draws all other logic towards such cells.
The netlist stays as it is. Without this the placer puts the logic of some inputs 20 to 35 rows from their queue heads, which
are read and decided upon within a cycle.

An 85F has its block RAMs in four rows. The inputs stand side by side in the two middle rows, with the allocator and the
crossbar between them: the 3 block RAMs of each that tell its heads. So the outermost inputs are near. The placer puts the
allocator right of the middle, so the rows stand there too. The placer finds the places of all other memories.
With a link layer the cells of the inputs stand on both sides of these. The placer put them and the replay buffers, the memories
with the widest words, into one row, whose wires did not do. It puts the links to the right. So the cells that would stand
there are in the outer rows, at every second place. rtl/architecture.md has what was tried.
More block RAMs between the heads would move the outermost inputs away. Tables of a NIC there made the wire of the card
a fifth to a quarter longer.
"""

import re

COLUMNS = [base + 2 * site for base in (*range(4, 59, 9), *range(69, 115, 9)) for site in range(4)]  # of each row
LOWER_ROW, UPPER_ROW = 46, 70
OUTER_ROW = {LOWER_ROW: 22, UPPER_ROW: 82}
RIGHT_OF_MIDDLE = 5
FIRST_OF_OUTER_ROW = 32  # place from which cells stand there
QUEUES = "i_card.i_switch.g_input[{}].i_input_unit.i_buffer.i_queues.g_ram.i_queues."
CELLS = "i_card.i_switch.g_input[{}].i_input_unit.i_buffer.g_linked.i_cells.i_cells.mem.0."
# Of an input, from left to right.
MEMORIES = ["i_head_linked", "i_second", "i_head_next"]


def site(row, place):
    return f"X{COLUMNS[place]}/Y{row}/EBR{place % 4}"


def places(inputs, cell_rams=0):
    """{block RAM: site} of a card with so many inputs, with the block RAMs that hold the cells of each if that is not 0. Empty
    if a row is too short."""
    lower = (inputs + 1) // 2
    found = {}
    for row, first, last in ((LOWER_ROW, 0, lower), (UPPER_ROW, lower, inputs)):
        queues = [f"{QUEUES.format(i)}{memory}.mem.0.0" for i in range(first, last) for memory in MEMORIES]
        cells = [f"{CELLS.format(i)}{k}" for i in range(first, last) for k in range(cell_rams)]
        before = (last - first) // 2 * cell_rams
        left = (len(COLUMNS) - len(queues)) // 2 + RIGHT_OF_MIDDLE - before
        row_of = cells[:before] + queues
        last_of_outer_row = FIRST_OF_OUTER_ROW + 2 * (len(cells) - before) - 2
        if left < 0 or max(left + len(row_of) - 1, last_of_outer_row) >= len(COLUMNS):
            return {}
        found.update((name, site(row, left + k)) for k, name in enumerate(row_of))
        found.update((name, site(OUTER_ROW[row], FIRST_OF_OUTER_ROW + 2 * k)) for k, name in enumerate(cells[before:]))
    return found


def commands(package, target):
    """Commands for yosys that place the block RAMs of the card of `package`, the text of its xt_pkg.sv. yosys fails if one of
    them does not exist. None for other devices, and for cards with other memories."""
    def parameter(name):
        return int(re.search(rf"localparam int {name} = (\d+);", package)[1])

    # A block RAM has 512 words of 36 bits. A cell with a link layer has a bit that tells whether its packet is whole.
    wanted = {}
    if parameter("HasLinkLayer") and parameter("BufferCells") == 512:
        wanted = places(parameter("Ports"), -(-(parameter("CellBits") + 1) // 36))
    wanted = wanted or places(parameter("Ports"))
    if target != "ecp5-85f" or parameter("BlockRamOnly") or not parameter("HasAdaptive"):
        return []
    return [command for name, where in wanted.items() for selection in ["xt_card_pins/c:" + re.sub(r"[][]", "?", name)]
            for command in (f"select -assert-count 1 {selection}", f'setattr -set BEL "{where}" {selection}')]
