# SPDX-License-Identifier: Apache-2.0
"""One network of Verilated cards on several threads and ranks: result, log and counters of one thread; faults are named."""

import json
import random
import shutil
import signal
import subprocess
import time

import pytest

import ranks
from ranks import TIMING, mpirun, needed
from repository import ROOT

NETWORKS = (("torus:4x4", "mini"), ("torus:3x2", "mini"), ("torus:6", "ring"), ("torus:3x3", "node"), ("torus:4x2", "extoll"))
# Only links of these have a link layer, which repairs what is broken.
REPAIRED = ("node", "extoll")


def case(number):
    """A network, and words of a run."""
    draw = random.Random(number)
    spec, profile = NETWORKS[number % len(NETWORKS)]
    words = ["--load", draw.choice((0.1, 0.5, 1.0)), "--seed", number, "--measure", draw.randrange(50, 150), "--warmup", draw.choice((0, 40)),
             "--packet", draw.choice((1, 4, "1-4")), "--latency", draw.choice((1, 2, 8)), "--watchdog", 900]
    kinds = ("none", "errors", "kill", "credit", "flip", "stall") if profile in REPAIRED else ("none", "stall")
    card, port, cycle = draw.randrange(4), draw.randrange(2), draw.randrange(20, 90)
    words += {"none": (), "errors": ("--error-rate", 0.01), "stall": ("--nic-stall", "1/4"),
              "kill": ("--fault", f"kill-link:{card},{port},{cycle}"), "credit": ("--fault", f"drop-credit:{card},{port},{cycle % 20}"),
              "flip": ("--fault", f"flip-bit:{card},{port},{cycle},50")}[draw.choice(kinds)]
    return spec, profile, words


@pytest.fixture
def network(extorus):
    def make(spec, profile="mini"):
        extorus("route", spec, "--algorithm", "dor", "--profile", profile, "-o", "net.img")
        return "net.img"

    return make


@pytest.fixture
def run(extorus):
    return ranks.runner(extorus, "rtl")


def same(network, run, number, counts, threads):
    spec, profile, options = case(number)
    image = network(spec, profile)
    one = run(0, image, *options)
    assert one[0]["packets_sent"] > 0
    for count in counts:
        for thread in threads:
            assert run(count, image, *options, "--threads", thread) == one, (spec, profile, count, thread, options)


@pytest.mark.parametrize("number", (*range(5), 103))
def test_threads_give_the_result_of_one(network, run, number):
    same(network, run, number, (0,), (2 + number % 2,))


