# SPDX-License-Identifier: Apache-2.0
"""The FIFO to the PE, with the register behind the crossbar and without: proved, and its faults are refuted."""

import pytest

from prove import prove

EJECT, PACKAGE = "rtl/nic/xt_nic_eject.sv", "tests/rtl/axi/small_pkg.sv"
SUBJECT = ("nic_eject_proof", [PACKAGE, "rtl/mem/xt_ram_1r1w.sv", EJECT, "tests/rtl/proofs/nic_eject.sv"])
MUTANTS = {
    "read-while-written": (r"valid_q && place_q == read_d\[AddrBits-1:0\]", "1'b0"),
    "another-read-while-written": (r"valid_q && place_q == read_d\[AddrBits-1:0\]", "valid_q"),
    "written-without-a-cell": (r"valid_q  <= rst_ni & valid_i", "valid_q  <= rst_ni"),
    "passes-the-next-cell": (r"passed_q <= word_q", "passed_q <= StoredBits'({poison_i, cell_i})"),
    "old-place": (r"place_q  <= write_q", "place_q  <= read_q"),
}


@pytest.mark.parametrize("ports", [5, 7])
def test_nic_eject(ports):
    verdict = prove(*SUBJECT, mutation=(PACKAGE, "Ports = 7", f"Ports = {ports}"))
    assert verdict.holds, verdict.log[-2000:]


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refuted(name):
    verdict = prove(*SUBJECT, cycles=20, mutation=(EJECT, *MUTANTS[name]))
    assert verdict.holds is False, verdict.log[-2000:]
