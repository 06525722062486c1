#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The bitstream of a board: synthesises its top, places and routes it on its pins, checks the clocks and packs it. Leaves
everything, with report.txt and report.json, in build/boards-BOARD. Exit status 1, without a bitstream, if the board does not
fit, a clock is too slow or a tool fails.

Tools: those of PATH, else the WebAssembly builds of the virtual environment, which are slower. Of PATH, yosys must be 0.52 or later.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

from boards import Board  # first: it finds the modules of constraints/synth
from report import Names, counts, critical_path, modules, utilisation
from targets import FAMILIES
from tools import HERE, ROOT, Failed, commit, find, last_lines, run, version

PINS_OPTION = {"ecp5": "--lpf", "ice40": "--pcf"}
YOSYS = (0, 52)
LIBRARY = {"ecp5": "+/ecp5/cells_sim.v +/ecp5/cells_bb.v", "ice40": "+/ice40/cells_sim.v",
           "xilinx7": "+/xilinx/cells_sim.v +/xilinx/cells_xtra.v"}  # for `hierarchy`
SHOWN = ("TRELLIS_COMB", "TRELLIS_FF", "DP16KD", "ICESTORM_LC", "ICESTORM_RAM")
CARDS = "*xt_card"  # with parameters it is called $paramod...\xt_card


def script(board, profile, serial, out):
    """The commands of yosys. Each card is mapped once, by the recipe of synth.py."""
    family = FAMILIES[board.family]
    recipe = (ROOT / HERE / family.recipe).read_text().replace("xt_card_pins", board.top)
    recipe = recipe.replace("keep_hierarchy 1 xt_card", f"keep_hierarchy 1 {CARDS}")
    recipe = recipe.replace("-noiopad -noclkbuf ", "")  # a board has pads
    parameters = dict(board.parameters, **({} if serial is None else {"Serial": serial}))
    change = "".join(f"chparam -set {name} {value} {board.top}\n" for name, value in parameters.items())
    # A top that yosys reads again, once it knows the widths of its parts, would be called $paramod...
    change += f"hierarchy -top {board.top}\nrename -top {board.top}\n"
    defined = "-DXT_SYNTHESIS" + (" -DXT_LUT_RAM" if "ram" in family.parts else "")
    return (f"read_verilog -lib -specify {LIBRARY[board.family]}\n"
            f"read_verilog -sv {defined} {' '.join(board.sources(profile))}\n{change}{recipe}\n"
            f"tee -q -o {out}/stat.json stat -json\nsetattr -mod -unset keep_hierarchy {CARDS}\nflatten\nopt_clean\n"
            f"delete */t:$scopeinfo\nwrite_json {out}/netlist.json\n")


def clocks(timing):
    """[(name, MHz reached, MHz wanted)] of nextpnr's report, the slowest clock relative to its goal first."""
    found = [(name, clock["achieved"], clock["constraint"]) for name, clock in timing["fmax"].items()]
    return sorted(found, key=lambda clock: clock[1] / clock[2])


def text(facts, family):
    whole = facts["cells"]
    lines = [f"{facts['board']} ({facts['device']}), profile {facts['profile']}, commit {facts['commit']}, seed {facts['seed']}",
             f"  LUT    {whole['LUT']:7}  {whole['logic']} logic, {whole['ram']} as RAM, {whole['carry']} carry cells",
             f"  FF     {whole['FF']:7}", f"  BRAM   {whole['BRAM']:7}  of {family.ram}"]
    for name, (used, there) in facts.get("used", {}).items():
        if name in SHOWN:
            lines.append(f"  {name}: {used} of {there}, {100 * used / there:.0f} %")
    for name, reached, wanted in facts.get("clocks", []):
        lines.append(f"  clock {name}: {reached:.1f} MHz, {wanted:.1f} wanted")
    if "critical_path" in facts and facts["critical_path"]:
        path = facts["critical_path"]
        lines.append(f"  critical path {path['ns']} ns ({path['routing_ns']} routing), {path['levels']} levels: "
                     f"{path['from']} to {path['to']}")
    if "bitstream" in facts:
        lines.append(f"  bitstream {facts['bitstream']}")
    lines += [f"  {tool}: {said}" for tool, said in facts["tools"].items()]
    lines.append("  wall time: " + ", ".join(f"{step} {seconds:.0f} s" for step, seconds in facts["seconds"].items()))
    return "\n".join(lines) + "\n"


def cells(out, top, family):
    """Cells of the whole, from statistics of the remaining modules: the top and the cards."""
    by_module = modules(json.loads((out / "stat.json").read_text()))
    total = dict(by_module[top])
    for name, number in by_module[top].items():
        for kind, count in by_module.get(name.lstrip("\\"), {}).items():
            total[kind] = total.get(kind, 0) + number * count
    return counts(total, family)


def write_report(facts, family, out):
    (out / "report.json").write_text(json.dumps(facts, indent=2) + "\n")
    (out / "report.txt").write_text(text(facts, family))
    print((out / "report.txt").read_text(), end="")


