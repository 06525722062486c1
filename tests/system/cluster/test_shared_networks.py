# SPDX-License-Identifier: Apache-2.0
"""One network on several ranks of the fast model: result, log and counters of one process; faults between ranks are named."""

import json
import os
import random
import shutil
import signal
import subprocess
import time

import pytest

import ranks
from ranks import TIMING, mpirun, needed
from repository import ROOT

pytestmark = needed
NETWORKS = (("torus:4x4x2",), ("torus:5x3x2",), ("twin:2x2x2x2",), ("torus:12",), ("mesh:6x3~5",), ("torus:4x4", "--profile", "mini"),
            ("torus:4x4", "--adaptive"), ("twin:4x2", "--adaptive"))
PATTERNS = ("uniform", "zipf", "hot-region")


def fitting(spec, words):
    """A packet of profile mini has four cells at most."""
    return spec, [{16: 4, "1-8": "1-4"}.get(word, word) for word in words] if "mini" in spec else words


def case(number):
    """A network, and words of a run."""
    draw = random.Random(number)
    words = ["--load", draw.choice((0.05, 0.2, 0.5, 1.0)), "--measure", draw.randrange(100, 800), "--seed", number,
             "--warmup", draw.choice((0, 50, 333)), "--drain", draw.choice((300, 2000)), "--traffic", draw.choice(PATTERNS)]
    if draw.random() < 0.3:
        words += ["--latency", draw.choice((1, 7, 20))]
    if draw.random() < 0.7:
        words += ["--packet", draw.choice((1, 16, "1-8"))]
    return fitting(draw.choice(NETWORKS), words)


def broken_case(number):
    """Likewise, with what makes a run go cell by cell."""
    draw = random.Random(number)
    spec, words = draw.choice(tuple(spec for spec in NETWORKS if "mesh" not in spec[0])), ["--load", draw.choice((0.1, 0.4, 1.0)), "--seed", number]
    words += ["--measure", draw.randrange(100, 400), "--warmup", 100, "--packet", draw.choice((1, 16, "1-8")), "--traffic", draw.choice(PATTERNS)]
    extra = draw.choice(((), ("--error-rate", draw.choice((0.0005, 0.02))), ("--nic-stall", "1/4")))
    # The links of profile mini have no layer that would repair errors.
    words += () if "mini" in spec and "--error-rate" in extra else extra
    words += ["--latency", draw.choice((1, 2, 20))]
    kind = draw.choice(("none", "kill", "kill", "credit", "flip", "block")) if "mini" not in spec else "none"
    card, port, cycle = draw.randrange(8), draw.randrange(2), draw.randrange(20, 300)
    words += {"none": (), "kill": ("--fault", f"kill-link:{card},{port},{cycle}"), "flip": ("--fault", f"flip-bit:{card},{port},{cycle},50"),
              "credit": ("--fault", f"drop-credit:{card},{port},{cycle % 50}", "--watchdog", 900),
              "block": ("--fault", f"block-nic:{card},6,{cycle}", "--watchdog", 900)}[kind]
    return fitting(spec, words)


@pytest.fixture
def network(extorus):
    def make(spec, *words):
        algorithm = "ts-dor" if spec.startswith("twin") else "dor" if "torus" in spec else "layered"
        extorus("route", spec, "--algorithm", algorithm, *words, "-o", "net.img")
        return "net.img"

    return make


@pytest.fixture
def run(extorus):
    return ranks.runner(extorus, "model")


def same(network, run, drawn, counts, threads):
    (spec, *words), options = drawn
    image = network(spec, *words)
    one = run(0, image, *options, status=None)
    assert one[0]["packets_sent"] > 0
    for count in counts:
        for thread in threads:
            assert run(count, image, *options, "--threads", thread, status=None) == one, (spec, words, count, thread, options)


