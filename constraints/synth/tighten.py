# SPDX-License-Identifier: Apache-2.0
"""Shorter ways in a large card that was placed: cells that stand far from those before and behind them are moved.

nextpnr's placer `static` leaves single LUTs half of the device away from all that they have to do with, and a few hundred
ways through them decide the clock. Here the delays are estimated as nextpnr does before it routes; LUTs, flip-flops,
and LUTs with the flip-flop behind them, on ways later than LIMIT are moved one at a time to a free site that makes the
ways through them shorter. Carry chains, LUT RAMs, block RAMs and what is tied to a site stay. Only sites change.
"""

import collections
import re

import spread

LIMIT = 16.0  # ns; ways that are estimated to be later are to become shorter
MARGIN = 1.0  # ns before it, in which a way counts too
ROUNDS = 20
ENOUGH = 10  # moves in a round; after one with fewer there is none
RADIUS = 3  # tiles around a place that is tried
MOST_NEIGHBOURS = 6  # of a cell, those on the latest ways, decide what is tried
MOST_PLACES = 10  # of those tried that are looked at for room
# The cost of a place is what ways lack, in ns squared, and so much of the length of wires, which are as many as there is
# room for. Long wires of ways that are not late count for less, and those of a net with MANY users, which may be there
# anyway.
LENGTH, EARLY, SHARED, MANY = 0.02, 0.1, 0.25, 8
LEAST_GAIN = 0.03

# Delays in ns, at speed grade 8.
STEP, NEAR, BASE = 0.076, 5, 3  # a wire: BASE steps, two for each of the first NEAR tiles each way, one for each further tile
LUT, CARRY, ALONG_CARRY = 0.24, 0.44, 0.04
CLOCK_TO_OUT = {"TRELLIS_FF": 0.52, "DP16KD": 4.2}

CLOCKS = {"CLK", "CLKA", "CLKB", "WCK"}
DIRECT = {"DI", "FXA", "FXB", "F1", "DI0", "DI1"}  # inputs with wires of their own
OF_A_PLAIN_LUT = {"A", "B", "C", "D", "F"}
LOCKED = 5  # nextpnr's strength of what the user has placed
PLACE = re.compile(r"X(\d+)/Y(\d+)/(?:SLICE([A-D])\.(?:K|FF)([01]))?")
SLOTS = [(part, half) for part in "ABCD" for half in "01"]

FAR = [STEP * (max(d - NEAR, 0) + 2 * min(d, NEAR)) for d in range(256)]


