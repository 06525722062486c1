# SPDX-License-Identifier: Apache-2.0
"""A card runs in a simulator with four states: nothing unknown leaves a card."""

import subprocess

import pytest

from processor_time import limited
from repository import EVERYDAY_PROFILES, PROFILES, ROOT, rtl

# Of processor time. In Icarus 11 two processes may wake each other for ever.
ENDLESS_S = 600


def simulate(profile, folder, mutation=None, seconds=ENDLESS_S):
    """The last line of the bench, which has so many seconds of processor time."""
    sources, applied = [], 0
    for file in rtl("card_sources.f"):
        text = file.read_text()
        if mutation:
            applied += text.count(mutation[0])
            text = text.replace(*mutation)
        sources.append(folder / file.name)
        sources[-1].write_text(text)
    assert not mutation or applied == 1, f"the mutation applies {applied} times"
    program = folder / "card.vvp"
    subprocess.run(["iverilog", "-g2012", "-o", program, "-s", "four_state", ROOT / "rtl" / "generated" / profile / "xt_pkg.sv",
                    *sources, ROOT / "tests" / "rtl" / "four_state" / "four_state.sv"], check=True, capture_output=True, **limited(300))
    done = subprocess.run(["vvp", "-n", program], capture_output=True, text=True, **limited(seconds))
    return (done.stdout.strip().splitlines() or [done.stderr or f"no end in {seconds} s"])[-1]


# With a link layer a frame has one check word of all its fields.
@pytest.mark.parametrize("profile", [pytest.param(p, marks=() if p in EVERYDAY_PROFILES else pytest.mark.long) for p in PROFILES])
def test_a_card_runs(profile, tmp_path):
    last = simulate(profile, tmp_path)
    print(last)
    assert last.startswith("PASS")


@pytest.mark.parametrize("profile, mutation", (
    ("mini", ("      pad_q            <= 1'b0;\n", "")), ("mini", ("      write_q     <= '0;\n", "")),
    ("node", ("      cell_vc_o     <= '0;\n", "")), ("node", ("item_q  <= fresh_q ?", "item_q  <= waiting_q ?")),
    ("node", ("fresh_q <= rst_ni & waiting_d & open_d", "fresh_q <= rst_ni & open_d")),
    pytest.param("extoll_linked", ("    .Known(!Bypass)", "    .Known(1'b0)"), marks=pytest.mark.long)))
def test_what_is_unknown_is_found(profile, mutation, tmp_path):
    """Two-state simulators begin with a number and see nothing."""
    assert simulate(profile, tmp_path, mutation).startswith("FAIL")


@pytest.mark.parametrize("mutation, reason", (
    (("valid4_q & wraps4_q &", "valid4_q & 1'b0 &"), 19), (("(addr4_q[AddrBits-1:IndexBits] == b[BankBits-1:0])", "1'b1"), 19),
    (("(clear_flags_i ? wdata_i[4:0] : 5'b0)", "(clear_flags_i ? {1'b0, wdata_i[3:0]} : 5'b0)"), 20)))
def test_a_counter_that_passes_its_end_is_flagged(mutation, reason, tmp_path):
    assert simulate("mini", tmp_path, mutation).startswith(f"FAIL {reason} ")


@pytest.mark.long
def test_an_output_that_changes_twice_has_no_end(tmp_path):
    """The stalls of an input, written twice by one process, wake the counters. These wake that process, and so on."""
    once = "assign stall_credit_o = ((xt_pkg::NoSkip != 0 || waits_q != '0) ? classes_of(waits_q) : '0) | waits_at_nic_q;"
    twice = f"always_comb begin stall_credit_o = '0; {once.removeprefix('assign ')} end"
    assert simulate("extoll", tmp_path, (once, twice), 100) == "no end in 100 s"
