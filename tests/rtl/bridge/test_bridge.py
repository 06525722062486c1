# SPDX-License-Identifier: Apache-2.0
"""The RTL of the bridge behind TCP: the twin node of the virtual board, profile mini."""

import os
import pathlib
import random
import struct
import zlib

import pytest

from protocol import (
    ATTENTION,
    BUS,
    BUSY,
    CARD,
    INFO,
    INJECT,
    KIND,
    LENGTH,
    OK,
    READ,
    RECEIVE,
    REPEATED,
    RESET,
    REWIND,
    SEQUENCE,
    STARTED,
    STREAM,
    SYNC,
    UNIT,
    UNSYNCED,
    VERSION,
    WAITING,
    WRITE,
    Board,
    Frame,
    encode,
    stuff,
)
from repository import ROOT

# EXTORUS_BOARD names another one, with a seeded fault.
PROGRAM = pathlib.Path(os.environ.get("EXTORUS_BOARD", ROOT / "build" / "boards" / "extorus-board-mini"))
CARD_ID, TABLE_PORTS, MATCH_MASK, CREDITS_USED, GRT, LRT, LINK_PEER = 0x18, 0x40, 0x20, 0x1080, 0x4000, 0x8000, 0xC080
NIC, INTERNAL = 4, 3  # ports of mini, and the board's internal link
VALID = 1 << 15
WORDS_OUT, WORDS_IN = 512, 1024  # of the queues, by INFO


@pytest.fixture
def board():
    if not PROGRAM.exists():
        pytest.fail(f"{PROGRAM} is missing: run `make tests-build`", pytrace=False)
    made = Board(PROGRAM)
    yield made
    if made.process.poll() is None:
        made.close()
    assert made.process.returncode == 0, "the board has died"


@pytest.fixture
def node(board):
    """A board whose cards have addresses 0 and 1 and routes to each other."""
    board.sync()
    board.wait_ready()
    for card in (0, 1):
        load_tables(board, card)
    return board


def load_tables(board, card):
    board.write(card, CARD_ID, card)
    board.write(card, TABLE_PORTS, 0x1F)
    board.write(card, MATCH_MASK, 0)  # all local
    for dest in (0, 1):
        board.write(card, LRT + 8 * dest, VALID | (NIC if dest == card else INTERNAL), 0)


def packet(dest, source, tag, words=4):
    return [dest | source << 8 | (words - 1) << 16 | (tag & 0x1FFF) << 19] + [tag * 0x01000193 + i & 0xFFFFFFFF
                                                                              for i in range(1, words)]


def limit(position, words):
    return (position + words) & 0xFFFF


def test_info_says_what_the_board_is(board):
    words = board.ask(INFO, sequence=7).words
    assert len(words) == 14
    assert struct.pack("<I", words[0]) == b"XTBR"
    assert words[1] == 1 | 1 << 16
    assert words[2] == 2 | 1 << 8 | 16 << 16
    assert words[4] == 64 | 64 << 16
    assert words[5] == WORDS_OUT | WORDS_IN << 16
    assert words[6:8] == [1, 0]
    assert struct.pack("<4I", *words[10:]).rstrip(b"\0") == b"mini"
    board.sync()
    assert words[3] == board.read(0, 0x08)[0], "hash of the profile, as the card has it"


def test_it_says_that_it_started_and_takes_nothing_before_sync(board):
    answer = board.ask(READ, sequence=0)
    assert answer.status == UNSYNCED and not answer.words
    assert [event.argument for event in board.events] == [STARTED]
    assert board.ask(SYNC, words=[2]).status == VERSION
    assert board.ask(READ, sequence=0).status == UNSYNCED
    assert board.ask(SYNC, words=[]).status == LENGTH


def test_registers_are_read_and_written(node):
    assert node.read(0, 0, 4)[:2] == [0x58544F52, 3]
    node.write(1, CARD_ID, 0x5A)
    assert (node.read(0, CARD_ID)[0], node.read(1, CARD_ID)[0]) == (0, 0x5A)
    # A block of table entries, each two words; all bytes that have to be changed on the way are among them.
    entries = [word for i in range(32) for word in (VALID | 0x7D00 if i % 3 else 0x007E | VALID, 0)]
    node.write(0, LRT, *entries)
    node.write(0, 0x44, 2)
    assert [word & 0xFFFF for word in node.read(0, LRT, 64)] == entries


