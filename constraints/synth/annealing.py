# SPDX-License-Identifier: Apache-2.0
"""Sites for cells of a netlist by annealing: each net is to span few tiles."""

import collections
import math
import random

MOVES = 1600  # of each movable; so many suffice
HOT, COLD = 8.0, 0.01  # tiles


def anneal(nets, fixed, movable, sites, each=MOVES):
    """{movable: site} so that the nets, lists of what is fixed or movable, span few tiles. What is neither stands in the
    middle of its net's others."""
    rng = random.Random(1)
    at = dict(zip(movable, rng.sample(sites, len(movable))))
    holds = {site: end for end, site in at.items()}
    tile = {**fixed, **{end: site[:2] for end, site in at.items()}}
    of = collections.defaultdict(list)
    for number, net in enumerate(nets):
        for end in net:
            of[end].append(number)
    loose = [end for end in of if end not in tile]
    tile.update({end: sites[0][:2] for end in loose})

    def span(number):
        xs, ys = zip(*(tile[end] for end in nets[number]))
        return max(xs) - min(xs) + max(ys) - min(ys)

    def settle():
        for end in loose:
            others = [tile[other] for number in of[end] for other in nets[number] if other != end]
            tile[end] = tuple(sorted(axis)[len(axis) // 2] for axis in zip(*others))
        return [span(number) for number in range(len(nets))]

    reach = max(max(abs(a[0] - b[0]), abs(a[1] - b[1])) for a in (sites[0], sites[-1]) for b in (sites[0], sites[-1]))
    spans = settle()
    moves = each * len(movable)
    for move in range(moves):
        left = 1 - move / moves
        if move % (1 + moves // 20) == 0:
            spans = settle()
        end, site = rng.choice(movable), rng.choice(sites)
        here = at[end]
        if site == here or max(abs(site[0] - here[0]), abs(site[1] - here[1])) > max(2, reach * left):
            continue
        other = holds.get(site)
        touched = set(of[end]) | set(of.get(other, ()))
        tile[end] = site[:2]
        if other is not None:
            tile[other] = here[:2]
        longer = {number: span(number) for number in touched}
        more = sum(longer.values()) - sum(spans[number] for number in touched)
        if more <= 0 or rng.random() < math.exp(-more / (HOT * left * left + COLD)):
            for number, length in longer.items():
                spans[number] = length
            del holds[here]
            at[end], holds[site] = site, end
            if other is not None:
                at[other], holds[here] = here, other
        else:
            tile[end] = here[:2]
            if other is not None:
                tile[other] = site[:2]
    return at
