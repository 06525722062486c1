# SPDX-License-Identifier: Apache-2.0
"""New routes after a failure, and the transition from one table to another, against the oracle."""

import csv
import itertools
import json
import random

import pytest

from graph_oracle import examine, of_topology, random_graph
from oracle import is_acyclic
from test_graphs import write_file
from test_routes import read_csv
from update_oracle import Transition

TCS = 4


def name_of(port, graph):
    """A port's name by its number, as of a torus (d0-, d0+, d1-, ...) or a network from a file."""
    if port == 6:
        return "nic"
    names = {name for _, name in graph.wiring}
    by_number = [f"d{d}{sign}" for d in range(3) for sign in "-+"]
    return by_number[port] if any(name.startswith("d") for name in names) else f"p{port}"


def decode(word, tc, graph):
    field = int(word, 16) >> 16 * tc & 0xffff
    assert field >> 15 == 1
    port = name_of(field & 0xf, graph)
    return port, 0 if port == "nic" else field >> 4 & 3


def read_rewrites(extorus, transition, graph):
    """{(card, dest): step}; each line must say what the tables say."""
    with open(extorus.folder / "rewrites.csv") as file:
        rows = list(csv.DictReader(file))
    keys = [(int(r["step"]), int(r["card"]), r["table"], int(r["index"])) for r in rows]
    assert keys == sorted(set(keys))
    steps = {}
    for row in rows:
        card, dest = int(row["card"]), int(row["index"])
        assert row["table"] == "LRT" and row["before"] != row["after"]
        for tc in range(TCS):
            assert decode(row["before"], tc, graph) == transition.before[card, tc, dest]
            assert dest in transition.new.cards and card in transition.new.cards
            assert decode(row["after"], tc, graph) == transition.after[card, tc, dest]
        assert (card, dest) not in steps
        steps[card, dest] = int(row["step"])
    return steps


def assert_transition(extorus, said, t, graph):
    steps = read_rewrites(extorus, t, graph)
    assert set(steps) == t.changed()
    assert (said["entries"], said["registers"]) == (len(steps), 0)
    assert said["cards"] == len({card for card, _ in steps})
    assert said["destinations"] == len({dest for _, dest in steps})
    for name, value in t.pairs().items():
        assert {**said, **said["mixtures"]}[name] == pytest.approx(value, abs=1e-9), name
    assert said["out_of_service_pairs"] == \
        len(t.old.cards) * (len(t.old.cards) - 1) - len(t.new.cards) * (len(t.new.cards) - 1)
    mixtures, loops = said["mixtures"], t.loops()
    assert (mixtures["loops"], mixtures["undelivered"]) == (len(loops), 0)
    if loops:
        loop, tc, dest = mixtures["loop"], mixtures["loop_tc"], mixtures["loop_dest"]
        assert (tc, dest) in loops
        for card, peer in zip(loop, loop[1:] + loop[:1]):
            assert peer in {t.step(card, hop) for hop in t.options(card, tc, dest)}
    cyclic = []
    for tc in range(TCS):
        union = t.union(tc)
        if not is_acyclic({**{c: set() for f in union.values() for c in f}, **union}):
            cyclic.append(tc)
            cycle = [(c["card"], c["port"], c["vc"]) for c in mixtures["cycle"] if c["tc"] == tc]
            assert all(follower in union[channel] for channel, follower in zip(cycle, cycle[1:] + cycle[:1]))
        assert mixtures["tcs"][tc]["channels"] == len(union)
        assert mixtures["tcs"][tc]["dependencies"] == sum(map(len, union.values()))
    assert mixtures["cyclic_tcs"] == cyclic
    phases = [(p["first_step"], p["first_step"] + p["steps"] - 1, p["stopped"]) for p in said["phases"]]
    assert sum(p["rewrites"] for p in said["phases"]) == len(steps)
    if loops or cyclic or mixtures["exposed_pairs"]:
        assert said["transition"] == ("drain" if said["stops"] else "ordered")
        t.replay(steps, phases)
    else:
        assert said["transition"] == "any order"
        assert set(steps.values()) <= {1}


def make(extorus, *arguments):
    return read_csv(extorus("route", *arguments, "--csv", "-").splitlines())


