# SPDX-License-Identifier: Apache-2.0
"""What the check word of a frame finds, for every error of the kinds that xt_link_check promises, from its definition with
the numbers of the RTL."""

import itertools
import re

import pytest

from test_link import ROOT

WORD_BITS = 270  # the longest that xt_link_check takes; a shorter word is this one without its last bits
WIDTH = 32
BLOCK = 45
BURST = 28


def numbers(text, name):
    """The numbers of a constant of the RTL, the one that it writes last first."""
    value = re.search(rf"localparam logic \[\d+\*\d+-1:0\] {name} = (.*);", text)[1]
    if value.startswith("{"):
        return [int(n) for n in re.findall(r"8'd(\d+)", value)][::-1]
    return [int(n, 16) for n in value.partition("'h")[2].split("_")][::-1]


def turned(mask, places):
    return (mask << places % WIDTH | mask >> (WIDTH - places % WIDTH)) & (1 << WIDTH) - 1


def columns(text, bits=WORD_BITS):
    """Of each bit of a word from its highest down: the bits of the check word that change with it."""
    turns = [numbers(text, "FirstTurns"), numbers(text, "SecondTurns")]
    masks = [numbers(text, "FirstMasks"), numbers(text, "SecondMasks")]
    found = []
    for n in range(bits):
        column = 0
        for turn, mask in zip(turns, masks):
            place = (n + turn[n // BLOCK % len(turn)]) % BLOCK
            column ^= turned(mask[n // (4 * BLOCK) % 2 * 2 + (place >= WIDTH)], place)
        found.append(column)
    return found


def frame(text, bits=WORD_BITS):
    """The same of each bit of a frame from its highest down: the check word stands above the word."""
    return [1 << b for b in reversed(range(WIDTH))] + columns(text, bits)


def fewest_unseen(found, limit=5):
    """The least number of inverted bits that leaves no trace, if that is no more than `limit`, at most 5. What some
    set of bits changes must not be changed by another: sets of one, two and three cover five."""
    seen = {0: 0}
    for size in (1, 2):
        for bits in itertools.combinations(found, size):
            change = bits[0] if size == 1 else bits[0] ^ bits[1]
            if change in seen:
                return seen[change] + size
            seen[change] = size
    for a, b, c in itertools.combinations(found, 3):
        if (a ^ b ^ c) in seen and seen[a ^ b ^ c] + 3 <= limit:
            return seen[a ^ b ^ c] + 3
    return None


def independent(changes):
    """No set of the changes leaves no trace."""
    basis = []
    for change in changes:
        for other in basis:
            change = min(change, change ^ other)
        if not change:
            return False
        basis.append(change)
    return True


def finds_bursts(found, bits):
    return all(independent(found[first : first + bits]) for first in range(len(found) - bits + 1))


@pytest.fixture(scope="module", name="rtl")
def read_rtl():
    return (ROOT / "rtl" / "link" / "xt_link_check.sv").read_text()


def test_word_is_long_enough():
    package = (ROOT / "rtl" / "generated" / "extoll" / "xt_pkg.sv").read_text()
    assert int(re.search(r"int FrameCheckLsb = (\d+);", package).group(1)) <= WORD_BITS


def test_five_inverted_bits_are_found(rtl):
    assert fewest_unseen(frame(rtl)) is None


def test_bursts_are_found(rtl):
    assert finds_bursts(frame(rtl), BURST)


def right_when_stuck(text):
    """The lengths of words for which a frame of zeros or one of ones is right."""
    zeros = int(re.search(r"Zeros = 32'h(\w+);", text)[1].replace("_", ""), 16)
    ones, found = zeros, []
    for bits, column in enumerate(columns(text), 1):
        ones ^= column
        if zeros == 0 or ones == (1 << WIDTH) - 1:
            found.append(bits)
    return found


def test_stuck_wires_are_found(rtl):
    assert right_when_stuck(rtl) == []


def test_a_weaker_code_is_caught(rtl):
    assert fewest_unseen(frame(rtl.replace("8'd31, 8'd0}", "8'd32, 8'd0}"))) == 4
    assert fewest_unseen(frame(rtl.replace("_80080000;", "_80000000;"))) == 4
    assert fewest_unseen([*frame(rtl), frame(rtl)[-1]]) == 2
    assert not finds_bursts(frame(rtl), BURST + 1)
    assert right_when_stuck(rtl.replace("0000_ffff", "ffff_ffff")) == [90, 180, 270]
