# SPDX-License-Identifier: Apache-2.0
"""Any network: wiring, distances, up/down directions and the examination of a table, written from the description of
the rules. It knows nothing of how the library makes its routes. Standard library only."""

import random
from collections import deque

from networks import Network
from oracle import is_acyclic


class Graph:
    """wiring: {(card, port): (card, port)}, from where packets are sent to where they arrive."""

    def __init__(self, cards, wiring):
        self.cards, self.wiring = set(cards), dict(wiring)
        self.senders = {card: set() for card in self.cards}
        for (card, _), (peer, _) in self.wiring.items():
            self.senders[peer].add(card)

    def distances(self, dest):
        """{card: links from there to dest}"""
        seen, queue = {dest: 0}, deque([dest])
        while queue:
            card = queue.popleft()
            for sender in self.senders[card]:
                if sender not in seen:
                    seen[sender] = seen[card] + 1
                    queue.append(sender)
        return seen

    def without(self, links=(), cards=()):
        """links, which go both ways: [(card, port), ...], one end of each."""
        gone = set(links) | {self.wiring[end] for end in links}
        wiring = {end: peer for end, peer in self.wiring.items()
                  if end not in gone and end[0] not in cards and peer[0] not in cards}
        return Graph(self.cards - set(cards), wiring)

    def cut_off(self):
        """Cards in service that the first of them does not reach."""
        return sorted(self.cards - set(self.distances(min(self.cards))))

    def root(self):
        return min(self.cards, key=lambda card: (max(self.distances(card).values()), card))


def of_topology(spec):
    network = Network(spec)
    return Graph(range(len(network.cards)), network.hops)


def random_graph(seed, most_cards=40, ports=6):
    """(graph, what a file says of it): a random tree and some more links, on random ports; also two between the same
    cards."""
    draw = random.Random(seed)
    cards = draw.randint(2, most_cards)
    free = {card: draw.sample(range(ports), ports) for card in range(cards)}
    links = []

    def link(a, b):
        links.append([a, free[a].pop(), b, free[b].pop()])

    order = draw.sample(range(cards), cards)
    for i in range(1, cards):
        link(order[i], draw.choice([card for card in order[:i] if free[card]]))
    for _ in range(draw.randint(0, 2 * cards)):
        room = [card for card in free if free[card]]
        if len(room) < 2:
            break
        link(*draw.sample(room, 2))
    draw.shuffle(links)
    wiring = {}
    for a, port_a, b, port_b in links:
        wiring[a, f"p{port_a}"], wiring[b, f"p{port_b}"] = (b, f"p{port_b}"), (a, f"p{port_a}")
    return Graph(range(cards), wiring), {"cards": cards, "links": links}


def walk(graph, table, tc, source, dest):
    """[(card, port, vc), ...] of the links that a packet takes."""
    card, way = source, []
    while (hop := table[card, tc, dest])[0] != "nic":
        way.append((card, *hop))
        assert (card, hop[0]) in graph.wiring, f"TC {tc}, {source} to {dest}: no link at {card}:{hop[0]}"
        card = graph.wiring[card, hop[0]][0]
        assert len(way) < len(graph.cards), f"TC {tc}, {source} to {dest}: goes round"
    assert card == dest, f"TC {tc}, {source} to {dest}: delivered at {card}"
    return way


def dependencies(graph, table, tc, sources=None):
    """{channel: {channels that packets go on to}} of the packets from `sources`; without these from all cards in service,
    so that every entry is one on a packet's way."""
    result = {}
    for dest in graph.cards:
        cards = graph.cards if sources is None else {card for source in set(sources) - {dest}
                                                     for card, *_ in walk(graph, table, tc, source, dest)}
        for card in cards - {dest}:
            port, vc = table[card, tc, dest]
            followers = result.setdefault((card, port, vc), set())
            there = graph.wiring[card, port][0]
            if there != dest:
                followers.add((there, *table[there, tc, dest]))
    return result


def assert_cycle(graph, table, tc, cycle, sources=None):
    """cycle: [(card, port, to_card, to_port, vc), ...] is one of the dependencies of the table: each link is there, and
    packets go from each channel on to the next one, from the last to the first."""
    follows = dependencies(graph, table, tc, sources)
    assert not is_acyclic(follows)
    assert len(cycle) > 1 and len({(card, port, vc) for card, port, _, _, vc in cycle}) == len(cycle)
    for (card, port, to_card, to_port, vc), (next_card, next_port, _, _, next_vc) in zip(cycle, cycle[1:] + cycle[:1]):
        assert graph.wiring[card, port] == (to_card, to_port), f"{card}:{port} does not lead to {to_card}:{to_port}"
        assert (next_card, next_port, next_vc) in follows.get((card, port, vc), ()), f"{card}:{port} waits for no other"


def examine(graph, table, tc):
    """Asserts that everything is delivered within the wiring and that nothing can deadlock. Returns (mean hops, mean
    distance, pairs that are not minimal)."""
    assert set(table) >= {(s, tc, d) for s in graph.cards for d in graph.cards if s != d}
    hops = shortest = longer = 0
    for dest in graph.cards:
        distance = graph.distances(dest)
        for source in graph.cards - {dest}:
            length = len(walk(graph, table, tc, source, dest))
            hops, shortest, longer = hops + length, shortest + distance[source], longer + (length > distance[source])
    assert is_acyclic(dependencies(graph, table, tc)), f"TC {tc}: cyclic"
    pairs = max(1, len(graph.cards) * (len(graph.cards) - 1))
    return hops / pairs, shortest / pairs, longer


def assert_updown(graph, table, tc):
    """No packet goes up after it came down, and all are on one VC."""
    level = graph.distances(graph.root())
    for source in graph.cards:
        for dest in graph.cards - {source}:
            came_down = False
            for card, port, vc in walk(graph, table, tc, source, dest):
                peer = graph.wiring[card, port][0]
                up = (level[peer], peer) < (level[card], card)
                assert not (up and came_down), f"{source} to {dest}: up after down at {card}"
                assert vc == 0
                came_down |= not up


def assert_layers_ascend(graph, table, tc):
    for source in graph.cards:
        for dest in graph.cards - {source}:
            vcs = [vc for _, _, vc in walk(graph, table, tc, source, dest)]
            assert vcs == sorted(vcs), f"{source} to {dest}: VCs {vcs}"
