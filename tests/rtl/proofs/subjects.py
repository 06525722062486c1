# SPDX-License-Identifier: Apache-2.0
"""What is proved: the top module of each proof, and its sources."""

ARBITER = "rtl/arb/xt_arbiter.sv"
EXTOLL_PKG = "rtl/generated/extoll/xt_pkg.sv"
MATRIX_ARBITER, ROUND_ROBIN_ORDER = "rtl/arb/xt_matrix_arbiter.sv", "rtl/arb/xt_round_robin_order.sv"
ROUND_ROBIN = ("round_robin_proof", ["rtl/arb/xt_round_robin.sv", ARBITER, "tests/rtl/proofs/round_robin.sv"])
VC_ARBITER = ("vc_arbiter_proof", ["rtl/switch/xt_vc_arbiter.sv", ARBITER, "tests/rtl/proofs/vc_arbiter.sv"])
ADAPTIVE_CHOICE = ("adaptive_choice_proof", ["rtl/route/xt_adaptive_choice.sv", MATRIX_ARBITER, ROUND_ROBIN_ORDER,
                                             "tests/rtl/proofs/adaptive_choice.sv"])
ISLIP = ("islip_proof", ["rtl/switch/xt_islip.sv", "rtl/switch/xt_islip_choice.sv", MATRIX_ARBITER, ROUND_ROBIN_ORDER,
                         "tests/rtl/proofs/islip.sv"])
TWO_ITERATIONS = {"Iterations": 2}
CREDITS = ("credit_counter_proof", ["rtl/credit/xt_credit_counter.sv", "rtl/credit/xt_credit_reserves.sv", "rtl/credit/xt_credits.sv",
                                    "rtl/credit/xt_credit_usage.sv", "tests/rtl/proofs/credit_counter.sv"])
USAGE = ("credit_usage_proof", ["rtl/credit/xt_credit_usage.sv", "rtl/mem/xt_ram_async.sv", "tests/rtl/proofs/credit_usage.sv"])
RESERVES = CREDITS[1][1]
OWNED = {"Shared": 0}
APART, FEW = {"Shared": 12, "Sums": 0}, {"Shared": 1, "Sums": 0}
BUFFER = (
    "voq_buffer_proof",
    [
        "rtl/mem/xt_ram_1r1w.sv",
        "rtl/mem/xt_ram_1rw.sv",
        "rtl/buffer/xt_free_list.sv",
        "rtl/buffer/xt_stream_continues.sv",
        "rtl/buffer/xt_cell_store_linked.sv",
        "rtl/buffer/xt_cell_store_slotted.sv",
        "rtl/buffer/xt_queues_ram.sv",
        "rtl/buffer/xt_queues_registers.sv",
        *(f"rtl/buffer/xt_{name}.sv" for name in ("packet_queues", "length_class", "enqueued_packet", "queue_flags")),
        "rtl/buffer/xt_voq_buffer.sv",
        *("rtl/buffer/xt_equal.sv", "rtl/buffer/xt_select_equal.sv", "tests/rtl/proofs/voq_buffer.sv"),
    ],
)
DEFICIT_ROUND_ROBIN = ("deficit_round_robin_proof", ["rtl/arb/xt_deficit_round_robin.sv", "tests/rtl/proofs/deficit_round_robin.sv"])
RETRY = (
    "retry_proof",
    ["rtl/mem/xt_ram_1r1w.sv", "rtl/link/xt_retry_tx.sv", "rtl/link/xt_retry_rx.sv", "tests/rtl/proofs/retry.sv"],
)
STREAM_CONTINUES, LINKED, SLOTTED, IN_RAM, IN_REGISTERS, QUEUES, LENGTH_CLASS, ENQUEUED, FLAGS, VOQ = BUFFER[1][3:13]
RINGS = {"Bubble": 1, "Requeue": 0}
BLOCK_RAM = {"BlockRamOnly": 1}
RETRY_TX, RETRY_RX = RETRY[1][1:3]
RETRY_BOUND = ("retry_bound_proof", ["rtl/mem/xt_ram_1r1w.sv", "rtl/link/xt_retry_tx.sv", "tests/rtl/proofs/retry_bound.sv"])
ONE_ERROR = {"Errors": 1, "Bits": 1}
TABLE_CODE = (
    "table_code_proof",
    [
        EXTOLL_PKG,
        "rtl/route/xt_table_code.sv",
        "rtl/route/xt_table_correct.sv",
        "tests/rtl/proofs/table_code.sv",
    ],
)
COUNTERS = (
    "counter_bank_proof",
    [
        "rtl/mem/xt_ram_1r1w.sv",
        "rtl/csr/xt_event_counters.sv",
        "rtl/csr/xt_counter_bank.sv",
        "tests/rtl/proofs/counter_bank.sv",
    ],
)
LINK_CHECK = ("link_check_proof", ["rtl/link/xt_link_check.sv", "tests/rtl/proofs/link_check.sv"])
WATCHDOG = ("stall_watchdog_proof", ["rtl/switch/xt_stall_watchdog.sv", "tests/rtl/proofs/stall_watchdog.sv"])
ASYNC_FIFO = ("async_fifo_proof", ["rtl/frontend/xt_async_fifo.sv", "tests/rtl/proofs/async_fifo.sv"])
BRIDGE = "rtl/bridge/xt_bridge_"
RECEIVER, SENDER, SEQUENCER = (f"{BRIDGE}{name}.sv" for name in ("receiver", "sender", "sequencer"))
BRIDGE_PKG = "rtl/generated/mini/xt_bridge_pkg.sv"
BRIDGE_CRC = ("bridge_crc_proof", [BRIDGE_PKG, f"{BRIDGE}crc.sv", "tests/rtl/proofs/bridge_crc.sv"])
BRIDGE_RECEIVER = ("bridge_receiver_proof", ["tests/rtl/proofs/bridge_any_crc.sv", "rtl/mem/xt_ram_1r1w.sv", RECEIVER,
                                             "tests/rtl/proofs/bridge_receiver.sv"])
BRIDGE_FRAMES = ("bridge_frames_proof", ["tests/rtl/proofs/bridge_any_crc.sv", "rtl/mem/xt_ram_1r1w.sv", RECEIVER, SENDER,
                                         "tests/rtl/proofs/bridge_frames.sv"])
BRIDGE_SEQUENCER = ("bridge_sequencer_proof", ["rtl/generated/mini/xt_pkg.sv", BRIDGE_PKG, SEQUENCER,
                                               "tests/rtl/proofs/bridge_sequencer.sv"])
BRIDGE_OUTBOX = ("bridge_outbox_proof", [BRIDGE_PKG, f"{BRIDGE}outbox.sv", "tests/rtl/proofs/bridge_outbox.sv"])
BUS = "rtl/csr/xt_register_bus.sv"
REGISTER_BUS = ("register_bus_proof", ["rtl/generated/mini/xt_pkg.sv", *(f"rtl/csr/xt_{name}.sv" for name in
                                       ("register_bus", "card_settings", "adaptive_settings", "link_settings", "error_capture",
                                       "monitor_registers", "table_registers", "port_registers", "port_access", "registers")),
                                       "rtl/route/xt_table_code.sv", "rtl/route/xt_table_correct.sv", "tests/rtl/proofs/register_bus.sv"])
