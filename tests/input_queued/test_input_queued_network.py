# SPDX-License-Identifier: Apache-2.0
"""What must hold for any input-queued network, and what this switch refuses."""

import csv
import json

import pytest

SHORT = ("--warmup", "300", "--drain", "0")
MEASURE = ("--measure", "700")
MODE = ("--engine", "model", "--switch", "input-queued", "--backdoor")

# Routings that the check approves, each with as little buffer as its packets of 4 flits need.
SAFE = [
    ("torus:8x4", ("dor",), "extoll", "0", 8),
    ("torus:4x4x4", ("dor",), "extoll", "0,1", 16),
    ("torus:4x4", ("dor", "--adaptive"), "extoll", "0,1", 24),
    ("torus:8x4", ("bubble",), "bubble", "0", 8),
    ("torus:5x5", ("bubble",), "bubble", "0,1", 16),
    ("twin:4x4x2", ("bubble",), "bubble", "0", 24),
    ("twin:4x4x4,config=A", ("bubble",), "bubble4", "0", 32),
    ("twin:5x4x3,config=F", ("bubble",), "bubble4", "0", 32),
    ("twin:4x4x4", ("dort",), "dort", "0", 16),
    ("twin:5x5x5", ("dort",), "dort", "0", 16),
    ("twin:4x4x2", ("ts-dor",), "extoll", "0,1", 16),
    ("twin:4x4x2", ("ts-dor", "--adaptive"), "extoll", "0,1,2,3", 40),
    ("rtt:8x4", ("dor",), "extoll", "0", 8),
    ("mesh:5x4", ("updown",), "extoll", "0", 4),
    ("torus:6x4~random=3:1", ("layered",), "extoll", "0", 8),
]


@pytest.fixture
def sim(extorus):
    """sim(words) -> JSON of a run on x.img."""

    def run(*words, status=0):
        return json.loads(extorus("sim", "x.img", *MODE, *SHORT, *([] if "--measure" in words else MEASURE), "--json", *map(str, words),
                                  status=status))

    return run


def route(extorus, spec, algorithm, profile, *words, status=0):
    extorus("route", spec, "--algorithm", *algorithm, "--profile", profile, "-o", "x.img", *words, status=status)


def test_latency_of_an_empty_network(extorus, sim):
    """A cycle in each FIFO and a link for each hop, and the cells behind the head."""
    for latency, cells in ((1, 1), (2, 4), (9, 3)):
        route(extorus, "torus:5x3", ("dor",), "extoll")
        sim("--load", 0.003, "--packet", cells, "--latency", latency, "--packet-log", "log.csv")
        with open(extorus.folder / "log.csv", newline="") as file:
            rows = [{key: int(value) for key, value in row.items() if key != "packet"} for row in csv.DictReader(file)]
        hops_seen = set()
        alone = 0
        for row in rows:
            a, b = (divmod(row[end], 5) for end in ("source", "destination"))
            hops = sum(min((x - y) % k, (y - x) % k) for x, y, k in zip(a, b, (3, 5)))
            least = hops * (latency + 1) + 1 + cells
            took = row["delivered"] - row["sent"]
            assert took >= least
            alone += took == least
            hops_seen.add(hops)
        assert hops_seen == {1, 2, 3} and alone > 0.9 * len(rows)


@pytest.mark.parametrize("spec, algorithm, profile, tcs, flits", SAFE)
def test_approved_routings_do_not_stall(extorus, sim, spec, algorithm, profile, tcs, flits):
    """Beyond saturation every packet arrives once, unaltered, in order and on its route, and all credits come home."""
    route(extorus, spec, algorithm, profile)
    result = sim("--load", 1, "--packet", 4, "--tc", tcs, "--port-buffer", flits)
    assert result["ok"] and result["saturated"] and result["packets_sent"] == result["packets_delivered"] > 500
    refused = extorus("sim", "x.img", *MODE, *SHORT, *MEASURE, "--load", "1", "--packet", "4", "--tc", tcs, "--port-buffer", str(flits - 1),
                      status=2, stderr="use a larger buffer or shorter packets")
    assert not refused


@pytest.mark.parametrize("spec, words, flits", (
    ("torus:8x4", (), 64), ("torus:5x5x3", (), 64), ("rtt:8x4", (), 64), ("ptt:8x4x4", ("--injection-queues", 4), 64),
    ("pdtt:8x4x4", ("--injection-queues", 4, "--transit-first"), 192), ("torus:8", ("--injection-queues", 8, "--transit-first"), 128)))
def test_adaptive_bubble_with_a_crossbar_input_per_vc(extorus, sim, spec, words, flits):
    """Beyond saturation every packet arrives once, whatever the options of the router are."""
    route(extorus, spec, ("bubble", "--adaptive"), "bubble_adaptive")
    result = sim("--load", 1, "--packet", 8, "--tc", 0, "--port-buffer", flits, "--crossbar", "vc", *words)
    assert result["ok"] and result["saturated"] and result["packets_sent"] == result["packets_delivered"] > 250


