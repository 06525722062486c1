#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the hardening of the build costs: processor time and size of the same command with it and without (`make PLAIN=1`).

Both have their turn in every repetition. The least time of each counts: other work on the machine only adds time. The
results of both must be equal.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

from run_bench import write_between

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sim"))
from machine import describe_machine  # noqa: E402

BEGIN, END = "<!-- hardening-table: written by `make bench-table` -->", "<!-- hardening-table end -->"
BUILDS = {"hardened": ROOT / "build", "plain": ROOT / "build" / "plain"}
CASES = {
    "`route` of `torus:16x8x8`": "route torus:16x8x8 --algorithm layered -o routed.img",
    "`check` of it": "check routed.img",
    "model of `torus:8x8x8`, load 0.2": "sim small.img --engine model --backdoor --threads 1 --load 0.2 --warmup 0 --measure 6000 --json",
    "`collective`: alltoall of 256 ranks": "collective alltoall --ranks 256 --bytes 256 --on small.img --json",
}
OF_TIME = ("wall_seconds", "card_cycles_per_second", "cycles_per_second", "seconds")


def seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(build, words, folder):
    begin = seconds()
    done = subprocess.run([str(build / "extorus"), *words.split()], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "EXTORUS_PLUGIN_DIR": str(build / "plugins")})
    if done.returncode != 0:
        raise SystemExit(f"{build}: extorus {words} failed with status {done.returncode}")
    return seconds() - begin, done.stdout


def untimed(text):
    """What a run says, without what depends on the time."""
    if not text.startswith("{"):
        return text
    return {key: value for key, value in json.loads(text).items() if key not in OF_TIME}


def measure(words, repeat, folder):
    times, said = {name: [] for name in BUILDS}, []
    for _ in range(repeat):
        for name, build in BUILDS.items():
            time, text = run(build, words, folder)
            times[name].append(time)
            said.append(untimed(text))
    if any(one != said[0] for one in said):
        raise SystemExit(f"{words}: the results differ")
    return {name: round(min(some), 3) for name, some in times.items()}


def table(report):
    machine, size = report["machine"], report["text_bytes"]
    lines = [f"least of {report['repeat']} runs of each; {machine['processors']} processors, {machine['processor']}; {machine['compiler']}; "
             f"load average at start {report['load_average_at_start']:.1f}", "",
             "| Command | Hardened, s of CPU | Plain | Cost |", "|---|---|---|---|"]
    for name, times in report["results"].items():
        lines.append(f"| {name} | {times['hardened']:.2f} | {times['plain']:.2f} | {times['hardened'] / times['plain'] - 1:+.1%} |")
    lines.append(f"| code of the command, kB | {size['hardened'] / 1e3:.0f} | {size['plain'] / 1e3:.0f} | {size['hardened'] / size['plain'] - 1:+.1%} |")
    return "\n".join(lines) + "\n"


def text_bytes(build):
    """Of code and constants."""
    return int(subprocess.run(["size", str(build / "extorus")], check=True, capture_output=True, text=True).stdout.split("\n")[1].split()[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=7, help="runs of each (%(default)s)")
    parser.add_argument("--output", default=str(ROOT / "out" / "bench"), help="folder (%(default)s)")
    parser.add_argument("--table", action="store_true", help="only write the last results into README.md")
    arguments = parser.parse_args()

    out = pathlib.Path(arguments.output)
    if arguments.table:
        return write_between(BEGIN, table(json.loads((out / "hardening.json").read_text())), END)
    out.mkdir(parents=True, exist_ok=True)
    results, busy = {}, os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        run(BUILDS["hardened"], "route torus:8x8x8 --algorithm dor -o small.img", folder)
        for name, words in CASES.items():
            results[name] = measure(words, arguments.repeat, folder)
            print(name, results[name], flush=True)
    report = {"machine": describe_machine(), "load_average_at_start": busy, "repeat": arguments.repeat, "results": results,
              "text_bytes": {name: text_bytes(build) for name, build in BUILDS.items()}}
    (out / "hardening.json").write_text(json.dumps(report, indent=2) + "\n")
    print(f"\n{os.path.relpath(out)}/hardening.json has all of it.")


if __name__ == "__main__":
    main()
