# SPDX-License-Identifier: Apache-2.0
"""Each seeded fault of the native USB front ends is seen by the case that is there for it."""

import functools
import os
import subprocess

import pytest

from processor_time import limited
from usb_device_mutants import FAULTS, build

pytestmark = pytest.mark.long  # the core comes from PyPI

program = functools.cache(build)


def status(bench, case, number):
    return subprocess.run([program(bench), case], stdout=subprocess.DEVNULL, **limited(300),
                          env={**os.environ, "XT_FAULT": str(number)}).returncode


@pytest.mark.parametrize("bench", FAULTS)
def test_without_a_fault_all_pass(bench):
    for case in sorted({fault[-1] for fault in FAULTS[bench].values()}):
        assert status(bench, case, 0) == 0, case


@pytest.mark.parametrize("bench, name", [(bench, name) for bench, faults in FAULTS.items() for name in faults])
def test_fault_is_seen(bench, name):
    assert status(bench, FAULTS[bench][name][-1], list(FAULTS[bench]).index(name) + 1) == 1
