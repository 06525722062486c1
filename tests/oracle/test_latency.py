# SPDX-License-Identifier: Apache-2.0
"""The analytic latency model, from its formulas and the loads of networks.py."""

import json

import pytest

from networks import Network

MODEL = {"packet-bits": 700, "pins": 300, "router": 4, "wire": 1.5}


def latency(network, load, packet_bits, pins, router, wire):
    """Every packet's wait, link by link; None from saturation on."""
    n = len(network.cards)
    _, mean, _ = network.distances()
    width = pins / (2 * network.degree())
    service = packet_bits / width
    waits = 0
    for passing in network.loads().values():  # of one packet for each pair
        utilisation = load / (n - 1) * passing / width
        if utilisation >= 1:
            return None
        waits += passing * service * utilisation / (2 * (1 - utilisation))
    return float(mean) * (router + wire) + service + waits / (n * (n - 1))


@pytest.mark.parametrize("spec", ["torus:4", "torus:4x3", "torus:3x3x3", "mesh:4x3", "twin:3x2x2", "rtt:6x3", "pdtt:4x2x2",
                                  "pruned:4x4x2", "manhattan:4x4", "pruned-directed:4x4x2"])
def test_formulas(extorus, spec):
    network = Network(spec)
    options = [word for key, value in MODEL.items() for word in (f"--{key}", str(value))]
    model = dict(packet_bits=700, pins=300, router=4, wire=1.5)
    figures = json.loads(extorus("latency", spec, *options, "--json"))
    found, = figures["networks"]
    n, most = len(network.cards), max(network.loads().values())
    assert {key: figures[key] for key in model} == model
    assert (found["cards"], found["degree"], found["width"]) == (n, network.degree(), 150 / network.degree())
    assert found["saturation"] == pytest.approx((n - 1) / most * found["width"])
    assert found["zero_load"] == pytest.approx(latency(network, 0, **model)) == found["latency"][0]
    assert figures["loads"] == pytest.approx([found["saturation"] * i / 10 for i in range(10)])
    loads = [0.2, 0.5, 0.9, 0.999, 1.001, 3]
    figures = json.loads(extorus("latency", spec, *options, "--json", "--load",
                                 ",".join(repr(found["saturation"] * load) for load in loads)))
    expected = [latency(network, load, **model) for load in figures["loads"]]
    assert expected[3] is not None and expected[4] is expected[5] is None
    assert [value and pytest.approx(value) for value in expected] == figures["networks"][0]["latency"]
    for key in model:
        assert latency(network, figures["loads"][1], **{**model, key: model[key] * 1.001}) != pytest.approx(expected[1])


def contention(network, load, packet_bits, pins, router, wire):
    """The study's: a packet waits at all hops but one for those of other inputs, by the means of the network."""
    _, _, mean = network.distances()
    degree = network.degree()
    flits, distance, m = packet_bits * 2 * degree / pins, float(mean), load / packet_bits
    busy = m / (1 - m) * distance * flits / degree
    if busy >= 1:
        return None
    inputs = degree if network.directed else degree - 1
    queue = sum(i * (1 - busy) * busy**i for i in range(20000))  # by q(i), not by its sum
    return flits + (distance - 1) * (router + wire + (1 - 1 / inputs) * flits * queue)


@pytest.mark.parametrize("spec", ["torus:4", "torus:4x3", "torus:3x3x3", "mesh:4x3", "twin:3x2x2", "rtt:6x3", "pdtt:4x2x2",
                                  "pruned:4x4x2", "manhattan:4x4", "pruned-directed:4x4x2"])
def test_contention(extorus, spec):
    network = Network(spec)
    model = dict(packet_bits=700, pins=300, router=4, wire=1.5)
    options = [word for key, value in MODEL.items() for word in (f"--{key}", str(value))]
    saturation = json.loads(extorus("latency", spec, "--model", "contention", *options, "--json"))["networks"][0]["saturation"]
    loads = [0, *(saturation * share for share in (0.2, 0.5, 0.9, 0.999, 1.001, 3))]
    figures = json.loads(extorus("latency", spec, "--model", "contention", *options, "--json", "--load", ",".join(map(repr, loads))))
    assert figures["model"] == "contention"
    expected = [contention(network, load, **model) for load in loads]
    assert expected[4] is not None and expected[5] is expected[6] is None
    assert [value and pytest.approx(value) for value in expected] == figures["networks"][0]["latency"]


