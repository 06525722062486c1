# SPDX-License-Identifier: Apache-2.0
"""The size of files and functions, and names that are there once."""

import collections
import pathlib
import re
import subprocess

import pytest

import not_yet
from repository import ROOT

FILE_LINES, FUNCTION_LINES = 500, 80
SOURCES = {".c", ".h", ".cpp", ".hpp", ".sv", ".py", ".mk", ".md", ".sh", ""}
OFTEN = {"README.md", "conftest.py", "main.cpp", "main.c", "board.json", "requirements.txt", "__init__.py", "CMakeLists.txt"}
# A part of its own for each family of FPGA; two scripts that are called by their folders; a faulty buffer.
TWICE = {"run", "xt_pll.sv", "xt_ddr_in.sv", "xt_ddr_out.sv", "xt_voq_buffer.sv", "xt_ft245.sv", "xt_uart.sv"}
LONG_FILES = {
    "sim/experiments/reproductions/README.md": "a generated table, a row for each published claim",
}
LONG_FUNCTIONS = {}  # file: reason


def tracked():
    """Files of the tree, without inputs of fuzzing and recorded outputs."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True,
                            text=True)
    if listed.returncode:
        pytest.skip("the names of the tree's files come from git")
    paths = map(pathlib.PurePosixPath, filter(None, listed.stdout.split("\0")))
    return [path for path in paths if not {"corpus", "recorded"} & set(path.parts) and (ROOT / path).is_file()]


def repeated(paths):
    count = collections.Counter(path.name for path in paths if path.suffix not in (".json", ".lpf", ".pcf", ".xdc"))
    return sorted(name for name, times in count.items() if times > 1 and name not in OFTEN | TWICE)


def functions(text):
    """(first line, number of lines) of each function: a brace on a line of its own opens one."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if (found := re.fullmatch(r"(\t{0,2})\{", line)):
            first = number - 1
            while first > 0 and lines[first].startswith(found[1] + "\t"):  # the rest of a signature
                first -= 1
            if re.match(r"\s*(class|struct|union|enum|namespace|extern)\b[^(]*$", lines[first]):
                continue
            yield first + 1, next(n for n in range(number, len(lines)) if lines[n].startswith(found[1] + "}")) - first + 1


def long_functions(path, text):
    return [f"{path}:{first}" for first, count in functions(text) if count > FUNCTION_LINES]


# Equal, not at most: a mended fault must leave the list.
def test_names_are_there_once():
    assert set(repeated(tracked())) == not_yet.REPEATED_NAMES


def test_files_are_short():
    long = {str(path) for path in tracked() if path.suffix in SOURCES and (ROOT / path).read_bytes().count(b"\n") > FILE_LINES}
    assert long == {*LONG_FILES, *not_yet.LONG_FILES}


def test_functions_are_short():
    found = [place for path in tracked() if path.suffix in (".c", ".h", ".cpp", ".hpp")
             for place in long_functions(path, (ROOT / path).read_text())]
    assert {place.split(":")[0] for place in found} == {*LONG_FUNCTIONS, *not_yet.LONG_FUNCTIONS}, found


def test_faults_are_seen():
    assert repeated([pathlib.PurePosixPath(path) for path in ("a/b.c", "c/b.c", "a/README.md", "c/README.md")]) == ["b.c"]
    body = "static int f(int a,\n\tint b)\n{\n%s}\n"
    assert long_functions("x.c", body % ("\ta++;\n" * 76)) == []
    assert long_functions("x.c", body % ("\ta++;\n" * 77)) == ["x.c:1"]
