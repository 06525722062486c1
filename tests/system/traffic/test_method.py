# SPDX-License-Identifier: Apache-2.0
"""What is measured, worked out again from the log of packets and the load of channels."""

import csv
import math
import re

import pytest

from repository import ROOT


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


def assumed_energy(profile):
    """The coefficients of the profile's table, in picojoules."""
    text = (ROOT / f"host/params/profile_{profile}.c").read_text()
    bits = int(re.search(r"XT_ASSUMED_ENERGY\((\d+)\)", text)[1])
    macro = (ROOT / "host/include/extorus/profile.h").read_text()
    return {name: bits * int(value) / 1000 for name, value in re.findall(r"\.(\w+) = (\d+) \* \(cell_bits\)", macro)}


@pytest.mark.parametrize("topology, pattern, asleep", (("mesh:3x3", "uniform", 0), ("torus:8", "tornado", 8)))
def test_energy_is_that_of_the_channels(extorus, network, sim, topology, pattern, asleep):
    """Tornado sends one way round a ring: the eight channels of the other way sleep."""
    pj = assumed_energy("extoll")
    assert len(pj) == 5
    result, _ = sim(network(topology), "--load", 0.2, "--traffic", pattern, "--measure", 1000, "--channel-load", "c.csv")
    with open(extorus.folder / "c.csv", newline="") as file:
        channels = list(csv.DictReader(file))
    links = [float(row["load"]) for row in channels if row["port"] != "nic"]
    nics = [float(row["load"]) for row in channels if row["port"] == "nic"]
    assert result["links_asleep"] == links.count(0.0) >= asleep
    inside = sum(nics) * result["network_latency"]["cell"]["mean"] - 2 * sum(links)
    expected = {
        "cell_hops": pj["cell_hop"] * sum(links + nics),
        "link_cells": pj["link_cell"] * sum(links),
        "idle_links": pj["idle_link"] * sum(1 - load for load in links if load > 0),
        "sleeping_links": pj["sleeping_link"] * links.count(0.0),
        "buffered_cells": pj["buffered_cell"] * inside,
    }
    expected["total"] = sum(expected.values())
    told = result["energy_pj_per_cycle"]
    assert told == pytest.approx(expected, rel=1e-4) and min(inside, *(told[part] for part in ("cell_hops", "link_cells"))) > 0
    assert result["energy_pj_per_cell"] == pytest.approx(expected["total"] / sum(nics), rel=1e-4)


def test_heat_map(extorus, network):
    """A box per channel: 24 links and 9 NICs."""
    extorus("sim", network("mesh:3x3"), "--engine", "model", "--measure", "300", "--heat-map", "map.svg")
    picture = (extorus.folder / "map.svg").read_text()
    assert picture.rstrip().endswith("</svg>")
    for name in ("d0-", "d0+", "d1-", "d1+", "nic"):
        assert name in picture
