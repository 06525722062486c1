# SPDX-License-Identifier: Apache-2.0
"""The crossbar joins inputs in two ways, by their number; each of its mutants is refuted."""

import pytest

from prove import prove

FILES = [f"rtl/switch/xt_crossbar{name}.sv" for name in ("_merge", "_select", "")]
CROSSBAR = ("crossbar_proof", [*FILES, "tests/rtl/proofs/crossbar.sv"])
MUTANTS = {
    "even-for-odd": (FILES[0], r"even_i & ~word_i", "even_i & word_i"),
    "passes-on": (FILES[0], r"\(odd_i & word_i\) : word_i", "(odd_i & word_i) | word_i : word_i"),
    "no-ones-for-odd": (FILES[1], r"select\[1:0\] = '1;", "select[0] = 1'b1;"),
    "skips-the-next": (FILES[2], r"i >= o\)\?i\+1", "i > o)?i+1", 2),
    "selects-the-next": (FILES[1], r"i>=o\)\?i\+1", "i>o)?i+1", 2),
    "pair-of-the-last": (FILES[1], r"\] = 1'b1;", "] = i < Inputs - 1;"),
    "chain-of-the-rest": (FILES[1], r"i < Chain && i % 2", "i % 2"),
    "rest-in-another-order": (FILES[2], r"select\[Rest\+1\]", "select[Rest+2]"),
    "selects-at-once": (FILES[2], r"select_q\[o\*", "select_i[o*"),
}


@pytest.mark.parametrize("inputs, no_turns", [(2, 0), (5, 0), (6, 0), (7, 0), (10, 0), (3, 2), (7, 2), (8, 1)])
def test_crossbar(inputs, no_turns):
    verdict = prove(*CROSSBAR, parameters={"Inputs": inputs, "NoTurns": no_turns})
    assert verdict.holds, verdict.log[-2000:]


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refuted(name):
    mutation, no_turns = MUTANTS[name][:3], MUTANTS[name][3:] or (0,)
    verdict = prove(*CROSSBAR, cycles=5, mutation=mutation, parameters={"NoTurns": no_turns[0]})
    assert verdict.holds is False, f"nothing refutes {name}: {verdict.log[-500:]}"
