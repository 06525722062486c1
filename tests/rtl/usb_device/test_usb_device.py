# SPDX-License-Identifier: Apache-2.0
"""The native USB front ends with the bridge behind them, packet by packet. The core runs at high and at full
speed, by a ULPI PHY, and at the lines."""

import re
import subprocess

import pytest

from processor_time import limited
from repository import ROOT

CASES = ["resets", "enumerates", "stalls-the-unknown", "ignores-others", "informs", "transfers-end", "repeats-are-not-delivered",
         "spoiled-is-not-answered", "sends-again", "holds-back", "starts-anew", "applies-once", "answers-in-time"]
HIGH_CASES = ["falls-back"]
BENCHES = {"high": CASES + HIGH_CASES, "full": CASES, "ulpi": CASES + HIGH_CASES, "pins": CASES}
pytestmark = pytest.mark.long  # the core comes from PyPI


def program(bench):
    made = ROOT / "build" / "tests" / f"usb-device-{bench}"
    if not made.exists():
        pytest.fail(f"{made} is missing: run `make usb-device`", pytrace=False)
    return made


@pytest.mark.parametrize("bench, case", [(bench, case) for bench, cases in BENCHES.items() for case in cases])
def test_case(bench, case):
    done = subprocess.run([program(bench), case], capture_output=True, text=True, **limited(120))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("bench", BENCHES)
def test_no_case_is_forgotten(bench):
    listed = subprocess.run([program(bench), "--list"], capture_output=True, text=True, check=True).stdout.split()
    assert listed == BENCHES[bench]


def ports(text, name):
    """{port: (direction, width)} of a module, however they are written."""
    body = re.sub(r"function.*?endfunction", "", text[re.search(rf"^module {name}\b", text, re.M).end():], flags=re.S)
    return {port: (direction, width.replace(" ", "")) for direction, width, port in
            re.findall(r"^ *(input|output) +(?:logic +)?(\[[^]]*\])? *(\w+)[,;]?$", body, re.M)}


@pytest.mark.parametrize("module", ["full/xt_usb_core", "full/xt_usb_pins", "high/xt_usb_core", "high/xt_usb_ulpi"])
def test_standin_has_the_ports_of_what_is_generated(module):
    made = ROOT / "build" / "usb" / f"{module}.v"
    name = made.stem
    if not made.exists():
        pytest.fail(f"{made} is missing: run `make usb-core`", pytrace=False)
    real = ports(made.read_text(), name)
    assert real and real == ports((ROOT / "sim" / "standins" / f"{name}_standin.sv").read_text(), f"{name}_standin")
