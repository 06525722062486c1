#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what an ECP5 synthesis needs, from yosys' `stat -json` and its log.

usage: report.py STAT.json YOSYS.log

yosys turns memories that fit no RAM into registers without a warning; such memories are listed here.
"""

import json
import re
import sys

DEVICES = {"LFE5U-25F": (24288, 56), "LFE5U-45F": (43848, 108), "LFE5U-85F": (83640, 208)}


def main(stat_path, log_path):
    with open(stat_path) as file:
        text = file.read()
    stat = json.loads(text[text.index("{"):])
    cells = stat["design"]["num_cells_by_type"]

    def count(*names):
        return sum(cells.get(name, 0) for name in names)

    logic = count("LUT4")
    carry = 2 * count("CCU2C")
    # A DPR16X4 takes the four LUTs that store and the two of the slice that writes them.
    ram = 6 * count("TRELLIS_DPR16X4")
    luts = logic + carry + ram
    rows = [("LUT4", luts, f"{logic} logic + {carry} carry + {ram} RAM"),
            ("FF", count("TRELLIS_FF"), ""),
            ("BRAM", count("DP16KD"), "18 kbit blocks"),
            ("DSP", count("MULT18X18D"), "")]
    for name, number, note in rows:
        print(f"{name:5} {number:7}  {note}".rstrip())
    for device, (device_luts, device_rams) in DEVICES.items():
        print(f"{device}: {100 * luts / device_luts:.0f} % of the LUTs, "
              f"{100 * count('DP16KD') / device_rams:.0f} % of the block RAMs")

    with open(log_path) as file:
        lost = sorted(set(re.findall(r"Replacing memory (\S+) with list of registers", file.read())))
    for memory in lost:
        print(f"memory in registers: {memory}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
