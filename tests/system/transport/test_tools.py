# SPDX-License-Identifier: Apache-2.0
"""The whole command set on a board under the sanitizers and valgrind, each of which ends the command with a status of its
own when it finds something."""

import os
import random
import shutil
import subprocess

import pytest

import frame_codec
from processor_time import limited
from served import COMMAND, ROOT

VALGRIND = ["valgrind", "-q", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite,possible",
            "--fair-sched=yes", COMMAND]
PROGRAMS = [
    pytest.param([str(ROOT / "build" / "san" / "extorus")], id="address"),
    pytest.param([str(ROOT / "build" / "tsan" / "extorus")], id="thread"),
    pytest.param(VALGRIND, id="valgrind", marks=pytest.mark.long),
]
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "exitcode=99", "UBSAN_OPTIONS": "halt_on_error=1", "TSAN_OPTIONS": "exitcode=99"}

# The command line and its exit status; {old} and {new} are images.
COMMANDS = [
    ("probe", 0), ("probe --json", 0), ("load {new} --json", 0), ("verify {new}", 0), ("verify {old}", 1), ("dump", 0),
    ("diff {old} --json", 1), ("inject --packets 300", 0), ("inject --packets 300 --update {old}", 0),
    ("inject --packets 300 --update {new} --live --json", 0), ("inject --packets 40 --one-way", 0),
    ("capture --packets 40", 0), ("counters", 0), ("counters --card 1 --json", 0), ("watch --count 2 --interval 20", 0),
    ("selftest", 0), ("selftest --plugs", 1), ("doctor --selftest --image {old}", 1), ("reset --card 1", 0), ("reset", 0), ("load {old}", 0), ("load /nowhere", 2), ("counters --card 9", 2),
]


def run(program, words, board, uri=None):
    images = {name: board.images / f"{name}.img" for name in ("old", "new")}
    return subprocess.run([*program, *words.format(**images).split(), "--device", uri or board.uri + ";timeout=3000"],
                          capture_output=True, text=True, **limited(300),
                          env={**ENVIRONMENT, "EXTORUS_STATE_DIR": board.environment["EXTORUS_STATE_DIR"]})


def clean(done, status):
    assert done.returncode == status, f"exit {done.returncode}\n{done.stdout}{done.stderr}"
    assert "Sanitizer" not in done.stderr and "==" not in done.stderr, done.stderr


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_command(board, program):
    assert shutil.which(program[0]), f"{program[0]} is missing: run `make tests-build`"
    for words, status in COMMANDS:
        clean(run(program, words, board), status)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("kind, count", [(frame_codec.WRITE, 8), (frame_codec.INJECT, 20), (frame_codec.PACKET, 20)])
def test_a_board_that_goes(board, program, kind, count):
    """During a load, while packets are sent, while they come."""
    seen = [0]

    def hook(number, frame, raw):
        seen[0] += frame.kind == kind
        if seen[0] > count:
            raise frame_codec.Cut
        return raw

    proxy = frame_codec.Proxy(board.address, *((None, hook) if kind == frame_codec.PACKET else (hook, None)))
    clean(run(program, "load {new}" if kind == frame_codec.WRITE else "inject --packets 2000", board, proxy.uri), 3)
    clean(run(program, "load {old}", board), 0)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_line_that_loses(board, program):
    """One frame in 25 is lost each way. Drawn, because a period of 25 frames hits the same one of 25 that are repeated."""
    draw = random.Random(25)

    def lose(number, frame, raw):
        return b"" if draw.randrange(25) == 0 else raw

    proxy = frame_codec.Proxy(board.address, lose, lose, hosts=2)
    clean(run(program, "load {new}", board, proxy.uri + ";timeout=200;retries=20"), 0)
    clean(run(program, "inject --packets 200 --timeout 20000", board, proxy.uri + ";timeout=200;retries=20"), 0)