@pytest.mark.parametrize("number", range(6))
def test_result_is_that_of_one_process(network, run, number):
    same(network, run, case(number), (2 + number % 2,), (1 + number // 2 % 2,))


@pytest.mark.parametrize("number", range(4))
def test_broken_networks_are_those_of_one_process(network, run, number):
    same(network, run, broken_case(number), (2 + number % 2,), (1 + number // 2 % 2,))


@pytest.mark.long
@pytest.mark.parametrize("number", range(100, 160))
def test_results_are_those_of_one_process(network, run, number):
    same(network, run, (broken_case if number % 2 else case)(number), (0, 1, 2, 3, 5), (1, 2))


def test_search_for_the_warm_up(network, run):
    words = ("--warmup", "auto", "--load", 0.3, "--measure", 300)
    image = network("torus:4x4")
    assert run(0, image, *words) == run(2, image, *words)


def test_without_the_checks_of_hops(network, run):
    words = (network("torus:4x4x2"), "--load", 0.3, "--measure", 300)
    (checked, packets), (unchecked, same_packets) = run(0, *words), run(2, *words, "--no-check")
    assert unchecked == {**checked, "off_route": None} and packets == same_packets


def test_stall(network, run):
    """A deadlock in the middle of the traffic is found in the same cycle, and the cells that stand are counted."""
    image = network("twin:4x4", "--single-tc")
    words = ("--force", "--load", 1.0, "--measure", 2000, "--watchdog", 1000)
    one = run(0, image, *words, status=1)
    assert one == run(2, image, *words, status=1)
    assert not one[0]["drained"] and any("stall: nothing has moved" in report for report in one[0]["reports"])


def test_several_loads_and_a_partition(extorus, network):
    image = network("torus:4x4x2")
    words = ("sim", image, "--engine", "model", "--backdoor", "--json", "--measure", "200", "--load", "0.1,0.6")
    one, three = json.loads(extorus(*words)), json.loads(mpirun(extorus, 3, *words, "--partition", "3,17"))
    assert [rank["cards"] for rank in three[0]["ranks"]] == [3, 14, 15]
    assert all(rank["bytes"] > 0 and rank["epochs"] == three[0]["ranks"][0]["epochs"] > 0 for rank in three[0]["ranks"])
    for result in one + three:
        for key in TIMING:
            result.pop(key, None)
    assert one == three and len(one) == 2


@pytest.mark.parametrize("words, message", (
    (("--partition", "4"), "--partition: 1 first cards are those of 2 ranks"),
    (("--partition", "4,4"), "the first cards of the ranks have to rise"), (("--partition", "4,x"), '"x" is not a number'),
    (("--rank-timeout", "0"), "--rank-timeout")))
def test_what_ranks_cannot_do_is_refused(extorus, network, words, message):
    mpirun(extorus, 3, "sim", network("torus:4x2"), "--engine", "model", *words, status=2, stderr=message)


def test_more_ranks_than_cards_are_refused(extorus, network):
    mpirun(extorus, 3, "sim", network("torus:2"), "--engine", "model", status=2, stderr="3 ranks are more than the network's 2 cards")


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """A folder of plug-ins in which that for MPI has a fault."""
    folder = tmp_path_factory.mktemp("plugins")
    shutil.copy(ROOT / "build/plugins/extorus-model-extoll.so", folder)
    subprocess.run(["mpicc", "-std=c11", "-D_GNU_SOURCE", "-fPIC", "-shared", f"-I{ROOT}/host", f"-I{ROOT}/host/lib",
                    ROOT / "tests/system/cluster/faulty_mpi.c", "-o", folder / "extorus-mpi.so"], check=True)
    return folder


@pytest.mark.parametrize("fault, message", (("message", "comes late or early in"), ("cell", "a cell or credit comes too late"),
                                            ("card", "it sends what is for another rank's card"), ("none", None)))
def test_seeded_faults_between_ranks_are_named(extorus, network, faulty, fault, message):
    words = (extorus.command, "sim", network("torus:4x4x2"), "--engine", "model", "--backdoor", "--load", "0.5", "--measure", "300")
    code, _, err = ranks.ended(extorus.folder, "-n", 2, "-x", f"EXTORUS_PLUGIN_DIR={faulty}", "-x", f"FAULT={fault}", *words)
    assert code == (1 if message else 0), err
    assert not message or (message in err and "rank " in err.split(message)[0]), err


def test_wrong_partition_is_named(extorus, network):
    words = (extorus.command, "sim", network("torus:4x4x2"), "--engine", "model", "--backdoor")
    code, _, err = ranks.ended(extorus.folder, "-n", 1, *words, "--partition", "16", ":", "-n", 1, *words, "--partition", "8")
    assert code == 1 and "rank 1: it has another partition, network, checkpoint, profile or program" in err


@pytest.mark.parametrize("number, message", ((signal.SIGKILL, "signal 9"), (signal.SIGSTOP, "rank 0 has heard nothing of rank 1 for 2 s")))
def test_a_lost_rank_is_named(extorus, network, number, message):
    words = ("sim", network("torus:4x4x4"), "--engine", "model", "--backdoor", "--load", "0.5", "--measure", "10000000",
             "--rank-timeout", "2")
    job = ranks.start(extorus.folder, "-n", 2, extorus.command, *words)
    found = []
    while job.poll() is None and len(found) < 2:
        found = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True, check=False).stdout.split()
    time.sleep(2)
    os.kill(int(found[1]), number)
    _, err = job.communicate(timeout=120)
    assert job.returncode != 0 and message in err


@pytest.mark.long
def test_a_rank_brings_up_its_own_part(extorus, network):
    """Peak memory of the last rank of four, and likewise where a fault makes each rank bring up all cards."""
    image, rank = network("torus:16x16x32"), "from resource import *; import subprocess as s, sys, os; s.run(sys.argv[1:], stdout=s.DEVNULL); "
    rank += "open(f\"peak.{os.environ['OMPI_COMM_WORLD_RANK']}\", 'w').write(str(getrusage(RUSAGE_CHILDREN).ru_maxrss))"
    peaks = []
    for fault in ((), ("--fault", "block-nic:0,6,1", "--watchdog", "900")):
        words = ("sim", image, "--engine", "model", "--backdoor", "--load", "0.01", "--warmup", "10", "--measure", "100", *fault)
        ranks.start(extorus.folder, "-n", 4, "/usr/bin/python3", "-c", rank, extorus.command, *words).communicate(timeout=300)
        peaks.append(int((extorus.folder / "peak.3").read_text()))
    assert peaks[0] < 0.8 * peaks[1], peaks


@pytest.mark.parametrize("faults, holds", (((), True), (("--fault", "block-nic:0,6,1", "--watchdog", "900"), False)))
def test_registers_of_all_cards_are_those_of_one_process(extorus, network, faults, holds):
    """By registers, without --backdoor: each rank loads its own part, or all of them all cards."""
    image = network("torus:6x4x2")
    words = ("sim", image, "--engine", "model", "--load", "0.3", "--measure", "200", "--warmup", "50", "--counters", "--json", *faults)
    one, three = json.loads(extorus(*words, status=None)), json.loads(mpirun(extorus, 3, *words, status=None))
    for result in (one, three):
        for key in TIMING:
            result.pop(key, None)
    assert one == three and one["drained"] == holds


@pytest.mark.parametrize("engine", ("model", "sim"))
def test_what_a_part_of_a_network_cannot_do_is_refused(extorus, network, tmp_path, engine):
    program, image = tmp_path / "part", extorus.folder / network("torus:16")
    subprocess.run(["cc", "-std=c11", "-Wall", "-Werror", f"-I{ROOT}/host/include", f"-I{ROOT}/build/include",
                    ROOT / "tests/system/cluster/part_of_a_network.c", ROOT / "build/libextorus.so.0", f"-Wl,-rpath,{ROOT}/build", "-o", program], check=True)
    code, out, err = ranks.ended(extorus.folder, "-n", 2, program, image, f"{engine}:{image}")
    assert code == 0, err
    unsupported = "-6, {}: the device was opened for ranks, and has only some of the cards"
    expected = {"load": "0, well", "own card": "0, well", "other card": "-5, card 11 is another rank's", "all cards": unsupported.format("device"),
                "verify": unsupported.format("verify"), "fault": unsupported.format("fault"), "alone": "-1, run: the device was opened for ranks",
                "uneven": "-1, run: the device was opened for another partition", "run": "0, well", "other card then": "0, well",
                "again": "-6, run: a device that was opened for ranks has one run"}
    said = dict(line.split(": ", 1) for line in out.splitlines() if ": " in line)
    assert said.keys() == expected.keys() and all(said[what].startswith(text) for what, text in expected.items()), out
    assert "delivered 1" in out
