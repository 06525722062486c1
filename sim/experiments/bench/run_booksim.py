#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Processor time per router-cycle: BookSim 2 against the fast model, on one thread, in turn.

  run_booksim.py BOOKSIM       the program, built from https://github.com/booksim/booksim2

Both simulate a torus of 8x8x8 routers with packets of 16 cells at load 0.2: dimension order, iSLIP, two VCs of 64 flits
in BookSim. Each runs for a short and for a long time; the difference is free of what begins and ends a run. The median
of several turns is printed.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile

from run_bench import LARGE, ROOT, extorus

ROUTERS = 512
CONFIGURATION = """topology = torus; k = 8; n = 3;
routing_function = dim_order; num_vcs = 2; vc_buf_size = 64;
vc_allocator = islip; sw_allocator = islip; alloc_iters = 1;
credit_delay = 2; routing_delay = 0; vc_alloc_delay = 1; sw_alloc_delay = 1;
traffic = uniform; packet_size = 16; injection_rate_uses_flits = 1; injection_rate = 0.2;
sim_type = latency; warmup_periods = 0; max_samples = 1; latency_thres = 10000.0;
sample_period = CYCLES;
"""
BOOKSIM_CYCLES, MODEL_CYCLES = (1500, 3000), (4000, 24000)


def processor_time(words):
    before = os.times()
    subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = os.times()
    return after.children_user - before.children_user


def per_second(short, long, cycles):
    """Router-cycles per second of processor time."""
    return ROUTERS * (cycles[1] - cycles[0]) / (long - short)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("booksim", type=pathlib.Path, help="the program")
    parser.add_argument("--repeat", type=int, default=5, help="turns (%(default)s)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        image = work / "image"
        extorus("route", LARGE, "--algorithm", "dor", "-o", image)
        theirs, ours = [], []
        for _ in range(arguments.repeat):
            times = []
            for cycles in BOOKSIM_CYCLES:
                (work / "configuration").write_text(CONFIGURATION.replace("CYCLES", str(cycles)))
                times.append(processor_time((arguments.booksim.resolve(), work / "configuration")))
            theirs.append(per_second(*times, BOOKSIM_CYCLES))
            times = [processor_time((ROOT / "build" / "extorus", "sim", image, "--engine", "model", "--backdoor", "--load", 0.2, "--packet",
                                     16, "--warmup", 0, "--measure", cycles, "--json")) for cycles in MODEL_CYCLES]
            ours.append(per_second(*times, MODEL_CYCLES))
    ratios = [model / booksim for model, booksim in zip(ours, theirs)]
    print(f"BookSim {statistics.median(theirs):,.0f} router-cycles/s, model {statistics.median(ours):,.0f}: "
          f"{statistics.median(ratios):.0f} times ({min(ratios):.0f} to {max(ratios):.0f})")


if __name__ == "__main__":
    main()
