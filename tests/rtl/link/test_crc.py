# SPDX-License-Identifier: Apache-2.0
"""What the CRC of a frame finds, for every error of the kinds that xt_link_crc promises, from its definition."""

import itertools
import re

from test_link import ROOT

POLYNOMIAL = 0x3D65
WORD_BITS = 270  # the longest that xt_link_crc takes; a shorter word is this one with zeros before it
WIDTH = 16


def syndromes(polynomial, bits=WORD_BITS):
    """Of each bit of a frame, the word from its highest bit down and then the CRC: what a receiver finds changed in
    both CRCs, as one number, if just that bit is inverted."""
    found = [0] * bits
    for parity in (0, 1):
        remainder = polynomial  # of the bit that no other follows
        for n in range(parity, bits, 2):
            found[bits - 1 - n] = sum((remainder >> b & 1) << (2 * b + parity) for b in range(WIDTH))
            remainder <<= 1
            remainder ^= (1 << WIDTH | polynomial) if remainder >> WIDTH else 0
    return found + [1 << b for b in reversed(range(2 * WIDTH))]


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


def test_word_is_long_enough():
    package = (ROOT / "rtl" / "generated" / "extoll" / "xt_pkg.sv").read_text()
    assert int(re.search(r"int FrameCrcLsb = (\d+);", package).group(1)) <= WORD_BITS


def test_five_inverted_bits_are_found():
    assert fewest_unseen(syndromes(POLYNOMIAL)) is None


def test_bursts_of_32_bits_are_found():
    found = syndromes(POLYNOMIAL)
    assert all(independent(found[first : first + 32]) for first in range(len(found) - 31))


def test_a_weaker_code_is_caught():
    assert fewest_unseen(syndromes(0x1021)) == 4
    assert fewest_unseen(syndromes(POLYNOMIAL, WORD_BITS + 2)) == 2
    found = syndromes(POLYNOMIAL & ~1)
    assert not all(independent(found[first : first + 32]) for first in range(len(found) - 31))
