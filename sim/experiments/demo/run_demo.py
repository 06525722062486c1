#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A 3D torus and a 5D twin torus of the same cards, from their names to load-latency curves.

Of 256 cards, an 8x8x4 torus with DOR and a 4x4x2x2x2 twin torus with TS-DOR run on the cycle-exact model. Of 64 cards,
4x4x4 and 2x2x2x2x2 run on the Verilated RTL, and on the model as well, which must give the same numbers. All are routed,
checked, drawn, and loaded with uniform traffic of packets of 1 to 32 cells. Everything goes through the command
`extorus`; its output is kept as JSON beside the pictures, in out/demo.
"""

import argparse
import concurrent.futures
import csv
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

TORUS, TWIN = {"algorithm": "dor"}, {"algorithm": "ts-dor"}
LARGE = (
    {"name": "torus_8x8x4", "spec": "torus:8x8x4", "title": "3D torus 8x8x4, DOR", **TORUS},
    {"name": "twin_4x4x2x2x2", "spec": "twin:4x4x2x2x2", "title": "5D twin torus 4x4x2x2x2, TS-DOR", **TWIN},
)
SMALL = (
    {"name": "torus_4x4x4", "spec": "torus:4x4x4", "title": "3D torus 4x4x4, DOR", **TORUS},
    {"name": "twin_2x2x2x2x2", "spec": "twin:2x2x2x2x2", "title": "5D twin torus 2x2x2x2x2, TS-DOR", **TWIN},
)
NETWORKS = LARGE + SMALL
LOADS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
RTL_LOADS = (0.2, 0.4, 0.6, 0.8, 1.0)
# What tells one engine, or one machine, from another.
NOT_THE_NETWORKS = {"engine", "wall_seconds", "card_cycles_per_second", "evaluated_card_cycles"}


class Progress:
    """A line that is rewritten on a terminal; elsewhere a line for each step."""

    def __init__(self):
        self.rewrites = sys.stderr.isatty()

    def __call__(self, text):
        sys.stderr.write(f"\r\033[K{text}" if self.rewrites else f"{text}\n")
        sys.stderr.flush()

    def done(self):
        if self.rewrites:
            self("")


class Demo:
    def __init__(self, arguments):
        self.arguments = arguments
        self.command = ROOT / "build" / "extorus"
        self.out = pathlib.Path(arguments.output)
        self.progress = Progress()

    def extorus(self, *words):
        """Runs the command and returns what it printed; a failure ends the demo with its own words."""
        done = subprocess.run([str(self.command), *map(str, words)], cwd=self.out, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            self.progress.done()
            raise SystemExit(f"failed with status {done.returncode}: extorus {shlex.join(map(str, words))}\n"
                             f"{done.stderr}{done.stdout}".rstrip())
        return done.stdout

    def keep(self, name, value):
        (self.out / name).write_text(json.dumps(value, indent=2) + "\n")
        return value

    def prepare(self, network):
        """Image, proof, drawing; tables written and read back through the registers."""
        name, image = network["name"], network["name"] + ".img"
        self.extorus("route", network["spec"], "--algorithm", network["algorithm"], "-o", image)
        checked = self.keep(f"{name}_check.json", json.loads(self.extorus("check", image, "--json")))
        self.extorus("topo", network["spec"], "--svg", f"{name}_topology.svg")
        if network in SMALL:
            self.extorus("load", image, "--device", f"sim:{network['spec']}")
        return checked

    def simulate(self, network, engine, load):
        name = network["name"]
        stem = f"{name}_{engine}_{round(100 * load):03d}"
        # Equality with the RTL needs no long runs.
        share = 1 if network in LARGE else 3
        return self.keep(f"{stem}.json", json.loads(self.extorus(
            "sim", f"{name}.img", "--engine", engine, "--threads", 1, "--traffic", "uniform", "--load", load, "--packet", "1-32",
            "--warmup", self.arguments.warmup // share, "--measure", self.arguments.measure // share, "--seed", self.arguments.seed,
            "--link-load", f"{stem}_links.csv", "--json")))

    def sweep(self):
        """All loads of all networks, some at a time, the longest first; {(network name, engine): [result by load]}."""
        work = [(network, "rtl", load) for load in reversed(RTL_LOADS) for network in SMALL]
        work += [(network, "model", load) for load in reversed(LOADS) for network in NETWORKS]
        results = {}
        with concurrent.futures.ThreadPoolExecutor(self.arguments.jobs) as pool:
            running = {pool.submit(self.simulate, *run): run for run in work}
            try:
                for count, future in enumerate(concurrent.futures.as_completed(running), 1):
                    network, engine, load = running[future]
                    results[network["name"], engine, load] = future.result()
                    self.progress(f"simulated {count} of {len(work)}: {network['spec']} at load {load}, {engine}")
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        self.progress.done()
        return {(network["name"], engine): [results[network["name"], engine, load] for load in loads]
                for network in NETWORKS for engine, loads in (("model", LOADS), ("rtl", RTL_LOADS))
                if (network["name"], engine, loads[0]) in results}

    def plot(self, script, *words):
        subprocess.run(["gnuplot", "-c", HERE / script, *words], cwd=self.out, check=True)

    def draw(self, results):
        for (name, engine), runs in results.items():
            with open(self.out / f"{name}_{engine}.dat", "w") as file:
                for run in runs:
                    latency, whole = run["network_latency"]["packet"], run["end_to_end_latency"]["packet"]
                    print(run["offered_load"], run["accepted_load"], latency["mean"], latency["p99"],
                          whole["mean"], file=file)
        for network in NETWORKS:
            self.draw_links(network)
        self.plot("curves.gp", *[word for network in NETWORKS for word in (network["name"], network["title"])])

    def draw_links(self, network):
        name = network["name"]
        with open(self.out / f"{name}_model_{round(100 * LOADS[-1]):03d}_links.csv", newline="") as file:
            links = list(csv.DictReader(file))
        # d0-, d0+, d1-, ..., then int and nic
        ports = sorted({link["port"] for link in links},
                       key=lambda port: (not port.startswith("d"), port[:-1], port.endswith("+")))
        with open(self.out / f"{name}_ports.dat", "w") as file:
            file.writelines(f"{row} {port}\n" for row, port in enumerate(ports))
        with open(self.out / f"{name}_links.dat", "w") as file:
            file.writelines(f"{link['card']} {ports.index(link['port'])} {link['load']}\n" for link in links)
        cards = 1 + max(int(link["card"]) for link in links)
        self.plot("heat_map.gp", name, f"{network['title']}: cells per cycle leaving each port, "
                                       f"uniform traffic, offered load {LOADS[-1]}", str(cards))


def print_table(results):
    print((f"{'':8}" + "".join(f" | {network['title']:^43}" for network in LARGE)).rstrip())
    columns = f" | {'accepted':>8} {'network':>9} {'p99':>6} {'end to end':>11} {'ok':>5}"
    print(f"{'offered':>8}" + columns * len(LARGE))
    for index, load in enumerate(LOADS):
        line = f"{load:8.2f}"
        for network in LARGE:
            run = results[network["name"], "model"][index]
            latency = run["network_latency"]["packet"]
            line += (f" | {run['accepted_load']:8.4f} {latency['mean']:9.1f} {latency['p99']:6d}"
                     f" {run['end_to_end_latency']['packet']['mean']:11.1f} {'yes' if run['ok'] else 'NO':>5}")
        print(line)
    print("accepted: fraction of the NIC bandwidth; network: from the head's entry into the first switch to the\n"
          "tail's exit from the last, mean and 99th percentile; end to end: from generation, mean; in cycles, per\n"
          "packet. ok: nothing lost, duplicated, misrouted, reordered or altered; drained; all credits home.")


def describe(results):
    """What the first picture shows."""
    torus, twin = (results[network["name"], "model"] for network in LARGE)
    below = [(a, b) for a, b in zip(torus, twin) if not a["saturated"] and not b["saturated"]]
    ratio = (sum(b["end_to_end_latency"]["packet"]["mean"] / a["end_to_end_latency"]["packet"]["mean"] for a, b in below) /
             len(below)) - 1
    return (f"With the same 256 cards, the 5D twin torus has {abs(ratio):.0%} {'less' if ratio < 0 else 'more'} latency from "
            f"generation to delivery than the 3D torus,\non average over the {len(below)} loads below saturation. "
            f"At full load it accepts {twin[-1]['accepted_load']:.3f} of the NIC bandwidth, the torus "
            f"{torus[-1]['accepted_load']:.3f}.")


def engines_differ(results):
    """[(network name, load, keys)] where model and RTL give other numbers."""
    differ = []
    for network in SMALL:
        model = dict(zip(LOADS, results[network["name"], "model"]))
        for load, run in zip(RTL_LOADS, results[network["name"], "rtl"]):
            keys = [key for key in run if key not in NOT_THE_NETWORKS and run[key] != model[load][key]]
            if keys:
                differ.append((network["name"], load, keys))
    return differ


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warmup", type=int, default=5000, help="cycles before the measurement (%(default)s)")
    parser.add_argument("--measure", type=int, default=15000, help="cycles measured (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="simulations at once")
    parser.add_argument("--output", default=str(ROOT / "out" / "demo"), help="folder (%(default)s)")
    arguments = parser.parse_args()

    begin = time.monotonic()
    demo = Demo(arguments)
    demo.out.mkdir(parents=True, exist_ok=True)
    checks = {}
    for network in NETWORKS:
        demo.progress(f"routing, checking and loading {network['title']}")
        check = checks[network["name"]] = demo.prepare(network)
        demo.progress.done()
        print(f"{network['title']}: {check['pairs']} pairs, {check['unreachable']} unreachable, "
              f"{check['max_hops']} hops at most, {check['mean_hops']:.4f} on average, "
              f"cyclic TCs: {check['cyclic_tcs'] or 'none'}"
              f"{'; tables loaded and read back' if network in SMALL else ''}", flush=True)
    results = demo.sweep()
    seconds = time.monotonic() - begin
    demo.draw(results)
    demo.keep("results.json", {"machine": describe_machine(), "seconds": round(seconds, 1), "checks": checks,
                               "runs": {f"{name} {engine}": runs for (name, engine), runs in results.items()}})
    print()
    print_table(results)
    print()
    print(describe(results))
    differ = engines_differ(results)
    for name, load, keys in differ:
        print(f"WRONG: {name} at load {load}: RTL and model differ in {', '.join(keys)}")
    if not differ:
        print(f"Of 64 cards, RTL and model gave the same numbers in all {len(SMALL) * len(RTL_LOADS)} runs.")

    runs = [run for by_load in results.values() for run in by_load]
    packets = sum(run["packets_delivered"] for run in runs)
    cycles = sum(run["cycles"] for run in runs)
    wrong = [run for run in runs if not run["ok"]]
    shown = os.path.relpath(demo.out)
    print(f"\n{packets} packets checked over {cycles} cycles in {seconds:.0f} s; seed {arguments.seed}.")
    print(f"Pictures: {shown}/load_latency.svg, load_throughput.svg, *_topology.svg, *_link_load.svg;\n"
          f"numbers: {shown}/results.json and one JSON per run.")
    return 1 if wrong or differ else 0


if __name__ == "__main__":
    sys.exit(main())
