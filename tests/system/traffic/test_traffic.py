# SPDX-License-Identifier: Apache-2.0
"""What the PEs send, from the log of every packet, against independent definitions."""

import collections
import math
import os
import signal
import subprocess
import time

import pytest

import traffic_oracle as oracle

SHORT = ("--packet", "1", "--warmup", "0", "--drain", "200")
DEVIATIONS = 4  # a right distribution is that far off once in 16,000 seeds; the seeds are fixed


def pairs_of(packets):
    return {(packet["source"], packet["destination"]) for packet in packets}


@pytest.mark.parametrize("name", ("bit-complement", "bit-reversal", "shuffle", "transpose"))
@pytest.mark.parametrize("spec, bits", (("torus:4x4", 4), ("twin:4x4x2", 6)))
def test_bit_permutations(network, sim, name, spec, bits):
    _, packets = sim(network(spec), "--traffic", name, "--measure", 400, *SHORT)
    expected = {(pe, oracle.bit_permutation(name, pe, bits)) for pe in range(1 << bits)}
    expected = {pair for pair in expected if pair[0] != pair[1]}
    assert pairs_of(packets) == expected
    # Each of these rules is told from all others.
    for other in {"bit-complement", "bit-reversal", "shuffle", "transpose"} - {name}:
        assert {(pe, oracle.bit_permutation(other, pe, bits)) for pe in range(1 << bits)} - expected


@pytest.mark.parametrize("name", ("tornado", "neighbor"))
@pytest.mark.parametrize("spec, radices, per_node", (
    ("torus:5x4", (5, 4), 1), ("torus:1x3x2", (1, 3, 2), 1), ("twin:3x4", (3, 4), 2), ("mesh:4x3", (4, 3), 1)))
def test_digit_permutations(network, sim, name, spec, radices, per_node):
    result, packets = sim(network(spec), "--traffic", name, "--measure", 400, *SHORT)
    pes = math.prod(radices) * per_node
    assert result["pes"] == pes
    expected = {(pe, oracle.digit_permutation(name, pe, radices, per_node)) for pe in range(pes)}
    assert pairs_of(packets) == {pair for pair in expected if pair[0] != pair[1]}
    assert {(a, b) for b, a in expected} != expected  # a wrong sign would be seen


@pytest.mark.parametrize("spec, radices, per_node", (("torus:5x2", (5, 2), 1), ("twin:3x3", (3, 3), 2)))
def test_nearest(network, sim, spec, radices, per_node):
    _, packets = sim(network(spec), "--traffic", "nearest", "--load", 0.3, "--measure", 2000, *SHORT)
    pes = math.prod(radices) * per_node
    assert pairs_of(packets) == {(pe, dest) for pe in range(pes) for dest in oracle.nearest(pe, radices, per_node)}
    for pe in range(pes):
        near = oracle.nearest(pe, radices, per_node)
        counts = collections.Counter(packet["destination"] for packet in packets if packet["source"] == pe)
        assert abs(oracle.chi_square_deviation(counts, {dest: 1 / len(near) for dest in near})) < DEVIATIONS


def test_who_would_send_to_itself_sends_nothing(network, sim):
    """Transpose of 16 PEs leaves 4 of them alone: so much less is offered."""
    result, packets = sim(network("torus:4x4"), "--traffic", "transpose", "--load", 0.4, "--measure", 4000, *SHORT)
    assert {packet["source"] for packet in packets} == set(range(16)) - {0, 5, 10, 15}
    assert abs(result["offered_load"] - 0.4 * 12 / 16) < 0.01


