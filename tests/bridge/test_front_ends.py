# SPDX-License-Identifier: Apache-2.0
"""The front ends by Icarus Verilog, and seeded faults that the bench must see."""

import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ["xt_async_fifo.sv", "xt_uart.sv", "xt_ft245.sv"]
FAULTS = {
    "full-too-late": ("xt_async_fifo.sv", r"write_gray_q != \(read_sync_q", "1'b1 || write_gray_q != (read_sync_q"),
    "empty-too-late": ("xt_async_fifo.sv", r"read_gray_q != write_sync_q", "read_gray_q != write_sync_q + 1'b1"),
    "uart-at-the-edge": ("xt_uart.sv", r"CountBits'\(BitCycles / 2 - 1\)", "CountBits'(BitCycles - 1)"),
    "uart-no-stop": ("xt_uart.sv", r"tx_left_q  <= 4'd10", "tx_left_q  <= 4'd9"),
    "ft245-no-turn": ("xt_ft245.sv", r"state_q <= Turn", "state_q <= Read"),
    "ft245-ignores-txe": ("xt_ft245.sv", r"state_q == Write && !txe_ni", "state_q == Write"),
    "ft245-ignores-rxf": ("xt_ft245.sv", r"!rd_no && !rxf_ni", "!rd_no"),
}


def errors(folder, fault=None):
    sources = []
    for name in MODULES:
        text = (ROOT / "rtl" / "bridge" / name).read_text()
        if fault and fault[0] == name:
            text, count = re.subn(fault[1], fault[2], text)
            assert count == 1, f"the fault applies {count} times"
        (folder / name).write_text(text)
        sources.append(folder / name)
    subprocess.run(["iverilog", "-g2012", "-o", folder / "bench", ROOT / "tests/bridge/front_ends.sv", *sources], check=True)
    done = subprocess.run(["vvp", folder / "bench"], capture_output=True, text=True, timeout=120, check=True)
    return int(re.search(r"errors (\d+)", done.stdout).group(1)), done.stdout


def test_bytes_pass_unchanged(tmp_path):
    count, text = errors(tmp_path)
    assert count == 0, text


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_seen(tmp_path, fault):
    assert errors(tmp_path, FAULTS[fault])[0] > 0
