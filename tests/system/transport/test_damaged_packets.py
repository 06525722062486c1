# SPDX-License-Identifier: Apache-2.0
"""What a card knows of a packet that it damages or drops, the receiver or the user learns."""

import json
import re

import pytest

from frame_codec import INJECT, RECEIVE, WRITE, Frame
from raw_host import RawHost
from served import Board, make_images
from test_quiesce import ask

TABLE_PORTS, LRT, EVERY_PORT = 0x40, 0x8000, 0x1F
WORDS = 2  # of a cell of `node`
POISONED = 1  # bit of the status of a packet


def packet(says, cells):
    """From PE 0 to PE 2: the header's number of cells, and how many there are."""
    return [2 | (says - 1) << 24, 5] + [0x1111, 0x2222] * (cells - 1)


@pytest.mark.parametrize("engine", ["model", "sim"])
def test_a_packet_of_another_length_arrives_marked(tmp_path, engine):
    """The host ends it elsewhere than its header says: it comes with the header's length, marked and counted; the next is whole."""
    board = Board(tmp_path, make_images(tmp_path, "node"), profile="node", engine=engine)
    try:
        board.load("old")
        host = RawHost(board.address)
        for says, cells in ((3, 3), (3, 2), (2, 3), (1, 2), (3, 3)):
            assert host.ask(INJECT, words=packet(says, cells)).status == 0
        while len(host.packets) < 5:
            host.ask(RECEIVE, card=2, words=[0x3F00])
        host.socket.close()
        assert [(frame.status & POISONED, len(frame.words) // WORDS) for frame in host.packets] == [(0, 3), (1, 3), (1, 2), (1, 1), (0, 3)]
        assert host.packets[1].words == packet(3, 2) + [0] * WORDS and host.packets[0].words == host.packets[4].words == packet(3, 3)
        ports = {port["card"]: port for port in json.loads(board.run("counters", "--json", status=None)) if port["port"] == "nic"}
        assert ports[0]["framing_errors"] == ports[2]["poisoned"] == 3
    finally:
        board.close()


def test_a_port_that_drops_packets_is_named(board):
    """Not only that packets are lost: the card has counted them where their table entry was not valid."""
    ask(board, Frame(WRITE, 0, 0, 1, 0, TABLE_PORTS, [EVERY_PORT]), Frame(WRITE, 0, 0, 1, 0, LRT + 8 * 3, [0, 0]))
    says = board.errors("inject", "--packets", "200", "--timeout", "300", status=1)
    assert re.search(r"card 1 port \S+ has dropped \d+ without a legal route; .* find the wrong entry by `extorus verify`", says), says
    assert "card 1" in board.errors("verify", board.images / "old.img", status=1)
