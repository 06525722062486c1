# SPDX-License-Identifier: Apache-2.0
"""A reset leaves both ends of every link agreed, or is refused: credits under way over links without a link layer are lost with
a card that is reset alone."""

import json

import pytest

from frame_codec import INJECT, READ, Frame
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


def test_a_card_is_not_reset_alone_while_packets_wait(board):
    assert block(board) > 0
    board.done("reset", "--card", "1", status=1, says="reset all cards")
    board.run("reset")
    assert all_home(board)
    board.load("old")
    board.run("inject", "--packets", "400")


@pytest.mark.parametrize("card", ["0", "3"])
def test_a_card_is_reset_alone_at_rest(board, card):
    board.run("inject", "--packets", "200")
    board.run("reset", "--card", card)
    assert all_home(board)
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
