# SPDX-License-Identifier: Apache-2.0
"""Each seeded fault is caught by the tests that are named with it."""

import types

import pytest

from mutant_runner import SUITES, check, folder_of, names, suite, workspace
from seeded import Fault

# What is Verilated takes minutes. The faulty buffer shows in every run that the tests of blocking mean something.
MARKS = {"switch/single_fifo": [pytest.mark.slow]}


@pytest.fixture(scope="module")
def work():
    with workspace() as folder:
        yield folder


def cases():
    return [pytest.param(name, marks=MARKS.get(name, [] if name.startswith(("model/", "input_queued/")) else [pytest.mark.long])) for name in names()]


@pytest.mark.parametrize("name", cases())
def test_fault_is_caught(name, work):
    group, fault = name.split("/", 1)
    check(suite(group), fault, folder_of(work, group), "mini")


@pytest.mark.parametrize("name", [name for name in names() if name.startswith(("model/", "switch/"))])
def test_a_fault_changes_its_file(name, tmp_path):
    """Most faults are built in the long run only; a change of the code that a script no longer fits shows here."""
    group, fault = name.split("/", 1)
    suite(group).write(suite(group).FAULTS[fault].source, tmp_path / "changed")


def test_every_suite_has_faults():
    assert all(len(suite(name).FAULTS) >= 12 for name in SUITES)


@pytest.mark.parametrize("failing, says", [({"a"}, None), ({}, "not caught by a"), ({"a", "b"}, "fails more than it should: b")])
def test_a_fault_that_is_missed_is_told(failing, says):
    faults = types.SimpleNamespace(FAULTS={"x": Fault(caught_by=["a"], passes=["b"])},
                                   tester=lambda name, work, profile: lambda test: test not in failing)
    if says is None:
        check(faults, "x", ".", "mini")
    else:
        with pytest.raises(AssertionError, match=says):
            check(faults, "x", ".", "mini")
