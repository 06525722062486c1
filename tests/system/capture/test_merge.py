# SPDX-License-Identifier: Apache-2.0
"""Captured files by hand, as CAPTURE.md defines them: one trace of them, and what is refused. Needs no MPI."""

import os
import random
import re
import subprocess

import pytest

from processor_time import limited


@pytest.fixture
def merge(extorus):
    """merge([lines of rank 0, ...]) -> (what the command says, {rank: lines of the schedule})."""

    def run(*ranks, world=True, end="E 0\n", options=(), **more):
        folder = extorus.folder / "ranks"
        folder.mkdir(exist_ok=True)
        for rank, lines in enumerate(ranks):
            first = [f"extorus-capture 1 {rank} {len(ranks)} 77"] + [f"C 0 0 {rank} world 0-{len(ranks) - 1}"] * world
            (folder / str(rank)).write_text("\n".join([*first, *lines]) + "\n" + end)
        said = extorus("workload", "merge", "ranks", "-o", "a.goal", *options, **more)
        if more:
            return said, None
        schedule = re.findall(r"^rank (\d+) \{\n(.*?)^\}", (extorus.folder / "a.goal").read_text(), re.M | re.S)
        return said, {int(rank): text.splitlines() for rank, text in schedule}

    return run


TAG = 1 << 32  # of the first communicator


def test_send_and_receive(merge):
    said, found = merge(["s 100 -1 0 1 7 64"], ["R 30 0 0 0 7", "D 5 0 -1 7 64"])
    assert said == ""
    assert found[0] == ["l1: calc 100 cpu 1", f"l2: send 64b to 1 tag {TAG + 7}", "l2 requires l1"]
    assert found[1] == ["l1: calc 30 cpu 1", f"l2: recv 64b from 0 tag {TAG + 7}", "l3: calc 5 cpu 1", "l2 requires l1", "l3 requires l1"]


def test_what_follows_a_wait_waits(merge):
    _, found = merge(["S 0 0 0 1 1 8", "S 0 1 0 1 2 9", "D 10 1", "s 0 -1 0 1 3 10", "D 0 0", "s 0 -1 0 1 4 11"],
                     ["R 0 0 0 0 1", "R 0 1 0 0 2", "D 0 0 -1 1 8", "D 0 1 -1 2 9", "R 0 0 0 -1 -1", "D 0 0 0 3 10", "R 0 0 0 0 4", "D 0 0 -1 4 11"])
    # 1, 2: sends; 3: computation; 4: the third send waits for 3 and 2; 5: the last one for 4 and 1.
    assert [line for line in found[0] if "requires" in line] == ["l4 requires l3", "l4 requires l2", "l5 requires l4", "l5 requires l1"]


def test_any_source_is_the_one_that_came(merge):
    receives = ["R 0 0 0 -1 -1", "R 0 1 0 -1 5", "D 0 1 1 5 20", "D 0 0 2 6 30"]
    _, found = merge(receives, ["s 0 -1 0 0 5 20"], ["s 0 -1 0 0 6 30"])
    assert found[0][:2] == [f"l1: recv 30b from 2 tag {TAG + 6}", f"l2: recv 20b from 1 tag {TAG + 5}"]


def test_a_probe_waits_for_the_message_that_is_received_later(merge):
    _, found = merge(["s 50 -1 0 1 3 12"], ["P 0 0 0 3", "P 0 0 0 3", "R 40 0 0 -1 -1", "D 0 0 0 3 12"])
    assert found[1] == [f"l1: recv 12b from 0 tag {TAG + 3}", "l2: calc 40 cpu 1", "l2 requires l1"]


def test_another_message_than_the_probed_one(merge):
    _, found = merge(["s 0 -1 0 1 3 12", "s 0 -1 0 1 4 13"],
                     ["P 0 0 0 4", "R 0 0 0 -1 -1", "D 0 0 0 3 12", "R 0 0 0 -1 -1", "D 0 0 0 4 13"])
    assert sorted(line.split(": ")[1] for line in found[1] if ": " in line) == [f"recv 12b from 0 tag {TAG + 3}", f"recv 13b from 0 tag {TAG + 4}"]


def test_communicators_of_the_same_ranks(merge):
    """The same tag: the receive of the twin comes first and does not get the message of the world."""
    _, found = merge(["C 0 1 0 world.0 0-1", "s 0 -1 0 1 1 40", "s 0 -1 1 1 1 41"],
                     ["C 0 1 1 world.0 0-1", "R 0 0 1 0 1", "R 0 1 0 0 1", "D 0 1 -1 1 40", "D 0 0 -1 1 41"])
    assert found[1][:2] == [f"l1: recv 41b from 0 tag {2 * TAG + 1}", f"l2: recv 40b from 0 tag {TAG + 1}"]