def build(board, arguments, out):
    family = FAMILIES[board.family]
    if not board.nextpnr and not arguments.map_only:
        raise Failed(f"{board.name} is not built: no open place and route for its {board.device} here; "
                     f"`make board-check` checks its constraints, `make board-map BOARD={board.short}` maps it")
    profile = arguments.profile or board.profile
    seed = board.seed if arguments.seed is None else arguments.seed
    yosys = arguments.yosys or find("yosys", YOSYS)
    nextpnr, pack = (None, None) if arguments.map_only else (find(family.nextpnr), find(family.pack))
    facts = {"board": board.name, "device": board.device, "profile": profile, "seed": seed, "commit": commit(),
             "tools": {tool: version(path) for tool, path in
                       (("yosys", yosys), (family.nextpnr, nextpnr), (family.pack, pack)) if path}, "seconds": {}}

    (out / "script.ys").write_text(script(board, profile, arguments.serial, out))
    status, said = run([yosys, "-q", "-l", out / "yosys.log", "-s", out / "script.ys"], facts["seconds"], "map")
    if status != 0:
        raise Failed(f"yosys: {last_lines(said)}")
    facts["cells"] = cells(out, board.top, family)
    if arguments.map_only:
        write_report(facts, family, out)
        return

    routed = out / f"routed.{family.bitstream}"
    status, said = run([nextpnr, *board.nextpnr, "--json", out / "netlist.json", PINS_OPTION[board.family], board.pins,
                        f"--{family.bitstream}", routed, "--report", out / "nextpnr.json", "--seed", seed,
                        "--freq", board.clock_khz / 1000, "--timing-allow-fail"],
                       facts["seconds"], "route", out / "nextpnr.log")
    facts["used"] = utilisation(said)
    errors = [line for line in said.splitlines() if line.startswith("ERROR")]
    if status != 0:
        raise Failed(f"{family.nextpnr}: {errors[0] if errors else last_lines(said)}")
    timing = json.loads((out / "nextpnr.json").read_text())
    facts["clocks"] = clocks(timing)
    facts["critical_path"] = critical_path(
        timing, Names(json.loads((out / "netlist.json").read_text()), board.top))

    slow = [clock for clock in facts["clocks"] if clock[1] < clock[2]]
    if not slow:
        packed = out / board.bitstream.name
        status, said = run([pack, *(["--compress"] if board.family == "ecp5" else []), routed, packed], facts["seconds"], "pack")
        if status != 0:
            raise Failed(f"{family.pack}: {last_lines(said)}")
        facts["bitstream"] = str(packed)
    write_report(facts, family, out)
    if slow:
        name, reached, wanted = slow[0]
        raise Failed(f"{board.name}: clock {name} reaches {reached:.1f} MHz of {wanted:.1f}: no bitstream; try another SEED, or "
                     f"lower ClockKhz of {board.top} and clock_khz in {board.folder}/board.json")


def table(facts):
    """The report block of the board's README."""
    used = ", ".join(f"{name} {used} of {there} ({100 * used / there:.0f} %)" for name, (used, there) in facts["used"].items()
                     if name in SHOWN)
    reached = ", ".join(f"{name.removeprefix('$glbnet$')} {reached:.1f} MHz of {wanted:.1f}" for name, reached, wanted
                        in facts["clocks"])
    tools = ", ".join(f"{tool} {said}" for tool, said in facts["tools"].items())
    return (f"| Profile | {facts['profile']} |\n|---|---|\n| Commit, seed | {facts['commit']}, {facts['seed']} |\n| Used | {used} |\n"
            f"| Clocks | {reached} |\n| Tools | {tools} |\n")


def note(board, out):
    """Writes the last report into the board's README, instead of an earlier one of the same profile."""
    path, made = ROOT / board.folder / "README.md", out / "report.json"
    if not made.exists():
        raise Failed(f"{made} is missing: run `make bitstream BOARD={board.short}` first")
    facts = json.loads(made.read_text())
    begin, end = f"<!-- {facts['profile']}: written by `make board-report BOARD={board.short}` -->", "<!-- report end -->"
    before, found, rest = path.read_text().partition(begin)
    if found and end not in rest:
        raise Failed(f"{path}: a line {end!r} is missing behind {begin!r}; put it there")
    after = rest.partition(end)[2] if found else "\n"
    path.write_text(f"{before}{'' if found else chr(10)}{begin}\n{table(facts)}{end}{after}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board")
    parser.add_argument("--profile", help="another than the board's own")
    parser.add_argument("--seed", type=int, help="of place and route (the board's own)")
    parser.add_argument("--serial", type=int, help="serial number of the board (1)")
    parser.add_argument("--map-only", action="store_true", help="no place and route, no bitstream")
    parser.add_argument("--yosys", help="another yosys, as `yosys` of the distribution")
    parser.add_argument("--output", help="folder below the project's (build/boards-BOARD)")
    parser.add_argument("--note", action="store_true", help="only write the last report into the board's README")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    try:
        board = Board(arguments.board, arguments.profile)
        if arguments.note:
            note(board, pathlib.Path(arguments.output or board.out))
            return 0
        out = pathlib.Path(arguments.output or board.out)
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        build(board, arguments, out)
        return 0
    except (Failed, subprocess.TimeoutExpired) as error:
        print(f"bitstream.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