def test_each_port_tells_where_it_leads(node):
    """The packets of the other tests cross at this port, so it is where the link is."""
    for card in (0, 1):
        inner = 3 << 30 | INTERNAL << 16 | (1 - card)
        assert node.read(card, LINK_PEER, 4) == [inner if port == INTERNAL else 1 << 31 for port in range(4)]


def test_a_register_that_is_not_there(node):
    answer = node.ask(READ, 0, 3, 0x38)  # 0x40 is the first that is there again
    assert (answer.status, answer.argument, answer.words) == (BUS, 0x38, [])
    before = node.read(0, CARD_ID)
    answer = node.ask(WRITE, 0, 0, 0x14, [1, 2])
    assert (answer.status, answer.argument) == (BUS, 0x14)
    assert node.read(0, CARD_ID) == before, "nothing is done behind the register that failed"
    answer = node.ask(WRITE, 0, 0, CARD_ID, [5, 0, 0x7, 0, 0, 0, 0, 0])
    assert answer.status == BUS and answer.argument > CARD_ID
    assert node.read(0, CARD_ID) == [5]
    again = node.ask(WRITE, 0, 0, CARD_ID, [6], sequence=node.sequence - 2)
    assert (again.status, again.argument) == (BUS | REPEATED, 0)
    assert node.read(0, CARD_ID) == [5]


def test_requests_that_cannot_be(node):
    assert node.ask(0x55).status == KIND
    assert node.ask(READ, 2).status == CARD
    assert node.ask(STREAM, 0, 1).status == UNIT
    assert node.ask(INJECT, 0, 1, words=[0]).status == UNIT
    assert node.ask(READ, 0, 64).status == LENGTH
    assert node.ask(READ, words=[1]).status == LENGTH
    assert node.ask(WRITE).status == LENGTH
    assert node.ask(INJECT).status == LENGTH
    assert node.ask(RECEIVE).status == LENGTH
    assert node.ask(RECEIVE, words=[0, 0]).status == LENGTH
    assert node.ask(STREAM, words=[1]).status == LENGTH


def test_each_request_is_carried_out_once(node):
    first = node.sequence
    node.write(0, CARD_ID, 1)
    node.write(0, CARD_ID, 2)
    again = node.ask(WRITE, 0, 0, CARD_ID, [1], sequence=first)
    assert again.status == OK | REPEATED
    assert node.read(0, CARD_ID) == [2], "the repetition changed nothing"
    again = node.ask(READ, 0, 0, CARD_ID, sequence=first + 2)
    assert (again.status, again.words) == (OK | REPEATED, [2])
    packets = node.ask(STREAM).words[0]
    injected = node.sequence
    assert node.ask(INJECT, words=packet(1, 0, 1)).status == OK
    assert node.ask(INJECT, words=packet(1, 0, 1), sequence=injected).status == OK | REPEATED
    while node.ask(STREAM).words[0] & 0xFFFF == packets & 0xFFFF:
        pass
    assert node.ask(STREAM).words[0] & 0xFFFF == (packets + 5) & 0xFFFF, "one packet of four words and one more"
    assert node.ask(STREAM, 1).words[1] >> 16 == 5


def test_a_gap_in_the_numbers_is_refused(node):
    expected = node.sequence
    for wrong in (1, 2, 100, 0x8000, -17, -1000):
        answer = node.ask(WRITE, 0, 0, CARD_ID, [9], sequence=expected + wrong & 0xFFFF)
        assert (answer.status, answer.argument) == (SEQUENCE, expected), wrong
    assert node.read(0, CARD_ID) == [0]


def test_the_window_keeps_the_last_statuses(node):
    numbers = []
    for i in range(40):
        numbers.append((node.sequence, OK if i % 3 else BUS))
        answer = node.ask(WRITE, 0, 0, CARD_ID if i % 3 else 0x14, [i])
        assert answer.status == numbers[-1][1]
    for number, status in numbers[-16:]:
        assert node.ask(WRITE, 0, 0, CARD_ID, [99], sequence=number).status == status | REPEATED
    for number, _ in numbers[:-16]:
        assert node.ask(WRITE, 0, 0, CARD_ID, [99], sequence=number).status == SEQUENCE
    assert node.read(0, CARD_ID) == [38]


