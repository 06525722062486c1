#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""One network on one and two threads, and on one and two ranks of mpirun: 2,048 cards of the fast model, 64 of the RTL.

All ways have their turn in every repetition, so that other work on the machine meets all of them. Their results must
be equal. `waits` is the part of its time that a rank waits for the other one: the load imbalance. Every run is kept in
shared.runs.jsonl at once, and the same command of the same build goes on with those that are lacking; `--fresh` begins
again.
"""

import argparse
import hashlib
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
# Name of the engine, network, options of its routing and of the run, cells of a packet at most, measured cycles at load 0.2.
CASES = (
    ("model", "torus:8x16x16", "dor", (), (), 16, 4000),
    ("model", "torus:8x16x16", "dor, adaptive", ("--adaptive",), (), 16, 4000),
    ("rtl", "torus:4x4x4", "dor", (), ("--latency", 8), 16, 4000),
)
LOADS = (0.2, 1.0)
TIMING = ("wall_seconds", "card_cycles_per_second", "ranks")
# Name: ranks, threads, part of the cards that rank 0 has; no rank: without mpirun. What differs in uneven runs tells the cost
# of a link from that of a card.
WAYS = {"1 thread": (0, 1, None), "2 threads": (0, 2, None), "1 rank": (1, 1, None), "2 ranks": (2, 1, None), "2 ranks, 1 to 3": (2, 1, 4)}
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_hwloc_base_binding_policy": "none"}


def extorus(ranks, *words):
    before = ("mpirun", "-n", str(ranks)) if ranks else ()
    done = subprocess.run([*before, str(ROOT / "build" / "extorus"), *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True, env=ENVIRONMENT)
    if done.returncode != 0:
        raise SystemExit(f"extorus {words[0]} on {ranks} ranks failed with status {done.returncode}")
    return done.stdout


def program():
    """Sum of the command and its plug-ins: runs of another program are other runs."""
    total = hashlib.sha256()
    for path in (ROOT / "build/extorus", *sorted((ROOT / "build/plugins").glob("extorus-*.so"))):
        total.update(path.name.encode() + path.read_bytes())
    return total.hexdigest()[:16]


def read_runs(path):
    """Lines of shared.runs.jsonl: the runs by their key, in the order of the file. One may be cut off."""
    done = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            one = json.loads(line)
        except json.JSONDecodeError:
            continue
        done[tuple(one["key"])] = one
    return done


class Runs:
    """Those of this program that are done, in a file of lines."""

    def __init__(self, path):
        self.path = path
        self.program = program()
        self.done = read_runs(path)

    def append(self, one):
        text = json.dumps(one) + "\n"
        with self.path.open("a+b") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                # After a line that was cut off.
                text = text if file.read(1) == b"\n" else "\n" + text
            file.write(text.encode())

    def get(self, key, words, ranks):
        key = (*key, self.program)
        if key not in self.done:
            busy = os.getloadavg()[0]
            run = json.loads(extorus(ranks, *words))
            outcome = json.dumps({name: value for name, value in run.items() if name not in TIMING}, sort_keys=True)
            one = {"key": key, "sum": hashlib.sha256(outcome.encode()).hexdigest(), "busy": busy, "cards": run["cards"],
                   "cycles": run["cycles"], **{name: run[name] for name in TIMING if name in run}}
            self.append(one)
            self.done[key] = one
        return self.done[key]


def measure(runs, case, image, load, cycles, repeat):
    """By way: the runs."""
    engine, network, routing, _, options, packet, _ = case
    found = {way: [] for way, (ranks, *_) in WAYS.items() if not ranks or shutil.which("mpirun")}
    for turn in range(repeat):
        for way, done in found.items():
            ranks, threads, part = WAYS[way]
            words = ("sim", image, "--engine", engine, "--backdoor", "--load", load, "--packet", packet, "--warmup", cycles // 4, "--measure", cycles,
                     "--threads", threads, *options, *(("--partition", cards_of(network) // part) if part else ()), "--json")
            done.append(runs.get((engine, network, routing, load, cycles, way, turn), words, ranks))
    if len({run["sum"] for done in found.values() for run in done}) > 1:
        raise SystemExit(f"{image}, load {load}: the result depends on the number of threads or ranks")
    return found


def cards_of(network):
    """Of a torus."""
    count = 1
    for size in network.split(":")[1].split("x"):
        count *= int(size)
    return count


def waits(run):
    """Of each rank the part of its time that it waits."""
    times = [sum(rank[key] for key in rank if key.endswith("_seconds")) for rank in run["ranks"]]
    return [round(rank["waiting_seconds"] / time, 3) if time else 0.0 for rank, time in zip(run["ranks"], times)]


def row(case, load, runs):
    speeds = {way: statistics.median(run["card_cycles_per_second"] for run in done) for way, done in runs.items()}
    # Of each turn by itself, for other work on the machine comes and goes.
    ratios = {way: statistics.median(run["card_cycles_per_second"] / one["card_cycles_per_second"] for run, one in zip(done, runs["1 thread"]))
              for way, done in runs.items()}
    return {"engine": case[0], "network": case[1], "routing": case[2], "load": load, "runs": len(runs["1 thread"]),
            "card_cycles_per_second": {way: round(speed) for way, speed in speeds.items()},
            "ratio": {way: round(ratio, 2) for way, ratio in ratios.items()},
            "waits": waits(runs["2 ranks"][-1]) if "2 ranks" in runs else [],
            "busy": [min(run["busy"] for done in runs.values() for run in done), max(run["busy"] for done in runs.values() for run in done)]}


def with_others(results, before):
    """These rows, and those of the cases that were left out, as they were before."""
    def name(one):
        return tuple(one[key] for key in ("engine", "network", "routing", "load"))

    rows = {name(one): one for one in (*before, *results)}
    order = [(*case[:3], load) for case in CASES for load in LOADS]
    return [rows[one] for one in order if one in rows]


def table(report):
    machine, rows = report["machine"], report["results"]
    least, most = min(one["busy"][0] for one in rows), max(one["busy"][1] for one in rows)
    repeats = " or ".join(map(str, sorted({one.get("runs", report["repeat"]) for one in rows})))
    lines = [f"{repeats} runs of each, medians; ratios to one thread; {machine['processors']} processors, {machine['processor']}; load average "
             f"{least:.1f} to {most:.1f}", "", "| Engine | Network | Routing | Load | 1 thread, card-cycles/s | 2 threads | 1 rank | 2 ranks | waits |",
             "|---|---|---|---|---|---|---|---|---|"]
    for one in rows:
        speed, ratio = one["card_cycles_per_second"]["1 thread"], one["ratio"]
        lines.append(f"| {one['engine']} | `{one['network']}` | {one['routing']} | {one['load']} | {float(f'{speed:.3g}'):,.0f} | {ratio['2 threads']:.2f} | "
                     f"{ratio.get('1 rank', '')} | {ratio.get('2 ranks', '')} | {', '.join(f'{part:.0%}' for part in one['waits'])} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="runs of each case (%(default)s)")
    parser.add_argument("--divide", type=int, default=1, help="measure so many times fewer cycles (%(default)s)")
    parser.add_argument("--only", metavar="WORD", default="", help="cases whose engine, network, routing, or \"engine, routing\" is WORD")
    parser.add_argument("--fresh", action="store_true", help="forget the runs of before")
    parser.add_argument("--output", default=str(ROOT / "out" / "bench"), help="folder (%(default)s)")
    parser.add_argument("--table", action="store_true", help="only write the last results into README.md")
    arguments = parser.parse_args()

    out = pathlib.Path(arguments.output)
    if arguments.table and (arguments.fresh or arguments.only):
        parser.error("--table only writes the last results: run without --table first")
    if arguments.table:
        return write_between(BEGIN, table(json.loads((out / "shared.json").read_text())), END)
    out.mkdir(parents=True, exist_ok=True)
    if arguments.fresh:
        (out / "shared.runs.jsonl").unlink(missing_ok=True)
    if (busy := os.getloadavg()[0]) > 0.5:
        print(f"note: the machine is busy (load average {busy:.1f}); ratios will be low", file=sys.stderr)
    runs, results = Runs(out / "shared.runs.jsonl"), []
    for case in CASES:
        if arguments.only not in ("", *case[:3], f"{case[0]}, {case[2]}"):
            continue
        image = out / "shared.img"
        extorus(0, "route", case[1], "--algorithm", "dor", *case[3], "-o", image)
        for load in LOADS:
            cycles = case[-1] // arguments.divide
            results.append(row(case, load, measure(runs, case, image, load, cycles if load < 1 or case[0] == "rtl" else cycles // 4, arguments.repeat)))
            print(json.dumps(results[-1]), flush=True)
    last = out / "shared.json"
    before = json.loads(last.read_text())["results"] if arguments.only and last.exists() else []
    report = {"machine": describe_machine(), "repeat": arguments.repeat, "results": with_others(results, before)}
    last.write_text(json.dumps(report, indent=2) + "\n")
    print(f"\n{os.path.relpath(out)}/shared.json has all of it.")


if __name__ == "__main__":
    main()
