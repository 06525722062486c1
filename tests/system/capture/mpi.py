# SPDX-License-Identifier: Apache-2.0
"""MPI programs with the library that captures, and what Open MPI itself counts of their messages."""

import collections
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from processor_time import limited
from repository import ROOT

LIBRARY = ROOT / "build/libextorus-capture.so"
needed = pytest.mark.skipif(not (shutil.which("mpicc") and shutil.which("mpirun") and LIBRARY.exists()),
                            reason="no MPI, or no build/libextorus-capture.so (make capture)")
# A rank that waits lets the others have the processor.
MCA = {"mpi_yield_when_idle": 1, "btl": "self,vader", "btl_vader_single_copy_mechanism": "none"}
MONITOR = {"pml_monitoring_enable": 2, "pml_monitoring_enable_output": 3, "pml_monitoring_filename": "counted"}


def mpirun(folder, ranks, *program, mca={}, env={}, seconds=300, status=0, capture="run.goal"):
    words = ["mpirun", "--oversubscribe", "-n", str(ranks)]
    for key, value in {**MCA, **mca}.items():
        words += ["--mca", key, str(value)]
    if capture:
        env = {**env, "LD_PRELOAD": str(LIBRARY), "EXTORUS_CAPTURE": capture}
    for key, value in env.items():
        words += ["-x", f"{key}={value}"]
    done = subprocess.run([*words, *map(str, program)], cwd=folder, capture_output=True, text=True, **limited(seconds),
                          env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    assert status is None or done.returncode == status, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout + done.stderr


def counted(folder, kind):
    """(source, destination) -> [messages, bytes] by Open MPI's monitoring: E of the program, I of MPI itself."""
    found = collections.defaultdict(lambda: [0, 0])
    for path in pathlib.Path(folder).glob("counted.*.prof"):
        for source, to, size, count in re.findall(rf"^{kind}\t(\d+)\t(\d+)\t(\d+) bytes\t(\d+) msgs", path.read_text(), re.M):
            found[int(source), int(to)][0] += int(count)
            found[int(source), int(to)][1] += int(size)
    return {pair: tuple(value) for pair, value in found.items() if value[0]}


def minus(a, b):
    return {pair: left for pair, value in a.items() if (left := tuple(x - y for x, y in zip(value, b.get(pair, (0, 0))))) != (0, 0)}


def sent(path, own):
    """The same of a GOAL schedule: the program's own messages have tags from 2^32 on, those of collectives tag 0."""
    found, rank = collections.defaultdict(lambda: [0, 0]), None
    with open(path) as lines:
        for line in lines:
            if line.startswith("rank "):
                rank = int(line.split()[1])
            elif " send " in line:
                words = line.split()
                if (int(words[6]) != 0) == own:
                    found[rank, int(words[4])][0] += 1
                    found[rank, int(words[4])][1] += int(words[2][:-1])
    return {pair: tuple(value) for pair, value in found.items()}


def calculated(path):
    """Nanoseconds of computation by rank."""
    found, rank = collections.Counter(), None
    with open(path) as lines:
        for line in lines:
            if line.startswith("rank "):
                rank = int(line.split()[1])
            elif ": calc " in line:
                found[rank] += int(line.split()[2])
    return found
