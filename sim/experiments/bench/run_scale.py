#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Time and memory of `extorus route` and `extorus check` for 2,048 and 65,536 PEs.

`wall` is with all the processors of this machine and whatever else runs on it, `CPU` is user and system time of
all threads, `memory` the peak resident set. Every run is repeated and the median is printed.

With `--before COMMAND`, an `extorus` of an earlier commit, both commands have their turn in every repetition. `--table`
writes both into README.md, by the least processor time of each: other work on the machine only adds time.
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
from run_bench import write_between  # noqa: E402

COMMAND = ROOT / "build" / "extorus"
BEGIN, END = "<!-- scale-table: written by `run_scale.py --table` -->", "<!-- scale-table end -->"

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


def run(*words, command=COMMAND):
    """Wall seconds, CPU seconds and peak bytes of one extorus command, and what it printed."""
    begin = time.monotonic()
    process = subprocess.Popen([str(command), *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command} {' '.join(map(str, words))} failed with status {process.returncode}")
    return {"wall_s": time.monotonic() - begin, "cpu_s": usage.ru_utime + usage.ru_stime,
            "peak_bytes": usage.ru_maxrss * 1024}, output


def of_runs(runs, choose):
    return {key: round(choose(one[key] for one in runs), 3) for key in runs[0]}


def measure(case, folder, repeat, before):
    spec, algorithm, *options = case
    image = pathlib.Path(folder) / "scale.img"
    commands = {"before": before, "now": COMMAND} if before else {"now": COMMAND}
    runs = {name: {"route": [], "check": []} for name in commands}
    result = {"network": spec, "routing": " ".join(case[1:])}
    for _ in range(repeat):
        for name, command in commands.items():
            routed, said = run("route", spec, "--algorithm", algorithm, *options, "-o", image, "--json", command=command)
            runs[name]["route"].append(routed)
            runs[name]["check"].append(run("check", image, command=command)[0])
            result.update(pes=json.loads(said)["pes"], image_bytes=image.stat().st_size)
            image.unlink()
    result.update({step: of_runs(found, statistics.median) for step, found in runs["now"].items()})
    if before:
        result["least"] = {name: {step: of_runs(found, min) for step, found in steps.items()} for name, steps in runs.items()}
    return result


def table(report):
    machine = report["machine"]
    runs = "one run" if report["repeat"] == 1 else f"least of {report['repeat']} runs"
    lines = [f"{runs} of each; {machine['processors']} processors, {machine['processor']}; "
             f"{report['before']} before; load average at start {report['load_average_at_start']:.1f}", "",
             "| Network | Routing | PEs | `route`, s of CPU: before | now | MB: before | now | `check`, s of CPU: before | now | MB: before | now |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]
    for one in report["results"]:
        cells = [f"`{one['network']}`", one["routing"].replace(" --", ", "), f"{one['pes']:,}"]
        for step in ("route", "check"):
            both = [one["least"][name][step] for name in ("before", "now")]
            cells += [f"{of['cpu_s']:.2f}" for of in both] + [f"{of['peak_bytes'] / 1e6:.0f}" for of in both]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=1, help="runs of each case (%(default)s)")
    parser.add_argument("--only", metavar="WORD", default="", help="cases with WORD in network or routing")
    parser.add_argument("--output", default=str(ROOT / "out" / "bench"), help="folder (%(default)s)")
    parser.add_argument("--before", metavar="COMMAND", type=pathlib.Path, help="the extorus of an earlier commit, to compare with")
    parser.add_argument("--commit", default="an earlier build", help="which commit that is, for the table (%(default)s)")
    parser.add_argument("--table", action="store_true", help="only write the last comparison into README.md")
    arguments = parser.parse_args()

    out = pathlib.Path(arguments.output)
    if arguments.table:
        return write_between(BEGIN, table(json.loads((out / "scale-before.json").read_text())), END)
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
            results.append(measure(case, folder, arguments.repeat, arguments.before))
            r = results[-1]
            columns = (f"{one['wall_s']:6.1f}s {one['cpu_s']:6.1f}s {one['peak_bytes'] / 1e6:6.0f}MB"
                       for one in (r["route"], r["check"]))
            print(f"{r['network']:16} {r['routing']:18} {r['pes']:6} {r['image_bytes'] / 1e6:6.1f}MB | "
                  + " | ".join(columns), flush=True)
    report = {"machine": machine, "load_average_at_start": busy, "repeat": arguments.repeat, "results": results}
    name = "scale-before.json" if arguments.before else "scale.json"
    if arguments.before:
        report["before"] = arguments.commit
    (out / name).write_text(json.dumps(report, indent=2) + "\n")
    print(f"\n{os.path.relpath(out)}/{name} has all of it.")


if __name__ == "__main__":
    main()
