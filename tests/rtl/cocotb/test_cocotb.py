# SPDX-License-Identifier: Apache-2.0
"""Third-party masters and sinks find no fault in a card, and find those that are seeded."""

import ast
import os
import re
import shutil
import subprocess

import pytest

from hardware_venv import program
from processor_time import limited
from repository import PROFILES, ROOT, rtl

PACKAGE = ROOT / "sim/cocotb/extorus_cocotb"
EXAMPLES = sorted((ROOT / "sim/cocotb/examples").glob("bench_*.py"))
PRESSURE = ROOT / "tests/rtl/cocotb/bench_pressure.py"
TESTS, SEEDS = 6, 3


def bench(folder, *words, root=ROOT, status=0):
    """Standard output and error of the bench; its files are in `folder`."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "EXTORUS_ROOT": str(root)}
    environment.pop("PYTHONHOME", None)
    done = subprocess.run([program("python"), "-m", "extorus_cocotb", "--folder", folder / "bench", *words], cwd=folder, env=environment,
                          capture_output=True, text=True, **limited(7200))
    logs = "".join(log.read_text(errors="replace")[-3000:] for log in folder.glob("bench/bench_*.log"))
    assert done.returncode == status, done.stdout + done.stderr + logs
    return done.stdout + done.stderr + logs


@pytest.mark.parametrize("profile", ["mini", "node"])
def test_the_worked_tests_pass(profile, tmp_path):
    output = bench(tmp_path, "--profile", profile, *EXAMPLES, PRESSURE)
    assert output.count(": passed") == TESTS and len(EXAMPLES) == 3
    for path in rtl("card_sources.f"):
        there, here = (file.read_text().split("`ifdef XT_ASSERT")[0] for file in (tmp_path / "bench" / f"icarus_{path.name}", path))
        assert there == here, f"{path.name} is run as it is but for assertions"


def all_pass(folder, profile, store, *words):
    """Each test of the examples and of this folder, with each seed."""
    output = bench(folder, "--profile", profile, "--runs", str(SEEDS), *words, *["--store-forward"][:store], *EXAMPLES, PRESSURE)
    return output.count(": passed") == TESTS * SEEDS


@pytest.mark.long
@pytest.mark.parametrize("store", [0, 1], ids=["direct", "store-forward"])
@pytest.mark.parametrize("profile", PROFILES)
def test_profiles_on_icarus(profile, store, tmp_path):
    assert all_pass(tmp_path, profile, store)


@pytest.fixture
def verilator():
    """Debian 12's is too old for cocotb; tests/system/debian runs these tests on Debian 13."""
    version = subprocess.run(["verilator", "--version"], capture_output=True, text=True, check=True, **limited(60)).stdout
    if [int(number) for number in re.findall(r"\d+", version)[:2]] < [5, 22]:
        pytest.skip("cocotb needs Verilator 5.022 or newer")


@pytest.mark.long
@pytest.mark.parametrize("store", [0, 1], ids=["direct", "store-forward"])
@pytest.mark.parametrize("profile", PROFILES)
def test_profiles_on_verilator(profile, store, verilator, tmp_path):
    assert all_pass(tmp_path, profile, store, "--simulator", "verilator")


# Fault -> file, text, text in its place, worked test, what the bench says.
FAULTS = {
    "an offer is withdrawn": ("nic/xt_nic_eject.sv", "tvalid_o <= write_q != read_d;", "tvalid_o <= (write_q != read_d) & (tready_i | ~tvalid_o);",
                              "packets", "axi_stream_offer_stays"),
    "a beat changes": ("nic/xt_nic_eject.sv", "assign tdata_o = stored[xt_pkg::CellBits-1:0];",
                       "logic late_q; always_ff @(posedge clk_i) late_q <= tvalid_o & ~tready_i & in_packet_q;\n"
                       "assign tdata_o = stored[xt_pkg::CellBits-1:0] ^ xt_pkg::CellBits'(late_q);", "packets", "axi_stream_beat_stays"),
    "a response is withdrawn": ("csr/xt_register_bus.sv", "end else if (bready_i) begin\n        bvalid_o <= 1'b0;",
                                "end else begin\n        bvalid_o <= 1'b0;", "registers", "axi_lite_write_response_stays"),
    "read data change": ("csr/xt_register_bus.sv", "rdata_o  <= rdata_i;", "rdata_o  <= 32'd1 ^ rdata_i;",
                         "registers", "AssertionError"),
    "a bit of a payload": ("nic/xt_nic_inject.sv", "stamped : data_q;\n", "stamped : data_q ^ xt_pkg::CellBits'(in_packet_q);\n", "packets", " instead of "),
    "a register is unknown": ("nic/xt_nic_inject.sv", "      pad_q            <= 1'b0;\n", "", "packets", "is_known"),
}


def finds(fault, folder, *words):
    """The bench ends at the fault in a copy of the RTL, and names it."""
    file, text, instead, name, message = FAULTS[fault]
    for path in (*rtl("card_sources.f"), ROOT / "rtl/card_sources.f", ROOT / "rtl/generated/mini/xt_pkg.sv"):
        copy = folder / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    faulty = folder / "rtl" / file
    assert faulty.read_text().count(text) == 1
    faulty.write_text(faulty.read_text().replace(text, instead))
    return message in bench(folder, *words, ROOT / f"sim/cocotb/examples/bench_{name}.py", root=folder, status=1)


@pytest.mark.parametrize("fault", [name if name in ("an offer is withdrawn", "a bit of a payload") else pytest.param(name, marks=pytest.mark.long)
                                   for name in FAULTS])
def test_a_seeded_fault_is_found(fault, tmp_path):
    assert finds(fault, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("fault", ["an offer is withdrawn", "a bit of a payload"])
def test_a_seeded_fault_is_found_on_verilator(fault, verilator, tmp_path):
    assert finds(fault, tmp_path, "--simulator", "verilator")


def test_an_old_verilator_is_refused(tmp_path, monkeypatch):
    (tmp_path / "verilator").write_text("#!/bin/sh\necho Verilator 5.020 2024-01-01\n")
    (tmp_path / "verilator").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert "this is Verilator 5.020; cocotb needs 5.022 or newer" in bench(tmp_path, "--simulator", "verilator", EXAMPLES[0], status=2)


@pytest.mark.parametrize("words, message", [
    (["--profile", "none", EXAMPLES[0]], "rtl/generated/none/xt_pkg.sv; run `make generate`"), (["absent.py"], "absent.py: there is no such file"),
])
def test_wrong_words_are_refused_by_one_line(words, message, tmp_path):
    output = bench(tmp_path, *words, status=2)
    assert message in output and len(output.splitlines()) == 1


def test_the_package_uses_nothing_else_of_the_tree():
    """Arrows: the package imports the standard library, cocotb, cocotbext and itself."""
    allowed = {"argparse", "collections", "dataclasses", "logging", "os", "pathlib", "random", "re", "subprocess", "sys", "xml",
               "cocotb", "cocotbext", "find_libpython", "extorus_cocotb"}
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) else []
            assert {name.split(".")[0] for name in names} <= allowed, path