def test_collectives_wait_for_all(merge):
    rank = ["B 7 0 0 0 0 0 0", "D 0 0", "B 0 0 0 1 0 1 8", "D 0 0"]
    said, found = merge(rank, rank, options=("--rules", "basic"))
    assert said == "" and any("send 8b to 1 tag 0" in line for line in found[0])


def test_a_collective_beside_computation(merge):
    """What comes after the wait needs both, the computation and the collective."""
    _, found = merge(["B 0 0 0 1 0 1 8", "D 90 0", "s 0 -1 0 1 1 3"], ["B 0 0 0 1 0 1 8", "D 0 0", "R 0 0 0 0 1", "D 0 0 -1 1 3"])
    last = next(line.split(":")[0] for line in found[0] if "send 3b" in line)
    needed = {line.split()[2] for line in found[0] if line.startswith(f"{last} requires")}
    kinds = {line.split(":")[0]: line.split()[1] for line in found[0] if ":" in line}
    assert sorted(kinds[label] for label in needed) == ["calc", "send"]


def test_collectives_in_another_order_on_two_communicators(merge):
    a, b = ["B 0 0 0 1 0 1 8"], ["B 0 1 1 1 0 1 9"]
    head, ends = "C 0 1 {} world.0 0-1", ["D 0 0", "D 0 1"]
    said, found = merge([head.format(0), *a, *b, *ends], [head.format(1), *b, *a, *ends])
    assert said == "" and sum("send" in line for line in found[0]) == 2


def test_ends_of_a_killed_run(merge):
    said, found = merge(["s 0 -1 0 1 1 5", "B 0 0 0 0 0 0 0", "D 0 0", "s 0 -1 0 1 2 6"], ["R 0 0 0 0 9"], end="s 0 -1 0")
    assert said.splitlines() == ["2 messages that nobody received", "1 receives without a message, left out",
                                 "1 collectives that not all ranks began, left out", "2 ranks that ended without MPI_Finalize"]
    assert sum("send" in line for line in found[0]) == 2 and sum("recv" in line for line in found[1]) == 2


def test_cancelled(merge):
    said, found = merge(["R 0 0 0 1 1", "X 0 0"], [])
    assert said == "1 receives without a message, left out\n" and not any("recv" in line for line in found[0])


@pytest.mark.parametrize("line", ["Z 0", "s", "s x -1 0 1 1 1", "s 1 -1 9 1 1 1", "s 1 -1 0 9 1 1", "s 1 -1 0 1 4294967296 1", "s 1 -1 0 1 1", "S 0 -1 0 1 1 1",
                                  "D 0 77 1 1 1", "D 0 99999999999", "R 0 99999999999 0 1 1", "R 0 1 5 1 1", "P 0 0 -1 1", "P 0 0 1",
                                  "C 0 7 0 world 1-3", "C 0 7 0 world 1", "C 0 7 0 two 0-0:0", "C 0 7 0 two 0 0", "C 0 7 0 two 0-1:x", "C 0 7 0",
                                  "B 0 0 0 99 0 0 1", "B 0 0 0 7 0 1 1 1", "B 0 0 0 7 9 1 1", "B 0 1 0 15 0 1 1 9 9", "B 0 1 0 15 0 1 5", "B 0 1 0 15 0 1",
                                  "B 0 1 0 11 0 1 4", "B 0 1 0 1 0 1 -4"])
def test_wrong_lines_are_refused(merge, line):
    merge([line], [], status=1, stderr="ranks/0:3:")


def test_other_collectives_are_refused(merge):
    merge(["B 0 0 0 1 0 1 8"], ["B 0 0 0 2 0 1 8"], status=1, stderr="another collective")


def test_other_bytes_are_refused(merge):
    merge(["s 0 -1 0 1 1 5"], ["R 0 0 0 0 1", "D 0 0 -1 1 6"], status=1, stderr="ranks/1:3: 6 bytes were received of a message of 5")