@needed
@pytest.mark.parametrize("number", range(5, 10))
def test_ranks_give_the_result_of_one(network, run, number):
    same(network, run, number, (2 + number % 2,), (1 + number % 4 // 3,))


# Packets circle, so that frames cross the cuts while rank 0 reads the cards. The links repair errors meanwhile, and one is killed.
@needed
@pytest.mark.parametrize("cards, profile, count, options", (
    (4, "node", 2, ("--latency", 8)), pytest.param(6, "node", 2, (), marks=pytest.mark.long),
    pytest.param(6, "node", 3, ("--error-rate", 0.02, "--threads", 2), marks=pytest.mark.long),
    pytest.param(6, "node", 3, ("--fault", "kill-link:3,0,105"), marks=pytest.mark.long)))
def test_ranks_that_end_in_a_livelock(network, run, cards, profile, count, options):
    words = (network(f"torus:{cards}", profile), "--load", 0.05, "--measure", 60, "--warmup", 0, "--watchdog", 900,
             "--fault", f"swap-entry:0,1,{cards - 1}", *options)
    one = run(0, *words, status=1)
    assert one[0]["livelock"] == 1
    assert run(count, *words, status=1) == one


@needed
@pytest.mark.long
@pytest.mark.parametrize("number", range(100, 140))
def test_results_are_those_of_one(network, run, number):
    same(network, run, number, (0, 1, 2, 3), (1, 2))


@needed
def test_several_loads_and_a_partition(extorus, network):
    words = ("sim", network("torus:4x4"), "--backdoor", "--json", "--measure", "60", "--load", "0.1,0.6", "--latency", "8")
    one, three = json.loads(extorus(*words)), json.loads(mpirun(extorus, 3, *words, "--partition", "3,10"))
    assert [rank["cards"] for rank in three[0]["ranks"]] == [3, 7, 6]
    assert all(rank["bytes"] > 0 and rank["epochs"] == three[0]["ranks"][0]["epochs"] > 0 for rank in three[0]["ranks"])
    # Frames go out once in latency + 1 cycles, and at the end more often.
    assert three[1]["ranks"][0]["epochs"] < three[1]["cycles"] / 3
    for result in one + three:
        for key in TIMING:
            result.pop(key, None)
    assert one == three and len(one) == 2


def test_a_workload_on_threads(extorus, network):
    image = network("torus:4x2")
    extorus("workload", "generate", "halo", "--ranks", "8", "--rounds", "2", "-o", "halo.goal")
    one, two = (json.loads(extorus("workload", "replay", image, "halo.goal", "--engine", "rtl", "--json", "--threads", threads))
                for threads in ("1", "2"))
    for result in one, two:
        for key in TIMING:
            result.pop(key, None)
    assert one == two


@needed
def test_what_ranks_cannot_do_is_refused(extorus, network):
    image = network("torus:4x2")
    extorus("workload", "generate", "halo", "--ranks", "8", "--rounds", "2", "-o", "halo.goal")
    mpirun(extorus, 2, "workload", "replay", image, "halo.goal", "--engine", "rtl", status=2,
           stderr="engine rtl does not distribute a workload over ranks")


@needed
def test_waves_are_refused_before_their_file(extorus, network):
    (extorus.folder / "old.fst").write_text("kept")
    mpirun(extorus, 2, "sim", network("torus:4x2"), "--measure", "50", "--wave", "old.fst", status=2, stderr="waves are written by one process")
    assert (extorus.folder / "old.fst").read_text() == "kept" and not (extorus.folder / "old.gtkw").exists()


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """A folder of plug-ins in which that for MPI has a fault."""
    folder = tmp_path_factory.mktemp("plugins")
    shutil.copy(ROOT / "build/plugins/extorus-cosim-mini.so", folder)
    subprocess.run(["mpicc", "-std=c11", "-D_GNU_SOURCE", "-fPIC", "-shared", "-DHEAD=24", "-DCARD=8", f"-I{ROOT}/host", f"-I{ROOT}/host/lib",
                    ROOT / "tests/system/cluster/faulty_mpi.c", "-o", folder / "extorus-mpi.so"], check=True)
    return folder


@needed
@pytest.mark.parametrize("fault, message", (("message", "comes late or early in"), ("cell", "a frame comes too late"),
                                            ("card", "it sends what is for another rank's card"), ("none", None)))
def test_seeded_faults_between_ranks_are_named(extorus, network, faulty, fault, message):
    words = (extorus.command, "sim", network("torus:4x4"), "--backdoor", "--load", "0.5", "--measure", "300")
    code, _, err = ranks.ended(extorus.folder, "-n", 2, "-x", f"EXTORUS_PLUGIN_DIR={faulty}", "-x", f"FAULT={fault}", *words)
    assert code == (1 if message else 0), err
    assert not message or (message in err and "rank " in err.split(message)[0]), err


@needed
def test_wrong_partition_is_named(extorus, network):
    words = (extorus.command, "sim", network("torus:4x4"), "--backdoor")
    code, _, err = ranks.ended(extorus.folder, "-n", 1, *words, "--partition", "8", ":", "-n", 1, *words, "--partition", "4")
    assert code == 1 and "rank 1: it has another partition, network or profile" in err, err


@needed
@pytest.mark.long
def test_a_silent_rank_is_named(extorus, network):
    words = ("sim", network("torus:4x4"), "--backdoor", "--load", "0.5", "--measure", "10000000", "--rank-timeout", "2")
    job = ranks.start(extorus.folder, "-n", 2, extorus.command, *words)
    found = []
    while job.poll() is None and len(found) < 2:
        found = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True, check=False).stdout.split()
    time.sleep(2)
    subprocess.run(["kill", f"-{int(signal.SIGSTOP)}", found[1]], check=True)
    _, err = job.communicate(timeout=120)
    assert job.returncode != 0 and "rank 0 has heard nothing of rank 1 for 2 s" in err
