# SPDX-License-Identifier: Apache-2.0
"""The physical layer of links by Icarus Verilog: lanes that lag, jitter, bit errors, a pulled cable; and seeded faults."""

import re
import subprocess

import pytest

from processor_time import limited
from repository import ROOT
from seeded import with_fault

MODULES = ["rtl/phy/xt_8b10b_code.sv", "rtl/phy/xt_phy.sv", "rtl/phy/xt_phy_code_tx.sv", "rtl/phy/xt_phy_code_rx.sv", 
           "rtl/phy/xt_phy_tx.sv", "rtl/phy/xt_phy_rx.sv", "rtl/phy/xt_phy_lane.sv", "rtl/frontend/xt_async_fifo.sv"]
FAULTS = {
    "lanes-swapped": ("xt_phy_tx.sv", r"padded\[LaneBits\*l\+:LaneBits\]", "padded[LaneBits*(l^1)+:LaneBits]"),
    "never-slips": ("xt_phy_lane.sv", r"at_header & ~header_good & ~locked_o", "1'b0"),
    "keeps-lock": ("xt_phy.sv", r"silence_q == '1", "1'b0"),
    "no-ready": ("xt_phy_tx.sv", r"out = ready_i", "out = 1'b0"),
    "lags-forbidden": ("xt_phy_rx.sv", r"age_q == SkewBits'\(Skew\)\) here_q", "1'b1) here_q"),
    "sends-before-the-other-end-hears": ("xt_phy_rx.sv", r"ready_o <= ready", "ready_o <= 1'b1"),
    "frame-overwritten": ("xt_phy_tx.sv", r"waiting_q & ~word_end\)", "waiting_q)"),
    "words-stay-in-a-reset": ("xt_async_fifo.sv", r"posedge write_clk_i or negedge write_rst_ni", "posedge write_clk_i"),
    "test-finds-nothing": ("xt_phy_lane.sv", r"\(bit_i != \(random_q", "(1'b0 & (random_q"),
}
CODED_FAULTS = {
    "anywhere-is-a-beginning": ("xt_phy_code_rx.sv", r"offset_d = 4'\(o\)", "offset_d = 4'd0"),
    "disparity-forgotten": ("xt_phy_code_tx.sv", r"encode\(data, control, disparity_q\)", "encode(data, control, 1'b0)"),
    "no-ready": ("xt_phy_code_tx.sv", r"second  = ready_i \?", "second  = 1'b0 ?"),
    "bytes-shifted": ("xt_phy_code_tx.sv", r"share_q >> 8", "share_q >> 7"),
    "sequence-not-followed": ("xt_phy_code_rx.sv", r"resync_q \? ", "1'b0 ? "),
    "test-finds-nothing": ("xt_phy_code_rx.sv", r"\{7'd0, wrong\}", "{7'd0, 1'b0}"),
    "bad-words-prevail-at-once": ("xt_phy_code_rx.sv", r"bad_q == '1", "1'b1"),
}


def bench(folder, lanes, frame, *plus, fault=None, coded=0):
    sources = with_fault(folder, [ROOT / name for name in MODULES], fault)
    subprocess.run(["iverilog", "-g2012", f"-DLANES={lanes}", f"-DFRAME={frame}", f"-DCODED={coded}", "-o", folder / "bench",
                    ROOT / "tests/rtl/phy/phy.sv", *sources], check=True, stderr=subprocess.DEVNULL)
    said = subprocess.run(["vvp", folder / "bench", *plus], capture_output=True, text=True, **limited(200), check=True).stdout
    numbers = {name: int(value) for name, value in re.findall(r"(errors|put|found|sent|got) (\d+)", said)}
    # One wrong bit is found up to three times, and one in a header spoils the sequence of a lane for a word. A wrong code is found
    # once, maybe its disparity later, and not in a header.
    least = 0.6 if coded else 1
    ok = numbers["errors"] == 0 and least * numbers["put"] <= numbers["found"] <= 4 * numbers["put"]
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


@pytest.mark.parametrize("frame,offset", [(135, 3), (40, 0), (40, 9)])
def test_codes_from_anywhere(tmp_path, frame, offset):
    ok, said = bench(tmp_path, 10, frame, f"+skew={offset}", coded=1)
    assert ok, said


def test_wrong_codes_are_counted_and_do_not_end_the_link(tmp_path):
    ok, said = bench(tmp_path, 10, 40, "+skew=5", "+errors=1000", coded=1)
    assert ok and "put 0" not in said, said


@pytest.mark.long
@pytest.mark.parametrize("fault", CODED_FAULTS)
def test_a_fault_of_codes_is_seen(tmp_path, fault):
    clean = [bench(tmp_path, 10, 40, *plus, fault=CODED_FAULTS[fault], coded=1)[0]
             for plus in (("+skew=4",), ("+skew=4", "+errors=300"))]
    assert not all(clean)
