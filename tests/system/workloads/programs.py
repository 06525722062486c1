# SPDX-License-Identifier: Apache-2.0
"""What published programs send, from their descriptions: a message is (from, to, bytes), a collective (name, ranks, bytes)."""

import collections
import math

CLASSES = "SWABCDEF"
CG = ((1400, 15), (7000, 15), (14000, 15), (75000, 75), (150000, 75))
FT = ((64, 64, 64, 6), (128, 128, 32, 6), (256, 256, 128, 6), (512, 256, 256, 20))
LU = ((12, 50), (33, 300), (64, 250), (102, 250))
MG = ((32, 4), (128, 4), (256, 4), (256, 20))
IS = ((16, 512), (20, 1024), (23, 1024), (25, 1024))


def blocks(size, parts):
    """Rows of each part, the first ones having one more."""
    return [len(range(part, size, parts)) for part in range(parts)]


def cg(name, ranks):
    order, rounds = CG[CLASSES.index(name)]
    rows = 2 ** (int(math.log2(ranks)) // 2)
    columns = ranks // rows
    height = blocks(order, rows)
    steps = int(math.log2(columns))

    def scalars(size, times):
        for rank in range(ranks):
            for step in range(steps):
                yield from [(rank, rank ^ 1 << step, size)] * times

    def halves(rank):
        """Rows of the strip that the rank keeps: all, or of two neighbours the first has the larger half."""
        rest = height[rank // columns]
        return rest if rows == columns else rest - rest // 2 if rank % 2 == 0 else rest // 2

    for _ in range(rounds):
        yield from scalars(8, 1 + 2 * 25 + 1)
        yield from scalars(16, 1)
        for rank in range(ranks if columns > 1 else 0):
            row, column = divmod(rank, columns)
            for step in range(steps):
                yield from [(rank, rank ^ 1 << step, 8 * halves(rank ^ 1 if step == 0 else rank))] * 26
            # Of a transposed matrix rows are columns; where there are two columns for each row they stay together.
            wide = columns // rows
            yield from [(rank, (column // wide) * columns + row * wide + column % wide, 8 * halves(rank))] * 26


def lu(name, ranks):
    size, rounds = LU[CLASSES.index(name)]
    columns = max(n for n in range(1, ranks + 1) if ranks % n == 0 and n * n <= ranks)
    rows = ranks // columns
    high, wide = blocks(size, rows), blocks(size, columns)
    inside = [[n - (i == 0) - (i == len(side) - 1) for i, n in enumerate(side)] for side in (high, wide)]
    for column in range(columns):
        for row in range(rows):
            here = column * rows + row
            for there, edge, face in (((here + 1) if row + 1 < rows else None, inside[1][column], wide[column]),
                                      ((here + rows) if column + 1 < columns else None, inside[0][row], high[row])):
                if there is not None:
                    for source, target in ((here, there), (there, here)):
                        yield from [(source, target, 40 * edge)] * (rounds * (size - 2))
                        yield from [(source, target, 80 * face * size)] * rounds
    yield from [("allreduce", ranks, 40)] * 2


def mg(name, ranks):
    size, rounds = MG[CLASSES.index(name)]
    logarithm = int(math.log2(ranks))
    cut = [2 ** (logarithm // 3), 2 ** ((logarithm - logarithm // 3) // 2)]
    cut.append(ranks // cut[0] // cut[1])

    def places(rank):
        return (rank % cut[0], rank // cut[0] % cut[1], rank // cut[0] // cut[1])

    def own(side, axis, place):
        return (place + 1) * side // cut[axis] - place * side // cut[axis]

    def beside(side, axis, place, way):
        """The next place that has points."""
        place = (place + way) % cut[axis]
        while not own(side, axis, place):
            place = (place + way) % cut[axis]
        return place

    def moved(at, axis, place):
        at = (*at[:axis], place, *at[axis + 1:])
        return at[0] + cut[0] * (at[1] + cut[1] * at[2])

    def borders(side):
        for rank in range(ranks):
            at = places(rank)
            points = [own(side, axis, at[axis]) for axis in range(3)]
            for axis in range(3 if all(points) else 0):
                area = math.prod(points[other] + (2 if other < axis else 0) for other in range(3) if other != axis)
                for way in (1, -1):
                    yield rank, moved(at, axis, beside(side, axis, at[axis], way)), 8 * area

    def woken(side):
        """To those that had no points on the coarser level."""
        for rank in range(ranks):
            at = places(rank)
            for axis in range(3):
                if own(side, axis, at[axis]) and not own(side // 2, axis, at[axis]):
                    for way, layers in ((1, 1), (-1, 2)):
                        giver = moved(at, axis, beside(side, axis, at[axis], way))
                        area = math.prod(own(side, other, at[other]) + 2 for other in range(3) if other != axis)
                        yield giver, rank, 8 * layers * area

    sides = [2 ** k for k in range(1, int(math.log2(size)) + 1)]
    yield from [("allreduce", ranks, 8)] * 4
    yield from borders(size)
    for _ in range(rounds):
        for side in sides[:-1]:
            yield from borders(side)
        yield from borders(sides[0])
        for side in sides[1:]:
            yield from woken(side)
            yield from list(borders(side)) * 2
        yield from borders(size)


def ft(name, ranks):
    x, y, z, rounds = FT[CLASSES.index(name)]
    volume = 16 * x * y * z // ranks
    across = [tuple(range(ranks))] if ranks <= z else [tuple(range(i * ranks // z, (i + 1) * ranks // z)) for i in range(z)]
    down = [] if ranks <= z else [tuple(range(i, ranks, ranks // z)) for i in range(ranks // z)]
    for group in across + down:
        yield from [("alltoall", group, volume // len(group))] * (rounds + 1)
    yield from [("reduce", ranks, 16)] * rounds


def keys_below(share, place):
    """Of `share` keys, those whose mean of four uniform numbers is below `place`, a fraction of the range."""
    top, bottom = place.numerator, place.denominator
    return share * sum((-1) ** k * math.comb(4, k) * max(4 * top - k * bottom, 0) ** 4 for k in range(5)) // (24 * bottom ** 4)


def is_(name, ranks, fraction):
    logarithm, buckets = IS[CLASSES.index(name)]
    share = 2 ** logarithm // ranks
    below = [keys_below(share, fraction(bucket, buckets)) for bucket in range(buckets + 1)]
    ends = [0] + [min(n for n in below if ranks * n >= share * (rank + 1)) for rank in range(ranks)]
    for _ in range(10):
        yield "allreduce", ranks, 4 * (buckets + 5)
        yield "alltoall", ranks, 4
        for source in range(ranks):
            for target in range(ranks):
                if source != target and ends[target + 1] > ends[target]:
                    yield source, target, 4 * (ends[target + 1] - ends[target])


def graph500(scale, ranks, searches, levels=7):
    words = max(2 ** scale // ranks // 64, 64)
    for _ in range(searches):
        yield from [("allreduce", ranks, 8)] * levels
        yield from [("allgather", ranks, 8 * words), ("allgather", ranks, words // 8)] * (levels - 1)


def random_access(logarithm, ranks):
    """Bytes from rank to rank; how they are divided into messages is another matter."""
    table = 2 ** logarithm
    first = [sum(blocks(table, ranks)[:rank]) for rank in range(ranks + 1)]
    owner = [rank for rank in range(ranks) for _ in range(first[rank + 1] - first[rank])]
    state, sent = 1, collections.Counter()
    for source in range(ranks):
        for _ in range(4 * (first[source + 1] - first[source])):
            state = (state << 1) % 2 ** 64 ^ (7 if state >> 63 else 0)
            target = owner[state % table]
            if target != source:
                sent[source, target] += 8
    return sent


def ptrans(order, ranks, block=80):
    """Each block goes to the owner of its transposed place; in one message all between two ranks, as large as the largest."""
    rows = max(n for n in range(1, ranks + 1) if ranks % n == 0 and n * n <= ranks)
    columns = ranks // rows
    count = -(-order // block)
    moved = collections.Counter()
    for i in range(count):
        for j in range(count):
            moved[i % rows * columns + j % columns, j % rows * columns + i % columns] += 1
    side = -(-count // math.lcm(rows, columns))
    return [(source, target, 8 * (side * block) ** 2) for source, target in moved if source != target]


def grid(ranks):
    """The sides of the grid in 3D, the shorter ones first."""
    a = max(n for n in range(1, ranks + 1) if ranks % n == 0 and n ** 3 <= ranks)
    b = max(n for n in range(1, ranks + 1) if ranks // a % n == 0 and n * n <= ranks // a)
    return a, b, ranks // a // b


def neighbours(ranks):
    """Pairs of different places that touch, in a periodic grid."""
    a, b, c = grid(ranks)
    pairs = set()
    for rank in range(ranks):
        x, y, z = rank % a, rank // a % b, rank // a // b
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                for dz in (-1, 0, 1):
                    pairs.add(frozenset((rank, (x + dx) % a + a * ((y + dy) % b + b * ((z + dz) % c)))))
    return {pair for pair in pairs if len(pair) == 2}
