# SPDX-License-Identifier: Apache-2.0
"""What packets can meet while one routing table is rewritten to another, from two tables {(card, tc, dest): (port, vc)}
that have every card and every destination in service. It knows nothing of how the library finds or orders
anything. Standard library only."""

from oracle import is_acyclic


class Transition:
    """before, after: tables; old, new: the graphs (wiring) that they are for."""

    def __init__(self, before, after, old, new, tcs):
        self.before, self.after, self.old, self.new, self.tcs = before, after, old, new, tcs
        self.dests = sorted(new.cards)
        self.lost_dests = sorted(old.cards - new.cards)

    def changed(self):
        """Entries (card, dest), with all their TCs."""
        return {(card, dest) for (card, tc, dest), hop in self.after.items() if self.before[card, tc, dest] != hop}

    def options(self, card, tc, dest):
        """Old and new hop; there is no new one of or to a card that has failed."""
        hops = [self.before[card, tc, dest]] + ([self.after[card, tc, dest]] if (card, tc, dest) in self.after else [])
        return list(dict.fromkeys(hops))

    def fails(self, card, hop):
        return hop[0] != "nic" and (card, hop[0]) not in self.new.wiring

    def step(self, card, hop):
        """The card at the other end, if the link works."""
        return None if hop[0] == "nic" or self.fails(card, hop) else self.new.wiring[card, hop[0]][0]

    def dependencies(self, tc, options):
        """Of all destinations, with options(card, dest) -> hops that a packet can meet."""
        graph = {}
        for dest in self.dests + self.lost_dests:
            for card in self.old.cards:
                for hop in options(card, dest):
                    peer = self.step(card, hop)
                    if peer is None:
                        continue
                    followers = graph.setdefault((card, *hop), set())
                    followers |= {(peer, *follower) for follower in options(peer, dest)
                                  if self.step(peer, follower) is not None}
        return graph

    def union(self, tc):
        return self.dependencies(tc, lambda card, dest: self.options(card, tc, dest))

    def goes_round(self, tc, dest, options):
        graph = {card: {p for hop in options(card, dest) if (p := self.step(card, hop)) is not None}
                 for card in self.old.cards}
        return not is_acyclic(graph)

    def loops(self):
        return [(tc, dest) for tc in range(self.tcs) for dest in self.dests + self.lost_dests
                if self.goes_round(tc, dest, lambda card, d, tc=tc: self.options(card, tc, d))]

    def can_lose(self, tc, dest, options):
        """Cards from which a packet can come to a failed link."""
        losers = {card for card in self.old.cards if any(self.fails(card, hop) for hop in options(card, dest))}
        while more := {card for card in self.old.cards - losers
                       if any(self.step(card, hop) in losers for hop in options(card, dest))}:
            losers |= more
        return losers

    def walk(self, table, graph, tc, source, dest):
        way, card = [], source
        while (hop := table[card, tc, dest])[0] != "nic":
            way.append((card, *hop))
            card = graph.wiring[card, hop[0]][0]
        return way

    def pairs(self):
        """{name: number or mean} over ordered pairs of cards in service."""
        count = {"pairs": 0, "broken_pairs": 0, "exposed_pairs": 0, "rerouted_pairs": 0}
        hops = [0, 0]
        for dest in self.dests:
            old = set().union(*(self.can_lose(tc, dest, lambda card, d, tc=tc: [self.before[card, tc, d]])
                                for tc in range(self.tcs)))
            mixed = set().union(*(self.can_lose(tc, dest, lambda card, d, tc=tc: self.options(card, tc, d))
                                  for tc in range(self.tcs)))
            for source in self.new.cards - {dest}:
                ways = [(self.walk(self.before, self.old, tc, source, dest),
                         self.walk(self.after, self.new, tc, source, dest)) for tc in range(self.tcs)]
                count["pairs"] += 1
                count["broken_pairs"] += source in old
                count["exposed_pairs"] += source in mixed - old
                count["rerouted_pairs"] += any(a != b for a, b in ways)
                hops[0] += len(ways[0][0])
                hops[1] += len(ways[0][1])
        pairs = max(1, count["pairs"])
        return {**count, "mean_hops_before": hops[0] / pairs, "mean_hops_after": hops[1] / pairs}

    def at_least(self):
        """Entries that no routing leaves alone: those whose hop has failed, and per destination the most others that
        a card must have changed on its way (each card's own least, found by relaxation)."""
        total = 0
        for dest in self.dests:
            failed = {card for card in self.new.cards - {dest} for tc in range(self.tcs)
                      if self.fails(card, self.before[card, tc, dest])}
            extra = 0
            for tc in range(self.tcs) if failed else ():
                cost = {card: 0 if card == dest else 10 ** 9 for card in self.new.cards}
                again = True
                while again:
                    again = False
                    for (card, port), (peer, _) in self.new.wiring.items():
                        if card != dest:
                            free = card in failed or self.before[card, tc, dest][0] == port
                            through = cost[peer] + (not free)
                            if through < cost[card]:
                                cost[card], again = through, True
                extra = max(extra, *cost.values())
            total += len(failed) + extra
        return total

    def replay(self, steps, phases):
        """Follows the order that was proposed: steps {(card, dest): step}, phases [(first, last, stopped dests)].
        A packet can wait anywhere, so it may find any later state of an entry, but none after the phase in which its
        destination is done. Asserts that nothing goes round, nothing more is lost and nothing deadlocks."""
        of_phase = {}
        for (_, dest), step in steps.items():
            number = next(i for i, (first, last, _) in enumerate(phases) if first <= step <= last)
            assert of_phase.setdefault(dest, number) == number, f"to {dest} in two phases"
        stopped_at = {dest: i for i, (_, _, dests) in enumerate(phases) for dest in dests}
        assert set(stopped_at) <= set(of_phase) | set(self.lost_dests)
        for tc in range(self.tcs):
            for number, (first, last, _) in enumerate(phases):
                graph = {}
                for dest in self.dests + self.lost_dests:
                    mine = of_phase.get(dest, None)
                    if mine is None or number < mine:
                        if dest in stopped_at and stopped_at[dest] <= number:
                            continue
                        table = [self.before, None]
                    elif number > mine:
                        table = [None, self.after]
                    elif dest in stopped_at:
                        table = [None, self.after]  # goes on when all is written; what waits beside is as before
                    else:
                        table = [self.before, self.after]
                    self._add_phase(graph, tc, dest, table, steps, first, last)
                assert is_acyclic(graph), f"TC {tc}: cyclic in phase {number}"

    def _add_phase(self, graph, tc, dest, tables, steps, first, last):
        """States are (card, time): between steps time stands still, in a step an entry is old or new."""
        sources = self.old.cards if tables[0] else self.new.cards
        todo = [((card, first), None) for card in sources if card != dest]
        seen, edges = set(), {}
        worked = self.old.cards - (self.can_lose(tc, dest, lambda card, d: [self.before[card, tc, d]])
                                   if tables[0] and dest in self.new.cards else set())
        while todo:
            (card, now), _ = todo.pop()
            if (card, now) in seen:
                continue
            seen.add((card, now))
            after = edges.setdefault((card, now), set())
            if now < last:
                todo.append(((card, now + 1), None))
                after.add((card, now + 1))
            for hop in self._hops(tables, tc, dest, card, now, steps):
                peer = self.step(card, hop)
                if peer is None:
                    continue
                todo.append(((peer, now), None))
                after.add((peer, now))
                for later in range(now, last + 1):
                    for follower in self._hops(tables, tc, dest, peer, later, steps):
                        graph.setdefault((card, *hop), set())
                        if self.step(peer, follower) is not None:
                            graph[card, *hop].add((peer, *follower))
        assert is_acyclic(edges), f"TC {tc} to {dest}: goes round"
        if dest in self.new.cards:
            for source in worked & self.new.cards - {dest}:
                todo, met = [(source, first)], set()
                while todo:
                    state = todo.pop()
                    if state not in met:
                        met.add(state)
                        todo += edges.get(state, ())
                        for hop in self._hops(tables, tc, dest, *state, steps):
                            assert not self.fails(state[0], hop), f"TC {tc}: {source} to {dest} is lost at {state}"

    def _hops(self, tables, tc, dest, card, now, steps):
        if tables[0] is None:
            return [tables[1][card, tc, dest]]
        if tables[1] is None or (card, tc, dest) not in self.after:
            return [self.before[card, tc, dest]]
        step = steps.get((card, dest))
        hops = []
        if step is None or now <= step:
            hops.append(self.before[card, tc, dest])
        if step is None or now >= step:
            hops.append(self.after[card, tc, dest])
        return list(dict.fromkeys(hops))
