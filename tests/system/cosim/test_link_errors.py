# SPDX-License-Identifier: Apache-2.0
"""Links with errors, and links that die: what the link layer repairs, and what it says when it cannot."""

import json

import pytest

BASE = {"load": 0.3, "warmup": 500, "measure": 3000}
# Packets that a dead link cut off never come: a run waits for them only so long. Keepalives let no card rest.
DEAD = {"drain": 500, "watchdog": 1200}


@pytest.fixture
def sim(sim_on):
    return sim_on


def accounted(result):
    """Every packet that was sent was delivered, came out poisoned, or ran into a killed link."""
    assert result["packets_sent"] == (result["packets_delivered"] + result["packets_poisoned"] +
                                      result["packets_dropped"])
    assert result["links"]["lost"] == result["packets_dropped"]


def ends(result):
    return {(link["card"], link["port"]) for link in result["links_down"]}


KEEPALIVE = 256  # what a run with killed links sets in register LINK_KEEPALIVE
# From the last frame's way in to the first one that says down: registers of both ways.
PIPELINE = 8


def check_dead(result, found, *links, killed):
    """Both ends of each of these links are down and say why, within the bound after cycle `killed`, no other one is,
    and every packet is accounted for. The bound: what was on its way arrives within the link's latency, and four
    keepalives after the last frame an end has noticed, if not by its retries before that."""
    assert not found(result) and result["ok"] and result["drained"], result["reports"]
    assert ends(result) == {end for link in links for end in link}
    for link in result["links_down"]:
        assert link["killed"] and link["state"] == "down" and link["cause"] in ("retries", "no-signal", "remote")
        assert killed <= link["since"] <= killed + result["link_latency"] + 4 * KEEPALIVE + PIPELINE
    accounted(result)


@pytest.mark.parametrize("engine", ["model", "rtl"], indirect=True)
def test_errors_are_repaired(network, sim, found, record_property):
    """One frame in a thousand, on every link: each packet arrives once, unaltered and in order."""
    image = network("torus:4x4")
    clean, noisy = (sim(image, error_rate=rate, **BASE) for rate in (0, 0.001))
    for result in (clean, noisy):
        assert not found(result) and result["ok"] and result["drained"], result["reports"]
        assert result["packets_sent"] == result["packets_delivered"]
        assert not result["links_down"] and not result["packets_poisoned"] and not result["packets_dropped"]
    assert not clean["errors_injected"] and not any(clean["links"][kind] for kind in ("crc_errors", "nacks", "replays"))
    assert noisy["errors_injected"] > 50
    assert noisy["links"]["crc_errors"] > 0 and noisy["links"]["nacks"] > 0 and noisy["links"]["replays"] > 0
    ratio = noisy["accepted_load"] / clean["accepted_load"]
    record_property("figure", f"{noisy['errors_injected']} errors, {noisy['links']['replays']} replays: throughput "
                              f"{ratio:.4f} of that without errors, latency "
                              f"{noisy['network_latency']['packet']['mean']:.1f} against "
                              f"{clean['network_latency']['packet']['mean']:.1f} cycles")
    print(f"throughput with errors: {ratio:.4f} of that without")
    assert ratio > 0.98


@pytest.mark.parametrize("rate", (0.01, 0.05))
@pytest.mark.parametrize("options", ({"packet": "1"}, {"packet": "32"}, {"latency": 9}))
def test_many_errors(network, sim, found, rate, options):
    result = sim(network("torus:3x3"), load=0.2, warmup=0, measure=1500, error_rate=rate, **options)
    assert not found(result) and result["drained"], result["reports"]
    assert result["packets_sent"] == result["packets_delivered"]
    assert result["links"]["replays"] > 0


def test_errors_in_saturation(network, sim, found):
    result = sim(network("twin:2x2"), load=1.0, warmup=500, measure=2000, error_rate=0.01)
    assert not found(result) and result["drained"], result["reports"]


def test_seed_makes_the_errors(network, sim, without_time):
    image = network("torus:2x2")
    one, again, two = (without_time(sim(image, load=0.4, measure=1000, error_rate=0.01, seed=seed))
                       for seed in (1, 1, 2))
    assert one == again and one["errors_injected"] != two["errors_injected"]


def test_skipping_idle_cards_with_errors(network, sim, without_time):
    image = network("torus:3x3")
    results = [without_time(sim(image, *words, load=0.05, measure=2000, error_rate=0.01))
               for words in ([], ["--no-skip"])]
    assert results[0] == results[1]


def test_errors_beyond_repair(extorus, network):
    """Half of all frames: links that give up say so, and nothing is silently missing."""
    words = ["sim", network("torus:2x2"), "--json", "--load", "0.2", "--warmup", "0", "--measure", "1000",
             "--error-rate", "0.5"]
    result = json.loads(extorus(*words, status=None))
    assert result["errors_injected"] > 0
    assert result["ok"] == (not result["links_down"]) and result["link_down"] == len(result["links_down"])
    assert result["packets_sent"] == result["packets_delivered"] or result["links_down"]


@pytest.mark.parametrize("load", (0.1, 0.3, 0.8))
def test_killed_link(network, sim, found, load):
    """Both ends go down with a cause; packets that were cut or that had to go there are counted, all others arrive."""
    result = sim(network("torus:4x4"), "--kill-link", "5:d0+@2000", **{**BASE, **DEAD, "load": load})
    check_dead(result, found, ((5, "d0+"), (6, "d0-")), killed=2000)
    assert result["packets_dropped"] > 0
    assert result["packets_delivered"] > 0.8 * result["packets_sent"]