@pytest.mark.parametrize("name, chances", (
    ("uniform", lambda pe, pes: {dest: 1 / (pes - 1) for dest in range(pes) if dest != pe}),
    ("hot-region", oracle.hot_chances),
    ("zipf", lambda pe, pes: oracle.zipf_chances(pe, pes, 5, 1.0)),
    ("zipf:0.5", lambda pe, pes: oracle.zipf_chances(pe, pes, 5, 0.5)),
    ("zipf:8", lambda pe, pes: oracle.zipf_chances(pe, pes, 5, 8.0)),
    ("zipf-common", lambda pe, pes: oracle.zipf_common_chances(pe, pes, 5, 1.0)),
    ("zipf-common:0.5", lambda pe, pes: oracle.zipf_common_chances(pe, pes, 5, 0.5))))
def test_distributions(network, sim, name, chances):
    """By a chi-square test per source, which must also tell the pattern from a uniform one with the next seed's ranks."""
    pattern, _, exponent = name.partition(":")
    words = ("--zipf-exponent", exponent) if exponent else ()
    pes, load = 32, 0.01 if pattern.startswith("zipf") else 0.2
    _, packets = sim(network("torus:8x4"), "--traffic", pattern, *words, "--load", load, "--seed", 5, "--measure",
                     60000 if pattern.startswith("zipf") else 4000, *SHORT)
    wrong = 0
    for pe in range(pes):
        counts = collections.Counter(packet["destination"] for packet in packets if packet["source"] == pe)
        assert sum(counts.values()) > 400
        assert abs(oracle.chi_square_deviation(counts, chances(pe, pes))) < DEVIATIONS, pe
        law = oracle.zipf_common_chances if pattern == "zipf-common" else oracle.zipf_chances
        other = law(pe, pes, 6, float(exponent or 1.0))
        wrong += abs(oracle.chi_square_deviation(counts, other)) > DEVIATIONS
    assert wrong >= pes - 2


def test_matrix(extorus, network, sim):
    """Destinations as weighted; who sends most has the load, the others their part."""
    weights = {(0, 1): 3.0, (0, 2): 1.0, (1, 0): 2.0, (5, 3): 0.5, (5, 6): 0.5, (7, 1): 0.0}
    (extorus.folder / "m.csv").write_text("src,dst,weight\n" + "".join(f"{s},{d},{w}\n" for (s, d), w in weights.items()))
    result, packets = sim(network("torus:4x2"), "--matrix", "m.csv", "--load", 0.5, "--measure", 10000, *SHORT)
    counts = collections.Counter((packet["source"], packet["destination"]) for packet in packets)
    total = sum(weights.values())
    assert abs(oracle.chi_square_deviation(counts, {pair: w / total for pair, w in weights.items() if w})) < DEVIATIONS
    assert abs(result["offered_load"] - 0.5 * (1 + 0.5 + 0.25) / 8) < 0.005
    assert set(counts) == {pair for pair, w in weights.items() if w}


@pytest.mark.parametrize("text, message", (
    ("src,dst,weight\n0,1,0\n", "add up to nothing"), ("src,dst,weight\n0,9,1\n", "from 0 to 7"),
    ("src,dst,weight\n0,0,1\n", "sends to itself"), ("a\n", "src,dst,weight"), ("", "empty")))
def test_bad_matrices_are_refused(extorus, network, text, message):
    (extorus.folder / "m.csv").write_text(text)
    extorus("sim", network("torus:4x2"), "--engine", "model", "--matrix", "m.csv", status=2, stderr=message)


def test_matrix_of_what_failed_is_refused(extorus):
    extorus("route", "torus:4x4~7", "--algorithm", "layered", "-o", "f.img")
    (extorus.folder / "m.csv").write_text("src,dst,weight\n0,7,1\n")
    extorus("sim", "f.img", "--engine", "model", "--matrix", "m.csv", status=2, stderr="out of service")


@pytest.mark.parametrize("spec, pattern, message", (
    ("torus:3x4", "bit-complement", "not for 12"), ("torus:3x4", "shuffle", "not for 12"),
    ("torus:3x4", "bit-reversal", "not for 12"), ("torus:8x4", "transpose", "4, 16, 64"),
    ("torus:3x2", "hot-region", "from 8 on"), ("torus:2x2", "tornado", "itself"), ("torus:2x1", "shuffle", "itself"),
    ("torus:4x4", "matrix", "src,dst,weight"), ("torus:4x4", "spiral", "nearest or matrix")))
