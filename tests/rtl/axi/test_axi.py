# SPDX-License-Identifier: Apache-2.0
"""Adapters keep the rules of AXI4-Lite and AXI4-Stream: proved, and faults of each are refuted."""

import pytest

from prove import prove
from subjects import BRIDGE, BUS, REGISTER_BUS

RULES = [f"sim/cocotb/rules/axi_{bus}_rules.sv" for bus in ("lite", "stream")]
EJECT, SLICE, MASTER, INJECT_QUEUE = ("rtl/nic/xt_nic_eject.sv", "rtl/board/xt_stream_slice.sv", "rtl/bridge/xt_bridge_master.sv",
                                      f"{BRIDGE}inject_queue.sv")
TRAFFIC, BOARD_REGISTERS = "rtl/board/xt_traffic.sv", "rtl/board/xt_board_registers.sv"
RING = [f"rtl/generated/ring/xt_{name}.sv" for name in ("pkg", "bridge_pkg")]
AXI = {name: (f"axi_{name}_proof", [*files, *RULES, f"tests/rtl/axi/axi_{side}.sv"]) for name, side, files in (
    ("nic_eject", "eject", ["tests/rtl/axi/small_pkg.sv", "rtl/mem/xt_ram_1r1w.sv", EJECT]), ("stream_slice", "slice", [SLICE]),
    ("inject_queue", "inject_queue", ["rtl/mem/xt_ram_1r1w.sv", INJECT_QUEUE]), ("master", "master", [MASTER]),
    ("registers", "registers", REGISTER_BUS[1][:-1]), ("board_registers", "board_registers", [*RING, BOARD_REGISTERS]),
    ("traffic", "traffic", [*RING, "rtl/mem/xt_ram_1r1w.sv", SLICE, TRAFFIC]))}
MUTANTS = {
    "offer-withdrawn": ("nic_eject", EJECT, r"tvalid_o <= write_q != read_d;", "tvalid_o <= (write_q != read_d) & valid_i;"),
    "beat-changes": ("nic_eject", EJECT, r"raddr_i\(read_d\[AddrBits-1:0\]\)", "raddr_i(write_q[AddrBits-1:0])"),
    "slice-overwrites": ("stream_slice", SLICE, r"if \(!valid_o \|\| ready_i\) data_o <=", "data_o <="),
    "slice-forgets": ("stream_slice", SLICE, r"spare_valid_q \? spare_q : data_i", "data_i"),
    "queue-withdraws": ("inject_queue", INJECT_QUEUE, r"if \(tready_i\) tvalid_o <= 1'b0;", "if (tready_i || push_i) tvalid_o <= 1'b0;"),
    "queue-overwrites": ("inject_queue", INJECT_QUEUE, r"body_q && \(!tvalid_o \|\| tready_i\)", "body_q"),
    "master-withdraws": ("master", MASTER, r"awvalid_o <= awvalid_o & ~awready_i;", "awvalid_o <= awvalid_o & ~awready_i & ~wready_i;"),
    "master-changes-address": ("master", MASTER, r"if \(start_i\) begin\n      address_o", "if (start_i || awready_i != '0) begin\n      address_o"),
    "master-changes-data": ("master", MASTER, r"      wdata_o   <= data_i;\n    end", "    end\n    wdata_o <= data_i;"),
    "response-withdrawn": ("registers", BUS, r"end else if \(bready_i\) begin", "end else begin"),
    "read-data-twice": ("registers", BUS, r"end else if \(rready_i\) begin", "end else if (rready_i && !arvalid_i) begin"),
    "eject-waits-for-ready": ("nic_eject", EJECT, r"tvalid_o <= write_q != read_d;", "tvalid_o <= (write_q != read_d) & (tready_i | tvalid_o);"),
    "slice-waits-for-ready": ("stream_slice", SLICE, r"valid_o       <= valid_i \| spare_valid_q;", "valid_o <= (valid_i | spare_valid_q) & ready_i;"),
    "master-leaves-a-response": ("master", MASTER, r"rready_o = '1;", "rready_o = {Cards{read_q}};"),
    "master-waits-for-ready": ("master", MASTER, r"wvalid_o\[c\]  <= write_i;", "wvalid_o[c]  <= write_i & awready_i[c];"),
    "traffic-withdraws": ("traffic", TRAFFIC, r" & ~offered_q\)", ")"),
    "board-response-withdrawn": ("board_registers", BOARD_REGISTERS, r"write \| \(bvalid_q & ~bready_i\)", "write"),
    "board-read-data-change": ("board_registers", BOARD_REGISTERS, r"if \(read\) own_data_q <=", "own_data_q <="),
    "board-no-answer": ("board_registers", BOARD_REGISTERS, r"own \? bvalid_q : card_bvalid_i", "card_bvalid_i"),
    "board-waits-for-ready": ("board_registers", BOARD_REGISTERS, r"awvalid_i & ~own;", "awvalid_i & ~own & card_awready_i;"),
    "board-card-sees-all": ("board_registers", BOARD_REGISTERS, r"arvalid_i & ~own;", "arvalid_i;"),
}


@pytest.mark.parametrize("adapter", AXI)
def test_axi(adapter):
    verdict = prove(*AXI[adapter])
    assert verdict.holds, verdict.log[-2000:]


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refuted(name):
    adapter, file, pattern, replacement = MUTANTS[name]
    verdict = prove(*AXI[adapter], cycles=40, mutation=(file, pattern, replacement))
    assert verdict.holds is False, f"nothing refutes {name}: {verdict.log[-500:]}"
