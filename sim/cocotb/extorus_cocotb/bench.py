# SPDX-License-Identifier: Apache-2.0
"""Builds the bench of a card for a simulator, and runs cocotb tests on it."""

import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

from extorus_cocotb.profile import Profile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = pathlib.Path(os.environ.get("EXTORUS_ROOT", HERE.parents[2]))
SIMULATORS = ("icarus", "verilator")
VERILATOR = (5, 22)  # the oldest that cocotb 1.9 supports
TOP = "extorus_bench"
AXIL = [("input", "awvalid", 1), ("output", "awready", 1), ("input", "awaddr", 16), ("input", "wvalid", 1), ("output", "wready", 1),
        ("input", "wdata", 32), ("input", "wstrb", 4), ("output", "bvalid", 1), ("input", "bready", 1), ("output", "bresp", 2),
        ("input", "arvalid", 1), ("output", "arready", 1), ("input", "araddr", 16), ("output", "rvalid", 1), ("input", "rready", 1),
        ("output", "rdata", 32), ("output", "rresp", 2)]


class BuildError(Exception):
    """The simulator refused the sources."""


@dataclasses.dataclass
class Result:
    """`failures` maps the name of each test that failed to a message."""

    tests: list
    failures: dict
    log_name: str


def wrapper(profile, store_forward=False):
    """The top module: a card with one AXI4-Stream pair for each NIC. What leaves by a link comes back by that link."""
    nics, cell = range(profile.NicPorts), profile.CellBits
    signals = ["clk", "rst_n", "idle", *(f"[{bits - 1}:0] axil_{name}" for _, name, bits in AXIL)]
    for n in nics:
        signals += [f"nic{n}_{way}_{name}" for way in ("in", "out") for name in ("tvalid", "tready", "tlast")]
        signals += [f"nic{n}_out_tuser", *(f"[{cell - 1}:0] nic{n}_{way}_tdata" for way in ("in", "out"))]
    axil = [f".axil_{name}_{'i' if way == 'input' else 'o'}(axil_{name})" for way, name, _ in AXIL]
    joined = {name: "{" + ", ".join(f"nic{n}_{name}" for n in reversed(nics)) + "}" for name in
              ("in_tvalid", "in_tready", "in_tdata", "in_tlast", "out_tvalid", "out_tready", "out_tdata", "out_tlast", "out_tuser")}
    sides = {"in_tready": "o", "out_tready": "i"}
    nic = [f".nic_{name.split('_')[1]}_{sides.get(name, 'i' if name.startswith('in') else 'o')}({signals})" for name, signals in joined.items()]
    links = [".link_valid_i(link_valid_q)", ".link_frame_i(link_frame_q)", ".link_valid_o(link_valid)", ".link_frame_o(link_frame)"]
    rules = [f".{name}_i(axil_{name})" for _, name, _ in AXIL]
    lines = ["`timescale 1ns / 1ps", "`default_nettype none", f"module {TOP};", *(f"  logic {signal} /*verilator public_flat_rw*/;" for signal in signals),
             "  logic [xt_pkg::LinkPorts-1:0] link_valid, link_valid_q;",
             "  logic [xt_pkg::LinkPorts*xt_pkg::FrameBits-1:0] link_frame, link_frame_q;",
             "  always_ff @(posedge clk) begin", "    link_valid_q <= rst_n ? link_valid : '0;", "    link_frame_q <= link_frame;", "  end",
             f"  xt_card #(.StoreForward({int(store_forward)})) i_card (.clk_i(clk), .rst_ni(rst_n), .idle_o(idle),", "    " + ",\n    ".join(links + nic + axil) + ");",
             "  axi_lite_rules i_axil_rules (.clk_i(clk), .rst_ni(rst_n),", "    " + ",\n    ".join(rules) + ");"]
    for n in nics:
        for name, beat in (("in", "{nic%d_in_tlast, nic%d_in_tdata}" % (n, n)), ("out", "{nic%d_out_tuser, nic%d_out_tlast, nic%d_out_tdata}" % (n, n, n))):
            lines += [f"  axi_stream_rules #(.Width({cell + (1 if name == 'in' else 2)})) i_nic{n}_{name}_rules (.clk_i(clk), .rst_ni(rst_n),",
                      f"    .tvalid_i(nic{n}_{name}_tvalid), .tready_i(nic{n}_{name}_tready), .beat_i({beat}));"]
    return "\n".join([*lines, "endmodule", "`default_nettype wire", ""])


