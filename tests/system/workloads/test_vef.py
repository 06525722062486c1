# SPDX-License-Identifier: Apache-2.0
"""VEF as it is published: files made from the definition, and what the reader makes of them."""

import json
import random

import pytest

import goal_oracle
from vef_oracle import ALLGATHER, ALLREDUCE, ALLTOALL, BARRIER, BROADCAST, GATHER, NAMES, REDUCE, SCATTER, Trace, cycles, sizes


@pytest.fixture
def read(extorus):
    """(sender, receiver) -> bytes, and the labels' events, of the messages that a trace becomes."""
    def run(trace):
        (extorus.folder / "a.vef").write_text(trace if isinstance(trace, str) else trace.text())
        extorus("workload", "convert", "a.vef", "a.goal")
        pairs = {}
        for event in goal_oracle.parse((extorus.folder / "a.goal").read_text()):
            if event.kind == "send":
                pairs[event.rank, event.peer] = pairs.get((event.rank, event.peer), 0) + event.size
        return pairs

    return run


@pytest.fixture
def refuse(extorus):
    def run(text, message):
        (extorus.folder / "a.vef").write_text(text)
        extorus("workload", "check", "a.vef", status=1, stderr=message)

    return run


@pytest.fixture
def time(extorus):
    """Of a replay on eight PEs."""
    extorus("route", "torus:2x2x2", "--algorithm", "dor", "-o", "net.img")

    def run(*words):
        return json.loads(extorus(*words, "--json"))["execution_cycles"]

    return run


# ---------------------------------------------------------------- header

@pytest.mark.parametrize("version", ("", "2", "3"))
def test_the_version_may_be_missing(read, version):
    trace = Trace(2, [], version)
    trace.message(0, 1, 8)
    assert read(trace) == {(0, 1): 8}


def test_collectives_count_once_and_their_parts_apart(read, refuse):
    """A broadcast of 4 tasks: one global and 4 local collectives."""
    trace = Trace(4, [])
    trace.collective(0, BROADCAST, sizes(BROADCAST, 4, 0, [100] * 4))
    text = trace.text()
    assert text.startswith("VEF3 4 0 1 1 4 TRUE\n")
    assert sum(read(text).values()) == 300
    for counts, message in (("1 0", "a.vef:1: 0 local"), ("1 5", "a.vef:1: 5 local"), ("0 5", "a.vef:3: collective G0"),
                            ("2 4", "1 of 2 collectives"), ("5 0", "1 of 5 collectives")):
        refuse(text.replace("1 4 TRUE", f"{counts} TRUE"), message)


def test_the_flag(extorus, read, refuse):
    """True if all dependencies are on sends. Both values are read; the one that is written is right."""
    trace = Trace(3, [])
    first = trace.message(0, 1, 8)
    trace.message(0, 2, 8, 1, 10, first)
    assert trace.text().startswith("VEF3 3 2 1 0 0 TRUE")
    read(trace)
    extorus("workload", "convert", "a.goal", "b.vef")
    assert (extorus.folder / "b.vef").read_text() == trace.text()
    trace.message(1, 2, 8, 2, 10, first)
    assert trace.text().startswith("VEF3 3 3 1 0 0 FALSE")
    read(trace)
    extorus("workload", "convert", "a.goal", "b.vef")
    assert (extorus.folder / "b.vef").read_text() == trace.text()
    read(trace.text().replace("FALSE", "False"))
    refuse(trace.text().replace("FALSE", "2"), "a.vef:1: the line ends without TRUE or FALSE")
    refuse(trace.text().replace(" FALSE", ""), "a.vef:1: the line ends without TRUE or FALSE")


def test_no_dependency_is_written_as_minus_one(read, refuse):
    text = Trace(2, [])
    text.message(0, 1, 8, 0, 500, -1)
    assert read(text) == {(0, 1): 8}
    refuse(text.text().replace("500 -1", "500 -2"), "a.vef:3: \"-2\" where -1")
    refuse(text.text().replace("0 500 -1", "1 500 -1"), "a.vef:3: \"-1\" is not the number of a message")


# ---------------------------------------------------------------- times of messages

