# SPDX-License-Identifier: Apache-2.0
"""Crossings of internal links, by walking every packet switch by switch and trying every assignment."""

import itertools
import json
import random

import pytest

from networks import Network, card0_ports


class Tree:
    """k-ary n-tree as published: a switch is (stage, w), w a tuple of n - 1 digits, the highest first; an end is a
    tuple of n digits. Switches (s, v) and (s + 1, w) are linked if v and w differ in no digit but that of place s,
    counted from the lowest."""

    def __init__(self, k, n):
        self.k, self.n = k, n
        self.ends = list(itertools.product(range(k), repeat=n))  # in the order of their numbers
        self.links = {}  # (switch, port) -> (switch or end, port)
        for stage in range(n):
            for w in itertools.product(range(k), repeat=n - 1):
                for other in range(k) if stage < n - 1 else ():
                    place = n - 2 - stage
                    v = w[:place] + (other,) + w[place + 1:]
                    self.links[(stage, w), f"up{other}"] = (stage + 1, v), f"down{w[place]}"
                    self.links[(stage + 1, v), f"down{w[place]}"] = (stage, w), f"up{other}"
        for end in self.ends:
            self.links[(0, end[:-1]), f"down{end[-1]}"] = end, None

    def below(self, switch):
        """Ends that are reached going down only."""
        stage, w = switch
        ports = [self.links[switch, f"down{i}"][0] for i in range(self.k)]
        return set(ports) if stage == 0 else set().union(*(self.below(port) for port in ports))

    def turns(self, weights, by_source=False):
        """{stage: {(in, out): weight}} of DESTRO: up by the digit of the destination (or, as no DESTRO would, of the
        source) at the place of the stage, until the destination is below, then down by the port below which it is."""
        reach = {switch: self.below(switch) for switch, _ in self.links}
        found = {stage: {} for stage in range(self.n)}
        for (source, dest), weight in weights.items():
            switch, entered = (0, self.ends[source][:-1]), f"down{self.ends[source][-1]}"
            target = self.ends[dest]
            while switch != target:
                stage = switch[0]
                if target in reach[switch]:
                    ports = [p for p in (f"down{i}" for i in range(self.k)) if self.links[switch, p][0] == target
                             or stage and target in reach[self.links[switch, p][0]]]
                    assert len(ports) == 1
                    port = ports[0]
                else:
                    port = f"up{(self.ends[source] if by_source else target)[self.n - 1 - stage]}"
                found[stage][entered, port] = found[stage].get((entered, port), 0) + weight
                switch, entered = self.links[switch, port]
        return found


def uniform(ends):
    return {pair: 1 for pair in itertools.permutations(range(ends), 2)}


def crossing(turns, card0):
    return sum(weight for (a, b), weight in turns.items() if (a in card0) != (b in card0))


def add(*several):
    total = {}
    for turns in several:
        for pair, weight in turns.items():
            total[pair] = total.get(pair, 0) + weight
    return total