def test_published_contention(extorus):
    """16 x 16 x 16 cards, packets of 384 bits, switches of 3 cycles, 0.01 packets per card and cycle."""
    specs = [f"{family}:16x16x16" for family in ("torus", "pruned", "manhattan", "pruned-directed")]
    figures = json.loads(extorus("latency", *specs, "--model", "contention", "--packet-bits", "384", "--pins", "240", "--router", "3",
                                 "--wire", "0", "--load", "3.84", "--json"))
    assert [round(network["latency"][0]) for network in figures["networks"]] == [159, 107, 101, 93]


@pytest.mark.parametrize("k", [4, 8])
def test_closed_forms_of_tori_with_half_the_links(extorus, k):
    """Widths in the ratio of 1/6, 1/4, 1/3 and 1/2, distances as published."""
    n = k**3
    specs = [f"{family}:{k}x{k}x{k}" for family in ("torus", "pruned", "manhattan", "pruned-directed")]
    found = json.loads(extorus("latency", *specs, "--pins", "96", "--packet-bits", "64", "--router", "1", "--wire", "0",
                               "--json"))["networks"]
    assert [network["width"] for network in found] == [8, 12, 16, 24]
    for network, with_self in zip(found, [0.75 * k, 0.75 * k + 2 / k - 2 / k**2, 0.75 * k + 1 - 4 / k**3]):
        assert network["zero_load"] == pytest.approx(with_self * n / (n - 1) + 64 / network["width"])


def test_defaults_are_the_card(extorus):
    """extoll: 6 links of 128 bits each way, packets of up to 32 cells."""
    figures = json.loads(extorus("latency", "torus:4x4x4", "--json"))
    assert (figures["packet_bits"], figures["pins"]) == (16 * 128, 6 * 2 * 128)
    assert figures["networks"][0]["width"] == 128
    assert json.loads(extorus("latency", "torus:4x4", "--profile", "mini", "--json"))["networks"][0]["width"] == 32


def test_table(extorus):
    lines = extorus("latency", "torus:4x4", "rtt:8x4", "--load", "0,1,99999").splitlines()
    assert [line.split()[-1] for line in lines if line.startswith("[")] == ["torus:4x4", "rtt:8x4"]
    rows = [line.split() for line in lines[lines.index("latency in cycles") + 2:-1]]
    assert [row[0] for row in rows] == ["0.000", "1.000", "99999.000"] and rows[2][1:] == ["-", "-"]


def test_networks_too_large_for_their_loads(extorus):
    figures = json.loads(extorus("latency", "mesh:301x11", "--json"))["networks"][0]
    assert figures["saturation"] is None and figures["latency"] == [pytest.approx(figures["zero_load"])]


@pytest.mark.parametrize("arguments, says", [
    ([], "say which topologies"),
    (["ring:4"], "unknown kind"),
    (["torus:1"], "no link on which latency could arise"),
    (["torus:4", "--pins", "0"], "--pins: \"0\" is not a number from 1e-09 on"),
    (["torus:4", "--packet-bits", "x"], "--packet-bits: \"x\" is not a number from"),
    (["torus:4", "--router", "-1"], "--router: \"-1\" is not a number from 0"),
    (["torus:4", "--wire", "nan"], "--wire: \"nan\" is not a number from 0"),
    (["torus:4", "--load", ""], "--load: \"\" is not a number from 0 on"),
    (["torus:4", "--load", "1,-1"], "--load: \"-1\" is not a number from 0"),
    (["torus:4"] * 9, "more than 8 networks"),
    (["torus:4", "--model", "mm1"], "--model mm1: the models are queues and contention"),
])
def test_wrong_usage_is_status_2(extorus, arguments, says):
    extorus("latency", *arguments, status=2, stderr=says)
