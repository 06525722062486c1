# SPDX-License-Identifier: Apache-2.0
"""No command line crashes, hangs or fails without a message, and the limits are those that --help names."""

import collections
import os
import subprocess

import pytest

import option_calls
import option_fuzzer
from option_fuzzer import COMMAND, MOST_S, run
from processor_time import limited


def fuzz(count, seed, folder):
    wrong, statuses = option_fuzzer.fuzz(count, seed, folder)
    assert not wrong, f"{len(wrong)} wrong\n" + "\n".join(map(str, wrong[:20]))
    assert set(statuses) >= {0, 2}, statuses


@pytest.mark.parametrize("seed", range(3))
def test_command_lines(seed, tmp_path):
    fuzz(350, seed, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 120))
def test_a_hundred_thousand_command_lines(seed, tmp_path):
    fuzz(5000, seed, tmp_path)


def test_each_option_is_found_in_the_help():
    names = option_calls.commands(COMMAND)
    assert set(option_calls.BASES) == set(names)
    options = {name: {option.name: option for option in option_calls.options(COMMAND, name)} for name in names}
    assert {"load", "seed", "engine", "channel-load"} <= set(options["sim"])
    assert (options["sim"]["latency"].least, options["sim"]["latency"].most) == (1, 1024)


# The same name, and not the same thing.
ELSEWHERE = {"load": "latency counts bits", "bytes": "collective: of a vector", "ranks": "workload makes fewer", "tc": "lists", "window": "requests, or messages"}


def test_limits_are_the_same_in_every_command():
    limits = collections.defaultdict(lambda: collections.defaultdict(list))
    for name in option_calls.commands(COMMAND):
        for option in option_calls.options(COMMAND, name):
            if option.argument and option.text:
                limits[option.name][option.text].append(name)
    different = {name: dict(found) for name, found in limits.items() if len(found) > 1 and name not in ELSEWHERE}
    assert not different


def test_numbers_out_of_range(tmp_path):
    """Every option with a range: the numbers beside it are refused by one form of message, those at its ends are not."""
    wrong = []
    option_calls.prepare(COMMAND, tmp_path)
    for name in option_calls.commands(COMMAND):
        base = option_calls.BASES[name][0].replace("good.", "absent.").split()
        for option in option_calls.options(COMMAND, name):
            if option.text is None or option.argument == "HEX":
                continue
            whole = isinstance(option.most, int)
            beyond = [str(option.most + 1)] if whole else [str(option.most * 1.01)] if option.most < float("inf") else []
            below = [str(int(option.least) - 1)] if whole and option.least else []
            for text in [*beyond, *below, "-1", "x", "", "nan", " 1", "+1", "0x1", "1x"]:
                done, _ = run([name, *base, f"--{option.name}={text}"], tmp_path)
                if done.returncode != 2 or f'--{option.name}: "{text}" is not a number from ' not in done.stderr:
                    wrong.append((name, option.name, text, done.returncode, done.stderr[:200]))
    assert not wrong, f"{len(wrong)} wrong\n" + "\n".join(map(str, wrong[:40]))


READERS = [
    "crossings torus:4 --matrix /dev/zero", "sim good.img --engine model --matrix /dev/zero", "sweep torus:4 --routing dor --matrix /dev/zero -o swept",
    "check /dev/zero", "topo file:/dev/zero", "workload check /dev/zero", "workload stats zero.vef", "workload replay good.img zero.vef --window 8",
    "workload replay good.img zero.goal", "collective alltoall --ranks 4 --on good.img --map file:/dev/zero", "load /dev/zero --device model:torus:4"]


@pytest.mark.parametrize("words", READERS)
def test_endless_files(words, tmp_path):
    option_calls.prepare(COMMAND, tmp_path)
    for name in ("zero.vef", "zero.goal"):
        (tmp_path / name).symlink_to("/dev/zero")
    one_line_at_once(words, tmp_path)


def one_line_at_once(words, tmp_path):
    done, seconds = run(words.split(), tmp_path)
    assert done.returncode in (1, 2) and done.stderr.count("\n") == 1 and seconds < MOST_S, done


@pytest.mark.parametrize("words", [
    *(words.replace("/dev/zero", "pipe").replace("zero.", "pipe.") for words in READERS), "workload check pipe.et", "workload merge pipe -o new.goal",
    "route torus:4 --algorithm dor -o pipe", "topo torus:4 --csv pipe"])
def test_pipes_without_another_end(words, tmp_path):
    option_calls.prepare(COMMAND, tmp_path)
    for name in ("pipe", "pipe.vef", "pipe.goal", "pipe.et"):
        os.mkfifo(tmp_path / name)
    one_line_at_once(words, tmp_path)


@pytest.mark.parametrize("wait", [0, 1])
def test_a_pipe_is_a_file(wait, tmp_path):
    """Its writer may come later than its reader."""
    os.mkfifo(tmp_path / "pipe.goal")
    option_calls.prepare(COMMAND, tmp_path)
    with subprocess.Popen(f"sleep {wait}; cat good.goal > pipe.goal", shell=True, cwd=tmp_path):
        done, _ = run(["workload", "stats", "pipe.goal"], tmp_path)
    assert done.returncode == 0 and done.stdout == run(["workload", "stats", "good.goal"], tmp_path)[0].stdout.replace("good", "pipe"), done




@pytest.mark.parametrize("name, base", [(name, base) for name in ("collective", "workload", "topo", "sim") for base in option_calls.BASES[name]])
def test_outputs_are_written_or_refused(name, base, tmp_path):
    """An output that is asked for and not written is no success."""
    option_calls.prepare(COMMAND, tmp_path)
    for option in option_calls.options(COMMAND, name):
        # A checkpoint goes once the result is out.
        if option.argument in ("FILE", "FILE.svg") and not option.name.startswith(("matrix", "checkpoint")):
            done, _ = run([name, *base.split(), f"--{option.name}=written.goal"], tmp_path)
            assert (tmp_path / "written.goal").exists() or done.returncode == 2 and done.stderr, (option.name, done)
            (tmp_path / "written.goal").unlink(missing_ok=True)


@pytest.mark.parametrize("words", ["topo torus:4", "topo torus:4 --json", "route torus:4 --algorithm dor -o new.img", "check good.img",
                                   "counters --device model:torus:2x2;profile=mini", "watch --device model:torus:2x2;profile=mini --count 1 --interval 10",
                                   "diff good.img --device model:torus:4", "workload stats good.goal --json", "--help", "topo --help"])
def test_a_full_disk_behind_standard_output(words, tmp_path):
    option_calls.prepare(COMMAND, tmp_path)
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([COMMAND, *words.split()], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, **limited(MOST_S))
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "standard output failed: No space left" in done.stderr, done


def test_a_full_disk_behind_a_timeline(tmp_path):
    option_calls.prepare(COMMAND, tmp_path)
    done, _ = run(["workload", "replay", "good.img", "good.goal", "--timeline=/dev/full"], tmp_path)
    assert done.returncode == 2 and "No space left" in done.stderr, done
