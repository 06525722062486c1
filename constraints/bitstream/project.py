#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The script of a Vivado project for a board with a Xilinx device: build/boards-BOARD/project.tcl. Vivado itself is not called.

usage: project.py BOARD [--profile NAME] [--serial N]; exit status 1 if a file that the script names is missing
"""

import argparse
import os
import re
import sys

from boards import Board
from tools import ROOT, Failed

CROSSINGS = "constraints/crossings/crossings.xdc"
STEPS = """\
launch_runs synth_1 -jobs 2
wait_on_run synth_1
launch_runs impl_1 -to_step write_bitstream -jobs 2
wait_on_run impl_1
open_run impl_1
report_timing_summary -file [file join $out timing.txt]
report_utilization -file [file join $out utilisation.txt]
report_cdc -file [file join $out crossings.txt]
set slack [get_property STATS.WNS [get_runs impl_1]]
if {$slack eq "" || $slack < 0} {
    puts "no bitstream: a path is $slack ns late; see timing.txt"
    exit 1
}
"""


def part(device):
    """XC7A200T-1SBG484C of the data sheet is xc7a200tsbg484-1 of the tool."""
    found = re.fullmatch(r"(XC7\w+?)(-\d)(\w+?)[CI]", device)
    if not found:
        raise Failed(f"{device} is no device of the 7 series; for others `make bitstream` builds the board")
    return f"{found[1]}{found[3]}{found[2]}".lower()


def script(board, profile, serial):
    """The script, and the files that it names."""
    sources, constraints = board.sources(profile), [str(board.pins), CROSSINGS]
    parameters = {**board.parameters, "Serial": serial}
    lines = [f"# {board.name}, profile {profile}: written by `make board-project BOARD={board.short}`. Not run by its authors.",
             "set out [file dirname [file normalize [info script]]]", "set root [file normalize [file join $out .. ..]]",
             f"create_project -force {board.short} [file join $out vivado] -part {part(board.device)}"]
    lines += [f"add_files -norecurse [file join $root {path}]" for path in sources]
    lines += ["set_property file_type SystemVerilog [get_files *.sv]",
              "set_property verilog_define {XT_SYNTHESIS=1 XT_LUT_RAM=1} [get_filesets sources_1]",
              f"set_property generic {{{' '.join(f'{name}={value}' for name, value in parameters.items())}}} [get_filesets sources_1]",
              f"set_property top {board.top} [get_filesets sources_1]"]
    # In this order: the paths between clocks come after the clocks.
    lines += [f"add_files -fileset constrs_1 -norecurse [file join $root {path}]" for path in constraints]
    lines.append(f"set_property PROCESSING_ORDER LATE [get_files [file join $root {CROSSINGS}]]")
    end = f"file copy -force [get_property DIRECTORY [get_runs impl_1]]/{board.top}.bit [file join $out {board.bitstream.name}]\n"
    return "\n".join(lines) + "\n" + STEPS + end, [*sources, *constraints]


def write(board, profile, serial):
    text, files = script(board, profile, serial)
    missing = [path for path in files if not (ROOT / path).exists()]
    if missing:
        raise Failed(f"{missing[0]} is missing: run `make board-project BOARD={board.short}`, which makes what is generated")
    path = ROOT / board.out / "project.tcl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path.relative_to(ROOT)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board")
    parser.add_argument("--profile", help="another than the board's own")
    parser.add_argument("--serial", type=int, default=1, help="serial number of the board (1)")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    try:
        board = Board(arguments.board, arguments.profile or None)
        print(f"vivado -mode batch -source {write(board, arguments.profile or board.profile, arguments.serial)}")
        return 0
    except Failed as error:
        print(f"project.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
