# SPDX-License-Identifier: Apache-2.0
"""`watch` adds up counters of 32 bits across their wraps, and says when it can't."""

import os
import signal
import subprocess
import time

import pytest

import frame_codec
from served import COMMAND

# Of port 0: RX_PACKETS, RX_CELLS, TX_PACKETS and TX_CELLS of the only traffic class of `mini`, and what each gains between two looks.
GAINS = {0x1010: 1000, 0x1020: 4000, 0x1030: 0xFFFFFFF0, 0x1040: 0xFFFFFFF1}


class Counters:
    """A proxy before the board. Each counter of port 0 begins short of a wrap and gains as above."""

    def __init__(self, board):
        self.asked, self.values = {}, {address: (0xFFFFFF00 + n) & 0xFFFFFFFF for n, address in enumerate(GAINS)}
        self.proxy = frame_codec.Proxy(board.address, self.ask, self.answer)

    def ask(self, number, frame, raw):
        if frame.kind == frame_codec.READ:
            self.asked[frame.sequence] = frame.card, frame.argument
        return raw

    def answer(self, number, frame, raw):
        card, address = self.asked.pop(frame.sequence, (None, None)) if frame.kind == frame_codec.READ | frame_codec.ANSWER else (None, None)
        if card != 0 or address not in GAINS:
            return raw
        frame.words[0] = self.values[address]
        self.values[address] = (self.values[address] + GAINS[address]) & 0xFFFFFFFF
        return frame.encode()


def rows(text):
    """The fields of port 0 of card 0 in each look."""
    return [line.split() for line in text.splitlines() if line.split()[:2] == ["0", "p0"]]


def test_wraps_are_added_up(board):
    looks = rows(board.run("watch", "--card", "0", "--count", "3", "--interval", "50", uri=Counters(board).proxy.uri))
    assert [int(look[8]) for look in looks] == [4000, 8000, 12000]  # received cells
    assert [int(look[9]) for look in looks] == [n * 0xFFFFFFF1 for n in (1, 2, 3)]  # more than 32 bits
    assert all(3 < int(look[4]) / int(look[3]) < 5 and int(look[3]) < 1000 / 0.05 for look in looks)


def test_reads_in_between(board):
    """Of 12 s the counters are read after 10 s too."""
    counters = Counters(board)
    looks = rows(board.run("watch", "--card", "0", "--count", "1", "--interval", "12000", uri=counters.proxy.uri))
    assert int(looks[0][8]) == 8000


@pytest.mark.long
def test_a_pause_is_told(board):
    """A command that stood still for longer than a wrap takes."""
    with subprocess.Popen([COMMAND, "watch", "--card", "0", "--count", "1", "--interval", "500", "--device", board.uri],
                          stdout=subprocess.PIPE, text=True, env=board.environment) as process:
        time.sleep(0.3)
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(41)
        os.kill(process.pid, signal.SIGCONT)
        text = process.communicate()[0]
    assert process.returncode == 0 and "a counter may have wrapped unseen" in text
