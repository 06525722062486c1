#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Rate and memory of `extorus workload replay` for a GOAL trace of 10^7 events on 1,024 PEs of the fast model.

The trace is a halo exchange of 1,024 tasks. `memory` is the peak resident set, with the network; `bytes/event` what a
tenth of the trace takes less, by the events that it has less. The rate is by CPU time.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile

from run_bench import rounded, write_between
from run_scale import ROOT, run

sys.path.insert(0, str(ROOT / "sim"))
from machine import describe_machine  # noqa: E402

BEGIN, END = "<!-- replay-table: written by `make bench-table` -->", "<!-- replay-table end -->"
RANKS, NETWORK = 1024, "torus:8x8x16"
PER_ROUND = 14 * RANKS  # six sends, six receives, their end and a computation


def measure(folder, events):
    trace, image = pathlib.Path(folder) / "halo.goal", pathlib.Path(folder) / "halo.img"
    run("workload", "generate", "halo", "--ranks", RANKS, "--rounds", -(-events // PER_ROUND), "--compute", 500, "-o", trace)
    run("route", NETWORK, "--algorithm", "dor", "-o", image)
    taken, text = run("workload", "replay", image, trace, "--json")
    taken["events"] = -(-events // PER_ROUND) * PER_ROUND
    taken["messages"] = json.loads(text)["messages"]
    trace.unlink()
    return taken


def table(report):
    """The rows of README.md from a report."""
    return "\n".join((
        f"{report['machine']['processors']} processors, {report['machine']['processor']}", "",
        "| Replay on | Events | Messages | Events/s of CPU time | Peak memory | Bytes/event |", "|---|---|---|---|---|---|",
        f"| `{report['network']}` | {report['events']:,} | {report['messages']:,} | {rounded(report['events_per_cpu_s'])} "
        f"| {report['peak_bytes'] / 1e6:.0f} MB | {report['bytes_per_event']} |")) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=10_000_000, help="of the trace, at least (%(default)s)")
    parser.add_argument("--output", default=str(ROOT / "out" / "bench"), help="folder (%(default)s)")
    parser.add_argument("--table", action="store_true", help="only write the last results into README.md")
    arguments = parser.parse_args()

    out = pathlib.Path(arguments.output)
    if arguments.table:
        return write_between(BEGIN, table(json.loads((out / "replay.json").read_text())), END)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out) as folder:
        least, all_of_it = (measure(folder, events) for events in (arguments.events // 10, arguments.events))
    per_event = (all_of_it["peak_bytes"] - least["peak_bytes"]) / (all_of_it["events"] - least["events"])
    report = {"machine": describe_machine(), "network": NETWORK, **all_of_it, "bytes_per_event": round(per_event, 1),
              "events_per_cpu_s": round(all_of_it["events"] / all_of_it["cpu_s"])}
    print(f"replay of {report['events']} events on {NETWORK}: {report['events_per_cpu_s']} events/s, {report['peak_bytes'] / 1e6:.0f} MB, "
          f"{report['bytes_per_event']} bytes/event")
    (out / "replay.json").write_text(json.dumps(report, indent=2) + "\n")
    print(f"{os.path.relpath(out)}/replay.json has all of it.")


if __name__ == "__main__":
    main()
