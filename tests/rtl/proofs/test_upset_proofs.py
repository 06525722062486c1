# SPDX-License-Identifier: Apache-2.0
"""After an upset every register comes to rest or goes on again: begun with any value, and each mutant is refuted."""

import re

import pytest

from prove import ROOT, holds, prove
from subjects import (
    ADAPTIVE_CHOICE,
    ARBITER,
    BRIDGE,
    BUS,
    COUNTERS,
    EXTOLL_PKG,
    ISLIP,
    MATRIX_ARBITER,
    RESERVES,
    RETRY_RX,
    RETRY_TX,
    ROUND_ROBIN,
    ROUND_ROBIN_ORDER,
    VC_ARBITER,
)

# Often the sources of another proof, with another wrapper. The idle words are shown to differ for nine words.
UPSET = {f"{name}_upset_proof": [*subject[1][:-1], "tests/rtl/proofs/upset.sv"] for name, subject in (
    ("islip", ISLIP), ("round_robin", ROUND_ROBIN), ("vc_arbiter", VC_ARBITER), ("adaptive_choice", ADAPTIVE_CHOICE))}
UPSET["link_upset_proof"] = ["rtl/mem/xt_ram_1r1w.sv", "rtl/link/xt_link_check.sv", RETRY_TX, RETRY_RX, "rtl/link/xt_link_receive.sv",
                             "rtl/link/xt_link_state.sv", "rtl/link/xt_link.sv", "tests/rtl/proofs/upset.sv"]
UPSET["phy_upset_proof"] = ["rtl/phy/xt_phy_tx.sv", "tests/rtl/proofs/upset.sv"]
UPSET["input_receive_upset_proof"] = [EXTOLL_PKG, "tests/rtl/proofs/any_route.sv", "rtl/route/xt_adaptive_choice.sv", MATRIX_ARBITER,
                                      ROUND_ROBIN_ORDER, "rtl/switch/xt_input_receive.sv", "tests/rtl/proofs/input_receive_upset.sv"]
UPSET["register_bus_upset_proof"] = ["rtl/generated/mini/xt_pkg.sv", BUS, "tests/rtl/proofs/upset.sv"]
UPSET["counter_bank_upset_proof"] = [*COUNTERS[1][:-1], "tests/rtl/proofs/upset.sv"]
for _name in ("receive", "inject"):
    UPSET[f"{_name}_queue_upset_proof"] = ["rtl/mem/xt_ram_1r1w.sv", f"{BRIDGE}{_name}_queue.sv", "tests/rtl/proofs/bridge_queues_upset.sv"]
UPSET["inject_queue_length_proof"] = UPSET["inject_queue_upset_proof"]
UPSET["credit_reserves_upset_proof"] = [RESERVES, "tests/rtl/proofs/upset.sv"]
UPSET_CYCLES = {"phy_upset_proof": 90, "register_bus_upset_proof": 40, "counter_bank_upset_proof": 50, "input_receive_upset_proof": 8,
                "receive_queue_upset_proof": 60, "inject_queue_upset_proof": 20, "inject_queue_length_proof": 30}
# What a simulator skips recovers in hardware.
AS_SYNTHESIZED = {"credit_reserves_upset_proof": ["XT_SYNTHESIS"]}
MUTANTS = {
    "grant-order-stays": ("islip_upset_proof", "rtl/switch/xt_islip.sv", r"else if \(g_iteration\[Iterations-1\]\.grant_stuck_so_far\[o\]\)",
                          "else if (1'b0)"),
    "accept-order-stays": ("islip_upset_proof", "rtl/switch/xt_islip.sv", r"else if \(g_iteration\[Iterations-1\]\.accept_stuck_so_far\[i\]\)",
                          "else if (1'b0)"),
    "pointer-is-no-order": ("round_robin_upset_proof", ARBITER, r"\(last_i & between\(k, i\)\) == '0", "(last_i & ~between(k, i)) != '0"),
    "vc-pointers-are-no-order": ("vc_arbiter_upset_proof", ARBITER, r"\(last_i & between\(k, i\)\) == '0", "(last_i & ~between(k, i)) != '0"),
    "adaptive-order-stays": ("adaptive_choice_upset_proof", "rtl/route/xt_adaptive_choice.sv", r" \|\| \(candidates_i != '0 && chosen_o == '0\)",
                                  ""),
    "link-without-state": ("link_upset_proof", "rtl/link/xt_link_state.sv", r"else if \(state_q == 2'd3\)", "else if (1'b0)"),
    "head-is-queued-nowhere": ("input_receive_upset_proof", "rtl/switch/xt_input_receive.sv", r"drop              = head_q & e_port == '0",
                                    "drop              = 1'b0"),
    "candidates-as-yosys-reads-a-cast": ("input_receive_upset_proof", "rtl/switch/xt_input_receive.sv", r"Links'\(~\(1 << Port\)\)",
                                         "~Links'(1 << Port)"),
    "counter-is-awaited": ("register_bus_upset_proof", BUS, r" \| ~counter_due_i\)", ")"),
    "counter-stays-due": ("counter_bank_upset_proof", "rtl/csr/xt_counter_bank.sv", r"reading_q & \(shift_q \| add_q\)\)", "reading_q)"),
    "ring-stays-full": ("receive_queue_upset_proof", f"{BRIDGE}receive_queue.sv", r"assign restart  = sync_i && !in_order", "assign restart  = 1'b0"),
    "ring-of-one-packet": ("receive_queue_upset_proof", f"{BRIDGE}receive_queue.sv", r" && written_o != acknowledged_o\)\)", "))"),
    "queue-stays-full": ("inject_queue_upset_proof", f"{BRIDGE}inject_queue.sv", r"taken_o <= whole_q", "taken_o <= taken_o"),
    "packet-never-ends": ("inject_queue_length_proof", f"{BRIDGE}inject_queue.sv", r"body_q && there &&", "body_q &&"),
    "flags-stay": ("credit_reserves_upset_proof", RESERVES, r"NoSkip \|\| changed_q", "changed_q"),
    "sequence-ends": ("phy_upset_proof", "rtl/phy/xt_phy_tx.sv", r" \| \(random_q == '0\)", ""),
}


@pytest.mark.parametrize("iterations", [1, 2])
def test_islip_recovers(iterations):
    holds(("islip_upset_proof", UPSET["islip_upset_proof"]), parameters={"Iterations": iterations}, assertions=False)


@pytest.mark.parametrize("top", [top for top in UPSET if top != "islip_upset_proof"])
def test_every_value_is_left(top):
    holds((top, UPSET[top]), cycles=UPSET_CYCLES.get(top), assertions=False, defines=AS_SYNTHESIZED.get(top, ()))


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_changes_its_file(name):
    _, file, pattern, replacement = MUTANTS[name]
    assert len(re.findall(pattern, (ROOT / file).read_text())) == 1
    assert re.sub(pattern, replacement, (ROOT / file).read_text()) != (ROOT / file).read_text()


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refuted(name):
    top, *changed = MUTANTS[name]
    verdict = prove(top, UPSET[top], cycles=UPSET_CYCLES.get(top, 40), mutation=tuple(changed), assertions=False,
                    defines=AS_SYNTHESIZED.get(top, ()))
    assert verdict.holds is False, f"nothing refutes {name}: {verdict.log[-500:]}"
