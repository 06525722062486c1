#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""RTL simulation of an earlier commit and of this one, 64 cards, in turn: card-cycles per second of wall time on one thread, and
on two of this commit.

The earlier commit is cloned into build/before/COMMIT and built there with its own Makefile. All have their turn in every
repetition, so that other work on the machine meets all of them. Each ratio is the median of the ratios of the turns.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

from run_bench import ROOT, write_between

sys.path.insert(0, str(ROOT / "sim"))
from machine import describe_machine  # noqa: E402

BEGIN, END = "<!-- before-table: written by `run_before.py --table` -->", "<!-- before-table end -->"
NETWORK, LOADS, CYCLES = "torus:4x4x4", (0.2, 1.0), 6000
TARGETS = ("command", "build/plugins/extorus-cosim-extoll.so")


def succeed(words, **options):
    done = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))} failed with status {done.returncode}")
    return done.stdout


def build(commit, jobs):
    """The folder of the earlier commit, built."""
    folder = ROOT / "build" / "before" / commit
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        succeed(("git", "clone", "--quiet", "--no-checkout", "--shared", ROOT, folder))
    succeed(("git", "-C", folder, "checkout", "--quiet", "--force", commit))
    print(f"building {commit} in {folder.relative_to(ROOT)}", flush=True)
    for key in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
        os.environ.pop(key, None)
    succeed(("make", "-C", folder, f"-j{jobs}", *TARGETS))
    return folder


def measure(folder, image, load, threads):
    """Card-cycles per second, and what the network accepted."""
    run = json.loads(succeed((folder / "build" / "extorus", "sim", image, "--engine", "rtl", "--backdoor", "--load", load, "--packet", "1-32", "--latency", 2,
                              "--warmup", 0, "--measure", CYCLES, "--threads", threads, "--json"),
                             env={**os.environ, "EXTORUS_PLUGIN_DIR": str(folder / "build" / "plugins")}))
    return run["card_cycles_per_second"], run["accepted_load"]


def compare(before, repeat, out):
    ways = {"before": (before, 1), "now": (ROOT, 1), "2 threads": (ROOT, 2)}
    results = []
    images = {}
    for folder in (before, ROOT):
        # Each commit makes its own tables: their format is not the same.
        images[folder] = out / f"{'now' if folder == ROOT else 'before'}.img"
        succeed((folder / "build" / "extorus", "route", NETWORK, "--algorithm", "dor", "-o", images[folder]))
    for load in LOADS:
        speeds, accepted = {way: [] for way in ways}, {}
        for _ in range(repeat):
            for way, (folder, threads) in ways.items():
                speed, accepted[way] = measure(folder, images[folder], load, threads)
                speeds[way].append(speed)
        ratio = {way: statistics.median(one / base for one, base in zip(speeds[way], speeds[to])) for way, to in (("now", "before"), ("2 threads", "now"))}
        results.append({"load": load, "card_cycles_per_second": {way: statistics.median(some) for way, some in speeds.items()},
                        "ratio": ratio, "accepted_load": accepted})
        print(row(results[-1]), flush=True)
    return results


def row(one):
    speed, ratio = one["card_cycles_per_second"], one["ratio"]
    return (f"| {one['load']} | {speed['before']:,.0f} | {speed['now']:,.0f} | {ratio['now']:.2f} | {speed['2 threads']:,.0f} | "
            f"{ratio['2 threads']:.2f} |")


def table(report):
    machine = report["machine"]
    lines = [f"`{NETWORK}`, packets of 1 to 32 cells, links of two cycles; medians of {report['repeat']} turns; {machine['processors']} processors, {machine['processor']}; "
             f"{report['commit']} before; load average at start {report['load_average_at_start']:.1f}", "",
             "| Load | Before, card-cycles/s | Now | Ratio | 2 threads | To one |", "|---|---|---|---|---|---|"]
    return "\n".join([*lines, *map(row, report["results"])]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", nargs="?", default="901ea1ca", help="the earlier one (%(default)s, the end of the first edition)")
    parser.add_argument("--repeat", type=int, default=5, help="turns (%(default)s)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="of the build (%(default)s)")
    parser.add_argument("--table", action="store_true", help="only write the last results into README.md")
    arguments = parser.parse_args()
    out = ROOT / "out" / "bench" / "before"
    if arguments.table:
        return write_between(BEGIN, table(json.loads((out / "before.json").read_text())), END)
    out.mkdir(parents=True, exist_ok=True)
    before = build(arguments.commit, arguments.jobs)
    report = {"machine": describe_machine(), "commit": arguments.commit, "repeat": arguments.repeat, "load_average_at_start": os.getloadavg()[0]}
    report["results"] = compare(before, arguments.repeat, out)
    (out / "before.json").write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
