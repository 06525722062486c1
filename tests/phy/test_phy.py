# SPDX-License-Identifier: Apache-2.0
"""The physical layer of links by Icarus Verilog: lanes that lag, jitter, bit errors, a pulled cable; and seeded faults."""

import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ["rtl/board/xt_phy.sv", "rtl/board/xt_phy_tx.sv", "rtl/board/xt_phy_rx.sv", "rtl/board/xt_phy_lane.sv",
           "rtl/bridge/xt_async_fifo.sv"]
FAULTS = {
    "lanes-swapped": ("xt_phy_tx.sv", r"padded\[LaneBits\*l\+:LaneBits\]", "padded[LaneBits*(l^1)+:LaneBits]"),
    "never-slips": ("xt_phy_lane.sv", r"at_header & ~header_good & ~locked_o", "1'b0"),
    "keeps-lock": ("xt_phy.sv", r"silence_q == '1", "1'b0"),
    "no-ready": ("xt_phy_tx.sv", r"out = ready_i", "out = 1'b0"),
    "lags-forbidden": ("xt_phy_rx.sv", r"age_q == SkewBits'\(Skew\)\) here_q", "1'b1) here_q"),
    "sends-before-the-other-end-hears": ("xt_phy_rx.sv", r"ready_o <= ready", "ready_o <= 1'b1"),
    "frame-overwritten": ("xt_phy_tx.sv", r"waiting_q & ~word_end\)", "waiting_q)"),
    "test-finds-nothing": ("xt_phy_lane.sv", r"\(bit_i != \(random_q", "(1'b0 & (random_q"),
}


def bench(folder, lanes, frame, *plus, fault=None):
    sources = []
    for name in MODULES:
        path = ROOT / name
        text = path.read_text()
        if fault and fault[0] == path.name:
            text, count = re.subn(fault[1], fault[2], text)
            assert count == 1, f"the fault applies {count} times"
        (folder / path.name).write_text(text)
        sources.append(folder / path.name)
    subprocess.run(["iverilog", "-g2012", f"-DLANES={lanes}", f"-DFRAME={frame}", "-o", folder / "bench",
                    ROOT / "tests/phy/phy.sv", *sources], check=True, stderr=subprocess.DEVNULL)
    said = subprocess.run(["vvp", folder / "bench", *plus], capture_output=True, text=True, timeout=200, check=True).stdout
    numbers = {name: int(value) for name, value in re.findall(r"(errors|put|found|sent|got) (\d+)", said)}
    # One wrong bit is found up to three times, and one in a header spoils the sequence of a lane for a word.
    ok = numbers["errors"] == 0 and numbers["put"] <= numbers["found"] <= 4 * numbers["put"]
    return ok, said


@pytest.mark.parametrize("lanes,frame,skew", [(8, 135, 0), (8, 135, 8), (4, 64, 7), (3, 40, 5), (1, 33, 0)])
def test_frames_come_as_they_went(tmp_path, lanes, frame, skew):
    ok, said = bench(tmp_path, lanes, frame, f"+skew={skew}")
    assert ok, said


def test_bit_errors_are_counted_and_do_not_end_the_link(tmp_path):
    ok, said = bench(tmp_path, 8, 135, "+skew=5", "+errors=1000")
    assert ok and "put 0" not in said, said


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_seen(tmp_path, fault):
    clean = [bench(tmp_path, 4, 40, *plus, fault=FAULTS[fault])[0] for plus in (("+skew=4",), ("+skew=4", "+errors=500"))]
    assert not all(clean)
