# SPDX-License-Identifier: Apache-2.0
"""Generated communication of published programs: message by message what their descriptions say (programs.py), and in number and
bytes what the programs themselves sent when they ran."""

import collections
import fractions
import json

import pytest

import programs


@pytest.fixture
def sent(extorus):
    """Messages by (from, to, bytes), of a generated program or of a collective among a group."""

    def of(kind, *words):
        extorus("workload", "generate", kind, "-o", "a.goal", *words)
        found, rank = collections.Counter(), 0
        for line in (extorus.folder / "a.goal").read_text().splitlines():
            words = line.split()
            if words[:1] == ["rank"]:
                rank = int(words[1])
            elif len(words) > 4 and words[1] == "send":
                found[rank, int(words[4]), int(words[2][:-1])] += 1
        return found

    def expanded(messages):
        found, known = collections.Counter(), {}
        for message in messages:
            if not isinstance(message[0], str):
                found[message] += 1
                continue
            name, group, size = message
            members = tuple(range(group)) if isinstance(group, int) else group
            key = name, len(members), size
            if key not in known:
                element = next(n for n in (16, 8, 4, 2, 1) if size % n == 0)
                graph = json.loads(extorus("collective", name, "--ranks", str(len(members)), "--bytes", str(size), "--graph",
                                           "--element", str(element)))
                known[key] = collections.Counter((e[1], e[2], e[3]) for e in graph["events"] if e[0] == 0)
            for (source, target, length), count in known[key].items():
                found[members[source], members[target], length] += count
        return found

    of.expanded = expanded
    return of


@pytest.mark.parametrize("kind, name, ranks", (
    ("cg", "S", 1), ("cg", "S", 2), ("cg", "S", 8), ("cg", "W", 16), ("cg", "A", 32), ("lu", "S", 1), ("lu", "S", 2), ("lu", "S", 12),
    ("lu", "W", 16), ("mg", "S", 2), ("mg", "S", 8), ("mg", "W", 16), ("mg", "S", 128), ("ft", "S", 2), ("ft", "S", 16),
    ("ft", "W", 64), ("is", "S", 4), ("is", "S", 32), ("is", "W", 16)))
def test_nas(sent, kind, name, ranks):
    wanted = programs.is_(name, ranks, fractions.Fraction) if kind == "is" else getattr(programs, kind)(name, ranks)
    assert sent(kind, "--class", name, "--ranks", str(ranks)) == sent.expanded(wanted)


# Messages and bytes of the timed part when NPB 3.4 ran on Open MPI, counted by a library between them: those of the program's own,
# and its collectives.
MEASURED = (("cg", "S", 4, 6300, 17497920, ()), ("cg", "S", 16, 44160, 52623360, ()),
            ("mg", "S", 32, 10048, 3695616, ("allreduce", 32, 8, 4)), ("lu", "S", 8, 11000, 6208000, ("allreduce", 8, 40, 2)))


@pytest.mark.parametrize("kind, name, ranks, messages, size, collective", MEASURED)
def test_what_the_programs_sent(sent, kind, name, ranks, messages, size, collective):
    found = sent(kind, "--class", name, "--ranks", str(ranks))
    if collective:
        found -= sent.expanded([collective[:3]] * collective[3])
    assert (found.total(), sum(key[2] * count for key, count in found.items())) == (messages, size)


@pytest.mark.parametrize("ranks", (1, 6, 16))
def test_graph500(sent, ranks):
    wanted = list(programs.graph500(26, ranks, 2)) if ranks != 6 else [("allreduce", 6, 8)] * 14 + [
        ("allgather", 6, 8 * 64 * 4096), ("allgather", 6, 8 * 4096)] * 12
    assert sent("graph500", "--ranks", str(ranks), "--rounds", "2") == sent.expanded(wanted)


@pytest.mark.parametrize("scale, levels", ((14, 1), (18, 2), (24, 9)))
def test_graph500_by_scale(sent, scale, levels):
    assert sent("graph500", "--class", str(scale), "--ranks", "16", "--rounds", "3", "--levels", str(levels)) == sent.expanded(
        list(programs.graph500(scale, 16, 3, levels)))


