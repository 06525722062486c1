# SPDX-License-Identifier: Apache-2.0
"""Parts of a simulated card rest without a clock. Each fault takes a reason to be awake away, and lock-step with the model must show it."""

import pathlib
import tempfile

import pytest

from card_variant import build, lock_step, tree_of

PROFILE, CASES = "node", 40
CARD, SWITCH = "rtl/card/xt_card.sv", "rtl/switch/xt_switch.sv"
# Fault: file, a reason to be awake, what is left without it. The other reasons are there for safety: 40 cases do not need them.
FAULTS = {
    "a frame does not wake its port": (CARD, " | link_valid_i[p] | link_active[p]", " | link_active[p]"),
    "a link under way rests": (CARD, " | link_active[p] | link_retrain[p]", " | link_retrain[p]"),
    "an output rests": (SWITCH, " | waiting_o[o] | output_active", " | waiting_o[o]"),
    "registers rest": (CARD, "init_q | registers_active | (error_event", "init_q | (error_event"),
}


@pytest.mark.long
def test_a_part_that_rests_too_early_is_seen():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tree_of(folder, [])
        build(folder, PROFILE)
        lock_step(folder, PROFILE, CASES)
        missed = []
        for fault, (file, text, wrong) in FAULTS.items():
            sound = (folder / file).read_text()
            assert sound.count(text) == 1, f"{fault}: adapt it to the RTL"
            (folder / file).write_text(sound.replace(text, wrong))
            build(folder, PROFILE)
            try:
                lock_step(folder, PROFILE, CASES)
                missed.append(fault)
            except RuntimeError:
                pass
            (folder / file).write_text(sound)
        assert missed == []
