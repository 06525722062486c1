# SPDX-License-Identifier: Apache-2.0
"""The native USB core at high and at full speed, packet by packet, with the bridge behind it."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = ["resets", "enumerates", "stalls-the-unknown", "ignores-others", "informs", "transfers-end", "repeats-are-not-delivered",
         "spoiled-is-not-answered", "sends-again", "holds-back", "starts-anew", "applies-once", "answers-in-time"]
HIGH_CASES = ["falls-back"]
pytestmark = pytest.mark.long  # the core comes from PyPI


def program(speed):
    made = ROOT / "build" / "tests" / f"utmi-{speed}"
    if not made.exists():
        pytest.fail(f"{made} is missing: run `make utmi`", pytrace=False)
    return made


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("speed", ["high", "full"])
def test_case(speed, case):
    done = subprocess.run([program(speed), case], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("case", HIGH_CASES)
def test_case_of_high_speed(case):
    done = subprocess.run([program("high"), case], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("speed, cases", [("high", CASES + HIGH_CASES), ("full", CASES)])
def test_no_case_is_forgotten(speed, cases):
    listed = subprocess.run([program(speed), "--list"], capture_output=True, text=True, check=True).stdout.split()
    assert listed == cases


# The modules between UTMI and pins have no bench of their own: they must be read, with their clocks and pins.
@pytest.mark.parametrize("name, ports", [("pins", {"usb_clk", "usb_io_clk", "io__d_p__i", "io__d_n__o", "io__pullup__o"}),
                                         ("ulpi", {"usb_clk", "bus__data__i", "bus__dir__i", "bus__stp__o", "busy"})])
def test_ways_to_pins_are_read(name, ports):
    made = ROOT / "build" / "usb" / f"xt_usb_{name}.v"
    if not made.exists():
        pytest.fail(f"{made} is missing: run `make usb-core`", pytrace=False)
    text = made.read_text()
    head = text[text.index(f"module xt_usb_{name}("):]
    assert ports <= {port.strip() for port in head[head.index("(") + 1:head.index(")")].split(",")}
    subprocess.run(["verilator", "--lint-only", "-Wno-lint", "-Wno-style", "-Wno-UNOPTFLAT", "--top-module", f"xt_usb_{name}", made],
                   check=True)


def test_front_end_is_lint_clean():
    """Of the core nothing is said: it is LUNA's."""
    folder = ROOT / "rtl" / "bridge"
    done = subprocess.run(["verilator", "--lint-only", "-Wall", "--top-module", "xt_usb", folder / "xt_async_fifo.sv",
                           folder / "usb" / "xt_usb.sv", ROOT / "build/usb/xt_usb_core_high.v"], capture_output=True, text=True)
    assert not [line for line in done.stderr.splitlines() if line.startswith("%") and "xt_usb.sv" in line], done.stderr
