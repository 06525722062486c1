# SPDX-License-Identifier: Apache-2.0
"""The switch allocator of a large card in the middle of the device: its requests, the free inputs and outputs, and
the LUTs between its own registers.

The allocator talks to all ports alike. nextpnr's placers put parts of it beside one port or the other, and its
ways cross the device more than once. The requests come together in one register, with a row for each input. Their
sources stand beside them. Annealing places the LUTs here: each of their nets spans few tiles, up to the block of
the port for nets that leave. The registers of its orders have no other users and follow by themselves.
"""

import math
import re

import annealing
import connections
import floorplan
import resets
import spread

MIDDLE = (61, 58)  # of the device, and of floorplan.py's blocks
PORT = re.compile(r"g_input\[(\d+)\]")
REQUESTS = re.compile(r"i_switch_allocator\.request_q$")
FREE = re.compile(r"i_switch\.(input|output)_free_q$")
OWN = re.compile(r"\.i_switch_allocator\.")  # mapped by itself: all of its LUTs
ORDERS = re.compile(r"i_islip\.(grant|accept)_order_q$")

SITES = ("SLICEA.K1", "SLICEB.K0", "SLICEB.K1", "SLICEC.K0")  # of a tile; SLICEA.K0 is that of a request
FILL = 0.8  # of the sites in the square


def _rows(number):
    """So many rows of the device with slices, those nearest to the middle."""
    y = MIDDLE[1]
    rows = [row for row in range(y - 2 * number, y + 2 * number) if row not in spread.RAMS_AND_MULTIPLIERS]
    return sorted(sorted(rows, key=lambda row: abs(row - y))[:number])


def _columns(number):
    return list(range(MIDDLE[0] - number // 2, MIDDLE[0] - number // 2 + number))


def registers(ports):
    """Tiles: of each request, a row for an input; of the free inputs, beside their rows; of the free outputs, below."""
    rows, columns = _rows(ports + 1), _columns(ports + 1)
    return ([(x, y) for y in rows[:-1] for x in columns[:-1]], [(columns[-1], y) for y in rows[:-1]],
            [(x, rows[-1]) for x in columns[:-1]])


class _Matching(connections.Connections):
    """What a netlist's module has of it. `tiles`: of a bit, the tile of the register that makes it; `tied`: of the LUT before
    that register, the bit."""

    def __init__(self, module):
        super().__init__(module)
        self.tiles, self.tied = {}, {}

    def tie_register(self, bit, tile):
        """The register of a bit, with the LUT before it if that has no other user."""
        register = self.cells.get(self.makes.get(bit), {"type": ""})
        if register["type"] != "TRELLIS_FF":
            return
        self.tiles[bit] = tile
        site = "X{}/Y{}/SLICEA".format(*tile)
        register["attributes"]["BEL"] = f"{site}.FF0"
        data = (register["connections"].get("DI") or [None])[0]
        lut = self.cells.get(self.makes.get(data), {"type": ""})
        if lut["type"] == "LUT4" and len(self.users[data]) == 1:
            lut["attributes"]["BEL"] = f"{site}.K0"
            self.tied[self.makes[data]] = bit

    def luts(self, sources):
        """{bit: LUT} of those that are OWN, or look at nothing but `sources` and at each other, and do not go into a
        register: such a one stands with it."""
        inputs = {cell["connections"]["Z"][0]: [bit for port in "ABCD" for bit in cell["connections"].get(port, [])
                                                if isinstance(bit, int)]
                  for cell in self.cells.values() if cell["type"] == "LUT4" and cell["connections"].get("Z")}
        own = {bit for bit in inputs if OWN.search(self.makes[bit])}
        known, fresh = {*sources, *own}, {*sources, *own}
        while fresh:
            seen = {self.cells[user]["connections"]["Z"][0] for bit in fresh for user in self.users[bit]
                    if self.cells[user]["type"] == "LUT4" and self.cells[user]["connections"].get("Z")}
            fresh = {bit for bit in seen - known if all(source in known for source in inputs[bit])}
            known |= fresh
        return {bit: self.makes[bit] for bit in sorted(known - set(sources))
                if not any(self.cells[user]["type"] == "TRELLIS_FF" for user in self.users[bit])}


def fix(module, reset):
    """Ties it, in a netlist's module; `reset`: the register of the reset. For an ECP5; a module without requests stays as
    it is."""
    matching = _Matching(module)
    requests = matching.bits(REQUESTS)
    if not requests:
        return
    tiles, inputs, outputs = registers(math.isqrt(len(requests)))
    free = {match[1]: net["bits"] for name, net in module["netnames"].items() if (match := FREE.search(name))}
    for bits, places in ((requests, tiles), (free.get("input", []), inputs), (free.get("output", []), outputs)):
        for bit, tile in zip(bits, places):
            matching.tie_register(bit, tile)
    matching.part(OWN)
    orders = [bit for name, net in module["netnames"].items() if ORDERS.search(name) for bit in net["bits"]]
    luts = matching.luts([*matching.tiles, *orders])
    if not luts:
        return
    side = math.ceil(math.sqrt(len(luts) / (len(SITES) * FILL)))
    sites = [(x, y, site) for y in _rows(side) for x in _columns(side) for site in SITES]
    outputs = {name: bit for bit, name in luts.items()}
    stands = {**outputs, **matching.tied}
    nets = [[bit, *ends] for bit in [*luts, *matching.tiles, *orders]
            if (ends := sorted({stands[user] for user in matching.users[bit] if user in stands}))]
    units, ports = resets.Copies(module, reset), {}
    for bit in luts:
        users = [user for user in matching.users[bit] if user not in outputs]
        for port in {int(found[1]) for user in users if (found := PORT.match(units.unit(user)))}:
            if port < len(floorplan.BLOCKS):
                ports[f"port {port}"] = floorplan.middle(port)
                nets.append([bit, f"port {port}"])
    found = annealing.anneal(nets, {**matching.tiles, **ports}, sorted(luts), sites)
    for bit, (x, y, site) in found.items():
        module["cells"][luts[bit]]["attributes"]["BEL"] = f"X{x}/Y{y}/{site}"
