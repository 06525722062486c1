# SPDX-License-Identifier: Apache-2.0
"""GOAL schedules as LogGOPSim means them, quiet networks, and what the critical path adds up to."""

import gzip
import json
import random
import time

import pytest

import goal_oracle


@pytest.fixture
def replay(extorus):
    def run(text, *words, spec="torus:4", name="a.goal", status=0):
        if not (extorus.folder / f"net-{spec[6:]}.img").exists():
            extorus("route", spec, "--algorithm", "dor", "-o", f"net-{spec[6:]}.img")
        (extorus.folder / name).write_text(text)
        return json.loads(extorus("workload", "replay", f"net-{spec[6:]}.img", name, "--clock", "1000", "--json", *map(str, words), status=status))

    return run


def path_sum(result):
    return sum(result[f"critical_{part}_cycles"] for part in ("transfer", "calculation", "send", "waiting"))


# ---------------------------------------------------------------- a quiet network is not a stalled one

QUIET = """num_ranks 2
rank 0 {
c: calc 5000
s: send 8b to 1
s requires c
}
rank 1 {
r: recv 8b from 0
}
"""


def test_a_quiet_network_is_not_a_stalled_one(replay):
    one = replay(QUIET.replace("5000", "1"))["execution_cycles"] - 1
    for quiet in (3999, 4000, 5000, 1000000):
        result = replay(QUIET.replace("5000", str(quiet)))
        assert result["ok"] and result["packets"] == 1 and result["execution_cycles"] == quiet + one


def test_quiet_in_every_command(extorus, replay):
    """With a window, before a packet that is held back, and with cycles that are simulated one by one."""
    trace = "VEF3 2 2 1 0 0 TRUE\nC0 0 1\n0 0 1 8 0 9000 -1\n1 0 1 8 1 50000 0\n"
    whole, window = (replay(trace, *words, name="a.vef") for words in ((), ("--window", 1)))
    assert whole["ok"] and window["ok"] and whole["execution_cycles"] == window["execution_cycles"] > 59000
    assert replay(trace, "--every-cycle", name="a.vef")["execution_cycles"] == whole["execution_cycles"]
    held = json.loads(extorus("collective", "barrier", "--ranks", "4", "--on", "net-4.img", "--turnaround", "9000", "--json"))
    assert held["ok"] and held["execution_cycles"] > 18000
    late = json.loads(extorus("collective", "barrier", "--ranks", "4", "--on", "net-4.img", "--nic-latency", "9000", "--json"))
    assert late["ok"] and late["execution_cycles"] == held["execution_cycles"]


@pytest.mark.parametrize("engine", ("model", "rtl"))
@pytest.mark.parametrize("delay", ("--turnaround", "--nic-latency"))
def test_the_wait_before_a_send_is_jumped_over(extorus, replay, engine, delay):
    """The results of every cycle, and of a million cycles before each of nine messages in a row in a moment."""
    text = "num_ranks 4\n" + "".join(
        f"rank {r} {{\nc: calc {700 * r}\na: send 3000b to {(r + 1) % 4} tag 1\na requires c\nb: send 8b to {(r + 2) % 4} tag 2\n"
        f"d: recv 3000b from {(r - 1) % 4} tag 1\nrecv 8b from {(r - 2) % 4} tag 2\n}}\n" for r in range(4))
    jumped, stepped = (replay(text, delay, 5000, "--engine", engine, *words) for words in ((), ("--every-cycle",)))
    assert jumped.pop("jumped_cycles") > 5000 and stepped.pop("jumped_cycles") == 0
    assert jumped == stepped and jumped["ok"]
    start = time.monotonic()
    chain = json.loads(extorus("collective", "broadcast", "--algorithm", "pipeline", "--ranks", "4", "--bytes", "24", "--segment", "8",
                               "--on", "net-4.img", delay, "1000000", "--engine", engine, "--json"))
    assert time.monotonic() - start < 10 and chain["ok"] and chain["execution_cycles"] > 4000000


