# SPDX-License-Identifier: Apache-2.0
"""Workloads on threads and ranks: result, critical path and timeline of one process."""

import json
import random

import pytest

from ranks import mpirun, needed

NETWORKS = (("torus:4x4x2", "dor"), ("twin:2x2x2x2", "ts-dor"), ("torus:4x4", "dor", "--adaptive"), ("torus:12", "dor"),
            ("torus:4x4", "dor", "--profile", "mini"), ("mesh:6x3~5", "layered"))
SHORT = ("random", "halo", "fft")
KINDS = ("random", "halo", "fft", "graph", "cg", "is", "graph500", "randomaccess", "training")


def case(number, kinds=KINDS):
    """A network, a program and the words of a replay."""
    draw = random.Random(number)
    program = [draw.choice(kinds), "--ranks", draw.choice((8, 12)), "--rounds", draw.choice((1, 2))]
    program += ["--compute", draw.choice((0, 300, 5000)), "--seed", number] if program[0] in KINDS[:4] else []
    program += ["--bytes", draw.choice((0, 64, 1500))] if program[0] in KINDS[:4] else []
    program += ["--class", "S"] if program[0] in ("cg", "is") else ["--levels", 2] if program[0] == "graph500" else []
    program += ["--tensor", 2, "--pipeline", 2, "--micro-batches", 2] if program[0] == "training" else []
    words = ["--nic-latency", draw.choice((0, 0, 1, 2, 9)), "--turnaround", draw.choice((0, 3)), "--latency", draw.choice((1, 2, 7))]
    words += draw.choice(((), ("--map", "random", "--map-seed", number), ("--tasks-per-pe", 2), ("--every-cycle",)))
    return draw.choice(NETWORKS), program, words


@pytest.fixture
def replay(extorus):
    """replay(ranks, threads, *words) -> what the command says and the timeline."""

    def one(ranks, threads, *words):
        words = ("workload", "replay", "net.img", *map(str, words), "--json", "--threads", str(threads), "--timeline", "run.svg")
        result = json.loads(mpirun(extorus, ranks, *words) if ranks > 1 else extorus(*words))
        return result, (extorus.folder / "run.svg").read_text()

    return one


def same(extorus, replay, drawn, ways):
    (spec, algorithm, *more), program, words = drawn
    extorus("route", spec, "--algorithm", algorithm, *more, "-o", "net.img")
    extorus("workload", "generate", *map(str, program), "-o", "a.goal")
    one = replay(1, 1, "a.goal", *words)
    assert one[0]["ok"] and one[0]["messages"] > 0
    for ranks, threads in ways:
        assert replay(ranks, threads, "a.goal", *words) == one, (drawn, ranks, threads)


@pytest.mark.parametrize("number", range(4))
def test_a_replay_on_threads_is_that_on_one(extorus, replay, number):
    same(extorus, replay, case(number, SHORT), ((1, 2 + number % 2),))


@needed
@pytest.mark.parametrize("number", range(4))
def test_a_replay_on_ranks_is_that_of_one_process(extorus, replay, number):
    same(extorus, replay, case(number + 50, SHORT), ((2 + number % 2, 1),))


@needed
@pytest.mark.long
@pytest.mark.parametrize("number", range(100, 160))
def test_replays_are_those_of_one_process(extorus, replay, number):
    same(extorus, replay, case(number), ((1, 2), (2, 1), (3, 2), (5, 1)))
