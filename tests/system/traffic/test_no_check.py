# SPDX-License-Identifier: Apache-2.0
"""Without the checks of hops a run comes out the same, still ends, and says what it did not look for."""

import json

import pytest

import image_file

TIMING = ("wall_seconds", "card_cycles_per_second")


@pytest.fixture
def both(extorus):
    """both(image, *words) -> the results with and without the checks, and their packets in their order."""

    def one(words, status):
        result = json.loads(extorus("sim", *map(str, words), "--json", "--packet-log", "log.csv", status=status))
        return {key: value for key, value in result.items() if key not in TIMING}, (extorus.folder / "log.csv").read_text()

    def run(image, *words, status=0):
        words = (image, "--backdoor", "--measure", 300, "--watchdog", 900, *words)
        return one(words, status), one((*words, "--no-check"), status)

    return run


@pytest.fixture
def loop(extorus, network):
    """A ring of four cards, two of which send packets for PE 0 to each other."""
    good = (extorus.folder / network("torus:4", "--algorithm", "dor")).read_bytes()
    (extorus.folder / "loop.img").write_bytes(image_file.with_loop(good, links=6, nics=1, tcs=4, dest=0, loop=(1, 2)))
    return "loop.img"


@pytest.mark.parametrize("spec, words", (
    (("torus:4x4x2",), ("--load", 0.3)), (("torus:4x4x2",), ("--load", 0.3, "--threads", 3)), (("torus:4x4x2",), ("--load", 1, "--packet", 1)),
    (("torus:4x4x2", "--adaptive"), ("--load", 0.9, "--patience", 3)), (("torus:4x4",), ("--load", 0.3, "--error-rate", 0.01, "--threads", 2)),
    (("torus:4x4",), ("--load", 0.3, "--nic-stall", "1/4")), (("torus:4x4",), ("--load", 0.3, "--switch", "input-queued", "--packet", 4)),
    (("torus:4x2", "--profile", "mini"), ("--load", 0.3, "--engine", "rtl")),
    (("torus:4x2", "--profile", "mini"), ("--load", 0.3, "--engine", "rtl", "--threads", 2))))
def test_numbers_are_those_with_the_checks(both, network, spec, words):
    words = words if "--engine" in words else (*words, "--engine", "model")
    (checked, packets), (unchecked, same_packets) = both(network(*spec), *words)
    assert checked["packets_sent"] > 0 and checked["off_route"] == 0
    assert unchecked == {**checked, "off_route": None}
    assert packets == same_packets


def test_way_of_a_packet_is_not_looked_at(both, network):
    """Tables other than those of the image: the packets' ways are not seen, but where they end is."""
    (checked, _), (unchecked, _) = both(network("torus:4x4"), "--engine", "model", "--load", 0.3, "--fault", "swap-entry:0,0,1", status=1)
    assert checked["off_route"] > 0 and not any(report.startswith("off_route") for report in unchecked["reports"])
    assert unchecked["off_route"] is None and not unchecked["ok"]


@pytest.mark.parametrize("spec, words", (
    ("torus:4x4", ("--load", 0.3, "--nic-stall", "199/200", "--measure", 2000, "--watchdog", 4000)),
    ("torus:4x4", ("--load", 0.001, "--packet", 16, "--nic-stall", "999/1000", "--measure", 20000, "--watchdog", 4000)),
    ("torus:16", ("--latency", 1024, "--load", 0.0005, "--measure", 10000, "--watchdog", 4000)),
    ("torus:16", ("--latency", 1024, "--load", 0.02, "--packet", 16, "--drain", 0, "--watchdog", 4000))))
def test_packets_that_take_long_do_not_go_round(both, network, spec, words):
    """Packets come out more seldom than once in --watchdog cycles."""
    (checked, packets), (unchecked, same_packets) = both(network(spec), "--engine", "model", *words, status=None)
    assert unchecked == {**checked, "off_route": None} and unchecked["drained"] and packets == same_packets


@pytest.mark.parametrize("more", ((), ("--threads", 2), ("--watchdog", 2**32 - 1)))
def test_packets_that_go_round_end_the_run(both, loop, more):
    (checked, _), (unchecked, _) = both(loop, "--engine", "model", "--force", "--load", 0.2, *more, status=1)
    assert checked["livelock"] and checked["reports"][0].startswith("livelock: packet ")
    assert unchecked["livelock"] == 1 and not unchecked["drained"]
    assert any(report.startswith("livelock: cells of ") and report.endswith("; a run that checks hops tells which")
               for report in unchecked["reports"])


def test_a_lost_packet_was_last_seen_nowhere(both, network):
    (checked, _), (unchecked, _) = both(network("torus:4x2", "--profile", "mini"), "--engine", "model", "--load", 0.3,
                                        "--fault", "flip-bit:3,1,500,3", status=1)
    lost, same = (next(report for report in result["reports"] if report.startswith("lost")) for result in (checked, unchecked))
    assert lost.split(";")[0] == same.split(";")[0] and "card" in lost and "card" not in same


def test_a_stall_is_one_line(both, network):
    (checked, _), (unchecked, _) = both(network("twin:4x4", "--single-tc"), "--engine", "model", "--force", "--load", 1, "--measure", 4000, status=1)
    begin = checked["reports"][0]
    assert begin.startswith("stall: nothing has moved since cycle ") and len(checked["reports"]) > 1
    assert unchecked["reports"][0] == f"{begin}; a run that checks hops tells where"
    assert unchecked["stall"] == 1 and not any("waits for" in report for report in unchecked["reports"])


def test_text_says_what_was_not_checked(extorus, network):
    words = ("sim", network("torus:4"), "--engine", "model", "--measure", "100")
    sentence = "whether packets kept to their routes was not checked"
    assert sentence in extorus(*words, "--no-check") and sentence not in extorus(*words)


def test_points_of_a_sweep_are_the_same(extorus):
    words = ("sweep", "torus:4x4", "--load", "0.1,0.5", "--seeds", "2", "--json")
    checked, unchecked = (json.loads(extorus(*words, "-o", folder, *more)) for folder, more in (("a", ()), ("b", ("--no-check",))))
    assert checked == unchecked
    extorus(*words, "-o", "b", status=None, stderr="b/")  # runs with the checks are others


def test_hops_tell_what_a_killed_link_costs(extorus, network):
    words = ("sim", network("torus:4x4"), "--engine", "model", "--measure", "100", "--kill-link", "3:d0+@400")
    extorus(*words, "--no-check", status=2, stderr="leave out no_check (--no-check)")
