# SPDX-License-Identifier: Apache-2.0
"""LAMMPS, which nobody here wrote: molecular dynamics of a liquid, captured and replayed."""

import json
import shutil

import pytest

from mpi import MONITOR, counted, mpirun, needed, sent

pytestmark = [needed, pytest.mark.long, pytest.mark.skipif(not shutil.which("lmp"), reason="no lmp (package lammps)")]
LIQUID = """units lj
lattice fcc 0.8442
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neigh_modify every 5 delay 0
fix 1 all nve
thermo 10
run {steps}
"""
# Open MPI takes the messages of some collectives for those of the program, of others not; these are those it does not.
COUNTING = {**MONITOR, "coll": "basic,libnbc,self,inter,monitoring"}


@pytest.mark.parametrize("ranks, steps", ((16, 20), (64, 20)))
def test_lammps(extorus, ranks, steps):
    """Messages and bytes of each pair are those that Open MPI counts, and both networks carry all of them."""
    (extorus.folder / "liquid.in").write_text(LIQUID.format(steps=steps))
    printed = mpirun(extorus.folder, ranks, "lmp", "-in", "liquid.in", mca=COUNTING, seconds=2000)
    assert "Loop time of" in printed and f" for {steps} steps with 2048 atoms" in printed
    found = sent(extorus.folder / "run.goal", True)
    # Each rank has neighbours in three dimensions, and speaks to them in every step.
    assert found == counted(extorus.folder, "E") and sum(messages for messages, _ in found.values()) > 3 * ranks * steps
    total = sum(messages for own in (True, False) for messages, _ in sent(extorus.folder / "run.goal", own).values())
    for spec, algorithm in ((f"torus:4x4x{ranks // 16}", "dor"), (f"twin:2x2x{ranks // 8}", "ts-dor")):
        extorus("route", spec, "--algorithm", algorithm, "-o", "net.img")
        result = json.loads(extorus("workload", "replay", "net.img", "run.goal", "--json"))
        assert result["ok"] and result["messages"] == total
