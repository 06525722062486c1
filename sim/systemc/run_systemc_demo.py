#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The virtual platform of sim/systemc/platform on 16 cards.

16 processors store to and load from each other's memories over the network. The platform runs with the RTL and
with the model, loosely and approximately timed. Every load must read the stored value. At the end all memories
must be equal whatever the timing, and RTL and model must take the same cycles. Prints the results side by side.
Leaves results.json and waves of card 0 in out/systemc-demo.
"""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETWORK = "torus:2x2x4"
RUNS = [(engine, timing) for timing in ("loose", "approximate") for engine in ("rtl", "model")]
ROWS = ("stores", "loads", "errors", "memories", "cells", "cycles")


def run(engine, timing, *waves):
    done = subprocess.run([str(ROOT / "build" / "systemc" / "platform"), NETWORK, engine, timing, *map(str, waves)],
                          stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "EXTORUS_PLUGIN_DIR": str(ROOT / "build" / "plugins"),
                               "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"})
    if not done.stdout:
        raise SystemExit(f"the platform ended with status {done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])


def differences(results):
    """What should be the same and is not, and what should not be at all; a line each."""
    first = results[0]
    wrong = [f"{r['engine']}, {r['timing']}: {r['errors']} errors" for r in results if r["errors"] or not r["finished"]]
    for key in ("stores", "loads", "memories", "cells"):
        if any(r[key] != first[key] for r in results):
            wrong.append(f"{key} differ")
    for timing in ("loose", "approximate"):
        if len({r["cycles"] for r in results if r["timing"] == timing}) != 1:
            wrong.append(f"{timing}: RTL and model took different times")
    return wrong


def main():
    out = ROOT / "out" / "systemc-demo"
    out.mkdir(parents=True, exist_ok=True)
    results = [run(engine, timing, *([out / "card0"] if (engine, timing) == RUNS[0] else [])) for engine, timing in RUNS]
    print(f"{NETWORK}, {results[0]['cards']} cards, a processor and a memory on each")
    print(f"{'timing':12}" + "".join(f"{timing:>20}" for _, timing in RUNS))
    print(f"{'engine':12}" + "".join(f"{engine:>20}" for engine, _ in RUNS))
    for key in ROWS:
        print(f"{key:12}" + "".join(f"{r[key]:>20}" for r in results))
    (out / "results.json").write_text(json.dumps(results, indent=2) + "\n")
    wrong = differences(results)
    for line in wrong:
        print(f"WRONG: {line}")
    if not wrong:
        print("same function in all runs, and the same cycles with RTL and model")
    print(f"{out.relative_to(ROOT)}: results.json, card0.vcd (waves)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
