# SPDX-License-Identifier: Apache-2.0
"""The root README's ten commands "With your tools": the command's own run as they stand; of the others each has tests that run them."""

import os
import re
import shlex
import subprocess

import pytest

from processor_time import limited
from repository import ROOT

# Where a command is run that is no line of `build/extorus`, or needs what only the long tests build; and by which words.
TESTS = {
    "fusesoc": ("tests/rtl/packages/test_packages.py", '"--target=lint", "extorus:ip:extorus"'),
    "make lint": ("tests/support/jobs.py", "lint"),
    "make cocotb": ("tests/rtl/cocotb/test_cocotb.py", '"extorus_cocotb"'),
    "--wave": ("tests/system/cosim/test_waves.py", '"--wave"'),
    "make notebook": ("tests/system/python/test_notebook.py", '"notebook"'),
    "make deb": ("tests/system/install/test_debian_packages.py", '"deb-built"'),
}


def commands(text):
    section = text.split("\n## With your tools\n")[1].split("\n## ")[0]
    return re.findall(r"^    (.*?) +#", section, re.M)


COMMANDS = commands((ROOT / "README.md").read_text())


def found_elsewhere(command):
    """Whether the command is in TESTS and the test has the words; None: it is to be run here."""
    found = [place for words, place in TESTS.items() if words in command]
    return all(words in (ROOT / path).read_text() for path, words in found) if found else None


def test_there_are_ten():
    assert len(COMMANDS) == len(set(COMMANDS)) == 10
    # Seeded: a command that no test runs.
    assert found_elsewhere("make unheard-of") is None


@pytest.mark.parametrize("command", COMMANDS)
def test_command(command, tmp_path):
    elsewhere = found_elsewhere(command)
    if elsewhere is not None:
        assert elsewhere
        return
    for name in ("build", "tests"):
        os.symlink(ROOT / name, tmp_path / name)
    program, *words = shlex.split(command)
    assert program == "build/extorus", "neither of the command nor in TESTS"

    def run(*words):
        return subprocess.run([tmp_path / program, *words], cwd=tmp_path, check=True, capture_output=True, text=True, **limited(60)).stdout

    run("route", "twin:2x2x2", "--algorithm", "ts-dor", "-o", "twin.img")
    run(*words)
