# SPDX-License-Identifier: Apache-2.0
"""Latencies of `extorus traffic` between boards whose clocks began at different times and differ in rate. The boards are
`extorus serve`; their traffic generators, clocks and network are here, so that every packet's true latency is known."""

import bisect
import json
import random
import re
import time

import pytest

import frame_codec
from test_board_list import command

WINDOW, REGISTERS, STRIDE = 0xC000, 0xC100, 0x80
CONTROL, TO, FROM, RATE, LIMIT, CLOCK, DRIFT, SENT = 0, 4, 8, 12, 16, 20, 24, 32
SEND, CHECK, CLEAR, UNIFORM = 1, 2, 4, 8
HERTZ, ZERO = 40e6, 4096
CARDS, PACKETS, SECONDS = 4, 1000, 0.4  # of a run
RIGHT = 12  # cycles: more is no useful uncertainty of a run of that time


class Clock:
    """A counter in pieces of constant rate, so that what it showed can still be asked."""

    def __init__(self, shown, rate):
        self.rate, self.drift, self.pieces = rate, 0, []
        self.go(0.0, shown)

    def go(self, now, shown):
        self.pieces.append((now, shown, HERTZ * self.rate * (1 + self.drift / 2**32)))

    def at(self, now):
        then, shown, rate = self.pieces[bisect.bisect_right(self.pieces, now, key=lambda piece: piece[0]) - 1]
        return int(shown + (now - then) * rate)


class Generator:
    def __init__(self, card, clock):
        self.card, self.clock, self.registers = card, clock, {}
        self.clear()

    def clear(self):
        self.sent, self.came = [], []  # times; (time sent, time when it came, sender, number)


class Network:
    """Boards of two cards each. `clocks` begin at (shown, ppm) on each; `ways`: cycles from the first to the second card."""

    def __init__(self, boards, clocks, ways, has_clocks=True):
        self.began, self.ways, self.has_clocks, self.random = time.monotonic(), ways, has_clocks, random.Random(1)
        self.generators = [Generator(card, Clock(shown, 1 + ppm * 1e-6)) for card, (shown, ppm) in enumerate(clocks)]
        self.truth, self.begin = [], lambda now: None  # true latencies of the run; called when it begins
        self.proxies = [self.proxy(board, 2 * number) for number, board in enumerate(boards)]

    def proxy(self, board, first):
        asked = {}

        def to_board(_, frame, raw):
            asked[frame.sequence] = frame
            return raw

        def from_board(_, frame, raw):
            request = asked.get(frame.sequence)
            if not request or frame.kind != request.kind | frame_codec.ANSWER or request.argument < WINDOW:
                return raw
            now = time.monotonic() - self.began
            generator, at = self.generators[first + frame.card], request.argument - REGISTERS
            words = []
            if request.kind == frame_codec.READ:
                words = [1 << 8] if request.argument == WINDOW else self.read(generator, at, now)[:request.unit + 1]
            else:
                for number, word in enumerate(request.words):
                    self.write(generator, at + 4 * number, word, now)
            return frame_codec.Frame(frame.kind, 0, frame.sequence, frame.card, frame.unit, request.argument, words).encode()

        return frame_codec.Proxy(board.address, to_board, from_board)

    def read(self, generator, at, now):
        if at == CLOCK:
            return [generator.clock.at(now) % 2**32]
        if at == DRIFT:
            return [generator.clock.drift % 2**32 if self.has_clocks else 0]
        assert at == SENT
        sent, came = sum(when <= now for when in generator.sent), [packet for packet in generator.came if packet[1] <= now]
        times = [(generator.clock.at(then) - sender.clock.at(when) + ZERO) % 65536 for when, then, sender, _ in came]
        total = sum(times)
        return [sent, sent * (sent - 1) // 2, len(came), sum(number for *_, number in came), 0, 0, len(came),
                max(times, default=0) << 16 | min(times, default=65535), total % 2**32, total >> 32]

    def write(self, generator, at, word, now):
        generator.registers[at] = word
        clock = generator.clock
        if at == CLOCK:
            clock.go(now, clock.at(now) + (word - 1 if word < 2**31 else word - 1 - 2**32))
        elif at == DRIFT:
            shown = clock.at(now)
            clock.drift = word if word < 2**31 else word - 2**32
            clock.go(now, shown)
        elif at == CONTROL:
            if word & CLEAR:
                generator.clear()
            if word & SEND:
                self.send(generator, word, now)

    def send(self, generator, control, now):
        run, others = control & UNIFORM, [other for other in self.generators if other is not generator]
        if run and not self.truth:
            self.begin(now)
        for number in range(generator.registers[LIMIT]):
            to = self.random.choice(others) if run else self.generators[generator.registers[TO]]
            latency = self.ways(generator.card, to.card) + self.random.choice([0, 0, 1, 5, 40 if run else 2])
            when = now + (SECONDS * number / PACKETS if run else 67 * number / HERTZ)
            generator.sent.append(when)
            if latency < 65536:  # more: it is lost
                to.came.append((when, when + latency / HERTZ, generator, number))
            if run:
                self.truth.append((to.card, latency))


