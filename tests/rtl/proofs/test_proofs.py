# SPDX-License-Identifier: Apache-2.0
"""The proofs hold, and each of their mutants is refuted."""

import re

import pytest

from prove import ROOT, holds, prove
from subjects import (
    ADAPTIVE_CHOICE,
    APART,
    ARBITER,
    ASYNC_FIFO,
    BLOCK_RAM,
    BRIDGE_CRC,
    BRIDGE_FRAMES,
    BRIDGE_OUTBOX,
    BRIDGE_RECEIVER,
    BRIDGE_SEQUENCER,
    BUFFER,
    BUS,
    COUNTERS,
    CREDITS,
    DEFICIT_ROUND_ROBIN,
    ENQUEUED,
    FEW,
    FLAGS,
    IN_RAM,
    IN_REGISTERS,
    ISLIP,
    LENGTH_CLASS,
    LINK_CHECK,
    LINKED,
    MATRIX_ARBITER,
    ONE_ERROR,
    OWNED,
    QUEUES,
    RECEIVER,
    REGISTER_BUS,
    RESERVES,
    RETRY,
    RETRY_BOUND,
    RETRY_RX,
    RETRY_TX,
    RINGS,
    ROUND_ROBIN,
    ROUND_ROBIN_ORDER,
    SENDER,
    SEQUENCER,
    SLOTTED,
    STREAM_CONTINUES,
    TABLE_CODE,
    TWO_ITERATIONS,
    USAGE,
    VC_ARBITER,
    VOQ,
    WATCHDOG,
)

SENDER_ONLY = {"Whole": 0}
# A frame without payload is a request after 16 cycles, with the sender 18; three requests take 24.
BRIDGE_CYCLES = {BRIDGE_RECEIVER[0]: 20, BRIDGE_FRAMES[0]: 20, BRIDGE_SEQUENCER[0]: 24}
BRIDGE_CYCLES_LONG = {BRIDGE_RECEIVER[0]: 30, BRIDGE_FRAMES[0]: 28, BRIDGE_SEQUENCER[0]: 40}
BRIDGE_SUBJECTS = [BRIDGE_RECEIVER, BRIDGE_FRAMES, BRIDGE_SEQUENCER]
# A read is answered after 28 to 46 cycles, 9 of them initialisation.
COUNTERS_CYCLES = 38
COUNTERS_CYCLES_LONG = 46
SCAN_ONLY = {"Values": 0}
# Of these cycles Cells + 1 reset and initialise the buffer.
BUFFER_CYCLES = 18
BUFFER_VARIANTS = {
    "any": (18, {}),
    "two-packets": (20, {"Packets": 2}),
    "small": (14, {"Cells": 4, "LenBits": 1}),
    "rings": (18, RINGS),
    "longer-classes": (18, {"Short": 2}),
    "block-ram": (18, BLOCK_RAM),
    "block-ram-two-packets": (20, {"Packets": 2, **BLOCK_RAM}),
    "block-ram-small": (14, {"Cells": 4, "LenBits": 1, **BLOCK_RAM}),
}
BUFFER_VARIANTS_LONG = {
    "any": (21, {}),
    "two-packets": (25, {"Packets": 2}),
    "small": (18, {"Cells": 4, "LenBits": 1}),
    "rings": (21, RINGS),
    "block-ram": (21, BLOCK_RAM),
    "block-ram-two-packets": (25, {"Packets": 2, **BLOCK_RAM}),
}


@pytest.mark.parametrize("width", [2, 5, 8])
def test_round_robin(width):
    holds(ROUND_ROBIN, parameters={"Width": width})


@pytest.mark.parametrize("classes", [0x00000000, 0x00000100, 0x02010001])
def test_vc_arbiter(classes):
    holds(VC_ARBITER, parameters={"QueueClass": classes})


@pytest.mark.parametrize("ports", [1, 4, 5])
def test_adaptive_choice(ports):
    holds(ADAPTIVE_CHOICE, parameters={"Ports": ports})


@pytest.mark.parametrize("iterations", [1, 2])
def test_islip(iterations):
    holds(ISLIP, parameters={"Iterations": iterations})


@pytest.mark.parametrize("nics", [1, 2])
def test_bridge_outbox(nics):
    holds(BRIDGE_OUTBOX, parameters={"Nics": nics})


def test_register_bus():
    holds(REGISTER_BUS)


@pytest.mark.parametrize("shared, sums", [(0, 1), (3, 1), (8, 1), (3, 0), (12, 0)])
def test_credit_counter(shared, sums):
    holds(CREDITS, parameters={"Shared": shared, "Sums": sums})


