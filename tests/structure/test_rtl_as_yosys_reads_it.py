# SPDX-License-Identifier: Apache-2.0
"""The RTL has none of two expressions that yosys misreads without a word.

An operator of one operand before a cast is taken as a part of the cast's width, and lost. In yosys 0.23 a constant that is '1 has a single
bit set, whatever its width."""

import re
import subprocess

import pytest

from repository import ROOT

# The operand of what stands before is left out: behind a name, a number or a closing bracket an operator has two operands.
CAST = re.compile(r"[^\s\w)\]}'&|^+~!-]\s*[~!&|^+-]+\s*[\w:]+'\(|[&|^+~!-]\s+[~!&|^+-]+\s*[\w:]+'\(|[&|^+-][~!]+[\w:]+'\(")

ONES = re.compile(r"\b(?:localparam|parameter)\b[^;]*'1\b")


def lost_operators(text):
    """`LINE: TEXT` of each cast that yosys misreads."""
    text = re.sub(r"//.*", "", text)
    return [f"{text.count(chr(10), 0, found.end()) + 1}: {found[0].strip()}" for found in CAST.finditer(text)]


def short_ones(text):
    """Each constant whose ones yosys 0.23 misreads."""
    return ONES.findall(re.sub(r"//.*", "", text))


@pytest.mark.parametrize("misread", [lost_operators, short_ones])
def test_nothing_is_misread(misread):
    files = [path for path in sorted((ROOT / "rtl").glob("*/**/*.sv")) if "generated" not in path.parts]
    assert len(files) > 100
    assert {path.name: found for path in files if (found := misread(path.read_text()))} == {}


@pytest.mark.parametrize("text, lost", [
    ("assign a = ~Links'(1 << Port);", 1),
    ("a <= b & ~xt_pkg::Ports'(c);", 1),
    ("if (!Bits'(a)) b = -Bits'(a);", 2),
    ("a = b - Bits'(c);", 0),
    ("a = b[1] & Bits'(c) | {d} ^ Bits'(e);", 0),
    ("a = ~(Bits'(c));", 0),
    ("a = ~4'd3; // ~Bits'(a)", 0),
])
def test_such_casts_are_found(text, lost):
    assert len(lost_operators(text)) == lost


@pytest.mark.parametrize("text, count", [
    ("localparam logic [3:0] A = (B != 0) ? '1 : '0;", 1),
    ("module m #(parameter logic [3:0] A = '1, parameter int B = 1) ();", 1),
    ("localparam logic [3:0] A = 4'b1;", 0),
    ("localparam int A = 1; assign b = '1;", 0),
])
def test_such_constants_are_found(text, count):
    assert len(short_ones(text)) == count


def test_yosys_misreads_them(tmp_path):
    """Why the rule is there. If this fails, yosys has been mended, and the rule may go."""
    (tmp_path / "misread.sv").write_text("""module misread #(parameter int Width = 4) (output [3:0] cast, output [3:0] ones);
        localparam logic [3:0] Ones = '1;
        assign cast = ~Width'(1);
        assign ones = Ones;
        endmodule""")
    read = subprocess.run(["yosys", "-q", "-p", f"read_verilog -sv {tmp_path}/misread.sv; proc; opt; write_verilog -noattr -"],
                          check=True, capture_output=True, text=True).stdout
    assert "cast = 4'h1;" in read
    assert "ones = 4'h1;" in read