def test_each_lost_packet_is_counted(network, sim):
    """Single cells at full load: some are dropped while the link still gives up those before."""
    result = sim(network("torus:4"), "--kill-link", "0:d0+@1000", "--traffic", "neighbor", load=1, packet="1", warmup=0, measure=1500, **DEAD)
    assert result["ok"] and result["links"]["swallowed"] >= result["packets_dropped"] > 500


def test_packets_are_cut(network, sim, found):
    """Long packets under load: at some cycle the link dies within one, which comes out marked."""
    poisoned = 0
    for cycle in range(1000, 1100, 20):
        result = sim(network("torus:4x4"), "--kill-link", f"5:d0+@{cycle}", load=0.7, packet="32", warmup=0,
                     measure=1200, **DEAD)
        check_dead(result, found, ((5, "d0+"), (6, "d0-")), killed=cycle)
        poisoned += result["packets_poisoned"]
    assert poisoned > 0


def test_several_dead_links_and_errors(network, sim, found):
    result = sim(network("twin:2x2x2"), "--kill-link", "3:int@1500", "--kill-link", "8:d0+@1800", load=0.3,
                 warmup=500, measure=2000, error_rate=0.001, **DEAD)
    assert not found(result) and result["drained"], result["reports"]
    assert len(result["links_down"]) == 4 and {(3, "int"), (2, "int"), (8, "d0+")} <= ends(result)
    accounted(result)
    assert result["links"]["replays"] > 0


def test_kill_by_number_and_by_fault(network, sim, without_time):
    image = network("torus:4x4")
    by_name, by_number, by_fault = (without_time(sim(image, *words, load=0.3, measure=2000, **DEAD)) for words in (
        ("--kill-link", "5:d0+@3000"), ("--kill-link", "5:1@3000"), ("--fault", "kill-link:5,1,3000")))
    assert by_name == by_number == by_fault


def test_skipping_idle_cards_with_a_dead_link(network, sim, without_time):
    image = network("torus:3x3")
    results = [without_time(sim(image, *words, "--kill-link", "0:d1+@1000", load=0.1, measure=2000, **DEAD))
               for words in ([], ["--no-skip"])]
    assert results[0] == results[1]


def test_seeded_faults_are_repaired(network, sim, found):
    """What would be found without a link layer is not even noticed by the packets."""
    image = network("torus:4x4")
    flipped = sim(image, fault="flip-bit:5,1,400,77", load=0.5, warmup=200, measure=1000)
    credit = sim(image, fault="drop-credit:5,1,50", load=0.5, warmup=200, measure=1000)
    for result in (flipped, credit):
        assert not found(result) and result["drained"], result["reports"]
        assert result["links"]["replays"] >= 1
    assert flipped["links"]["crc_errors"] == 1


def test_counters_show_the_link(extorus, network, sim):
    ports = sim(network("torus:4x4"), "--counters", "--kill-link", "5:d0+@2000", **BASE, **DEAD)["counters"]
    dead = {(port["card"], port["port"]) for port in ports if port.get("link_state") == "down" and
            port["link_cause"] != "disabled"}
    assert dead == {(5, "d0+"), (6, "d0-")}
    assert all(port["link_state"] == "up" for port in ports if port["port"].startswith("d") and
               (port["card"], port["port"]) not in dead)
    text = extorus("sim", network("torus:4x4"), "--kill-link", "5:d0+@2000", "--load", "0.3", "--counters",
                   "--drain", "500", "--watchdog", "1200")
    assert "card 5 port d0+: down, cause" in text and "; killed" in text
    assert "packets delivered poisoned" in text and "crc errors" in text


@pytest.mark.parametrize("words, says", (
    (["--error-rate", "0.6"], "0 to 0.5"), (["--error-rate", "x"], "0 to 0.5"),
    (["--kill-link", "5"], "CARD:PORT@CYCLE"), (["--kill-link", "5:d0+"], "CARD:PORT@CYCLE"),
    (["--kill-link", "99:d0+@5"], "no card 99"), (["--kill-link", "5:up@5"], "no port \"up\""),
    (["--kill-link", "5:nic@5"], "no connected link port"), (["--kill-link", "5:d0+@4000000000"], "never happened")))
def test_usage(extorus, network, words, says):
    extorus("sim", network("torus:4x4"), *words, "--engine", "model", "--measure", "100", status=2, stderr=says)


@pytest.mark.parametrize("words, says", (
    (["--error-rate", "0.001"], "no link layer"), (["--kill-link", "0:d0+@50"], "no link layer"),
    (["--select", "rr"], "no adaptive routing")))
def test_what_plain_links_cannot(extorus, network, words, says):
    extorus("sim", network("torus:4x4", "mini"), *words, status=2, stderr=says)


@pytest.mark.parametrize("words, says", (
    (["--select", "best"], "3-priority"), (["--adaptive-low", "9", "--adaptive-high", "8"], "low 9, high 8"),
    (["--weight", "d0+:1"], "PORT:TC=WEIGHT"), (["--weight", "d9+:1=2"], "no card has a port"),
    (["--patience", "70000"], "--patience")))
def test_settings_usage(extorus, network, words, says):
    extorus("sim", network("torus:2x2"), *words, status=2, stderr=says)


def test_weights_change_nothing_when_idle(network, sim, found, without_time):
    image = network("torus:3x3")
    plain, weighted = (without_time(sim(image, *words, load=0.05, measure=1000)) for words in (
        [], ["--weight", "d0+:1=5", "--weight", "nic:0=2"]))
    assert not found(weighted) and plain["packets_delivered"] == weighted["packets_delivered"]