def card_sources():
    """The RTL of a card."""
    names = (ROOT / "rtl/card_sources.f").read_text().splitlines()
    return [ROOT / "rtl" / name for name in names if name and not name.startswith("//")]


def for_icarus(text):
    """Icarus 11 takes no names of assertions, so each becomes a message."""
    return re.sub(r"(\w+)\s*:\s*assert (\(.*\));", r"""if (\2 !== 1'b1) begin $display("ERROR: rule \1 at %0t", $time); $finish; end""", text)


def _call(command, folder, log, seconds=None, environment=None):
    with open(folder / log, "w") as output:
        done = subprocess.run([str(word) for word in command], cwd=folder, stdout=output, stderr=subprocess.STDOUT, env=environment, timeout=seconds)
    return done.returncode, (folder / log).read_text(errors="replace")


def verilator_is_old():
    """The version of a Verilator that cocotb does not support; None of others."""
    version = subprocess.run(["verilator", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()[1]
    return version if tuple(map(int, version.split("."))) < VERILATOR else None


def build(package, simulator, folder, sources=None, store_forward=False):
    """Compiles the bench of the profile whose package this is into `folder`. `sources` stands for the RTL of the tree."""
    from cocotb import config

    profile, folder = Profile(package), pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    top = folder / f"{TOP}.sv"
    top.write_text(wrapper(profile, store_forward))
    files = [*(sources or card_sources()), *sorted((HERE.parent / "rules").glob("*.sv")), top]
    if simulator == "icarus":
        copies = []
        for file in files:
            copies.append(folder / f"icarus_{file.name}")
            copies[-1].write_text(for_icarus(file.read_text()))
        command = ["iverilog", "-g2012", "-o", folder / "bench.vvp", "-s", TOP, profile.package.resolve(), *copies]
    else:
        libraries = config.libs_dir
        main = pathlib.Path(config.share_dir) / "lib/verilator/verilator.cpp"
        command = ["verilator", "--cc", "--exe", "--build", "-O3", "--vpi", "--assert", "-DXT_ASSERT", "-Wno-lint", "-Wno-style", "--timescale", "1ns/1ps",
                   "--unroll-count", "2048", "--unroll-stmts", "10000000", "--prefix", "Vtop", "-o", "bench", "-Mdir", folder, "--top-module", TOP,
                   "-LDFLAGS", f"-Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator", "-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0",
                   profile.package.resolve(), *files, main]
    status, log = _call(command, folder, "build.log")
    if status != 0:
        raise BuildError(log[:2000])


def run(package, simulator, folder, module, path, seconds=None, seed=1):
    """Runs the cocotb tests of a Python module that lies in the folder `path`."""
    import find_libpython
    from cocotb import config

    folder = pathlib.Path(folder).resolve()
    results, log_name = folder / f"{module}-{seed}.xml", f"{module}-{seed}.log"
    results.unlink(missing_ok=True)
    environment = {**os.environ, "MODULE": module, "TOPLEVEL": TOP, "TOPLEVEL_LANG": "verilog", "COCOTB_RESULTS_FILE": str(results),
                   "LIBPYTHON_LOC": find_libpython.find_libpython(), "PYGPI_PYTHON_BIN": sys.executable, "RANDOM_SEED": str(seed),
                   "PYTHONPATH": os.pathsep.join([str(path), str(HERE.parent), *filter(None, sys.path)]),
                   "EXTORUS_PACKAGE": str(pathlib.Path(package).resolve())}
    command = ([folder / "bench"] if simulator == "verilator" else
               ["vvp", "-M", config.libs_dir, "-m", config.lib_name("vpi", "icarus"), folder / "bench.vvp"])
    status, log = _call(command, folder, log_name, seconds, environment)
    tests, failures = [], {}
    for case in xml.etree.ElementTree.parse(results).iter("testcase") if results.exists() else ():
        tests.append(case.get("name"))
        if case.find("failure") is not None or case.find("error") is not None:
            failures[case.get("name")] = "see the log"
    broken = [line for line in log.splitlines() if line.startswith(("ERROR:", "%Error")) or "Assertion failed" in line]
    if broken or status != 0 or not tests:
        failures[module] = broken[0] if broken else f"the simulator ended with {status}"
    return Result(tests, failures, log_name)
