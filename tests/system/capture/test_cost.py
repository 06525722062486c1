# SPDX-License-Identifier: Apache-2.0
"""What the library costs: three calls of a rank with itself, with and without the library."""

import re
import subprocess

from mpi import mpirun, needed
from repository import ROOT

pytestmark = needed
MOST_NS = 20_000  # of three calls, on a loaded machine


def test_cost(tmp_path):
    subprocess.run(["mpicc", "-O2", ROOT / "tests/system/capture/cost.c", "-o", "cost"], cwd=tmp_path, check=True)

    def best(capture):
        said = [mpirun(tmp_path, 1, "./cost", capture=capture, env={"EXTORUS_CAPTURE_MERGE": "0"}) for _ in range(3)]
        return min(float(re.search(r"^\d+\.\d$", text, re.M)[0]) for text in said)

    without, with_it = best(None), best("run.goal")
    print(f"{without:.0f} ns without, {with_it:.0f} ns with the library")
    assert with_it - without < MOST_NS
