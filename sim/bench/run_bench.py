#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How fast the 64-card RTL network is simulated by one thread: card-cycles per second of wall time.

Idle, at load 0.2 and at saturation, uniform traffic of packets of 1 to 32 cells; every run is repeated
and the median is printed. A card that is idle and hears nothing is not evaluated, so an idle network costs
next to nothing: `evaluated` is the share of card-cycles that were, and the last column counts only those.

Then the figures that were last recorded of the synthesis, and their trend as a picture.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "sim"), str(ROOT / "constraints" / "synth")]
from machine import describe_machine  # noqa: E402
import trend  # noqa: E402

NETWORKS = (("torus:4x4x4", "dor"), ("twin:2x2x2x2x2", "ts-dor"))
# (name, load, measured cycles)
CASES = (("idle", 0, 200000), ("load 0.2", 0.2, 6000), ("saturated (load 1.0)", 1.0, 6000))


def extorus(*words):
    done = subprocess.run([str(ROOT / "build" / "extorus"), *map(str, words)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"extorus {words[0]} failed with status {done.returncode}")
    return done.stdout


def measure(image, load, cycles, repeat):
    runs = [json.loads(extorus("sim", image, "--load", load, "--warmup", 0, "--measure", cycles, "--json"))
            for _ in range(repeat)]
    speeds = [run["card_cycles_per_second"] for run in runs]
    speed = statistics.median(speeds)
    evaluated = runs[0]["evaluated_card_cycles"] / (runs[0]["cycles"] * runs[0]["cards"])
    return {
        "load": load,
        "card_cycles_per_second": round(speed),
        "card_cycles_per_second_all": [round(one) for one in speeds],
        "evaluated_fraction": round(evaluated, 4),
        "evaluated_card_cycles_per_second": round(speed * evaluated),
        "cycles": runs[0]["cycles"],
        "accepted_load": runs[0]["accepted_load"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="runs of each case (%(default)s)")
    parser.add_argument("--output", default=str(ROOT / "out" / "bench"), help="folder (%(default)s)")
    arguments = parser.parse_args()

    out = pathlib.Path(arguments.output)
    out.mkdir(parents=True, exist_ok=True)
    machine = describe_machine()
    for key, value in machine.items():
        print(f"{key:12} {value}")
    busy = os.getloadavg()[0]
    if busy > 0.5:
        print(f"note: the machine is busy (load average {busy:.1f}); figures will be low", file=sys.stderr)

    print(f"\n{'network':16} {'traffic':22} {'card-cycles/s':>14} {'evaluated':>10} {'evaluated/s':>12} {'cycles':>8}")
    results = []
    for spec, algorithm in NETWORKS:
        image = out / (spec.replace(":", "_") + ".img")
        extorus("route", spec, "--algorithm", algorithm, "-o", image)
        for name, load, cycles in CASES:
            result = {"network": spec, "case": name, **measure(image, load, cycles, arguments.repeat)}
            results.append(result)
            print(f"{spec:16} {name:22} {result['card_cycles_per_second']:14,} "
                  f"{result['evaluated_fraction']:10.1%} {result['evaluated_card_cycles_per_second']:12,} "
                  f"{result['cycles']:8}", flush=True)
    report = {"machine": machine, "load_average_at_start": busy, "repeat": arguments.repeat, "results": results}
    (out / "bench.json").write_text(json.dumps(report, indent=2) + "\n")
    print(f"\n{os.path.relpath(out)}/bench.json has all of it.\n")
    if recorded := trend.read():
        trend.show(recorded, out)


if __name__ == "__main__":
    main()
