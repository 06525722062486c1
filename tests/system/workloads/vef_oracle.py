# SPDX-License-Identifier: Apache-2.0
"""VEF by its published definition, written apart from the library: files drawn at random with what each collective sends from
which rank to which, and how long a trace of messages takes if all ranks are on one PE."""

import heapq

BROADCAST, REDUCE, ALLREDUCE, GATHER, SCATTER, ALLGATHER, BARRIER, ALLTOALL = range(8)
NAMES = "broadcast reduce allreduce gather scatter allgather barrier alltoall".split()


class Trace:
    """A file that is being written. `pairs`: (sender, receiver) -> bytes, of what has only one way to be sent."""

    def __init__(self, ranks, communicators, version="3"):
        self.ranks, self.version = ranks, version
        self.communicators = [list(range(ranks)), *communicators]
        self.messages, self.collectives, self.locals, self.lines = 0, 0, 0, []
        self.only_sends, self.pairs = True, {}

    def message(self, source, target, size, dep=0, time=0, on=-1):
        self.lines.append(f"{self.messages} {source} {target} {size} {dep} {time} {on}")
        self.only_sends &= dep in (0, 1)
        self.count(source, target, size)
        self.messages += 1
        return self.messages - 1

    def count(self, source, target, size):
        if source != target:
            self.pairs[source, target] = self.pairs.get((source, target), 0) + size

    def collective(self, communicator, operation, sizes, deps=None):
        """`sizes`: (send_size, recv_size) of each task; `deps`: (Dep, time, IDdep) of each."""
        for task, (sent, received) in enumerate(sizes):
            dep, time, on = deps[task] if deps else (0, 0, -1)
            self.lines.append(f"G{self.collectives} {communicator} {operation} {task} {sent} {received} {dep} {time} {on}")
        self.locals += len(sizes)
        self.collectives += 1
        return f"G{self.collectives - 1}"

    def text(self):
        head = (f"VEF{self.version} {self.ranks} {self.messages} {len(self.communicators)} {self.collectives} {self.locals} "
                f"{'TRUE' if self.only_sends else 'FALSE'}")
        lines = [f"C{i} {' '.join(map(str, ranks))}" for i, ranks in enumerate(self.communicators)]
        return "\n".join([head, *lines, *self.lines]) + "\n"


def sizes(operation, tasks, root, blocks):
    """The two sizes of each task. `blocks`: X_i of each task, of those operations that have one X its first."""
    x, total = blocks[0], sum(blocks)
    return [{BROADCAST: (x, 0) if task == root else (0, x), REDUCE: (0, x) if task == root else (x, 0), ALLREDUCE: (x, x),
             GATHER: (blocks[task], total if task == root else 0), SCATTER: (total if task == root else 0, blocks[task]),
             ALLGATHER: (blocks[task], total), BARRIER: (0, 0), ALLTOALL: (blocks[task], 0)}[operation] for task in range(tasks)]


def cycles(text):
    """Of a trace of messages: one takes a cycle, times are cycles, and nothing else takes time."""
    lines = [line.split() for line in text.splitlines()]
    ranks, count, communicators = int(lines[0][1]), int(lines[0][2]), int(lines[0][3])
    waiting, due, done = {}, [], 0
    for number, source, target, _, dep, time, on in (tuple(map(int, line)) for line in lines[1 + communicators:]):
        assert source < ranks and target < ranks and number < count
        if dep == 0:
            heapq.heappush(due, (time, number))
        else:
            waiting.setdefault(on, []).append((time, number))
    end = 0
    while due:
        begin, number = heapq.heappop(due)
        done, end = done + 1, max(end, begin + 1)
        for time, other in waiting.get(number, []):
            heapq.heappush(due, (begin + 1 + time, other))
    assert done == count
    return end
