# SPDX-License-Identifier: Apache-2.0
"""A parameter with which a module cannot work is refused at elaboration, by a name that tells the reason."""

import subprocess

import pytest

from processor_time import limited
from repository import ROOT, rtl

TOOLS = {
    "verilator": lambda *files: ["verilator", "--lint-only", "-Wno-lint", "-Wno-style", "-DXT_SIMULATION", "--top-module", "wrong", *files],
    "yosys": lambda *files: ["yosys", "-q", "-p", f"read_verilog -sv -defer -DXT_SIMULATION {' '.join(map(str, files))}; "
                             "hierarchy -check -top wrong"],
    "iverilog": lambda *files: ["iverilog", "-g2012", "-DXT_SIMULATION", "-t", "null", "-s", "wrong", *files],
}
# Module, its parameters, another value that it takes, the reason, and the profile where it is not mini.
REFUSED = {
    "ram-without-words": ("xt_ram_1r1w", "Depth", 0, 1, "xt_ram_1r1w_has_a_word"),
    "ram-without-bits": ("xt_ram_1r1w", "Width", 0, 1, "xt_ram_1r1w_has_a_word"),
    "two-port-ram-without-words": ("xt_ram_1r1rw", "Depth", 0, 1, "xt_ram_1r1rw_has_a_word"),
    "two-port-ram-without-bits": ("xt_ram_1r1rw", "Width", -1, 1, "xt_ram_1r1rw_has_a_word"),
    "one-port-ram-without-words": ("xt_ram_1rw", "Depth", 0, 1, "xt_ram_1rw_has_a_word"),
    "lut-ram-without-words": ("xt_ram_async", "Depth", 0, 1, "xt_ram_async_has_a_word"),
    "fifo-without-bits": ("xt_async_fifo", "Width", 0, 1, "xt_async_fifo_has_words"),
    "odd-reset": ("xt_board_reset", "Cycles", 1000, 1024, "xt_board_reset_cycles"),
    "short-reset": ("xt_board_reset", "Cycles", 1, 2, "xt_board_reset_cycles"),
    "no-lanes": ("xt_phy", "Lanes", 0, 1, "xt_phy_has_a_lane"),
    "negative-lanes": ("xt_phy", "Lanes", -1, 8, "xt_phy_has_a_lane"),
    "internal-port": ("xt_board", "InternalPort", -1, 0, "xt_board_has_one_or_two_cards"),
    "pins": ("xt_board_top", "Xilinx7", 7, 0, "xt_board_top_has_pins"),
    "plain-frame-cycles": ("xt_card", "FrameCycles", 0, 1, "xt_plain_link_takes_a_frame"),
    "frame-cycles": ("xt_card", "FrameCycles", 0, 1, "xt_link_frame_takes_a_cycle", "node"),
    "negative-frame-cycles": ("xt_card", "FrameCycles", -4, 4, "xt_link_frame_takes_a_cycle", "node"),
}


def elaborate(tool, folder, profile, module, parameter, value):
    wrong = folder / "wrong.sv"
    wrong.write_text(f"module wrong; {module} #(.{parameter}({value})) i_wrong (); endmodule\n")
    packages = [ROOT / "rtl/generated" / profile / name for name in ("xt_pkg.sv", "xt_bridge_pkg.sv")]
    alone = [name for name in ("mem/mem.f", "phy/phy.f", "frontend/frontend.f") if ROOT / f"rtl/{name.split('/')[0]}/{module}.sv" in rtl(name)]
    sources = rtl(*{*alone, "frontend/frontend.f"} if alone else ("card_sources.f", "node_sources.f"))
    return subprocess.run(TOOLS[tool](*packages, *sources, wrong), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **limited(60))


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("name", REFUSED)
def test_an_impossible_parameter_is_refused(name, tool, tmp_path):
    module, parameter, value, taken, reason, profile = (*REFUSED[name], "mini")[:6]
    done = elaborate(tool, tmp_path, profile, module, parameter, value)
    assert done.returncode != 0 and reason in done.stdout, done.stdout
    if tool == "verilator":
        done = elaborate(tool, tmp_path, profile, module, parameter, taken)
        assert done.returncode == 0 and reason not in done.stdout, done.stdout
