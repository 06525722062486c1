# SPDX-License-Identifier: Apache-2.0
"""VEF and GOAL: what they say, round trips, and what is refused, with its line."""

import json

import pytest

VEF = """VEF3 4 4 2 1 0 TRUE
C0 0 1 2 3
C1 2 3
0 0 1 100 0 0 0
1 1 2 200 2 50 0
2 1 3 300 1 0 1
3 2 0 16 3 7 G0
G0 1 2 0 64 64 2 0 1
G0 1 2 1 64 64 2 9 2
"""
GOAL = """num_ranks 3
// a comment
rank 0 {
l1: calc 100
l2: send 1024b to 1 tag 7 cpu 0 nic 0
l2 requires l1 /* over
lines */
}
rank 1 {
a: recv 1024b from 0 tag 7
b: calc 5
b irequires a
c: send 8b to 2
c requires a
c requires b
}
rank 2 { 
recv 8b from 1
}
"""


def shape(extorus, name):
    return json.loads(extorus("workload", "stats", name, "--json"))


def write(extorus, name, text):
    (extorus.folder / name).write_text(text)
    return name


def test_what_a_vef_trace_says(extorus):
    seen = shape(extorus, write(extorus, "a.vef", VEF))
    # Four messages, and two of an allreduce between ranks 2 and 3 by recursive doubling.
    assert (seen["messages"], seen["bytes"]) == (6, 616 + 128)
    assert (seen["calculations"], seen["calculation_ns"]) == (3, 66)
    assert seen["longest_chain"] == 4  # 0, 1, the allreduce, 3
    extorus("workload", "check", "a.vef")


def test_what_a_goal_schedule_says(extorus):
    seen = shape(extorus, write(extorus, "a.goal", GOAL))
    assert (seen["messages"], seen["bytes"], seen["calculation_ns"], seen["longest_chain"]) == (2, 1032, 105, 2)
    assert seen["dependencies_on_receives"] == 1  # b waits for what a waits for, which is nothing


@pytest.mark.parametrize("kind", ("random", "halo", "fft", "graph"))
def test_round_trips(extorus, kind):
    """Converted and converted back, all is the same; the text of the second conversion is that of the first."""
    extorus("workload", "generate", kind, "--ranks", "12", "--compute", "30", "-o", "made.goal")
    extorus("workload", "convert", "made.goal", "again.goal")
    assert (extorus.folder / "made.goal").read_text() == (extorus.folder / "again.goal").read_text()
    assert shape(extorus, "made.goal")["messages"] > 12
    plain = "\n".join(line for line in VEF.replace("4 4 2 1 0", "4 3 1 0 0").splitlines()
                      if not line.startswith(("C1", "G0", "3 "))) + "\n"
    write(extorus, "plain.vef", plain)
    for step in (("plain.vef", "b.goal"), ("b.goal", "c.vef"), ("c.vef", "d.goal")):
        extorus("workload", "convert", *step)
    assert (extorus.folder / "c.vef").read_text() == plain
    assert (extorus.folder / "d.goal").read_text() == (extorus.folder / "b.goal").read_text()
    extorus("workload", "convert", "made.goal", "x.vef", status=2, stderr="write GOAL")


def test_replay_keeps_times(extorus):
    """1,000 ns at 500 MHz are 500 cycles, twice as long twice as many."""
    extorus("route", "torus:4", "--algorithm", "dor", "-o", "net.img")
    write(extorus, "a.vef", "VEF3 2 1 1 0 0 TRUE\nC0 0 1\n0 0 1 16 0 1000 0\n")

    def cycles(*words):
        return json.loads(extorus("workload", "replay", "net.img", "a.vef", "--json", *words))["execution_cycles"]

    base = cycles("--compute-scale", "0")
    assert cycles("--clock", "500") == base + 500
    assert cycles("--clock", "500", "--compute-scale", "2") == base + 1000