def two_phases(rng, ranks, gap):
    """Traffic, a quiet time, the same traffic once more."""
    lines, edges = [[] for _ in range(ranks)], [[] for _ in range(ranks)]
    sends = [(*rng.sample(range(ranks), 2), rng.randrange(1, 900)) for _ in range(40)]
    for phase in range(2):
        for i, (a, b, size) in enumerate(sends):
            lines[a].append(f"s{phase}_{i}: send {size}b to {b} tag {i}")
            lines[b].append(f"recv {size}b from {a} tag {i}")
            if phase:
                edges[a].append(f"s{phase}_{i} requires gap")
        if phase == 0:
            for rank in lines:
                rank.append(f"gap: calc {gap} cpu 1")
    return f"num_ranks {ranks}\n" + "".join(
        f"rank {r} {{\n" + "".join(line + "\n" for line in lines[r] + edges[r]) + "}\n" for r in range(ranks))


@pytest.mark.parametrize("engine", ("model", "rtl"))
def test_idle_time_is_jumped_over(replay, engine):
    """Nothing differs but the time that it takes: latencies, counters, the end."""
    text = two_phases(random.Random(4), 16, 20000)
    jumped, stepped = (replay(text, "--engine", engine, *words, spec="torus:4x4") for words in ((), ("--every-cycle",)))
    assert jumped.pop("jumped_cycles") > 18000 and stepped.pop("jumped_cycles") == 0
    assert jumped == stepped and jumped["ok"]


@pytest.mark.parametrize("engine", ("model", "rtl"))
def test_a_traced_minute_takes_seconds(replay, engine):
    """The traffic behind it takes as long as at cycle 0: times have more than 32 bits."""
    minute = 60 * 10**9
    rng = random.Random(4)
    near = replay(two_phases(rng, 16, 20000), "--engine", engine, spec="torus:4x4")
    start = time.monotonic()
    far = replay(two_phases(random.Random(4), 16, minute), "--engine", engine, spec="torus:4x4")
    assert time.monotonic() - start < 60
    assert far["ok"] and far["execution_cycles"] - minute == near["execution_cycles"] - 20000
    for latency in ("network_cell_latency", "end_to_end_packet_latency"):
        assert far[latency] == near[latency]
    assert path_sum(far) == far["execution_cycles"] and far["critical_calculation_cycles"] == minute


# ---------------------------------------------------------------- schedules

def test_one_cpu_computes_one_thing_at_a_time(replay):
    text = "num_ranks 1\nrank 0 {\nl1: calc 1000\nl2: calc 1000\n}\n"
    assert replay(text)["execution_cycles"] == 2000
    assert replay(text.replace("l2: calc 1000", "l2: calc 1000 cpu 1"))["execution_cycles"] == 1000
    assert replay(text.replace("l2: calc 1000", "l2: calc 1000 nic 1"))["execution_cycles"] == 2000


def test_after_the_begin_of_a_computation(replay):
    """l2 has the cpu at 1,000 only; what waits for its begin starts then, not when l2's dependencies are done."""
    text = "num_ranks 1\nrank 0 {\nl1: calc 1000\nl2: calc 500\nl3: calc 900 cpu 1\nl3 irequires l2\n}\n"
    assert replay(text)["execution_cycles"] == 1900
    assert replay(text.replace("irequires", "requires"))["execution_cycles"] == 2400


def test_a_receive_has_begun_before_its_message(replay):
    """Both ranks post a receive and then send: no one waits for itself. With requires they would."""
    text = "num_ranks 2\n" + "".join(
        f"rank {r} {{\nr: recv 8b from {1 - r}\ns: send 8b to {1 - r}\ns irequires r\n}}\n" for r in range(2))
    assert replay(text)["ok"]
    assert replay(text)["execution_cycles"] == replay(QUIET.replace("5000", "0"))["execution_cycles"]


def test_begins_of_begins(extorus, replay):
    """A chain of begins whose first waits for 700; a cycle of them is refused."""
    text = ("num_ranks 1\nrank 0 {\na: calc 700\nb: calc 50 cpu 1\nc: calc 60 cpu 2\nd: calc 70 cpu 3\nb requires a\nc irequires b\n"
            "d irequires c\n}\n")
    assert replay(text)["execution_cycles"] == 770
    (extorus.folder / "b.goal").write_text(text.replace("d irequires c", "d irequires c\nb irequires d"))
    extorus("workload", "check", "b.goal", status=1, stderr="waits, by others, for itself")


