# SPDX-License-Identifier: Apache-2.0
"""What is measured, worked out again from the log of packets and the load of channels."""

import csv
import math

import pytest


def of_window(result, packets):
    start = result["warmup"]
    return [packet for packet in packets if start <= packet["generated"] < start + result["measure"]]


def percentile(values, per_cent):
    return sorted(values)[math.ceil(len(values) * per_cent / 100) - 1]


@pytest.mark.parametrize("warmup", ("500", "auto"))
def test_latencies_are_those_of_the_log(network, sim, warmup):
    result, packets = sim(network("twin:3x3"), "--load", 0.4, "--warmup", warmup, "--measure", 1500)
    measured = of_window(result, packets)
    assert len(measured) == result["measured_packets"] > 100
    for name, since in (("network_latency", "sent"), ("end_to_end_latency", "generated")):
        values = [packet["delivered"] - packet[since] for packet in measured]
        told = result[name]["packet"]
        assert told["count"] == len(values) and told["max"] == max(values)
        assert told["mean"] == pytest.approx(sum(values) / len(values))
        assert [told["p50"], told["p95"], told["p99"]] == [percentile(values, p) for p in (50, 95, 99)]
        assert 0 < told["ci95"] < told["mean"]
    assert result["offered_load"] == pytest.approx(sum(packet["cells"] for packet in measured) / 1500 / 18)


def test_warmup_is_detected(network, sim):
    image = network("torus:4x4")
    result, _ = sim(image, "--load", 0.3, "--warmup", "auto", "--measure", 500)
    assert result["warmup_steady"] and 2000 <= result["warmup"] < 20000 and result["warmup"] % 2000 == 0
    assert not result["saturated"]
    result, _ = sim(image, "--load", 0.3, "--warmup", "auto:300", "--measure", 500)
    assert not result["warmup_steady"] and result["warmup"] == 300


@pytest.mark.parametrize("load, pattern, saturated", (
    (0.1, "uniform", False), (0.5, "uniform", False), (1.0, "tornado", True), (0.9, "zipf", True)))
def test_saturation(network, sim, load, pattern, saturated):
    result, _ = sim(network("torus:8"), "--load", load, "--traffic", pattern, "--measure", 3000)
    assert result["saturated"] == saturated
    assert (result["accepted_load"] < 0.95 * result["offered_load"]) == saturated


def test_utilisation_is_that_of_the_channels(extorus, network, sim):
    result, _ = sim(network("mesh:3x3"), "--load", 0.4, "--measure", 1000, "--channel-load", "c.csv")
    with open(extorus.folder / "c.csv", newline="") as file:
        channels = list(csv.DictReader(file))
    links = [(float(row["load"]), row["card"], row["port"]) for row in channels if row["port"] != "nic"]
    assert len(links) == 2 * 12
    told = result["link_utilisation"]
    assert told["mean"] == pytest.approx(sum(load for load, _, _ in links) / 24, abs=1e-6)
    assert told["max"] == pytest.approx(max(links)[0], abs=1e-6)
    assert (told["max"], str(told["card"]), told["port"]) in [(pytest.approx(a, abs=1e-6), b, c) for a, b, c in links]
    switches = [[float(row["load"]) for row in channels if row["card"] == str(card)] for card in range(9)]
    means = [sum(loads) / len(loads) for loads in switches]
    assert result["switch_utilisation"]["mean"] == pytest.approx(sum(means) / 9, abs=1e-6)
    assert result["switch_utilisation"]["max"] == pytest.approx(max(means), abs=1e-6)
    for port, mean in result["channel_utilisation"].items():
        loads = [float(row["load"]) for row in channels if row["port"] == port]
        assert mean == pytest.approx(sum(loads) / len(loads), abs=1e-6)


def test_heat_map(extorus, network):
    """A box per channel: 24 links and 9 NICs."""
    extorus("sim", network("mesh:3x3"), "--engine", "model", "--measure", "300", "--heat-map", "map.svg")
    picture = (extorus.folder / "map.svg").read_text()
    assert picture.rstrip().endswith("</svg>")
    for name in ("d0-", "d0+", "d1-", "d1+", "nic"):
        assert name in picture
