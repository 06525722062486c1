#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the throughput of `mini` with one and with two iterations of iSLIP, and steps the model of two with its RTL.

  tests/rtl/switch/islip_iterations.py --table    writes the figures into checks.md; builds a card in a folder of its own"""

import argparse
import pathlib
import re
import sys
import tempfile

from card_variant import ROOT, build, lock_step, say, tree_of

CHECKS = ROOT / "tests/rtl/switch/checks.md"
BEGIN, END = "<!-- islip-table: written by `tests/rtl/switch/islip_iterations.py --table` -->", "<!-- islip-table end -->"
TESTS = ["uniform-longest", "uniform-one-cell", "uniform-mixed", "permutation-longest", "permutation-one-cell", "permutation-mixed"]


def measure(program):
    """Cells per output and cycle of each test, as the bench says: the mean of uniform traffic, the slowest output of permutations."""
    figures = {}
    for name in TESTS:
        line = re.search(r"^ok 1 - .*$", say([program, name]), re.M)[0]
        figures[name] = float(re.search(r"([\d.]+) cells/(?:output/)?cycle", line)[1])
    return figures


def figures_of(iterations):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tree_of(folder, [("host/params/profile_mini.c", r"\.islip_iterations = \d+", f".islip_iterations = {iterations}")])
        build(folder, "mini", "build/tests/switch-mini")
        lock_step(folder, "mini", 20)
        return measure(folder / "build/tests/switch-mini")


def table(figures):
    rows = [["Test of `mini`", *(f"{n} iteration{'s' if n > 1 else ''}" for n in figures)], ["---"] * (len(figures) + 1),
            *([f"`{name}`", *(f"{found[name]:.3f}" for found in figures.values())] for name in TESTS)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in rows) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", help="write the figures into checks.md")
    arguments = parser.parse_args()
    text = table({1: measure(ROOT / "build/tests/switch-mini"), 2: figures_of(2)})
    sys.stdout.write(text)
    if arguments.table:
        before, rest = CHECKS.read_text().split(BEGIN)
        CHECKS.write_text(before + BEGIN + "\n" + text + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