def test_sizes_that_patterns_are_not_defined_for(extorus, network, spec, pattern, message):
    extorus("sim", network(spec), "--engine", "model", "--traffic", pattern, status=2, stderr=message)


def test_a_network_without_coordinates_has_no_tornado(extorus):
    (extorus.folder / "net.json").write_text('{"cards": 3, "links": [[0, 0, 1, 1], [1, 0, 2, 1], [2, 0, 0, 1]]}')
    extorus("route", "file:net.json", "--algorithm", "updown", "-o", "n.img")
    extorus("sim", "n.img", "--engine", "model", "--traffic", "tornado", status=2, stderr="coordinates")


def gaps(packets, source):
    times = sorted(packet["generated"] for packet in packets if packet["source"] == source)
    return [b - a for a, b in zip(times, times[1:])]


@pytest.mark.parametrize("arrivals", ("bernoulli", "poisson"))
def test_arrivals(network, sim, arrivals):
    """Bernoulli: gaps are geometric from 1 on. Poisson: the counts per cycle are, so that gaps of 0 happen. Each test
    refuses the other process."""
    rate, cycles = 0.3, 20000
    _, packets = sim(network("torus:2x2"), "--arrivals", arrivals, "--load", rate, "--measure", cycles, *SHORT)
    packets = [packet for packet in packets if packet["generated"] < cycles]
    geometric = {gap: rate * (1 - rate)**(gap - 1) for gap in range(1, 60)}
    poisson = {count: math.exp(-rate) * rate**count / math.factorial(count) for count in range(12)}
    for pe in range(4):
        by_gap = collections.Counter(gaps(packets, pe))
        per_cycle = collections.Counter(packet["generated"] for packet in packets if packet["source"] == pe)
        by_count = collections.Counter(per_cycle.values())
        by_count[0] = cycles - len(per_cycle)
        right = {"bernoulli": (by_gap, geometric), "poisson": (by_count, poisson)}[arrivals]
        wrong = {"bernoulli": (by_count, poisson), "poisson": (by_gap, geometric)}[arrivals]
        assert abs(oracle.chi_square_deviation(*right)) < DEVIATIONS
        assert abs(oracle.chi_square_deviation(*wrong)) > DEVIATIONS


@pytest.mark.parametrize("packet, chances", (
    ("1-32", {n: 1 / 32 for n in range(1, 33)}), ("7", {7: 1.0}), ("2/16", {2: 0.5, 16: 0.5}),
    ("1/32:0.8", {1: 0.8, 32: 0.2})))
def test_lengths(network, sim, packet, chances):
    result, packets = sim(network("torus:2x2"), "--packet", packet, "--load", 0.4, "--measure", 20000, "--warmup", 0)
    counts = collections.Counter(packet["cells"] for packet in packets)
    assert abs(oracle.chi_square_deviation(counts, chances)) < DEVIATIONS
    assert abs(result["offered_load"] - 0.4) < 0.03
    wrong = {n: (3.0 if n == max(chances) else 1.0) for n in chances}
    if len(wrong) > 1:
        wrong = {n: weight / sum(wrong.values()) for n, weight in wrong.items()}
        assert abs(oracle.chi_square_deviation(counts, wrong)) > DEVIATIONS


def test_mix_of_traffic_classes(network, sim):
    """Shares are of cells, whatever the lengths; each class has its own pattern and lengths."""
    result, packets = sim(network("torus:4x4"), "--mix", "0=3,uniform,1-32", "--mix", "2=1,bit-complement,2",
                          "--load", 0.4, "--measure", 20000, "--warmup", 0)
    cells = collections.Counter()
    for packet in packets:
        cells[packet["tc"]] += packet["cells"]
        if packet["tc"] == 2:
            assert packet["cells"] == 2 and packet["destination"] == 15 - packet["source"]
    assert set(cells) == {0, 2}
    assert cells[0] / cells[2] == pytest.approx(3, rel=0.05)
    assert abs(result["offered_load"] - 0.4) < 0.02
    assert [mix["tc"] for mix in result["mix"]] == [0, 2]


