# SPDX-License-Identifier: Apache-2.0
"""The phase of a link's clock, step by step, from pins to pins: wrong bits come where the bit time and the wires' skew and jitter
say so, and nowhere else; and seeded faults."""

import re
import subprocess

import pytest

from processor_time import limited
from repository import ROOT
from seeded import with_fault

MODULES = ["rtl/fpga/ecp5/xt_pll_ecp5.sv", "rtl/board/xt_board_reset.sv", "rtl/board/xt_phase_stepper.sv", "rtl/board/xt_phy_pins.sv",
           "rtl/phy/xt_8b10b_code.sv", "rtl/phy/xt_phy.sv", "rtl/phy/xt_phy_code_tx.sv", "rtl/phy/xt_phy_code_rx.sv", "rtl/phy/xt_phy_tx.sv",
           "rtl/phy/xt_phy_rx.sv", "rtl/phy/xt_phy_lane.sv", "rtl/frontend/xt_async_fifo.sv"]
STEPS, STEP, JITTER = 32, 800, 1700  # those of clock_phase.sv, in ps, and the wires'
WORDS = 60  # that come at each step at least while the lanes are aligned
BIT = STEPS // 2 * STEP
FAULTS = {
    "wrong-way": ("xt_phase_stepper.sv", r"\$signed\(target_q\) < \$signed\(at_o\)", "$signed(target_q) > $signed(at_o)"),
    "no-sign": ("xt_phase_stepper.sv", r"\$signed\(target_q\) < \$signed\(at_o\)", "target_q < at_o"),
    "no-pulse": ("xt_phase_stepper.sv", r"step_q <= cycle_q\[3:2\] == 2'b01", "step_q <= 1'b0"),
    "two-pulses": ("xt_phase_stepper.sv", r"step_q <= cycle_q\[3:2\] == 2'b01", "step_q <= cycle_q[2]"),
}


def expected(step, skew):
    """Whether bits are wrong: a lane's edge is between 0 and JITTER later than `skew`, and step 0 samples in the middle of a bit."""
    return (BIT // 2 + step * STEP - skew) % BIT <= JITTER


def scan(folder, skew, fault=None):
    sources = with_fault(folder, [ROOT / name for name in MODULES], fault)
    subprocess.run(["iverilog", "-g2012", "-DXT_SIMULATION", "-s", "clock_phase", "-o", folder / "clock_phase", ROOT / "tests/rtl/phy/clock_phase.sv", *sources],
                   check=True, capture_output=True)
    said = subprocess.run(["vvp", folder / "clock_phase", f"+skew={skew}", f"+jitter={JITTER}"], capture_output=True, text=True, **limited(300),
                          check=True).stdout
    points = [tuple(map(int, found)) for found in re.findall(r"step (-?\d+) words (\d+) wrong (\d+)", said)]
    assert len(points) == STEPS + 2, said
    return points, re.search(r"steps (\d+) at (-?\d+)", said).groups()


def fits(points, skew):
    return all((words < WORDS or wrong > 0) == expected(step, skew) for step, words, wrong in points)


@pytest.mark.parametrize("skew", [100, -2700, BIT // 2 - 500])
def test_wrong_bits_where_the_skew_says_so(tmp_path, skew):
    points, end = scan(tmp_path, skew)
    assert fits(points, skew), points
    assert end == (str(STEPS), "0")
    # A link with half a bit of skew is closed where it samples.
    assert expected(0, skew) == (skew == BIT // 2 - 500)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_seen(tmp_path, fault):
    points, _ = scan(tmp_path, 3300, FAULTS[fault])
    assert not fits(points, 3300)