def repair(extorus, whole, spec, algorithm, arguments, new):
    """Routes, fails, routes again; returns what is said and the transition."""
    extorus("route", spec, "--algorithm", algorithm, "-o", "old.img")
    before = make(extorus, spec, "--algorithm", algorithm)
    said = json.loads(extorus("route", "--from", "old.img", *arguments, "-o", "new.img", "--rewrites", "rewrites.csv",
                              "--json"))
    after = make(extorus, "--from", "old.img", *arguments)
    extorus("check", "new.img")
    t = Transition(before, after, whole, new, TCS)
    for tc in range(TCS):
        examine(new, after, tc)
    assert_transition(extorus, said, t, whole)
    assert said["entries_at_least"] == t.at_least() <= said["entries"]
    assert said["affected_destinations"] == len({d for (c, tc, d), hop in before.items()
                                                 if c != d and {c, d} <= new.cards and t.fails(c, hop)})
    checked = json.loads(extorus("check", "old.img", "--transition", "new.img", "--rewrites", "again.csv", "--json",
                                 status=None))
    assert checked == {key: said[key] for key in checked}
    assert (extorus.folder / "again.csv").read_text() == (extorus.folder / "rewrites.csv").read_text()
    extorus("check", "old.img", "--transition", "new.img", status=0 if said["transition"] == "any order" else 1,
            stderr=None if said["transition"] == "any order" else "not safe in any order")
    return said, t


def draw_failures(whole, draw, links, cards):
    """(arguments, what is left), connected."""
    while True:
        gone = draw.sample(sorted(whole.cards), cards)
        left = whole.without((), gone)
        ends = draw.sample([end for end in sorted(left.wiring) if end < left.wiring[end]], links)
        new = whole.without(ends, gone)
        if new.cards and not new.cut_off():
            return ([word for card, port in ends for word in ("--fail-link", f"{card}:{port}")] +
                    [word for card in gone for word in ("--fail-card", str(card))]), new


@pytest.mark.parametrize("algorithm", ["updown", "layered"])
@pytest.mark.parametrize("seed", range(16))
def test_random_graphs(extorus, seed, algorithm):
    draw = random.Random(seed)
    while True:
        whole, network = random_graph(draw.randrange(10 ** 6), most_cards=20)
        if len(whole.cards) > 5 and len(network["links"]) > len(whole.cards) + 3:
            break
    arguments, new = draw_failures(whole, draw, draw.randint(0, 2), draw.randint(0, 1))
    repair(extorus, whole, write_file(extorus, network), algorithm, arguments, new)


@pytest.mark.parametrize("spec, algorithm", [
    ("torus:4x4", "dor"), ("torus:5x3", "dor"), ("torus:5x3x2", "dor"), ("torus:4x4", "layered"), ("torus:7", "dor"),
    ("torus:6x4", "updown"), ("torus:3x3x3", "layered")])
@pytest.mark.parametrize("links, cards", [(1, 0), (0, 1), (3, 1)])
def test_tori(extorus, spec, algorithm, links, cards):
    whole = of_topology(spec)
    draw = random.Random(f"{spec} {links}")
    if (spec, links) == ("torus:7", 3):
        links, cards = 0, 1
    arguments, new = draw_failures(whole, draw, links, cards)
    repair(extorus, whole, spec, algorithm, arguments, new)


@pytest.mark.parametrize("seed", range(8))
def test_from_one_algorithm_to_another(extorus, seed):
    """Tables that have nothing to do with each other: what is safe, what is not, and the order that was found."""
    draw = random.Random(seed)
    while True:
        whole, network = random_graph(draw.randrange(10 ** 6), most_cards=14)
        if len(whole.cards) > 5 and len(network["links"]) > len(whole.cards) + 3:
            break
    spec = write_file(extorus, network)
    for old, new in (("updown", "layered"), ("layered", "updown")):
        before = make(extorus, spec, "--algorithm", old)
        after = make(extorus, spec, "--algorithm", new)
        extorus("route", spec, "--algorithm", old, "-o", "old.img")
        extorus("route", spec, "--algorithm", new, "-o", "new.img")
        said = json.loads(extorus("check", "old.img", "--transition", "new.img", "--rewrites", "rewrites.csv", "--json",
                                  status=None))
        assert_transition(extorus, said, Transition(before, after, whole, whole, TCS), whole)