def test_numbers_wrap(node):
    node.sync(0xFFFA)
    for i in range(20):
        node.write(0, CARD_ID, i)
        assert node.ask(WRITE, 0, 0, CARD_ID, [77], sequence=node.sequence - 1 & 0xFFFF).status == OK | REPEATED
    assert node.read(0, CARD_ID) == [19]


def test_garbage_is_dropped_and_counted(node):
    good = encode(Frame(INFO, sequence=1))
    before = node.ask(INFO, sequence=1).argument
    body = Frame(READ, sequence=node.sequence).body()
    tiny, short, odd = body[:4], body[:7], body + b"\1"
    frames = [stuff(part + struct.pack("<I", zlib.crc32(part))) for part in (tiny, short, odd)]
    frames.append(encode(Frame(READ, sequence=node.sequence))[1:-1] + b"\x7d")
    frames += [stuff(body + struct.pack("<I", zlib.crc32(body) ^ 1 << bit)) for bit in (0, 13, 31)]
    frames += [stuff(body) + b"\x7d", b"\x7d", b"\x01", bytes(range(1, 0x7D)) * 40]
    long = Frame(WRITE, sequence=node.sequence, argument=CARD_ID, words=[1] * 65).body()
    frames.append(stuff(long + struct.pack("<I", zlib.crc32(long))))
    node.send(b"\x7e" + b"\x7e".join(frames) + b"\x7e\x7e\x7e" + good)
    answer = node.answer()
    assert answer.kind == INFO | 0x80
    assert answer.argument - before == len(frames)
    node.write(0, CARD_ID, *[3])
    longest = [0x7D7E7D7E] * 64
    answer = node.ask(WRITE, 0, 0, LRT, longest)
    assert answer.status == OK


def test_any_bytes_do_no_harm(node):
    random.seed(5)
    alphabet = [0x7E, 0x7D, 0, 1, 2, 3, 4, 5, 6, 7, 0xFF]
    for _ in range(200):
        node.send(bytes(random.choice(alphabet) if random.random() < 0.5 else random.randrange(256)
                        for _ in range(random.randrange(1, 90))))
    node.send(b"\x7e")
    while node.ask(INFO, sequence=3).sequence != 3:
        pass
    assert node.read(0, CARD_ID) == [0]


def test_a_new_connection_forgets_half_a_frame(node):
    node.send(encode(Frame(WRITE, sequence=node.sequence, argument=CARD_ID, words=[9]))[:15])
    node.hang_up()
    node.connect()
    node.send(encode(Frame(INFO, sequence=9))[1:])  # without the flag that would help
    assert node.answer().kind == INFO | 0x80
    node.sync()
    assert node.read(0, CARD_ID) == [0]


def receive_all(node, card, count, credit=WORDS_IN):
    """Packets in order of their positions, acknowledged as they come."""
    got, position = [], node.ask(STREAM, card).words[1] & 0xFFFF
    node.ask(RECEIVE, card, 0, position, [limit(position, credit)])
    since = 0
    while len(got) < count:
        while not node.packets:
            frame = node.any_frame()
            (node.packets if frame.kind == 0xC0 else node.events).append(frame)
        frame = node.packets.pop(0)
        assert (frame.card, frame.argument, frame.status) == (card, position, 0), frame
        position = position + len(frame.words) + 1 & 0xFFFF
        got.append(frame.words)
        since += 1
        if since == 20:
            node.ask(RECEIVE, card, 0, position, [limit(position, credit)])
            since = 0
    node.ask(RECEIVE, card, 0, position, [limit(position, credit)])
    return got


def test_packets_cross_the_node(node):
    sent = []
    for i in range(60):
        words = packet(1, 0, i, 1 + i % 4)
        assert node.ask(INJECT, words=words).status == OK
        sent.append(words)
    assert receive_all(node, 1, 60) == sent
    assert node.read(1, 0x1410) == [0] and node.read(1, 0x1430) == [60]  # packets sent by the NIC port, to the PE


def test_a_host_that_pauses_within_a_packet_holds_no_path(node):
    """Wherever the host stops, no word of the packet is in the queue to the card, and another PE's packet passes."""
    for end in range(2, len(encode(Frame(INJECT, words=packet(1, 0, 1)))) - 3):
        node.send(encode(Frame(INJECT, 0, node.sequence, words=packet(1, 0, 1)))[:end])
        assert node.ask(STREAM).words[0] == WORDS_OUT << 16, f"the host stopped behind {end} bytes"
    assert node.ask(INJECT, 1, words=packet(1, 1, 2)).status == OK
    assert receive_all(node, 1, 1) == [packet(1, 1, 2)]


