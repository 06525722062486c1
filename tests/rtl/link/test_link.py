# SPDX-License-Identifier: Apache-2.0
"""One case per test of the Verilated bench build/tests/link, and per fault that it must catch."""

import os
import re
import subprocess

import pytest

from processor_time import limited
from repository import ROOT
from seeded import with_fault

PROGRAM = ROOT / "build" / "tests" / "link"
RTL = ["mem/xt_ram_1r1w.sv", "link/xt_link_check.sv", "link/xt_retry_tx.sv", "link/xt_retry_rx.sv", "link/xt_link_receive.sv",
       "link/xt_link_state.sv", "link/xt_link.sv"]
LIMIT_S = 300
RANDOM_TESTS = ["training", "flips", "drops", "bursts", "garbage", "mixed", "one-way-dead", "both-ways-dead", "soak"]


def names():
    if not PROGRAM.exists():
        return [pytest.param(None, id="not-built")]
    return subprocess.run([PROGRAM, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()


def run_tap(command, limit=LIMIT_S):
    """(passed, text) of the one TAP line of a run; a crash or hang has failed."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              **limited(limit))
    except subprocess.TimeoutExpired:
        return False, "hangs"
    line = re.search(r"^(not )?ok 1 - (.*)$", done.stdout, re.M)
    passed = done.returncode == 0 and line and not line.group(1)
    return passed, line.group(2) if line else done.stdout[-6000:]


@pytest.mark.parametrize("name", names())
def test_link(name, record_property):
    if name is None:
        pytest.fail("build/tests/link is missing: run `make tests-build`", pytrace=False)
    passed, text = run_tap([PROGRAM, name])
    assert passed, text
    record_property("figure", text)


@pytest.mark.long
@pytest.mark.parametrize("seed", [2, 3, 4])
@pytest.mark.parametrize("name", RANDOM_TESTS)
def test_link_long(name, seed):
    passed, text = run_tap([PROGRAM, "--seed", str(seed), "--scale", "20", name], limit=3600)
    assert passed, text


# Name -> file, pattern that occurs once, replacement, tests that must fail.
FAULTS = {
    "bad-frames-pass": ("xt_link_receive.sv", r"intact = rx_valid_q & \(rx_wrong_q == '0\);", "intact = rx_valid_q;", ["flips"]),
    "half-a-check": ("xt_link_receive.sv", r"rx_check\[4\*i\+:4\] !=", "i < 1 && rx_check[4*i+:4] !=", ["garbage"]),
    "truncated-packet": ("xt_link_receive.sv", r"complete   = ~up_i & in_packet_q", "complete = 1'b0", ["both-ways-dead"]),
    "trains-with-full-buffer": ("xt_link_state.sv", r"state_q != Train \|\| !input_empty_i", "state_q != Train",
                                ["retrain-waits"]),
    "never-down": ("xt_link_state.sv", r"up && \(failed_i", "up && (1'b0", ["both-ways-dead"]),
    "silence-unnoticed": ("xt_link_state.sv", r"silent          = keeps_alive_i", "silent          = 1'b0",
                          ["idle-dead"]),
    "sends-rest-of-swallowed-packet": ("xt_link.sv", r"tx_packet_q \? tx_accepted_q : ~down_o", "~down_o", ["straddling"]),
    "drains-at-once": ("xt_link_state.sv", r"\(burst_q <= DrainFrames\)", "1'b1", ["soak"]),
    "packets-come-while-drained": ("xt_link_state.sv", r"up \? ~settled_o \| full_i : drain_i", "up & (~settled_o | full_i)", ["one-way-dead"]),
    "wrong-sums": ("xt_link_check.sv", r"8'd31, 8'd0\}", "8'd32, 8'd0}", ["latency"]),
    "nack-ignored": ("xt_retry_tx.sv", r"nacked    = ack_valid_i & nack_i;", "nacked = 1'b0;", ["cost"]),
    "credits-not-repeated": ("xt_link.sv", r"\.nack_i     \(credit_nack_came\),\s+\.now_i,",
                             ".nack_i(1'b0), .now_i(16'd0),", ["mixed"]),
}
FAST = ["bad-frames-pass"]


def build_changed(folder, change):
    """The bench with a link that is changed; no assertions, the tests are to see a fault by themselves."""
    objects = [o for o in (ROOT / "build" / "obj" / "link").glob("*.o") if o.name != "end.o"]
    assert objects, "no objects of the bench: run `make build/tests/link`"
    sources = with_fault(folder, [ROOT / "rtl" / name for name in RTL], change)

    def run(command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, "MAKEFLAGS": ""})
        assert done.returncode == 0, done.stdout[-4000:]
        return done.stdout.strip()

    model, program = folder / "model", folder / "link"
    run(["verilator", "--cc", "-O3", "--x-assign", "unique", "--x-initial", "unique", "--noassert", "-Wno-fatal",
         "-Wno-lint", "-Wno-style", "-CFLAGS", "-DVL_USER_STOP", "--top-module", "xt_link", "--prefix", "Vxt_link",
         "--Mdir", model, *sources])
    run(["make", "-C", model, "-f", "Vxt_link.mk", "OPT_FAST=-O1", "OPT_SLOW=-O0", "OPT_GLOBAL=-O1",
         "Vxt_link__ALL.a", "verilated.o", "verilated_threads.o"])
    include = run(["verilator", "--getenv", "VERILATOR_ROOT"]) + "/include"
    run(["g++", "-std=c++17", "-O1", "-isystem", model, "-isystem", include, ROOT / "tests/rtl/link/end.cpp", *objects,
         ROOT / "tests/rtl/switch/failure.cpp", model / "Vxt_link__ALL.a", model / "verilated.o",
         model / "verilated_threads.o", "-lpthread", "-latomic", "-o", program])
    return program


@pytest.mark.parametrize("fault", [f if f in FAST else pytest.param(f, marks=pytest.mark.long) for f in FAULTS])
@pytest.mark.slow
def test_fault_is_caught(fault, tmp_path):
    program = build_changed(tmp_path, FAULTS[fault][:3])
    for test in FAULTS[fault][3]:
        passed, text = run_tap([program, test])
        assert not passed, f"{test} does not catch it: {text}"


@pytest.mark.slow
def test_without_bypass(tmp_path):
    program = build_changed(tmp_path, ("xt_link.sv", r"ReplayBypass = 1'b1", "ReplayBypass = 1'b0"))
    assert not run_tap([program, "latency"])[0]
    for name in names():
        passed, text = run_tap([program, "--tx-latency", "3", name])
        assert passed, f"{name}: {text}"
