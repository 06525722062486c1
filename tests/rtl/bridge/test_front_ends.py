# SPDX-License-Identifier: Apache-2.0
"""The front ends by Icarus Verilog, and seeded faults that the bench must see."""

import re
import subprocess

import pytest

from processor_time import limited
from repository import ROOT
from seeded import with_fault

# Bench: what it is made of.
BENCHES = {
    "front_ends.sv": ["rtl/frontend/xt_async_fifo.sv", "rtl/frontend/xt_uart.sv", "rtl/frontend/xt_ft245.sv"],
    "rested_clock.sv": ["rtl/board/xt_board_reset.sv", "rtl/frontend/xt_async_fifo.sv", "rtl/frontend/xt_ft245.sv", "rtl/frontend/xt_fifo_front.sv"],
    "ft245_turns.sv": ["rtl/frontend/xt_ft245.sv"],
    "front_end_choice.sv": ["rtl/generated/node/xt_bridge_pkg.sv", "rtl/frontend/xt_front_ends.sv"],
}
FAULTS = {
    "full-too-late": ("xt_async_fifo.sv", r"write_gray_q != \(read_sync_q", "1'b1 || write_gray_q != (read_sync_q"),
    "empty-too-late": ("xt_async_fifo.sv", r"read_gray_q != write_sync_q", "read_gray_q != write_sync_q + 1'b1"),
    "uart-at-the-edge": ("xt_uart.sv", r"CountBits'\(BitCycles / 2 - 1\)", "CountBits'(BitCycles - 1)"),
    "uart-no-stop": ("xt_uart.sv", r"tx_left_q  <= 4'd10", "tx_left_q  <= 4'd9"),
    "ft245-no-turn": ("xt_ft245.sv", r"state_q <= Turn", "state_q <= Read"),
    "ft245-ignores-txe": ("xt_ft245.sv", r"state_q == Write && !txe_ni", "state_q == Write"),
    "ft245-ignores-rxf": ("xt_ft245.sv", r"!rd_no && !rxf_ni", "!rd_no"),
    "begins-with-any-byte": ("xt_front_ends.sv", r" && rx_byte_i\[8\*f\+:8\] == xt_bridge_pkg::KindInfo\[7:0\]", ""),
    "begins-within-a-frame": ("xt_front_ends.sv", r"!owns && flag_q\[f\]", "!owns"),
    "half-a-frame-is-kept": ("xt_front_ends.sv", r"= change \| restart_i\[owner\]", "= restart_i[owner]"),
    "all-hosts-restart": ("xt_front_ends.sv", r"restart_i\[owner\]", "(|restart_i)"),
    "all-are-answered": ("xt_front_ends.sv", r"tx_valid_i & owns", "tx_valid_i"),
    "others-wait": ("xt_front_ends.sv", r": ~begins\[f\]", ": 1'b0"),
    "byte-lost-at-a-change": ("xt_front_ends.sv", r"rx_ready_i & ~change", "rx_ready_i"),
    "beginnings-count-again": ("xt_front_ends.sv", r"flag_q\[f\] <= 1'b0;", "flag_q[f] <= 1'b1;"),
    "the-first-keeps-it": ("xt_front_ends.sv", r"owner_q <= owner_d", "owner_q <= owner_q"),
}


TURN_FAULTS = {
    "reading-goes-first": ("xt_ft245.sv", r"\(write_wanted && write_first\)\) state_q <= Idle", "1'b0) state_q <= Idle"),
    "reading-begins-first": ("xt_ft245.sv", r"read_wanted && !\(write_wanted && write_first\)", "read_wanted"),
    "writing-goes-on": ("xt_ft245.sv", r"read_first \|\| !turn_q", "!turn_q"),
    "waits-are-forgotten": ("xt_ft245.sv", r"!write_wanted \|\| tx_ready_o", "!write_wanted || tx_ready_o || state_q == Idle"),
}
RESTED_FAULTS = {
    "reset-by-the-clock": ("xt_board_reset.sv", r"posedge clk_i or negedge run_i", "posedge clk_i"),
    "write-pointer-stays": ("xt_async_fifo.sv", r"posedge write_clk_i or negedge write_rst_ni", "posedge write_clk_i"),
    "read-pointer-stays": ("xt_async_fifo.sv", r"posedge read_clk_i or negedge read_rst_ni", "posedge read_clk_i"),
    "chip-loses-a-byte": ("xt_ft245.sv", r"posedge clk_i or negedge rst_ni", "posedge clk_i"),
}


def errors(folder, bench, fault=None, plus=()):
    sources = with_fault(folder, [ROOT / module for module in BENCHES[bench]], fault)
    subprocess.run(["iverilog", "-g2012", "-o", folder / "bench", ROOT / "tests/rtl/bridge" / bench, *sources], check=True)
    done = subprocess.run(["vvp", folder / "bench", *plus], capture_output=True, text=True, **limited(120), check=True)
    return int(re.search(r"errors (\d+)", done.stdout).group(1)), done.stdout


@pytest.mark.parametrize("bench", BENCHES)
def test_bytes_pass_unchanged(tmp_path, bench):
    count, text = errors(tmp_path, bench)
    assert count == 0, text


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_seen(tmp_path, fault):
    bench = next(bench for bench, modules in BENCHES.items() if any(module.endswith("/" + FAULTS[fault][0]) for module in modules))
    assert errors(tmp_path, bench, FAULTS[fault])[0] > 0


@pytest.mark.parametrize("state", [0, 1, 2])
def test_a_reset_without_the_clock_leaves_nothing(tmp_path, state):
    count, text = errors(tmp_path, "rested_clock.sv", plus=[f"+state={state}"])
    assert count == 0, text


@pytest.mark.parametrize("fault", RESTED_FAULTS)
def test_a_reset_that_waits_for_the_clock_is_seen(tmp_path, fault):
    assert any(errors(tmp_path, "rested_clock.sv", RESTED_FAULTS[fault], [f"+state={state}"])[0] > 0 for state in range(3))


@pytest.mark.parametrize("fault", TURN_FAULTS)
def test_a_side_that_waits_too_long_is_seen(tmp_path, fault):
    assert errors(tmp_path, "ft245_turns.sv", TURN_FAULTS[fault])[0] > 0
