# SPDX-License-Identifier: Apache-2.0
"""Layouts of cards on a floor of slots, in levels or flat, by force: foldings as lists, all arrangements placed card
by card.

examine() checks a list of wires against the network that networks.py builds. best_longest() is the shortest
longest wire of all arrangements of a way of folding. placement() searches all placements. Standard library only.
"""

import csv
import io
import itertools
import math


def folded(k):
    """Places of the members of a ring that is laid out there and back."""
    order = []
    for i in range((k + 1) // 2):
        order += [i, k - 1 - i]
    order = order[:k]
    return [order.index(i) for i in range(k)]


def place(end, row, peer):
    """(column, row, level) of an end of a wire; the levels of both are the last fields."""
    return int(end["column"]), int(end["row"]), int(row["peer_level" if peer else "level"])


def number(at, size, boxes):
    """(number of the box, number in the box) of a place, both along columns, then rows, then levels."""
    box = [a // s for a, s in zip(at, size)]
    inside = [a % s for a, s in zip(at, size)]
    return ((box[2] * boxes[1] + box[1]) * boxes[0] + box[0],
            (inside[2] * size[1] + inside[1]) * size[0] + inside[0])


def examine(text, network, cabinet, pitch_mm):
    """Asserts that each card has one slot, no slot two cards, each link one wire of the right length; returns
    (longest in slots, longest in mm, total in slots, {length: wires}, {card: (column, row, level)}, longest in
    cabinets)."""
    slots, wires, histogram = {}, set(), {}
    longest_mm = total = cabinets = 0
    rows = list(csv.DictReader(io.StringIO(text)))
    ends = [[{key.removeprefix("peer_"): value for key, value in row.items() if key.startswith("peer_") == peer}
             for peer in (False, True)] for row in rows]
    places = [[place(end, row, peer) for peer, end in enumerate(pair)] for row, pair in zip(rows, ends)]
    extents = [1 + max(at[axis] for pair in places for at in pair) for axis in range(3)]
    boxes = [-(-extent // size) for extent, size in zip(extents, cabinet)]
    for row, pair, at in zip(rows, ends, places):
        for end, slot in zip(pair, at):
            assert slots.setdefault(int(end["card"]), slot) == slot, "a card in two slots"
            assert (int(end["cabinet"]), int(end["slot"])) == number(slot, cabinet, boxes)
        wire = frozenset((int(end["card"]), end["port"]) for end in pair)
        assert wire not in wires, "a wire twice"
        wires.add(wire)
        distance = [abs(a - b) for a, b in zip(*at)]
        assert int(row["slots"]) == sum(distance), "a wrong length"
        mm = sum(d * p for d, p in zip(distance, pitch_mm))
        assert float(row["metres"]) == mm / 1000
        histogram[sum(distance)] = histogram.get(sum(distance), 0) + 1
        longest_mm, total = max(longest_mm, mm), total + sum(distance)
        cabinets = max(cabinets, sum(abs(a // s - b // s) for a, b, s in zip(*at, cabinet)))
    assert wires == {frozenset(link) for link in network.hops.items()}, "links are missing"
    assert len(set(slots.values())) == len(slots), "two cards in a slot"
    return max(histogram), longest_mm, total, histogram, slots, cabinets


def digits(network, way):
    """[(radix, digit), ...] of every card for a way of folding: "plain", "folded", "trellis" or "wound"."""
    k, found = network.radix, []
    for coordinates, side in network.cards:
        digit = [(2, side)] if network.family == "twin" else []
        rest = 0
        if way == "trellis":
            a = k[1]
            u, v = (coordinates[0] + coordinates[1]) % (2 * a), (coordinates[0] - coordinates[1]) % (2 * a)
            digit += [(2, int(u >= a)), (a, min(u, 2 * a - 1 - u)), (a, min(v, 2 * a - 1 - v))]
            rest = 2
        elif way == "wound":
            digit += [(2, coordinates[0] // k[1]), (k[1], folded(k[1])[coordinates[0] % k[1]])]
            rest = 1
        ring = (lambda n: list(range(n))) if way == "plain" or network.family == "mesh" else folded
        found.append(digit + [(k[d], ring(k[d])[coordinates[d]]) for d in range(rest, len(k))])
    return found


def best_longest(network, way, pitch_mm, levels=1):
    """(longest wire, total) in mm of the best order of the digits in columns, rows and at most so many levels, the
    innermost first; the cards of a twin node side by side."""
    cards = digits(network, way)
    count = len(cards[0])
    fixed = (0,) if network.family == "twin" else ()
    links = {frozenset(link) for link in network.hops.items()}
    links = [tuple(card for card, _ in link) for link in links]
    best = None
    for order in itertools.permutations(range(len(fixed), count)):
        order = fixed + order
        for cut, upper in itertools.combinations_with_replacement(range(len(fixed), count + 1), 2):
            if math.prod(cards[0][i][0] for i in order[upper:]) > levels:
                continue
            place = []
            for card in cards:
                at = []
                for part in (order[:cut], order[cut:upper], order[upper:]):
                    stride, position = 1, 0
                    for i in part:
                        position += stride * card[i][1]
                        stride *= card[i][0]
                    at.append(position)
                place.append(at)
            lengths = [sum(abs(a - b) * p for a, b, p in zip(place[x], place[y], pitch_mm)) for x, y in links]
            score = max(lengths, default=0), sum(lengths)
            best = min(best or score, score)
    return best


def placement(network, floor, longest):
    """Any placement on a floor of (columns, rows, levels) slots with no wire longer than `longest` slots, [slot of each card], or None if there is
    none: every slot is tried for the card with the fewest left. All cards must be alike (a torus, plain or twisted),
    and as many as slots."""
    places = list(itertools.product(*(range(extent) for extent in floor)))
    count = len(places)
    assert len(network.cards) == count
    near = [sum(1 << t for t in range(count) if t != s and
                sum(abs(a - b) for a, b in zip(places[s], places[t])) <= longest) for s in range(count)]

    def search(free, placed):
        if len(placed) == count:
            return placed
        card = min(free, key=lambda c: free[c].bit_count())
        for slot in range(count):
            if not free[card] >> slot & 1:
                continue
            left = {c: slots & ~(1 << slot) & (near[slot] if c in network.next[card] else -1)
                    for c, slots in free.items() if c != card}
            if all(left.values()):
                found = search(left, {**placed, card: slot})
                if found:
                    return found
        return None

    # All cards are alike: card 0 may be the one in the corner.
    everywhere = (1 << count) - 1
    return search({card: 1 if card == 0 else everywhere for card in range(count)}, {})
