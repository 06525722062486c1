#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Two networks of 64 cards, the same cards, from their names to load-latency curves on the real RTL.

A 3D torus 4x4x4 with DOR and a 5D twin torus 2x2x2x2x2 with TS-DOR are routed, checked, drawn and loaded through
the host library. Both are co-simulated with uniform traffic of packets of 1 to 32 cells. Everything goes through
the command `extorus`; its output is kept as JSON beside the pictures, in out/demo.
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

NETWORKS = (
    {"name": "torus_4x4x4", "spec": "torus:4x4x4", "algorithm": "dor", "title": "3D torus 4x4x4, DOR"},
    {"name": "twin_2x2x2x2x2", "spec": "twin:2x2x2x2x2", "algorithm": "ts-dor",
     "title": "5D twin torus 2x2x2x2x2, TS-DOR"},
)
LOADS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


class Progress:
    """One line that is rewritten, on a terminal only."""

    def __init__(self):
        self.shown = sys.stderr.isatty()

    def __call__(self, text):
        if self.shown:
            sys.stderr.write(f"\r\033[K{text}")
            sys.stderr.flush()

    def done(self):
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
        self.extorus("load", image, "--device", f"sim:{network['spec']}")
        return checked

    def simulate(self, network, load):
        name = network["name"]
        stem = f"{name}_{round(100 * load):03d}"
        return self.keep(f"{stem}.json", json.loads(self.extorus(
            "sim", f"{name}.img", "--engine", "rtl", "--traffic", "uniform", "--load", load, "--packet", "1-32",
            "--warmup", self.arguments.warmup, "--measure", self.arguments.measure, "--seed", self.arguments.seed,
            "--link-load", f"{stem}_links.csv", "--json")))

    def sweep(self):
        """All loads of both networks, two at a time; {network name: [result by load]}."""
        results = {network["name"]: {} for network in NETWORKS}
        work = [(network, load) for load in reversed(LOADS) for network in NETWORKS]
        with concurrent.futures.ThreadPoolExecutor(self.arguments.jobs) as pool:
            running = {pool.submit(self.simulate, network, load): (network, load) for network, load in work}
            self.progress(f"simulating: 0 of {len(work)} runs done")
            try:
                for count, future in enumerate(concurrent.futures.as_completed(running), 1):
                    network, load = running[future]
                    results[network["name"]][load] = future.result()
                    self.progress(f"simulating: {count} of {len(work)} runs done")
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        self.progress.done()
        return {name: [by_load[load] for load in LOADS] for name, by_load in results.items()}

    def plot(self, script, *words):
        subprocess.run(["gnuplot", "-c", HERE / script, *words], cwd=self.out, check=True)

    def draw(self, results):
        for network in NETWORKS:
            name = network["name"]
            with open(self.out / f"{name}.dat", "w") as file:
                for run in results[name]:
                    latency, whole = run["network_latency"]["packet"], run["end_to_end_latency"]["packet"]
                    print(run["offered_load"], run["accepted_load"], latency["mean"], latency["p99"],
                          whole["mean"], file=file)
            self.draw_links(network)
        self.plot("curves.gp", *[word for network in NETWORKS for word in (network["name"], network["title"])])

    def draw_links(self, network):
        name = network["name"]
        with open(self.out / f"{name}_{round(100 * LOADS[-1]):03d}_links.csv", newline="") as file:
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
    print((f"{'':8}" + "".join(f" | {network['title']:^43}" for network in NETWORKS)).rstrip())
    columns = f" | {'accepted':>8} {'network':>9} {'p99':>6} {'end to end':>11} {'ok':>5}"
    print(f"{'offered':>8}" + columns * len(NETWORKS))
    for index, load in enumerate(LOADS):
        line = f"{load:8.2f}"
        for network in NETWORKS:
            run = results[network["name"]][index]
            latency = run["network_latency"]["packet"]
            line += (f" | {run['accepted_load']:8.4f} {latency['mean']:9.1f} {latency['p99']:6d}"
                     f" {run['end_to_end_latency']['packet']['mean']:11.1f} {'yes' if run['ok'] else 'NO':>5}")
        print(line)
    print("accepted: fraction of the NIC bandwidth; network: from the head's entry into the first switch to the\n"
          "tail's exit from the last, mean and 99th percentile; end to end: from generation, mean; in cycles, per\n"
          "packet. ok: nothing lost, duplicated, misrouted, reordered or altered; drained; all credits home.")


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
              f"cyclic TCs: {check['cyclic_tcs'] or 'none'}\n  tables of 64 cards loaded and read back")
    results = demo.sweep()
    seconds = time.monotonic() - begin
    demo.draw(results)
    demo.keep("results.json", {"machine": describe_machine(), "seconds": round(seconds, 1), "checks": checks,
                               "runs": results})
    print()
    print_table(results)

    runs = [run for by_load in results.values() for run in by_load]
    packets = sum(run["packets_delivered"] for run in runs)
    cycles = sum(run["cycles"] for run in runs)
    wrong = [run for run in runs if not run["ok"]]
    shown = os.path.relpath(demo.out)
    print(f"\n{packets} packets checked over {cycles} cycles of 64 cards in {seconds:.0f} s; seed {arguments.seed}.")
    print(f"Pictures: {shown}/load_latency.svg, load_throughput.svg, *_topology.svg, *_link_load.svg;\n"
          f"numbers: {shown}/results.json and one JSON per run.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
