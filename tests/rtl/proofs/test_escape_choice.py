# SPDX-License-Identifier: Apache-2.0
"""Escapes take turns: proved, and faults of the turns are refuted."""

import pytest

from prove import prove

FILE = "rtl/switch/xt_escape_choice.sv"
SUBJECT = ("escape_choice_proof", [FILE, "tests/rtl/proofs/escape_choice.sv"])
MUTANTS = {
    "lowest-first": (r"else if \(taken_i\) behind_q <= behind_choice_q;", ""),
    "turn-of-another": (r"behind_q <= behind_choice_q;", "behind_q <= above;"),
    "never-told": (r"\(must_q \| \(tick_i \? waited_q : '0\)\)", "must_q"),
    "told-at-once": (r"\(tick_i \? waited_q : '0\)", "(tick_i ? nonempty_i : '0)"),
    "two-at-a-time": (r" \| pending_o;", ";"),
}


@pytest.mark.parametrize("links", [2, 3])
def test_escape_choice(links):
    verdict = prove(*SUBJECT, parameters={"Links": links})
    assert verdict.holds, verdict.log[-2000:]


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refuted(name):
    verdict = prove(*SUBJECT, cycles=20, mutation=(FILE, *MUTANTS[name]))
    assert verdict.holds is False, verdict.log[-2000:]