@pytest.mark.parametrize("vcs", [1, 2, 5])
def test_credit_usage(vcs):
    holds(USAGE, parameters={"Vcs": vcs})


@pytest.mark.parametrize("file", ["rtl/switch/xt_output_unit.sv", "rtl/nic/xt_nic_inject.sv"])
def test_margin_is_the_proved_one(file):
    margins = {re.search(r"param int Margin = (\d+)|parameter int Margin = (\d+)", (ROOT / f).read_text()).group(0).split()[-1]
               for f in (file, CREDITS[1][0], RESERVES)}
    assert len(margins) == 1


@pytest.mark.parametrize("variant", BUFFER_VARIANTS)
def test_voq_buffer(variant):
    cycles, parameters = BUFFER_VARIANTS[variant]
    holds(BUFFER, cycles=cycles, parameters=parameters)


@pytest.mark.long
@pytest.mark.parametrize("variant", BUFFER_VARIANTS_LONG)
def test_voq_buffer_deeper(variant):
    cycles, parameters = BUFFER_VARIANTS_LONG[variant]
    holds(BUFFER, cycles=cycles, parameters=parameters, seconds=7200)


def test_deficit_round_robin():
    holds(DEFICIT_ROUND_ROBIN)


@pytest.mark.parametrize("latency, bypass", [(1, 0), (1, 1), (2, 0), (2, 1)])
def test_retry(latency, bypass):
    holds(RETRY, parameters={"Latency": latency, "Bypass": bypass})


@pytest.mark.parametrize("errors, bypass", [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)])
def test_retry_delivers_in_time(errors, bypass):
    holds(RETRY, cycles=40, parameters={"Errors": errors, "Bits": 1, "Bypass": bypass})


@pytest.mark.long
def test_retry_delivers_in_time_always():
    holds(RETRY, parameters=ONE_ERROR)


@pytest.mark.parametrize("limit, bypass", [(0, 0), (0, 1), (2, 0), (2, 1)])
def test_retry_fails_in_time(limit, bypass):
    holds(RETRY_BOUND, parameters={"Limit": limit, "Bypass": bypass})


def test_table_code():
    holds(TABLE_CODE)


def test_counter_bank_scan():
    holds(COUNTERS, parameters=SCAN_ONLY)


def test_counter_bank_values():
    holds(COUNTERS, cycles=COUNTERS_CYCLES)


@pytest.mark.long
def test_counter_bank_values_deeper():
    holds(COUNTERS, cycles=COUNTERS_CYCLES_LONG, seconds=3600)


def test_link_check():
    holds(LINK_CHECK)


def test_stall_watchdog():
    holds(WATCHDOG)


def test_bridge_crc():
    holds(BRIDGE_CRC)


@pytest.mark.parametrize("subject", BRIDGE_SUBJECTS, ids=lambda subject: subject[0])
def test_bridge(subject):
    holds(subject, cycles=BRIDGE_CYCLES[subject[0]])


@pytest.mark.long
@pytest.mark.parametrize("subject", BRIDGE_SUBJECTS, ids=lambda subject: subject[0])
def test_bridge_deeper(subject):
    holds(subject, cycles=BRIDGE_CYCLES_LONG[subject[0]], seconds=3600)


def test_bridge_gives_a_byte_per_cycle():
    holds(BRIDGE_FRAMES, parameters=SENDER_ONLY)