def test_files_that_do_not_fit(merge, extorus):
    merge(["s 0 -1 0 1 1 5"], ["R 0 0 0 0 1", "D 0 0 -1 1 5"])
    rank = extorus.folder / "ranks/1"
    text = rank.read_text()
    for wrong, said in ((text.replace(" 77", " 78", 1), "of another run"), (text.replace(" 1 2 77", " 0 2 77", 1), "not the one of the file's name"),
                        (text.replace("extorus-capture 1", "extorus-capture 2"), "version 2 is not known"), ("", "empty"), ("x\n", "not a file of")):
        rank.write_text(wrong)
        extorus("workload", "merge", "ranks", "-o", "a.goal", status=1, stderr=said)
    rank.unlink()
    extorus("workload", "merge", "ranks", "-o", "a.goal", status=2, stderr="ranks/1: cannot be read")


def damaged(random, lines):
    """One field, or one line, is another one."""
    lines = [line.split() for line in lines]
    row = random.randrange(len(lines))
    kind = random.randrange(4)
    if kind == 0:
        del lines[row]
    elif kind == 1:
        lines.insert(random.randrange(len(lines) + 1), lines[row])
    elif kind == 2:
        lines[row][random.randrange(len(lines[row]))] = random.choice(["0", "1", "2", "-1", "3", "15", "4294967295", "9223372036854775807", "x", "S", "D", "B"])
    else:
        del lines[row][random.randrange(len(lines[row]))]
    return [" ".join(line) for line in lines if line]


WHOLE = [["C 0 1 {} world.0 0-1", "R 0 0 0 -1 -1", "s 5 -1 0 {} 7 64", "D 3 0 {} 7 64", "B 2 0 1 7 0 4 16", "R 1 1 1 {} 3", "S 0 2 1 {} 3 9", "D 1 0",
          "D 0 1 -1 3 9", "D 0 2", "B 0 0 0 11 0 1 4 8", "D 0 0", "B 0 0 0 15 0 1 1 {} 5 {}", "D 0 0", "s 0 -1 0 {} 1 1", "P 0 0 {} 1", "M 0 0 0 {} 1",
          "D 0 0 -1 1 1", "B 0 0 0 12 0 4 8", "D 0 0"]] * 2


def test_damaged_files_are_read_or_refused(extorus, tmp_path):
    whole = [[line.format(*[1 - rank] * 3) if line[0] != "C" else line.format(rank) for line in lines] for rank, lines in enumerate(WHOLE)]
    (tmp_path / "ranks").mkdir()
    seen = set()
    for seed in range(int(os.environ.get("EXTORUS_SEEDS", 150))):
        draw = random.Random(seed)
        for rank, lines in enumerate(whole):
            for _ in range(draw.randrange(1, 3) if seed and draw.randrange(2) == rank else 0):
                lines = damaged(draw, lines)
            text = "\n".join([f"extorus-capture 1 {rank} 2 77", f"C 0 0 {rank} world 0-1", *lines, "E 0"]) + "\n"
            (tmp_path / "ranks" / str(rank)).write_text(text)
        done = subprocess.run([extorus.command, "workload", "merge", "ranks", "-o", "a.goal"], cwd=tmp_path, capture_output=True, text=True,
                              **limited(60))
        assert done.returncode == 0 or (done.returncode in (1, 2) and done.stderr.startswith("extorus workload: ")), (seed, done.stderr)
        if done.returncode == 0:
            extorus("workload", "check", "a.goal")
        assert seed or (done.returncode == 0 and done.stdout == "")
        seen.add(done.returncode)
    assert {0, 1} <= seen


@pytest.mark.parametrize("records, count", ((1, 0), (2, 1), (4, 3), (5, 4), (99, 4)))
def test_the_begin_of_a_run(merge, records, count):
    """The first records of each rank behind the header, the communicator among them; nobody is said to have been killed."""
    sends = [f"s 0 -1 0 1 {tag} {size}" for tag, size in ((1, 8), (2, 9), (3, 10), (4, 11))]
    receives = ["R 0 0 0 0 1", "D 0 0 -1 1 8", "R 0 0 0 0 2", "D 0 0 -1 2 9", "R 0 0 0 0 3", "D 0 0 -1 3 10"]
    said, found = merge(sends, receives, options=("--records", str(records)))
    assert re.findall(r"send (\d+)b", "\n".join(found[0])) == ["8", "9", "10", "11"][:count]
    assert len(re.findall(r"recv", "\n".join(found[1]))) == count
    assert "without MPI_Finalize" not in said


def test_records_are_of_merge(extorus):
    extorus("workload", "stats", "a.goal", "--records", "3", status=2, stderr="--records is for merge")