@pytest.mark.parametrize("ranks", (1, 2, 8, 12))
def test_random_access(sent, ranks):
    """The bytes between each two ranks, and messages that take what there was most of."""
    found, size = sent("randomaccess", "--ranks", str(ranks)), collections.Counter()
    for (source, target, length), count in found.items():
        size[source, target] += length * count
    wanted = programs.random_access(16, ranks)
    assert +size == wanted
    ends = sum(count for (_, _, length), count in found.items() if length == 0)
    assert ends == ranks * (ranks - 1)
    if ranks > 1:
        # A full rank has at least its share of 1,024 updates for one of the others.
        full = sum(count for (_, _, length), count in found.items() if length >= 8 * (1024 // (ranks - 1)))
        assert full > 0 and found.total() - ends - full <= ranks * (ranks - 1)


@pytest.mark.parametrize("size, ranks", ((1000, 1), (1000, 4), (2000, 6), (2000, 8), (1000, 12), (4000, 7), (2000, 64)))
def test_ptrans(sent, size, ranks):
    assert sent("ptrans", "--class", str(size), "--ranks", str(ranks)) == collections.Counter(programs.ptrans(size, ranks))


@pytest.mark.parametrize("ranks", (1, 2, 8, 12, 27, 64, 100))
def test_namd(sent, ranks):
    """Of each pair of neighbours one sends its atoms, and gets as many forces back."""
    found = sent("namd", "--ranks", str(ranks), "--rounds", "3")
    atoms = [92224 * (rank + 1) // ranks - 92224 * rank // ranks for rank in range(ranks)]
    homes = {(source, target) for source, target, size in found if size == 32 * atoms[source]}
    assert {frozenset(pair) for pair in homes} == programs.neighbours(ranks) and len(homes) == len(programs.neighbours(ranks))
    assert found == collections.Counter({message: 3 for source, target in homes for message in (
        (source, target, 32 * atoms[source]), (target, source, 24 * atoms[source]))})


@pytest.mark.parametrize("ranks, tensor, pipeline, expert, batches", (
    (8, 1, 1, 1, 1), (8, 8, 1, 1, 2), (8, 1, 4, 1, 3), (16, 2, 2, 1, 4), (16, 2, 2, 4, 2), (8, 1, 1, 8, 1), (4, 1, 4, 1, 1)))
def test_training(sent, ranks, tensor, pipeline, expert, batches):
    layers, hidden = 24 // pipeline, 2304
    data, activation = ranks // tensor // pipeline, 2 * 2048 * hidden
    wanted = []
    for stage in range(pipeline):
        at = [[(stage * data + d) * tensor + t for t in range(tensor)] for d in range(data)]
        for row in at:
            wanted += [("allreduce", tuple(row), activation)] * (layers * 4 * batches) if tensor > 1 else []
        for t in range(tensor):
            column = [row[t] for row in at]
            wanted += [("allreduce", tuple(column), layers * (12 * hidden + 13) * hidden // tensor * 2)] if data > 1 else []
            for i in range(0, data if expert > 1 else 0, expert):
                wanted += [("alltoall", tuple(column[i:i + expert]), activation // expert)] * (layers // 2 * 4 * batches)
        if stage + 1 < pipeline:
            step = data * tensor
            wanted += [(source, source + step, activation) for row in at for source in row] * batches
            wanted += [(source + step, source, activation) for row in at for source in row] * batches
    words = ("--tensor", str(tensor), "--pipeline", str(pipeline), "--expert", str(expert), "--micro-batches", str(batches))
    got, expected = sent("training", "--ranks", str(ranks), *words), sent.expanded(wanted)
    if tensor > 1 or data > 1:  # The element is two bytes, whatever the size; a ring's blocks differ by a few bytes then.
        def totals(counter):
            pairs = collections.Counter()
            for (source, target, size), count in counter.items():
                pairs[source, target, "messages"] += count
                pairs[source, target] += count * size
            return pairs
        got, expected = totals(got), totals(expected)
        assert got.keys() == expected.keys() and all(abs(got[key] - expected[key]) <= 1e-5 * expected[key] for key in got)
    else:
        assert got == expected


def test_an_optimiser_step_is_a_pipeline(extorus):
    """Stage by stage: with as many micro-batches as stages 2 * (stages - 1) messages and passes follow each other, and the last
    stage has the others one after the other: of computation a share of 2 * batches passes each."""
    extorus("workload", "generate", "training", "--ranks", "4", "--tensor", "1", "--pipeline", "4", "--micro-batches", "6",
            "--compute", "288000", "-o", "a.goal")
    seen = json.loads(extorus("workload", "stats", "a.goal", "--json"))
    assert seen["longest_chain"] >= 2 * 3 and seen["calculation_ns"] == 4 * 288000


@pytest.mark.parametrize("kind, words", (
    *((kind, ()) for kind in ("cg", "is", "ft", "mg", "graph500", "namd", "ptrans", "training")), ("lu", ("--class", "A")),
    ("randomaccess", ("--class", "18")), ("randomaccess", ("--class", "20"))))
def test_computation_adds_up(extorus, kind, words):
    """That of two iterations of every rank, but for what a division into parts leaves."""
    extorus("workload", "generate", kind, "--ranks", "16", "--rounds", "2", "--compute", "1000003", *words, "-o", "a.goal")
    total = json.loads(extorus("workload", "stats", "a.goal", "--json"))["calculation_ns"]
    assert 0 <= 16 * 2 * 1000003 - total <= 1e-4 * total


@pytest.mark.parametrize("kind, words", (
    ("cg", ()), ("is", ("--rules", "basic")), ("ft", ()), ("lu", ()), ("mg", ()), ("randomaccess", ()),
    *(pytest.param(kind, words, marks=pytest.mark.slow) for kind, words in (
        ("ptrans", ()), ("graph500", ()), ("namd", ())))))
def test_each_is_replayed(extorus, kind, words):
    extorus("route", "torus:4x2", "--algorithm", "dor", "-o", "net.img")
    seen = json.loads(extorus("workload", "generate", kind, "--ranks", "8", "--rounds", "1", "-o", "a.goal", "--json", *words))
    assert seen == json.loads(extorus("workload", "stats", "a.goal", "--json"))
    result = json.loads(extorus("workload", "replay", "net.img", "a.goal", "--engine", "model", "--json"))
    assert result["ok"] and result["messages"] == seen["messages"]


@pytest.mark.slow
@pytest.mark.parametrize("kind, ranks, words", (
    ("cg", 4096, ()), ("is", 512, ()), ("ft", 4096, ()), ("lu", 1024, ("--class", "C")), ("mg", 4096, ()), ("graph500", 4096, ("--rules", "basic")),
    ("randomaccess", 256, ()), ("ptrans", 4096, ()), ("namd", 4096, ()),
    ("training", 4096, ("--class", "1008B", "--tensor", "64", "--pipeline", "64", "--micro-batches", "1"))))
def test_many_ranks(extorus, kind, ranks, words):
    seen = json.loads(extorus("workload", "generate", kind, "--ranks", str(ranks), "--rounds", "1", "-o", "a.goal", "--json", *words))
    assert seen["ranks"] == ranks and seen["messages"] >= ranks - ranks ** 0.5


@pytest.mark.parametrize("words, message", (
    (("cg", "--ranks", "12"), "cg: 12 ranks; this program runs on a power of two only, for example 8"),
    (("cg", "--class", "G"), "cg: no class \"G\"; there are S, W, A, B, C, D, E and F"),
    (("is", "--class", "F"), "no class"), (("is", "--class", "D", "--ranks", "2"), "choose 4 or more"),
    (("lu", "--ranks", "64"), "choose a larger class"), (("lu", "--class", "A", "--ranks", "14"), "at most two to one"),
    (("ft", "--ranks", "4096", "--class", "W"), "choose a larger class"),
    (("graph500", "--class", "A"), "there are toy, mini"), (("randomaccess", "--class", "17"), "logarithm"),
    (("ptrans", "--class", "0"), "order of the matrix"), (("training", "--class", "2B"), "number of parameters"),
    (("training", "--ranks", "6", "--tensor", "4"), "choose --tensor and --pipeline"),
    (("training", "--ranks", "10", "--pipeline", "5"), "choose another --pipeline"),
    (("training", "--ranks", "8", "--expert", "3"), "choose another --expert"), (("ep",), "no kind of trace \"ep\"; there are")))
def test_what_is_refused(extorus, words, message):
    extorus("workload", "generate", "-o", "a.goal", *words, status=2, stderr=message)
    assert not (extorus.folder / "a.goal").exists()