MUTANTS = {
    "islip-nobody-gives-way": (ISLIP, None, r"\| higher_first\)", ")"),
    "islip-way-given-to-the-wrong-one": (ISLIP, None, r"gives_way\[j\] & ~gives_way\[i\]", "gives_way[i] & ~gives_way[j]"),
    "round-robin-stuck": (ROUND_ROBIN, None, r"last_q <= served_i", "last_q <= last_q"),
    "round-robin-past-one": (ROUND_ROBIN, None, r"last_q <= served_i", "last_q <= (served_i << 1) | (served_i >> (Width - 1))"),
    "arbiter-lower-first": (ROUND_ROBIN, ARBITER, r"\(last_i & between\(i, k\)\) != '0", "1'b0"),
    "arbiter-two-winners": (ROUND_ROBIN, ARBITER, r"\(request_i & ahead\) == '0", "(request_i & ahead[Width-1:1]) == '0"),
    "vc-arbiter-order-of-all": (VC_ARBITER, ARBITER, r" && Group\[k\*8\+:8\] == Group\[high\*8\+:8\];", ";", {"QueueClass": 0x00000100}),
    "vc-arbiter-one-of-all": (VC_ARBITER, ARBITER, r"Group\[k\*8\+:8\] == Group\[i\*8\+:8\]", "1'b1"),
    "vc-arbiter-class-stays": (VC_ARBITER, None, r"last_class_q <= last_class;", "last_class_q <= last_class_q;"),
    "vc-arbiter-queue-stays": (VC_ARBITER, None, r"last_q       <= last;", "last_q       <= last_q;"),
    "vc-arbiter-late-unseen": (VC_ARBITER, None, r"last\[q\] = served\[q\];", "last[q] = last_q[q];"),
    "vc-arbiter-served-does-not-pause": (VC_ARBITER, None, r"eligible_i & ~served_i", "eligible_i"),
    "vc-arbiter-counts-the-unmatched": (VC_ARBITER, None, r"served_i & \{Queues\{matched_i\}\}", "served_i"),
    "vc-arbiter-late-class-unseen": (VC_ARBITER, None, r"last_class = served_class;", "last_class = last_class_q;"),
    "adaptive-second-group-ignored": (ADAPTIVE_CHOICE, None, r" \| \(group1_i\[j\] & ~group1_i\[i\]\)", ""),
    "adaptive-range-ignored": (ADAPTIVE_CHOICE, None, r"\(low_i\[j\] == low_i\[i\]\) \?", "1'b1 ?"),
    "adaptive-high-first": (ADAPTIVE_CHOICE, None, r": low_i\[j\]\)", ": low_i[i])"),
    "adaptive-pointer-stays": (ADAPTIVE_CHOICE, None, r"order_q <= order;", "order_q <= order_q;"),
    "adaptive-pointer-moves": (ADAPTIVE_CHOICE, None, r"else if \(take_i\)", "else"),
    "islip-last-iteration-untold": (ISLIP, None, r"wins_so_far \| wins", "wins_so_far", {"Iterations": 2}),
    "islip-pointer-always-moves": (ISLIP, None, r"accepted\[i\] = initial_match\[i\*Outputs\+o\]", "accepted[i] = 1'b1"),
    "islip-two-inputs": (ISLIP, None, r"output_open & ~earlier\[i\*Outputs\+:Outputs\]", "output_open", TWO_ITERATIONS),
    "islip-two-outputs": (ISLIP, None, r"if \(earlier\[i\*Outputs\+:Outputs\] != '0\)", "if (1'b0)", TWO_ITERATIONS),
    "islip-busy-input": (ISLIP, None, r" & input_open\[i\]", ""),
    "islip-busy-output": (ISLIP, None, r" & output_open\[o\]", ""),
    "islip-fixed-grant": (ISLIP, None, r"(grant_order_q\[o\*GrantPairs\+:GrantPairs\]) <= order;", r"\1 <= \1;"),
    "islip-wrong-order": (ISLIP, ROUND_ROBIN_ORDER, r"\(last_i & ~between\) == '0;", "1'b0;"),
    "islip-two-winners": (ISLIP, MATRIX_ARBITER, r"\(request_i & ahead\) == '0", "(request_i & ahead[Width-1:1]) == '0"),
    "credit-twice": (USAGE, None, r"charged_credit \+ ~returned_credit", "charged_credit + ~returned_credit - 1'b1"),
    "credit-of-few-twice": (USAGE, None, r"used_q\[credit_vc_i\*Bits\+:Bits\] - 1'b1", "used_q[credit_vc_i*Bits+:Bits] - 2'd2", {"Vcs": 2}),
    "credit-not-kept": (USAGE, None, r"returned_credit \+ 1'b1", "returned_credit"),
    "credit-lost-beside-consume": (USAGE, None, r"Bits'\(consume_len_i\), !pairs", "Bits'(consume_len_i), 1'b1"),
    "credit-lent-beside-consume": (CREDITS, None, r"pairs \| repaid", "repaid"),
    "credit-repays-beside-consume": (CREDITS, None, r"credit && !\(consumed_q && pairs\)", "credit"),
    "credit-reserve-lent": (CREDITS, None, r"(!\(consumed_q && pairs\)) && borrows_q.*", r"\1;"),
    "credit-borrows-untold": (CREDITS, None, r"borrows_q\[v\] +<= lends", "borrows_q[v] <= borrows_q[v]"),
    "credit-borrows-for-ever": (CREDITS, None, r"borrows_q\[v\] +<= at_least.*", ""),
    "credit-reserve-not-used": (CREDITS, None, r"SharedBits'\(Reserved \+ 1\);", "SharedBits'(1);"),
    "credit-reserve-used-twice": (CREDITS, None, r" && !borrows_q\[consume_vc_q\];", ";"),
    "credit-used-of-reserve-forgotten": (CREDITS, None, r"\{~\(SharedBits'\(consume_used\)\),", "{SharedBits'(0),"),
    "credit-of-none-added-to": (USAGE, None, r"consume_uses_o \? consume_sum", "1'b1 ? consume_sum"),
    "credit-counts-of-before-restart": (USAGE, None, r"(assign charged += )consume_uses_o \? (charged_consume) : returned_consume", r"\1\2"),
    "credit-shared-alone-too-many": (CREDITS, None, r"= credit_ok_for\(SumBits'\(shared_free_q\)",
                                     "= credit_ok_for(SumBits'(shared_free_q) + 1'b1", APART),
    "credit-reserve-alone-too-many": (CREDITS, None, r"UsedBits'\(Reserved - Limit \+ 1\)", "UsedBits'(Reserved - Limit + 2)", FEW),
    "credit-reserve-of-short-too-many": (CREDITS, None, r"Margin \+ 1\)\)\) fit_beside", "Margin + 2))) fit_beside", FEW),
    "credit-sum-too-large": (CREDITS, None, r"(room_q\[v\*RoomBits\+:RoomBits\]\) \+ SumBits'\(shared_free_q\))", r"\1 + 1'b1"),
    "credit-margin-short": (CREDITS, None, r"32'\(LengthClass\[c\*8\+:8\]\) \+ Margin", "32'(LengthClass[c*8+:8]) + Margin - 1"),
    "credit-margin-short-of-longest": (CREDITS, None, r"Limit = 32'\(LengthClass\[\(Classes-1\)\*8\+:8\]\) \+ Margin",
                                       "Limit = 32'(LengthClass[(Classes-1)*8+:8]) + Margin - 1"),
    "credit-restart-keeps-shared": (CREDITS, None, r"(shared_free_q <= SharedBits'\(Shared \+ Offset\);)", r"if (!rst_ni) \1"),
    "credit-restart-keeps-reserve": (CREDITS, None, r"(room_q        <= \{Vcs\{whole_room\}\};)", r"if (!rst_ni) \1"),
    "credit-reserves-short": (CREDITS, RESERVES, r"\~\(LeftBits'\(consume_len_q\)\)", "~(LeftBits'(consume_len_q) - 1'b1)", OWNED),
    "credit-reserves-any-vc": (CREDITS, RESERVES, r"LeftBits'\(credit_q && credit_vc_q == v\[VcBits-1:0\]\)", "LeftBits'(credit_q)", OWNED),
    "credit-reserves-margin": (CREDITS, RESERVES, r"\[c\*8\+:8\]\) \+ Margin\)\)", "[c*8+:8]) + Margin - 1))", OWNED),
    "credit-reserves-margin-of-longest": (CREDITS, RESERVES, r"\[\(Classes-1\)\*8\+:8\]\) \+ Margin\)\)",
                                          "[(Classes-1)*8+:8]) + Margin - 1))", OWNED),
    "credit-reserves-restart": (CREDITS, RESERVES, r"\(!rst_ni \|\| restart_i\) left_q <=", "(!rst_ni) left_q <=", OWNED),
    "buffer-tail-kept": (BUFFER, IN_RAM, r"\.wdata_i\(enqueue_packet_i\[PacketBits-1-:AddrBits\]\)", ".wdata_i(tail)"),
    "buffer-linked-late": (BUFFER, IN_RAM, r"link_hit \? linked_packet_q : next_read", "next_read"),
    "buffer-bypass-late": (BUFFER, IN_RAM, r"at_bypass \? bypass_packet_q : head_read", "head_read"),
    "buffer-linked-behind-next": (BUFFER, IN_RAM, r"head_from_next_o & ~linked_onehot_i;", "head_from_next_o;"),
    "buffer-empty-race": (BUFFER, VOQ, r"linked   = enqueue_onehot_i & ~stays", "linked   = enqueue_onehot_i & ~nonempty"),
    "buffer-gap-ignored": (BUFFER, LINKED, r"more_i && open_q && \(read_place_q == place_qq\)", "1'b0"),
    "buffer-gap-miscounted": (BUFFER, LINKED, r"read_place_q <= LenBits'\(1\);", "read_place_q <= '0;"),
    "buffer-stale-ge2": (BUFFER, IN_RAM, r"ge2_q & ~\(one_left \? next_onehot_i : '0\)", "ge2_q"),
    "buffer-second-of-last-cycle": (BUFFER, IN_RAM, r"at_link   = link_q &&", "at_link   = 1'b0 &&"),
    "buffer-second-of-cycle-before": (BUFFER, IN_RAM, r"at_linked = linked_q &&", "at_linked = 1'b0 &&"),
    "buffer-class-not-kept": (BUFFER, FLAGS, r"set_unknown = serve_i & ge2_i & ~single_q", "set_unknown = '0"),
    "buffer-single-kept": (BUFFER, FLAGS, r"\(single_q & ~enqueue_onehot_i\)", "single_q"),
    "buffer-short-told-early": (BUFFER, FLAGS, r"short_next_o & ~class_o", "short_next_o & ~class_q"),
    "buffer-single-behind-long": (BUFFER, FLAGS, r"enqueue_onehot_i & \(linked_i \| single_q\)", "enqueue_onehot_i"),
    "buffer-busy-short": (BUFFER, VOQ, r"further_more & ~\(further_last & ~further_open\)", "further_more & ~further_last"),
    "buffer-head-busy-short": (BUFFER, STREAM_CONTINUES, r"open_i \? linked_marks_i\[0\] :", ""),
    "buffer-follower-busy-short": (BUFFER, STREAM_CONTINUES, r"open_i \? next_marks_i\[0\] :", ""),
    "buffer-open-unseen": (BUFFER, VOQ, r"= arriving & s_arrives", "= 1'b0"),
    "buffer-bypass-busy-short": (BUFFER, STREAM_CONTINUES, r"open_i \? early_marks_i\[0\] :", ""),
    "buffer-mark-short": (BUFFER, ENQUEUED, r"new_above_two_q <= write_len_i > LenBits'\(1\)", "new_above_two_q <= write_len_i > LenBits'(2)"),
    "buffer-arrives-unseen": (BUFFER, VOQ, r"e_arrives \? linked != '0", "e_arrives ? 1'b0"),
    "buffer-arrives-unfollowed": (BUFFER, VOQ, r"f_valid_q & ~e_arrives", "1'b0"),
    "buffer-arrives-moved": (BUFFER, VOQ, r"taken_out_q <= s_arrives", "taken_out_q <= 1'b0"),
    "buffer-moved-beside-head": (BUFFER, ENQUEUED, r" & ~requeue_not_next_i;", ";"),
    "buffer-moved-by-old-escape": (BUFFER, ENQUEUED, r"fresh_q \? escape : escape_q", "escape_q"),
    "buffer-moved-kept": (BUFFER, VOQ, r"s_first = serve_first_i", "s_first = serve_valid_i"),
    "buffer-moved-early": (BUFFER, ENQUEUED, r"requeue_waits_o = waits_q & ~fresh_q", "requeue_waits_o = waits_q"),
    "buffer-moved-with-new-length": (BUFFER, ENQUEUED, r"class_o  = enqueue_requeued_i \? requeue_class_q : new_class_q", "class_o = new_class_q"),
    "buffer-moved-elsewhere": (BUFFER, ENQUEUED, r"if \(requeue_i\) packet_q <= serve_packet_i",
                               "if (enqueue_requeued_i) packet_q <= serve_packet_i"),
    "buffer-ring-unmarked": (BUFFER, LENGTH_CLASS, r"if \(Bubble != 0 && enters_i\) class_o = ClassBits'\(Classes - 1\);", "", RINGS),
    "buffer-ring-single": (BUFFER, ENQUEUED, r"write_len_i == '0 && !\(Bubble != 0 && write_enters_i\)", "write_len_i == '0", RINGS),
    "buffer-ge2-forgets": (BUFFER, IN_RAM, r"appended_q    <= enqueue_i && .*;", "appended_q <= 1'b0;"),
    "block-ram-tail-kept": (BUFFER, IN_REGISTERS, r"\+:AddrBits\] <= enqueue_packet_i\[PacketBits-1-:AddrBits\]", "+:AddrBits] <= tail", BLOCK_RAM),
    "block-ram-next-wins": (BUFFER, IN_REGISTERS, r"<= linked_onehot_i\[q\] \? enqueue_packet_i : next_packet_o",
                              "<= next_onehot_i[q] ? next_packet_o : enqueue_packet_i", BLOCK_RAM),
    "block-ram-ge2-forgets": (BUFFER, IN_REGISTERS, r"grows_q       <= enqueue_i && enqueue_queue_i == serve_queue_i",
                                  "grows_q       <= 1'b0", BLOCK_RAM),
    "block-ram-ge2-always": (BUFFER, IN_REGISTERS, r"grows_q       <= enqueue_i && enqueue_queue_i == serve_queue_i",
                                 "grows_q       <= enqueue_i", BLOCK_RAM),
    "block-ram-ge2-kept": (BUFFER, IN_REGISTERS, r"ge2_q & ~\(two \? '0 : next_onehot_i\)", "ge2_q", BLOCK_RAM),
    "block-ram-head-busy-short": (BUFFER, QUEUES, r"busy_next_o = first_i \? \(open_i \? above_i\[0\] : above_i\[1\]\)",
                                  "busy_next_o = first_i ? above_i[1]", BLOCK_RAM),
    "slots-gap-ignored": (BUFFER, SLOTTED, r"more_i && open_q && \(read_place_q == place_qq\)", "1'b0", BLOCK_RAM),
    "slots-given-early": (BUFFER, SLOTTED, r"release_slot_q <= read & last_i", "release_slot_q <= first_i", BLOCK_RAM),
    "slots-next-place": (BUFFER, SLOTTED, r"read_place_q - 1'b1", "read_place_q", BLOCK_RAM),
    "slots-place-kept": (BUFFER, SLOTTED, r"read_place_q <= LenBits'\(1\);", "", BLOCK_RAM),
    "free-list-same-cell": (BUFFER, "rtl/buffer/xt_free_list.sv", r"read_q <= read_d", "read_q <= read_q"),
    "shares-debt-for-ever": (DEFICIT_ROUND_ROBIN, None, r"shallow \|\| round", "1'b1"),
    "shares-block-all": (DEFICIT_ROUND_ROBIN, None, r"weighted_q && conserved", "weighted_q"),
    "shares-equal-block": (DEFICIT_ROUND_ROBIN, None, r"weight_i != \{Tcs\{weight_i\[3:0\]\}\}", "1'b1"),
    "shares-free-cell": (DEFICIT_ROUND_ROBIN, None, r"RestBits'\(!charged\)", "RestBits'(1)"),
    "shares-never-blocked": (DEFICIT_ROUND_ROBIN, None, r"\? ~left : '0", "? '0 : '0"),
    "retry-stale-read": (RETRY, RETRY_TX, r"fresh_q <= rst_ni & waiting_d & open_d", "fresh_q <= 1'b1"),
    "retry-waits-unseen": (RETRY, RETRY_TX, r"waiting_q \|\| !ready_i \|\|", "!ready_i ||"),
    "retry-overtakes": (RETRY, RETRY_TX, r"valid_o      = waiting_q \? fresh_q : push_i", "valid_o = fresh_q | push_i"),
    "retry-reads-another": (RETRY, RETRY_TX, r"\^ AddrBits'\(rests\)", "^ AddrBits'(1'b1)", {"Bypass": 0}),
    "retry-offers-unread": (RETRY, RETRY_TX, r"valid_o      = waiting_q;", "valid_o = waiting_q | push_i;", {"Bypass": 0}),
    "retry-left-behind": (RETRY, RETRY_TX, r"if \(progress && send_less_ack\[SeqBits-1\]\)", "if (1'b0)"),
    "retry-forgets-early": (RETRY, RETRY_TX, r"acked_d   = progress \? ack_i :", "acked_d   = progress ? ack_i + 1'b1 :"),
    "retry-takes-any": (RETRY, RETRY_RX, r"deliver_o = item_i & \(distance == '0\)", "deliver_o = item_i & ~distance[SeqBits-1]"),
    "retry-takes-twice": (RETRY, RETRY_RX, r"deliver_o = item_i & \(distance == '0\)", "deliver_o = item_i & (distance[SeqBits-2:0] == '0)"),
    "retry-acks-missed": (RETRY, RETRY_RX, r"assign ack_o     = expected_q", "assign ack_o     = expected_q + SeqBits'(missed_q)"),
    "retry-no-timeout": (RETRY, RETRY_TX, r"\| expired\);", "| 1'b0);", ONE_ERROR),
    "retry-skips-oldest": (RETRY, RETRY_TX, r"send_d = acked_d;", "send_d = acked_d + 1'b1;", ONE_ERROR),
    "retry-for-ever": (RETRY_BOUND, RETRY_TX, r"\? retries \+ 1'b1 : retries;", "? retries : retries;"),
    "retry-patient-sender": (RETRY_BOUND, RETRY_TX, r"if \(!unacked_o \|\|", "if (push_i ||"),
    "code-bit-left-out": (TABLE_CODE, "rtl/route/xt_table_code.sv", r"\^\(data_i & members\)", "^(data_i[14:0] & members[14:0])"),
    "code-neighbour-inverted": (TABLE_CODE, "rtl/route/xt_table_correct.sv", r"EntryColumns\[d\*8", "EntryColumns[(d^1)*8"),
    "code-two-mended": (TABLE_CODE, "rtl/route/xt_table_correct.sv", r"syndrome_i == xt_pkg::EntryCodeBits'\(1 << c\)", "syndrome_i[c]"),
    "counter-aside-lost": (COUNTERS, "rtl/csr/xt_counter_bank.sv", r"shift_q && visited_event_i\[b\]\)\n", "1'b0)\n"),
    "counter-not-cleared": (COUNTERS, "rtl/csr/xt_event_counters.sv", r"~shift_i & ~\(short_out", "~(short_out"),
    "counter-wrong-period": (COUNTERS, "rtl/csr/xt_counter_bank.sv", r": short2_q - modulo - 1'b1", ": short2_q - modulo"),
    "counter-wrong-word": (COUNTERS, "rtl/csr/xt_counter_bank.sv", r"<= \{bank_q, index_q\}", "<= {bank_q, scan_index_q}"),
    "counter-scan-stops": (COUNTERS, "rtl/csr/xt_counter_bank.sv", r"if \(!start_read\)\n", "if (!start_read && !any_event_i)\n",
                           SCAN_ONLY),
    "check-sum-left-out": (LINK_CHECK, None, r"int s = 0; s < Block", "int s = 1; s < Block"),
    "check-start-forgotten": (LINK_CHECK, None, r"check_o = Zeros;\n      for", "check_o = '0;\n      for"),
    "async-fifo-early-full": (ASYNC_FIFO, None, r"read_sync_q \^ \{2'b11", "read_sync_q ^ {2'b10"),
    "async-fifo-ahead": (ASYNC_FIFO, None, r"write_gray_q <= gray\(write_d\)", "write_gray_q <= gray(write_d + 1'b1)"),
    "async-fifo-empty-read": (ASYNC_FIFO, None, r"valid_o = read_gray_q != write_sync_q", "valid_o = 1'b1"),
    "async-fifo-skips": (ASYNC_FIFO, None, r"assign read    = valid_o & ready_i", "assign read    = valid_o"),
    "async-fifo-full-written": (ASYNC_FIFO, None, r"if \(write\) mem", "if (valid_i) mem"),
    "bridge-crc-wrong-polynomial": (BRIDGE_CRC, None, r"32'hedb88320", "32'hedb88322"),
    "bridge-crc-bits-reversed": (BRIDGE_CRC, BRIDGE_CRC[1][1], r"\{24'd0, byte_i\}", "{byte_i, 24'd0}"),
    "bridge-crc-ignored": (BRIDGE_RECEIVER, RECEIVER, r"&& crc_q == xt_bridge_pkg::CrcResidue", ""),
    "bridge-length-ignored": (BRIDGE_RECEIVER, RECEIVER, r"&& place_q == 2'd0 && count_q >= CountBits'\(3\)", "&& place_q == 2'd0"),
    "bridge-odd-length": (BRIDGE_RECEIVER, RECEIVER, r"&& place_q == 2'd0", ""),
    "bridge-escape-before-flag": (BRIDGE_RECEIVER, RECEIVER, r"&& !escape_q &&", "&&"),
    "bridge-garbage-before": (BRIDGE_RECEIVER, RECEIVER, r"\|\| flag_q\) begin", "|| (flag_q && good)) begin"),
    "bridge-byte-lost-by-sender": (BRIDGE_FRAMES, SENDER, r"!valid_o \|\| ready_i", "1'b1"),
    "bridge-byte-lost-by-receiver": (BRIDGE_FRAMES, RECEIVER, r"byte_q <= take &&", "byte_q <= take && !flag_q &&"),
    "bridge-byte-twice": (BRIDGE_FRAMES, RECEIVER, r"byte_q <= take &&", "byte_q <= (take || byte_q && !valid_i) &&"),
    "bridge-escape-forgotten": (BRIDGE_FRAMES, SENDER, r"special = word_q\[7:0\] == xt_bridge_pkg::Flag\[7:0\] \|\|", "special ="),
    "bridge-refuses-behind-flags": (BRIDGE_FRAMES, RECEIVER, r"~\(flag_q & full_q\[~fill_q\]\)", "~flag_q"),
    "bridge-pauses": (BRIDGE_FRAMES, SENDER, r"valid_o   <= body \|\|", "valid_o   <= (body && word_q[7:0] != 8'h55) ||", SENDER_ONLY),
    "bridge-any-number": (BRIDGE_SEQUENCER, SEQUENCER, r"fresh    = distance == '0", "fresh    = distance == '0 || distance[15]"),
    "bridge-applied-again": (BRIDGE_SEQUENCER, SEQUENCER, r"\(repeated && harmless\)", "repeated"),
    "bridge-before-sync": (BRIDGE_SEQUENCER, SEQUENCER, r"is_sync \|\| \(synced_o &&", "is_sync || (1'b1 &&"),
    "bridge-number-not-counted": (BRIDGE_SEQUENCER, SEQUENCER, r"else if \(reply && counts_q\) begin", "else if (reply && counts_q && ok) begin"),
    "registers-writes-first": (REGISTER_BUS, BUS, r"&& !\(arvalid_i && wrote_q && !rvalid_o\)", ""),
    "registers-reads-first": (REGISTER_BUS, BUS, r"!\(arvalid_i && wrote_q && !rvalid_o\)", "!arvalid_i"),
    "registers-response-blocks-reads": (REGISTER_BUS, BUS, r"\(bvalid_o & ~b_waits_q\)", "bvalid_o"),
    "registers-read-data-block-writes": (REGISTER_BUS, BUS, r"\(rvalid_o & ~r_waits_q\)", "rvalid_o"),
    "registers-response-overwritten": (REGISTER_BUS, BUS, r" && !bvalid_o && ", " && "),
    "registers-read-data-overwritten": (REGISTER_BUS, BUS, r"arvalid_i && !rvalid_o;", "arvalid_i;"),
    "registers-no-byte-refused": (REGISTER_BUS, BUS, r" \|\| write_none_q", ""),
    "registers-some-bytes-written": (REGISTER_BUS, BUS, r"write_all_q <= accepts && wstrb_i == '1", "write_all_q <= accepts"),
    "outbox-answers-first": (BRIDGE_OUTBOX, BRIDGE_OUTBOX[1][1], r"if \(answer_valid_i\) turn = Answer;\n        if \(packet_there\) turn = Packet;\n      end",
                             "if (packet_there) turn = Packet;\n        if (answer_valid_i) turn = Answer;\n      end"),
    "outbox-packets-first": (BRIDGE_OUTBOX, BRIDGE_OUTBOX[1][1], r"if \(answer_valid_i\) turn = Answer;\n      end",
                             "if (answer_valid_i) turn = Answer;\n        if (packet_there) turn = Packet;\n      end"),
    "outbox-no-rounds": (BRIDGE_OUTBOX, BRIDGE_OUTBOX[1][1], r"attention_round_q <= round_over \? attention_q :",
                         "attention_round_q <= (round_over || 1'b1) ? attention_q :"),
    "counter-is-not-due": (COUNTERS, "rtl/csr/xt_counter_bank.sv", r" \| answer1_q \| answer2_q \| answer3_q;", ";"),
    "watchdog-says-again": (WATCHDOG, None, r"else if \(!said_q\)", "else"),
    "watchdog-served-ignored": (WATCHDOG, None, r"\(!nonempty_i \|\| served_i\)", "(!nonempty_i)"),
}


