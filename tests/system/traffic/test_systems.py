# SPDX-License-Identifier: Apache-2.0
"""Each network of the list "Systems" in the README, at full load on the fast model: nothing stalls, and the cards drain."""

import pytest

FULL = ("--load", 1, "--packet", 4, "--warmup", 300, "--measure", 1500)


@pytest.mark.parametrize("spec, words", [
    ("mesh:8x8", []), ("mesh:8x8", ["--fold-vcs", "1"]), ("mesh:8x8", ["--adaptive"]), ("mesh:4x4x4", []), ("mesh:16", ["--fold-vcs", "1"])])
def test_saturated_mesh(network, sim, spec, words):
    result, _ = sim(network(spec, *words, algorithm="dor"), *FULL)
    assert result["saturated"] and result["drained"] and result["ok"]
