# SPDX-License-Identifier: Apache-2.0
"""Workloads on the network: the same in both engines, as long as the hardware's latencies say, dependencies kept."""

import fcntl
import json
import os
import pty
import random
import re
import struct
import subprocess
import termios
import time

import pytest

import image_file

LINK = 7  # cycles of a link in these tests


@pytest.fixture
def image(extorus):
    def make(spec, algorithm):
        ties = ["--ties", "positive"] if algorithm == "dor" else []
        extorus("route", spec, "--algorithm", algorithm, *ties, "-o", "net.img")
        return "net.img"

    return make


@pytest.fixture
def replay(extorus):
    def run(name, *words, status=0):
        return json.loads(extorus("collective", name, "--on", "net.img", "--latency", str(LINK), "--json", *map(str, words),
                                  status=status))

    return run


@pytest.mark.parametrize("spec, algorithm, words", (
    ("twin:2x2x2x2x2", "ts-dor", ("reduce", "--ranks", 64, "--bytes", 512)),
    ("twin:2x2x2x2x2", "ts-dor", ("allgather", "--ranks", 64, "--bytes", 32, "--tc", "0,1,2,3")),
    ("torus:4x4x4", "dor", ("alltoall", "--ranks", 64, "--bytes", 16, "--map", "random", "--map-seed", 3, "--nic-latency", 5)),
    ("torus:4x4x4", "dor", ("gather", "--ranks", 100, "--bytes", 100, "--tasks-per-pe", 2, "--turnaround", 3))))
@pytest.mark.slow
def test_both_engines_agree_on_every_cycle(image, replay, spec, algorithm, words):
    image(spec, algorithm)
    model, rtl = (replay(*words, "--engine", engine) for engine in ("model", "rtl"))
    assert model["ok"] and rtl["ok"] and (model.pop("engine"), rtl.pop("engine")) == ("model", "rtl")
    assert model == rtl


# A head takes 2 cycles at a NIC's end, 5 in a switch, 2 + 2 in the link layers around a link; the receiver has it in the
# cycle after.
def message(hops, cells, link=LINK):
    return 2 + 5 * (hops + 1) + (4 + link) * hops + 2 + 1 + cells - 1


@pytest.mark.parametrize("size, cells", ((1, 1), (16, 1), (17, 2), (512, 32)))
def test_a_chain_of_messages_takes_its_latencies(image, replay, size, cells):
    """A pipeline along a ring: each message one hop, the next when its last cell is there."""
    image("torus:8", "dor")
    plain = replay("broadcast", "--algorithm", "pipeline", "--ranks", 8, "--bytes", size)
    assert plain["execution_cycles"] == 7 * message(1, cells)
    assert plain["network_cell_latency"]["mean"] == message(1, 1) - 1
    assert plain["critical_messages"] == 7 and plain["critical_transfer_cycles"] == plain["execution_cycles"]
    slow = replay("broadcast", "--algorithm", "pipeline", "--ranks", 8, "--bytes", size, "--nic-latency", 11, "--turnaround", 4)
    assert slow["execution_cycles"] == 7 * (message(1, cells) + 15)
    assert slow["network_cell_latency"]["mean"] == message(1, 1) - 1 + 11
    assert slow["network_packet_latency"]["mean"] == message(1, cells) - 1 + 11


def test_long_messages_are_cut_into_packets(image, replay):
    """1,000 bytes are 63 cells: packets of 32 and 31, one behind the other."""
    image("torus:8", "dor")
    result = replay("broadcast", "--ranks", 2, "--bytes", 1000)
    assert (result["packets"], result["cells"]) == (2, 63)
    assert result["execution_cycles"] == message(1, 63)


@pytest.mark.parametrize("size, cells", ((0, 4), (16, 4), (64, 4), (65, 5), (512, 32), (513, 36), (1024, 64)))
def test_short_packets_are_filled_up(image, replay, size, cells):
    image("torus:8", "dor")
    words = ("broadcast", "--ranks", 2, "--bytes", size) if size else ("barrier", "--algorithm", "linear", "--ranks", 2)
    result = replay(*words, "--least-cells", 4)
    assert result["ok"] and result["cells"] == (cells if size else 2 * cells)
    assert result["execution_cycles"] == message(1, cells) * (1 if size else 2)


def test_bad_least_cells(extorus, image):
    image("torus:8", "dor")
    extorus("collective", "reduce", "--ranks", "2", "--on", "net.img", "--least-cells", "33", status=2, stderr="choose 1 to 32")


