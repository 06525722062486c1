#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What networks with default options accept beyond saturation, and for how long, by the fast model.

Each network has uniform traffic of 1 to 32 cells. Its curve is measured after 2,000 cycles; load 1.0 again after 50,000.
A network holds its throughput if the late value is at least 0.95 of the best one of all, and if Jain's index is at least 0.95.
Each run is a file in the output folder. A run whose file exists is not repeated.
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sim/experiments/bench"))
from run_bench import write_between  # noqa: E402

README = pathlib.Path(__file__).with_name("README.md")
BEGIN, END = "<!-- saturation-table: written by `make saturation-table` -->", "<!-- saturation-table end -->"
EARLY, LATE, ENOUGH = 2000, 50000, 0.95
NOT_MEASURED = "not measured"
# (network, algorithm, loads around the best)
SHAPES = (("torus:8x8x4", "dor", (0.8, 0.9)), ("torus:8x8x8", "dor", (0.8, 0.9)), ("twin:4x4x2x2x2", "ts-dor", (0.8, 0.9)),
          ("torus:16x16", "dor", (0.4, 0.45, 0.5)), ("torus:16x8x8", "dor", (0.4, 0.45, 0.5)),
          ("twin:4x4x4", "ts-dor", (0.65, 0.7, 0.8)), ("twin:4x4x4x4x4", "ts-dor", (0.5, 0.6, 0.7)))
NETWORKS = [(spec, algorithm, adaptive, loads) for spec, algorithm, loads in SHAPES for adaptive in ("", "--adaptive")]
# One thing varied: (network, algorithm, options of route, options of sim).
VARIED = [(spec, algorithm, [], words) for spec, algorithm in (("torus:16x16", "dor"), ("twin:4x4x2x2x2", "ts-dor"), ("twin:4x4x4", "ts-dor"))
          for words in (["--inject-wait", "0"], ["--inject-wait", "64"], ["--inject-wait", "256"], ["--inject-room", "23"],
                        ["--inject-room", "47"], ["--inject-room", "71"])]
VARIED += [("twin:4x4x2x2x2", "ts-dor", ["--ties", "coordinate"], []), ("twin:4x4x4", "ts-dor", ["--ties", "coordinate"], []),
           ("twin:4x4x4x4x4", "ts-dor", [], ["--inject-wait", "256"])]


def extorus(*words):
    done = subprocess.run([str(ROOT / "build" / "extorus"), *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"extorus {words[0]} failed with status {done.returncode}")
    return done.stdout


def runs_of_network(spec, algorithm, adaptive, loads):
    return [(spec, algorithm, adaptive.split(), [], load, warmup) for load, warmup in [*((load, EARLY) for load in (*loads, 1.0)), (1.0, LATE)]]


def cards_of(spec):
    family, shape = spec.split(":")
    return math.prod(map(int, shape.split("x"))) * (2 if family == "twin" else 1)


def all_runs():
    """The long runs of the large networks first, so that the last to end is a short one."""
    runs = [run for network in NETWORKS for run in runs_of_network(*network)] + [(*one, 1.0, LATE) for one in VARIED]
    return sorted(runs, key=lambda run: -cards_of(run[0]) * run[-1])


def image_of(out, spec, route):
    return out / f"{'_'.join([spec, *route]).replace(':', '_').replace('--', '')}.img"


def result_of(out, spec, route, words, load, warmup):
    return out / f"{'_'.join([image_of(out, spec, route).stem, *words]).replace('--', '')}-{load}-{warmup}.json"


def write_images(out):
    for spec, algorithm, route in {(spec, algorithm, tuple(route)) for spec, algorithm, route, *_ in all_runs()}:
        if not image_of(out, spec, route).exists():
            extorus("route", spec, "--algorithm", algorithm, *route, "-o", image_of(out, spec, route))


def measure(out, spec, algorithm, route, words, load, warmup):
    """One run, unless its file is there."""
    path = result_of(out, spec, route, words, load, warmup)
    if path.exists():
        return
    text = extorus("sim", image_of(out, spec, route), "--engine", "model", "--threads", 1, "--backdoor", *words, "--load", load, "--warmup", warmup,
                   "--measure", 10000, "--drain", 0, "--packet", "1-32", "--json")
    new = path.with_suffix(".new")
    new.write_text(text)
    new.rename(path)
    run = json.loads(text)
    print(f"{path.stem:44} {run['accepted_load']:.3f}, Jain {run['fairness']:.3f}", flush=True)


def get(out, spec, _algorithm, *rest):
    """The result of a run, or None."""
    path = result_of(out, spec, *rest)
    return json.loads(path.read_text()) if path.exists() else None


def imbalance(run):
    """Of the traffic classes of the two sources of a node: per cent by which the one delivers more."""
    cells = [sum(tc["cells_delivered"] for tc in run["per_tc"] if tc["tc"] % 2 == source) for source in (0, 1)]
    return f"{100 * (max(cells) / min(cells) - 1):.1f} %" if run["topology"].startswith("twin") else ""


def network_row(out, *network):
    spec, _, adaptive, _ = network
    runs = {run[-2:]: get(out, *run) for run in runs_of_network(*network)}
    cells = [f"`{spec}`", adaptive[2:] or "deterministic"]
    if not all(runs.values()):
        return [*cells, NOT_MEASURED, *[""] * 6]
    early, late, best = runs[1.0, EARLY], runs[1.0, LATE], max(run["accepted_load"] for run in runs.values())
    share = late["accepted_load"] / best
    return [*cells, f"{early['accepted_load']:.3f}", f"{late['accepted_load']:.3f}", f"{best:.3f}", f"{share:.3f}", f"{late['fairness']:.3f}",
            imbalance(late), "yes" if min(share, late["fairness"]) >= ENOUGH else "**no**"]


def varied_row(out, spec, algorithm, route, words):
    run = get(out, spec, algorithm, route, words, 1.0, LATE)
    figures = [f"{run['accepted_load']:.3f}", f"{run['fairness']:.3f}", imbalance(run)] if run else [NOT_MEASURED, "", ""]
    return [f"`{spec}`", f"`{' '.join([*route, *words])}`", *figures]


def table(head, rows):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows)) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "out" / "saturation", help="folder (%(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at once (%(default)s)")
    parser.add_argument("--table", action="store_true", help="run nothing, only write the table of README.md")
    arguments = parser.parse_args()

    out = arguments.output
    out.mkdir(parents=True, exist_ok=True)
    if arguments.table:
        text = table(["Network", "Routing", f"After {EARLY:,}", f"After {LATE:,}", "Best", "Share of the best", "Jain's index", "Imbalance",
                      "Holds"], [network_row(out, *network) for network in NETWORKS])
        text += "\n" + table(["Network", "Varied", f"After {LATE:,}", "Jain's index", "Imbalance"], [varied_row(out, *one) for one in VARIED])
        write_between(BEGIN, text, END, README)
        return
    write_images(out)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(lambda run: measure(out, *run), all_runs()))


if __name__ == "__main__":
    main()
