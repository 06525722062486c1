# SPDX-License-Identifier: Apache-2.0
"""Which PE each rank runs on: a message from rank 0 to rank r stays within its PE, or has the latency of the way to where r is."""

import json
import math
import statistics

import pytest

STUDENT_19 = 2.093024  # 97.5 % quantile, 19 degrees of freedom, from a table


@pytest.fixture
def message(extorus):
    """The cycles of one message between two of many ranks."""
    def run(ranks, a, b, *words, image="net.img"):
        lines = {a: f"send 8b to {b}\n", b: f"recv 8b from {a}\n"}
        (extorus.folder / "a.goal").write_text(f"num_ranks {ranks}\n" + "".join(f"rank {r} {{\n{lines.get(r, '')}}}\n" for r in range(ranks)))
        result = json.loads(extorus("workload", "replay", image, "a.goal", "--json", *words))
        return 0 if result["local_messages"] else result["execution_cycles"]

    return run


def same_places(message, ranks, place, *words):
    """As by a file of PE numbers: from the first rank to each other one, and from each to the first."""
    for r in range(1, ranks):
        for a, b in ((0, r), (r, 0)):
            assert message(ranks, a, b, *words) == message(ranks, a, b, "--map", "file:places", "--tasks-per-pe", "16"), (a, b, place)


def write_places(extorus, place):
    (extorus.folder / "places").write_text("".join(f"{pe}\n" for pe in place))


@pytest.mark.parametrize("how, each, place", (
    ("core", 1, [0, 1, 2, 3, 4, 5, 6, 7]), ("consecutive", 2, [0, 0, 1, 1, 2, 2, 3]), ("node", 1, [0, 2, 4, 6, 1, 3, 5, 7]),
    ("node", 2, [0, 2, 4, 6, 1, 3, 5, 7, 0, 2, 4])))
def test_by_node_and_by_core(extorus, message, how, each, place):
    """Four nodes with two cards, each with a PE."""
    extorus("route", "twin:2x2", "--algorithm", "ts-dor", "-o", "net.img")
    write_places(extorus, place)
    same_places(message, len(place), place, "--map", how, "--tasks-per-pe", str(each))


@pytest.mark.parametrize("text, each, place", (
    ("a\nb\na\nb\nc\n", 1, [0, 2, 1, 3, 4]), ("# as of mpirun\n\nnode7 slots=2\nnode3 slots=2 max_slots=9\n", 1, [0, 1, 2, 3]),
    ("x:3\ny:1\r\nx:1\n", 2, [0, 0, 1, 2, 1]), ("x:100\n", 4, [0, 0, 0, 0, 1, 1]), ("b slots=1\n  a  \n", 1, [0, 2])))
def test_by_names_of_hosts(extorus, message, text, each, place):
    extorus("route", "twin:2x2", "--algorithm", "ts-dor", "-o", "net.img")
    (extorus.folder / "hosts").write_text(text)
    write_places(extorus, place)
    same_places(message, len(place), place, "--map", "hosts:hosts", "--tasks-per-pe", str(each))


@pytest.mark.parametrize("text, ranks, wrong", (
    ("a\nb\n", 3, "slots for 2 of 3 ranks"), ("a slots=3\n", 3, "hosts:1: host a: more ranks than its node's PEs take"),
    ("a\nb\nc\nd\ne\n", 5, "hosts:5: host e: there is no node left"), ("a slots=x\n", 2, "hosts:1: host a: its slots are not a number"),
    ("a:\n", 2, "hosts:1: host a: its slots"), ("a b\n", 2, "hosts:1: host a: slots=N or the end")))
def test_bad_hosts(extorus, text, ranks, wrong):
    extorus("route", "twin:2x2", "--algorithm", "ts-dor", "-o", "net.img")
    (extorus.folder / "hosts").write_text(text)
    extorus("collective", "reduce", "--ranks", str(ranks), "--on", "net.img", "--map", "hosts:hosts", status=2, stderr=wrong)


@pytest.mark.parametrize("path, wrong", (
    ("/dev/zero", "/dev/zero:1: a zero byte"), (".", "is a folder"), ("nowhere", "No such file")))
@pytest.mark.parametrize("kind", ("hosts", "file"))
def test_files_that_are_no_maps(extorus, kind, path, wrong):
    extorus("route", "twin:2x2", "--algorithm", "ts-dor", "-o", "net.img")
    extorus("collective", "reduce", "--ranks", "2", "--on", "net.img", "--map", f"{kind}:{path}", status=2, stderr=wrong)


def test_many_random_maps(extorus):
    """The runs are those by each seed, and the interval is Student's."""
    extorus("route", "torus:4x4", "--algorithm", "dor", "-o", "net.img")
    words = ("collective", "alltoall", "--ranks", "9", "--bytes", "300", "--on", "net.img", "--json")
    many = json.loads(extorus(*words, "--mappings", "20", "--map-seed", "5"))
    assert many["ok"] and many["mappings"] == 20
    one = [json.loads(extorus(*words, "--map", "random", "--map-seed", str(seed))) for seed in range(5, 25)]
    for key, values in (("execution_cycles", [r["execution_cycles"] for r in one]), ("utilisation", [r["utilisation"] for r in one]),
                        ("network_packet_latency", [r["network_packet_latency"]["mean"] for r in one])):
        assert many[key]["each"] == pytest.approx(values)
        assert (many[key]["least"], many[key]["most"]) == pytest.approx((min(values), max(values)))
        assert many[key]["mean"] == pytest.approx(statistics.mean(values))
        assert many[key]["ci95"] == pytest.approx(STUDENT_19 * statistics.stdev(values) / math.sqrt(20), rel=1e-4)
    assert len(set(many["execution_cycles"]["each"])) > 3
    text = extorus(*words[:-1], "--mappings", "20", "--map-seed", "5")
    assert f"{many['execution_cycles']['mean']:.6g}" in text
    for bad in (("--map", "node"), ("--timeline", "t.svg"), ("--mappings", "1")):
        extorus(*words, "--mappings", "20", *bad, status=2)