def test_critical_path_and_end_to_end(extorus, image, replay):
    image("torus:4x4", "dor")
    result = replay("reduce", "--ranks", 16, "--bytes", 16)
    path = result["critical_path"]
    assert result["critical_messages"] == 4 and path[-1]["end"] == result["execution_cycles"]
    for before, after in zip(path, path[1:]):
        assert before["begin"] <= after["begin"] and before["end"] <= after["end"]
    # Binomial, ranks 1, 2, 4, 8 to 0: one hop, two, one, two.
    assert result["execution_cycles"] == 2 * message(1, 1) + 2 * message(2, 1)
    assert "through ranks 15, 14, 12, 8, 0\n" in extorus("collective", "reduce", "--ranks", "16", "--bytes", "16", "--on", "net.img")
    burst = replay("broadcast", "--algorithm", "linear", "--ranks", 16, "--bytes", 512)
    # All 15 sends begin at once and leave one after the other.
    assert burst["end_to_end_packet_latency"]["max"] >= 15 * 32
    assert burst["end_to_end_packet_latency"]["mean"] > burst["network_packet_latency"]["mean"] + 6 * 32


def test_maps(extorus, image, replay):
    image("torus:8", "dor")
    words = ("broadcast", "--algorithm", "pipeline", "--ranks", 4, "--bytes", 16)
    (extorus.folder / "far").write_text("# rank by rank\n0\n4\n\n0\n4\n")
    assert replay(*words, "--map", "file:far", "--tasks-per-pe", 2)["execution_cycles"] == 3 * message(4, 1)
    (extorus.folder / "same").write_text("5\n" * 4)
    local = replay(*words, "--map", "file:same", "--tasks-per-pe", 4)
    assert (local["messages"], local["local_messages"], local["packets"], local["execution_cycles"]) == (3, 3, 0, 3)
    assert replay(*words, "--tasks-per-pe", 2)["local_messages"] == 2
    assert replay(*words, "--map", "random", "--map-seed", 1) == replay(*words, "--map", "random", "--map-seed", 1)
    times = {replay(*words, "--map", "random", "--map-seed", seed)["execution_cycles"] for seed in range(6)}
    assert len(times) > 1


@pytest.mark.parametrize("text, message_text", (
    ("0\n8\n", "far:2: not the number of a PE, 0 to 7"), ("0\n", "PEs for 1 of 2 ranks"), ("0\n1\n2\n", "far:3: more lines"),
    ("0\nx\n", "far:2:"), ("3\n3\n", "rank 1 is rank 2 on PE 3, which has 1 at most"), ("0\n1 2\n", "far:2:"),
    ("0\n\0", "far:2: a zero byte, or over 1048576 characters"), pytest.param("#" * 1048577, "far:1: a zero byte, or over", id="long"),
    ("#" * 300 + "\n0\n" + "#" * 253 + " 7\n", "PEs for 1 of 2 ranks"), ("0\n1\n#" + "9" * 600 + "\n8", "far:4: more lines")))
def test_bad_maps_are_refused(extorus, image, text, message_text):
    image("torus:8", "dor")
    (extorus.folder / "far").write_text(text)
    extorus("collective", "reduce", "--ranks", "2", "--on", "net.img", "--map", "file:far", status=2, stderr=message_text)


@pytest.mark.parametrize("each", (1, 2, 3))
def test_a_map_keeps_to_the_tasks_per_pe(extorus, image, each):
    """So many ranks on a PE and not one more, wherever they stand in the file."""
    image("torus:8", "dor")
    words = ("collective", "reduce", "--ranks", str(each + 2), "--on", "net.img", "--map", "file:map")
    words += ("--tasks-per-pe", str(each)) if each > 1 else ()
    for status, places in ((0, [4] * (each - 1) + [1, 7, 4]), (2, [4] * each + [1, 4])):
        (extorus.folder / "map").write_text("".join(f"{pe}\n" for pe in places))
        extorus(*words, status=status, stderr=f"rank {each + 1} is rank {each + 1} on PE 4, which has {each} at most" if status else None)


def test_too_many_ranks_and_wrong_classes(extorus, image):
    image("twin:2x2", "ts-dor")
    extorus("collective", "reduce", "--ranks", "9", "--on", "net.img", status=2, stderr="do not fit")
    extorus("collective", "reduce", "--ranks", "8", "--on", "net.img", "--tc", "1", status=2, stderr="none of these traffic classes")


