# SPDX-License-Identifier: Apache-2.0
"""The same programs with MPICH: their messages are those captured with Open MPI, which its monitoring counts."""

import os
import shutil
import subprocess

import pytest

from mpi import mpirun, needed, sent
from processor_time import limited
from repository import ROOT

LIBRARY = ROOT / "build/libextorus-capture-mpich.so"
pytestmark = [needed, pytest.mark.skipif(not (shutil.which("mpicc.mpich") and shutil.which("mpiexec.hydra") and LIBRARY.exists()),
                                         reason="no MPICH beside Open MPI, or no build/libextorus-capture-mpich.so")]
KINDS = ["blocking", "waitall", "waitany", "waitsome", "test", "testall", "testany", "testsome", "persistent", "probes", "communicators",
         "reduce", "gather", "allgather", "alltoallw", "scatterv", "reduce_scatter", "scan", "neighbours", "nonblocking_collectives"]


def mpiexec(folder, ranks, program, *words):
    done = subprocess.run(["mpiexec.hydra", "-n", str(ranks), "-genv", "LD_PRELOAD", LIBRARY, "-genv", "EXTORUS_CAPTURE", "mpich.goal",
                           program, *words], cwd=folder, capture_output=True, text=True, env=dict(os.environ), **limited(300))
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "mpich.goal"


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    for compiler in ("mpicc", "mpicc.mpich"):
        subprocess.run([compiler, "-w", "-D_GNU_SOURCE", ROOT / "tests/system/capture/calls.c", "-o", folder / compiler], check=True)
    return folder / "mpicc", folder / "mpicc.mpich"


@pytest.mark.parametrize("kind", KINDS)
def test_messages(tmp_path, programs, kind):
    mpirun(tmp_path, 4, programs[0], kind)
    path = mpiexec(tmp_path, 4, programs[1], kind)
    for own in (True, False):
        assert sent(path, own) == sent(tmp_path / "run.goal", own)


@pytest.mark.skipif(not (shutil.which("mpif90.mpich") and shutil.which("mpif90")), reason="no mpif90 of both")
def test_fortran(tmp_path):
    """MPICH's Fortran comes through C's calls, which must not count twice."""
    for compiler, more in (("mpif90", []), ("mpif90.mpich", ["-fallow-argument-mismatch"])):
        subprocess.run([compiler, *more, "-w", ROOT / "tests/system/capture/calls.f90", "-o", compiler], cwd=tmp_path, check=True)
    mpirun(tmp_path, 5, "./mpif90")
    path = mpiexec(tmp_path, 5, "./mpif90.mpich")
    for own in (True, False):
        assert sent(path, own) == sent(tmp_path / "run.goal", own)
