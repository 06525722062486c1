# SPDX-License-Identifier: Apache-2.0
"""Captured messages are those that Open MPI's monitoring counts, pair by pair, for each kind of call."""

import itertools
import json
import shutil
import subprocess

import pytest

from mpi import MONITOR, calculated, counted, minus, mpirun, needed, sent
from repository import ROOT

pytestmark = needed
OWN = ["blocking", "wait", "waitall", "waitany", "waitsome", "test", "testall", "testany", "testsome", "persistent", "probes",
       "communicators"]
# All messages of these components are known; theirs go by algorithms that do not change with sizes.
BASIC = {"coll": "basic,libnbc,self,inter,monitoring"}
COLLECTIVES = ["barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "gatherv", "scatterv", "scan"]
TUNED = {"coll": "tuned,basic,libnbc,self,inter,monitoring", "coll_tuned_use_dynamic_rules": 1}
# Those of which the basic component sends by persistent requests, or halves: an algorithm of the tuned one.
FORCED = {"alltoall": {"coll_tuned_alltoall_algorithm": 2}, "alltoallv": {"coll_tuned_alltoallv_algorithm": 2},
          "reduce_scatter": {"coll_tuned_reduce_scatter_algorithm": 1, "coll_tuned_reduce_scatter_block_algorithm": 1,
                             "coll_tuned_reduce_algorithm": 1, "coll_tuned_scatter_algorithm": 1}}


def ring(ranks, right, left):
    """Each sends so many messages and bytes to its right and to its left."""
    return {pair: value for r in range(ranks) for pair, value in (((r, (r + 1) % ranks), right), ((r, (r - 1) % ranks), left))}


# By hand, where the monitoring counts what MPI sends to make communicators, or leaves persistent requests out, or fails.
BY_HAND = {
    ("persistent", 4): ring(4, (4, 80), (3, 63)), ("persistent", 5): ring(5, (4, 80), (3, 63)),
    ("communicators", 4): {(0, 1): (4, 40 + 41 + 44 + 45), (1, 0): (1, 44), (1, 2): (3, 40 + 41 + 45), (1, 3): (1, 43),
                           (2, 1): (1, 43), (2, 3): (4, 40 + 41 + 44 + 45), (3, 0): (3, 40 + 41 + 45), (3, 2): (2, 43 + 44)},
}


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    program = tmp_path_factory.mktemp("calls") / "calls"
    subprocess.run(["mpicc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-D_GNU_SOURCE", ROOT / "tests/system/capture/calls.c",
                    "-o", program], check=True)
    return program


def monitored(folder, ranks, program, kind, **mca):
    folder.mkdir()
    said = mpirun(folder, ranks, program, kind, mca={**MONITOR, **mca})
    assert "run.goal, of the files in" in said
    return folder


@pytest.mark.parametrize("kind", OWN)
@pytest.mark.parametrize("ranks", [4, 5])
def test_own_messages(extorus, tmp_path, calls, kind, ranks):
    if kind == "communicators" and ranks == 5:
        pytest.skip("its grid has two columns")
    folder = monitored(tmp_path / "a", ranks, calls, kind)
    found = sent(folder / "run.goal", True)
    assert found and found == BY_HAND.get((kind, ranks), counted(folder, "E"))
    extorus("workload", "check", str(folder / "run.goal"))


@pytest.fixture(scope="module")
def idle(tmp_path_factory, calls):
    """What MPI sends for itself in a program that calls nothing."""
    return {(ranks, rules["coll"]): counted(monitored(tmp_path_factory.mktemp("idle") / "a", ranks, calls, "nothing", **rules), "I")
            for ranks in (4, 5) for rules in (BASIC, TUNED)}


def merged(extorus, folder):
    extorus("workload", "merge", str(folder / "run.goal.ranks"), "-o", "b.goal", "--rules", "basic")
    return sent(extorus.folder / "b.goal", False)


@pytest.mark.parametrize("kind, ranks", [*itertools.product(COLLECTIVES, (4, 5)), ("alltoall", 4), ("alltoall", 5), ("alltoallv", 4),
                                         ("alltoallv", 5), ("reduce_scatter", 4)])
def test_messages_of_collectives(extorus, tmp_path, calls, idle, kind, ranks):
    rules = {**TUNED, **FORCED[kind]} if kind in FORCED else BASIC
    folder = monitored(tmp_path / "a", ranks, calls, kind, **rules)
    found = merged(extorus, folder)
    assert found and found == minus(counted(folder, "I"), idle[ranks, rules["coll"]])


def test_all_to_all_of_several_types(extorus, tmp_path, calls):
    mpirun(tmp_path, 5, calls, "alltoallw")
    assert sent(tmp_path / "run.goal", False) == {(r, s): (1, 4 * (1 + r + 2 * s) * (2 if r % 2 == s % 2 else 1))
                                                  for r in range(5) for s in range(5) if r != s}


def test_neighbours(extorus, tmp_path, calls):
    mpirun(tmp_path, 5, calls, "neighbours")
    found = sent(tmp_path / "run.goal", False)
    # A line of ranks: to the left comes first. Then a ring to the right.
    expected = {pair: value for pair, value in ring(5, (4, 70 + 8 + 71 + 72), (2, 70 + 4)).items() if pair not in ((0, 4), (4, 0))}
    assert found == {**expected, (4, 0): (2, 71 + 72)}


def test_collectives_that_do_not_block(extorus, tmp_path, calls):
    folder = monitored(tmp_path / "a", 4, calls, "nonblocking_collectives")
    assert sent(folder / "run.goal", True) == counted(folder, "E") == {(r, 0): (1, 62) for r in (1, 2, 3)}
    # The broadcast, the vectors that are gathered, and the alltoall are told by their sizes.
    sizes = [int(line.split()[2][:-1]) for line in (folder / "run.goal").read_text().splitlines() if " send " in line and line.endswith("tag 0")]
    assert sizes.count(60) == 3 and [sizes.count(4 * (1 + r)) for r in (1, 2)] == [1, 1] and sizes.count(16) == 12 + 1
    assert json.loads(extorus("workload", "stats", str(folder / "run.goal"), "--json"))["ranks"] == 4


@pytest.mark.skipif(not shutil.which("mpif90"), reason="no mpif90")
def test_fortran(extorus, tmp_path):
    subprocess.run(["mpif90", ROOT / "tests/system/capture/calls.f90", "-o", "calls"], cwd=tmp_path, check=True)
    mpirun(tmp_path, 5, "./calls")
    assert sent(tmp_path / "run.goal", True) == ring(5, (2 + 2 + 1, 4 * (10 + 11 + 5) + 2 * 24), (1, 48))
    # 24 bytes are reduced; of 8 bytes for each rank all get all; a vector is gathered.
    calls = [[line.split() for line in path.read_text().splitlines() if line.startswith("B")]
             for path in sorted((tmp_path / "run.goal.ranks").iterdir())]
    assert [[(words[4], words[7]) for words in rank] for rank in calls] == [
        [("0", "0"), ("0", "0"), ("3", "24"), ("6", "8"), ("8", str(4 * (r + 1)))] for r in range(5)]
    extorus("workload", "check", "run.goal")


def test_computation_is_the_time_outside_mpi(tmp_path, calls):
    mpirun(tmp_path, 4, calls, "compute")
    found = calculated(tmp_path / "run.goal")
    assert all(found[rank] >= 100_000_000 * (rank + 1) for rank in range(4))
    assert found[0] < 390_000_000, "rank 0 waits for rank 3 for so long, which is no computation"


def test_nothing_is_lost_when_a_rank_is_killed(extorus, tmp_path, calls):
    said = mpirun(tmp_path, 4, calls, "killed", status=None)
    assert "signal 9" in said and not (tmp_path / "run.goal").exists()
    said = extorus("workload", "merge", str(tmp_path / "run.goal.ranks"), "-o", "run.goal")
    assert "4 ranks that ended without MPI_Finalize" in said
    assert sent(tmp_path / "run.goal", True) == {(r, (r + 1) % 4): (100, 5050) for r in range(4)}
    extorus("workload", "check", "run.goal")


def test_replays_on_torus_and_twin(extorus, tmp_path, calls):
    folder = monitored(tmp_path / "a", 32, calls, "waitall")
    for network, algorithm in (("torus:4x4x2", "dor"), ("twin:2x2x2x2", "dort")):
        extorus("route", network, "--algorithm", algorithm, "-o", "a.img")
        found = json.loads(extorus("workload", "replay", "a.img", str(folder / "run.goal"), "--json"))
        assert found["ok"]
        assert found["messages"] == sum(n for n, _ in [*sent(folder / "run.goal", True).values(), *sent(folder / "run.goal", False).values()])


def test_into_vef(extorus, tmp_path, calls):
    mpirun(tmp_path, 4, calls, "blocking", capture="run.vef")
    extorus("workload", "check", "run.vef")


def test_a_send_that_is_not_captured_is_seen(extorus, tmp_path, calls):
    """The comparison with the monitoring fails for a trace that lacks one message."""
    folder = monitored(tmp_path / "a", 4, calls, "waitall")
    path = folder / "run.goal.ranks/2"
    lines = path.read_text().splitlines(keepends=True)
    lost = next(i for i, line in enumerate(lines) if line[0] == "S")
    transfer = lines[lost].split()[2]
    over = next(i for i, line in enumerate(lines) if i > lost and line.split()[0] == "D" and line.split()[2:] == [transfer])
    path.write_text("".join(line for i, line in enumerate(lines) if i not in (lost, over)))
    extorus("workload", "merge", str(folder / "run.goal.ranks"), "-o", "b.goal")
    found = sent(tmp_path / "b.goal", True)
    assert found != counted(folder, "E") and sum(n for n, _ in found.values()) == 4 * 3 - 1


def test_files_may_be_left_to_the_command(tmp_path, calls):
    mpirun(tmp_path, 4, calls, "blocking", env={"EXTORUS_CAPTURE_MERGE": "0"})
    assert not (tmp_path / "run.goal").exists() and (tmp_path / "run.goal.ranks/3").exists()
