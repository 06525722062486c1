# SPDX-License-Identifier: Apache-2.0
"""Inputs that soon ask for an output alone that is never free in time. The card's 128 packets hardly ever pass in a random case."""

import pathlib
import tempfile

import pytest

from card_variant import build, change, lock_step, tree_of

PROFILE, CASES = "extoll_small", 60
RTL = ("rtl/switch/xt_input_scheduler.sv", r"int Patience = \d+", "int Patience = 4")
MODEL = "sim/model/card/input_requests.h"


@pytest.mark.long
def test_model_insists_as_the_card_does():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tree_of(folder, [RTL, (MODEL, r"PATIENCE = \d+", "PATIENCE = 4")])
        build(folder, PROFILE)
        lock_step(folder, PROFILE, CASES)
        change(folder, [(MODEL, "PATIENCE = 4", "PATIENCE = 128")])
        build(folder, PROFILE)
        with pytest.raises(RuntimeError, match="differ"):
            lock_step(folder, PROFILE, CASES)
