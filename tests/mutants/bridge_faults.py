# SPDX-License-Identifier: Apache-2.0
"""Faults of the bridge, caught by tests/rtl/bridge/test_bridge.py on the virtual board of profile mini that has all of them."""

import functools
import os
import subprocess

from repository import ROOT, rtl
from seeded import Fault, copies, includes, model, number, run

OBJECTS = ROOT / "build" / "obj" / "board" / "mini"
GENERATED = ROOT / "rtl" / "generated" / "mini"
LIMIT_S = 120  # a fault may make a test hang

# name: (module, where the expression is, in a group, what is put in its place, test that must see it)
SEEDED = {
    "crc-not-checked": ("receiver", r"(crc_q == xt_bridge_pkg::CrcResidue)", "1'b1", "garbage_is_dropped"),
    "crc-of-another-polynomial": ("crc", r"(xt_bridge_pkg::CrcPolynomial)", "32'hedb88321", "info_says"),
    "too-long-is-taken": ("receiver", r"(!overlong_q) && !escape_q", "1'b1", "garbage_is_dropped"),
    "too-short-is-taken": ("receiver", r"(count_q >= CountBits'\(3\))\n", "count_q >= CountBits'(1)", "garbage_is_dropped"),
    "escape-before-flag-is-taken": ("receiver", r"(changed_q && byte_i == xt_bridge_pkg::Flag\[7:0\])", "1'b0",
                                    "garbage_is_dropped"),
    "no-new-start-behind-garbage": ("receiver", r"restart_i \|\| (flag_q)\)", "flag_q && good", "garbage_is_dropped"),
    "begun-frame-is-kept": ("receiver", r"(restart_i) \|\| flag_q", "1'b0", "new_connection"),
    "byte-lost-while-full": ("receiver", r"(~full_q\[fill_q\]) &", "1'b1", "come_faster"),
    "waits-behind-each-flag": ("receiver", r"(~\(flag_q & full_q\[~fill_q\]\))", "~flag_q", "takes_a_byte_per_cycle"),
    "flag-in-the-payload": ("sender", r"assign special = (.*?) \|\|", "1'b0", "registers_are_read"),
    "late-numbers-are-taken": ("sequencer", r"fresh    = (distance == '0)", "distance == '0 || distance[15]", "a_gap_in_the_numbers"),
    "repeated-is-applied": ("sequencer", r"(repeated && harmless)", "repeated", "carried_out_once"),
    "window-too-wide": ("sequencer", r"distance <= (16'\(known_q\))", "16'(2 * Window)", "the_window_keeps"),
    "status-not-kept": ("sequencer", r"counts_q\) statuses_q\[.*?\] <= (status_q)", "4'd0", "the_window_keeps"),
    "numbers-do-not-wrap": ("sequencer", r"expected_q <= (expected_q \+ 1'b1)", "{expected_q[15], expected_q[14:0] + 15'd1}",
                            "numbers_wrap"),
    "length-not-checked": ("sequencer", r"(words_i != CountBits'\(1\))", "words_i == '0", "requests_that_cannot_be"),
    "cells-not-checked": ("sequencer", r"is_inject\) no_length = (!cells_i)", "1'b0", "requests_that_cannot_be"),
    "unsynced-is-taken": ("sequencer", r"is_sync \|\| \((synced_o)", "1'b1", "takes_nothing_before_sync"),
    "burst-skips-registers": ("sequencer", r"address_q \+ (16'd4)", "16'd8", "registers_are_read"),
    "refusal-is-not-told": ("sequencer", r"if \((done_i && refused_i)", "1'b0", "a_register_that_is_not"),
    "answers-overwrite-each-other": ("sequencer", r"answer_half_o  = (half_q)", "1'b0", "registers_are_read"),
    "full-queue-is-written": ("sequencer", r"(free <= 16'\(words_i\))", "1'b0", "a_full_queue"),
    "one-word-too-many": ("receive_queue", r"room     = occupied < (16'\(Depth\))", "16'(Depth + 1)",
                          "a_full_queue"),
    "empty-queue-is-read": ("inject_queue", r"(read_q != whole_q)", "1'b1", "packets_cross"),
    "sent-without-leave": ("receive_queue", r"next_o != written_o && (allowed)", "1'b1", "not_allowed"),
    "sent-only-once": ("receive_queue", r"(rewind_i) \|\|", "1'b0", "not_allowed"),
    "acknowledges-what-was-not-sent": ("receive_queue", r"valid_ack   = (.*);", "1'b1", "not_allowed"),
    "a-card-is-reset-alone": ("", r"assign resets = (.*);", "card_reset", "a_card_that_is_reset_with"),
}
FAULTS = {name: Fault([test]) for name, (*_, test) in SEEDED.items()}
FAULTS["none"] = Fault([], [" or ".join(sorted({test for *_, test in SEEDED.values()}))])


@functools.cache
def build(work):
    """The program. The cards have no faults."""
    folder = work / "bridge"
    (folder / "rtl").mkdir(parents=True, exist_ok=True)
    faults = [(f"xt_bridge{module and '_'}{module}.sv", pattern, wrong, 1) for module, pattern, wrong, _ in SEEDED.values()]
    sources = copies(folder / "rtl", rtl("card_sources.f", "node_sources.f"), "xt_board.sv", faults)
    parts = model(folder, "xt_board", [GENERATED / "xt_pkg.sv", GENERATED / "xt_bridge_pkg.sv", *sources], "-GCards=2")
    program = folder / "board"
    run(["g++", "-std=c++17", "-O0", *includes(folder), "-I", GENERATED, ROOT / "sim/virtual_board/virtual_board.cpp",
         *(path for path in sorted(OBJECTS.glob("*.o")) if path.name != "virtual_board.o"), *parts, "-lusbredirparser", "-latomic",
         "-lpthread", "-o", program])
    return program


def tester(name, work, _):
    environment = {**os.environ, "EXTORUS_BOARD": str(build(work)), "XT_FAULT": str(number(SEEDED, name))}

    def passes(tests):
        """A test that does not come to an end does not."""
        command = ["/usr/bin/python3", "-m", "pytest", "-c", "tests/pytest.ini", "--rootdir=.", "-q", "-k", tests,
                   "tests/rtl/bridge/test_bridge.py"]
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S, env=environment)
        except subprocess.TimeoutExpired:
            return False
        assert done.returncode in (0, 1), done.stdout + done.stderr
        return done.returncode == 0

    return passes
