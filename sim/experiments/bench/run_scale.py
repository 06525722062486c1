#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Time and memory of `extorus route` and `extorus check` for 2,048 and 65,536 PEs.

`wall` is with all the processors of this machine and whatever else runs on it, `CPU` is user and system time of
all threads, `memory` the peak resident set. Every run is repeated and the median is printed.
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

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sim"))
from machine import describe_machine  # noqa: E402

CASES = (
    ("torus:16x16x8", "dor"),
    ("twin:8x8x16", "ts-dor", "--adaptive"),
    ("torus:32x32x64", "dor"),
    ("torus:32x32x64", "dor", "--adaptive"),
    ("torus:32x32x64", "bubble"),
    ("twin:16x32x64", "ts-dor"),
    ("twin:16x32x64", "dort"),
    ("twin:8x8x8x8x8", "ts-dor"),
    ("twin:8x8x8x8x8", "ts-dor", "--adaptive"),
)


def run(*words):
    """Wall seconds, CPU seconds and peak bytes of one extorus command, and what it printed."""
    begin = time.monotonic()
    process = subprocess.Popen([str(ROOT / "build" / "extorus"), *map(str, words)], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"extorus {' '.join(map(str, words))} failed with status {process.returncode}")
    return {"wall_s": time.monotonic() - begin, "cpu_s": usage.ru_utime + usage.ru_stime,
            "peak_bytes": usage.ru_maxrss * 1024}, output


def median(runs):
    return {key: round(statistics.median(one[key] for one in runs), 3) for key in runs[0]}


def measure(case, folder, repeat):
    spec, algorithm, *options = case
    image = pathlib.Path(folder) / "scale.img"
    routed = [run("route", spec, "--algorithm", algorithm, *options, "-o", image, "--json") for _ in range(repeat)]
    checked = [run("check", image)[0] for _ in range(repeat)]
    result = {"network": spec, "routing": " ".join(case[1:]), "pes": json.loads(routed[0][1])["pes"], "image_bytes": image.stat().st_size,
              "route": median([one for one, _ in routed]), "check": median(checked)}
    image.unlink()
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=1, help="runs of each case (%(default)s)")
    parser.add_argument("--only", metavar="WORD", default="", help="cases with WORD in network or routing")
    parser.add_argument("--output", default=str(ROOT / "out" / "bench"), help="folder (%(default)s)")
    arguments = parser.parse_args()

    out = pathlib.Path(arguments.output)
    out.mkdir(parents=True, exist_ok=True)
    machine = describe_machine()
    busy = os.getloadavg()[0]
    for key, value in machine.items():
        print(f"{key:12} {value}")
    if busy > 0.5:
        print(f"note: the machine is busy (load average {busy:.1f}); wall times will be long", file=sys.stderr)
    print(f"\n{'network':16} {'routing':18} {'PEs':>6} {'image':>8} | {'route':>7} {'CPU':>7} {'memory':>8} | "
          f"{'check':>7} {'CPU':>7} {'memory':>8}")
    results = []
    with tempfile.TemporaryDirectory(dir=out) as folder:
        for case in CASES:
            if not any(arguments.only in word for word in case):
                continue
            results.append(measure(case, folder, arguments.repeat))
            r = results[-1]
            columns = (f"{one['wall_s']:6.1f}s {one['cpu_s']:6.1f}s {one['peak_bytes'] / 1e6:6.0f}MB"
                       for one in (r["route"], r["check"]))
            print(f"{r['network']:16} {r['routing']:18} {r['pes']:6} {r['image_bytes'] / 1e6:6.1f}MB | "
                  + " | ".join(columns), flush=True)
    report = {"machine": machine, "load_average_at_start": busy, "repeat": arguments.repeat, "results": results}
    (out / "scale.json").write_text(json.dumps(report, indent=2) + "\n")
    print(f"\n{os.path.relpath(out)}/scale.json has all of it.")


if __name__ == "__main__":
    main()
