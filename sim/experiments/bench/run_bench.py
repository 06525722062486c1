#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Speed of simulation: card-cycles per second of wall time, of the RTL and of the fast model, on one thread.

- 64 cards idle, at load 0.2 and at saturation; uniform traffic of 1 to 32 cells; RTL, model, and their ratio.
- The model on a torus of 512 cards with packets of 16 cells, and its instructions per cell-hop, if valgrind is there.
  A hop is a cell's way through a switch, as BookSim counts hops of flits; a cell on 6 links makes 7 hops.
- The last recorded figures of the synthesis, and their trend as a picture.

Every run is repeated, and the median is printed. An idle card that hears nothing is not evaluated, so an idle
network costs next to nothing. `evaluated` is the share of evaluated card-cycles; the last column counts only
those.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "sim"), str(ROOT / "constraints" / "synth")]
import trend  # noqa: E402
from machine import describe_machine  # noqa: E402

BEGIN, END = "<!-- bench-table: written by `make bench-table` -->", "<!-- bench-table end -->"
PORTS = 7  # of the default profile
NETWORKS = (("torus:4x4x4", "dor"), ("twin:2x2x2x2x2", "ts-dor"))
# (name, load, measured cycles)
CASES = (("idle", 0, 200000), ("load 0.2", 0.2, 6000), ("saturated (load 1.0)", 1.0, 6000))
LARGE = "torus:8x8x8"
# (name, load, measured cycles, further options)
LARGE_CASES = (("load 0.001", 0.001, 20000, ()), ("load 0.2", 0.2, 3000, ()), ("load 0.2, --no-check", 0.2, 3000, ("--no-check",)),
               ("saturated (load 1.0)", 1.0, 1000, ()))


def extorus(*words):
    done = subprocess.run([str(ROOT / "build" / "extorus"), *map(str, words)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"extorus {words[0]} failed with status {done.returncode}")
    return done.stdout


def measure(image, load, cycles, repeat, engine="rtl", *words):
    runs = [json.loads(extorus("sim", image, "--engine", engine, "--backdoor", "--threads", 1, "--load", load, "--warmup", 0, "--measure",
                               cycles, *words, "--json"))
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
        "cell_hops_per_card_cycle": runs[0]["switch_utilisation"]["mean"] * PORTS,
    }


def instructions(image, cycles, *further):
    """Of the model per cell-hop at load 0.2, or None without valgrind."""
    if not shutil.which("valgrind"):
        return None
    with tempfile.NamedTemporaryFile() as profile:
        words = [ROOT / "build" / "extorus", "sim", image, "--engine", "model", "--backdoor", "--threads", 1, "--load", 0.2, "--packet",
                 16, "--warmup", 0, "--measure", cycles, *further, "--json"]
        done = subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=network_run",
                               f"--callgrind-out-file={profile.name}", *map(str, words)],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    counted = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
    if done.returncode or not counted:
        raise SystemExit(f"callgrind failed with status {done.returncode}")
    run = json.loads(done.stdout)
    hops = run["switch_utilisation"]["mean"] * PORTS * run["cards"] * run["cycles"]
    return round(int(counted[1]) / hops)


def bench_large(out, repeat):
    """The fast model on a network that the RTL is too slow for."""
    image = out / (LARGE.replace(":", "_") + ".img")
    extorus("route", LARGE, "--algorithm", "dor", "-o", image)
    print(f"\nfast model, {LARGE}, packets of 16 cells\n{'traffic':22} {'card-cycles/s':>14} {'cell-hops/s':>12}")
    results = []
    for name, load, cycles, further in LARGE_CASES:
        result = {"network": LARGE, "case": name, "engine": "model",
                  **measure(image, load, cycles, repeat, "model", "--packet", 16, *further)}
        results.append(result)
        print(f"{name:22} {result['card_cycles_per_second']:14,} "
              f"{result['card_cycles_per_second'] * result['cell_hops_per_card_cycle']:12,.0f}", flush=True)
    counts = [instructions(image, 600, *further) for further in ((), ("--no-check",))]
    if counts[0]:
        print("instructions per cell-hop at load 0.2, all checking included: {}; with --no-check {}".format(*counts))
    return results, counts