@pytest.mark.parametrize("wild", (False, True))
@pytest.mark.parametrize("seed", range(12))
def test_schedules_take_what_the_definition_says(replay, seed, wild):
    text, cycles = goal_oracle.draw_and_run(seed, wild)
    result = replay(text, "--tasks-per-pe", 4)
    assert result["ok"] and result["local_messages"] == 30
    assert result["execution_cycles"] == cycles and path_sum(result) == cycles


def test_tokens_end_where_the_grammar_ends_them(extorus, replay):
    """Blanks only where words would run together; two statements on a line where the grammar has no end of line."""
    text = ("\ufeffnum_ranks 2 rank 0{l1:calc100cpu1\r\n\tl2 :send1024bto1tag18446744073709551614cpu0nic0\n/* l3 */l2 requires\tl1}"
            "rank 1{recv 2048bfrom-1tag-1 // any\n}")
    result = replay(text)
    assert result["ok"] and result["cells"] == 64
    assert result["execution_cycles"] == 100 + replay("num_ranks 2\nrank 0 {\nsend 1024b to 1\n}\nrank 1 {\nrecv 1024b from 0\n}\n")[
        "execution_cycles"]
    for bad in ("rank0 {", "rank 0 {l1:", "rank 0 {\n1a: calc 5\n", "rank 0 {\na calc 5\n", "rank 0 {\nsend 8 b to -1\n",
                "rank 0 {\nsend 8b to 1 tag -1\n", "rank 0 {\ncalc 5 calc 6\n", "rank 0 {\nrecv 8b from -2\n"):
        (extorus.folder / "bad.goal").write_text(f"num_ranks 2\n{bad}" + "}\n")
        extorus("workload", "check", "bad.goal", status=1, stderr="bad.goal:")


def test_tags_of_64_bits(extorus, replay):
    """Tags that are the same in their lower 32 bits are not the same."""
    text = ("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 5\nsend 80b to 1 tag 4294967301\n}\n"
            "rank 1 {\nrecv 80b from 0 tag 4294967301\nrecv 8b from 0 tag 5\n}\n")
    assert replay(text)["ok"]
    extorus("workload", "convert", "a.goal", "b.goal")
    assert "tag 4294967301" in (extorus.folder / "b.goal").read_text()


def test_any_source_takes_what_comes_first(replay):
    """Rank 2 is late by 500; the first receive, of any source, gets the message of rank 1 and goes on."""
    text = ("num_ranks 3\nrank 0 {\na: recv 8b from -1 tag -1\nb: recv 8b from -1 tag -1\nc: calc 1000\nc requires a\nb irequires a\n}\n"
            "rank 1 {\nsend 8b to 0 tag 9\n}\nrank 2 {\nl: calc 500\ns: send 8b to 0 tag 8\ns requires l\n}\n")
    early = replay(text, "--tasks-per-pe", 3)
    assert early["ok"] and early["execution_cycles"] == 1001  # 1 for a message within the PE; then the computation
    only = replay(text.replace("c: calc 1000", "c: calc 100"), "--tasks-per-pe", 3)
    assert only["execution_cycles"] == 501


def test_a_message_that_others_take(replay, extorus):
    """Any order but this one has an end: which message comes first is seen in the run, and the run says who is left."""
    text = ("num_ranks 3\nrank 0 {\na: recv 8b from -1\nb: recv 8b from 1\n}\nrank 1 {\nsend 8b to 0\n}\n"
            "rank 2 {\nl: calc 500\ns: send 8b to 0\ns requires l\n}\n")
    replay(text.replace("from -1", "from 2"))
    extorus("workload", "check", "a.goal")
    (extorus.folder / "b.goal").write_text(text)
    extorus("workload", "check", "b.goal")
    extorus("workload", "replay", "net-4.img", "b.goal", status=2, stderr="rank 0 waits for a message that others have taken (line 4)")


