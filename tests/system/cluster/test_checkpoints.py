# SPDX-License-Identifier: Apache-2.0
"""A run that goes on from a checkpoint, on other ranks and threads, ends as if nothing had happened."""

import json
import os
import random
import resource
import signal
import subprocess
import time

import pytest

import ranks as cluster
import test_shared_networks
from ranks import mpirun, needed
from test_shared_networks import TIMING, broken_case, case

network = test_shared_networks.network
WORDS = ("--engine", "model", "--backdoor", "--json", "--counters", "--packet-log", "log.csv")


@pytest.fixture
def run(extorus):
    """run(ranks, threads, image, *words) -> what the command says but for the time, and its packets in their order."""

    def one(ranks, threads, image, *words, status=None):
        words = ("sim", image, *WORDS, "--threads", threads, *words)
        out = mpirun(extorus, ranks, *words, status=status) if ranks > 1 else extorus(*map(str, words), status=status)
        if not out.strip():
            return None
        result = json.loads(out)
        return {key: value for key, value in result.items() if key not in TIMING}, (extorus.folder / "log.csv").read_text()

    return one


def command(extorus, ranks, threads, image, *words):
    """The command's words, under mpirun if there are several ranks."""
    ours = (extorus.command, "sim", image, *WORDS, "--threads", threads, *words)
    return [str(word) for word in (("mpirun", "-n", ranks, *ours) if ranks > 1 else ours)]


def interrupt(extorus, run, ranks, threads, image, *words):
    """Leaves the last checkpoint of a run, and the log, as if the run had been killed: the disk is full when it ends."""
    assert run(ranks, threads, image, *words, "--channel-load", "/dev/full") is None
    (extorus.folder / "log.csv").rename(extorus.folder / "log.csv.part")


def goes_on(extorus, network, run, drawn, ways):
    """`ways`: ranks and threads, of the begin, and of what goes on, again and again."""
    (spec, *words), options = drawn
    image = network(spec, *words)
    undisturbed = run(1, 1, image, *options)
    every = max(undisturbed[0]["cycles"] * random.Random(str(options)).randrange(30, 95) // 100, 1)
    words = (*options, "--checkpoint", "run.checkpoint", "--every", every)
    file = extorus.folder / "run.checkpoint"
    interrupt(extorus, run, *ways[0], image, *words)
    kept, log = file.read_bytes(), (extorus.folder / "log.csv.part").read_bytes()
    for ranks, threads in ways[1:]:
        file.write_bytes(kept)
        (extorus.folder / "log.csv.part").write_bytes(log)
        assert run(ranks, threads, image, *words) == undisturbed, (spec, words, ways[0], ranks, threads)
        assert not file.exists()


THREADS = ((1, 1), (1, 2), (1, 3))
RANKS = ((1, 1), (1, 2), (2, 1), (3, 1), (2, 2))


def drawn(number):
    """A network and a run; links of profile mini cannot repeat what errors have spoiled."""
    make = broken_case if number % 2 else case
    return next(found for found in map(make, range(number + 700, 9999, 200)) if not (number % 2 and "mini" in found[0]))


@pytest.mark.parametrize("number", range(8))
def test_a_run_goes_on_with_other_threads(extorus, network, run, number):
    goes_on(extorus, network, run, drawn(number), random.Random(number).sample(THREADS, 2))


@needed
@pytest.mark.parametrize("number", range(4))
def test_a_run_goes_on_with_other_ranks(extorus, network, run, number):
    ways = ((2, 1), (1, 1)), ((1, 2), (2, 1)), ((3, 1), (2, 1)), ((2, 2), (3, 1))
    goes_on(extorus, network, run, drawn(number + 20), ways[number])


@needed
@pytest.mark.long
@pytest.mark.parametrize("number", range(100, 160))
def test_runs_go_on(extorus, network, run, number):
    goes_on(extorus, network, run, drawn(number), random.Random(number).sample(RANKS, 3))


def test_search_for_the_warm_up_goes_on(extorus, network, run):
    words = ("--warmup", "auto", "--load", 0.3, "--measure", 300)
    goes_on(extorus, network, run, (("torus:4x4",), words), ((1, 1), (1, 2)))


@pytest.mark.parametrize("spec, words", (
    (("torus:4x4x2",), ()), (("torus:4x4x2",), ("--nic-stall", "1/4")), (("torus:4x4x2",), ("--error-rate", 0.01)),
    (("torus:2x2x2x2x2", "--profile", "links10"), ("--error-rate", 0.01))))
def test_full_buffers_go_on(extorus, network, run, spec, words):
    """Every part of a card holds something: a number of a packet that is left out, as that of a beat at a NIC, shows here."""
    goes_on(extorus, network, run, (spec, ("--load", 1.0, "--measure", 500, *words)), ((1, 2), (1, 1)))


# ---------------------------------------------------------------- the end of a process


def kill(job, number, everyone):
    """mpirun, or the command itself, or one of mpirun's ranks."""
    found = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True, check=False).stdout.split()
    for victim in (*found, job.pid) if everyone else found[-1:] or (job.pid,):
        try:
            os.kill(int(victim), number)
        except ProcessLookupError:
            pass