def test_timeline(extorus, image):
    """A bar for each send and for the background; the path ends where the run does, at the right edge."""
    image("torus:4x4", "dor")
    extorus("collective", "allreduce", "--ranks", "16", "--on", "net.img", "--timeline", "t.svg")
    picture = (extorus.folder / "t.svg").read_text()
    assert picture.startswith("<svg") and picture.count("<rect") == 16 * 4 + 1
    points = picture.split('<polyline')[1].split('points="')[1].split('"')[0].split()
    assert points[0].startswith("70.0,") and points[-1].startswith("1270.0,")


def test_damaged_networks(extorus):
    """PEs of a failed card are passed over; what fails to arrive is not waited for without end."""
    extorus("route", "torus:4x4~5", "--algorithm", "layered", "-o", "net.img")
    done = json.loads(extorus("collective", "alltoall", "--ranks", "15", "--bytes", "16", "--on", "net.img", "--json"))
    assert done["ok"] and done["messages"] == 15 * 4
    extorus("collective", "alltoall", "--ranks", "16", "--on", "net.img", status=2, stderr="do not fit")


def cards_by_dimensions(source, to, radices):
    """The cards of a packet by DOR, both ends included; half a ring is gone upwards."""
    way, at, stride = [source], source, 1
    for radix in radices:
        here, there = at // stride % radix, to // stride % radix
        step = 1 if 2 * ((there - here) % radix) <= radix else -1
        while here != there:
            at += ((here + step) % radix - here) * stride
            here = (here + step) % radix
            way.append(at)
        stride *= radix
    return way


def test_utilisation_of_the_switches(extorus, image):
    """Each cell takes one cycle of one port of every card that it comes through, of the last one the NIC's."""
    rng, radices, ranks, ports = random.Random(5), (4, 3, 2), 24, 7
    image("torus:4x3x2", "dor")
    place = rng.sample(range(ranks), ranks)
    (extorus.folder / "map").write_text("".join(f"{pe}\n" for pe in place))
    sends = [(a, b, rng.randrange(1, 1500)) for a, b in (rng.sample(range(ranks), 2) for _ in range(300))]
    (extorus.folder / "a.goal").write_text(f"num_ranks {ranks}\n" + "".join(
        f"rank {r} {{\n" + "".join(f"send {n}b to {b} tag {i}\n" for i, (a, b, n) in enumerate(sends) if a == r)
        + "".join(f"recv {n}b from {a} tag {i}\n" for i, (a, b, n) in enumerate(sends) if b == r) + "}\n" for r in range(ranks)))
    result = json.loads(extorus("workload", "replay", "net.img", "a.goal", "--map", "file:map", "--json"))
    cells = [0] * ranks
    for a, b, size in sends:
        for card in cards_by_dimensions(place[a], place[b], radices):
            cells[card] += (size + 15) // 16
    slots = result["execution_cycles"] * ports
    assert result["utilisation"] == pytest.approx(sum(cells) / ranks / slots, rel=1e-9)
    assert result["utilisation_most"] == pytest.approx(max(cells) / slots, rel=1e-9)
    assert cells[result["utilisation_most_card"]] == max(cells)
    text = extorus("workload", "replay", "net.img", "a.goal", "--map", "file:map")
    assert f"of the switches' ports {sum(cells) / ranks / slots:.4f}, at most {max(cells) / slots:.4f}" in text


def test_critical_path_is_one_of_dependencies(extorus, image):
    """Every step of the path is what the schedule says that the next one waits for, and nothing is between them."""
    image("torus:4x4x4", "dor")
    extorus("workload", "generate", "random", "--ranks", "64", "--rounds", "5", "--compute", "100", "-o", "a.goal")
    result = json.loads(extorus("workload", "replay", "net.img", "a.goal", "--json"))
    path = result["critical_path"]
    assert path[0]["begin"] == 0 and path[-1]["end"] == result["execution_cycles"]
    for before, after in zip(path, path[1:]):
        if (before["kind"], after["kind"]) == ("send", "receive"):
            assert (before["peer"], after["peer"]) == (after["rank"], before["rank"]) and before["size"] == after["size"]
        else:
            assert before["rank"] == after["rank"] and after["begin"] == before["end"]
    # 100 ns at 650 MHz, ten times; the rest is on the way.
    calculations = [step for step in path if step["kind"] == "computation" and step["end"] > step["begin"]]
    assert len(calculations) == 10 and result["critical_calculation_cycles"] == 10 * 65
    others = result["critical_transfer_cycles"] + result["critical_send_cycles"] + result["critical_waiting_cycles"]
    assert result["critical_messages"] == 10 and others + 650 == result["execution_cycles"]


