# SPDX-License-Identifier: Apache-2.0
"""Block RAMs that are placed: each where one is, none twice, all of them there, and yosys refuses a card without one of them."""

import re
import subprocess

import pytest

import floor_plan
import tools
from repository import ROOT

PACKAGE = "rtl/generated/extoll/xt_pkg.sv"
# The block RAMs of an LFE5U-85F, as `getBels` of nextpnr-ecp5 lists them: four rows of 52.
ROWS = {22, 46, 70, 82}


def yosys(script):
    return subprocess.run(["yosys", "-q", "-p", script], cwd=ROOT, capture_output=True, text=True, check=False)


def memories(top):
    """Names of the memories below a module of the card."""
    sources = " ".join([PACKAGE, *tools.file_list("card_sources.f")])
    done = yosys(f"read_verilog -sv -DXT_SYNTHESIS -DXT_LUT_RAM {sources}; hierarchy -top {top}; proc; flatten; tee -o /dev/stdout "
                 "select -list m:*")
    assert done.returncode == 0, done.stderr
    return {line.partition("/")[2] for line in done.stdout.split("\n") if line}


@pytest.mark.parametrize("cell_rams", [0, 4])
def test_sites_are_those_of_the_device(cell_rams):
    placed = floor_plan.places(7, cell_rams)
    assert len(set(placed.values())) == len(placed) == 7 * (3 + cell_rams)
    for where in placed.values():
        x, y, index = map(int, re.fullmatch(r"X(\d+)/Y(\d+)/EBR([0-3])", where).groups())
        group = x - 2 * index  # four block RAMs on nine columns; between the halves of the device two columns more
        assert y in ROWS and (group in range(4, 59, 9) or group in range(69, 115, 9))


def test_every_one_is_a_memory_of_the_card():
    below = "i_card.i_switch.g_input[0].i_input_unit."
    wanted = {name.removeprefix(below).rsplit(".", 2)[0] for name in floor_plan.places(7, 4) if name.startswith(below)}
    assert len(wanted) == 4 and wanted <= memories("xt_input_unit")


@pytest.mark.parametrize("there", [49, 48])
def test_a_card_without_one_is_refused(there):
    names = list(floor_plan.places(7, 4))[:there]
    cells = " ".join(f"DP16KD \\{name} ();" for name in names)
    commands = "\n".join(floor_plan.commands((ROOT / PACKAGE).read_text(), "ecp5-85f"))
    done = subprocess.run(["yosys", "-q", "-s", "/dev/stdin"], cwd=ROOT, capture_output=True, text=True, check=False, input=(
        f"read_verilog <<X\nmodule DP16KD; endmodule module xt_card_pins; {cells} endmodule\nX\n{commands}\n"
        "select -assert-count 13 xt_card_pins/a:BEL=X*/Y70/EBR*\n"))
    assert (done.returncode == 0) == (there == 49), done.stderr


def test_other_devices_and_other_cards_are_left_alone():
    package = (ROOT / PACKAGE).read_text()
    assert not floor_plan.commands(package, "ecp5-25f")
    assert not floor_plan.commands(package.replace("BlockRamOnly = 0", "BlockRamOnly = 1"), "ecp5-85f")
    assert not floor_plan.places(32)
    assert len(floor_plan.commands(package, "ecp5-85f")) == 2 * 49
    assert len(floor_plan.commands(package.replace("HasLinkLayer = 1", "HasLinkLayer = 0"), "ecp5-85f")) == 2 * 21
    assert len(floor_plan.commands(package.replace("BufferCells = 512", "BufferCells = 256"), "ecp5-85f")) == 2 * 21
    assert len(floor_plan.commands(package.replace(" Ports = 7", " Ports = 14"), "ecp5-85f")) == 2 * 42  # no room for cells
