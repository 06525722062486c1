#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a synthesis says: reads the files that synth.py leaves in a folder, writes report.json and report.txt.

usage: report.py FOLDER

FOLDER holds run.json (profile, target, versions, times, seeds), stat.json and yosys.log of yosys and, after
place and route, netlist.json and for each seed seed-N/nextpnr.json and seed-N/nextpnr.log.
"""

import collections
import json
import pathlib
import re
import sys

from targets import FAMILIES, TARGETS

CARD, PINS = "xt_card", "xt_card_pins"


def counts(cells, family):
    """Number of cells by part of the family: {"LUT", "FF", "BRAM", ..., "parts": {...}}"""
    parts = {}
    for part, (weight, prefixes) in family.parts.items():
        number = sum(count for kind, count in cells.items() if kind.startswith(prefixes))
        parts[part] = (number, weight * number)
    taken = {part: weighted for part, (_, weighted) in parts.items()}
    return {
        "LUT": sum(taken.get(part, 0) for part in ("logic", "carry", "ram", "ram2", "shift")),
        "logic": taken["logic"],
        "carry": parts["carry"][0],
        "ram": taken.get("ram", 0) + taken.get("ram2", 0) + taken.get("shift", 0),
        "FF": taken["FF"],
        "BRAM": taken["BRAM"] + taken.get("BRAM36", 0),
        "DSP": taken.get("DSP", 0),
    }


def modules(stat):
    """{module: {cell type: number}} of yosys' `stat -json`, without the library's."""
    found = {}
    for name, module in stat["modules"].items():
        cells = module.get("num_cells_by_type") or module.get("cells_by_type") or {}
        found[name.lstrip("\\")] = {kind: number for kind, number in cells.items() if isinstance(number, int)}
    return found


def memories_in_registers(log):
    """yosys makes registers of a memory that fits no RAM, without a warning."""
    found = re.findall(r"(?:Replacing memory|using FF mapping for memory) (\S+?)(?: with list of registers.*)?$", log, re.M)
    return sorted({name.replace("\\", "").removeprefix(CARD + ".") for name in found})


class Names:
    """Names of the signals that cells drive; place and route knows a flip-flop or LUT by a number only."""

    NEAR = 4  # cells to follow in search of a name

    def __init__(self, netlist, top=PINS):
        top = netlist["modules"][top]
        self.cells, self.best, self.readers = top["cells"], {}, {}
        for name, net in top["netnames"].items():
            if net.get("hide_name"):
                continue
            # Of several names of a signal the one where the register stands: ends in _q or _o, or is the highest.
            rank = (not re.search(r"_[qo]$", name), name.count("."), len(name))
            for index, bit in enumerate(net["bits"]):
                if isinstance(bit, int) and (bit not in self.best or rank < self.best[bit][0]):
                    self.best[bit] = (rank, name if len(net["bits"]) == 1 else f"{name}[{index}]")
        for name, cell in self.cells.items():
            for bit in self.inputs(cell):
                self.readers.setdefault(bit, []).append(name)

    @staticmethod
    def bits(cell, direction):
        return [bit for port, bits in cell["connections"].items() if cell["port_directions"][port] == direction
                for bit in bits if isinstance(bit, int)]

    def inputs(self, cell):
        return self.bits(cell, "input")

    def cell(self, name):
        """The cell of the netlist; packing appends to its name."""
        for known in (name, re.sub(r"(_LC|_COMB|_FF|_DFF|_RAM)\d*$", "", name)):
            if known in self.cells:
                return self.cells[known]
        return None

    def of(self, name):
        """The signal that a cell drives or its own name, None if it has none."""
        cell = self.cell(name)
        driven = [self.best[bit][1] for bit in self.bits(cell, "output") if bit in self.best] if cell else []
        if len(driven) == 1:
            return driven[0]
        return None if "$" in name else name

    def near(self, name):
        """As of(); for a register that lost its name the next signal with one that depends on it."""
        found = self.of(name)
        cell = self.cell(name)
        if found or not cell:
            return found or name
        front = self.bits(cell, "output")
        for _ in range(self.NEAR):
            behind = [bit for bit_in in front for reader in self.readers.get(bit_in, [])
                      for bit in self.bits(self.cells[reader], "output")]
            named = sorted(self.best[bit] for bit in behind if bit in self.best)
            if named:
                return f"a register before {short(named[0][1])}"
            front = behind
        return name


def short(name):
    """A signal without the wrapper's instance, and without what a tool appended."""
    return re.sub(r"(\.mem)?\.\d+\.\d+(_\w+)?$", "", name.removeprefix("i_card."))


def instance(name):
    """The instance that a signal belongs to."""
    return name.rpartition(".")[0]


def critical_path(timing, names):
    """The longest path from a register to a register, with instances it passes."""
    inside = [path for path in timing["critical_paths"]
              if path["from"].startswith("posedge") and path["to"].startswith("posedge")]
    if not inside:
        return None
    steps = max(inside, key=lambda path: sum(step["delay"] for step in path["path"]))["path"]
    routing = sum(step["delay"] for step in steps if step["type"] == "routing")
    total = sum(step["delay"] for step in steps)
    first, last = steps[0]["from"], steps[-1]["to"]
    through = []
    for step in steps:
        name = names.of(step["to"]["cell"])
        if name and instance(short(name)) not in through[-1:]:
            through.append(instance(short(name)))
    return {
        "from": short(names.near(first["cell"])),
        "to": short(names.near(last["cell"])),
        "through": [name for name in through if name],
        "levels": sum(step["type"] == "logic" for step in steps),
        "ns": round(total, 2),
        "logic_ns": round(total - routing, 2),
        "routing_ns": round(routing, 2),
    }