@pytest.mark.long
def test_async_fifo():
    holds(ASYNC_FIFO, clocks=2)


def test_async_fifo_for_some_time():
    holds(ASYNC_FIFO, cycles=24, clocks=2)


def changed_of(name):
    """The file that a mutant changes, what of it, and the change."""
    subject, file, pattern, replacement, *_ = MUTANTS[name]
    return file or subject[1][0], pattern, replacement


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_changes_its_file(name):
    file, pattern, replacement = changed_of(name)
    assert len(re.findall(pattern, (ROOT / file).read_text())) == 1
    assert re.sub(pattern, replacement, (ROOT / file).read_text()) != (ROOT / file).read_text()


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refuted(name):
    subject, parameters = MUTANTS[name][0], MUTANTS[name][4:]
    bounded = {BUFFER[0]: BUFFER_CYCLES + 2, BRIDGE_CRC[0]: None, **BRIDGE_CYCLES}  # the CRC has no cycles
    cycles = bounded.get(subject[0], 100 if SCAN_ONLY in parameters else 40)
    verdict = prove(*subject, cycles=cycles, mutation=changed_of(name), parameters=parameters[0] if parameters else None,
                    clocks=2 if subject is ASYNC_FIFO else 1)
    assert verdict.holds is False, f"nothing refutes {name}: {verdict.log[-500:]}"