def every_mixture(t, tc):
    """(loops, deadlocks) over all sets of cards that have been rewritten, 2 to the power of cards."""
    loops = deadlocks = 0
    cards = sorted({card for card, _ in t.changed()})
    for rewritten in itertools.chain.from_iterable(itertools.combinations(cards, n) for n in range(len(cards) + 1)):
        def hop(card, dest):
            return [(t.after if card in rewritten else t.before)[card, tc, dest]]
        loops += any(t.goes_round(tc, dest, hop) for dest in t.dests)
        graph = t.dependencies(tc, hop)
        deadlocks += not is_acyclic({**{c: set() for f in graph.values() for c in f}, **graph})
    return loops, deadlocks


def test_all_mixtures_of_small_networks(extorus):
    """A loop in the union is a loop in some mixture and the other way round; where the union has no cycle, no mixture
    has one. Both kinds are met."""
    found = {"safe": 0, "loop": 0, "cycle": 0}
    for seed in range(24):
        draw = random.Random(seed)
        while True:
            whole, network = random_graph(draw.randrange(10 ** 6), most_cards=8)
            if len(whole.cards) > 4 and len(network["links"]) > len(whole.cards) + 1:
                break
        spec = write_file(extorus, network)
        extorus("route", spec, "--algorithm", "updown" if seed % 2 else "layered", "-o", "old.img")
        before = make(extorus, spec, "--algorithm", "updown" if seed % 2 else "layered")
        if seed % 3:
            arguments, left = draw_failures(whole, draw, 1, 0)
            new = ("--from", "old.img", *arguments)
        else:
            new, left = (spec, "--algorithm", "layered" if seed % 2 else "updown"), whole
        extorus("route", *new, "-o", "new.img")
        t = Transition(before, make(extorus, *new), whole, left, TCS)
        said = json.loads(extorus("check", "old.img", "--transition", "new.img", "--json", status=None))["mixtures"]
        loops, deadlocks = every_mixture(t, 0)
        assert (loops > 0) == any(tc == 0 for tc, _ in t.loops()) == (said["loops"] > 0)
        assert deadlocks == 0 or said["cyclic_tcs"]
        found["loop"] += loops > 0
        found["cycle"] += deadlocks > 0
        found["safe"] += said["loops"] == 0 and said["cyclic_tcs"] == []
    assert min(found.values()) > 0, found


def test_the_oracle_finds_a_wrong_order(extorus):
    """What the tests above rely on refuses an order turned round, and one in which everything is one step."""
    whole = of_topology("torus:6x4")
    refused = set()
    for seed in range(20):
        arguments, new = draw_failures(whole, random.Random(seed), 3, 0)
        said, t = repair(extorus, whole, "torus:6x4", "dor", arguments, new)
        if said["transition"] != "ordered":
            continue
        steps = read_rewrites(extorus, t, whole)
        phases = [(p["first_step"], p["first_step"] + p["steps"] - 1, p["stopped"]) for p in said["phases"]]
        if len(phases) > 1:
            continue
        last = phases[0][1]
        for name, wrong in (("reversed", {k: last + 1 - s for k, s in steps.items()}), ("one step", dict.fromkeys(steps, 1))):
            with pytest.raises(AssertionError, match="goes round|is lost|cyclic"):
                t.replay(wrong, phases if name == "reversed" else [(1, 1, [])])
            refused.add(name)
    assert refused == {"reversed", "one step"}


@pytest.mark.parametrize("spec, algorithm, options", [
    ("twin:4x4", "ts-dor", []), ("twin:3x3x3", "ts-dor", ["--adaptive"]), ("torus:4x4x2", "dor", ["--adaptive"]),
    ("twin:4x4", "layered", ["--adaptive"]), ("twin:4x4", "dort", []), ("twin:4x4", "bubble", [])])
