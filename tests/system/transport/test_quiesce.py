# SPDX-License-Identifier: Apache-2.0
"""Ports that are quiesced hold packets back, at other cards' NICs too; the board stays, and nothing is lost."""

import json
import socket

import frame_codec

QUIESCE = 0x58
ALL = 0x1F  # four link ports and the NIC port of a `mini` card
PACKETS = 40


def ask(board, *frames):
    """The answers to requests that follow a new synchronisation."""
    frames = [frame_codec.Frame(frame_codec.SYNC, 0, 0, 0, 0, 0, [1]), *frames]
    answers, rest = [], bytearray()
    with socket.create_connection(board.address) as host:
        for number, frame in enumerate(frames):
            frame.sequence = number
            host.sendall(frame.encode())
        while len(answers) < len(frames):
            data = host.recv(65536)
            assert data, "the board closed the connection"
            rest += data
            *whole, rest = rest.split(bytes([frame_codec.FLAG]))
            found = [frame_codec.decode(raw) for raw in whole if raw]
            answers += [frame for frame in found if frame and frame.kind not in (frame_codec.PACKET, frame_codec.EVENT)]
    assert all(answer.status == 0 for answer in answers), [vars(answer) for answer in answers]
    return answers


def quiesce(board, card, ports):
    ask(board, frame_codec.Frame(frame_codec.WRITE, 0, 0, card, 0, QUIESCE, [ports]))


def test_packets_wait_for_a_card_that_is_quiesced(board):
    quiesce(board, 2, ALL)
    sent = json.loads(board.run("inject", "--packets", str(PACKETS), "--timeout", "1000", "--json", status=None))
    assert sent["sent"] == PACKETS and sent["received"] < PACKETS
    assert board.server.poll() is None, "the board has ended"
    quiesce(board, 2, 0)
    rest = board.run("capture", "--packets", str(PACKETS - sent["received"]), "--seconds", "10")
    assert len(rest.splitlines()) == PACKETS - sent["received"] + 1
    assert "0 lost, 0 wrong" in board.run("inject", "--packets", str(PACKETS))