def assignments(ports):
    """Halves of the ports with the first one in it."""
    return [{ports[0], *rest} for rest in itertools.combinations(ports[1:], len(ports) // 2 - 1)]


def check_assignments(extorus, arguments, ports, turns):
    """The list of all assignments and the best one, by trying all."""
    lines = extorus("crossings", *arguments, "--csv", "-").splitlines()
    assert lines[0] == "card0,crossings"
    listed = {frozenset(names.split(" ")): float(value) for names, value in (line.split(",") for line in lines[1:])}
    assert len(listed) == len(lines) - 1
    assert listed == {frozenset(card0): pytest.approx(crossing(turns, card0)) for card0 in assignments(ports)}
    found = json.loads(extorus("crossings", *arguments, "--json"))
    assert found["ports"] == ports
    assert found["turns"] == pytest.approx(sum(turns.values()))
    assert found["best"]["optimal"] and found["best"]["assignments"] == len(listed)
    assert found["best"]["crossings"] == pytest.approx(min(listed.values()))
    assert listed[frozenset(found["best"]["card0"])] == pytest.approx(min(listed.values()))
    return found


def write_matrix(extorus, weights, ends):
    lines = [f"{source},{dest},{weight}" for (source, dest), weight in weights.items()]
    random.Random(ends).shuffle(lines)
    (extorus.folder / "matrix.csv").write_text("\n".join(["src,dst,weight", *lines]) + "\n")
    return ["--matrix", "matrix.csv"]


def random_weights(ends, seed):
    draw = random.Random(seed)
    pairs = list(itertools.permutations(range(ends), 2))
    return {pair: draw.choice([0.25, 1, 3, 40]) for pair in draw.sample(pairs, max(1, len(pairs) // 3))}


@pytest.mark.parametrize("k, n", [(2, 1), (2, 2), (2, 3), (2, 5), (3, 1), (3, 2), (3, 3), (4, 2), (4, 3), (5, 2), (6, 2)])
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_trees(extorus, k, n, seed):
    tree = Tree(k, n)
    ends = len(tree.ends)
    weights = uniform(ends) if seed is None else random_weights(ends, seed)
    turns = tree.turns(weights)
    ports = [f"down{i}" for i in range(k)] + [f"up{i}" for i in range(k)]
    arguments = [f"tree:k={k},n={n}", *(write_matrix(extorus, weights, ends) if seed else [])]
    found = check_assignments(extorus, arguments, ports, add(*turns.values()))
    assert (found["paths"], found["ends"], found["switches"]) == ("destro", k**n, n * k**(n - 1))
    for stage, figures in enumerate(found["stages"]):
        assert figures["turns"] == pytest.approx(sum(turns[stage].values()))
        best = figures["best"]
        least = min(crossing(turns[stage], card0) for card0 in assignments(ports))
        assert best["crossings"] == pytest.approx(least) == pytest.approx(crossing(turns[stage], set(best["card0"])))
        assert best["crossings_per_switch"] * k**(n - 1) == pytest.approx(best["crossings"])
    given = json.loads(extorus("crossings", *arguments, "--json", "--card0", ",".join(ports[::2])))["given"]
    assert given["crossings"] == pytest.approx(crossing(add(*turns.values()), set(ports[::2])))


def dor_turns(network, weights):
    """Of a torus or mesh: one dimension after the other, the shorter way, a tie upwards."""
    turns = {}
    for (source, dest), weight in weights.items():
        here, entered = source, None
        for d, k in enumerate(network.radix):
            while (gap := network.cards[dest][0][d] - network.cards[here][0][d]) != 0:
                up = gap > 0 if network.family == "mesh" else 2 * (gap % k) <= k
                port = f"d{d}{'+' if up else '-'}"
                if entered:
                    turns[entered, port] = turns.get((entered, port), 0) + weight
                here, entered = network.hops[here, port]
        assert here == dest
    return turns


def shortest_turns(network, weights):
    """All shortest paths are listed one by one."""
    turns = {}
    after = {}
    for (card, port), (peer, peer_port) in network.hops.items():
        after.setdefault(card, []).append((port, peer, peer_port))
    far = [network.distance_from(card) for card in range(len(network.cards))]
    for (source, dest), weight in weights.items():
        paths = []

        def extend(card, entered, path):
            if card == dest:
                paths.append(path)
            for port, peer, peer_port in after[card]:
                if far[card][dest] == far[peer][dest] + 1:
                    extend(peer, peer_port, [*path, (entered, port)])

        extend(source, None, [])
        for path in paths:
            for entered, port in path[1:]:
                turns[entered, port] = turns.get((entered, port), 0) + weight / len(paths)
    return turns


TORI = ["torus:3", "torus:4x4", "torus:5x4x3", "torus:2x2x2", "mesh:4x3", "mesh:3x3x2"]


@pytest.mark.parametrize("spec", TORI)
@pytest.mark.parametrize("seed", [None, 3])
def test_dor(extorus, spec, seed):
    network = Network(spec)
    ends = len(network.cards)
    weights = uniform(ends) if seed is None else random_weights(ends, seed)
    ports = [f"d{d}{sign}" for d in range(len(network.radix)) for sign in "-+"]
    matrix = write_matrix(extorus, weights, ends) if seed else []
    found = check_assignments(extorus, [spec, *matrix], ports, dor_turns(network, weights))
    assert (found["paths"], found["ends"], found["switches"]) == ("dor", ends, ends)
    check_assignments(extorus, [spec, "--paths", "shortest", *matrix], ports, shortest_turns(network, weights))


@pytest.mark.parametrize("spec", ["rtt:8x4", "ptt:4x2x2", "pdtt:4x2x2", "manhattan:4x4", "manhattan:4x2x2"])
def test_shortest_paths(extorus, spec):
    network = Network(spec)
    ports = [f"d{d}{sign}" for d in range(len(network.radix)) for sign in "-+"]
    found = check_assignments(extorus, [spec], ports, shortest_turns(network, uniform(len(network.cards))))
    assert found["paths"] == "shortest"


@pytest.mark.parametrize("spec", ["pruned:4x2x3", "pruned-directed:4x4x2"])
def test_ports_by_number(extorus, spec):
    """The cards of a pruned torus are not alike: port 2 is one of dimension 1 or 2."""
    network = Network(spec)
    turns = {}
    for (a, b), weight in shortest_turns(network, uniform(len(network.cards))).items():
        pair = tuple(f"p{2 * (port[1] != '0') + (port[2] == '+')}" for port in (a, b))
        turns[pair] = turns.get(pair, 0) + weight
    check_assignments(extorus, [spec], ["p0", "p1", "p2", "p3"], turns)


@pytest.mark.parametrize("spec", ["twin:4x4x4,config=C", "twin:5x3x2", "twin:4x3", "twin:3x2x3x2"])
def test_twin_tori_are_tori_of_switches(extorus, spec):
    radices = spec.split(":")[1].split(",")[0]
    found = json.loads(extorus("crossings", spec, "--json"))
    network = Network(f"torus:{radices}")
    turns = dor_turns(network, uniform(len(network.cards)))
    card0 = card0_ports(len(network.radix), spec.partition("config=")[2] or "best")
    assert set(found["given"]["card0"]) == card0
    assert found["given"]["crossings"] == crossing(turns, card0)
    assert found["best"]["crossings"] == min(crossing(turns, half) for half in assignments(found["ports"]))


@pytest.mark.parametrize("k", range(2, 10))
def test_configurations_of_3d_twin_tori(extorus, k):
    """Uniform traffic in a torus gives the published numbers of A to J back."""
    letters = json.loads(extorus("configs", "3dt", "--k", str(k), "--json"))
    lines = extorus("crossings", f"torus:{k}x{k}x{k}", "--csv", "-").splitlines()[1:]
    listed = {frozenset(names.split(" ")): float(value) for names, value in (line.split(",") for line in lines)}
    assert len(listed) == len(letters) == 10
    every = frozenset(f"d{d}{sign}" for d in range(3) for sign in "-+")
    for letter, crossings in letters.items():
        ports = frozenset(card0_ports(3, letter))
        assert listed[ports if ports in listed else every - ports] == crossings * k**3


def test_zipf(extorus):
    """An exponent of 0 is uniform; a large one is traffic to the first rank, from there to the second."""
    assert json.loads(extorus("crossings", "tree:k=3,n=2", "--json"))["best"] == json.loads(extorus(
        "crossings", "tree:k=3,n=2", "--traffic", "zipf-common", "--zipf-exponent", "0", "--json"))["best"]
    tree = Tree(3, 2)
    arguments = ["tree:k=3,n=2", "--traffic", "zipf-common", "--zipf-exponent", "8", "--json", "--seed", "5"]
    found = json.loads(extorus("crossings", *arguments))
    totals = {sum(sum(t.values()) for t in tree.turns(
        {**{(s, first): 8 for s in range(9) if s != first}, (first, second): 8}).values())
        for first, second in itertools.permutations(range(9), 2)}
    assert any(found["turns"] == pytest.approx(total, rel=0.01) for total in totals)


def test_failed_cards_and_odd_ports(extorus):
    found = json.loads(extorus("crossings", "torus:4x4~5:d0+~7", "--json"))
    assert (found["ends"], found["switches"], found["paths"]) == (16, 15, "shortest")
    (extorus.folder / "net.json").write_text(json.dumps({"cards": 3, "links": [[0, 0, 1, 1], [1, 4, 2, 2]]}))
    found = json.loads(extorus("crossings", "file:net.json", "--json"))
    # Both turns are at card 1, between its ports 1 and 4.
    assert found["turns"] == 2 and found["best"]["crossings"] == 0
    assert json.loads(extorus("crossings", "file:net.json", "--card0", "p0,p1,p2", "--json"))["given"]["crossings"] == 2


def test_faults_are_noticed(extorus):
    tree = Tree(3, 2)
    weights = random_weights(9, 1)
    matrix = write_matrix(extorus, weights, 9)
    turns = add(*tree.turns(weights).values())
    ports = [f"down{i}" for i in range(3)] + [f"up{i}" for i in range(3)]
    check_assignments(extorus, ["tree:k=3,n=2", *matrix], ports, turns)
    for pair in list(turns):
        with pytest.raises(AssertionError):
            check_assignments(extorus, ["tree:k=3,n=2", *matrix], ports, {**turns, pair: turns[pair] + 0.25})
    with pytest.raises(AssertionError):
        check_assignments(extorus, ["tree:k=3,n=2", *matrix], ports, add(*tree.turns(weights, by_source=True).values()))


def test_table(extorus):
    text = extorus("crossings", "tree:k=2,n=2", "--card0", "down0,down1")
    assert "2 ends" not in text and "4 ends, 4 switches of 4 ports" in text
    assert [line.split()[0] for line in text.splitlines() if line.startswith(("optimal", "given", "as above"))] == [
        "optimal", "given", "as", "optimal", "as", "optimal"]
    assert "of 3 assignments" in text
    large = extorus("crossings", "tree:k=15,n=2")
    assert "there may be better ones" in large and "found" in large


@pytest.mark.parametrize("arguments, says", [
    ([], "say which network"),
    (["tree:k=4"], "write for example tree:k=4,n=3"),
    (["tree:k=40,n=2"], "k is from 2 to 32"),
    (["tree:k=4,n=2", "--paths", "dor"], "the paths of a tree are destro; leave --paths out"),
    (["torus:4", "--paths", "xy"], "--paths xy: there are dor, shortest and destro"),
    (["torus:4x4", "--paths", "destro"], "only a tree has DESTRO"),
    (["rtt:8x4", "--paths", "dor"], "count shortest paths instead"),
    (["torus:65x64"], "more than 4096 nodes"),
    (["ring:4"], "unknown kind"),
    (["torus:1"], "has nobody to send to"),
    (["torus:4", "--traffic", "all"], 'pattern "all" is not known'),
    (["torus:4", "--zipf-exponent", "x"], "--zipf-exponent: \"x\" is not a number from 0 to 8"),
    (["torus:4", "--seed", "-1"], "--seed: \"-1\" is not a number from 0"),
    (["torus:4", "--matrix", "m.csv", "--traffic", "uniform"], "--matrix says all about the traffic"),
    (["torus:4", "--matrix", "none.csv"], "none.csv: cannot be read"),
    (["torus:4x4", "--card0", "d0-"], "--card0: 1 ports named; of 4 ports, 2 are on each card"),
    (["torus:4x4", "--card0", "d0-,d0-"], '"d0-" is not one more port; name 2 different ones of d0- to d1+'),
    (["torus:4x4", "--card0", "d0-,"], '"" is not one more port'),
    (["tree:k=15,n=2", "--csv", "-"], "up to 28 can"),
    (["tree:k=2,n=2", "--csv", "none/x"], "none/x: cannot write here"),
    (["tree:k=2,n=2", "--csv", "-", "--json"], "only one of"),
])
def test_wrong_usage_is_status_2(extorus, arguments, says):
    extorus("crossings", *arguments, status=2, stderr=says)
    assert list(extorus.folder.iterdir()) == []


@pytest.mark.parametrize("text, says", [
    ("", "m.csv:1: the file is empty"),
    ("0,1,1\n", "m.csv:1: the first line is not src,dst,weight"),
    ("src,dst,weight\n", "m.csv: no traffic"),
    ("src,dst,weight\n0,1,1\n\n", "m.csv:3: \"\" does not begin with two ends from 0 to 3"),
    ("src,dst,weight\n0,4,1\n", "m.csv:2: \"0,4,1\" does not begin with two ends"),
    ("src,dst,weight\n-1,2,1\n", "m.csv:2:"),
    ("src,dst,weight\n0,99999999999999999999,1\n", "m.csv:2:"),
    ("src,dst,weight\n0 ,1,1\n", "m.csv:2:"),
    ("src,dst,weight\n0,1\n", "m.csv:2:"),
    ("src,dst,weight\n0,1,\n", 'm.csv:2: the weight "" is not a number'),
    ("src,dst,weight\n0,1,-1\n", 'm.csv:2: the weight "-1"'),
    ("src,dst,weight\n0,1,nan\n", 'm.csv:2: the weight "nan"'),
    ("src,dst,weight\n0,1,inf\n", 'm.csv:2: the weight "inf"'),
    ("src,dst,weight\n0,1,1,1\n", 'm.csv:2: the weight "1,1"'),
    ("src,dst,weight\n2,2,1\n", "m.csv:2: end 2 sends to itself"),
    ("src,dst,weight\n0,1,1\n2,1,1\n0,1,3\n", "m.csv:4: from 0 to 1 there is a weight in line 2 already"),
    ("src,dst,weight\n0,1,1\0\n", "m.csv:2: a zero byte"), ("src,dst,weight\n0,1,1\0", "m.csv:2: a zero byte"),
    pytest.param("src,dst,weight\n0,1," + "0" * 1048580 + "\n", "m.csv:2: a zero byte, or over 1048576 characters", id="long"),
    ("src,dst,weight\n0,1," + "1" * 300 + "\n", 'm.csv:2: the weight "1111'),
])
def test_malformed_matrices(extorus, text, says):
    (extorus.folder / "m.csv").write_text(text)
    extorus("crossings", "torus:4", "--matrix", "m.csv", status=2, stderr=says)


def test_listed_traffic_of_a_failed_card(extorus):
    matrix = write_matrix(extorus, {(0, 5): 1}, 2)
    extorus("crossings", "torus:4x4~5", *matrix, status=2, stderr="traffic from 0 to 5 is listed, but card 5 has failed")
