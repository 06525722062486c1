# SPDX-License-Identifier: Apache-2.0
"""The crossbar joins inputs in two ways, by their number; each of its mutants is refuted."""

import pytest

from prove import prove

FILES = [f"rtl/switch/xt_crossbar{name}.sv" for name in ("_merge", "_select", "")]
CROSSBAR = ("crossbar_proof", [*FILES, "tests/rtl/proofs/crossbar.sv"])
MUTANTS = {
    "even-for-odd": (FILES[0], r"even_i & ~word_i", "even_i & word_i"),
    "passes-on": (FILES[0], r"\{Bits\{~merge_i\}\} & word_i", "{Bits{1'b1}} & word_i"),
    "no-ones-for-odd": (FILES[1], r"select\[1:0\] = '1;", "select[0] = 1'b1;"),
    "pair-of-the-last": (FILES[1], r"select\[1\+i/2\] = 1'b1;", "select[1+i/2] = i < Inputs - 1;"),
}


@pytest.mark.parametrize("inputs", [2, 5, 6, 7, 10])
def test_crossbar(inputs):
    verdict = prove(*CROSSBAR, parameters={"Inputs": inputs})
    assert verdict.holds, verdict.log[-2000:]


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refuted(name):
    verdict = prove(*CROSSBAR, cycles=5, mutation=MUTANTS[name])
    assert verdict.holds is False, f"nothing refutes {name}: {verdict.log[-500:]}"
