# SPDX-License-Identifier: Apache-2.0
"""Runs the graph of a collective on symbols. A message brings only the symbols that its sender surely has when the
message is sent, by the send's dependencies. Each rank must end with the result that the MPI standard states."""

import bisect
import json

SEND, RECV, CALC = range(3)


class Wrong(AssertionError):
    pass


def check(condition, text):
    if not condition:
        raise Wrong(text)


class Graph:
    def __init__(self, line):
        self.__dict__.update(json.loads(line))
        self.n = self.ranks

    def order(self):
        """Events in an order that keeps all dependencies; also checks that the graph is one."""
        waits, followers = [0] * len(self.events), [[] for _ in self.events]
        for e, (kind, rank, peer, size, match, on, _, _) in enumerate(self.events):
            for d in on:
                check(self.events[d][1] == rank, f"event {e} waits for an event of another rank")
                followers[d].append(e)
            waits[e] += len(on)
            if kind == CALC:
                continue
            other = self.events[match]
            check(other[4] == e and other[1] == peer and other[2] == rank and other[3] == size and other[0] == 1 - kind,
                  f"event {e} and {match} are no pair")
            check(rank != peer, f"event {e}: a message to oneself")
            if kind == SEND:
                followers[e].append(match)
                waits[match] += 1
        ready = [e for e, count in enumerate(waits) if count == 0]
        for e in ready:
            for f in followers[e]:
                waits[f] -= 1
                if waits[f] == 0:
                    ready.append(f)
        check(len(ready) == len(self.events), "events wait for themselves")
        return ready

    def intervals(self):
        """Cuts the space of data where any message does."""
        space = self.bytes * {"gather": self.n, "scatter": self.n, "allgather": self.n,
                              "alltoall": self.n * self.n}.get(self.collective, 1)
        cuts = {0, space}
        step = self.bytes if space > self.bytes else max(space, 1)
        cuts.update(range(0, space + 1, step))
        for event in self.events:
            for offset, length in event[7]:
                check(0 <= offset and length > 0 and offset + length <= space, "a piece outside of the data")
                cuts.update((offset, offset + length))
        self.cuts = sorted(cuts)
        return len(self.cuts) - 1

    def bits(self, pieces):
        mask = 0
        for offset, length in pieces:
            low, high = bisect.bisect_left(self.cuts, offset), bisect.bisect_left(self.cuts, offset + length)
            piece = (1 << high) - (1 << low)
            check(not mask & piece, "a message carries something twice")
            mask |= piece
        return mask


def ones(mask):
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def run_blocks(g, own, wanted):
    """Data that is only copied: `own` and `wanted` are masks of intervals by rank."""
    held = [None] * len(g.events)  # when the event is done
    for e in g.order():
        kind, rank, _, size, match, on, mode, pieces = g.events[e]
        have = own[rank]
        for d in on:
            have |= held[d]
        if kind == SEND:
            carried = g.bits(pieces)
            check(sum(length for _, length in pieces) == size, f"event {e} carries not what it says")
            check(mode == 0, f"event {e}: nothing is added up here")
            check(carried & ~have == 0, f"event {e}: rank {rank} sends what it may not have yet")
        elif kind == RECV:
            have |= g.bits(g.events[match][7])
        held[e] = have
    for rank in range(g.n):
        final = own[rank]
        for e, event in enumerate(g.events):
            final |= held[e] if event[1] == rank else 0
        check(wanted[rank] & ~final == 0, f"rank {rank} does not get everything")


def run_sums(g, everywhere):
    """Reductions: of each interval, whose contributions a partial sum has; none twice."""
    count = g.intervals()
    own = [1 << rank for rank in range(g.n)]
    received = [[] for _ in range(g.n)]  # (event, mask of intervals, mode, {interval: contributions})
    index = {}
    applied = [0] * len(g.events)  # receives of its rank that are done when the event is, as bits

    def value(rank, done, interval):
        total, copied = own[rank], None
        for i in ones(done):
            _, mask, mode, brought = received[rank][i]
            if not mask >> interval & 1:
                continue
            if mode:
                check(copied is None, f"rank {rank} adds to a result")
                check(not total & brought[interval], f"rank {rank} adds a contribution twice")
                total |= brought[interval]
            else:
                check(copied in (None, brought[interval]), f"rank {rank} gets two results")
                check(total & ~brought[interval] == 0, f"rank {rank}: a result lacks what was added")
                copied = brought[interval]
        return total if copied is None else copied

    for e in g.order():
        kind, rank, _, size, match, on, mode, pieces = g.events[e]
        done = 0
        for d in on:
            done |= applied[d]
        if kind == SEND:
            check(sum(length for _, length in pieces) == size, f"event {e} carries not what it says")
            g.events[e].append({i: value(rank, done, i) for i in ones(g.bits(pieces))})
        elif kind == RECV:
            send = g.events[match]
            index[e] = len(received[rank])
            received[rank].append((e, g.bits(send[7]), send[6], send[8]))
            if not send[6]:  # a result overwrites: what is added must be in before
                for i, (_, mask, other, _) in enumerate(received[rank]):
                    check(not (other and mask & received[rank][-1][1]) or done >> i & 1,
                          f"event {e}: rank {rank} may get the result before it has added all")
            done |= 1 << index[e]
        applied[e] = done
    for rank in range(g.n) if everywhere else [g.root]:
        for interval in range(count):
            check(value(rank, (1 << len(received[rank])) - 1, interval) == (1 << g.n) - 1 or g.bytes == 0,
                  f"rank {rank} has not the sum of all")


def run_barrier(g):
    """Nobody leaves before everybody has come."""
    heard = [0] * len(g.events)
    last = [1 << rank for rank in range(g.n)]
    for e in g.order():
        kind, rank, _, size, match, on, _, _ = g.events[e]
        check(size == 0, "a barrier has no data")
        heard[e] = 1 << rank
        for d in on:
            heard[e] |= heard[d]
        if kind == RECV:
            heard[e] |= heard[match]
        last[rank] |= heard[e]
    check(all(mask == (1 << g.n) - 1 for mask in last), "a rank leaves the barrier too early")


def run(line):
    g = Graph(line)
    n, every = g.n, range(g.n)
    if g.collective == "barrier":
        run_barrier(g)
        return g
    if g.collective in ("reduce", "allreduce"):
        run_sums(g, g.collective == "allreduce")
        return g
    everything = (1 << g.intervals()) - 1
    block = [g.bits([(r * g.bytes, g.bytes)]) if g.collective not in ("broadcast",) else 0 for r in every]
    if g.collective == "broadcast":
        run_blocks(g, [everything if r == g.root else 0 for r in every], [everything] * n)
    elif g.collective == "scatter":
        run_blocks(g, [everything if r == g.root else 0 for r in every], block)
    elif g.collective == "gather":
        run_blocks(g, block, [everything if r == g.root else 0 for r in every])
    elif g.collective == "allgather":
        run_blocks(g, block, [everything] * n)
    elif g.collective == "alltoall":
        run_blocks(g, [g.bits([((s * n) * g.bytes, n * g.bytes)]) for s in every],
                   [g.bits([((s * n + d) * g.bytes, g.bytes) for s in every]) for d in every])
    return g
