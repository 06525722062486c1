#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seeds one fault after the other, builds what has the fault, and demands that the tests named with the fault fail.

  mutant_runner.py                     every fault
  mutant_runner.py model switch/ring   the faults whose names begin so
  mutant_runner.py --list              the names

Each SUITE_faults.py has FAULTS, by name, and tester(name, work, profile): what has the fault, built in the folder `work`,
becomes a function that runs one test and returns whether the test passes.
"""

import argparse
import importlib
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from repository import ROOT  # noqa: E402

SUITES = ["model", "input_queued", "switch", "bridge", "usb_device"]


def suite(name):
    return importlib.import_module(f"{name}_faults")


def workspace():
    """A folder of this run alone, removed at its end."""
    (ROOT / "build").mkdir(exist_ok=True)
    return tempfile.TemporaryDirectory(prefix="mutants-", dir=ROOT / "build")


def folder_of(work, group):
    """The suite's own folder in the run's: mutants of two suites may have the same name."""
    folder = pathlib.Path(work) / group
    folder.mkdir(exist_ok=True)
    return folder


def names():
    return [f"{name}/{fault}" for name in SUITES for fault in suite(name).FAULTS]


def check(faults, name, work, profile):
    """Asserts that the tests that must catch the fault fail, and that the others named with it pass. `profile` is for a fault
    that names none."""
    fault = faults.FAULTS[name]
    assert fault.caught_by or fault.passes, f"{name} does not say which tests catch it"
    passes = faults.tester(name, work, fault.profile or profile)
    missed = [test for test in fault.caught_by if passes(test)]
    assert not missed, f"{name} is not caught by {', '.join(missed)}"
    broken = [test for test in fault.passes if not passes(test)]
    assert not broken, f"{name} fails more than it should: {', '.join(broken)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-p", "--profile", default="mini", help="profile of faults that name none (default mini, the fastest)")
    parser.add_argument("--list", action="store_true", help="print the names of the faults")
    parser.add_argument("fault", nargs="*", help="these only")
    arguments = parser.parse_args()
    chosen = [name for name in names() if name.startswith(tuple(arguments.fault or [""]))]
    if not chosen:
        parser.error(f"no fault {' '.join(arguments.fault)}; --list names them")
    if arguments.list:
        print("\n".join(chosen))
        return 0
    missed = 0
    with workspace() as work:
        for name in chosen:
            group, fault = name.split("/", 1)
            try:
                check(suite(group), fault, folder_of(work, group), arguments.profile)
                print(f"ok {name}", flush=True)
            except AssertionError as reason:
                missed += 1
                print(f"not ok {name}: {reason}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
