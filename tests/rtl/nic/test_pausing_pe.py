# SPDX-License-Identifier: Apache-2.0
"""A PE that pauses within a packet holds its path to others; with StoreForward such a PE holds nothing."""

import subprocess

import pytest

from processor_time import limited
from repository import ROOT, rtl
from seeded import with_fault

HELD, FREE = (f"{count} of 3 packets before the PE goes on" for count in (0, 3))
CUT_THROUGH = ("xt_packet_fifo.sv", r"assign whole    = .*;", "assign whole = 1'b1;")


def simulate(folder, profile, store, fault=None):
    """The last line of the bench."""
    sources = with_fault(folder, rtl("card_sources.f"), fault)
    program = folder / "pausing_pe.vvp"
    subprocess.run(["iverilog", "-g2012", "-o", program, "-s", "pausing_pe", f"-Ppausing_pe.StoreForward={store}",
                    ROOT / "rtl/generated" / profile / "xt_pkg.sv", *sources, ROOT / "tests/rtl/nic/pausing_pe.sv"],
                   check=True, capture_output=True, **limited(300))
    done = subprocess.run(["vvp", "-n", program], stdout=subprocess.PIPE, text=True, **limited(300))
    return done.stdout.strip().splitlines()[-1]


@pytest.mark.parametrize("profile", ["ring", pytest.param("node", marks=pytest.mark.long)])
@pytest.mark.parametrize("store, says", [(0, HELD), (1, FREE)], ids=["held", "stored"])
def test_a_pe_pauses_within_a_packet(profile, store, says, tmp_path):
    assert simulate(tmp_path, profile, store) == says


def test_a_store_that_cuts_through_is_found(tmp_path):
    assert simulate(tmp_path, "ring", 1, CUT_THROUGH) == HELD