@pytest.mark.parametrize("old, new, message", (
    ("VEF3 4", "VEX3 4", "a.vef:1: a trace begins"), ("VEF3 4", "VEF3 0", "a.vef:1:"), ("4 4 2", "4 5 2", "a.vef:9: the file ends after 4 of 5"),
    ("4 4 2", "4 3 2", "a.vef:7: more messages"), ("C1 2 3", "C1 2 2", "a.vef:3: rank 2"), ("C1 2 3", "C1 2 9", "a.vef:3:"),
    ("C0 0 1 2 3", "C0 0 1 2", "a.vef:2: C0"), ("1 1 2 200 2 50 0", "1 1 4 200 2 50 0", "a.vef:5: the receiver"),
    ("1 1 2 200 2 50 0", "1 1 2 200 4 50 0", "a.vef:5: there is no kind"), ("1 1 2 200 2 50 0", "1 1 2 200 2 50 9", "a.vef:5: there is no message 9"),
    ("1 1 2 200 2 50 0", "1 1 2 200 2", "a.vef:5: the line ends"), ("1 1 2 200 2 50 0", "1 1 2 200 2 50 0 1", "a.vef:5: \"1\" is too much"),
    ("1 1 2 200 2 50 0", "7 1 2 200 2 50 0", "a.vef:5: \"7\" where message 1"), ("1 1 2 200 2 50 0", "1 1 2 200 2 50 2", "a.vef:5: message 2 is not received"),
    ("0 0 1 100 0 0 0", "0 0 1 100 2 0 3", "waits, by others, for itself"), ("G0 1 2 1 64", "G0 1 9 1 64", "a.vef:9: there is no operation 9"),
    ("G0 1 2 1 64", "G0 1 2 0 64", "a.vef:9: task 0"), ("G0 1 2 1 64", "G0 1 3 1 64", "a.vef:9: G0 is another"),
    ("G0 1 2 1 64 64 2 9 2\n", "", "a.vef:8: task 1 of collective G0 is missing"), ("3 2 0 16 3 7 G0", "3 0 2 16 3 7 G0", "a.vef:7: rank 0 is in no")))
def test_bad_vef(extorus, old, new, message):
    assert old in VEF
    extorus("workload", "check", write(extorus, "a.vef", VEF.replace(old, new)), status=1, stderr=message)


@pytest.mark.parametrize("old, new, message", (
    ("num_ranks 3", "num_ranks 2", "a.goal:13: the receiver"), ("num_ranks 3\n", "", "begins with num_ranks"),
    ("recv 8b from 1", "", "a.goal:13: rank 1 sends to rank 2"), ("c: send 8b to 2", "c: calc 1", "a.goal:18: rank 2 receives from"),
    ("recv 8b", "recv 9b", "a.goal:18: receives 9 bytes"), ("l1: calc 100", "l1: calc ten", "a.goal:4: the time"),
    ("b irequires a", "b irequires z", "a.goal:12: there is no label z"), ("b: calc", "a: calc", "a.goal:11: label a"),
    ("c requires b\n", "c requires b\nb requires c\n", "waits, by others, for itself"), ("rank 2 {", "rank 1 {", "a.goal:17: rank 1 comes"),
    ("1024b to 1", "1024 to 1", "a.goal:5: a size"), ("recv 8b from 1\n}\n", "recv 8b from 1\n", "a.goal:18: the file ends within a rank"),
    ("lines */", "lines", "within a comment"), ("c requires b", "c demands b", "a.goal:15: \"demands\"")))
def test_bad_goal(extorus, old, new, message):
    assert old in GOAL
    extorus("workload", "check", write(extorus, "a.goal", GOAL.replace(old, new)), status=1, stderr=message)


def test_picture_of_the_matrix(extorus):
    extorus("workload", "generate", "halo", "--ranks", "27", "-o", "h.vef", status=2, stderr="write GOAL")
    extorus("workload", "generate", "halo", "--ranks", "27", "-o", "h.goal")
    extorus("workload", "stats", "h.goal", "--svg", "h.svg")
    # 27 ranks with 6 neighbours each, the axes' frame and the background.
    assert (extorus.folder / "h.svg").read_text().count("<rect") == 27 * 6 + 2
