# SPDX-License-Identifier: Apache-2.0
"""Every algorithm of every collective does what MPI says, for many sizes and all roots."""

import copy
import json
import random

import pytest

import symbolic

# Algorithms and what more to try them with: vectors that divide into segments, that do not, and that are too short.
SEGMENTED = (("--bytes", "7"), ("--bytes", "40", "--segment", "8"), ("--bytes", "33", "--segment", "12", "--element", "3"))
ALGORITHMS = {
    "broadcast": {"linear": SEGMENTED[:1], "chain": SEGMENTED, "pipeline": SEGMENTED, "split-binary": SEGMENTED,
                  "binary": SEGMENTED, "binomial": SEGMENTED},
    "reduce": {"linear": SEGMENTED[:1], "chain": SEGMENTED, "pipeline": SEGMENTED, "binary": SEGMENTED,
               "binomial": SEGMENTED, "in-order-binary": SEGMENTED},
    "gather": {"linear": SEGMENTED[:1], "binomial": SEGMENTED[:1], "linear-sync": SEGMENTED},
    "scatter": {"linear": SEGMENTED[:1], "binomial": SEGMENTED[:1]},
    "allreduce": {"linear": SEGMENTED[:1], "nonoverlapping": SEGMENTED[:1], "recursive-doubling": SEGMENTED[:1],
                  "ring": (("--bytes", "7"), ("--bytes", "75"), ("--bytes", "160", "--element", "4")),
                  "segmented-ring": (("--bytes", "7"), ("--bytes", "700", "--segment", "9"))},
    "allgather": dict.fromkeys(("linear", "bruck", "recursive-doubling", "ring", "neighbor-exchange"), SEGMENTED[:1]),
    "alltoall": dict.fromkeys(("linear", "pairwise", "bruck", "linear-sync"), SEGMENTED[:1]),
    "barrier": dict.fromkeys(("linear", "double-ring", "recursive-doubling", "bruck", "tree", "binomial"), ((),)),
}
CASES = [(name, algorithm, words) for name, algorithms in ALGORITHMS.items()
         for algorithm, all_words in algorithms.items() for words in all_words]


def graphs(extorus, name, *words):
    return extorus("collective", name, "--graph", *words).splitlines()


@pytest.mark.parametrize("name, algorithm, words", CASES, ids=lambda x: "-".join(x) if isinstance(x, tuple) else x)
def test_small(extorus, name, algorithm, words):
    """All roots of 1 to 33 ranks for one kind of vector, of 1 to 9 for the others."""
    most = "33" if words == ALGORITHMS[name][algorithm][-1] else "9"
    lines = graphs(extorus, name, "--algorithm", algorithm, "--ranks", f"1-{most}", "--root", "all", *words)
    assert len(lines) >= int(most)
    for line in lines:
        symbolic.run(line)


@pytest.mark.parametrize("name, algorithm, words", [case for case in CASES if case[2] == ALGORITHMS[case[0]][case[1]][-1]],
                         ids=lambda x: "-".join(x) if isinstance(x, tuple) else x)
def test_larger(extorus, name, algorithm, words):
    for ranks, root in ((64, 5), (100, 99)):
        if name == "allreduce" and algorithm == "segmented-ring":
            words = ("--bytes", "1300", "--segment", "4")
        for line in graphs(extorus, name, "--algorithm", algorithm, "--ranks", str(ranks), "--root", str(root), *words):
            symbolic.run(line)


def test_two_ranks_and_all_algorithms_are_tried(extorus):
    for name in ("allgather", "alltoall", "barrier"):
        for line in graphs(extorus, name, "--algorithm", "two-proc", "--ranks", "2", "--bytes", "5"):
            symbolic.run(line)
        extorus("collective", name, "--algorithm", "two-proc", "--ranks", "3", status=2, stderr="2 ranks")
    for name, algorithms in ALGORITHMS.items():
        listed = extorus("collective", name, "--list").split()
        assert listed[0] == name + ":" and set(listed[1:]) - {"two-proc"} == set(algorithms)


def log2_up(n):
    return (n - 1).bit_length()