def utilisation(log):
    """{resource: [used, available]} as nextpnr packed it."""
    found = re.findall(r"^Info:\s+(\w+):\s+(\d+)/\s*(\d+)\s+\d+%", log, re.M)
    return {name: [int(used), int(there)] for name, used, there in found if int(used)}


def clocks(folder, seeds):
    """{seed: MHz of the slowest clock}, None where place and route gave none."""
    found = {}
    for seed in seeds:
        path = folder / f"seed-{seed}" / "nextpnr.json"
        timing = json.loads(path.read_text()) if path.exists() else None
        found[seed] = timing and round(min(clock["achieved"] for clock in timing["fmax"].values()), 1)
    return found


def median(clocks):
    """The seed in the middle, by clock; the slower one of two."""
    ranked = sorted(clocks, key=lambda seed: (clocks[seed] or 0, seed))
    return ranked[(len(ranked) - 1) // 2]


def collect(folder):
    folder = pathlib.Path(folder)
    run = json.loads((folder / "run.json").read_text())
    target = TARGETS[run["target"]]
    family = FAMILIES[target.family]
    by_module = modules(json.loads((folder / "stat.json").read_text()))
    report = dict(run, device=target.device)
    report["card"] = counts(by_module[CARD], family)
    wrapper = counts(by_module[PINS], family)
    report["wrapper"] = {"LUT": wrapper["LUT"], "FF": wrapper["FF"]}
    report["registers_for_memories"] = memories_in_registers((folder / "yosys.log").read_text())
    reached = clocks(folder, run["seeds"])
    report["seed"] = median(reached)
    routed = folder / f"seed-{report['seed']}"
    log = routed / "nextpnr.log"
    if log.exists():
        said = log.read_text()
        report["used"] = utilisation(said)
        refused = re.findall(r"^ERROR: (.*)$", said, re.M)
        if refused or not reached[report["seed"]]:
            report["refused"] = refused[0] if refused else "did not end"
    if reached[report["seed"]]:
        report["fmax_mhz"], report["fmax_mhz_of_seeds"] = reached[report["seed"]], list(reached.values())
        timing = json.loads((routed / "nextpnr.json").read_text())
        report["critical_path"] = critical_path(timing, Names(json.loads((folder / "netlist.json").read_text())))
    return report


def of_seeds(report):
    """How the frequency was found."""
    reached = report["fmax_mhz_of_seeds"]
    if len(reached) == 1:
        return f"seed {report['seed']}"
    least = "none" if None in reached else min(reached)
    return f"median of {len(reached)} seeds, {least} to {max(filter(None, reached))}"


def text(report):
    card, target = report["card"], TARGETS[report["target"]]
    lines = [f"{report['profile']} on {report['target']} ({report['device']})",
             f"  LUT    {card['LUT']:7}  {card['logic']} logic, {card['ram']} as RAM, {card['carry']} carry cells",
             f"  FF     {card['FF']:7}",
             f"  BRAM   {card['BRAM']:7}  of {FAMILIES[target.family].ram}"]
    if card["DSP"]:
        lines.append(f"  DSP    {card['DSP']:7}")
    lines.append(f"  and around the card, for want of pins: {report['wrapper']['LUT']} LUT, {report['wrapper']['FF']} FF")
    for name, (used, there) in report.get("used", {}).items():
        if name in ("TRELLIS_COMB", "TRELLIS_FF", "DP16KD", "ICESTORM_LC", "ICESTORM_RAM"):
            lines.append(f"  {name}: {used} of {there}, {100 * used / there:.0f} %")
    if "refused" in report:
        lines.append(f"  NOT PLACED AND ROUTED: {report['refused']}")
    if "fmax_mhz" in report:
        lines.append(f"  Fmax   {report['fmax_mhz']:7} MHz after route, {of_seeds(report)}")
    path = report.get("critical_path")
    if path:
        lines += [f"  critical path {path['ns']} ns: {path['levels']} levels, {path['logic_ns']} ns logic, "
                  f"{path['routing_ns']} ns routing",
                  f"    from {path['from']}", f"    to   {path['to']}"]
        lines += [f"    by   {name}" for name in path["through"]]
    if report.get("bitstream"):
        lines.append(f"  bitstream {report['bitstream']['file']}, {report['bitstream']['bytes']} bytes")
    alike = collections.Counter(re.sub(r"\[\d+\]", "[*]", name) for name in report["registers_for_memories"])
    lines += [f"  memory in registers: {name} ({number})" for name, number in alike.items()]
    lines += [f"  {tool}: {version}" for tool, version in report["tools"].items()]
    lines.append("  wall time: " + ", ".join(f"{step} {seconds:.0f} s" for step, seconds in report["seconds"].items()))
    return "\n".join(lines) + "\n"


def write(folder):
    folder = pathlib.Path(folder)
    report = collect(folder)
    (folder / "report.json").write_text(json.dumps(report, indent=2) + "\n")
    (folder / "report.txt").write_text(text(report))
    return report


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(text(write(sys.argv[1])), end="")