def test_an_error_of_a_card_is_told(node):
    """No route leads to 5, so card 1 drops the packet and counts an error."""
    assert not [event for event in node.events if event.argument == ATTENTION]
    assert node.ask(INJECT, 1, words=packet(5, 1, 1)).status == OK
    for _ in range(50):
        node.read(0, 0)
    assert [event.card for event in node.events if event.argument == ATTENTION] == [1]


def test_nothing_is_sent_that_is_not_allowed(node):
    for i in range(4):
        assert node.ask(INJECT, words=packet(1, 0, i, 2)).status == OK
    while node.ask(STREAM, 1).words[1] >> 16 != 12:
        pass
    assert not node.packets
    assert [(event.argument, event.card) for event in node.events if event.argument == WAITING] == [(WAITING, 1)]
    node.ask(RECEIVE, 1, 0, 0, [4])  # positions 0 and 3
    node.read(0, 0)
    node.read(0, 0)
    assert [frame.argument for frame in node.packets] == [0, 3]
    # Again from 3 on, and one more.
    assert node.ask(RECEIVE, 1, 0, 3, [7 | REWIND]).argument == 3
    node.read(0, 0)
    node.read(0, 0)
    assert [frame.argument for frame in node.packets] == [0, 3, 3, 6]
    assert node.packets[1].words == node.packets[2].words
    # What cannot be acknowledged is not.
    assert node.ask(RECEIVE, 1, 0, 1000, [7]).argument == 3
    # A new session: nothing is sent before it is allowed, then what was not acknowledged.
    node.packets.clear()
    node.sync()
    node.read(0, 0)
    assert not node.packets
    node.ask(RECEIVE, 1, 0, 3, [100])
    node.read(0, 0)
    node.read(0, 0)
    assert [frame.argument for frame in node.packets] == [3, 6, 9]


def test_a_full_queue_says_busy_and_holds_up_nothing(node):
    statuses = []
    for i in range(600):  # both queues, and what the cards hold
        statuses.append(node.ask(INJECT, words=packet(1, 0, i)).status)
        if statuses[-1] != OK:
            break
    accepted = statuses.count(OK)
    assert statuses[-1] == BUSY and accepted * 5 > WORDS_OUT + WORDS_IN - 10
    assert node.ask(STREAM).words[0] >> 16 < 5
    assert node.read(1, CARD_ID) == [1]
    assert receive_all(node, 1, accepted) == [packet(1, 0, i) for i in range(accepted)]
    assert node.ask(STREAM).words[0] >> 16 == WORDS_OUT


def test_reset_of_a_card(node):
    node.ask(INJECT, words=packet(1, 0, 1))
    for card in (0, 1):
        assert node.ask(RESET, card).status == OK
    node.wait_ready()
    node.write(0, 0x44, 0)
    assert node.read(0, MATCH_MASK) == [0xFF] and node.read(0, LRT, 4) == [0, 0, 0, 0]
    assert node.ask(STREAM).words == [WORDS_OUT << 16, 0]
    assert node.ask(STREAM, 1).words == [WORDS_OUT << 16, 0]
    for card in (0, 1):
        load_tables(node, card)
    assert node.ask(INJECT, words=packet(1, 0, 2)).status == OK
    assert receive_all(node, 1, 1) == [packet(1, 0, 2)]


def credits_out(node):
    return [sum(node.read(card, CREDITS_USED + 0x100 * port + 4 * vc)[0] for port in range(NIC) for vc in range(2)) for card in (0, 1)]


@pytest.mark.parametrize("card", [0, 1])
def test_a_card_that_is_reset_with_packets_on_its_plain_link(node, card):
    """Card 1's PE holds, so card 0 has no credits left. A reset of one of the two forgets no credit of the other, and packets move."""
    while node.ask(INJECT, words=packet(1, 0, 0)).status == OK:
        pass
    assert credits_out(node)[0] >= 8
    assert node.ask(RESET, card).status == OK
    node.wait_ready()
    assert credits_out(node) == [0, 0]
    assert [node.ask(STREAM, c).words for c in (0, 1)] == [[WORDS_OUT << 16, 0]] * 2
    for c in (0, 1):
        load_tables(node, c)
    for source in (0, 1):
        for i in range(100):
            assert node.ask(INJECT, source, words=packet(1 - source, source, i)).status == OK
        assert receive_all(node, 1 - source, 100) == [packet(1 - source, source, i) for i in range(100)]
    assert credits_out(node) == [0, 0]


