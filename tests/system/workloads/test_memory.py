# SPDX-License-Identifier: Apache-2.0
"""Memory of a replay of a trace read whole: at most 64 bytes for each event, beyond what the network takes."""

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


TASKS = 64
SUM = sum(8 + task % 3 for task in range(TASKS))
# By operation, what a task sends and receives; the last three have blocks of several sizes.
SIZES = (
    lambda task: (0, 8) if task else (8, 0), lambda task: (8, 0) if task else (0, 8), lambda task: (8, 8),
    lambda task: (8, 0 if task else 8 * TASKS), lambda task: (0 if task else 8 * TASKS, 8), lambda task: (8, 8 * TASKS),
    lambda task: (0, 0), lambda task: (8, 0), lambda task: (8 + task % 3, 0 if task else SUM),
    lambda task: (8 + task % 3, SUM), lambda task: (8 * TASKS, 1))
OPERATIONS = (0, 1, 2, 3, 4, 5, 6, 7, 3, 5, 7)


def collectives(extorus, kind, count):
    """One after the other, as VEF."""
    text = [f"VEF3 {TASKS} 0 1 {count} {count * TASKS} FALSE", "C0 " + " ".join(map(str, range(TASKS)))]
    for number in range(count):
        after = f"3 0 G{number - 1}" if number else "0 0 -1"
        for task in range(TASKS):
            sent, received = SIZES[kind](task)
            text.append(f"G{number} 0 {OPERATIONS[kind]} {task} {sent} {received} {after}")
    (extorus.folder / "a.vef").write_text("\n".join(text) + "\n")
    extorus("workload", "convert", "a.vef", "a.goal")
    text = (extorus.folder / "a.goal").read_text()
    return sum(text.count(f": {word} ") for word in ("send", "recv", "calc"))


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=() if kind == 9 else pytest.mark.long) for kind in range(len(SIZES))])
@pytest.mark.slow
def test_bytes_per_event_of_collectives(extorus, kind):
    extorus("route", "torus:4x4x4", "--algorithm", "dor", "-o", "net.img")
    one = collectives(extorus, kind, 1)
    found = []
    for events in (200_000, 600_000):
        found.append((collectives(extorus, kind, events // one), peak(extorus, "workload", "replay", "net.img", "a.vef")))
    (few, little), (all_of_them, much) = found
    assert all_of_them - few > 300_000 and (much - little) / (all_of_them - few) <= MOST


@pytest.mark.parametrize("trace, rounds", ((halo, (30, 150)), (wide, (2, 10))))
@pytest.mark.slow
def test_bytes_per_event(extorus, trace, rounds):
    extorus("route", "torus:8x8x4", "--algorithm", "dor", "-o", "net.img")
    found = []
    for count in rounds:
        trace(extorus, count)
        text = (extorus.folder / "a.goal").read_text()
        events = sum(text.count(f": {kind} ") for kind in ("send", "recv", "calc"))
        # In two traffic classes, as a queue of single cells has half of the line rate, and what waits for it is the network's.
        found.append((events, peak(extorus, "workload", "replay", "net.img", "a.goal", "--tc", "0,1")))
    (few, little), (all_of_them, much) = found
    assert all_of_them - few > 300_000 and (much - little) / (all_of_them - few) <= MOST