def rounded(value):
    """Three digits: the next run differs in the others."""
    return f"{float(f'{value:.3g}'):,.0f}"


def table(report):
    """The rows of README.md from a report."""
    machine = report["machine"]
    lines = [f"{report['repeat']} runs of each, medians; {machine['processors']} processors, {machine['processor']}; load average at start "
             f"{report['load_average_at_start']:.1f}; {machine['verilator']}; {machine['compiler']}", "",
             "| Network | Traffic | RTL, card-cycles/s | Model, card-cycles/s | Ratio |", "|---|---|---|---|---|"]
    for row in report["results"]:
        speed = row["card_cycles_per_second"]
        model = row.get("model_card_cycles_per_second")
        if row["case"] != "idle":
            cells = [rounded(speed), rounded(model), f"{model / speed:.0f}"] if model else ["", rounded(speed), ""]
            lines.append(f"| `{row['network']}` | {row['case']} | {' | '.join(cells)} |")
    counts = report["model_instructions_per_cell_hop"]
    if counts[0]:
        lines += ["", "The model takes {} instructions per cell-hop at load 0.2, and {} with `--no-check`.".format(*counts)]
    return "\n".join(lines) + "\n"


def write_between(begin, text, end, readme=pathlib.Path(__file__).with_name("README.md")):
    """Puts a table between two marks of the README."""
    before, rest = readme.read_text().split(begin)
    readme.write_text(before + begin + "\n" + text + end + rest.split(end)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="runs of each case (%(default)s)")
    parser.add_argument("--output", default=str(ROOT / "out" / "bench"), help="folder (%(default)s)")
    parser.add_argument("--table", action="store_true", help="only write the last results into README.md")
    arguments = parser.parse_args()

    out = pathlib.Path(arguments.output)
    if arguments.table:
        return write_between(BEGIN, table(json.loads((out / "bench.json").read_text())), END)
    out.mkdir(parents=True, exist_ok=True)
    machine = describe_machine()
    for key, value in machine.items():
        print(f"{key:12} {value}")
    busy = os.getloadavg()[0]
    if busy > 0.5:
        print(f"note: the machine is busy (load average {busy:.1f}); figures will be low", file=sys.stderr)

    print(f"\n{'network':16} {'traffic':22} {'card-cycles/s':>14} {'evaluated':>10} {'evaluated/s':>12} {'cycles':>8} "
          f"{'model':>14} {'ratio':>6}")
    results = []
    for spec, algorithm in NETWORKS:
        image = out / (spec.replace(":", "_") + ".img")
        extorus("route", spec, "--algorithm", algorithm, "-o", image)
        for name, load, cycles in CASES:
            result = {"network": spec, "case": name, **measure(image, load, cycles, arguments.repeat)}
            model = measure(image, load, cycles, arguments.repeat, "model")
            result["model_card_cycles_per_second"] = model["card_cycles_per_second"]
            ratio = model["card_cycles_per_second"] / result["card_cycles_per_second"]
            results.append(result)
            print(f"{spec:16} {name:22} {result['card_cycles_per_second']:14,} "
                  f"{result['evaluated_fraction']:10.1%} {result['evaluated_card_cycles_per_second']:12,} "
                  f"{result['cycles']:8} {model['card_cycles_per_second']:14,} {ratio:6.1f}", flush=True)
    large, counts = bench_large(out, arguments.repeat)
    results += large
    report = {"machine": machine, "load_average_at_start": busy, "repeat": arguments.repeat, "results": results,
              "model_instructions_per_cell_hop": counts}
    (out / "bench.json").write_text(json.dumps(report, indent=2) + "\n")
    print(f"\n{os.path.relpath(out)}/bench.json has all of it.\n")
    if recorded := trend.read():
        trend.show(recorded, out)


if __name__ == "__main__":
    main()
