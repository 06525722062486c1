# SPDX-License-Identifier: Apache-2.0
"""Faults that are put in on purpose: each is caught, and named. Those of links on profile mini, whose links have no
link layer that would repair them."""

import re

import pytest

FAST = {"warmup": 300, "measure": 1000}


@pytest.fixture
def sim(sim_on):
    return sim_on


def told(result, *parts):
    """Some report says all of `parts`."""
    return any(all(part in line for part in parts) for line in result["reports"])


@pytest.mark.parametrize("engine", ["model", "rtl"], indirect=True)
@pytest.mark.parametrize("spec", ("torus:4x4", "torus:8"))
def test_dropped_credit(network, sim, found, spec):
    result = sim(network(spec, "mini"), fault="drop-credit:3,1,50", load=0.3, status=1, **FAST)
    assert found(result) == {"credit": 1} and result["drained"]
    assert told(result, "credit: card 3 port ", "1 credit is not home")


def test_every_credit_dropped_in_time(network, sim, found):
    """A VC that loses its credits one by one stands still at last."""
    faults = [word for n in range(10) for word in ("--fault", f"drop-credit:0,1,{n}")]
    result = sim(network("torus:2", "mini"), *faults, load=0.9, packet="4", warmup=0, measure=20000, watchdog=1000,
                 status=1)
    assert result["credit"] >= 1


def test_flipped_payload_bit(network, sim, found):
    """Every cell behind the head, wherever the fault strikes."""
    cells = set()
    for cycle in range(400, 430, 3):
        result = sim(network("torus:4x4", "mini"), fault=f"flip-bit:5,1,{cycle},10", load=0.8, packet="4", status=1,
                     **FAST)
        kinds = found(result)
        if "corrupted" in kinds and "cell 0" not in "".join(result["reports"]):
            assert kinds == {"corrupted": 1}
            line = next(line for line in result["reports"] if line.startswith("corrupted"))
            cells.add(int(re.search(r"cell (\d+) bit 10 is wrong", line)[1]))
    assert len(cells - {0}) > 1


def test_flipped_tag_bit(network, sim, found):
    """The header names another packet than was sent."""
    result = sim(network("torus:4x4", "mini"), fault="flip-bit:5,1,400,30", packet="1", load=0.3, status=1, **FAST)
    assert found(result) == {"lost": 1, "duplicated": 1}
    assert told(result, "duplicated: PE ", "which is not in flight")


def test_flipped_destination(network, sim, found):
    """A header that changes its mind on the way: it arrives elsewhere."""
    result = sim(network("torus:4x4", "mini"), fault="flip-bit:5,1,400,3", packet="1", load=0.3, status=1, **FAST)
    assert found(result) == {"misrouted": 1, "corrupted": 1}
    assert told(result, "misrouted: packet ", "came out at PE ")


def test_swapped_entries(network, sim, found):
    """Card 0 takes PE 1 for PE 3 and the other way: each packet it sends there leaves by the wrong port."""
    result = sim(network("torus:4x4", ties="positive"), fault="swap-entry:0,1,3", load=0.1, status=1, **FAST)
    kinds = found(result)
    assert kinds["off_route"] and set(kinds) <= {"off_route", "livelock", "misrouted", "stall", "conservation"}
    assert told(result, "off_route: packet ", " left card 0 by port d0- VC ", "; for address 1 in TC ",
                "the image has port d0+ VC 0")
    assert all("card 0 by" in line for line in result["reports"] if line.startswith("off_route"))


def test_swapped_with_an_empty_entry(network, sim, found):
    """The route to PE 5 is gone: its packets are dropped where they miss it."""
    result = sim(network("torus:4x4"), fault="swap-entry:1,5,700", load=0.1, status=1, **FAST)
    kinds = found(result)
    assert set(kinds) == {"lost", "illegal_route"}
    assert told(result, "illegal_route: card 1 input ") and told(result, "lost: packet ", "to PE 5")
    assert all("to PE 5," in line for line in result["reports"] if line.startswith("lost"))


def test_swapped_own_entry(network, sim, found):
    """Card 5 sends its own packets on: they come back until they have made too many hops."""
    result = sim(network("torus:4x4"), fault="swap-entry:5,5,6", load=0.1, status=1, **FAST)
    kinds = found(result)
    assert kinds.get("livelock") or kinds.get("misrouted"), result["reports"]
    assert told(result, "off_route: packet ", "left card 5 by", "for address 5 in TC", "the image has port nic")


