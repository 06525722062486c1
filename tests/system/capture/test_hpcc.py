# SPDX-License-Identifier: Apache-2.0
"""HPC Challenge, which nobody here wrote, captured and replayed."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from mpi import MCA, MONITOR, counted, mpirun, needed, sent
from processor_time import limited
from repository import ROOT

EXAMPLE = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
pytestmark = [needed, pytest.mark.long, pytest.mark.skipif(not (shutil.which("hpcc") and EXAMPLE.exists()), reason="no hpcc")]
README = ROOT / "host/capture/README.md"
RANKS = 32


def settings(folder, ranks=None):
    """Debian's example of the program's settings, or a smaller problem for other numbers of ranks."""
    text = EXAMPLE.read_text().splitlines()
    if ranks:
        for line, value in ((5, 64), (7, 8), (10, 4), (11, ranks // 4)):  # N, NB, P, Q
            text[line] = re.sub(r"^\d+", str(value), text[line])
    (folder / "hpccinf.txt").write_text("\n".join(text) + "\n")


def own_messages_are_counted(folder, path, ranks):
    # Under load hpcc itself loses updates of its RandomAccess: it has to come to its end.
    assert "Success=" in (folder / "hpccoutf.txt").read_text()
    found = sent(path, True)
    assert len(found) == ranks * (ranks - 1) and found == counted(folder, "E")


def messages(path):
    return sum(n for own in (True, False) for n, _ in sent(path, own).values())


# Open MPI takes the messages of its other alltoalls for those of the program.
COUNTING = {**MONITOR, "coll_tuned_use_dynamic_rules": 1, "coll_tuned_alltoall_algorithm": 2}


def test_hpcc(tmp_path):
    settings(tmp_path, 16)
    mpirun(tmp_path, 16, "hpcc", seconds=3000, mca=COUNTING)
    own_messages_are_counted(tmp_path, tmp_path / "run.goal", 16)


def test_the_commands_of_the_readme(extorus, tmp_path):
    """As they stand; then all records against Open MPI's count, and the first ones in both engines."""
    commands = re.search(r"^```\n(.*?)^```", README.read_text(), re.M | re.S)[1].splitlines()
    assert len(commands) == 4 and f"-n {RANKS} " in commands[0]
    (tmp_path / "build").symlink_to(ROOT / "build")
    settings(tmp_path)
    as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    env = {**os.environ, **as_root, **{f"OMPI_MCA_{name}": str(value) for name, value in {**MCA, **COUNTING}.items()}}
    printed = []
    for command in commands:
        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=env, capture_output=True, text=True, **limited(3000))
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        printed.append(done.stdout)
    count = messages(tmp_path / "hpcc.goal")
    assert count > 5000 * RANKS
    assert [int(re.search(r"^sent +(\d+) messages", text, re.M)[1]) for text in printed[2:]] == [count] * 2
    assert all("every packet right" in text for text in printed[2:])

    extorus("workload", "merge", "hpcc.goal.ranks", "-o", "all.goal")
    own_messages_are_counted(tmp_path, tmp_path / "all.goal", RANKS)

    extorus("workload", "merge", "hpcc.goal.ranks", "--records", "60", "-o", "begin.goal")
    count = messages(tmp_path / "begin.goal")
    assert count > 8 * RANKS
    for image in ("torus.img", "twin.img"):
        found = [json.loads(extorus("workload", "replay", image, "begin.goal", "--engine", engine, "--compute-scale", "0.01", "--json"))
                 for engine in ("model", "rtl")]
        assert all(replayed["ok"] and replayed["messages"] == count for replayed in found)
        assert len({replayed["execution_cycles"] for replayed in found}) == 1
