# SPDX-License-Identifier: Apache-2.0
"""The matching of a large card in the middle of the device: its requests, who is free, and the LUTs between registers of
its own.

It talks to all ports alike, and nextpnr's placers put parts of it beside one port or the other: its ways then cross the
device more than once. The requests come together in one register and have a row for each input; what else tells it
something stands beside them. Its LUTs are placed here, by annealing: each net of theirs is to span few tiles, those that
leave it as far as the block of the port they go to. The registers of its orders, which have no other users, follow by
themselves.
"""

import collections
import copy
import math
import random
import re

import floorplan
import resets
import spread

MIDDLE = (61, 58)  # of the device, and of floorplan.py's blocks
PORT = re.compile(r"g_input\[(\d+)\]")
REQUESTS = re.compile(r"i_matching\.request_q$")
FREE = re.compile(r"i_switch\.(input|output)_free_q$")
OWN = re.compile(r"\.i_matching\.")  # mapped by itself: all of its LUTs
SAME = "1" * 8 + "0" * 8  # of a LUT: what D says
ORDERS = re.compile(r"i_islip\.(grant|accept)_order_q$")

SITES = ("SLICEA.K1", "SLICEB.K0", "SLICEB.K1", "SLICEC.K0")  # of a tile; SLICEA.K0 is that of a request
FILL = 0.8  # of the sites in the square
MOVES = 1600  # per LUT
HOT, COLD = 8.0, 0.01  # tiles


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


class _Matching:
    """What a netlist's module has of it. `tiles`: of a bit, the tile of the register that makes it; `tied`: of the LUT before
    that register, the bit."""

    def __init__(self, module):
        self.module, self.cells = module, module["cells"]
        self.makes, self.users, self.tiles, self.tied = {}, collections.defaultdict(list), {}, {}
        for name, cell in self.cells.items():
            for port, bits in cell["connections"].items():
                for bit in bits:
                    if cell["port_directions"][port] == "output":
                        self.makes[bit] = name
                    else:
                        self.users[bit].append(name)

    def bits(self, pattern):
        return next((net["bits"] for name, net in self.module["netnames"].items() if pattern.search(name)), [])

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

    def part(self):
        """An OWN LUT that goes into registers and elsewhere gets a LUT between itself and each of them: nextpnr places a LUT
        together with the register behind it, and that is not where the others need it."""
        last = max([*self.makes, *self.users], key=lambda bit: bit if isinstance(bit, int) else 0)
        for name, cell in list(self.cells.items()):
            if cell["type"] != "TRELLIS_FF":
                continue
            data = (cell["connections"].get("DI") or [None])[0]
            lut = self.cells.get(self.makes.get(data), {"type": ""})
            if lut["type"] != "LUT4" or not OWN.search(self.makes[data]) or len(self.users[data]) == 1:
                continue
            last += 1
            between = copy.deepcopy(lut)
            between["connections"] = {"A": ["0"], "B": ["0"], "C": ["0"], "D": [data], "Z": [last]}
            between["port_directions"] = {port: "output" if port == "Z" else "input" for port in "ABCDZ"}
            between["parameters"] = {**lut.get("parameters", {}), "INIT": SAME}
            self.cells[f"$between${name}"] = between
            self.makes[last], self.users[last] = f"$between${name}", [name]
            self.users[data] = [f"$between${name}" if user == name else user for user in self.users[data]]
            cell["connections"]["DI"] = [last]

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


def _anneal(nets, fixed, movable, sites, moves):
    """{movable: site} so that the nets, lists of what is fixed or movable, span few tiles. What is neither stands in the
    middle of its net's others."""
    rng = random.Random(1)
    sites = list(sites)
    at = dict(zip(movable, rng.sample(sites, len(movable))))
    holds = {site: end for end, site in at.items()}
    tile = {**fixed, **{end: site[:2] for end, site in at.items()}}
    of = collections.defaultdict(list)
    for number, net in enumerate(nets):
        for end in net:
            of[end].append(number)
    loose = [end for end in of if end not in tile]
    tile.update({end: MIDDLE for end in loose})

    def span(number):
        xs, ys = zip(*(tile[end] for end in nets[number]))
        return max(xs) - min(xs) + max(ys) - min(ys)

    def settle():
        for end in loose:
            others = [tile[other] for number in of[end] for other in nets[number] if other != end]
            tile[end] = tuple(sorted(axis)[len(axis) // 2] for axis in zip(*others))
        return [span(number) for number in range(len(nets))]

    reach = max(max(abs(a[0] - b[0]), abs(a[1] - b[1])) for a in (sites[0], sites[-1]) for b in (sites[0], sites[-1]))
    spans = settle()
    for move in range(moves):
        left = 1 - move / moves
        if move % (1 + moves // 20) == 0:
            spans = settle()
        end, site = rng.choice(movable), rng.choice(sites)
        here = at[end]
        if site == here or max(abs(site[0] - here[0]), abs(site[1] - here[1])) > max(2, reach * left):
            continue
        other = holds.get(site)
        touched = set(of[end]) | set(of.get(other, ()))
        tile[end] = site[:2]
        if other is not None:
            tile[other] = here[:2]
        longer = {number: span(number) for number in touched}
        more = sum(longer.values()) - sum(spans[number] for number in touched)
        if more <= 0 or rng.random() < math.exp(-more / (HOT * left * left + COLD)):
            for number, length in longer.items():
                spans[number] = length
            del holds[here]
            at[end], holds[site] = site, end
            if other is not None:
                at[other], holds[here] = here, other
        else:
            tile[end] = here[:2]
            if other is not None:
                tile[other] = site[:2]
    return at


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
    matching.part()
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
    for bit, (x, y, site) in _anneal(nets, {**matching.tiles, **ports}, sorted(luts), sites, MOVES * len(luts)).items():
        module["cells"][luts[bit]]["attributes"]["BEL"] = f"X{x}/Y{y}/{site}"