def test_blocked_pe(network, sim, found):
    result = sim(network("torus:2x2"), fault="block-nic:2,6,100", load=0.5, watchdog=500, status=1, **FAST)
    assert found(result) == {"stall": 1} and not result["drained"]
    assert told(result, "stall: packet ", "waits for the PE at card 2 to take it")
    assert told(result, "no channel cycle")


@pytest.mark.parametrize("seed", (1, 2, 3))
def test_blocked_pe_with_adaptive_routes(network, sim, found, seed):
    """What waits on the adaptive VC could also go on by each of its candidates: on that VC of a card nearer to its
    destination. What has escaped to a deterministic VC has no candidates any more."""
    result = sim(network("torus:4x4", adaptive=True), engine="model", fault="block-nic:2,6,100", load=0.8, tc=0,
                 warmup=200, measure=2000, watchdog=600, seed=seed, status=1)
    assert found(result) == {"stall": 1} and not result["drained"]

    def distance(card, destination):
        return sum(min(abs(a - b), 4 - abs(a - b)) for a, b in zip(divmod(card, 4), divmod(destination, 4)))

    told_of = re.compile(r" to PE (\d+), .* at card (\d+) input d\S+ TC 0 VC (\d) .* waits for room behind port (.*)")
    waiting = [told_of.search(line) for line in result["reports"]]
    waiting = [(int(match[1]), int(match[2]), match[3], match[4]) for match in waiting if match]
    assert "2" in {vc for _, _, vc, _ in waiting}
    for destination, card, held, places in waiting:
        candidates = re.findall(r", or behind port \S+: card (\d+) input \S+ TC 0 VC (\d)", places)
        assert bool(candidates) == (held == "2"), places
        nearer = distance(card, destination) - 1
        assert all(vc == "2" and distance(int(to), destination) == nearer for to, vc in candidates), places


@pytest.mark.parametrize("spec", ("twin:4x4", "twin:4x4x2"))
def test_single_tc_deadlocks(extorus, network, sim, found, spec):
    """TS-DOR with both sources in one TC: refused, and when forced in, the switches really stand still."""
    image = network(spec, single_tc=True)
    extorus("load", image, "--device", f"sim:{spec}", status=1, stderr="TC 0: cycle of ")
    extorus("sim", image, status=1, stderr="TC 0: cycle of ")
    result = sim(image, "--force", load=1.0, warmup=1000, measure=4000, watchdog=1000, status=1)
    assert found(result) == {"stall": 1}
    assert told(result, "stall: nothing has moved since cycle")
    channels = cycle_of(result)
    assert len(channels) >= 3
    for (_, waits_for), (holder, _) in zip(channels, channels[1:] + channels[:1]):
        assert waits_for == holder
    assert any(" int " in holder for holder, _ in channels)
    assert told(result, "stall: packet ", "waits for room behind port")


def cycle_of(result):
    """[(channel, the one it waits for)] of the cycle that was reported."""
    lines = [re.fullmatch(r"stall:   (card .*) waits for (card .*) \(packet \S+\)", line) for line in result["reports"]]
    return [(match[1], match[2]) for match in lines if match]


@pytest.mark.parametrize("engine", ["model", "rtl"], indirect=True)
@pytest.mark.parametrize("spec", ("twin:4x4", "twin:4x4x2"))
def test_ts_dor_does_not_deadlock(network, sim, found, spec):
    result = sim(network(spec), load=1.0, warmup=1000, measure=4000, watchdog=1000)
    assert not found(result) and result["drained"]


def test_fault_that_cannot_happen(extorus, network):
    image = network("torus:2x2")
    extorus("sim", image, "--load", "0.1", "--measure", "200", "--fault", "flip-bit:0,1,1000000,5", status=2,
            stderr="1 of 1 faults never happened")
    extorus("sim", image, "--fault", "flip-bit:4,1,0,5", status=2, stderr="no card 4")
    extorus("sim", image, "--fault", "flip-bit:0,6,0,5", status=2, stderr="no connected link port 6")
    extorus("sim", image, "--fault", "flip-bit:0,1,0,128", status=2, stderr="bits 0 to 127")
    extorus("sim", image, "--fault", "block-nic:0,1,0", status=2, stderr="no NIC port 1")
    extorus("sim", image, "--fault", "flip-bit:0", status=2, stderr="flip-bit:CARD,PORT,CYCLE,BIT")
