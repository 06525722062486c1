# SPDX-License-Identifier: Apache-2.0
"""Why published broadcasts of 16 bytes take longer than ours: what a rank sends at once waits at its card, and leaves in turn
by the card's ports. Ways are worked out here, by hand."""

import json

import pytest

from repository import ROOT

EXPERIMENTS = json.loads((ROOT / "sim/experiments/reproductions/experiments.json").read_text())
COLLECTIVES, = [experiment for experiment in EXPERIMENTS if experiment["name"] == "collectives"]
HOP, REST, SLOT = 32, 22, 4  # cycles: of a hop; of a cell of 16 bytes beyond its hops, both by `reduce`; between two messages
INTERNAL = 9                 # a port that comes after those of the dimensions
NETWORKS = {  # by ranks: radices of the torus and of the 5DT
    256: ((8, 8, 4), (4, 4, 2, 2, 2)),
    512: ((8, 8, 8), (4, 4, 2, 4, 2)),
}


def digits(node, radices):
    result = []
    for radix in radices:
        result.append(node % radix)
        node //= radix
    return result


def ways(node, to, radices):
    """Steps to go in every dimension, below zero for the way down, half a ring up."""
    return [(b - a) % k - (k if (b - a) % k > k // 2 else 0)
            for a, b, k in zip(digits(node, radices), digits(to, radices), radices)]


def torus_ports(source, to, radices):
    return [d for d, steps in enumerate(ways(source, to, radices)) for _ in range(abs(steps))]


def twin_ports(source, to, radices):
    """TS-DOR: PE0 goes up through the dimensions, PE1 down. Card 0 has those below the middle one and its way down, which
    ends at card 1; card 1 has the others."""
    card, middle, ports = source % 2, len(radices) // 2, []
    dimensions = list(enumerate(ways(source // 2, to // 2, radices)))

    def go_to(wanted):
        if card != wanted:
            ports.append(INTERNAL)
        return wanted

    for d, steps in dimensions[::-1] if source % 2 else dimensions:
        up = steps > 0 and not (d == middle and source % 2 == 0 and 2 * steps == radices[d])
        for _ in range(abs(steps)):
            card = go_to(int(d > middle) if d != middle else int(up))
            ports.append(d)
            card = 1 - card if d == middle else card
    go_to(to % 2)
    return ports


def children(rank, ranks):
    """Of a binomial tree, the nearest first."""
    return [rank + (1 << i) for i in range(rank.bit_length(), ranks.bit_length() - 1)]


def in_turn(queues):
    """One of each queue, in the order of the ports, until all are empty."""
    queues = [list(queue) for _, queue in sorted(queues.items())]
    while any(queues):
        for queue in queues:
            if queue:
                yield queue.pop(0)


def by_ports(rank, ranks, ports):
    queues = {}
    for child in children(rank, ranks):
        queues.setdefault(ports(rank, child)[0], []).append(child)
    return list(in_turn(queues))


def cases():
    for ranks, (torus, twin) in NETWORKS.items():
        yield ranks, 0, f"torus:{'x'.join(map(str, torus))}", lambda a, b, r=torus: torus_ports(a, b, r)
        yield ranks, 1, f"twin:{'x'.join(map(str, twin))}", lambda a, b, r=twin: twin_ports(a, b, r)


CASES = {(ranks, network): (spec, ports) for ranks, network, spec, ports in cases()}


def row(ranks, collective, size):
    group, = [group for group in COLLECTIVES["groups"] if group["ranks"] == ranks]
    found, = [row for row in group["rows"] if (row["collective"], row["bytes"]) == (collective, size)]
    return found


@pytest.mark.parametrize("ranks, network", CASES)
def test_the_published_latencies_have_the_waits_at_the_sender_in_them(ranks, network):
    """Beyond the hops, and by what `reduce` takes, in which no rank sends two messages: 4 cycles for each message that the
    rank sent before, in all four networks, although their hops differ."""
    _, ports = CASES[ranks, network]
    messages = ranks - 1
    reduced = sum(len(ports(rank, rank & rank - 1)) for rank in range(1, ranks))
    assert row(ranks, "reduce", 16)["latency"][network] == pytest.approx(HOP * reduced / messages + REST, abs=0.005)
    sends = [children(rank, ranks) for rank in range(ranks)]
    hops = sum(len(ports(rank, child)) for rank in range(ranks) for child in sends[rank])
    waits = SLOT * sum(sum(range(len(s))) for s in sends)
    beyond = row(ranks, "broadcast", 16)["latency"][network] * messages - HOP * hops - REST * messages
    assert waits - 10 < beyond < waits


def longest(ranks, order):
    """Waits on the way over the nearest child of the nearest child ..., which has all the hops."""
    rank, waits = 0, 0
    while children(rank, ranks):
        nearest = children(rank, ranks)[0]
        waits += order(rank).index(nearest)
        rank = nearest
    return waits


def schedule(ranks, order):
    parent = {child: rank for rank in range(ranks) for child in children(rank, ranks)}
    lines = [f"num_ranks {ranks}"]
    for rank in range(ranks):
        lines += [f"rank {rank} {{"] + ([f"r: recv 16b from {parent[rank]}"] if rank else [])
        for child in order(rank):
            lines += [f"s{child}: send 16b to {child}"] + ([f"s{child} requires r"] if rank else [])
        lines.append("}")
    return "\n".join(lines) + "\n"


def test_by_ports_in_turn_the_times_have_the_published_sign(extorus):
    """512 PEs, where both take as long when the nearest child is sent to first."""
    constants, ranks, time = COLLECTIVES["constants"], 512, {}
    for network, routing, more in ((0, ("--algorithm", "dor"), ()),
                                   (1, ("--algorithm", "ts-dor", "--adaptive"), ("--select", "3-priority"))):
        spec, ports = CASES[ranks, network]
        extorus("route", spec, *routing, "-o", "net.img")
        for name, order in (("nearest", lambda rank: children(rank, ranks)), ("in turn", lambda rank: by_ports(rank, ranks, ports))):
            (extorus.folder / "b.goal").write_text(schedule(ranks, order))
            done = json.loads(extorus("workload", "replay", "net.img", "b.goal", "--json", "--tc", "0,1", *more, "--latency",
                                      str(constants["link_latency"]), "--nic-latency", str(constants["nic_latency"]),
                                      "--least-cells", str(constants["least_cells"])))
            assert done["ok"]
            time[name, network] = done["execution_cycles"], SLOT * longest(ranks, order)
    assert time["nearest", 0] == time["nearest", 1]
    for network in (0, 1):
        (plain, none), (waiting, waits) = time["nearest", network], time["in turn", network]
        assert none == 0 and waits <= waiting - plain <= waits + SLOT
        assert waiting == pytest.approx(row(ranks, "broadcast", 16)["time"][network], rel=0.025)
    assert time["in turn", 1] > time["in turn", 0]
