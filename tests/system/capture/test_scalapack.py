# SPDX-License-Identifier: Apache-2.0
"""ScaLAPACK's own test of LU, which nobody here wrote and which Debian has for both MPIs: the same messages from both, and as counted."""

import pathlib
import shutil

import pytest

from mpi import MONITOR, counted, mpirun, needed, sent
from test_mpich import LIBRARY, mpiexec

FOLDER = next(pathlib.Path("/usr/lib").glob("*/scalapack"), pathlib.Path("/nonexistent"))
SETTINGS = pathlib.Path("/usr/share/scalapack/LU.dat")
pytestmark = [needed, pytest.mark.long, pytest.mark.skipif(not (FOLDER.exists() and shutil.which("mpiexec.hydra") and LIBRARY.exists()),
                                                           reason="no ScaLAPACK of both MPIs (package scalapack-mpi-test), or no MPICH")]
RANKS = 16


def one_problem(text):
    """Debian's settings with the last one of each list of values, on one grid of processes."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if "process grids" in line:
            lines[at:at + 3] = ["1", "4", "4"]
        elif "umber of" in line and line[0].isdigit():
            values = [word for word in lines[at + 1].split() if word.isdigit()]
            lines[at:at + 2] = ["1", values[-1]]
    return "\n".join(lines) + "\n"


def test_scalapack(extorus, tmp_path):
    (tmp_path / "LU.dat").write_text(one_problem(SETTINGS.read_text()))
    printed = mpirun(tmp_path, RANKS, FOLDER / "openmpi-tests/xdlu", mca=MONITOR, seconds=300)
    found = sent(tmp_path / "run.goal", True)
    assert "PASSED" in printed and "FAILED" not in printed
    assert found == counted(tmp_path, "E") and len(found) > RANKS
    path = mpiexec(tmp_path, RANKS, FOLDER / "mpich-tests/xdlu")
    assert sent(path, True) == found
    assert f"{RANKS} ranks" in extorus("workload", "check", str(path))
