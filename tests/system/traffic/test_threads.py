# SPDX-License-Identifier: Apache-2.0
"""One network on several threads of the fast model: the same result as on one, whatever is in it."""

import json
import os
import pathlib
import random
import statistics
import subprocess
import time

import pytest

from processor_time import limited
from repository import ROOT

TIMING = ("wall_seconds", "card_cycles_per_second")
NETWORKS = (("torus:4x4x4",), ("torus:5x3x2",), ("twin:2x2x2x2x2",), ("torus:16",), ("torus:4x4", "--adaptive"),
            ("mesh:6x3~5",), ("torus:4x4", "--profile", "mini"))
PATTERNS = ("uniform", "zipf", "hot-region")


def case(number):
    """A network, and words of a run."""
    draw = random.Random(number)
    words = ["--load", draw.choice((0.05, 0.2, 0.5, 1.0)), "--measure", draw.randrange(100, 1500), "--seed", number,
             "--warmup", draw.choice((0, 50, 333)), "--drain", draw.choice((300, 5000)), "--traffic",
             draw.choice(PATTERNS)]
    if draw.random() < 0.3:
        words += ["--latency", draw.choice((1, 7, 20))]
    if draw.random() < 0.7:
        words += ["--packet", draw.choice((1, 16, "1-8"))]
    return draw.choice(NETWORKS), words


@pytest.fixture
def run(extorus):
    """run(image, *words) -> what it says but for the time it took, and its packets in their order."""

    def one(image, *words, status=None):
        out = extorus("sim", image, "--engine", "model", "--backdoor", "--json", "--packet-log", "log.csv",
                      *map(str, words), status=status)
        result = json.loads(out)
        return ({key: value for key, value in result.items() if key not in TIMING},
                (extorus.folder / "log.csv").read_text())

    return one


@pytest.mark.parametrize("number", range(12))
def test_result_is_that_of_one_thread(network, run, number):
    (spec, *words), options = case(number)
    image = network(spec, *words)
    one = run(image, *options, "--threads", 1)
    assert one[0]["packets_sent"] > 0
    for threads in (2, 5, 9):
        assert run(image, *options, "--threads", threads) == one, (threads, options)


def test_search_for_the_warm_up(network, run):
    words = ("--warmup", "auto", "--load", 0.3, "--measure", 500)
    image = network("torus:4x4")
    assert run(image, *words) == run(image, *words, "--threads", 3)


def test_stall(network, run):
    """A deadlock in the middle of the traffic is found in the same cycle."""
    image = network("twin:4x4", "--single-tc")
    words = ("--force", "--load", 1.0, "--measure", 4000, "--watchdog", 1000)
    one = run(image, *words, status=1)
    assert one == run(image, *words, "--threads", 4, status=1)
    assert not one[0]["drained"] and any("stall: nothing has moved" in report for report in one[0]["reports"])


@pytest.mark.parametrize("words", (("--error-rate", 0.002), ("--kill-link", "3:d0+@400"), ("--nic-stall", "1/4"), ("--fault", "drop-credit:2,1,30"),
                                   ("--fault", "block-nic:5,6,300"), ("--error-rate", 0.02, "--fault", "kill-link:2,1,300", "--latency", 9)))
def test_runs_cell_by_cell(network, run, words):
    words = (*words, "--load", 0.3, "--measure", 500, "--watchdog", 900)
    image = network("torus:4x4")
    one = run(image, *words, status=None)
    for threads in (2, 5):
        assert run(image, *words, "--threads", threads, status=None) == one, threads


@pytest.mark.parametrize("patience", (0, 3, 60))
def test_adaptive_packets_that_lose_patience(network, run, patience):
    """They go over to their deterministic way, in the middle of the traffic."""
    words = ("--load", 0.9, "--measure", 500, "--patience", patience)
    image = network("torus:4x4x2", "--adaptive")
    one = run(image, *words, "--threads", 1)
    assert one == run(image, *words, "--threads", 3)
    # With a fault to come the network is stepped cell by cell.
    assert one[1] == run(image, *words, "--fault", "block-nic:0,6,4000000", status=None)[1]


def test_several_runs_of_one_network(extorus, network):
    image = network("torus:4x4x4")
    words = ("sim", image, "--engine", "model", "--backdoor", "--json", "--measure", "400", "--load", "0.1,0.6,0.3")
    one, two = (json.loads(extorus(*words, "--threads", threads)) for threads in ("1", "2"))
    for result in one + two:
        for key in TIMING:
            del result[key]
    assert one == two and len(one) == 3


@pytest.mark.parametrize("spec, cycles, words, expected", (
    ("torus:8x8", 200000, ("--engine", "model"), 2), ("torus:8x8", 200000, ("--engine", "model", "--threads", "1"), 1),
    ("torus:8x8", 200000, ("--engine", "model", "--threads", "3"), 3), ("torus:8x4", 200000, ("--engine", "model"), 1),
    ("torus:8x8", 20000, ("--engine", "model", "--switch", "input-queued"), 1), ("torus:4x2", 60000, (), 2), ("torus:2x2", 60000, (), 1)))
def test_threads_of_a_run(extorus, network, spec, cycles, words, expected):
    """By default one per processor, where the network has work for as many."""
    processors = sorted(os.sched_getaffinity(0))[:2]
    if len(processors) < 2:
        pytest.skip("one processor only")
    process = subprocess.Popen([extorus.command, "sim", network(spec), "--backdoor", "--load", "0.3", "--packet", "4", "--measure", str(cycles), *words],
                               cwd=extorus.folder, stdout=subprocess.DEVNULL, preexec_fn=lambda: os.sched_setaffinity(0, processors))
    seen = []
    while process.poll() is None:
        seen.append(len(list(pathlib.Path(f"/proc/{process.pid}/task").glob("*"))))
        time.sleep(0.01)
    # Loading and the check of the image, too, may have several for a moment.
    assert process.returncode == 0 and statistics.mode(seen) == expected and len(seen) > 10


def test_no_thread_is_refused(extorus, network):
    extorus("sim", network("torus:4x2"), "--threads", "0", "--engine", "model", status=2, stderr="threads")


@pytest.mark.slow
@pytest.mark.parametrize("words", (("--packet", "1-32"), ("--packet", "32", "--load", "1.0")))
def test_threads_share_no_variable(extorus, network, words):
    """Under the thread sanitizer, at a load at which packets wait in all shards."""
    tsan = ROOT / "build" / "tsan"
    if not (tsan / "plugins" / "extorus-model-extoll.so").exists():
        pytest.skip("no plug-in with the thread sanitizer: `make tests-build`")
    done = subprocess.run([tsan / "extorus", "sim", network("torus:8x8"), "--engine", "model", "--threads", "4", "--load", "0.7",
                           "--measure", "300", "--warmup", "200", *words], cwd=extorus.folder, capture_output=True, text=True,
                          **limited(300))
    assert done.returncode == 0, done.stderr[:3000]
