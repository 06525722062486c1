# SPDX-License-Identifier: Apache-2.0
"""Whole networks of the real RTL with traffic: everything arrives, and what is measured is right."""

import csv
import json
import math

import pytest

SIXTY_FOUR = ("torus:4x4x4", "twin:2x2x2x2x2")


def check_clean(result, found):
    assert result["ok"] and result["drained"] and not found(result), result["reports"]
    assert result["packets_sent"] == result["packets_delivered"]
    assert sum(tc["packets_delivered"] for tc in result["per_tc"]) == result["packets_delivered"]


@pytest.mark.parametrize("spec", SIXTY_FOUR)
@pytest.mark.parametrize("load", (0.1, 0.5, 1.0))
@pytest.mark.slow
def test_64_cards(network, sim, found, spec, load):
    result = sim(network(spec), load=load, warmup=300, measure=600)
    check_clean(result, found)
    assert result["cards"] == result["pes"] == 64
    assert abs(result["offered_load"] - load) < 0.03
    if load <= 0.5:
        assert abs(result["accepted_load"] - result["offered_load"]) < 0.03
        assert result["measured_unsent"] == 0
    else:
        assert result["accepted_load"] > 0.7
    assert result["network_latency"]["packet"]["p50"] <= result["end_to_end_latency"]["packet"]["p50"]


@pytest.mark.long
@pytest.mark.parametrize("spec", SIXTY_FOUR)
@pytest.mark.parametrize("packet", ("1", "1-32", "32"))
def test_64_cards_at_ten_loads(extorus, network, found, spec, packet):
    loads = ",".join(f"{tenth / 10:.1f}" for tenth in range(1, 11))
    results = json.loads(extorus("sim", network(spec), "--json", "--load", loads, "--packet", packet, "--warmup",
                                 "2000", "--measure", "5000"))
    for result in results:
        check_clean(result, found)
    accepted = [result["accepted_load"] for result in results]
    assert accepted == sorted(accepted) or max(accepted) - accepted[-1] < 0.05  # no collapse beyond saturation


@pytest.mark.parametrize("spec, profile", (
    ("torus:2x1", "extoll"), ("torus:1x3x2", "extoll"), ("torus:5x3", "mini"), ("torus:8", "mini"),
    ("twin:1x2", "extoll"), ("twin:3x1x2", "extoll"), ("twin:2x2", "extoll"), ("twin:4x3", "extoll")))
def test_small_shapes(network, sim, found, spec, profile):
    """Radices 1 and 2 and odd ones: parallel links, no links, ties."""
    check_clean(sim(network(spec, profile), load=0.6, warmup=200, measure=1000), found)


@pytest.mark.parametrize("options", (
    {"packet": "1"}, {"packet": "32"}, {"latency": 1}, {"latency": 9}, {"nic_stall": "3/4"}, {"nic_stall": "60/64"}))
def test_variations(network, sim, found, options):
    load = 0.04 if "nic_stall" in options else 0.8
    check_clean(sim(network("twin:2x2"), load=load, warmup=300, measure=1500, **options), found)


@pytest.mark.parametrize("spec", ("torus:4x4", "twin:2x2"))
@pytest.mark.parametrize("load", (0.02, 0.3, 1.0))
def test_skipping_idle_cards_changes_nothing(extorus, network, sim, without_time, spec, load):
    results, logs = [], []
    for words in ([], ["--no-skip"]):
        results.append(sim(network(spec), "--counters", *words, load=load, warmup=300, measure=700, packet="1-8",
                           per_packet="log.csv", link_load="links.csv"))
        logs.append([(extorus.folder / name).read_text() for name in ("log.csv", "links.csv")])
    assert without_time(results[0]) == without_time(results[1])
    assert logs[0] == logs[1]
    skipped, all_cards = (result["evaluated_card_cycles"] for result in results)
    assert all_cards == results[1]["cycles"] * results[1]["cards"]
    assert skipped < (0.7 if load < 0.1 else 1.01) * all_cards


def test_list_of_loads_is_single_runs(extorus, network, sim_on, engine, without_time):
    image = network("torus:3x3")
    several = json.loads(extorus("sim", image, "--json", "--engine", engine, "--load", "0.2,0.9", "--measure", "500"))
    single = [sim_on(image, load=load, measure=500) for load in (0.2, 0.9)]
    assert [without_time(r) for r in several] == [without_time(r) for r in single]


def test_seed(network, sim_on, without_time):
    image = network("torus:3x3")
    one, again, two = (without_time(sim_on(image, load=0.5, measure=500, seed=seed)) for seed in (1, 1, 2))
    assert one == again
    assert one["seed"] == 1 and two["seed"] == 2
    assert one["packets_sent"] != two["packets_sent"] or one["network_latency"] != two["network_latency"]