@pytest.mark.long
def test_progress_on_a_terminal(extorus, image):
    """Simulated time and messages done, in lines that a terminal of 60 columns does not break."""
    image("torus:4x4x4", "dor")
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    process = subprocess.Popen([extorus.command, "collective", "alltoall", "--ranks", "64", "--bytes", "16384", "--on", "net.img"],
                               cwd=extorus.folder, stdout=subprocess.DEVNULL, stderr=slave, env={**os.environ, "TERM": "xterm"})
    os.close(slave)
    seen = b""
    try:
        while block := os.read(master, 4096):
            seen += block
    except OSError:  # the other side is closed
        pass
    os.close(master)
    assert process.wait() == 0
    lines = [line for line in seen.decode().replace("\x1b[K", "").split("\r") if line]
    found = [re.fullmatch(r"cycle (\d+), (\d+) of 4032 messages \[#* *\] +(\d+)%, .*/s", line) for line in lines]
    assert len(found) > 2 and all(found) and max(map(len, lines)) < 60
    cycles, messages = ([int(match[i]) for match in found] for i in (1, 2))
    assert cycles == sorted(cycles) and messages == sorted(messages) and messages[-1] < 4032


def test_too_many_ranks_are_refused_at_once(extorus, image):
    image("torus:4", "dor")
    begin = time.monotonic()
    extorus("collective", "alltoall", "--ranks", "65535", "--on", "net.img", status=2, stderr="65535 ranks do not fit on 4 PEs")
    assert time.monotonic() - begin < 5


@pytest.mark.parametrize("engine, words", [
    ("model", "collective gather --ranks 4 --root DEST --on loop.img"), ("model", "collective alltoall --ranks 4 --bytes 1 --on loop.img"),
    ("model", "workload replay loop.img halo.vef"), ("model", "workload replay loop.img halo.vef --window 8"),
    ("rtl", "workload replay loop.img halo.vef")])
@pytest.mark.parametrize("dest, loop", [(0, (1, 2)), (0, (2, 3)), (3, (0, 1))])
def test_a_loop_of_the_tables_ends_the_replay(extorus, image, words, engine, dest, loop):
    name = image("torus:4", "dor")
    good = (extorus.folder / name).read_bytes()
    (extorus.folder / "loop.img").write_bytes(image_file.with_loop(good, links=6, nics=1, tcs=4, dest=dest, loop=loop))
    extorus("workload", "generate", "halo", "--ranks", "4", "--rounds", "2", "--one-dependency", "-o", "halo.vef")
    words = words.replace("DEST", str(dest))
    extorus(*words.split(), "--engine", engine, status=1, stderr="livelock")
    text = extorus(*words.split(), "--engine", engine, "--force", status=1)
    assert re.search(rf"livelock: packet .* to PE {dest}, .* made 5 hops in a network of 4 cards", text)


@pytest.mark.parametrize("words", [
    "sim loop.img --engine model --load 0.2 --measure 300 --warmup 10", "sim loop.img --engine model --load 0.2 --measure 300 --warmup auto:1000",
    "inject --device model:torus:4 --image loop.img --packets 50 --timeout 500", "counters --device model:torus:4 --image loop.img --load 0.2"])
def test_a_loop_of_the_tables_ends_every_command(extorus, image, words):
    name = image("torus:4", "dor")
    good = (extorus.folder / name).read_bytes()
    (extorus.folder / "loop.img").write_bytes(image_file.with_loop(good, links=6, nics=1, tcs=4, dest=0, loop=(1, 2)))
    extorus(*words.split(), status=1, stderr="livelock")
    begin = time.monotonic()
    extorus(*words.split(), "--force", status=1)
    assert time.monotonic() - begin < 10


@pytest.mark.parametrize("words", ["alltoall --ranks 65535", "alltoall --ranks 65535 --on net.img --tasks-per-pe 65536", "alltoall --ranks 40000 --algorithm pairwise",
                                   "allgather --ranks 65536 --algorithm ring", "broadcast --ranks 4 --bytes 4294967296 --segment 1",
                                   "reduce --ranks 65536 --bytes 1048576 --segment 16 --algorithm chain", "alltoall --ranks 65536 --graph"])
def test_too_many_messages_are_refused_at_once(extorus, image, words):
    image("torus:4", "dor")
    begin = time.monotonic()
    extorus("collective", *words.split(), status=2, stderr="messages, and 134217728 are as many as can be")
    assert time.monotonic() - begin < 5