def test_ten_thousand_packets_both_ways(node):
    """Pipelined, with the window of INFO and the room that positions tell."""
    random.seed(1)
    sent = {0: [], 1: []}
    got = {0: [], 1: []}
    taken, put, waiting = {0: 0, 1: 0}, {0: 0, 1: 0}, []
    position, allowed = {0: 0, 1: 0}, {0: 0, 1: 0}
    total = 5000

    def request(kind, card, argument, words):
        node.send(encode(Frame(kind, 0, node.sequence, card, 0, argument, words)))
        waiting.append((node.sequence, kind, card))
        node.sequence = node.sequence + 1 & 0xFFFF

    while min(len(got[0]), len(got[1])) < total or waiting:
        for card in (0, 1):
            if len(waiting) < 14 and (position[card] + WORDS_IN - allowed[card] & 0xFFFF) > 300:
                allowed[card] = position[card] + WORDS_IN & 0xFFFF
                request(RECEIVE, card, position[card], [allowed[card]])
            while len(waiting) < 14 and len(sent[card]) < total:
                words = packet(1 - card, card, len(sent[card]), random.randrange(1, 5))
                if WORDS_OUT - (put[card] - taken[card] & 0xFFFF) < len(words) + 1:
                    break
                put[card] = put[card] + len(words) + 1 & 0xFFFF
                sent[card].append(words)
                request(INJECT, card, 0, words)
        if not waiting and min(len(sent[0]), len(sent[1])) < total:  # room is told by answers
            for card in (0, 1):
                request(STREAM, card, 0, [])
        frame = node.any_frame()
        if frame.kind == 0xC0:
            assert frame.argument == position[frame.card]
            position[frame.card] = position[frame.card] + len(frame.words) + 1 & 0xFFFF
            got[frame.card].append(frame.words)
        elif frame.kind != 0xC1:
            number, kind, card = waiting.pop(0)
            assert (frame.sequence, frame.kind, frame.status) == (number, kind | 0x80, OK), frame
            if kind == INJECT:
                taken[card] = frame.argument
            if kind == STREAM:
                taken[card] = frame.words[0] & 0xFFFF
    assert got[0] == sent[1] and got[1] == sent[0]


def test_requests_come_faster_than_they_are_carried_out(node):
    """Both slots are full while the next request is coming: it waits."""
    requests = [Frame(READ, 0, node.sequence + i, i % 2, 63, LRT) for i in range(16)]
    node.send(b"".join(encode(request) for request in requests))
    for request in requests:
        answer = node.answer()
        assert (answer.sequence, answer.card, answer.status, len(answer.words)) == (request.sequence, request.card, OK, 64)


@pytest.mark.parametrize("kind", ["write", "inject"])
def test_it_takes_a_byte_per_cycle(board, kind):
    """Requests without a gap: at most the cycle after the second of two flags is refused."""
    board.sync()
    words = [0x01010101 * (i + 1) for i in range(64)] if kind == "write" else packet(1, 0, 5)
    request = [Frame(WRITE, argument=LRT, words=words) if kind == "write" else Frame(INJECT, words=words)
               for _ in range(60)]
    for number, frame in enumerate(request):
        frame.sequence = board.sequence + number
    data = b"".join(encode(frame) for frame in request)
    board.send(data)
    for _ in request:
        assert board.answer().status == OK
    _, received, refused, _, _ = board.close()
    assert received >= len(data)
    assert refused <= len(request) + 10, f"{refused} cycles refused a byte, {received} bytes taken"


def test_it_gives_a_byte_per_cycle(node):
    """Answers and packets of all lengths: no cycle within a frame is without a byte."""
    for count in range(1, 65):
        node.read(0, LRT, count)
    node.ask(RECEIVE, 1, 0, 0, [limit(0, WORDS_IN)])
    for tag in range(40):
        node.ask(INJECT, 0, words=packet(1, 0, tag))
    while len(node.packets) < 40:
        node.ask(STREAM, 1)
    _, _, _, sent, paused = node.close()
    assert sent > 4 * sum(range(65)) and paused == 0, f"{paused} cycles paused, {sent} bytes given"
