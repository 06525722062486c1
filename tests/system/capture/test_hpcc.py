# SPDX-License-Identifier: Apache-2.0
"""HPC Challenge, which nobody here wrote, captured and replayed."""

import json
import pathlib
import re
import shutil

import pytest

from mpi import MONITOR, counted, mpirun, needed, sent

EXAMPLE = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
pytestmark = [needed, pytest.mark.long, pytest.mark.skipif(not (shutil.which("hpcc") and EXAMPLE.exists()), reason="no hpcc")]
LARGE = 1_000_000  # bytes: only the last benchmark, of latency and bandwidth, sends such messages


def part(source, target, is_end):
    """A trace of the files up to the first line for which is_end(number, words) holds: its name, and its messages."""
    (target / "part").mkdir()
    for path in source.iterdir():
        lines = path.read_text().splitlines()
        end = next((i for i, line in enumerate(lines) if is_end(i, line.split())), len(lines))
        (target / "part" / path.name).write_text("\n".join(lines[:end]) + "\n")


def messages(path):
    return sum(n for own in (True, False) for n, _ in sent(path, own).values())


@pytest.mark.parametrize("ranks", [16, 32])
def test_hpcc(extorus, tmp_path, ranks):
    text = EXAMPLE.read_text().splitlines()
    for line, value in ((5, 64), (7, 8), (10, 4), (11, ranks // 4)):  # N, NB, P, Q
        text[line] = re.sub(r"^\d+", str(value), text[line])
    (tmp_path / "hpccinf.txt").write_text("\n".join(text) + "\n")
    # Open MPI takes the messages of its other alltoalls for those of the program.
    mpirun(tmp_path, ranks, "hpcc", seconds=3000, mca={**MONITOR, "coll_tuned_use_dynamic_rules": 1, "coll_tuned_alltoall_algorithm": 2})
    # Under load hpcc itself loses updates of its RandomAccess: it has to come to its end.
    assert "Success=" in (tmp_path / "hpccoutf.txt").read_text()
    found = sent(tmp_path / "run.goal", True)
    assert len(found) == ranks * (ranks - 1) and found == counted(tmp_path, "E")

    # All benchmarks but the last in the model, and the first calls in both engines.
    for name, is_end, engines in (("model", lambda i, words: words[0] in "sS" and int(words[6]) >= LARGE, ["model"]),
                                  ("rtl", lambda i, words: i == 60, ["model", "rtl"])):
        (tmp_path / name).mkdir()
        part(tmp_path / "run.goal.ranks", tmp_path / name, is_end)
        extorus("workload", "merge", f"{name}/part", "-o", f"{name}.goal")
        count = messages(tmp_path / f"{name}.goal")
        assert count > (1000 if name == "model" else 8) * ranks
        for network, algorithm in (("torus:4x4x2", "dor"), ("twin:2x2x2x2", "dort")):
            extorus("route", network, "--algorithm", algorithm, "-o", "a.img")
            found = [json.loads(extorus("workload", "replay", "a.img", f"{name}.goal", "--engine", engine, "--compute-scale", "0.01", "--json"))
                     for engine in engines]
            assert all(replayed["ok"] and replayed["messages"] == count for replayed in found)
            assert len({replayed["execution_cycles"] for replayed in found}) == 1