@pytest.mark.parametrize("seed", range(20))
def test_times_and_dependencies(extorus, seed):
    """All ranks on one PE at 1 GHz: what each message waits for, and how long, by the definition."""
    rng = random.Random(seed)
    ranks = rng.randrange(1, 9)
    trace, seen = Trace(ranks, [], rng.choice(("", "3"))), [[] for _ in range(ranks)]
    for i in range(rng.randrange(1, 120)):
        source, target = rng.randrange(ranks), rng.randrange(ranks)
        dep, on = rng.choice(seen[source][-6:]) if seen[source] and rng.random() < 0.9 else (0, -1)
        trace.message(source, target, rng.randrange(2000), dep, rng.randrange(3000), on)
        seen[source].append((1, i))
        seen[target].append((2, i))
    (extorus.folder / "a.vef").write_text(trace.text())
    extorus("route", "torus:4", "--algorithm", "dor", "-o", "net.img")
    for words in ((), ("--window", "500")):
        result = json.loads(extorus("workload", "replay", "net.img", "a.vef", "--clock", "1000", "--tasks-per-pe", "8", "--json", *words))
        assert result["ok"] and result["execution_cycles"] == cycles(trace.text())


def test_a_collective_waits_and_is_waited_for(extorus):
    """A barrier whose last task enters at 7,000; a message 300 after it."""
    trace = Trace(4, [[3, 1]])
    first = trace.message(3, 0, 8, 0, 4000)
    barrier = trace.collective(1, BARRIER, [(0, 0), (0, 0)], [(1, 2999, first), (0, 500, -1)])
    trace.message(1, 2, 8, 3, 300, barrier)
    (extorus.folder / "a.vef").write_text(trace.text())
    extorus("route", "torus:4", "--algorithm", "dor", "-o", "net.img")
    result = json.loads(extorus("workload", "replay", "net.img", "a.vef", "--clock", "1000", "--tasks-per-pe", "4", "--json"))
    # 4,000 + 1 for the first message, 2,999 more, 1 for the barrier's two messages, 300, and 1 for the last message.
    assert result["ok"] and result["execution_cycles"] == 7000 + 1 + 300 + 1


# ---------------------------------------------------------------- sizes of collectives

@pytest.mark.parametrize("operation", range(8))
@pytest.mark.parametrize("size", (1, 600, 12000))
def test_one_size_for_all(extorus, time, operation, size):
    """The same cycles as the collective by its name, whose bytes are those of a vector or a block."""
    rng = random.Random(size + operation)
    for tasks in (2, 5, 8):
        root = rng.randrange(tasks) if operation in (BROADCAST, REDUCE, GATHER, SCATTER) else 0
        trace = Trace(tasks, [])
        trace.collective(0, operation, sizes(operation, tasks, root, [size] * tasks))
        (extorus.folder / "a.vef").write_text(trace.text())
        named = ["collective", NAMES[operation], "--ranks", str(tasks), "--on", "net.img"]
        named += [] if operation == BARRIER else ["--bytes", str(size)]
        named += ["--root", str(root)] if operation in (BROADCAST, REDUCE, GATHER, SCATTER) else []
        assert time("workload", "replay", "net.img", "a.vef") == time(*named), (tasks, root)


def expected(operation, tasks, root, blocks):
    if operation == GATHER:
        return {(task, root): blocks[task] for task in range(tasks) if task != root and blocks[task]}
    if operation == SCATTER:
        return {(root, task): blocks[task] for task in range(tasks) if task != root and blocks[task]}
    if operation == ALLGATHER:  # a ring: each rank passes on all blocks but the next one's own
        return {(task, (task + 1) % tasks): sum(blocks) - blocks[(task + 1) % tasks] for task in range(tasks)}
    return {(task, to): blocks[task] for task in range(tasks) for to in range(tasks) if to != task}


@pytest.mark.parametrize("operation", (GATHER, SCATTER, ALLGATHER, ALLTOALL))
@pytest.mark.parametrize("seed", range(5))
def test_a_size_for_each_task(read, operation, seed):
    rng = random.Random(seed)
    tasks = rng.randrange(2, 9)
    ranks = rng.sample(range(12), tasks)
    root, blocks = rng.randrange(tasks), [rng.choice((0, 1, 70, 4000)) for _ in range(tasks)]
    blocks[:2] = (30, 31)
    trace = Trace(12, [ranks])
    trace.collective(1, operation, sizes(operation, tasks, root, blocks))
    assert read(trace) == {(ranks[a], ranks[b]): bytes for (a, b), bytes in expected(operation, tasks, root, blocks).items()}


