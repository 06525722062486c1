# SPDX-License-Identifier: Apache-2.0
"""The model of the run time: its cut links are those of a run, and what it works out is right where that is plain."""

import json
import sys

import pytest

from ranks import mpirun, needed
from repository import ROOT

sys.path[:0] = [str(ROOT / "sim"), str(ROOT / "sim/experiments/bench")]
import run_time_model  # noqa: E402

FREE = {"latency": 0.0, "overhead": 0.0, "gap": 0.0}
COSTS = {"step": 1e-6, "check": 0.0, "frame": 0.0, "tell": 0.0, "pack": 0.0, "imbalance": 0.0}


@needed
@pytest.mark.parametrize("spec, count", (("torus:4x4x2", 2), ("torus:3x4", 3)))
def test_cut_links_are_those_of_a_run(extorus, spec, count):
    extorus("route", spec, "--algorithm", "dor", "-o", "net.img")
    cards = run_time_model.cards_of(spec)
    borders = ",".join(str(cards * rank // count) for rank in range(1, count))
    run = json.loads(mpirun(extorus, count, "sim", "net.img", "--engine", "model", "--backdoor", "--measure", "50", "--warmup", "0", "--partition", borders,
                            "--json"))
    assert [rank["cut_links"] for rank in run["ranks"]] == run_time_model.cut_links(spec, count)[0]


@pytest.mark.parametrize("changed, network, speed_up", (
    ({}, {}, 8), ({"imbalance": 1.0}, {}, 4), ({"step": 0.0, "check": 1e-6}, {}, 1), ({"check": 1e-6}, {}, 2 / (1 + 1 / 8)),
    # An epoch of 10 cycles takes 80 us for the 8 cards of a rank, and as long again for the message.
    ({}, {"latency": 80e-6}, 4),
    # Rank 0 takes a byte from each of the 56 other cards in every cycle.
    ({"tell": 1.0}, {"gap": 1e-6}, 64 / (8 + 56))))
def test_plain_cases(changed, network, speed_up):
    costs, network = {**COSTS, **changed}, {**FREE, **network}
    time, _ = run_time_model.of_torus(costs, network, "torus:4x4x4", 8, 10)
    assert run_time_model.alone(costs, 64, 10) / time == pytest.approx(speed_up)
