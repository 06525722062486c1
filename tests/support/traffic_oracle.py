# SPDX-License-Identifier: Apache-2.0
"""Destination patterns, written from their definitions and not from the library."""

import math

MASK = (1 << 64) - 1


def bits_of(number, count):
    return [number >> bit & 1 for bit in range(count)]


def number_of(bits):
    return sum(bit << place for place, bit in enumerate(bits))


def bit_permutation(name, pe, count):
    """Dally and Towles, table 3.1: what bit i of the destination is."""
    source = bits_of(pe, count)
    rule = {
        "bit-complement": lambda i: 1 - source[i],
        "bit-reversal": lambda i: source[count - 1 - i],
        "shuffle": lambda i: source[(i - 1) % count],
        "transpose": lambda i: source[(i + count // 2) % count],
    }[name]
    return number_of([rule(i) for i in range(count)])


def coordinates(node, radices):
    found = []
    for radix in radices:
        found.append(node % radix)
        node //= radix
    return found


def node_at(place, radices):
    node = 0
    for value, radix in reversed(list(zip(place, radices))):
        node = node * radix + value % radix
    return node


def digit_permutation(name, pe, radices, per_node):
    place = coordinates(pe // per_node, radices)
    if name == "tornado":
        place = [value + math.ceil(radix / 2) - 1 for value, radix in zip(place, radices)]
    else:
        place = [value + 1 for value in place]
    return node_at(place, radices) * per_node + pe % per_node


def nearest(pe, radices, per_node):
    place = coordinates(pe // per_node, radices)
    found = set()
    for dimension, radix in enumerate(radices):
        for step in (1, radix - 1):
            other = list(place)
            other[dimension] += step
            found.add(node_at(other, radices) * per_node + pe % per_node)
    return found - {pe}


class Random:
    """xoshiro256**, a stream of a seed, as random.h describes it."""

    @staticmethod
    def mix(z):
        z = (z + 0x9e3779b97f4a7c15) & MASK
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & MASK
        z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK
        return z ^ z >> 31

    def __init__(self, seed, stream):
        state = self.mix(seed) ^ self.mix(~stream & MASK)
        self.s = []
        for _ in range(4):
            self.s.append(self.mix(state))
            state = (state + 0x9e3779b97f4a7c15) & MASK

    @staticmethod
    def rotated(x, by):
        return (x << by | x >> (64 - by)) & MASK

    def next(self):
        s = self.s
        result = self.rotated(s[1] * 5 & MASK, 7) * 9 & MASK
        shifted = s[1] << 17 & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = self.rotated(s[3], 45)
        return result

    def below(self, n):
        return (self.next() >> 32) * n >> 32


def zipf_order(pes, seed):
    """The PE of each rank: shuffled from the inside out (Durstenfeld) by a stream that no PE has."""
    random, order = Random(seed, 1 << 32), []
    for rank in range(pes):
        at = random.below(rank + 1)
        order.append(rank)
        order[rank], order[at] = order[at], rank
    return order


def zipf_place(rank, ranks, key):
    """Where a source with this key has a rank: four rounds of a Feistel network, again until the result is below `ranks`."""
    half = 1
    while ranks > 4**half:
        half += 1
    low, place = (1 << half) - 1, rank
    while True:
        left, right = place >> half, place & low
        for number in range(4):
            left, right = right, left ^ Random.mix(key ^ (number << 32 | right)) & low
        place = left << half | right
        if place < ranks:
            return place


def zipf_chances(pe, pes, seed, exponent):
    """{destination: probability}: each source has an order of its own, of the others."""
    key, chances = Random(seed, (1 << 32) + 1 + pe).next(), {}
    for rank in range(pes - 1):
        place = zipf_place(rank, pes - 1, key)
        chances[place + (place >= pe)] = (rank + 1.0)**-exponent
    total = sum(chances.values())
    assert len(chances) == pes - 1
    return {dest: weight / total for dest, weight in chances.items()}


def zipf_common_chances(pe, pes, seed, exponent):
    """{destination: probability}: one order for all."""
    order = zipf_order(pes, seed)
    weights = {order[rank]: (rank + 1.0)**-exponent for rank in range(pes) if order[rank] != pe}
    total = sum(weights.values())
    return {dest: weight / total for dest, weight in weights.items()}


def hot_chances(pe, pes):
    hot = [dest for dest in range(pes // 8) if dest != pe]
    chances = {dest: (0.75 if hot else 1.0) / (pes - 1) for dest in range(pes) if dest != pe}
    for dest in hot:
        chances[dest] += 0.25 / len(hot)
    return chances


def chi_square_deviation(counts, chances):
    """How many standard deviations a chi-square statistic is from what it should be (Wilson and Hilferty); cells
    with few expected counts are put together. Counts where there is no chance: infinity."""
    total = sum(counts.values())
    if any(counts[key] and not chances.get(key) for key in counts):
        return math.inf
    cells, rest_seen, rest_expected = [], 0, 0.0
    for key, chance in chances.items():
        seen, expected = counts.get(key, 0), chance * total
        if expected < 8:
            rest_seen, rest_expected = rest_seen + seen, rest_expected + expected
        else:
            cells.append((seen, expected))
    if rest_expected >= 8:
        cells.append((rest_seen, rest_expected))
    elif rest_seen > 40:  # where hardly any should be
        return math.inf
    free = len(cells) - 1
    if free < 1:
        return 0.0
    statistic = sum((seen - expected)**2 / expected for seen, expected in cells)
    return ((statistic / free)**(1 / 3) - (1 - 2 / (9 * free))) / math.sqrt(2 / (9 * free))
