# SPDX-License-Identifier: Apache-2.0
"""GOAL by LogGOPSim's definition, written apart from the library: schedules drawn at random, and how long one takes if all
ranks are on one PE, where a message is there one cycle after its send began, and nothing else takes time but computations."""

import random
import re

STATEMENT = re.compile(r"(?:(\w+)\s*:\s*)?(?:(send|recv)\s*(\d+)\s*b\s*(?:to|from)\s*(-1|\d+)|calc\s*(\d+))(?:\s*tag\s*(-1|\d+))?"
                       r"(?:\s*cpu\s*(\d+))?\s*$")


class Stuck(Exception):
    """Receives of any message have taken those of others."""


class Event:
    def __init__(self, rank, kind, size, peer, tag, cpu):
        self.rank, self.kind, self.size, self.peer, self.tag, self.cpu = rank, kind, size, peer, tag, cpu
        self.waits = self.begin_waits = 0
        self.after_end, self.after_begin = [], []
        self.begin = self.end = self.message = None


def parse(text):
    events, rank, labels = [], None, {}
    for line in text.splitlines()[1:]:
        if line.startswith("rank"):
            rank, labels = int(line.split()[1]), {}
        elif "requires" in line:
            event, how, on = line.split()
            if how == "requires":
                labels[on].after_end.append(labels[event])
            else:
                labels[on].after_begin.append(labels[event])
            labels[event].waits += 1
        elif match := STATEMENT.match(line):
            label, kind, size, peer, time, tag, cpu = match.groups()
            event = Event(rank, kind or "calc", int(size or time), int(peer or 0), int(tag or 0), int(cpu or 0))
            labels[label] = event
            events.append(event)
    return events


class Run:
    """Cycle by cycle. What is ready on a busy cpu waits in the order in which it became ready; of one cycle messages come before
    computations, then all in the order of the file. `rng` draws in which order the consequences of one event happen."""

    def __init__(self, events, rng):
        self.events, self.rng, self.now, self.cpus, self.queue = events, rng, 0, {}, []
        self.posted, self.unexpected, self.timers = {}, {}, []
        for order, event in enumerate(events):
            event.order = order
        for event in [event for event in events if event.waits == 0]:
            self.ready(event)
        self.serve()
        while any(event.end is None for event in events):
            if not self.timers:
                raise Stuck
            self.now = min(time for time, *_ in self.timers)
            due = sorted((t for t in self.timers if t[0] == self.now), key=lambda t: t[1].order)
            self.timers = [t for t in self.timers if t[0] != self.now]
            for _, event in due:
                self.finish(event)
                if event.kind == "send":
                    self.arrive(event)
            self.serve()
        self.cycles = max(event.end for event in events)

    def busy(self, event):
        return self.cpus.get((event.rank, event.cpu), 0) > self.now

    @staticmethod
    def same_cpu(a, b):
        return (a.rank, a.cpu) == (b.rank, b.cpu)

    def ready(self, event):
        """Its begin is due; of a receive that has begun, its end."""
        waiting = any(self.same_cpu(other, event) and not (computes and since == self.now)
                      for since, computes, _, other in self.queue)
        if event.kind == "calc" or self.busy(event) or waiting:
            self.queue.append((self.now, event.kind == "calc", event.order, event))
            self.queue.sort(key=lambda entry: entry[:3])
        else:
            self.go(event)

    def serve(self):
        while free := [entry for i, entry in enumerate(self.queue) if not self.busy(entry[3]) and not any(
                self.same_cpu(entry[3], other[3]) for other in self.queue[:i])]:
            entry = self.rng.choice(free)
            self.queue.remove(entry)
            self.go(entry[3])

    def go(self, event):
        if event.begin is not None:
            self.finish(event)
            return
        event.begin = self.now
        if event.kind == "calc" and event.size:
            self.cpus[event.rank, event.cpu] = self.now + event.size
        for other in self.rng.sample(event.after_begin, len(event.after_begin)):
            self.count_down(other)
        if event.kind == "send":
            self.timers.append((self.now + 1, event))
        elif event.kind == "calc":
            if event.size:
                self.timers.append((self.now + event.size, event))
            else:
                self.finish(event)
        else:
            for send in self.unexpected.get(event.rank, []):
                if self.fits(send, event):
                    self.unexpected[event.rank].remove(send)
                    self.finish(event)
                    return
            self.posted.setdefault(event.rank, []).append(event)

    @staticmethod
    def fits(send, recv):
        return recv.peer in (-1, send.rank) and recv.tag in (-1, send.tag)

    def arrive(self, send):
        for recv in self.posted.get(send.peer, []):
            if self.fits(send, recv):
                self.posted[send.peer].remove(recv)
                self.ready(recv)
                return
        self.unexpected.setdefault(send.peer, []).append(send)

    def finish(self, event):
        event.end = self.now
        for other in self.rng.sample(event.after_end, len(event.after_end)):
            self.count_down(other)

    def count_down(self, event):
        event.waits -= 1
        if event.waits == 0:
            self.ready(event)


def cycles(text):
    """None where the order within a cycle, which is not defined, makes a difference."""
    found = {Run(parse(text), random.Random(seed)).cycles for seed in range(40)}
    return found.pop() if len(found) == 1 else None


def draw(rng, ranks, rounds, wild):
    """Rounds of computations on up to three cpus and of messages, each after some of the events before it in its rank.
    With receives of any message nothing begins with another event: which of two receives of one cycle is the first is not
    defined."""
    lines, labels, edges = [[] for _ in range(ranks)], [[] for _ in range(ranks)], [[] for _ in range(ranks)]

    def add(rank, text, cpu):
        label = f"e{len(labels[rank])}"
        lines[rank].append(f"{label}: {text}" + (f" cpu {cpu}" if cpu else ""))
        for on in rng.sample(labels[rank][-5:], min(len(labels[rank][-5:]), rng.randrange(3))):
            how = "irequires" if not wild and rng.random() < 0.3 else "requires"
            edges[rank].append(f"{label} {how} {on}")
        labels[rank].append(label)

    for tag in range(rounds):
        for rank in range(ranks):
            for _ in range(rng.randrange(3)):
                add(rank, f"calc {rng.randrange(1, 10000) if wild or rng.random() < 0.9 else 0}", rng.randrange(3))
        source, target = rng.randrange(ranks), rng.randrange(ranks)
        add(source, f"send {rng.randrange(1, 100)}b to {target} tag {tag}", rng.randrange(3))
        # A rank takes either what it names, or always anything from that rank, or always anything.
        how = target % 3 if wild else 2
        add(target, f"recv 100b from {(-1, source, source)[how]} tag {(-1, -1, tag)[how]}", rng.randrange(3))
    return f"num_ranks {ranks}\n" + "".join(
        f"rank {r} {{\n" + "".join(line + "\n" for line in lines[r] + edges[r]) + "}\n" for r in range(ranks))


def draw_and_run(seed, wild):
    """A schedule that comes to its end, and its cycles."""
    rng = random.Random(seed)
    while True:
        text = draw(rng, rng.randrange(1, 5), 30, wild)
        try:
            took = cycles(text)
        except Stuck:
            continue
        if took is not None:
            return text, took
