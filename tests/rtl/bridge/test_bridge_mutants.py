# SPDX-License-Identifier: Apache-2.0
"""Each seeded fault of the bridge is seen by the test that is there for it."""

import os
import subprocess

import pytest

from mutants import FAULTS, ROOT, build

LIMIT_S = 120  # a fault may make a test hang
pytestmark = pytest.mark.long  # for the compiler


@pytest.fixture(scope="module")
def program():
    return build()


def run(program, tests, number):
    """The names of the tests that fail, or that did not come to an end."""
    command = ["/usr/bin/python3", "-m", "pytest", "-c", "tests/pytest.ini", "--rootdir=.", "-q", "-rf", "-k", tests,
               "tests/rtl/bridge/test_bridge.py"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S,
                              env={**os.environ, "EXTORUS_BOARD": str(program), "XT_FAULT": str(number)})
    except subprocess.TimeoutExpired:
        return True
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.returncode == 1


def test_without_a_fault_all_pass(program):
    assert not run(program, " or ".join({test for *_, test in FAULTS.values()}), 0)


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_seen(program, name):
    assert run(program, FAULTS[name][3], list(FAULTS).index(name) + 1), f"{FAULTS[name][3]} does not see {name}"
