# SPDX-License-Identifier: Apache-2.0
"""The host is told of every event of a card, and not too often: proved, and faults are refuted."""

import pytest

from prove import prove

FILE = "rtl/board/xt_attention.sv"
SUBJECT = ("attention_proof", [FILE, "tests/rtl/proofs/attention.sv"])
MUTANTS = {
    "event-in-quiet-time-lost": (r"waits_q     <= \(waits_q \| event_i\)", "waits_q <= (waits_q)"),
    "no-quiet-time": (r"if \(waits_q \|\| event_i\) quiet_q", "if (waits_q) quiet_q"),
    "told-twice": (r"\) && quiet_q != '0;", ");"),
    "clock-rests-before": (r"waits_o = waits_q \| ", "waits_o = "),
    "told-late": (r"attention_o <= \(waits_q \| event_i\)", "attention_o <= waits_q"),
}


def test_attention():
    verdict = prove(*SUBJECT)
    assert verdict.holds, verdict.log[-2000:]


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refuted(name):
    verdict = prove(*SUBJECT, cycles=40, mutation=(FILE, *MUTANTS[name]))
    assert verdict.holds is False, verdict.log[-2000:]
