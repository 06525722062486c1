# SPDX-License-Identifier: Apache-2.0
"""The netlist that yosys makes of a card of `mini` for an iCE40 does the same as the RTL: in four states, from power-up on, in every
cycle, at every output that is valid."""

import pathlib
import re
import shutil
import subprocess

import pytest

from processor_time import limited
from repository import ROOT, rtl

BENCH = ROOT / "tests/rtl/four_state/four_state.sv"
PACKAGE = ROOT / "rtl/generated/mini/xt_pkg.sv"
EVERY = 40  # of the LUTs one is wrong, for the check of the check


def trace(folder, *words):
    """What leaves the card and is valid, a line a cycle; the last line is the bench's verdict."""
    subprocess.run(["iverilog", "-g2012", "-s", "four_state", "-o", folder / "bench", PACKAGE, *words, BENCH], check=True, capture_output=True,
                   **limited(300))
    return subprocess.run(["vvp", "-n", folder / "bench", "+trace"], capture_output=True, text=True, **limited(300)).stdout.splitlines()


@pytest.fixture(scope="module")
def netlist(tmp_path_factory):
    file = tmp_path_factory.mktemp("netlist") / "card.v"
    sources = " ".join(map(str, [PACKAGE, *rtl("card_sources.f")]))
    subprocess.run(["yosys", "-q", "-p", f"read_verilog -sv -DXT_SYNTHESIS {sources}; synth_ice40 -top xt_card; write_verilog -noattr {file}"],
                   check=True, capture_output=True, **limited(600))
    return file


def of_netlist(folder, file):
    # A flip-flop without an initial value begins unknown, as in the RTL.
    cells = pathlib.Path(shutil.which("yosys")).resolve().parents[1] / "share/yosys/ice40/cells_sim.v"
    return trace(folder, "-DNETLIST", "-DNO_ICE40_DEFAULT_ASSIGNMENTS", cells, file)


def test_the_netlist_is_the_rtl(netlist, tmp_path):
    right, made = trace(tmp_path, *rtl("card_sources.f")), of_netlist(tmp_path, netlist)
    assert right[-1].startswith("PASS") and len(right) > 500
    assert made == right


def test_wrong_luts_are_found(netlist, tmp_path):
    count = 0

    def other(found):
        nonlocal count
        count += 1
        return found.group(0) if count % EVERY else f".LUT_INIT(16'h{0xffff ^ int(found.group(1), 16):x})"

    wrong = tmp_path / "wrong.v"
    wrong.write_text(re.sub(r"\.LUT_INIT\(16'h([0-9a-f]+)\)", other, netlist.read_text()))
    assert count > 1000
    assert of_netlist(tmp_path, wrong) != trace(tmp_path, *rtl("card_sources.f"))
