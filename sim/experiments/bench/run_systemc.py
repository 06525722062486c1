#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of the SystemC kernel: the same network and traffic on the plain harness and as SystemC modules, in
turns.

16 cards, packets of 1 to 32 cells, one thread: card-cycles per second of processor time, without the start (a run
of a single cycle). The best of several runs counts, because other work on the machine only slows a run. Packets
and cycles must be equal in all runs.

The plain model follows whole streams at once, and keeps links without errors in few words. A card by itself goes
cell by cell, and its links carry every frame bit by bit. This is most of the model's loss in SystemC.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sim"))
from machine import describe_machine  # noqa: E402

NETWORK, CARDS = "torus:2x2x4", 16
# (name, load, cycles)
CASES = (("load 0.2", 0.2, 3000), ("saturated (load 1.0)", 1.0, 3000))
ENGINES = ("rtl", "model")
ENVIRONMENT = {**os.environ, "EXTORUS_PLUGIN_DIR": str(ROOT / "build" / "plugins"), "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}


def run(*words):
    """Seconds of processor time, and what was printed."""
    process = subprocess.Popen([*map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{words[0]} failed with status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, output


def plain(image, engine, load, cycles):
    seconds, output = run(ROOT / "build" / "extorus", "sim", image, "--engine", engine, "--backdoor", "--threads", 1, "--load", load,
                          "--warmup", 0, "--measure", cycles, "--json")
    return seconds, json.loads(output)


def systemc(image, engine, load, cycles):
    seconds, output = run(ROOT / "build" / "systemc" / "run", image, f"engine={engine}", f"load={load}", f"measure={cycles}")
    return seconds, json.loads(output.splitlines()[-1])


def measure(harness, *case):
    """Card-cycles per second, and what must be the same in all runs."""
    seconds, result = harness(*case)
    start, first = harness(*case[:-1], 1)
    cycles = result["cycles"] - first["cycles"]
    return CARDS * cycles / max(seconds - start, 1e-3), (result["cycles"], result["packets_sent"], result["packets_delivered"])


def compare(image, engine, load, cycles, repeat):
    speeds = {plain: [], systemc: []}
    ends = set()
    for _ in range(repeat):
        for harness, all_speeds in speeds.items():
            speed, end = measure(harness, image, engine, load, cycles)
            all_speeds.append(round(speed))
            ends.add(end)
    if len(ends) != 1:
        raise SystemExit(f"{engine}, load {load}: the harnesses differ in cycles or packets: {ends}")
    return {"load": load, "engine": engine, "plain": max(speeds[plain]), "systemc": max(speeds[systemc]),
            "plain_all": speeds[plain], "systemc_all": speeds[systemc], "cost": max(speeds[plain]) / max(speeds[systemc])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="runs of each case (%(default)s)")
    parser.add_argument("--output", default=str(ROOT / "out" / "bench"), help="folder (%(default)s)")
    arguments = parser.parse_args()

    out = pathlib.Path(arguments.output)
    out.mkdir(parents=True, exist_ok=True)
    image = out / (NETWORK.replace(":", "_") + ".img")
    run(ROOT / "build" / "extorus", "route", NETWORK, "--algorithm", "dor", "-o", image)
    print(f"\nSystemC, {NETWORK}: card-cycles per second of processor time\n{'traffic':22} {'engine':>8} {'plain':>12} {'SystemC':>12} {'plain/SystemC':>14}")
    results = []
    for name, load, cycles in CASES:
        for engine in ENGINES:
            result = {"case": name, **compare(image, engine, load, cycles, arguments.repeat)}
            results.append(result)
            print(f"{name:22} {engine:>8} {result['plain']:12,} {result['systemc']:12,} {result['cost']:14.2f}", flush=True)
    report = {"machine": describe_machine(), "load_average": os.getloadavg()[0], "network": NETWORK, "results": results}
    (out / "systemc.json").write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