def test_rewriting_the_old_table_gives_the_new_one(extorus, spec, algorithm, options):
    """Where not all cards send in all TCs, or with candidates: the images are safe and the list is all that differs."""
    extorus("route", spec, "--algorithm", algorithm, *options, "-o", "old.img")
    old = extorus("route", spec, "--algorithm", algorithm, *options, "--csv", "-")
    said = json.loads(extorus("route", "--from", "old.img", "--fail-random", "2", "--fail-card", "3", "-o", "new.img",
                              "--rewrites", "r.csv", "--json"))
    new = extorus("route", "--from", "old.img", "--fail-random", "2", "--fail-card", "3", "--csv", "-")
    checked = json.loads(extorus("check", "new.img", "--json"))
    assert checked["mean_hops"] == pytest.approx(said["mean_hops_after"])
    assert said["mean_hops_before"] > 0 and said["out_of_service_pairs"] > 0
    with open(extorus.folder / "r.csv") as file:
        rows = {(int(r["card"]), int(r["index"])) for r in csv.DictReader(file) if r["table"] == "LRT"}
    assert len(rows) == said["entries"] >= said["entries_at_least"] > 0
    assert not any(card == 3 for card, _ in rows)
    before, after = read_csv(old.splitlines()), read_csv(new.splitlines())
    differ = {(card, dest) for (card, tc, dest) in before.keys() & after.keys()
              if before[card, tc, dest] != after[card, tc, dest]}
    assert differ <= rows
    assert said["routes"] == "whole" if algorithm == "bubble" else said["algorithm"].endswith("-repaired")
    extorus("check", "new.img", "--transition", "old.img", "--json", status=None)


@pytest.mark.parametrize("arguments, says", [
    (["route", "--from", "old.img", "torus:4x4"], "leave out torus:4x4"),
    (["route", "--from", "old.img", "--algorithm", "dor"], "leave out --algorithm"),
    (["route", "--from", "old.img", "--adaptive"], "leave out --adaptive"),
    (["route", "torus:4x4", "--algorithm", "dor", "--rewrites", "x"], "say which with --from"),
    (["route", "--from", "none.img"], "none.img: cannot be read"),
    (["route", "--from", "old.img", "--fail-card", "16"], "there is no card 16"),
    (["route", "--from", "old.img", "--rewrites", "-", "--json"], "only one of"),
    (["route", "--from", "old.img", "--rewrites", "x", "-o", "x"], "x, which is the file of --"),
    (["check", "old.img", "--rewrites", "x"], "say which with --transition"),
    (["check", "old.img", "--transition", "none.img"], "none.img: cannot be read"),
    (["check", "old.img", "--transition", "old.img", "--cdg", "x.dot"], "--cdg draws one image"),
])
def test_wrong_usage_is_status_2(extorus, arguments, says):
    extorus("route", "torus:4x4", "--algorithm", "dor", "-o", "old.img")
    assert extorus(*arguments, status=2, stderr=says) == ""
    assert [path.name for path in extorus.folder.iterdir()] == ["old.img"]


def test_wrong_images_are_status_1(extorus):
    extorus("route", "torus:4x4", "--algorithm", "dor", "-o", "old.img")
    extorus("route", "twin:4x2", "--algorithm", "ts-dor", "--single-tc", "-o", "unsafe.img")
    extorus("route", "--from", "unsafe.img", "--fail-link", "5:int", status=1, stderr="can deadlock")
    extorus("check", "old.img", "--transition", "unsafe.img", status=1, stderr="same network")


def test_stopped_pes_in_words(extorus):
    """Ranges of PEs stand for the numbers in the JSON."""
    extorus("route", "torus:5x5", "--algorithm", "layered", "-o", "old.img")
    arguments = ("--from", "old.img", "--fail-random", "2", "--seed", "1", "-o", "new.img")
    said, phases = extorus("route", *arguments), json.loads(extorus("route", *arguments, "--json"))["phases"]
    ranges = said.split("until it has arrived:")[1].split("\n")[0].split()
    stopped = [pe for first, _, last in (one.partition("-") for one in ranges) for pe in range(int(first), int(last or first) + 1)]
    assert stopped == next(phase["stopped"] for phase in phases if phase["stopped"])
    assert "-" in "".join(ranges)