def killed_again_and_again(extorus, network, run, number, ways, times):
    """Ends a run at random moments, goes on each time on other ranks and threads, and compares what comes out at last."""
    draw = random.Random(number)
    image = network("torus:4x4x2")
    options = ("--load", draw.choice((0.2, 0.9)), "--measure", draw.randrange(6000, 9000), "--seed", number)
    options += draw.choice(((), ("--error-rate", 0.005), ("--fault", "kill-link:3,1,2500")))
    words = (*options, "--checkpoint", "run.checkpoint", "--every", 500)
    undisturbed = run(1, 1, image, *options)
    for _ in range(times):
        before = (extorus.folder / "run.checkpoint").exists()
        job = subprocess.Popen(command(extorus, *draw.choice(ways), image, *words), cwd=extorus.folder, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=cluster.ENVIRONMENT)
        until = time.monotonic() + 20
        while not before and job.poll() is None and time.monotonic() < until and not (extorus.folder / "run.checkpoint").exists():
            time.sleep(0.01)
        time.sleep(draw.random() * 0.4)
        kill(job, draw.choice((signal.SIGKILL, signal.SIGTERM)), draw.random() < 0.5)
        cluster.end_of(job, 120)
        if job.returncode == 0:
            break
    assert run(*draw.choice(ways), image, *words) == undisturbed
    assert not [file for file in extorus.folder.iterdir() if file.suffix in (".tmp", ".checkpoint", ".part")]


@needed
@pytest.mark.parametrize("number", range(2))
def test_killed_runs_go_on(extorus, network, run, number):
    killed_again_and_again(extorus, network, run, number, (((1, 1), (1, 2)), ((2, 1), (1, 1)))[number], 2)


@needed
@pytest.mark.long
@pytest.mark.parametrize("number", range(100, 130))
def test_runs_that_are_killed_often_go_on(extorus, network, run, number):
    killed_again_and_again(extorus, network, run, number, RANKS, 4)