@pytest.mark.parametrize("rank, line", [("a: send 8b to 1\na requires a\n", 3), ("a: calc 5\nb: send 8b to 1\na requires b\nb requires a\n", 3)])
def test_what_waits_for_itself_has_no_end_in_any_order(extorus, rank, line):
    """Rank 1 takes any message, so the order in time decides what it gets; of rank 0 no order has an end."""
    (extorus.folder / "a.goal").write_text(f"num_ranks 2\nrank 0 {{\n{rank}}}\nrank 1 {{\nrecv 8b from -1\n}}\n")
    extorus("workload", "check", "a.goal", status=1, stderr=f"a.goal:{line}: this event of rank 0 waits, by others, for itself")


def test_a_message_that_does_not_come(extorus, replay):
    (extorus.folder / "b.goal").write_text("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 3\n}\nrank 1 {\nrecv 8b from -1 tag 4\n}\n")
    extorus("workload", "check", "b.goal", status=1, stderr="a message that does not come")
    (extorus.folder / "b.goal").write_text("num_ranks 2\nrank 0 {\nsend 8b to 1\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from -1\n}\n")
    extorus("workload", "check", "b.goal", status=1, stderr="no receive for it")


def test_compressed(extorus, replay):
    plain = replay(QUIET)
    for name in ("b.goal.gz", "noname"):
        (extorus.folder / name).write_bytes(gzip.compress(QUIET.encode()))
        packed = json.loads(extorus("workload", "replay", "net-4.img", name, "--clock", "1000", "--json"))
        assert packed["execution_cycles"] == plain["execution_cycles"]
    trace = b"\xef\xbb\xbfVEF 2 1 1 0 0 TRUE\nC0 0 1\n0 0 1 8 0 10 -1\n"
    for name, words in (("c.vef.gz", ()), ("d", ()), ("c.vef.gz", ("--window", "1"))):
        (extorus.folder / name).write_bytes(gzip.compress(trace))
        assert json.loads(extorus("workload", "replay", "net-4.img", name, "--json", *words))["ok"]


def test_cpus_survive_a_round_trip(extorus, replay):
    """Times of a VEF trace run side by side; as GOAL they are on cpus of their own, and take as long."""
    trace = "VEF3 2 4 1 0 0 TRUE\nC0 0 1\n0 0 1 8 0 300 -1\n1 0 1 8 0 400 -1\n2 0 1 8 1 500 0\n3 1 0 8 2 70 2\n"
    before = replay(trace, name="a.vef")
    extorus("workload", "convert", "a.vef", "b.goal")
    text = (extorus.folder / "b.goal").read_text()
    assert "calc 300 cpu 1\n" in text and "calc 400 cpu 2\n" in text
    assert replay(text)["execution_cycles"] == before["execution_cycles"]
    extorus("workload", "convert", "b.goal", "c.goal")
    assert (extorus.folder / "c.goal").read_text() == text


# ---------------------------------------------------------------- sums

@pytest.mark.parametrize("words", (
    ("broadcast", "--algorithm", "linear", "--ranks", "16", "--bytes", "2000"), ("alltoall", "--ranks", "16", "--bytes", "100"),
    ("allreduce", "--ranks", "13", "--bytes", "5000"), ("allgather", "--ranks", "16", "--bytes", "64", "--turnaround", "300"),
    ("alltoall", "--algorithm", "linear-sync", "--ranks", "16", "--bytes", "700", "--tasks-per-pe", "2")))
def test_the_critical_path_adds_up(extorus, words):
    extorus("route", "torus:4x4", "--algorithm", "dor", "-o", "net.img")
    result = json.loads(extorus("collective", *words, "--on", "net.img", "--json"))
    assert path_sum(result) == result["execution_cycles"]
    text = extorus("collective", *words, "--on", "net.img")
    assert f"{result['critical_send_cycles']} of own sends, {result['critical_waiting_cycles']} of waiting" in text


def test_the_sends_of_a_rank_are_on_the_path(replay):
    """Twice 1,024 bytes out, one after the other: the first send is waited for, the second message is."""
    text = "num_ranks 2\nrank 0 {\na: send 1024b to 1\nb: send 16b to 1\nb requires a\n}\nrank 1 {\nrecv 1024b from 0\nrecv 16b from 0\n}\n"
    result = replay(text)
    assert result["critical_send_cycles"] == result["critical_path"][0]["end"] - result["critical_path"][0]["begin"] >= 64
    assert path_sum(result) == result["execution_cycles"]


