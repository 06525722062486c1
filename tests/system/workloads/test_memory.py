# SPDX-License-Identifier: Apache-2.0
"""Memory of a replay of GOAL read whole: at most 64 bytes for each event, beyond what the network takes."""

import subprocess
import sys

import pytest

MOST = 64  # bytes


# A program that begins as a copy of this one has this one's peak.
OBSERVER = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")


def peak(extorus, *words):
    done = subprocess.run([sys.executable, "-c", OBSERVER, extorus.command, *words], cwd=extorus.folder, capture_output=True, text=True, check=True)
    return int(done.stdout) * 1024


def halo(extorus, rounds):
    """Nearly two dependencies for each event, and two cpus of a rank."""
    extorus("workload", "generate", "halo", "--ranks", "256", "--rounds", str(rounds), "--compute", "500", "-o", "a.goal")


def wide(extorus, rounds):
    """Tags of 64 bits, and each event after the end or the begin of the one before."""
    text = ["num_ranks 256"]
    for rank in range(256):
        text.append(f"rank {rank} {{")
        for i in range(200 * rounds):
            kind, way = ("send", "to") if i % 2 == rank % 2 else ("recv", "from")
            text.append(f"l{i}: {kind} 8b {way} {rank ^ 1} tag {2**40 + i % 7}")
            if i:
                text.append(f"l{i} {'i' * (i % 2)}requires l{i - 1}")
        text.append("}")
    (extorus.folder / "a.goal").write_text("\n".join(text) + "\n")


@pytest.mark.parametrize("trace, rounds", ((halo, (30, 150)), (wide, (2, 10))))
@pytest.mark.slow
def test_bytes_per_event(extorus, trace, rounds):
    extorus("route", "torus:8x8x4", "--algorithm", "dor", "-o", "net.img")
    found = []
    for count in rounds:
        trace(extorus, count)
        text = (extorus.folder / "a.goal").read_text()
        events = sum(text.count(f": {kind} ") for kind in ("send", "recv", "calc"))
        found.append((events, peak(extorus, "workload", "replay", "net.img", "a.goal")))
    (few, little), (all_of_them, much) = found
    assert all_of_them - few > 300_000 and (much - little) / (all_of_them - few) <= MOST