CLOCKS = [(7, 0), (7, 0), (3_000_000_123, 38), (40_000, -21)]


def ways(one, other):
    return 60 if one // 2 != other // 2 else 20


def traffic(folder, network, status=0):
    listed = folder / "boards.txt"
    listed.write_text("".join(f"{2 * number} {proxy.uri};timeout=5000\n" for number, proxy in enumerate(network.proxies)))
    words = ["traffic", "--uniform", CARDS, "--packets", PACKETS, "--cells", 1, "--devices", listed, "--json"]
    said = json.loads(command(folder, *words, status=status).stdout)
    for proxy in network.proxies:
        frame_codec.await_hang_up(proxy.uri)
        proxy.close()
    return said


def errors(network, said):
    """The greatest error of a card's least, mean and greatest latency."""
    found = []
    for nic in said["nics"]:
        true = [latency for card, latency in network.truth if card == nic["address"]]
        wanted = {"least": min(true), "mean": sum(true) / len(true), "greatest": max(true)}
        found += [abs(nic["latency"][name] - value) for name, value in wanted.items()]
    return max(found)


@pytest.fixture
def loaded(tmp_path, boards, torus):
    both = boards("torus:2x1", "mini")
    listed = tmp_path / "boards.txt"
    listed.write_text("".join(f"{2 * number} {board.uri}\n" for number, board in enumerate(both)))
    command(tmp_path, "load", torus, "--any-cables", "--devices", listed)
    return both


@pytest.mark.parametrize("clocks", [CLOCKS, [(0, 0)] * CARDS, [(5, 0), (32768 + 65, 100), (32768 + 4, -100), (2**32 - 1, 3)]])
def test_latencies_in_a_common_time(tmp_path, loaded, clocks):
    network = Network(loaded, clocks, ways)
    said = traffic(tmp_path, network)
    assert said["ok"] and not said["common_time"]["reason"] and said["common_time"]["uncertainty"] <= RIGHT, said
    assert errors(network, said) <= said["common_time"]["uncertainty"], said


def jump(network, cycles):
    clock = network.generators[2].clock
    return lambda now: clock.go(now + SECONDS / 3, clock.at(now + SECONDS / 3) + cycles)


def wander(network, ppm):
    clock = network.generators[3].clock

    def change(now):
        clock.rate += ppm * 1e-6
        clock.go(now, clock.at(now))
    return change


@pytest.mark.parametrize("disturb", [lambda network: jump(network, -333), lambda network: wander(network, 9)])
def test_a_clock_that_goes_wrong_is_seen(tmp_path, loaded, disturb):
    """The uncertainty grows with it, and the latencies are still within."""
    network = Network(loaded, CLOCKS, ways)
    network.begin = disturb(network)
    said = traffic(tmp_path, network)
    assert said["common_time"]["uncertainty"] > 100 and RIGHT < errors(network, said) <= said["common_time"]["uncertainty"]


def test_unequal_ways(tmp_path, loaded):
    """Half the difference more."""
    network = Network(loaded, CLOCKS, lambda one, other: ways(one, other) + 30 * (one // 2 > other // 2))
    said = traffic(tmp_path, network)
    assert RIGHT < errors(network, said) <= said["common_time"]["uncertainty"] + 15


@pytest.mark.parametrize("change, says", [
    ({"has_clocks": False}, "the traffic generators have no clocks"),
    ({"ways": lambda one, other: 10**9 if (one, other) == (2, 0) else ways(one, other)}, "of 4 packets from address 2 to 0 0 came")])
def test_no_common_time(tmp_path, loaded, change, says):
    network = Network(loaded, CLOCKS, **{"ways": ways, **change})
    said = traffic(tmp_path, network, status=None)
    assert says in said["common_time"]["reason"] and said["common_time"]["uncertainty"] is None
    assert all(nic["latency"] is None for nic in said["nics"])


def test_a_clock_that_was_reset(tmp_path, loaded):
    network = Network(loaded, CLOCKS, ways)
    network.begin = jump(network, 20000)
    said = traffic(tmp_path, network)
    assert said["ok"] and re.search(r"the clock of card 0 is (19|20)\d{3} cycles off", said["common_time"]["reason"])
