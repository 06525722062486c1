# SPDX-License-Identifier: Apache-2.0
"""A program that has set the locale of its user: files and texts of the library have points in their fractions nevertheless."""

import os
import re
import subprocess
import sys

import pytest

from processor_time import limited
from repository import ROOT

PROGRAM = """
import ctypes, locale, sys
locale.setlocale(locale.LC_ALL, sys.argv[1])
library, c = ctypes.CDLL(sys.argv[2]), ctypes.CDLL(None)
c.fopen.restype = library.xt_profile_find.restype = ctypes.c_void_p
lengths, text, topology, why = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64), ctypes.c_void_p(), ctypes.create_string_buffer(4096)
print("taken", library.xt_lengths_parse(b"1/32:0.8", lengths, why))
library.xt_lengths_write(lengths, text, 64)
print("written", text.value.decode())
library.xt_topology_parse(b"torus:4x4", ctypes.c_void_p(library.xt_profile_find(b"extoll")), ctypes.byref(topology), why)
out = ctypes.c_void_p(c.fopen(sys.argv[3].encode(), b"w"))
library.xt_topology_write_dot(topology, None, out)
c.fclose(out)
print("own", locale.str(0.5))
"""


@pytest.fixture
def german(tmp_path):
    """A name and an environment of a locale with a comma."""
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", str(tmp_path / "de_DE.UTF-8")], check=True, capture_output=True)
    return "de_DE.UTF-8", {**os.environ, "LOCPATH": str(tmp_path)}


def test_fractions_have_points(german, tmp_path):
    name, environment = german
    done = subprocess.run([sys.executable, "-c", PROGRAM, name, str(ROOT / "build" / "libextorus.so.0"), str(tmp_path / "t.dot")],
                          env=environment, capture_output=True, text=True, **limited(60))
    assert done.stdout.splitlines() == ["taken 0", "written 1/32:0.8", "own 0,5"], done
    drawn = (tmp_path / "t.dot").read_text()
    assert not re.search(r"(width|height)=\d+,", drawn) and re.search(r'pos="\d+\.\d,-?\d+\.\d', drawn), drawn[:2000]
