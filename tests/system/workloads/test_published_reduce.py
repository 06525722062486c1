# SPDX-License-Identifier: Apache-2.0
"""What the published reduces of DORT on 5D twin tori say of that study's network. All 16 figures are those of 6 cycles for a
hop, 7 for a message and 4 for a flit. So a link takes a flit of 16 bytes in 4 cycles, and our cells in 1. Ways are worked out
here, by hand."""

import functools

import pytest

from test_published_broadcast import EXPERIMENTS, INTERNAL, torus_ports, ways

DORT, = [experiment for experiment in EXPERIMENTS if experiment["name"] == "collectives-dort"]
HOP, REST, FLIT, FLIT_BYTES = 6, 7, 4, 16
NETWORKS = {1024: ((16, 8, 8), (4, 4, 2, 4, 4)), 2048: ((16, 16, 8), (4, 4, 4, 4, 4))}


def dort_ports(source, to, radices, ties="positive"):
    """Up through the dimensions from either card. Card 0 has the lower dimensions and the way up of the middle one, which ends at
    card 1. Ties of the middle dimension go up, or by coordinate by the port of the packet's card; others do not change the way's length."""
    card, middle, ports = source % 2, len(radices) // 2, []
    for d, steps in enumerate(ways(source // 2, to // 2, radices)):
        stays = ties == "coordinate" and 2 * abs(steps) == radices[d]
        side = int(d > middle) if d != middle else card if stays else int(steps < 0)
        for _ in range(abs(steps)):
            wanted = side
            ports += [INTERNAL] * (card != wanted) + [d]
            card = 1 - wanted if d == middle else wanted
    return ports + [INTERNAL] * (card != to % 2)


def reduce_figures(ranks, size, ports, radices, flit=FLIT):
    """(mean latency, time) without any wait: each rank sends to the one without its lowest bit, the last way has all bits."""
    hops = [len(ports(rank, rank & rank - 1, radices)) for rank in range(1, ranks)]
    last, time = ranks - 1, 0
    while last:
        time += HOP * len(ports(last, last & last - 1, radices)) + REST + flit * size // FLIT_BYTES
        last &= last - 1
    return REST + HOP * sum(hops) / len(hops), time


@pytest.mark.parametrize("ties", ["positive", "coordinate"])
@pytest.mark.parametrize("ranks", NETWORKS)
def test_reduces_are_those_of_four_cycles_a_flit(ranks, ties):
    """With ties of either kind, so these figures do not tell the ties."""
    rows = [row for group in DORT["groups"] if group["ranks"] == ranks for row in group["rows"] if row["collective"] == "reduce"]
    assert [row["bytes"] for row in rows] == [128, 512]
    for row in rows:
        for published_latency, published_time, ports, radices in zip(
                row["latency"], row["time"], (torus_ports, functools.partial(dort_ports, ties=ties)), NETWORKS[ranks]):
            latency, time = reduce_figures(ranks, row["bytes"], ports, radices)
            assert latency == pytest.approx(published_latency, abs=6e-4)
            assert time == published_time
            assert reduce_figures(ranks, row["bytes"], ports, radices, flit=1)[1] != published_time
