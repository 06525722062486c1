# SPDX-License-Identifier: Apache-2.0
"""A card of two iterations of iSLIP: built, equal to its model, and no slower than one of one iteration."""

import pytest

from islip_iterations import figures_of, measure
from repository import ROOT


@pytest.mark.long
def test_two_iterations():
    one, two = measure(ROOT / "build/tests/switch-mini"), figures_of(2)
    for name in one:
        assert two[name] >= one[name] - 0.01, (name, one, two)
    assert sum(two[name] - one[name] for name in one if name.startswith("uniform")) > 0.03, (one, two)
