#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Adaptive routing on twin tori of 64 cards: the four selection functions against deterministic routing.

A 3D twin torus 4x4x2 and a 5D twin torus 2x2x2x2x2 with TS-DOR are co-simulated with uniform traffic
and Zipf's law, one ranking for all. Packets have 1 to 32 cells, in the traffic classes with an adaptive VC. The deterministic runs have the
same classes without that VC. All runs of a network and a pattern have the same seed and thus the same packets.
Output in out/adaptive: a plot, a table, and JSON.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from machine import describe_machine  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent

NETWORKS = (
    {"name": "twin_4x4x2", "spec": "twin:4x4x2", "title": "3D twin torus 4x4x2"},
    {"name": "twin_2x2x2x2x2", "spec": "twin:2x2x2x2x2", "title": "5D twin torus 2x2x2x2x2"},
)
# Under Zipf's law with exponent 1 and one ranking for all the first of 64 PEs gets 21 % of all packets: its NIC is saturated at
# 1 / (64 * 0.21) = 0.074.
PATTERNS = (
    {"name": "uniform", "words": (), "loads": (0.05, 0.15, 0.3, 0.5, 0.7, 1.0)},
    {"name": "zipf-common", "words": ("--zipf-exponent", 1), "loads": (0.01, 0.03, 0.05, 0.06, 0.07, 0.1)},
)
DETERMINISTIC = "deterministic"
SELECTIONS = ("rr", "no-internal", "2-priority", "3-priority", DETERMINISTIC)
ADAPTIVE_TCS = "0,1"


def extorus(out, *words, statuses=(0,)):
    done = subprocess.run([str(ROOT / "build" / "extorus"), *map(str, words)], cwd=out, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in statuses:
        raise SystemExit(f"failed with status {done.returncode}: extorus {shlex.join(map(str, words))}\n"
                         f"{done.stderr}".rstrip())
    return done.stdout


def sweep(arguments, network, pattern, selection):
    """The runs of one curve, by load. Status 1: something was wrong in a run, which the result tells."""
    image = network["name"] + ("" if selection == DETERMINISTIC else "_adaptive") + ".img"
    words = [] if selection == DETERMINISTIC else ["--select", selection]
    loads = ",".join(map(str, pattern["loads"]))
    return json.loads(extorus(
        arguments.output, "sim", image, *words, "--threads", 1, "--traffic", pattern["name"], *pattern["words"], "--tc", ADAPTIVE_TCS,
        "--load", loads, "--packet", "1-32", "--warmup", arguments.warmup, "--measure", arguments.measure, "--drain",
        arguments.measure // 4, "--seed", arguments.seed, "--backdoor", "--json", statuses=(0, 1)))


def prepare(arguments):
    for network in NETWORKS:
        for words in ((), ("--adaptive",)):
            image = network["name"] + ("_adaptive" if words else "") + ".img"
            extorus(arguments.output, "route", network["spec"], "--algorithm", "ts-dor", *words, "-o", image)
            extorus(arguments.output, "check", image)


def simulate(arguments):
    """{(network, pattern, selection): [run by load]}"""
    work = [(network, pattern, selection) for pattern in PATTERNS for network in NETWORKS for selection in SELECTIONS]
    results = {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        running = {pool.submit(sweep, arguments, *one): one for one in work}
        try:
            for count, future in enumerate(concurrent.futures.as_completed(running), 1):
                network, pattern, selection = running[future]
                results[network["name"], pattern["name"], selection] = future.result()
                if sys.stderr.isatty():
                    sys.stderr.write(f"\r\033[Ksimulating: {count} of {len(work)} curves done")
                    sys.stderr.flush()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
    return results


def latency(run):
    return run["network_latency"]["packet"]["mean"]


def draw(arguments, results):
    out = pathlib.Path(arguments.output)
    for (network, pattern, selection), runs in results.items():
        with open(out / f"{network}_{pattern}_{selection}.dat", "w") as file:
            for run in runs:
                print(run["offered_load"], run["accepted_load"], latency(run),
                      run["end_to_end_latency"]["packet"]["mean"], file=file)
    words = [word for network in NETWORKS for word in (network["name"], network["title"])]
    subprocess.run(["gnuplot", "-c", HERE / "selection_curves.gp", *words], cwd=out, check=True)


def lowest(results, network, pattern):
    """What the lowest load says about the selection functions."""
    runs = {name: results[network["name"], pattern["name"], name][0] for name in SELECTIONS}
    values = {name: latency(run) for name, run in runs.items()}
    best = min(values.values())
    return {"load": pattern["loads"][0], "latency": values,
            "ci95": {name: run["network_latency"]["packet"]["ci95"] for name, run in runs.items()},
            "lowest": [name for name in SELECTIONS if values[name] - best < 0.005]}


def table(results, conclusions):
    lines = []
    for network in NETWORKS:
        for pattern in PATTERNS:
            lines.append(f"{network['title']}, {pattern['name']}: accepted load and mean latency in the network")
            lines.append(f"{'offered':>8}" + "".join(f" | {name:^17}" for name in SELECTIONS))
            for index, load in enumerate(pattern["loads"]):
                runs = [results[network["name"], pattern["name"], name][index] for name in SELECTIONS]
                lines.append(f"{load:8.2f}" + "".join(f" | {run['accepted_load']:7.4f} {latency(run):9.2f}"
                                                     for run in runs))
            told = conclusions[f"{network['name']} {pattern['name']}"]
            lines.append(f"lowest latency at load {told['load']}: {' = '.join(told['lowest'])}")
            lines.append("")
    lines.append("Cycles from the head's entry into the first switch to the tail's exit from the last, packets of 1 to\n"
                 "32 cells; loads as a fraction of the NIC bandwidth. Published: 3-priority has the lowest latency at\n"
                 "low load.")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warmup", type=int, default=1000, help="cycles before the measurement (%(default)s)")
    parser.add_argument("--measure", type=int, default=3000, help="cycles measured (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="simulations at once")
    parser.add_argument("--output", default=str(ROOT / "out" / "adaptive"), help="folder (%(default)s)")
    arguments = parser.parse_args()

    begin = time.monotonic()
    out = pathlib.Path(arguments.output)
    out.mkdir(parents=True, exist_ok=True)
    prepare(arguments)
    results = simulate(arguments)
    seconds = time.monotonic() - begin
    draw(arguments, results)
    conclusions = {f"{network['name']} {pattern['name']}": lowest(results, network, pattern)
                   for network in NETWORKS for pattern in PATTERNS}
    text = table(results, conclusions)
    (out / "table.txt").write_text(text)
    (out / "results.json").write_text(json.dumps({
        "machine": describe_machine(), "seconds": round(seconds, 1), "low_load": conclusions,
        "runs": {" ".join(key): runs for key, runs in results.items()}}, indent=2) + "\n")
    print(text)

    runs = [run for curve in results.values() for run in curve]
    wrong = [run for run in runs if not run["ok"] or not run["drained"]]
    for run in wrong:
        print(f"WRONG: {run['topology']} {run['traffic']} load {run['load']}: {'; '.join(run['reports'][:3])}")
    shown = os.path.relpath(out)
    print(f"{sum(run['packets_delivered'] for run in runs)} packets checked, hop by hop, in {seconds:.0f} s; "
          f"{len(runs) - len(wrong)} of {len(runs)} runs drained with nothing wrong; seed {arguments.seed}.\n"
          f"Plot: {shown}/adaptive.svg; numbers: {shown}/table.txt, {shown}/results.json.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
