# SPDX-License-Identifier: Apache-2.0
"""How long packets give way, and which are held back: proved, and faults of both are refuted."""

import pytest

from prove import prove

TIMERS, PRIORITY = "rtl/switch/xt_injection_timers.sv", "rtl/switch/xt_in_transit_priority.sv"
OF_TIMERS = ("injection_timers_proof", [TIMERS, "tests/rtl/proofs/injection_timers.sv"])
OF_PRIORITY = ("in_transit_priority_proof", ["rtl/generated/extoll/xt_pkg.sv", TIMERS, PRIORITY, "tests/rtl/proofs/in_transit_priority.sv"])
# The timers of two inputs, or of the second one alone.
MUTANTS = {
    "waits-for-ever": (3, r"last_q != time_q", "1'b1"),
    "runs-on": (3, r"matched_i\[i\] \? wait_i", "1'b0 ? wait_i"),
    "arrival-unseen": (3, r"empty_q\[i\] \? longer_q", "1'b0 ? longer_q"),
    "arrival-waits-a-cycle-more": (3, r"longer_q <= rst_ni && \(wait_i >> 1\)", "longer_q <= rst_ni && wait_i"),
    "rests-before-an-arrival-counts": (3, r" \|\| longer_q;", ";"),
    "waits-too-long": (2, r"\(left_q >> 1\) != '0", "left_q != '0"),
    "time-stops-with-wait": (3, r"gives_way_o != '0 \|\| wait_i", "wait_i"),
    "loads-too-early": (3, r"if \(anew_q\[i\]\)", "if (matched_i[i] || !queued_i[i])"),
    "loads-the-time-of-now": (3, r"last_q <= last_anew_q", "last_q <= time_q + wait_i"),
    "one-cycle-too-long": (3, r"!once_q", "1'b1"),
    "one-cycle-too-short": (3, r"!once_q", "1'b0"),
    "told-as-of-now": (3, r"(assign goes_on_o\[i\]) = !insists_i\[i\]", r"\1 = gives_way_o[i]; wire other = !insists_i[i]"),
    "insists-in-vain": (3, r"= !insists_i\[i\]", "= 1'b1"),
    "insists-alone-in-vain": (2, r" && \(insists_i & Timed\) == '0", ""),
    "gives-way-again": (2, r"gives_way_q && \(left_q", "(left_q"),
}
OF_HELD_BACK = {
    "held-back-as-of-now": (r"    \.goes_on_o\n", "    .goes_on_o()\n); assign goes_on_o = yields; wire other = (1'b0\n"),
    "held-back-without-wait": (r"Timed\[i\] && wait_i != '0", "Timed[i]"),
    "held-back-without-need": (r" && crowded_next_i\[o\]\n", "\n"),
    "all-are-entrants": (r"entrants_next_i\[o\*", "1'b1 || entrants_next_i[o*"),
    "old-entrants-held-back": (r"\|\| entrants_next_i\[", "|| entrants_q["),
}


@pytest.mark.parametrize("timed", [2, 3])
def test_injection_timers(timed):
    verdict = prove(*OF_TIMERS, parameters={"Timed": timed})
    assert verdict.holds, verdict.log[-2000:]


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refuted(name):
    timed, pattern, text = MUTANTS[name]
    verdict = prove(*OF_TIMERS, cycles=20, mutation=(TIMERS, pattern, text), parameters={"Timed": timed})
    assert verdict.holds is False, verdict.log[-2000:]


def test_held_back():
    verdict = prove(*OF_PRIORITY)
    assert verdict.holds, verdict.log[-2000:]


@pytest.mark.parametrize("name", OF_HELD_BACK)
def test_packet_held_back_wrongly_is_refuted(name):
    verdict = prove(*OF_PRIORITY, cycles=20, mutation=(PRIORITY, *OF_HELD_BACK[name]))
    assert verdict.holds is False, verdict.log[-2000:]
