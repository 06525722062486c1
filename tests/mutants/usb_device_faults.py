# SPDX-License-Identifier: Apache-2.0
"""Faults of the native USB front ends and, in the generated Verilog, of the core and its ways to pins; caught by cases of
tests/rtl/usb_device. Each bench has all of its faults."""

import functools
import os
import subprocess

from processor_time import limited
from repository import ROOT, rtl
from seeded import Fault, copies, includes, model, number, run

GENERATED = ROOT / "rtl" / "generated" / "mini"

# Bench: where the host is, the speed, what is between it and the core.
BENCHES = {
    "full": ("utmi", "full", []),
    "ulpi": ("ulpi", "high", ["rtl/frontend/usb/xt_usb_high.sv", "build/usb/high/xt_usb_ulpi.v"]),
    "pins": ("pins", "full", ["rtl/frontend/usb/xt_usb_full.sv", "build/usb/full/xt_usb_pins.v"]),
}

# Bench: name: (file, where the expression is, in a group, what is put in its place, how often it is there, case that must see it)
SEEDED = {
    "full": {
        "transfers-never-end": ("xt_usb.sv", r"in_last    = (wait_q == '0);", "1'b0", 1, "informs"),
        "each-byte-ends-a-transfer": ("xt_usb.sv", r"in_last    = (wait_q == '0);", "1'b1", 1, "transfers-end"),
        "byte-lost-while-the-host-is-slow": ("xt_usb.sv", r"\|\| (\(in_valid && in_ready\));", "in_valid", 1, "holds-back"),
        "restart-not-told": ("xt_usb.sv", r"restart_o = (.*);", "1'b0", 1, "starts-anew"),
        "toggles-kept-over-configuration": ("xt_usb_core.v", r"assign restart = (.*);", "reset_detected", 1, "starts-anew"),
        "toggle-not-looked-at": ("xt_usb_core.v",
                                 r"(\\device\.receiver\.active_pid \[3\] == \\device\.Out\.\S+\.expected_data_toggle )", "1'b1",
                                 10, "repeats-are-not-delivered"),
        "crc-not-looked-at": ("xt_usb_core.v", r"(\\device\.receiver\.last_word_crc  == \\device\.receiver\.data_pipeline )",
                              "1'b1", 2, "spoiled-is-not-answered"),
        "always-the-same-toggle": ("xt_usb_core.v", r"\\device\.In\.\S+\.tx_manager\.data_pid  <= (\w+);", "2'd0", 1,
                                   "sends-again"),
        "answers-for-all": ("xt_usb_core.v", r"(\\device\.token_detector\.token_data \[6:0\] == \\device\.address )", "1'b1", 2,
                            "ignores-others"),
    },
    "ulpi": {
        "starts-before-the-phy": ("xt_usb_high.sv", r"usb_rst_ni        \((usb_rst_n)\)", "phy_rst_n", 1, "resets"),
        "deaf-while-it-writes": ("xt_usb_ulpi.v", r"assign \\phy\.rxevent_decoder\.receiving  = (.*);",
                                 "\\phy.rxevent_decoder.direction_delayed  & bus__dir__i & ~ \\phy.register_window.busy ", 1, "resets"),
        "pulls-down-as-a-host": ("xt_usb_ulpi.v", r"write_requested_0a  = (.*);", "1'b0", 1, "resets"),
        "drives-against-the-phy": ("xt_usb_ulpi.v", r"assign \\phy\.bus__data__oe  = (.*);", "1'b1", 1, "resets"),
        "packet-without-stop": ("xt_usb_ulpi.v", r"assign \\phy\.ulpi_stp  = (.*);", "1'b0", 1, "informs"),
        "byte-overwritten": ("xt_usb_high.sv", r"core_tx_ready = (!tx_valid_q \|\| tx_ready);", "1'b1", 1, "informs"),
        "another-pid": ("xt_usb_ulpi.v", r"7'h40 \| (\{ 3'h0, tx_data\[3:0\] \})", "{ 3'h0, tx_data[2:0], 1'b1 }", 1, "informs"),
    },
    "pins": {
        "stuffed-bits-kept": ("xt_usb_pins.v", r"assign \\phy\.receiver\.bitstuff\.drop_bit  = (.*);", "1'b0", 1, "applies-once"),
        "nothing-stuffed": ("xt_usb_pins.v", r"assign \\phy\.transmitter\.stall  = (.*);", "1'b0", 1, "enumerates"),
        "lines-not-left": ("xt_usb_pins.v", r"assign io__d_p__oe = (.*);", "1'b1", 1, "informs"),
        "end-not-driven": ("xt_usb_pins.v", r"assign io__d_n__o = (.*);", "~ io__d_p__o", 1, "informs"),
        "not-pulled-up": ("xt_usb_pins.v", r"assign io__pullup__o = (.*);", "1'b0", 1, "informs"),
        "answers-late": ("xt_usb_core.v", r"(! \\device\.token_detector\.timer\.counter );",
                         "\\device.token_detector.timer.counter  == 5'd2", 1, "answers-in-time"),
        "bus-reset-not-seen": ("xt_usb_full.sv", r"line_state_q <= (seen_q);", "2'b10", 1, "starts-anew"),
    },
}
FAULTS = {f"{bench}/{name}": Fault([case]) for bench, faults in SEEDED.items() for name, (*_, case) in faults.items()}
FAULTS.update({f"{bench}/none": Fault([], sorted({case for *_, case in faults.values()})) for bench, faults in SEEDED.items()})


@functools.cache
def build(bench, work):
    way, speed, between = BENCHES[bench]
    work.mkdir(parents=True, exist_ok=True)
    sources = [ROOT / "rtl/mem/xt_ram_1r1w.sv", ROOT / "rtl/board/xt_board_reset.sv", ROOT / "rtl/frontend/usb/xt_usb.sv"]
    sources += [ROOT / "rtl/frontend/xt_async_fifo.sv", *rtl("bridge/bridge.f")]
    sources += [ROOT / f"build/usb/{speed}/xt_usb_core.v", *(ROOT / name for name in between)]
    sources += [ROOT / "tests/rtl/usb_device/bench_target.sv", ROOT / f"tests/rtl/usb_device/{way}_board.sv"]
    made = copies(work, sources, f"{way}_board.sv", [fault[:4] for fault in SEEDED[bench].values()])
    parts = model(work, f"{way}_board", [GENERATED / "xt_pkg.sv", GENERATED / "xt_bridge_pkg.sv", *made])
    program = work / "bench"
    here = ROOT / "tests/rtl/usb_device"
    bench_sources = [path for path in sorted(here.glob("*.cpp")) if not path.stem.startswith("at_")]
    bench_sources += [here / f"at_{way}.cpp", ROOT / "sim/virtual_board/usb_descriptors.cpp"]
    folders = [f"-I{ROOT / name}" for name in ("host/include", "host/params", "sim/virtual_board")]
    run(["g++", "-std=c++17", "-O0", *includes(work), *folders, "-I", GENERATED, f"-DHIGH_SPEED={int(speed == 'high')}",
         *bench_sources, *parts, "-latomic", "-lpthread", "-o", program])
    return program


def tester(name, work, _):
    bench, fault = name.split("/")
    program = build(bench, work / f"usb-device-{bench}")
    environment = {**os.environ, "XT_FAULT": str(number(SEEDED[bench], fault))}

    def passes(case):
        done = subprocess.run([program, case], stdout=subprocess.DEVNULL, env=environment, **limited(300))
        assert done.returncode in (0, 1), f"{case}: exit status {done.returncode}"
        return done.returncode == 0

    return passes
