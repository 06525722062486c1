# SPDX-License-Identifier: Apache-2.0
"""A sweep in shards, and on ranks of mpirun: the results of one process, gone on with after an end at any time."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import time

import pytest

import ranks
from ranks import mpirun, needed
from repository import ROOT

WORDS = ("torus:4x2", "twin:2x2", "--load", "0.2,0.6", "--seeds", "3", "--warmup", "100", "--measure", "300")
RUNS = 12
TIMING = ("wall_seconds", "card_cycles_per_second")


def lines(folder, name="results"):
    """The lines of a file of results but for the time that runs took."""
    found = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]
    for line in found[1:]:
        for key in TIMING:
            del line["result"][key]
    return found


def in_order(found):
    return [json.dumps(found[0]), *sorted(json.dumps(line) for line in found[1:])]


@pytest.fixture
def one(extorus):
    """What one process prints and writes."""
    told = extorus("sweep", *WORDS, "--threads", "1", "--json", "-o", "one")
    return told, lines(extorus.folder / "one")


def pictures(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.svg")}


@pytest.mark.parametrize("shards", (1, 2, 5))
def test_shards_merge_to_the_sweep_of_one_process(extorus, one, shards):
    for shard in range(1, shards + 1):
        told = extorus("sweep", *WORDS, "--shard", f"{shard}/{shards}", "-o", "out")
        assert f"shard {shard} of {shards}: {len(range(shard - 1, RUNS, shards))} runs, 0 of them kept" in told
        assert extorus("sweep", *WORDS, "--shard", f"{shard}/{shards}", "-o", "out").count("runs, 0 of them kept") == 0
    assert not list(extorus.folder.glob("out/*.svg"))
    assert extorus("sweep", *WORDS, "--json", "-o", "out") == one[0]
    assert lines(extorus.folder / "out") == one[1]
    assert pictures(extorus.folder / "out") == pictures(extorus.folder / "one") != {}
    # The merged file stands alone, and tells a shard what is done.
    for path in extorus.folder.glob("out/results-*"):
        path.unlink()
    assert f"{RUNS} runs, {RUNS} of them kept" in extorus("sweep", *WORDS, "-o", "out")
    assert "3 runs, 3 of them kept" in extorus("sweep", *WORDS, "--shard", "1/4", "-o", "out")


def test_what_a_shard_lacks_is_done(extorus, one):
    """One shard never ran, and another one was cut off."""
    for shard in (1, 3):
        extorus("sweep", *WORDS, "--shard", f"{shard}/3", "-o", "out")
    path = extorus.folder / "out/results-3-of-3.jsonl"
    path.write_text(path.read_text()[:-40])
    assert extorus("sweep", *WORDS, "--json", "-o", "out", stderr="results-3-of-3.jsonl: line 5, the last, was cut off") == one[0]
    assert in_order(lines(extorus.folder / "out")) == in_order(one[1])


def test_files_that_are_no_shards_are_left_alone(extorus, one):
    (extorus.folder / "out").mkdir()
    for name in ("results-old.jsonl", "results-1-of-2.jsonl.bak", "results-01-of-2.jsonl", "results-1-of-2-of-3.jsonl"):
        (extorus.folder / "out" / name).write_text("nothing\n")
    assert extorus("sweep", *WORDS, "--json", "-o", "out") == one[0]


def test_shards_of_another_configuration_and_under_way_are_refused(extorus):
    extorus("sweep", *WORDS, "--shard", "1/2", "-o", "out")
    extorus("sweep", *WORDS, "--packet", "4", "-o", "out", status=1, stderr="results-1-of-2.jsonl has results of another configuration")
    with open(extorus.folder / "out/results-1-of-2.jsonl") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        extorus("sweep", *WORDS, "-o", "out2")
        (extorus.folder / "out/results.jsonl").unlink()
        extorus("sweep", *WORDS, "-o", "out", status=2, stderr="results-1-of-2.jsonl: another sweep is writing it")


@pytest.mark.parametrize("text, message", (("0/2", '"0" is not a number from 1 to 2'), ("3/2", '"3" is not a number from 1 to 2'),
                                           ("2", '"2" is not I/N'), ("1/0", '"0" is not'), ("/", "is not a number"), ("a/b", '"b" is not')))
def test_wrong_shards(extorus, text, message):
    extorus("sweep", *WORDS, "--shard", text, "-o", "out", status=2, stderr=message)


def test_a_part_has_no_json(extorus):
    extorus("sweep", *WORDS, "--shard", "1/2", "--json", "-o", "out", status=2, stderr="--shard does a part")


@needed
@pytest.mark.parametrize("count, threads", ((2, None), (3, 2)))
def test_ranks_do_the_sweep_of_one_process(extorus, one, count, threads):
    more = ("--threads", threads) if threads else ()
    assert mpirun(extorus, count, "sweep", *WORDS, *more, "--json", "-o", "out") == one[0]
    assert in_order(lines(extorus.folder / "out")) == in_order(one[1])
    assert pictures(extorus.folder / "out") == pictures(extorus.folder / "one")
    assert f"{RUNS} runs, {RUNS} of them kept" in mpirun(extorus, count, "sweep", *WORDS, *more, "-o", "out")


@needed
@pytest.mark.parametrize("name", ("2d-3dt", "collectives"))
def test_ranks_do_a_reproduction_of_one_process(extorus, name):
    words = ("reproduce", name, "--quick", "--json", "-o")
    assert mpirun(extorus, 3, *words, "three") == extorus(*words, "one")
    assert (extorus.folder / f"three/{name}/table.md").read_text() == (extorus.folder / f"one/{name}/table.md").read_text()


@pytest.mark.parametrize("script, code", (("kill -SEGV $$", None), ("[ -f again ] || { touch again; kill -SEGV $$; }; exit 2", 2), ("exit 139", 139)))
def test_only_an_mpirun_that_fails_itself_is_run_again(tmp_path, monkeypatch, script, code):
    (tmp_path / "mpirun").write_text(f"#!/bin/sh\necho run >> runs\n{script}\n")
    (tmp_path / "mpirun").chmod(0o755)
    monkeypatch.setitem(ranks.ENVIRONMENT, "PATH", f"{tmp_path}:{os.environ['PATH']}")
    if code is None:
        with pytest.raises(AssertionError, match="four times"):
            ranks.ended(tmp_path)
    else:
        assert ranks.ended(tmp_path)[0] == code
    assert (tmp_path / "runs").read_text() == "run\n" * {None: 4, 2: 2, 139: 1}[code]


@needed
def test_a_reproduction_that_is_none_ends_all_ranks(extorus):
    mpirun(extorus, 3, "reproduce", "nothing", "-o", "out", status=2, stderr='no comparison "nothing"')


@needed
def test_a_job_that_was_killed_is_gone_on_with(extorus):
    words = ("sweep", "torus:4x4", "--load", "0.3", "--seeds", "16", "--measure", "1500", "--no-plot", "--json", "-o")
    told = extorus(*words, "one")
    path = extorus.folder / "out/results.jsonl"
    job = ranks.start(extorus.folder, "-n", 2, extorus.command, *words, "out")
    while job.poll() is None and (not path.exists() or len(path.read_text().splitlines()) < 4):
        time.sleep(0.01)
    found = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True, check=True).stdout.split()
    os.kill(int(found[-1]), signal.SIGKILL)
    _, err = job.communicate(timeout=60)
    assert job.returncode != 0 and "signal 9" in err
    assert len(path.read_text().splitlines()) < 17
    assert mpirun(extorus, 2, *words, "out") == told


@needed
def test_a_rank_that_cannot_is_named(extorus):
    """Rank 1 has MPI and no simulator."""
    (extorus.folder / "plugins").mkdir()
    shutil.copy(ranks.PLUGIN, extorus.folder / "plugins")
    words = (extorus.command, "sweep", *WORDS, "-o", "out")
    code, _, err = ranks.ended(extorus.folder, "-n", 1, *words, ":", "-n", 1, "-x", f"EXTORUS_PLUGIN_DIR={extorus.folder}/plugins", *words)
    assert code == 3 and "extorus sweep: rank 1: the simulator extorus-model-extoll.so is not in" in err


@needed
def test_first_rank_that_cannot_ends_the_others(extorus):
    mpirun(extorus, 3, "sweep", "torus:3x3", "--traffic", "shuffle", "-o", "out", status=2, stderr="not for 9")
    (extorus.folder / "out/results.jsonl").write_text("my\nmilk\n")
    mpirun(extorus, 3, "sweep", *WORDS, "-o", "out", status=None, stderr="results.jsonl:1: this is no file")


@needed
def test_without_plug_in_the_command_says_how_to_get_it(extorus):
    (extorus.folder / "empty").mkdir()
    code, _, err = ranks.ended(extorus.folder, "-n", 2, "-x", f"EXTORUS_PLUGIN_DIR={extorus.folder}/empty", extorus.command, "sweep", *WORDS,
                      "-o", "out")
    assert code == 3 and "the plug-in extorus-mpi.so is not in EXTORUS_PLUGIN_DIR" in err


@needed
@pytest.mark.skipif(not shutil.which("mpirun.mpich"), reason="no MPICH")
def test_another_mpi_is_named(extorus):
    done = subprocess.run(["mpirun.mpich", "-n", "2", extorus.command, "sweep", *WORDS, "-o", "out"], cwd=extorus.folder,
                          capture_output=True, text=True, timeout=120)
    assert done.returncode != 0 and "it was built for another MPI than this mpirun's" in done.stderr


def test_command_needs_no_mpi(extorus):
    assert "libmpi" not in subprocess.run(["ldd", extorus.command], capture_output=True, text=True, check=True).stdout
    text = (ROOT / "host/mpi/mpi.mk").read_text()
    assert "ifneq ($(call found,$(MPICC)),)" in text
    done = subprocess.run(["make", "-n", "MPICC=/nothing/mpicc", "MPICC_MPICH=/nothing", "command", "mpi"], cwd=ROOT, capture_output=True,
                          text=True)
    assert done.returncode == 0 and "nothing" not in done.stdout
