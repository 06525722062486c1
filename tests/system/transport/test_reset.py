# SPDX-License-Identifier: Apache-2.0
"""A reset leaves both ends of every link agreed: cards joined by links without a link layer are reset together, which the command says."""

import json

import pytest

from frame_codec import INJECT, READ, RESET, STREAM, Frame
from raw_host import RawHost, packet
from served import Board, make_images
from test_quiesce import ask

BUSY = 6
CARD_ID, CREDITS_USED = 0x18, 0x1080
LINKS, VCS = 4, 2  # of a `mini` card


def block(board, refused=100):
    """One PE takes nothing, so that packets wait for it in several cards."""
    host = RawHost(board.address)
    place = [host.ask(READ, card=card, argument=CARD_ID).words[0] for card in range(4)]
    for n in range(100000):
        refused -= host.ask(INJECT, card=n % 2, words=packet(place[n % 2], place[3], tag=n % 8192)).status == BUSY
        if not refused:
            break
    used = credits(host)
    host.close()
    return used


def credits(host):
    return sum(host.ask(READ, card=card, unit=VCS - 1, argument=CREDITS_USED + 0x100 * port).words[vc]
               for card in range(4) for port in range(LINKS) for vc in range(VCS))


def all_home(board):
    words = [answer.words for answer in ask(board, *(Frame(READ, 0, 0, card, VCS - 1, CREDITS_USED + 0x100 * port, []) for card in range(4)
                                                     for port in range(LINKS)))[1:]]
    return sum(map(sum, words)) == 0


@pytest.mark.parametrize("card", ["0", "1", "3"])
def test_cards_without_a_link_layer_are_reset_together(board, card):
    assert block(board) > 0
    assert "4 cards are reset and have empty tables; links without a link layer join them" in board.run("reset", "--card", card)
    assert all_home(board)
    board.load("old")
    assert "400" in board.run("inject", "--packets", "400")


def test_one_frame_resets_all(board):
    """Also of a host that knows nothing of links. Packets under way do not come out after it."""
    assert block(board) > 0
    host = RawHost(board.address)
    assert host.ask(RESET, card=2).status == 0
    assert credits(host) == 0
    for card in range(4):
        assert host.ask(READ, card=card, argument=CARD_ID).words == [0]
        assert host.ask(STREAM, card=card).words[1] == 0
    host.close()
    board.load("old")
    board.run("inject", "--packets", "400")


def test_links_are_trained_again(tmp_path):
    """With a link layer the other ends go down."""
    board = Board(tmp_path, make_images(tmp_path, "node"), profile="node")
    try:
        board.load("old")
        board.run("reset", "--card", "1")
        ports = json.loads(board.run("counters", "--json"))
        assert all(port["link_state"] == "up" for port in ports if "link_state" in port)
        board.load("old")
        board.run("inject", "--packets", "200")
    finally:
        board.close()
