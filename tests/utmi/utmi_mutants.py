# SPDX-License-Identifier: Apache-2.0
"""Seeded faults of the native USB front end and, in the Verilog that was generated, of the core for full speed; and the
bench with all of them."""

import pathlib
import shutil

from seeded import CHOOSE, includes, model, run, seed

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutants" / "utmi"
GENERATED = ROOT / "rtl" / "generated" / "mini"
FRONT_END, CORE = ROOT / "rtl/bridge/usb/xt_usb.sv", ROOT / "build/usb/xt_usb_core_full.v"

# name: (file, where the expression is, in a group, what is put in its place, how often it is there, case that must see it)
FAULTS = {
    "transfers-never-end": (FRONT_END, r"in_last    = (wait_q == '0);", "1'b0", 1, "informs"),
    "each-byte-ends-a-transfer": (FRONT_END, r"in_last    = (wait_q == '0);", "1'b1", 1, "transfers-end"),
    "byte-lost-while-the-host-is-slow": (FRONT_END, r"\|\| (\(in_valid && in_ready\));", "in_valid", 1, "holds-back"),
    "restart-not-told": (FRONT_END, r"restart_o = (.*);", "1'b0", 1, "starts-anew"),
    "toggles-kept-over-configuration": (CORE, r"assign restart = (.*);", "reset_detected", 1, "starts-anew"),
    "toggle-not-looked-at": (CORE, r"(\\device\.receiver\.active_pid \[3\] == \\device\.Out\.\S+\.expected_data_toggle )", "1'b1", 10,
                             "repeats-are-not-delivered"),
    "crc-not-looked-at": (CORE, r"(\\device\.receiver\.last_word_crc  == \\device\.receiver\.data_pipeline )", "1'b1", 2,
                          "spoiled-is-not-answered"),
    "always-the-same-toggle": (CORE, r"\\device\.In\.\S+\.tx_manager\.data_pid  <= (\w+);", "2'd0", 1, "sends-again"),
    "answers-for-all": (CORE, r"(\\device\.token_detector\.token_data \[6:0\] == \\device\.address )", "1'b1", 2, "ignores-others"),
}


def build():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    sources = [GENERATED / "xt_pkg.sv", GENERATED / "xt_bridge_pkg.sv", ROOT / "rtl/xt_ram_1r1w.sv"]
    sources += [path for path in sorted((ROOT / "rtl/bridge").glob("*.sv")) if path.stem not in ("xt_uart", "xt_ft245")]
    for file in (FRONT_END, CORE):
        copy = WORK / file.name
        copy.write_text(seed(file.read_text(), {number: fault[1:4] for number, fault in enumerate(FAULTS.values(), 1)
                                                if fault[0] == file}))
        sources.append(copy)
    top = WORK / "utmi_board.sv"
    top.write_text((ROOT / "tests/utmi/utmi_board.sv").read_text().replace("endmodule", f"{CHOOSE}endmodule"))
    parts = model(WORK, "utmi_board", [*sources, top], "-GHigh=0")
    program = WORK / "utmi"
    run(["g++", "-std=c++17", "-O0", *includes(WORK), *(f"-I{ROOT / name}" for name in ("host/params", "sim/board")), "-I", GENERATED,
         "-DUTMI_HIGH=0", *sorted((ROOT / "tests/utmi").glob("*.cpp")), ROOT / "sim/board/usb_descriptors.cpp", *parts, "-latomic",
         "-lpthread", "-o", program])
    return program
