#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Time per router-cycle: BookSim 2, which has one thread, against the fast model, in turn.

  run_booksim.py BOOKSIM       the program, built from https://github.com/booksim/booksim2

Both simulate a torus of 8x8x8 routers with packets of 16 cells at load 0.2: dimension order, iSLIP, two VCs of 64 flits
in BookSim. Each runs for a short and for a long time; the difference is free of what begins and ends a run. All have their
turn in every repetition, and each ratio is the median of those of the turns. Nothing else should run on the machine meanwhile.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from run_bench import LARGE, ROOT, extorus, write_between

sys.path.insert(0, str(ROOT / "sim"))
from machine import describe_machine  # noqa: E402

BEGIN, END = "<!-- booksim-table: written by `run_booksim.py --table` -->", "<!-- booksim-table end -->"
ROUTERS = 512
CONFIGURATION = """topology = torus; k = 8; n = 3;
routing_function = dim_order; num_vcs = 2; vc_buf_size = 64;
vc_allocator = islip; sw_allocator = islip; alloc_iters = 1;
credit_delay = 2; routing_delay = 0; vc_alloc_delay = 1; sw_alloc_delay = 1;
traffic = uniform; packet_size = 16; injection_rate_uses_flits = 1; injection_rate = 0.2;
sim_type = latency; warmup_periods = 0; max_samples = 1; latency_thres = 10000.0;
sample_period = CYCLES;
"""
BOOKSIM_CYCLES, MODEL_CYCLES = (1500, 3000), (4000, 64000)
BOOKSIM = "BookSim 2"
MODEL_WAYS = {"model": (), "model, `--no-check`": ("--no-check",), "model, one thread": ("--threads", 1),
              "model, one thread, `--no-check`": ("--threads", 1, "--no-check")}


def elapsed(words):
    begin = time.monotonic()
    status = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False).returncode
    if status != 0:
        raise SystemExit(f"run_booksim.py: {' '.join(map(str, words))} ended with status {status}")
    return time.monotonic() - begin


def per_second(command, cycles):
    """Router-cycles per second, of a short and a long run of command(cycles)."""
    short, long = (elapsed(command(number)) for number in cycles)
    if long <= short:
        raise SystemExit(f"run_booksim.py: {command(cycles[1])[0]} takes no longer for {cycles[1]} cycles than for {cycles[0]}")
    return ROUTERS * (cycles[1] - cycles[0]) / (long - short)


def measure(booksim, repeat):
    speeds = {way: [] for way in (BOOKSIM, *MODEL_WAYS)}
    with tempfile.TemporaryDirectory() as folder:
        image, configuration = pathlib.Path(folder, "image"), pathlib.Path(folder, "configuration")
        extorus("route", LARGE, "--algorithm", "dor", "-o", image)

        def theirs(cycles):
            configuration.write_text(CONFIGURATION.replace("CYCLES", str(cycles)))
            return booksim.resolve(), configuration

        def ours(cycles, *options):
            return (ROOT / "build" / "extorus", "sim", image, "--engine", "model", "--backdoor", "--load", 0.2, "--packet", 16, "--warmup", 0,
                    "--measure", cycles, "--json", *options)

        for _ in range(repeat):
            speeds[BOOKSIM].append(per_second(theirs, BOOKSIM_CYCLES))
            for way, options in MODEL_WAYS.items():
                speeds[way].append(per_second(lambda cycles, options=options: ours(cycles, *options), MODEL_CYCLES))
    return [{"way": way, "router_cycles_per_second": statistics.median(one),
             "ratios": [speed / base for speed, base in zip(one, speeds[BOOKSIM])]} for way, one in speeds.items()]


def row(one):
    ratios = one["ratios"]
    return f"| {one['way']} | {one['router_cycles_per_second']:,.0f} | {statistics.median(ratios):.0f} ({min(ratios):.0f} to {max(ratios):.0f}) |"


def table(report):
    machine = report["machine"]
    lines = [f"`{LARGE}`, load 0.2, packets of 16 cells; medians of {report['repeat']} turns; {machine['processors']} processors, "
             f"{machine['processor']}; load average at start {report['load_average_at_start']:.1f}", "",
             "| Simulator | Router-cycles/s | Ratio |", "|---|---|---|"]
    return "\n".join([*lines, *map(row, report["results"])]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("booksim", type=pathlib.Path, nargs="?", help="the program")
    parser.add_argument("--repeat", type=int, default=5, help="turns (%(default)s)")
    parser.add_argument("--table", action="store_true", help="only write the last results into README.md")
    arguments = parser.parse_args()
    out = ROOT / "out" / "bench" / "booksim.json"
    if arguments.table:
        if not out.exists():
            parser.error(f"{out.relative_to(ROOT)} is not there: measure first, without --table")
        return write_between(BEGIN, table(json.loads(out.read_text())), END)
    if not arguments.booksim or not os.access(arguments.booksim, os.X_OK):
        parser.error(f"{arguments.booksim or 'BOOKSIM'}: no program; build BookSim 2 and name it")
    out.parent.mkdir(parents=True, exist_ok=True)
    report = {"machine": describe_machine(), "repeat": arguments.repeat, "load_average_at_start": os.getloadavg()[0]}
    report["results"] = measure(arguments.booksim, arguments.repeat)
    out.write_text(json.dumps(report, indent=2) + "\n")
    print("\n".join(map(row, report["results"])))


if __name__ == "__main__":
    main()