@pytest.mark.parametrize("name, algorithm, messages, chain", (
    ("broadcast", "binomial", lambda n: n - 1, lambda n: max(v.bit_count() for v in range(n))),
    ("broadcast", "pipeline", lambda n: n - 1, lambda n: n - 1),
    ("reduce", "binomial", lambda n: n - 1, None),
    ("allgather", "ring", lambda n: n * (n - 1), lambda n: n - 1),
    ("allgather", "bruck", lambda n: n * log2_up(n), log2_up),
    ("allgather", "neighbor-exchange", lambda n: n * (n // 2 if n % 2 == 0 else n - 1), None),
    ("alltoall", "bruck", lambda n: n * log2_up(n), log2_up),
    ("alltoall", "pairwise", lambda n: n * (n - 1), lambda n: n - 1),
    ("alltoall", "linear", lambda n: n * (n - 1), lambda n: 1),
    ("barrier", "bruck", lambda n: n * log2_up(n), log2_up),
    ("allreduce", "ring", lambda n: 2 * n * (n - 1), lambda n: 2 * (n - 1))))
@pytest.mark.parametrize("ranks", (2, 3, 8, 13, 32, 100))
def test_messages_and_rounds(extorus, name, algorithm, messages, chain, ranks):
    """What the literature says of the algorithms (Thakur et al. 2005, Pjesivac-Grbovic et al. 2007)."""
    shape = json.loads(extorus("collective", name, "--algorithm", algorithm, "--ranks", str(ranks), "--bytes", "4096",
                               "--segment", "0", "--json"))
    assert shape["messages"] == messages(ranks)
    if chain:
        assert shape["longest_chain"] == chain(ranks)


# Sizes on both sides of each limit of coll_tuned_decision_fixed.c of Open MPI 4.0.
@pytest.mark.parametrize("name, ranks, size, algorithm, segment", (
    ("broadcast", 64, 2047, "binomial", 0), ("broadcast", 64, 2048, "split-binary", 1024),
    ("broadcast", 64, 370727, "split-binary", 1024), ("broadcast", 2, 370728, "pipeline", 131072),
    ("broadcast", 12, 370728, "split-binary", 8192), ("broadcast", 64, 370728, "pipeline", 8192),
    ("broadcast", 13, 2000000, "pipeline", 16384), ("broadcast", 13, 6000000, "pipeline", 65536),
    ("reduce", 7, 511, "linear", 0), ("reduce", 7, 512, "binomial", 0), ("reduce", 8, 511, "binomial", 0),
    ("reduce", 64, 2048, "binomial", 1024), ("reduce", 64, 262144, "pipeline", 1024),
    ("reduce", 16, 262144, "binary", 32768), ("reduce", 8, 262144, "pipeline", 32768),
    ("reduce", 4, 1048576, "pipeline", 65536),
    ("allreduce", 64, 9999, "recursive-doubling", 0), ("allreduce", 64, 10000, "ring", 0),
    ("allreduce", 2, 2097153, "segmented-ring", 1048576),
    ("allgather", 2, 9999, "two-proc", 0), ("allgather", 64, 781, "recursive-doubling", 0),
    ("allgather", 60, 16, "bruck", 0), ("allgather", 64, 782, "neighbor-exchange", 0), ("allgather", 33, 9999, "ring", 0),
    ("alltoall", 2, 9999, "two-proc", 0), ("alltoall", 13, 199, "bruck", 0), ("alltoall", 12, 199, "linear", 0),
    ("alltoall", 64, 2999, "linear", 0), ("alltoall", 64, 3000, "pairwise", 0),
    ("gather", 61, 1024, "binomial", 0), ("gather", 11, 1023, "binomial", 0), ("gather", 60, 1024, "linear", 0),
    ("gather", 60, 6001, "linear-sync", 1024), ("gather", 60, 92161, "linear-sync", 32768),
    ("scatter", 11, 299, "binomial", 0), ("scatter", 10, 299, "linear", 0), ("scatter", 11, 300, "linear", 0),
    ("barrier", 2, 1, "two-proc", 0), ("barrier", 64, 1, "recursive-doubling", 0), ("barrier", 63, 1, "bruck", 0)))
def test_rules(extorus, name, ranks, size, algorithm, segment):
    chosen = json.loads(extorus("collective", name, "--ranks", str(ranks), "--bytes", str(size), "--json"))
    assert (chosen["algorithm"], chosen["segment"]) == (algorithm, segment)


# mca_coll_basic_comm_query: linear to 4 ranks, trees above.
@pytest.mark.parametrize("ranks, tree", ((4, "linear"), (5, "binomial"), (256, "binomial")))
@pytest.mark.parametrize("size", (16, 1 << 20))
def test_rules_of_basic(extorus, ranks, tree, size):
    for name in ALGORITHMS:
        chosen = json.loads(extorus("collective", name, "--rules", "basic", "--ranks", str(ranks), "--bytes",
                                    str(size), "--json"))
        expected = {"broadcast": tree, "reduce": tree, "barrier": tree, "allreduce": "nonoverlapping"}.get(name, "linear")
        assert (chosen["algorithm"], chosen["segment"], chosen["rules"]) == (expected, 0, "Open MPI, coll/basic")
    extorus("collective", "reduce", "--ranks", "8", "--rules", "best", status=2, stderr="there are tuned and basic")


def test_parts_of_a_collective_go_by_its_rules(extorus):
    """An allgather of coll/basic is n - 1 blocks to rank 0 and n - 1 whole vectors down a binomial tree."""
    for line in graphs(extorus, "allgather", "--rules", "basic", "--ranks", "5-9", "--bytes", "1000"):
        sizes = [event[3] for event in json.loads(line)["events"] if event[0] == symbolic.SEND]
        n = json.loads(line)["ranks"]
        assert sorted(sizes) == [1000] * (n - 1) + [1000 * n] * (n - 1)
        symbolic.run(line)
    for name in ALGORITHMS:
        for line in graphs(extorus, name, "--rules", "basic", "--ranks", "1-12", "--root", "all", "--bytes", "7"):
            symbolic.run(line)


def damage(graph, rng):
    """One event changed so that some order of events, or all, gives a wrong result; None if it cannot be done here."""
    g = copy.deepcopy(graph)
    sends = [e for e, event in enumerate(g["events"]) if event[0] == symbolic.SEND]
    way = rng.randrange(3)
    if way == 0:  # a send that does not wait for anything it has to pass on
        sends = [e for e in sends if g["events"][e][5]]
        if not sends:
            return None
        g["events"][rng.choice(sends)][5] = []
    elif way == 1:  # not all of a message
        event = g["events"][rng.choice(sends)]
        if not event[7]:
            return None
        event[7][0][0] += 1
    else:  # two receives swap their senders
        receives = [e for e, event in enumerate(g["events"]) if event[0] == symbolic.RECV]
        event = g["events"][rng.choice(receives)]
        event[2] = (event[2] + 1) % g["ranks"]
    return g


@pytest.mark.parametrize("name, algorithm", (("broadcast", "split-binary"), ("reduce", "binary"), ("allgather", "bruck"),
                                             ("alltoall", "bruck"), ("allreduce", "ring"), ("scatter", "binomial")))
def test_the_oracle_sees_faults(extorus, name, algorithm):
    graph = json.loads(graphs(extorus, name, "--algorithm", algorithm, "--ranks", "11", "--bytes", "44")[0])
    symbolic.run(json.dumps(graph))
    rng, seen, tried = random.Random(7), 0, 0
    while tried < 60:
        bad = damage(graph, rng)
        if bad is None:
            continue
        tried += 1
        try:
            symbolic.run(json.dumps(bad))
        except symbolic.Wrong:
            seen += 1
    # A send without its dependencies can still carry what its rank had from the beginning.
    assert seen > 45, (seen, tried)


@pytest.mark.parametrize("words, message", (
    (("allscatter", "--ranks", "4"), "no collective"), (("reduce",), "how many ranks"), (("reduce", "--ranks", "4", "--root", "4"), "none of the ranks"),
    (("reduce", "--ranks", "4", "--algorithm", "magic"), "there are linear, chain"),
    (("reduce", "--ranks", "4", "--bytes", "0"), "choose 1 to"),
    (("reduce", "--ranks", "4", "--bytes", "10", "--element", "4"), "whole elements"),
    (("reduce", "--ranks", "4-6"), "--graph")))
def test_bad_input(extorus, words, message):
    extorus("collective", *words, status=2, stderr=message)
