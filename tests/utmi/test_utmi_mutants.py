# SPDX-License-Identifier: Apache-2.0
"""Each seeded fault of the native USB front end is seen by the case that is there for it."""

import os
import subprocess

import pytest

from utmi_mutants import FAULTS, build

pytestmark = pytest.mark.long  # the core comes from PyPI


@pytest.fixture(scope="module")
def program():
    return build()


def status(program, case, number):
    return subprocess.run([program, case], stdout=subprocess.DEVNULL, timeout=300,
                          env={**os.environ, "XT_FAULT": str(number)}).returncode


def test_without_a_fault_all_pass(program):
    assert [status(program, case, 0) for case in sorted({fault[-1] for fault in FAULTS.values()})] == [0] * len(
        {fault[-1] for fault in FAULTS.values()})


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_seen(program, name):
    assert status(program, FAULTS[name][-1], list(FAULTS).index(name) + 1) == 1
