# SPDX-License-Identifier: Apache-2.0
"""The model of the run time: its cut links are those of a run, and what it works out is right where that is plain."""

import json
import sys

import pytest

from ranks import mpirun, needed
from repository import ROOT

sys.path[:0] = [str(ROOT / "sim"), str(ROOT / "sim/experiments/bench")]
import run_shared  # noqa: E402
import run_time_model  # noqa: E402

FREE = {"latency": 0.0, "overhead": 0.0, "gap": 0.0}
COSTS = {"step": 1e-6, "check": 0.0, "frame": 0.0, "tell": 0.0, "pack": 0.0, "imbalance": 0.0}


@needed
@pytest.mark.parametrize("spec, count", (("torus:4x4x2", 2), ("torus:3x4", 3), ("torus:5x4", 5)))
def test_cut_links_are_those_of_a_run(extorus, spec, count):
    extorus("route", spec, "--algorithm", "dor", "-o", "net.img")
    cards = run_time_model.cards_of(spec)
    run = json.loads(mpirun(extorus, count, "sim", "net.img", "--engine", "model", "--backdoor", "--measure", "50", "--warmup", "0", "--json"))
    firsts = run_time_model.borders(cards, count, run_time_model.CHECKS["model"])
    assert [rank["cards"] for rank in run["ranks"]] == [end - first for first, end in zip(firsts, firsts[1:])]
    assert [rank["cut_links"] for rank in run["ranks"]] == run_time_model.cut_links(spec, firsts)[0]


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


def run_line(cycles, way="2 ranks", program="one", step=1e-6):
    """A run of 8 cards on two ranks, whose steps take so long each."""
    rank = {"cards": 4, "cut_links": 4, "epochs": cycles // 10, "bytes": 4 * cycles, "stepping_seconds": 4 * cycles * step, "checking_seconds": 0.0,
            "packing_seconds": 0.0, "waiting_seconds": 0.0}
    return {"key": ["rtl", "torus:4x2", "dor", 0.2, cycles, way, 0, program], "cycles": cycles, "cards": 8, "busy": 0.0, "wall_seconds": 8 * cycles * step,
            "ranks": [rank, rank]}


def work_out(folder, monkeypatch):
    monkeypatch.setattr(run_time_model, "message_times", lambda folder: None)
    return run_time_model.work_out(folder, FREE, {"rtl": 9})["results"]


@pytest.mark.parametrize("short_first", (True, False))
def test_shorter_runs_do_not_mix_with_full_ones(tmp_path, monkeypatch, short_first):
    runs = [[run_line(cycles, way) for way in ("1 thread", "2 ranks")] for cycles in (1000, 8000)]
    lines = [json.dumps(run) for some in (runs if short_first else runs[::-1]) for run in some]
    (tmp_path / "shared.runs.jsonl").write_text("\n".join(lines) + "\n")
    (found,) = work_out(tmp_path, monkeypatch)
    assert found["costs"]["cycles"] == 8000 and found["costs"]["step"] == pytest.approx(1e-6)


def test_the_last_program_counts(tmp_path, monkeypatch):
    runs = [run_line(8000, way, program, step) for program, step in (("old", 1e-6), ("new", 3e-6)) for way in ("1 thread", "2 ranks")]
    (tmp_path / "shared.runs.jsonl").write_text("".join(json.dumps(run) + "\n" for run in runs))
    (found,) = work_out(tmp_path, monkeypatch)
    assert found["costs"]["step"] == pytest.approx(3e-6)


def test_after_a_line_that_was_cut_off(tmp_path, monkeypatch):
    path, started = tmp_path / "shared.runs.jsonl", []
    said = {**run_line(8000), "key": None, "card_cycles_per_second": 1.0}

    def extorus(ranks, *words):
        started.append(ranks)
        return json.dumps(said)

    monkeypatch.setattr(run_shared, "extorus", extorus)
    monkeypatch.setattr(run_shared, "program", lambda: "one")
    key = tuple(run_line(8000)["key"][:7])
    one = (*key[:5], "1 thread", 0)
    run_shared.Runs(path).get(one, (), 0)
    path.write_text(path.read_text() + json.dumps(run_line(8000))[:40])
    run_shared.Runs(path).get(key, (), 2)
    again = run_shared.Runs(path)
    again.get(one, (), 0)
    again.get(key, (), 2)
    assert started == [0, 2] and len(work_out(tmp_path, monkeypatch)) == 1
    monkeypatch.setattr(run_shared, "program", lambda: "another")
    run_shared.Runs(path).get(key, (), 2)
    assert started == [0, 2, 2]


def test_rows_of_other_cases_stay():
    def row(case, load, speed):
        return {**dict(zip(("engine", "network", "routing"), case)), "load": load, "speed": speed}

    first, *others = run_shared.CASES
    before = [row(case, load, 1) for case in run_shared.CASES for load in run_shared.LOADS]
    rows = run_shared.with_others([row(first, load, 2) for load in run_shared.LOADS], before)
    assert rows == [row(first, load, 2) for load in run_shared.LOADS] + [row(case, load, 1) for case in others for load in run_shared.LOADS]