@pytest.mark.parametrize("engine, sizes, turnaround", [
    *(("model", sizes, turnaround) for sizes in ((512,), (512, 512), (512, 320, 512), (1000, 600, 16)) for turnaround in (0, 40)),
    ("rtl", (512, 320, 512), 40)])
def test_waiting_behind_own_sends_is_no_transfer(replay, engine, sizes, turnaround):
    """All sends of a rank begin at once: the last one waits for a cycle per cell of the others, and then takes its own way."""
    def text(sizes):
        sends, recvs = ("".join(f"{kind} {size}b {way}\n" for size in sizes) for kind, way in (("send", "to 1"), ("recv", "from 0")))
        return f"num_ranks 2\nrank 0 {{\n{sends}}}\nrank 1 {{\n{recvs}}}\n"
    alone, result = (replay(text(part), "--engine", engine, "--turnaround", turnaround) for part in (sizes[-1:], sizes))
    assert (alone["critical_send_cycles"], alone["critical_transfer_cycles"]) == (0, alone["execution_cycles"])
    assert result["critical_send_cycles"] == sum(-(-size // 16) for size in sizes[:-1])
    assert result["critical_transfer_cycles"] == alone["execution_cycles"] and path_sum(result) == result["execution_cycles"]


TAKEN_BY_TWO = ("num_ranks 2\nrank 0 {\na: recv 8b from -1\nb: calc 5\nb requires a\nc: send 8b to 0\nc requires b\n%s}\n"
                "rank 1 {\n%s}\n")


@pytest.mark.parametrize("more, other, finding", [
    ("", "", "a.goal:3: this event of rank 0 waits, by others, for itself"),
    ("", "send 8b to 0\n", "which has no receive for it"),
    ("d: recv 8b from 0\n", "", "this event of rank 0 waits, by others, for itself"),
    ("d: recv 8b from 1 tag 7\n", "send 8b to 0\n", "waits for a message that does not come; add its send"),
    ("d: recv 8b from -1\n", "send 8b to 0\n", None),
])
def test_a_message_that_depends_on_its_only_receive(extorus, more, other, finding):
    """Rank 0 takes any message and then sends to itself: without a message of rank 1 no order in time has an end."""
    (extorus.folder / "a.goal").write_text(TAKEN_BY_TWO % (more, other))
    if finding:
        extorus("workload", "check", "a.goal", status=1, stderr=finding)
    else:
        extorus("workload", "check", "a.goal")


def test_no_order_of_messages_ends(extorus):
    """Either receive of rank 0 can have the one message that comes first, and both must have it before the others are sent."""
    text = ("num_ranks 2\nrank 0 {\na: recv 8b from -1\nb: recv 8b from -1\nc: send 8b to 1\nc requires a\nc requires b\n}\n"
            "rank 1 {\nsend 8b to 0\nr: recv 8b from 0\ns: send 8b to 0\ns requires r\n}\n")
    (extorus.folder / "a.goal").write_text(text)
    extorus("workload", "check", "a.goal", status=1,
            stderr="gets no message in any order that was tried; add its send, or name the sources and tags of receives")


@pytest.mark.parametrize("senders", [(1, 2, 3, 4), (2, 1, 3, 4), (1, 3, 4, 2)])
def test_a_send_too_many_is_left_over_in_every_order(extorus, senders):
    """The third receive names rank 2. Ranks are written in any order, and the first order in time may have no end."""
    ranks = [f"rank {rank} {{\nsend 8b to 0 tag 1\n}}\n" for rank in senders]
    (extorus.folder / "a.goal").write_text(
        "num_ranks 6\nrank 0 {\nr0: recv 8b from -1 tag -1\nr1: recv 8b from -1 tag -1\nr1 requires r0\nr2: recv 8b from 2 tag 1\n"
        "r2 requires r1\n}\n" + "".join(ranks))
    extorus("workload", "check", "a.goal", status=1, stderr="which has no receive for it")
