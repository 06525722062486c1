# SPDX-License-Identifier: Apache-2.0
"""Store-and-forward of packets: proved, and faults of it are refuted."""

import pytest

from prove import prove

FILE = "rtl/nic/xt_packet_fifo.sv"
SUBJECT = ("packet_fifo_proof", ["rtl/mem/xt_ram_1r1w.sv", FILE, "sim/cocotb/rules/axi_stream_rules.sv", "tests/rtl/proofs/packet_fifo.sv"])
MUTANTS = {
    "cut-through": (r"assign whole    = .*;", "assign whole    = 1'b1;"),
    "waits-for-tlast": (r" \| \(beats_q == '1\)", ""),
    "packets-together": (r"if \(tlast_i\) beats_q <= '0;\n        else ", ""),
    "overwrites": (r"tready_o = .*;", "tready_o = 1'b1;"),
    "half-the-room": (r"'\(Depth\)", "'(PacketBeats)"),
    "beat-lost": (r"there_q & \(~tvalid_o \| tready_i\)", "there_q"),
    "reads-too-early": (r"there_q <= whole_q != read_d", "there_q <= write_q != read_d"),
    "pauses": (r"there_q & \(~tvalid_o \| tready_i\)", "there_q & ~tvalid_o"),
    "tlast-forgotten": (r"\{tlast_i, tdata_i\}", "{1'b1, tdata_i}"),
    "never-rests": (r"active_o = .*;", "active_o = 1'b1;"),
    "rests-too-early": (r" \| \(whole_q != read_q\)", ""),
}
# After an upset: any values of the registers, and no reset.
UPSET = ("packet_fifo_upset_proof", ["rtl/mem/xt_ram_1r1w.sv", FILE, "tests/rtl/proofs/upset.sv"])


@pytest.mark.parametrize("beats", [2, pytest.param(4, marks=pytest.mark.long)])
def test_packet_fifo(beats):
    verdict = prove(*SUBJECT, parameters={"PacketBeats": beats})
    assert verdict.holds, verdict.log[-2000:]


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refuted(name):
    verdict = prove(*SUBJECT, cycles=12, mutation=(FILE, *MUTANTS[name]))
    assert verdict.holds is False, verdict.log[-2000:]


def test_packet_fifo_recovers():
    verdict = prove(*UPSET, assertions=False)
    assert verdict.holds, verdict.log[-2000:]


def test_a_fifo_that_does_not_recover_is_refuted():
    verdict = prove(*UPSET, cycles=20, mutation=(FILE, r"else if \(!tready_o && whole_q == read_q\)", "else if (1'b0)"), assertions=False)
    assert verdict.holds is False, verdict.log[-2000:]
