# SPDX-License-Identifier: Apache-2.0
"""Waits end when their caller says so, whatever a board sends meanwhile."""

import time

import pytest

import frame_codec
from frame_codec import ANSWER, PACKET, RECEIVE, Frame


class Liar:
    """In place of each packet of the board: answers to RECEIVE that bring packets of this class."""

    def __init__(self, board, ahead):
        self.ahead, self.at, self.lies = ahead, {}, 0
        self.proxy = frame_codec.Proxy(board.address, self.to_board, self.from_board)

    def to_board(self, number, frame, raw):
        if frame.kind == RECEIVE:
            self.at[frame.card, frame.unit] = frame.argument, frame.words[0] & 0xffff
            frame.words = [frame.argument]  # no room for packets of the board
            return frame.encode()
        return raw

    def from_board(self, number, frame, raw):
        if frame.kind != RECEIVE | ANSWER or (frame.card, frame.unit) not in self.at:
            return b"" if frame.kind == PACKET else raw
        position, limit = self.at[frame.card, frame.unit]
        self.lies += 1
        packets = b""
        while position + 5 < position + (limit - position & 0xffff) and len(packets) < 4000:
            packets += Frame(PACKET, 0, 0, frame.card, frame.unit, position + self.ahead & 0xffff, [1 << 8 | 3 << 16, 7, 7, 7]).encode()
            position = position + 5 & 0xffff
        return raw + packets


@pytest.mark.parametrize("ahead, command, status", [
    (0, "inject --packets 300 --timeout 400", 1), (3, "inject --packets 300 --timeout 400", 1), (0, "inject --packets 1 --timeout 400", 1),
    (3, "capture --seconds 1 --pe 1", 0)])
def test_a_board_that_sends_without_end(board, ahead, command, status):
    liar = Liar(board, ahead)
    begin = time.monotonic()
    done = board.done(*command.split(), uri=liar.proxy.uri, status=status)
    assert time.monotonic() - begin < 15 and liar.lies > 3 and (status == 0 or done.stderr.count("\n") == 1), done.stderr
