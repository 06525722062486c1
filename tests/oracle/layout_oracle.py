# SPDX-License-Identifier: Apache-2.0
"""Layouts of cards on a floor of slots, by force: foldings as lists, all arrangements placed card by card.

examine() checks a list of wires against the network that networks.py builds. best_longest() is the shortest
longest wire of all arrangements of a way of folding. placement() searches all placements. Standard library only.
"""

import csv
import io
import itertools


def folded(k):
    """Places of the members of a ring that is laid out there and back."""
    order = []
    for i in range((k + 1) // 2):
        order += [i, k - 1 - i]
    order = order[:k]
    return [order.index(i) for i in range(k)]


def examine(text, network, cabinet, pitch_mm):
    """Asserts that each card has one slot, no slot two cards, each link one wire of the right length; returns
    (longest in slots, longest in mm, total in slots, {length: wires}, {card: (column, row)})."""
    slots, wires, histogram = {}, set(), {}
    longest_mm = total = 0
    rows = list(csv.DictReader(io.StringIO(text)))
    ends = [[{key.removeprefix("peer_"): value for key, value in row.items() if key.startswith("peer_") == peer}
             for peer in (False, True)] for row in rows]
    columns = 1 + max(int(end["column"]) for pair in ends for end in pair)
    across = -(-columns // cabinet[0])
    for row, pair in zip(rows, ends):
        for end in pair:
            column, line = int(end["column"]), int(end["row"])
            assert slots.setdefault(int(end["card"]), (column, line)) == (column, line), "a card in two slots"
            assert int(end["cabinet"]) == line // cabinet[1] * across + column // cabinet[0]
            assert int(end["slot"]) == line % cabinet[1] * cabinet[0] + column % cabinet[0]
        wire = frozenset((int(end["card"]), end["port"]) for end in pair)
        assert wire not in wires, "a wire twice"
        wires.add(wire)
        distance = [abs(a - b) for a, b in zip(*(slots[int(end["card"])] for end in pair))]
        assert int(row["slots"]) == sum(distance), "a wrong length"
        mm = sum(d * p for d, p in zip(distance, pitch_mm))
        assert float(row["metres"]) == mm / 1000
        histogram[sum(distance)] = histogram.get(sum(distance), 0) + 1
        longest_mm, total = max(longest_mm, mm), total + sum(distance)
    assert wires == {frozenset(link) for link in network.hops.items()}, "links are missing"
    assert len(set(slots.values())) == len(slots), "two cards in a slot"
    return max(histogram), longest_mm, total, histogram, slots


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


def best_longest(network, way, pitch_mm):
    """(longest wire, total) in mm of the best order of the digits in columns and rows, the innermost first; the cards
    of a twin node side by side."""
    cards = digits(network, way)
    count = len(cards[0])
    fixed = (0,) if network.family == "twin" else ()
    links = {frozenset(link) for link in network.hops.items()}
    links = [tuple(card for card, _ in link) for link in links]
    best = None
    for order in itertools.permutations(range(len(fixed), count)):
        order = fixed + order
        for cut in range(len(fixed), count + 1):
            place = []
            for card in cards:
                at = []
                for part in (order[:cut], order[cut:]):
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


def placement(network, columns, rows, longest):
    """Any placement on the floor with no wire longer than `longest` slots, [slot of each card], or None if there is
    none: every slot is tried for the card with the fewest left. All cards must be alike (a torus, plain or twisted),
    and as many as slots."""
    count = columns * rows
    assert len(network.cards) == count
    near = [sum(1 << t for t in range(count) if t != s and
                abs(s % columns - t % columns) + abs(s // columns - t // columns) <= longest) for s in range(count)]

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