def test_the_published_router_carries_more(extorus, sim):
    """Each option adds to what a twisted torus accepts; together they reach over nine tenths of its limit, 0.75."""
    route(extorus, "rtt:16x8", ("bubble", "--adaptive"), "bubble_adaptive")
    words = ["--load", 0.9, "--packet", 16, "--tc", 0, "--port-buffer", 192, "--measure", 1500]
    accepted = []
    for option in ((), ("--crossbar", "vc"), ("--transit-first",), ("--injection-queues", 4)):
        words += option
        accepted.append(sim(*words)["accepted_load"])
    assert accepted[0] < accepted[1] and max(accepted[:3]) < accepted[3] and accepted[3] > 0.9 * 0.75


@pytest.mark.parametrize("spec, algorithm, profile, tcs", (
    ("twin:4x4x4", ("ts-dor", "--single-tc"), "extoll", "0"),))
def test_an_unsafe_routing_stalls(extorus, sim, spec, algorithm, profile, tcs):
    route(extorus, spec, algorithm, profile)
    extorus("check", "x.img", status=1)
    result = sim("--load", 1, "--packet", 4, "--tc", tcs, "--port-buffer", 32, "--force", status=1)
    assert not result["ok"] and result["stall"] and not result["credit"]


def test_checks_are_alive(extorus, sim):
    route(extorus, "torus:4x4", ("dor",), "extoll")
    result = sim("--load", 0.3, "--packet", 4, "--fault", "swap-entry:3,2,7", status=1)
    assert not result["ok"] and result["off_route"]


def test_buffers_limit_a_long_link(extorus, sim):
    """A FIFO of one packet: 4 flits, until the last has gone 50 cycles, waited one and its credit has come back in 50."""
    route(extorus, "torus:2x1", ("dor",), "extoll")
    loads = [sim("--load", 1, "--packet", 4, "--tc", 0, "--latency", 50, "--port-buffer", flits, "--measure", 5200)["accepted_load"]
             for flits in (4, 8, 512)]
    assert loads[0] == pytest.approx(4 / (50 + 1 + 3 + 50), rel=0.02) and loads[1] == pytest.approx(2 * loads[0], rel=0.02)
    assert loads[2] > 0.95


@pytest.mark.parametrize("words, says", (
    (("--engine", "rtl", "--switch", "input-queued"), "the input-queued switch has no RTL; use --engine model"),
    (("--engine", "model", "--switch", "voq"), "\"voq\" is not known; use extorus or input-queued"),
    (("--engine", "model", "--port-buffer", "128"), "--port-buffer goes with --switch input-queued"),
    (("--engine", "model", "--crossbar", "vc"), "--crossbar goes with --switch input-queued"),
    (("--engine", "model", "--transit-first"), "--transit-first goes with --switch input-queued"),
    (("--engine", "model", "--injection-queues", "2"), "--injection-queues goes with --switch input-queued"),
    ((*MODE, "--crossbar", "voq"), "\"voq\" is not known; use port or vc"),
    ((*MODE, "--weight", "d0+:0=2"), "neither priorities, weights nor thresholds"),
    ((*MODE, "--inject-wait", "5"), "neither priorities, weights nor thresholds")))
def test_wrong_usage(extorus, words, says):
    extorus("sim", "x.img", *words, status=2, stderr=says)


@pytest.mark.parametrize("words, says", (
    (("--error-rate", "0.01"), "its links have no errors"),
    (("--fault", "kill-link:0,0,10"), "only table entries can be broken on purpose"),
    (("--threads", "2"), "simulates a network on one thread")))
def test_what_it_cannot_do(extorus, words, says):
    route(extorus, "torus:4x2", ("dor",), "extoll")
    extorus("sim", "x.img", *MODE, "--packet", "4", *words, status=2, stderr=says)


def test_devices(extorus):
    extorus("probe", "--device", "sim:torus:2x2;switch=input-queued", status=2, stderr="the input-queued switch has no RTL; use model:")
    for option in ("port-buffer=64", "injection-queues=2", "crossbar=vc", "transit=first"):
        name = option.split("=")[0]
        extorus("probe", "--device", f"model:torus:2x2;{option}", status=2, stderr=f"{name}= goes with switch=input-queued")
    extorus("probe", "--device", "model:torus:2x2;switch=input-queued;injection-queues=8;profile=dort_adaptive")
    extorus("probe", "--device", "model:twin:2x2;switch=input-queued;injection-queues=5", status=2, stderr="5 injection queues of each of 4")


def test_sweep_and_reproduce(extorus):
    words = ("torus:4x2", "--load", "0.9", "--packet", "4", "--warmup", "100", "--measure", "300", "--no-plot", "-o", "out", "--json")
    extorus("sweep", *words, "--switch", "input-queued", "--port-buffer", "64")
    result = json.loads((extorus.folder / "out" / "results.jsonl").read_text().splitlines()[1])["result"]
    assert result["switch"] == {"kind": "input-queued", "port_buffer": 64, "rtl": False} and result["engine"] == "input-queued"
    # Neither another buffer nor the switch of the RTL goes on with these results.
    extorus("sweep", *words, "--switch", "input-queued", status=1, stderr="other")
    extorus("sweep", *words, status=1, stderr="other")
    extorus("sweep", *words, "--engine", "rtl", "--switch", "input-queued", status=2, stderr="has no RTL")
    extorus("reproduce", "bubble-vcs", "--quick", "--switch", "input-queued")
    table = (extorus.folder / "out" / "reproduce-quick-input-queued" / "bubble-vcs" / "table.md").read_text()
    assert "Switch: input-queued, 128 flits per port, in the model only; this switch has no RTL." in table