def percentile(values, fraction):
    return sorted(values)[max(0, math.ceil(len(values) * fraction) - 1)]


def test_statistics_against_the_packet_log(extorus, network, sim_on):
    """Latencies, loads and counts once more, from the log of all packets."""
    warmup, measure = 300, 2000
    result = sim_on(network("twin:2x2x2"), load=0.4, warmup=warmup, measure=measure, per_packet="log.csv")
    with open(extorus.folder / "log.csv", newline="") as file:
        rows = [{key: value if key == "packet" else int(value) for key, value in row.items()}
                for row in csv.DictReader(file)]
    assert len(rows) == len({row["packet"] for row in rows}) == result["packets_delivered"]
    assert all(row["generated"] <= row["sent"] < row["delivered"] for row in rows)
    assert all(row["source"] != row["destination"] for row in rows)
    assert all(row["tc"] % 2 == row["source"] % 2 for row in rows)  # TS-DOR
    measured = [row for row in rows if warmup <= row["generated"] < warmup + measure]
    assert len(measured) == result["measured_packets"]
    assert sum(row["cells"] for row in measured) / (measure * 16) == pytest.approx(result["offered_load"])
    for begin, name in (("sent", "network_latency"), ("generated", "end_to_end_latency")):
        values = [row["delivered"] - row[begin] for row in measured]
        told = result[name]["packet"]
        assert told["count"] == len(values)
        assert told["mean"] == pytest.approx(sum(values) / len(values))
        assert told["max"] == max(values)
        for key, fraction in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99)):
            assert told[key] == percentile(values, fraction)
    for tc in result["per_tc"]:
        assert tc["packets_delivered"] == sum(row["tc"] == tc["tc"] for row in rows)
        assert tc["cells_delivered"] == sum(row["cells"] for row in rows if row["tc"] == tc["tc"])
    assert 0 < result["network_latency"]["packet"]["ci95"] < result["network_latency"]["packet"]["mean"]


def test_order_within_flows(extorus, network, sim_on):
    """From the log again: within (source, destination, TC) packets come out as they were generated."""
    sim_on(network("twin:2x2"), load=1.0, measure=1000, packet="1-4", per_packet="log.csv")
    last = {}
    with open(extorus.folder / "log.csv", newline="") as file:
        for row in csv.DictReader(file):  # in order of delivery
            flow = row["source"], row["destination"], row["tc"]
            assert int(row["generated"]) > last.get(flow, -1)
            last[flow] = int(row["generated"])


def test_link_loads(extorus, network, sim_on):
    result = sim_on(network("torus:4x4"), load=0.3, warmup=1000, measure=4000, packet="1", link_load="links.csv")
    with open(extorus.folder / "links.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    nic = [float(row["load"]) for row in rows if row["port"] == "nic"]
    links = [float(row["load"]) for row in rows if row["port"] != "nic"]
    assert len(nic) == 16 and len(links) == 64
    assert sum(nic) / 16 == pytest.approx(result["accepted_load"], abs=1e-4)
    # 32/15 links on the way of a packet, on average.
    assert sum(links) / 16 == pytest.approx(result["accepted_load"] * 32 / 15, rel=0.02)


@pytest.mark.parametrize("profile, at_links, link", (("extoll", 2 + 2, 2), ("mini", 1, 1)))
def test_idle_latency(network, sim, profile, at_links, link):
    """Neighbours over one link: 5 cycles per switch, 2 more at each NIC, at the ports of the link, and on it. A queue of
    single cells serves every second cycle, so one that follows another in the next cycles may wait."""
    result = sim(network("torus:2", profile), load=0.01, packet="1", warmup=0, measure=3000)
    latency = result["network_latency"]["packet"]
    assert latency["p50"] == latency["p95"] == 2 * 5 + 2 + 2 + at_links + link
    assert latency["max"] <= latency["p50"] + 2 * 2
    assert result["network_latency"]["cell"] == latency


def test_nothing_to_send(network, sim, found):
    result = sim(network("torus:2x2"), load=0, measure=1000)
    check_clean(result, found)
    assert result["packets_sent"] == 0 and result["network_latency"]["packet"]["mean"] is None
    assert result["evaluated_card_cycles"] == 0


def test_text_output(extorus, network):
    image = network("torus:2x2")
    one = extorus("sim", image, "--load", "0.3", "--measure", "300", "--counters")
    assert "lost 0, duplicated 0, misrouted 0, reordered 0, corrupted 0" in one and "rx packets" in one
    table = extorus("sim", image, "--load", "0.1,0.2,0.3", "--measure", "300").splitlines()
    assert len(table) == 4 and all("yes" in line for line in table[1:])
