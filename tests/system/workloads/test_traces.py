# SPDX-License-Identifier: Apache-2.0
"""VEF and GOAL: what they say, round trips, and what is refused, with its line."""

import gzip
import json
import random
import resource
import subprocess

import pytest

VEF = """VEF3 4 4 2 1 2 FALSE
C0 0 1 2 3
C1 2 3
0 0 1 100 0 0 -1
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
    plain = "\n".join(line for line in VEF.replace("4 4 2 1 2", "4 3 1 0 0").splitlines()
                      if not line.startswith(("C1", "G0", "3 "))) + "\n"
    write(extorus, "plain.vef", plain)
    for step in (("plain.vef", "b.goal"), ("b.goal", "c.vef"), ("c.vef", "d.goal")):
        extorus("workload", "convert", *step)
    assert (extorus.folder / "c.vef").read_text() == plain
    assert (extorus.folder / "d.goal").read_text() == (extorus.folder / "b.goal").read_text()
    extorus("workload", "convert", "made.goal", "x.vef", status=2, stderr="write GOAL")


def goal_waits(text):
    """(sender, receiver, how many between them before) -> what the send waits for over computations: (is received, and the same
    three of that message), and the sums of the computations on the ways to it."""
    waits, seen = {}, {}
    for rank, block in enumerate(text.split("rank ")[1:]):
        what, on = {}, {}
        for line in block.splitlines()[1:]:
            words = line.replace(":", "").split()
            if len(words) == 3 and words[1] == "requires":
                on[words[0]].append(words[2])
            elif len(words) > 2:
                label, kind = words[0], words[1]
                on[label], what[label] = [], (kind, int(words[2]) if kind == "calc" else 0)
                if kind != "calc":
                    pair = (rank, int(words[4])) if kind == "send" else (int(words[4]), rank)
                    nth = seen.setdefault((kind, pair), 0)
                    seen[kind, pair] += 1
                    what[label] = (kind, (*pair, nth))

        def back(label):
            found = {}
            for before in on[label]:
                kind, more = what[before]
                if kind == "calc":
                    for event, times in back(before).items():
                        found.setdefault(event, set()).update(time + more for time in times)
                else:
                    found.setdefault((kind == "recv", more), set()).add(0)
            return found or {None: {0}}

        waits.update({more: back(label) for label, (kind, more) in what.items() if kind == "send"})
    return waits


@pytest.mark.parametrize("kind", ("random", "halo", "fft", "graph"))
def test_one_dependency(extorus, kind):
    """As VEF, the same messages, each of which waits for one of the things that it waited for: something received, if there is
    one. With all dependencies there is no such file."""
    words = ("workload", "generate", kind, "--ranks", "12", "--compute", "30", "-o")
    extorus(*words, "made.goal")
    said = extorus(*words, "made.vef", "--one-dependency")
    extorus(*words, "x.vef", status=2, stderr="--one-dependency")
    assert extorus("workload", "convert", "made.goal", "again.vef", "--one-dependency").split(":")[1] == said.split(":")[1]
    assert (extorus.folder / "again.vef").read_text().count("\n") == (extorus.folder / "made.vef").read_text().count("\n")
    waits, count = goal_waits((extorus.folder / "made.goal").read_text()), {}
    records = [tuple(map(int, line.split())) for line in (extorus.folder / "made.vef").read_text().splitlines()[2:]]
    names = []
    for _, source, to, _, _, _, _ in records:
        names.append((source, to, count.setdefault((source, to), 0)))
        count[source, to] += 1
    assert sorted(names) == sorted(waits)
    several = 0
    for name, (_, _, _, _, dep, time, on) in zip(names, records):
        allowed = waits[name]
        kept = None if dep == 0 else (dep == 2, names[on])
        assert kept in allowed and time == max(allowed[kept])
        assert dep == 2 or not any(other and other[0] for other in allowed)
        several += len(allowed) > 1
    assert several > 0 and int(said.split()[1]) >= several
    whole, less = shape(extorus, "made.goal"), shape(extorus, "made.vef")
    assert all(whole[key] == less[key] for key in ("messages", "bytes", "pairs", "longest_chain"))


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
    ("0 0 1 100 0 0 -1", "0 0 1 100 2 0 3", "waits, by others, for itself"), ("G0 1 2 1 64", "G0 1 9 1 64", "a.vef:9: there is no operation 9"),
    ("G0 1 2 1 64", "G0 1 2 0 64", "a.vef:9: task 0"), ("G0 1 2 1 64", "G0 1 3 1 64", "a.vef:9: G0 is another"),
    ("G0 1 2 1 64 64 2 9 2\n", "", "a.vef:8: task 1 of collective G0 is missing"), ("3 2 0 16 3 7 G0", "3 0 2 16 3 7 G0", "a.vef:7: rank 0 is in no")))
def test_bad_vef(extorus, old, new, message):
    assert old in VEF
    extorus("workload", "check", write(extorus, "a.vef", VEF.replace(old, new)), status=1, stderr=message)


@pytest.mark.parametrize("old, new, message", (
    ("num_ranks 3", "num_ranks 2", "a.goal:13: the receiver"), ("num_ranks 3\n", "", "begins with num_ranks"),
    ("recv 8b from 1", "", "a.goal:13: rank 1 sends to rank 2"), ("c: send 8b to 2", "c: calc 1", "a.goal:18: rank 2 receives from"),
    ("recv 8b", "recv 7b", "a.goal:18: receives 7 bytes"), ("l1: calc 100", "l1: calc ten", 'a.goal:4: "ten" where the time'),
    ("b irequires a", "b irequires z", "a.goal:12: there is no label z"), ("b: calc", "a: calc", "a.goal:11: label a"),
    ("c requires b\n", "c requires b\nb requires c\n", "waits, by others, for itself"), ("rank 2 {", "rank 1 {", "a.goal:17: rank 1 comes"),
    ("1024b to 1", "1024 to 1", 'a.goal:5: "to 1 tag 7 cpu 0 nic 0" where a size'), ("recv 8b from 1\n}\n", "recv 8b from 1\n", "a.goal:18: the file ends within a rank"),
    ("lines */", "lines", "within a comment"), ("c requires b", "c demands b", 'a.goal:15: "demands b" where')))
def test_bad_goal(extorus, old, new, message):
    assert old in GOAL
    extorus("workload", "check", write(extorus, "a.goal", GOAL.replace(old, new)), status=1, stderr=message)


@pytest.mark.parametrize("kind", ["goal", "vef"])
def test_compressed_files_that_are_not_whole(extorus, kind):
    """All text may have come although the end is lost; and a rank may be a part of its own, after which the file stops."""
    extorus("workload", "generate", "halo", "--ranks", "4", "-o", f"whole.{kind}", *(["--one-dependency"] if kind == "vef" else []))
    text = (extorus.folder / f"whole.{kind}").read_bytes()
    half = text.find(b"rank 2") if kind == "goal" else len(text) // 2
    parts = gzip.compress(text[:half]) + gzip.compress(text[half:])
    whole = extorus("workload", "stats", f"whole.{kind}")
    for name, content in (("one", gzip.compress(text)), ("parts", parts), ("padded", parts + bytes(512)), ("plain", text)):
        (extorus.folder / f"{name}.{kind}").write_bytes(content)
        assert extorus("workload", "stats", f"{name}.{kind}") == whole.replace("whole", name)
    body = gzip.compress(text)
    spoilt = body[:-8] + bytes([body[-8] ^ 1]) + body[-7:]
    for content in (body[:-1], body[:-8], body[:len(body) // 2], body[:5], spoilt, parts[:-3], gzip.compress(text[:half])[:-2] + b"\n"):
        (extorus.folder / f"cut.{kind}").write_bytes(content)
        extorus("workload", "stats", f"cut.{kind}", status=2, stderr=f"cut.{kind}: cannot be read to its end")


def test_a_pipe_without_a_name(extorus):
    """Of a file without an ending the kind is seen at its begin, also where nothing can be read twice."""
    for kind in ("goal", "vef"):
        extorus("workload", "generate", "halo", "--ranks", "4", "-o", f"whole.{kind}", *(["--one-dependency"] if kind == "vef" else []))
        text = (extorus.folder / f"whole.{kind}").read_bytes()
        for content in (text, gzip.compress(text)):
            done = subprocess.run([extorus.command, "workload", "stats", "/dev/stdin"], input=content, capture_output=True, check=True)
            assert done.stdout.decode() == extorus("workload", "stats", f"whole.{kind}").replace(f"whole.{kind}", "/dev/stdin")


def test_picture_of_the_matrix(extorus):
    extorus("workload", "generate", "halo", "--ranks", "27", "-o", "h.vef", status=2, stderr="write GOAL")
    extorus("workload", "generate", "halo", "--ranks", "27", "-o", "h.goal")
    extorus("workload", "stats", "h.goal", "--svg", "h.svg")
    # 27 ranks with 6 neighbours each, the axes' frame and the background.
    assert (extorus.folder / "h.svg").read_text().count("<rect") == 27 * 6 + 2


def made_up(count, ranks, seed, swap=0.0):
    """A trace in which nearly every message waits for one of the last four that its rank sent or received; some stand one line
    before what they wait for."""
    rng = random.Random(seed)
    seen, messages, order = [[] for _ in range(ranks)], [], list(range(count))
    for i in range(count):
        source, target = rng.randrange(ranks), rng.randrange(ranks)
        on, dep = rng.choice(seen[source][-4:]) if seen[source] and rng.random() < 0.95 else (0, 0)
        messages.append((source, target, rng.choice((16, 100, 600)), dep, rng.randrange(40), on))
        seen[source].append((i, 1))
        seen[target].append((i, 2))
    for i in range(count - 1):
        if rng.random() < swap:
            order[i], order[i + 1] = order[i + 1], order[i]
    lines = [""] * count
    for i, (source, target, size, dep, time, on) in enumerate(messages):
        lines[order[i]] = f"{order[i]} {source} {target} {size} {dep} {time} {order[on] if dep else 0}\n"
    return f"VEF3 {ranks} {count} 1 0 0 TRUE\nC0 {' '.join(map(str, range(ranks)))}\n" + "".join(lines)


@pytest.mark.parametrize("count, seed, swap", ((300, 1, 0.0), (1000, 2, 0.3)))
def test_a_window_changes_nothing_but_what_it_says(extorus, count, seed, swap):
    extorus("route", "torus:4x4", "--algorithm", "dor", "-o", "net.img")
    write(extorus, "a.vef", made_up(count, 16, seed, swap))

    def replay(*words):
        return json.loads(extorus("workload", "replay", "net.img", "a.vef", "--json", *words))

    whole = {name: value for name, value in replay().items() if not name.startswith("critical")}
    wide, narrow = replay("--window", str(count)), replay("--window", "20")
    assert wide.pop("late_messages") == 0 and wide == whole
    assert narrow["late_messages"] > 0 and narrow["ok"] and narrow["cells"] == whole["cells"] and narrow["messages"] == count


def test_a_trace_larger_than_memory(extorus):
    """In an address space in which the whole trace does not fit, a window of it does."""
    extorus("route", "torus:4", "--algorithm", "dor", "-o", "net.img")
    count = 150000
    # Chains of messages within a PE, which take a cycle each.
    write(extorus, "a.vef", f"VEF3 4 {count} 1 0 0 TRUE\nC0 0 1 2 3\n" + "".join(
        f"{i} {i % 4} {i % 4} 16 {2 if i > 3 else 0} 0 {max(i - 4, 0)}\n" for i in range(count)))

    def replay(megabytes, *words):
        return subprocess.run([extorus.command, "workload", "replay", "net.img", "a.vef", "--json", *words], cwd=extorus.folder,
                              capture_output=True, text=True, timeout=2000,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20,) * 2))

    room = next(megabytes for megabytes in range(24, 400, 8) if replay(megabytes, "--window", "100").returncode == 0)
    windowed, whole = replay(room, "--window", "100"), replay(room)
    assert whole.returncode == 2 and "out of memory" in whole.stderr
    result = json.loads(windowed.stdout)
    assert (result["messages"], result["local_messages"], result["late_messages"]) == (count, count, 0)
    assert result["execution_cycles"] == count // 4


@pytest.mark.parametrize("text, message", (
    ("VEF3 2 2 1 0 0 TRUE\nC0 0 1\n0 0 1 16 0 0 0\n", "a.vef:3: the file ends after 1 of 2"),
    ("VEF3 2 2 1 0 0 TRUE\nC0 0 1\n0 0 1 16 2 0 1\n1 1 0 16 2 0 0\n", "a.vef:3: message 0 waits, by others, for itself"),
    ("VEF3 2 2 1 0 0 TRUE\nC0 0 1\n0 0 1 16 2 0 0\n1 1 0 16 2 0 0\n", "a.vef:3: message 0 "),
    ("VEF3 2 2 1 0 0 TRUE\nC0 0 1\n0 0 1 16 0 0 0\n1 0 1 16 2 0 0\n", "a.vef:4: message 0 is not received by rank 0"),
    ("VEF3 2 2 1 0 0 TRUE\nC0 0 1\n0 0 1 16 0 0 0\n1 0 1 16 2 0 7\n", "a.vef:4: there is no message 7"),
    ("VEF3 2 3 1 0 0 TRUE\nC0 0 1\n0 0 1 16 2 0 2\n1 0 1 16 1 0 2\n2 1 0 16 0 0 0\n", "widen the window"), (VEF, "a.vef:1: collectives")))
def test_bad_traces_in_a_window(extorus, text, message):
    extorus("route", "torus:4", "--algorithm", "dor", "-o", "net.img")
    extorus("workload", "replay", "net.img", write(extorus, "a.vef", text), "--window", "2", status=1, stderr=message)


def test_vef_of_computations_side_by_side(extorus):
    """Both after the same receive, on two cpus: the longer one counts, and nothing is lost."""
    write(extorus, "a.goal", "num_ranks 2\nrank 0 {\nsend 8b to 1\nr: recv 8b from 1\n}\nrank 1 {\nr: recv 8b from 0\na: calc 20\n"
          "b: calc 10 cpu 1\na requires r\nb requires r\ns: send 8b to 0\ns requires a\ns requires b\n}\n")
    extorus("workload", "convert", "a.goal", "a.vef")
    assert (extorus.folder / "a.vef").read_text().splitlines()[2:] == ["0 0 1 8 0 0 -1", "1 1 0 8 2 20 0"]
