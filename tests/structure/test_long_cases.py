# SPDX-License-Identifier: Apache-2.0
"""Every line of tests/long_cases names a case that there is, and no line leaves a test without any case."""

import os
import re
import subprocess

from repository import ROOT


def missing(names, collected):
    """Lines that name no case, and tests that have no case of `make test` left."""
    tests = {name.split("[")[0] for name in names}
    left = {name.split("[")[0] for name in set(collected) - set(names)}
    return sorted(set(names) - set(collected)), sorted(tests - left)


def collected_from(files):
    whole = {name: value for name, value in os.environ.items() if name != "EXTORUS_EVERY"}
    done = subprocess.run(["/usr/bin/python3", "-m", "pytest", "-c", "tests/pytest.ini", "--rootdir=.", "-q", "--collect-only", *files],
                          cwd=ROOT, stdout=subprocess.PIPE, text=True, env={**whole, "PYTHONDONTWRITEBYTECODE": "1"}, check=True)
    return re.findall(r"^(tests/\S+\.py::.*)$", done.stdout, re.M)


def test_lines_name_cases():
    names = (ROOT / "tests" / "long_cases").read_text().splitlines()
    assert names == sorted(set(names))
    assert missing(names, collected_from(sorted({name.split("::")[0] for name in names}))) == ([], [])


def test_a_wrong_line_is_seen():
    assert missing(["a.py::t[1]", "a.py::t[3]"], ["a.py::t[1]", "a.py::t[2]"]) == (["a.py::t[3]"], [])
    assert missing(["a.py::t[1]", "a.py::t[2]"], ["a.py::t[1]", "a.py::t[2]"]) == ([], ["a.py::t"])
