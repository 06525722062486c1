#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Both models of `extorus latency` beside the fast model of the switch, on networks of 4,096 cards.

Links are the wider the fewer a card has, so a packet has fewer cells there, and loads are those of the full torus.
A wait is the latency without that at the lowest load, as the models have no NIC. Runs that are done are not repeated.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sim/experiments/bench"))
from run_bench import write_between  # noqa: E402

README = pathlib.Path(__file__).with_name("README.md")
BEGIN, END = "<!-- latency-models: written by `make latency-models` -->", "<!-- latency-models end -->"
CELL_BITS, PORTS, HOP = 128, 6, 11  # of profile extoll; cycles of a head from card to card
# (network, routing, width of its links in those of the torus)
NETWORKS = (("torus:16x16x16", "dor", 1), ("pruned:16x16x16", "layered", 1.5), ("manhattan:16x16x16", "layered", 2))
PACKETS = (24, 6)  # cells on the torus
LOWEST, LOADS = 0.01, (0.1, 0.2, 0.3)  # cells per cycle and card, on the torus


def extorus(*words):
    return json.loads(subprocess.run([str(ROOT / "build" / "extorus"), *map(str, words), "--json"], check=True, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, text=True).stdout)


def simulated(folder, network, routing, width, cells):
    """Mean latency of a packet by load."""
    loads = ",".join(f"{load / width:.6f}" for load in (LOWEST, *LOADS))
    runs = extorus("sweep", f"{network}@{routing}", "--packet", round(cells / width), "--load", loads, "--warmup", 600, "--measure", 600,
                   "--no-plot", "-o", folder / f"{network.replace(':', '_')}-{cells}")
    return [None if run["saturated"] else run["network_latency_packet"]["mean"] for run in runs]


def modelled(model, network, cells):
    loads = ",".join(str(load * CELL_BITS) for load in (LOWEST, *LOADS))
    return extorus("latency", network, "--model", model, "--packet-bits", cells * CELL_BITS, "--pins", 2 * PORTS * CELL_BITS,
                   "--router", HOP - 2, "--wire", 2, "--load", loads)["networks"][0]["latency"]


def wait(latencies, at):
    value = latencies[at + 1]
    return "-" if value is None else f"{value - latencies[0]:.1f}"


def rows(folder):
    for cells in PACKETS:
        for network, routing, width in NETWORKS:
            found = simulated(folder, network, routing, width, cells)
            models = [modelled(model, network, cells) for model in ("queues", "contention")]
            for at, load in enumerate(LOADS):
                yield [f"`{network}`", f"{cells / width:.0f}", f"{load:.1f}", f"{found[0]:.0f}", f"{models[0][0]:.0f}", wait(found, at),
                       wait(models[0], at), wait(models[1], at)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "out" / "latency_models", help="folder (%(default)s)")
    folder = parser.parse_args().output
    head = ["Network", "Cells", "Load", "Latency at 0.01", "By the models", "Wait", "By queues", "By contention"]
    text = "\n".join("| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows(folder))) + "\n"
    write_between(BEGIN, text, END, README)


if __name__ == "__main__":
    main()
