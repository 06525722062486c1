# SPDX-License-Identifier: Apache-2.0
"""`extorus traffic --zipf`: the tables that it writes into a board's traffic generators, read from the line, against the law. The
board is `extorus serve`, which has no generators: their registers are answered here."""

import json
import math
import time

import pytest

import frame_codec
import traffic_oracle

CARDS, PACKETS, OWN_REGISTERS, TABLE = 4, 10, 0xC000, 0xD000


class Generators:
    """Stands before a board: one generator for each card, that has sent and received what was asked for."""

    def __init__(self, board, columns):
        self.window = (columns.bit_length() - 1 if columns else 0) << 24 | 1 << 8
        self.columns, self.asked, self.tables, self.control = columns, {}, {}, {}
        self.proxy = frame_codec.Proxy(board.address, self.to_board, self.from_board)

    def to_board(self, number, frame, raw):
        self.asked[frame.sequence] = frame
        if frame.kind == frame_codec.WRITE:
            for i, word in enumerate(frame.words):
                at = frame.argument + 4 * i
                if at >= TABLE:
                    self.tables.setdefault(frame.card, {})[(at - TABLE) // 4] = word
                elif at == 0xC100:
                    self.control.setdefault(frame.card, []).append(word)
        return raw

    def from_board(self, number, frame, raw):
        request = self.asked.get(frame.sequence)
        if not request or frame.kind != request.kind | frame_codec.ANSWER or request.argument < OWN_REGISTERS:
            return raw
        words = []
        if request.kind == frame_codec.READ:
            words = [self.window] if request.argument == OWN_REGISTERS else self.counts(frame.card) if request.unit else [0]
            words += [0] * (request.unit + 1 - len(words))
        return frame_codec.Frame(frame.kind, 0, frame.sequence, frame.card, frame.unit, request.argument, words).encode()

    def counts(self, card):
        return [PACKETS, 45, PACKETS, 45, 0, 0, PACKETS * 8]

    def chances(self, card):
        """{destination: probability} of a table, by what `bridge.md` says of its words."""
        table, found = self.tables[card], {}
        assert sorted(table) == list(range(self.columns))
        for column, word in table.items():
            for number, draws in ((column, word >> 16), (word & 0xFFFF, 65536 - (word >> 16))):
                if draws:
                    found[number] = found.get(number, 0) + draws / 65536 / self.columns
        return found


@pytest.mark.parametrize("option, law_of", [("--zipf", traffic_oracle.zipf_chances), ("--zipf-common", traffic_oracle.zipf_common_chances)])
@pytest.mark.parametrize("pes, exponent, seed, columns", [(4, 1, 1, 512), (200, 0.8, 1, 512), (200, 1, 7, 256), (13, 0, 1, 16),
                                                          (16, 8, 3, 16), (512, 1.5, 1, 512)])
def test_tables_follow_the_law(board, option, law_of, pes, exponent, seed, columns):
    generators = Generators(board, columns)
    said = board.run("traffic", option, str(pes), "--zipf-exponent", str(exponent), "--seed", str(seed), "--packets", str(PACKETS),
                     uri=generators.proxy.uri)
    assert said.rstrip().endswith("ok")
    for card in range(CARDS):
        law, table = law_of(card, pes, seed, exponent), generators.chances(card)
        assert set(table) <= set(law), f"card {card}: {set(table) - set(law)}"
        worst = max(abs(law[dest] - table.get(dest, 0)) for dest in law)
        assert worst < 1 / 65536 / columns, f"card {card} is wrong by {worst}"
        assert any(word & 0x11 == 0x11 for word in generators.control[card]), "the table is not used"
        assert not any(word & 8 for word in generators.control[card])


@pytest.mark.parametrize("columns, pes, says", [(0, 4, "no table of destinations; use --uniform or --to"), (256, 257, "hold 256 PEs, not 257"),
                                                (256, 3, "card 3 has address 3, which is none of 3 PEs")])
def test_what_a_table_cannot(board, columns, pes, says):
    generators = Generators(board, columns)
    board.run("traffic", "--zipf", str(pes), uri=generators.proxy.uri, status=None, says=says)
    # Nothing is sent by those before.
    assert not any(word & 1 for words in generators.control.values() for word in words)


def test_a_board_without_generators(board):
    """What has them, and what else to use; the way to say that a PE is not there is the same."""
    board.run("traffic", "--uniform", "4", status=None, says="no traffic generators. Load a bitstream with them, as `make bitstream BOARD=NAME`")
    for option, number, most in (("--to", 9, 3), ("--from", 4, 3), ("--tc", 3, 0), ("--cells", 5, 4)):
        board.run("inject", option, str(number), status=None, says=f"{option} {number}: this device has up to {most}; name a lower number")


class Busy(Generators):
    """Those of a run that was killed: they send until they are stopped, and what is then under way comes a little later."""

    def __init__(self, board):
        super().__init__(board, 0)
        self.sending, self.still, self.late, self.came = set(range(CARDS)), math.inf, {}, 1000

    def is_busy(self):
        return time.monotonic() < self.still

    def to_board(self, number, frame, raw):
        if frame.kind == frame_codec.WRITE and frame.argument == 0xC100:
            if self.sending and not frame.words[0] & 1:
                self.sending.discard(frame.card)
                self.still = math.inf if self.sending else time.monotonic() + 0.03
            if frame.words[0] & 4:
                self.late[frame.card] = 3 * self.is_busy()
        return super().to_board(number, frame, raw)

    def counts(self, card):
        self.came += self.is_busy()
        if card not in self.late:
            return [self.came, 0, self.came, 0, 0, 0, 0]
        return [PACKETS, 45, PACKETS + self.late[card], 45, 0, 0, PACKETS * 8]


def test_a_run_that_was_killed_is_not_counted(board):
    """Its generators are stopped, and its packets have come, before anything is counted."""
    generators = Busy(board)
    said = board.run("traffic", "--to", "1", "--packets", str(PACKETS), uri=generators.proxy.uri)
    assert said.rstrip().endswith("ok") and len(generators.late) == CARDS, said


class Wrapping(Generators):
    """At each reading since CLEAR a generator has sent so many more. The last of them have come at the fourth."""

    GAIN, READINGS = 0x60000000, 4

    def counts(self, card):
        writes = self.control[card]
        cleared = max((i for i, word in enumerate(writes) if word & 4), default=-1)
        self.read = getattr(self, "read", {})
        key = card, cleared
        self.read[key] = self.read.get(key, 0) + 1
        sent = self.read[key] * self.GAIN
        came = sent - (self.read[key] < self.READINGS)
        return [word & 0xFFFFFFFF for word in (sent, 45, came, 45, 0, 0, came)]


def test_counts_across_the_wrap_of_a_register(board):
    said = json.loads(board.run("traffic", "--uniform", "4", "--seconds", "1", "--json", uri=Wrapping(board, 512).proxy.uri))
    assert [(nic["sent"], nic["came"]) for nic in said["nics"]] == [(4 * 0x60000000,) * 2] * CARDS
    assert (said["sent"], said["came"], said["ok"], said["unsure"]) == (16 * 0x60000000, 16 * 0x60000000, True, False)
