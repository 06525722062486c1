#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Calls the command with lines drawn from what --help says, and counts what went wrong. As a program it needs no pytest:
`tests/fuzz/option_fuzzer.py --calls 10000 --seed 3 --workers 16`; each worker does so many calls, with a seed of its own."""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "fuzz"), str(ROOT / "tests" / "support")]

import option_calls  # noqa: E402
from processor_time import limited  # noqa: E402

COMMAND = os.environ.get("EXTORUS", str(ROOT / "build" / "extorus"))
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "exitcode=99", "UBSAN_OPTIONS": "halt_on_error=1,exitcode=99"}
MOST_S = 20
KINDS = ("crashes", "hangs", "wrong statuses", "missing messages", "wrong limits")


def run(words, folder):
    """MOST_S seconds of processor, and ten times that in all: on a busy machine a command that waits has had its turn by then, twice."""
    for last in (False, True):
        begin = time.monotonic()
        try:
            done = subprocess.run([COMMAND, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, errors="replace",
                                  env={**ENVIRONMENT, "EXTORUS_STATE_DIR": str(folder / "state")}, **limited(MOST_S))
            break
        except subprocess.TimeoutExpired:
            if last:
                raise
    return done, time.monotonic() - begin


def fault_of(done, judged):
    """(kind, what) of a call that ended, or None."""
    if done.returncode < 0 or "Sanitizer" in done.stderr or "runtime error" in done.stderr:
        return "crashes", f"exit {done.returncode} {done.stderr[-300:]}"
    if done.returncode not in (0, 1, 2, 3):
        return "wrong statuses", f"exit {done.returncode} {done.stderr[-300:]}"
    if done.returncode >= 2 and not done.stderr.strip():
        return "missing messages", f"exit {done.returncode} without a message"
    if judged:
        option, text, right = judged
        refused = f'--{option.name}: "{text}" is not a number' in done.stderr
        if refused and right or not right and done.returncode != 2:
            return "wrong limits", f"the help says {option.text}: exit {done.returncode} {done.stderr[:300]}"
    return None


def fuzz(count, seed, folder):
    """([(kind, words, what)] of the calls that went wrong, how many ended with each status)."""
    r = random.Random(seed)
    names = option_calls.commands(COMMAND)
    options = {name: option_calls.options(COMMAND, name) for name in names}
    files = option_calls.prepare(COMMAND, folder)
    wrong, statuses = [], collections.Counter()
    for i in range(count):
        name = names[i % len(names)]
        words, judged = option_calls.call(r, COMMAND, name, options[name], files)
        if os.path.exists(folder / "good.img") and (i % 97 == 0 or (folder / "good.img").stat().st_size < 100):
            files = option_calls.prepare(COMMAND, folder)
        try:
            done, _ = run(words, folder)
        except subprocess.TimeoutExpired:
            wrong.append(("hangs", words, "no end"))
            continue
        statuses[done.returncode] += 1
        fault = fault_of(done, judged)
        if fault:
            wrong.append((fault[0], words, fault[1]))
    return wrong, statuses


def work(count, seed):
    with tempfile.TemporaryDirectory() as folder:
        return fuzz(count, seed, pathlib.Path(folder))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=10000, help="of each worker")
    parser.add_argument("--seed", type=int, default=1, help="of the first worker; the others follow")
    parser.add_argument("--workers", type=int, default=1)
    asked = parser.parse_args()
    wrong, statuses = [], collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(asked.workers) as pool:
        for found, ended in pool.map(work, [asked.calls] * asked.workers, range(asked.seed, asked.seed + asked.workers)):
            wrong += found
            statuses += ended
    counts = collections.Counter(kind for kind, _, _ in wrong)
    for kind, words, what in wrong:
        print(f"{kind}: {words}: {what}")
    print(f"{asked.calls * asked.workers} calls, seeds {asked.seed} to {asked.seed + asked.workers - 1}; by status "
          + ", ".join(f"{status}: {statuses[status]}" for status in sorted(statuses)))
    print("; ".join(f"{counts[kind]} {kind}" for kind in KINDS))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
