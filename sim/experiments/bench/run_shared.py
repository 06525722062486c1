#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""One network of 2,048 cards of the fast model on one and two threads, and on one and two ranks of mpirun.

All ways have their turn in every repetition, so that other work on the machine meets all of them. Their results must
be equal. `waits` is the part of its time that a rank waits for the other one: the load imbalance.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

from run_bench import write_between

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sim"))
from machine import describe_machine  # noqa: E402

BEGIN, END = "<!-- shared-table: written by `run_shared.py --table` -->", "<!-- shared-table end -->"
SHARED = "torus:8x16x16"
ROUTINGS = {"dor": (), "dor, adaptive": ("--adaptive",)}
LOADS = (0.2, 1.0)
TIMING = ("wall_seconds", "card_cycles_per_second", "ranks")
# Name: (ranks, threads); no rank: without mpirun.
WAYS = {"1 thread": (0, 1), "2 threads": (0, 2), "1 rank": (1, 1), "2 ranks": (2, 1)}
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


def extorus(ranks, *words):
    before = ("mpirun", "-n", str(ranks)) if ranks else ()
    done = subprocess.run([*before, str(ROOT / "build" / "extorus"), *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True, env=ENVIRONMENT)
    if done.returncode != 0:
        raise SystemExit(f"extorus {words[0]} on {ranks} ranks failed with status {done.returncode}")
    return done.stdout


def measure(image, load, cycles, repeat):
    """By way: the runs."""
    runs = {way: [] for way, (ranks, _) in WAYS.items() if not ranks or shutil.which("mpirun")}
    for _ in range(repeat):
        for way, done in runs.items():
            ranks, threads = WAYS[way]
            done.append(json.loads(extorus(ranks, "sim", image, "--engine", "model", "--backdoor", "--load", load, "--packet", 16, "--warmup",
                                           cycles // 4, "--measure", cycles, "--threads", threads, "--json")))
    outcomes = [{key: value for key, value in run.items() if key not in TIMING} for done in runs.values() for run in done]
    if any(outcome != outcomes[0] for outcome in outcomes):
        raise SystemExit(f"{image}, load {load}: the result depends on the number of threads or ranks")
    return runs


def waits(run):
    """Of each rank the part of its time that it waits."""
    times = [sum(rank[key] for key in rank if key.endswith("_seconds")) for rank in run["ranks"]]
    return [round(rank["waiting_seconds"] / time, 3) if time else 0.0 for rank, time in zip(run["ranks"], times)]


def row(routing, load, runs):
    speeds = {way: statistics.median(run["card_cycles_per_second"] for run in done) for way, done in runs.items()}
    return {"network": SHARED, "routing": routing, "load": load, "card_cycles_per_second": {way: round(speed) for way, speed in speeds.items()},
            "ratio": {way: round(speed / speeds["1 thread"], 2) for way, speed in speeds.items()},
            "waits": waits(runs["2 ranks"][-1]) if "2 ranks" in runs else []}


def table(report):
    machine = report["machine"]
    lines = [f"{report['repeat']} runs of each, medians; {machine['processors']} processors, {machine['processor']}; load average at start "
             f"{report['load_average_at_start']:.1f}", "", "| Network | Routing | Load | 1 thread, card-cycles/s | 2 threads | 2 ranks | waits |",
             "|---|---|---|---|---|---|---|"]
    for one in report["results"]:
        speed, ratio = one["card_cycles_per_second"]["1 thread"], one["ratio"]
        lines.append(f"| `{one['network']}` | {one['routing']} | {one['load']} | {float(f'{speed:.3g}'):,.0f} | {ratio['2 threads']:.2f} | "
                     f"{ratio.get('2 ranks', '')} | {', '.join(f'{part:.0%}' for part in one['waits'])} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="runs of each case (%(default)s)")
    parser.add_argument("--cycles", type=int, default=4000, help="measured (%(default)s)")
    parser.add_argument("--output", default=str(ROOT / "out" / "bench"), help="folder (%(default)s)")
    parser.add_argument("--table", action="store_true", help="only write the last results into README.md")
    arguments = parser.parse_args()

    out = pathlib.Path(arguments.output)
    if arguments.table:
        return write_between(BEGIN, table(json.loads((out / "shared.json").read_text())), END)
    out.mkdir(parents=True, exist_ok=True)
    busy = os.getloadavg()[0]
    if busy > 0.5:
        print(f"note: the machine is busy (load average {busy:.1f}); ratios will be low", file=sys.stderr)
    results = []
    for routing, options in ROUTINGS.items():
        image = out / "shared.img"
        extorus(0, "route", SHARED, "--algorithm", "dor", *options, "-o", image)
        for load in LOADS:
            results.append(row(routing, load, measure(image, load, arguments.cycles if load < 1 else arguments.cycles // 4, arguments.repeat)))
            print(json.dumps(results[-1]), flush=True)
    report = {"machine": describe_machine(), "load_average_at_start": busy, "repeat": arguments.repeat, "results": results}
    (out / "shared.json").write_text(json.dumps(report, indent=2) + "\n")
    print(f"\n{os.path.relpath(out)}/shared.json has all of it.")


if __name__ == "__main__":
    main()