def test_mix_keeps_to_what_the_image_allows(network, sim):
    """TS-DOR gives PE0 TC 0 and 2, PE1 TC 1 and 3; shares are those of the classes that are left."""
    _, packets = sim(network("twin:2x2"), "--mix", "0=1", "--mix", "2=1", "--mix", "1=5", "--load", 0.3, "--measure",
                     6000, *SHORT)
    counts = collections.Counter((packet["source"] % 2, packet["tc"]) for packet in packets)
    assert set(counts) == {(0, 0), (0, 2), (1, 1)}
    assert counts[0, 0] / counts[0, 2] == pytest.approx(1, rel=0.1)
    assert counts[1, 1] / (counts[0, 0] + counts[0, 2]) == pytest.approx(1, rel=0.1)


@pytest.mark.parametrize("words, message", (
    (("--mix", "4=1"), "TC=SHARE"), (("--mix", "0=0"), "TC=SHARE"), (("--mix", "0=1", "--mix", "0=2"), "twice"),
    (("--mix", "0=1,gale"), "gale"), (("--mix", "0=1,uniform,0"), "packet length"), (("--mix", "0"), "TC=SHARE"),
    (("--mix", "0=1", "--tc", "0"), "--tc"), (("--packet", "32/1"), "packet length"),
    (("--packet", "1/32:1"), "packet length"), (("--arrivals", "weibull"), "weibull"),
    (("--traffic", "uniform,zipf"), "one pattern"), (("--load", "0.1:0.5:0"), "\"0\" is not a number")))
def test_wrong_words(extorus, network, words, message):
    extorus("sim", network("torus:2x2"), "--engine", "model", *words, status=2, stderr=message)


@pytest.mark.parametrize("words", (
    ("--traffic", "tornado", "--arrivals", "poisson"), ("--traffic", "hot-region", "--packet", "1/32:0.7"),
    ("--traffic", "zipf"), ("--mix", "0=1,shuffle,4", "--mix", "1=2,nearest", "--mix", "3=1,bit-reversal,1-8")))
@pytest.mark.slow
def test_both_engines_give_the_same(network, sim, words):
    same(sim, network("twin:4x2"), *words, "--load", 0.3, "--warmup", 100, "--measure", 400)


def same(sim, image, *words, runs=(("model",), ("rtl",))):
    """The runs, each of an engine and more words, have one result, packet by packet."""
    results = []
    for engine, *more in runs:
        result, packets = sim(image, *words, *more, engine=engine)
        for key in ("engine", "wall_seconds", "card_cycles_per_second", "evaluated_card_cycles"):
            del result[key]
        assert result["ok"] and packets
        results.append((result, packets))
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize("words", (("--load", 0.6), ("--load", 0.9, "--packet", 1, "--kill-link", "5:1@300", "--drain", 500, "--watchdog", 1200)))
def test_links_without_bypass(network, sim, words):
    """Their cells leave, and arrive, a cycle later than those of other profiles."""
    same(sim, network("torus:3x3", "--profile", "extoll_linked"), *words, "--warmup", 100, "--measure", 600, "--counters",
         runs=(("model",), ("model", "--threads", 2), ("rtl",)))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_ended_leaves_no_half_file(extorus, network, number):
    words = [extorus.command, "sim", network("torus:4"), "--engine", "model", "--measure", "4000000000", "--packet-log", "log.csv"]
    before = os.listdir(extorus.folder)
    with subprocess.Popen(words, cwd=extorus.folder) as running:
        time.sleep(0.7)
        running.send_signal(number)
        assert running.wait(20) == -number
    assert os.listdir(extorus.folder) == before