def test_three_ways_to_say_alltoall(read):
    """recv_size 0: send_size to each task. 1: send_size divided among all tasks. More: both are totals."""
    for sizes_of_tasks, block in (([(100, 0)] * 4, 100), ([(100, 1)] * 4, 25), ([(100, 100)] * 4, 25)):
        trace = Trace(4, [])
        trace.collective(0, ALLTOALL, sizes_of_tasks)
        assert read(trace) == {(a, b): block for a in range(4) for b in range(4) if a != b}
    trace = Trace(3, [])
    trace.collective(0, ALLTOALL, [(8, 1), (100, 1), (0, 1)])  # what cannot be divided goes to the first tasks
    assert {pair: bytes for pair, bytes in read(trace).items() if bytes} == {(0, 1): 3, (0, 2): 2, (1, 0): 34, (1, 2): 33}


@pytest.mark.parametrize("operation", (BROADCAST, ALLREDUCE, ALLTOALL, GATHER))
def test_nothing_to_send(read, operation):
    trace = Trace(3, [])
    trace.collective(0, operation, [(0, 0)] * 3)
    assert read(trace) == {}


@pytest.mark.parametrize("operation, sizes_of_tasks, task", (
    (BROADCAST, [(8, 0), (8, 0), (0, 8)], 1), (BROADCAST, [(8, 0), (0, 8), (0, 9)], 2), (BROADCAST, [(8, 8), (0, 8), (0, 8)], 0),
    (REDUCE, [(8, 0), (0, 8), (9, 0)], 2), (REDUCE, [(8, 0), (8, 8), (8, 0)], 1), (ALLREDUCE, [(8, 8), (8, 8), (8, 4)], 2),
    (GATHER, [(8, 23), (8, 0), (8, 0)], 0), (GATHER, [(8, 24), (8, 1), (8, 0)], 1), (SCATTER, [(20, 8), (0, 8), (0, 8)], 0),
    (ALLGATHER, [(8, 24), (8, 24), (8, 16)], 2), (BARRIER, [(0, 0), (0, 0), (1, 0)], 2), (ALLTOALL, [(8, 8), (8, 8), (8, 9)], 0)))
def test_sizes_that_contradict_each_other(refuse, operation, sizes_of_tasks, task):
    trace = Trace(3, [])
    trace.collective(0, operation, sizes_of_tasks)
    sent, received = sizes_of_tasks[task]
    refuse(trace.text(), f"a.vef:{3 + task}: task {task} sends {sent} bytes and receives {received}; in a")


@pytest.mark.parametrize("seed", range(10))
def test_a_trace_of_everything(extorus, read, seed):
    """Messages and collectives of random communicators, each task's next record after its last one: replays without a finding,
    and sums of bytes that are the definition's where there is one way to send them."""
    rng = random.Random(seed)
    ranks = rng.randrange(2, 8)
    trace = Trace(ranks, [rng.sample(range(ranks), rng.randrange(1, ranks + 1)) for _ in range(3)], rng.choice(("", "3")))
    last = [(0, -1)] * ranks
    for _ in range(40):
        if rng.random() < 0.6:
            source, target = rng.randrange(ranks), rng.randrange(ranks)
            dep, on = last[source]
            number = trace.message(source, target, rng.randrange(3000), dep, rng.randrange(100), on)
            last[source] = (1, number)
            last[target] = (2, number) if target != source else (1, number)
        else:
            communicator = rng.randrange(4)
            members = trace.communicators[communicator]
            operation = rng.choice((GATHER, SCATTER, ALLTOALL))
            root, blocks = rng.randrange(len(members)), [rng.randrange(1, 400) for _ in members]
            number = trace.collective(communicator, operation, sizes(operation, len(members), root, blocks),
                                      [(last[rank][0], rng.randrange(100), last[rank][1]) for rank in members])
            for rank in members:
                last[rank] = (3, number)
    read(trace)
    extorus("route", "torus:8", "--algorithm", "dor", "-o", "net.img")
    result = json.loads(extorus("workload", "replay", "net.img", "a.vef", "--json"))
    assert result["ok"] and sum(result[f"critical_{part}_cycles"] for part in ("transfer", "calculation", "send", "waiting")) == \
        result["execution_cycles"]