class Card:
    """A module as nextpnr writes it after placement. Cells are numbers."""

    def __init__(self, module):
        self.cells = list(module["cells"].values())
        self.names = list(module["cells"])
        self.kind = [cell["type"] for cell in self.cells]
        self.x, self.y, self.slot = [], [], []
        for cell in self.cells:
            found = PLACE.match(cell["attributes"].get("NEXTPNR_BEL", "X0/Y0/"))
            self.x.append(int(found[1]))
            self.y.append(int(found[2]))
            self.slot.append((found[3], found[4]) if found[3] else None)
        self.connect()
        self.sort()
        self.settle()

    def signal(self, i, port):
        bits = self.cells[i]["connections"].get(port)
        return bits[0] if bits else None

    def value(self, i, parameter):
        return self.cells[i]["parameters"].get(parameter, "").strip()

    def mode(self, i):
        return self.value(i, "MODE") or "LOGIC"

    # ---------------------------------------------------------------- wires

    def connect(self):
        """ins[i], outs[i]: (other cell, delay or None if it depends on the places)."""
        driver, takers = {}, collections.defaultdict(list)
        for i, cell in enumerate(self.cells):
            for port, bits in cell["connections"].items():
                if bits and cell["port_directions"][port] == "output":
                    driver[bits[0]] = i
                elif bits and port not in CLOCKS:
                    takers[bits[0]].append((i, port))
        self.ins, self.outs = [[] for _ in self.cells], [[] for _ in self.cells]
        for bit, i in driver.items():
            # Constants have no delay, and writes of LUT RAMs no wires of their own.
            if self.kind[i] in ("DCCA", "TRELLIS_RAMW") or self.names[i].startswith("$PACKER_"):
                continue
            for j, port in takers[bit]:
                delay = ALONG_CARRY - CARRY if port == "FCI" else 0.0 if port in DIRECT else None
                self.ins[j].append((i, delay))
                self.outs[i].append((j, delay))

    def passes(self, i):
        """Whether the cell is logic, where ways neither begin nor end."""
        return self.kind[i] == "TRELLIS_COMB"

    def sort(self):
        """order: logic, each cell behind those it depends on; through[i]: its delay."""
        self.through = [0.0 if not self.passes(i) else CARRY if self.mode(i) == "CCU2" else LUT for i in range(len(self.cells))]
        missing = [sum(self.passes(j) for j, _ in self.ins[i]) if self.passes(i) else None for i in range(len(self.cells))]
        self.order = [i for i, count in enumerate(missing) if count == 0]
        for i in self.order:
            for j, _ in self.outs[i]:
                if self.passes(j):
                    missing[j] -= 1
                    if missing[j] == 0:
                        self.order.append(j)

    def wire(self, i, x, y):
        return STEP * BASE + FAR[abs(self.x[i] - x)] + FAR[abs(self.y[i] - y)]

    def delay(self, i, j, fixed):
        return self.wire(i, self.x[j], self.y[j]) if fixed is None else fixed

    def time(self):
        """arrival[i], required[i] at the outputs of cells, required so that no way is later than LIMIT; the arrivals at the
        ends."""
        arrival = self.arrival = [CLOCK_TO_OUT.get(kind, 0.0) for kind in self.kind]
        required = self.required = [float("inf")] * len(self.cells)
        for i in self.order:
            arrival[i] = self.through[i] + max((arrival[j] + self.delay(j, i, fixed) for j, fixed in self.ins[i]), default=0.0)
        ends = {}
        for i in range(len(self.cells)):
            if not self.passes(i) and self.ins[i]:
                ends[i] = max(arrival[j] + self.delay(j, i, fixed) for j, fixed in self.ins[i])
                for j, fixed in self.ins[i]:
                    required[j] = min(required[j], LIMIT - self.delay(j, i, fixed))
        for i in reversed(self.order):
            at_input = required[i] - self.through[i]
            for j, fixed in self.ins[i]:
                required[j] = min(required[j], at_input - self.delay(j, i, fixed))
        return ends

    # ---------------------------------------------------------------- sites

    def control(self, i):
        """What the flip-flops of a tile have in common, as nextpnr has it, and those of a slice besides."""
        return ((self.signal(i, "LSR"), self.value(i, "LSRMUX"), self.value(i, "SRMODE"),
                 self.signal(i, "CLK"), self.value(i, "CLKMUX")),
                (self.signal(i, "CE"), self.value(i, "CEMUX"), self.value(i, "GSR")))

    def settle(self):
        """Who stands where, the tiles that can take a cell, and units, the (LUT, flip-flop) that move together, either of
        which may be None."""
        self.lut_at, self.register_at, occupied = {}, {}, set()
        for i, slot in enumerate(self.slot):
            place = (self.x[i], self.y[i])
            if self.kind[i] == "TRELLIS_RAMW":
                occupied.add(place)
            elif slot:
                (self.lut_at if self.passes(i) else self.register_at)[*place, *slot] = i
        self.tiles = {(x, y) for x in range(spread.COLUMNS[0], spread.COLUMNS[1] + 1)
                      for y in range(spread.ROWS[0], spread.ROWS[1] + 1) if y not in spread.RAMS_AND_MULTIPLIERS} - occupied
        behind = {}  # the flip-flop that takes a LUT's output by the slice's own wire
        for i, kind in enumerate(self.kind):
            if kind == "TRELLIS_FF" and self.signal(i, "DI") is not None:
                behind.update((j, i) for j, fixed in self.ins[i] if fixed is not None)
        self.units = [(i, behind.get(i)) for i in range(len(self.cells)) if self.is_plain_lut(i)]
        self.units += [(None, i) for i, kind in enumerate(self.kind) if kind == "TRELLIS_FF" and self.signal(i, "DI") is None]
        self.units = [unit for unit in self.units if not any(i is not None and self.is_tied(i) for i in unit)]
        self.unit_of = {i: unit for unit in self.units for i in unit if i is not None}

    def is_plain_lut(self, i):
        used = {port for port, bits in self.cells[i]["connections"].items() if bits}
        return self.passes(i) and self.mode(i) == "LOGIC" and "F" in used and used <= OF_A_PLAIN_LUT

    def is_tied(self, i):
        return "BEL" in self.cells[i]["attributes"] or self.names[i].startswith("$PACKER_")

    def room(self, tile, unit):
        """A slot of the tile for the unit, or None."""
        lut, register = unit
        if tile not in self.tiles:
            return None
        if register is not None:
            mine = self.control(register)
            there = [self.register_at.get((*tile, *slot)) for slot in SLOTS]
            if any(i is not None and self.control(i)[0] != mine[0] for i in there):
                return None
        for part, half in SLOTS:
            other = "1" if half == "0" else "0"
            lut_there, register_there = self.lut_at.get((*tile, part, half)), self.register_at.get((*tile, part, half))
            if lut is not None:
                beside = self.lut_at.get((*tile, part, other))
                if lut_there is not None or (beside is not None and self.mode(beside) != "LOGIC"):
                    continue
            elif lut_there is not None and not self.is_plain_lut(lut_there):
                continue
            if register is not None:
                beside = self.register_at.get((*tile, part, other))
                if register_there is not None or (beside is not None and self.control(beside) != mine):
                    continue
            elif register_there is not None and self.signal(register_there, "DI") is not None:
                continue
            return part, half
        return None

    def place(self, unit, tile, slot):
        for i, there in zip(unit, (self.lut_at, self.register_at)):
            if i is not None:
                del there[self.x[i], self.y[i], *self.slot[i]]
                self.x[i], self.y[i], self.slot[i] = *tile, slot
                there[*tile, *slot] = i

    # ---------------------------------------------------------------- moves

    def pins(self, unit):
        """(cell, other cell, whether it drives, slack) of the unit's wires that depend on its place."""
        for i in unit:
            if i is not None:
                for j, fixed in self.ins[i]:
                    if fixed is None and j not in unit:
                        yield i, j, False, self.at_input(i) - self.arrival[j] - self.delay(j, i, None)
                for j, fixed in self.outs[i]:
                    if fixed is None and j not in unit:
                        yield i, j, True, self.at_input(j) - self.arrival[i] - self.delay(i, j, None)

    def at_input(self, i):
        """When a signal must be at an input of the cell."""
        return self.required[i] - self.through[i] if self.passes(i) else LIMIT

    def cost(self, unit, pins, tile):
        """What the ways through the unit lack, and the length of its wires, if it stands there: long ones count more, so
        that cells in a row are drawn along."""
        x, y = tile
        length, times = 0.0, {i: ([], []) for i in unit if i is not None}
        drives = collections.Counter(i for i, _, out, _ in pins if out)
        for i, j, out, slack in pins:
            wire = self.wire(j, x, y)
            weight = SHARED if out and drives[i] >= MANY else 1
            length += (wire + wire * wire * (1.0 if slack < MARGIN else EARLY)) * weight
            times[i][out].append(self.at_input(j) - wire if out else self.arrival[j] + wire)
        lack = 0.0
        for i, (arrive, leave) in times.items():
            leave = sorted(leave)[:3]
            if not self.passes(i):
                lack += sum(max(0.0, MARGIN - (LIMIT - t)) ** 2 for t in arrive)
                arrive = [CLOCK_TO_OUT[self.kind[i]]]
            elif unit[1] is not None:
                leave.append(LIMIT)
            lack += sum(max(0.0, MARGIN - (after - before - self.through[i])) ** 2 for before in arrive for after in leave)
        return lack + LENGTH * length

    def tries(self, pins):
        """Tiles that are tried for a unit: around its neighbours on the latest ways, and between them."""
        near = [(self.x[j], self.y[j]) for _, j, _, _ in sorted(pins, key=lambda pin: pin[3])[:MOST_NEIGHBOURS]]
        middles = {tuple(sorted(way)[len(near) // 2] for way in zip(*near)), *near[:3]}
        middles |= {((x + near[0][0]) // 2, (y + near[0][1]) // 2) for x, y in near[1:]}
        middles = {tuple(min(max(at, low), high) for at, (low, high) in zip(middle, (spread.COLUMNS, spread.ROWS)))
                   for middle in middles}
        return sorted({(x + dx, y + dy) for x, y in middles for dx in range(-RADIUS, RADIUS + 1)
                       for dy in range(-RADIUS, RADIUS + 1)} & self.tiles)

    def better(self, unit, pins):
        """(what is gained, tile) of the best places for the unit, the best one first."""
        here = next((self.x[i], self.y[i]) for i in unit if i is not None)
        present = self.cost(unit, pins, here)
        gains = sorted((self.cost(unit, pins, tile) - present, tile) for tile in self.tries(pins)
                       if tile != here and self.might_take(tile, unit))
        return [(-cost, tile) for cost, tile in gains[:MOST_PLACES] if cost < -LEAST_GAIN]

    def might_take(self, tile, unit):
        lut, register = unit
        return any((lut is None or (*tile, *slot) not in self.lut_at)
                   and (register is None or (*tile, *slot) not in self.register_at) for slot in SLOTS)

    def round(self):
        """Each unit on a late way at most once, none beside one that has moved, those that gain most first: of cells in
        a row the one that stands apart, not those that could come to it. The number of moves."""
        found = []
        for unit in self.units:
            pins = list(self.pins(unit))
            if min((pin[3] for pin in pins), default=MARGIN) < MARGIN / 2:
                places = self.better(unit, pins)
                if places:
                    found.append((-places[0][0], len(found), unit, places, [j for _, j, _, _ in pins]))
        moved, still = 0, set()
        for _, _, unit, places, neighbours in sorted(found):
            if not any(i in still for i in unit):
                tile, slot = next(((tile, slot) for _, tile in places if (slot := self.room(tile, unit))), (None, None))
                if slot:
                    self.place(unit, tile, slot)
                    moved += 1
                    still.update(neighbours)
        return moved

    def write(self):
        """The places into the module."""
        for unit in self.units:
            for i, what in zip(unit, ("K", "FF")):
                if i is not None:
                    part, half = self.slot[i]
                    self.cells[i]["attributes"]["NEXTPNR_BEL"] = f"X{self.x[i]}/Y{self.y[i]}/SLICE{part}.{what}{half}"


def lock(module):
    """Ties all cells to their sites: a placer then only checks that each may stand there."""
    for cell in module["cells"].values():
        cell["attributes"]["BEL_STRENGTH"] = f"{LOCKED:032b}"


def tighten(module):
    """Moves cells of a placed module. The latest end before and after, in ns as estimated."""
    card = Card(module)
    ends = card.time()
    first = best = (max(ends.values()), len(ends))
    for _ in range(ROUNDS):
        moved = card.round()
        ends = card.time()
        found = max(ends.values()), sum(end > LIMIT for end in ends.values())
        if found < best:
            best = found
            card.write()
        if moved < ENOUGH:
            break
    return first[0], best[0]