def test_a_full_disk_leaves_the_checkpoint_before(extorus, network, run):
    """A file may not get longer than the first checkpoint; a later one has more packets."""
    image = network("torus:4x4x2")
    options = ("--load", 0.9, "--measure", 2000)
    undisturbed = run(1, 1, image, *options)
    words = (*options, "--checkpoint", "run.checkpoint")
    interrupt(extorus, run, 1, 1, image, *words, "--every", undisturbed[0]["cycles"] * 2 // 3)
    kept = (extorus.folder / "run.checkpoint").read_bytes()

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(kept) // 2, len(kept) // 2))

    failed = subprocess.run(command(extorus, 1, 1, image, *words, "--every", 100), cwd=extorus.folder, capture_output=True, text=True,
                            preexec_fn=limit, check=False)
    assert failed.returncode == 2 and "run.checkpoint: writing failed: File too large" in failed.stderr
    assert (extorus.folder / "run.checkpoint").read_bytes() == kept
    assert run(1, 1, image, *words) == undisturbed


# ---------------------------------------------------------------- what is refused


@pytest.fixture
def kept(extorus, network, run):
    """A checkpoint of a run with these words."""
    image = network("torus:4x2")
    words = ("--load", 0.5, "--measure", 400, "--fault", "block-nic:3,6,2300", "--watchdog", 600)
    interrupt(extorus, run, 1, 1, image, *words, "--checkpoint", "run.checkpoint", "--every", 2200)
    return image, words


@pytest.mark.parametrize("changed, message", (
    (("--load", 0.4), "of another network, traffic or option"), (("--seed", 5), "of another network, traffic or option"),
    (("--traffic", "tornado"), "of another network, traffic or option"), (("--measure", 401), "of another network, traffic or option"),
    (("--no-check",), "of another network, traffic or option"), (("--watchdog", 601), "of another network, traffic or option"),
    (("--latency", 9), "of another network, traffic or option"),
    (("--fault", "block-nic:2,6,2300"), "of a run with other faults"), (("--inject-wait", 77), "of a run with other settings of card 0")))
def test_the_checkpoint_of_another_run_is_refused(extorus, kept, changed, message):
    image, words = kept
    words = list(words)
    if changed[0] in words:
        words[words.index(changed[0]) + 1] = changed[1]
    else:
        words += changed
    before = (extorus.folder / "run.checkpoint").read_bytes()
    failed = subprocess.run(command(extorus, 1, 1, image, *words, "--checkpoint", "run.checkpoint"), cwd=extorus.folder, capture_output=True,
                            text=True, check=False)
    assert failed.returncode == 1 and message in failed.stderr, failed.stderr
    assert (extorus.folder / "run.checkpoint").read_bytes() == before


def test_damaged_files_are_refused(extorus, kept):
    image, words = kept
    file, log = extorus.folder / "run.checkpoint", extorus.folder / "log.csv.part"
    whole, logged = file.read_bytes(), log.read_bytes()
    draw = random.Random(1)

    def refused(message, status=2):
        failed = subprocess.run(command(extorus, 1, 1, image, *words, "--checkpoint", "run.checkpoint"), cwd=extorus.folder,
                                capture_output=True, text=True, check=False)
        assert failed.returncode == status and message in failed.stderr, failed.stderr

    for at in [0, 9, len(whole) - 1, *(draw.randrange(len(whole)) for _ in range(6))]:
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << draw.randrange(8)]) + whole[at + 1:])
        refused("is no checkpoint, or damaged")
    for size in (0, 30, len(whole) // 2, len(whole) - 8):
        file.write_bytes(whole[:size])
        refused("is no checkpoint, or damaged")
    file.write_bytes(whole)
    log.write_bytes(logged[:60])
    refused("the packet log does not have the", 1)
    log.write_bytes(logged)


@pytest.mark.parametrize("words, message", (
    (("--engine", "rtl", "--checkpoint", "a"), "only --engine model keeps the state of a run"),
    (("--engine", "model", "--load", "0.1,0.2", "--checkpoint", "a"), "goes with one load"),
    (("--engine", "model", "--checkpoint", "-"), "into a file"), (("--engine", "model", "--every", "5"), "--every goes with --checkpoint"),
    (("--engine", "model", "--checkpoint", "a", "--packet-log", "-"), "the packet log needs a file too")))
def test_what_has_no_checkpoints_is_refused(extorus, network, words, message):
    extorus("sim", network("torus:4"), *words, status=2, stderr=message)
