# SPDX-License-Identifier: Apache-2.0
"""A package from which no card can be made is refused at elaboration; a header of too many cells is an error, not a hang."""

import re
import subprocess

import pytest

from processor_time import limited
from repository import PROFILES, ROOT, rtl
from seeded import with_fault

CHECK = ROOT / "rtl/card/xt_profile_check.sv"
TOOLS = {
    "verilator": lambda *files: ["verilator", "--lint-only", "-Wall", "--top-module", "xt_profile_check", *files],
    "yosys": lambda *files: ["yosys", "-q", "-p", f"read_verilog -sv {' '.join(map(str, files))}; hierarchy -check -top xt_profile_check"],
    "iverilog": lambda *files: ["iverilog", "-g2012", "-t", "null", "-s", "xt_profile_check", *files],
}
# What a table of another profile would make of the package: profile, numbers by name, and a word of the reason.
REFUSED = {
    "odd-packet": ("mini", {"PacketCells": "3", "LengthClass": "16'h0301"}, "packet_cells"),
    "odd-packet-of-extoll": ("extoll", {"PacketCells": "24", "LengthClass": "32'h18100401"}, "packet_cells"),
    "short-packet": ("mini", {"PacketCells": "1", "LenBits": "0"}, "(packet_cells|length_classes)"),
    "bubble-packet": ("bubble", {"PacketCells": "128", "LenBits": "7"}, "(packet_cells|replay_cells)"),
    "last-class": ("mini", {"LengthClass": "16'h0301"}, "length_classes"),
    "falling-class": ("extoll", {"LengthClass": "32'h20040801"}, "length_classes"),
    "odd-buffer": ("mini", {"BufferCells": "48"}, "buffer_cells"),
    "odd-eject": ("mini", {"EjectCells": "12"}, "eject_cells"),
    "small-eject": ("mini", {"EjectCells": "8"}, "eject_cells"),
    "large-eject": ("mini", {"EjectCells": "64"}, "eject_cells"),
    "small-reserve": ("mini", {"ReservedCells": "8"}, "reserved_cells"),
    "large-reserve": ("mini", {"ReservedCells": "17"}, "reserved_cells"),
    "grt-above-lrt": ("extoll", {"GrtBits": "9", "LrtBits": "7"}, "grt_is"),
    "block-ram-grt": ("mini", {"GrtBits": "4", "LrtBits": "4"}, "grt_is"),
    "id-bits": ("mini", {"IdBits": "9"}, "grt_is"),
    "block-ram-ecc": ("mini", {"TableEcc": "1"}, "block_ram_only"),
    "block-ram-links": ("extoll", {"BlockRamOnly": "1"}, "block_ram_only"),
    "odd-replay": ("extoll", {"ReplayCells": "96"}, "replay_cells"),
    "far-replay": ("extoll", {"LinkLatency": "25"}, "replay_cells"),
    "long-frame": ("extoll", {"FrameBits": "310"}, "frame"),
    "no-iteration": ("mini", {"IslipIterations": "0"}, "islip"),
    "many-iterations": ("mini", {"IslipIterations": "6"}, "islip"),
    "many-links": ("mini", {"LinkPorts": "7", "Ports": "8"}, "link_ports"),
    "ragged-cell": ("mini", {"CellBits": "30"}, "cell_bits"),
    "narrow-cell": ("mini", {"CellBits": "16"}, "header"),
    "no-tag": ("mini", {"HdrTagBits": "0"}, "header"),
    "adaptive-first": ("mini", {"VcAdaptive": "2'h1"}, "traffic_classes"),
    "unowned-vc": ("mini", {"TcVcCount": "8'h01"}, "traffic_classes"),
}


def package(folder, profile, numbers):
    text = (ROOT / "rtl" / "generated" / profile / "xt_pkg.sv").read_text()
    for name, value in numbers.items():
        text, count = re.subn(rf"(localparam (?:int|logic \[\d+:0\]) {name} =) [^;]+;", rf"\1 {value};", text)
        assert count == 1, name
    path = folder / "xt_pkg.sv"
    path.write_text(text)
    return path


def elaborate(tool, *files):
    return subprocess.run(TOOLS[tool](*files), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **limited(60))


@pytest.mark.parametrize("profile", PROFILES)
def test_a_built_in_profile_is_taken(profile, tmp_path):
    for tool in TOOLS:
        done = elaborate(tool, package(tmp_path, profile, {}), CHECK)
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", REFUSED)
def test_an_impossible_profile_is_refused(name, tmp_path):
    profile, numbers, reason = REFUSED[name]
    for tool in TOOLS:
        done = elaborate(tool, package(tmp_path, profile, numbers), CHECK)
        assert done.returncode != 0 and re.search(rf"xt_profile_\w*{reason}", done.stdout), f"{tool}: {done.stdout}"


def test_a_card_has_the_check():
    assert "xt_profile_check i_profile_check ();" in (ROOT / "rtl/card/xt_card.sv").read_text()


LONG = ("xt_nic_inject.sv", r" \|\| 32'\(len\) >= xt_pkg::PacketCells", "")


@pytest.mark.parametrize("fault, says", [(None, "PASS"), (LONG, "FAIL: the NIC hangs")], ids=["clean", "length-not-checked"])
def test_a_header_of_too_many_cells_is_an_error(fault, says, tmp_path):
    sources = with_fault(tmp_path, [ROOT / "rtl/nic/xt_nic_inject.sv", *rtl("credit/credit.f")], fault)
    pkg = package(tmp_path, "mini", {"PacketCells": "3", "LengthClass": "16'h0301"})
    subprocess.run(["iverilog", "-g2012", "-s", "long_header", "-o", tmp_path / "bench", pkg, *sources,
                    ROOT / "tests/rtl/profile/long_header.sv"], check=True, stderr=subprocess.DEVNULL)
    done = subprocess.run(["vvp", "-n", tmp_path / "bench"], stdout=subprocess.PIPE, text=True, **limited(60))
    assert done.stdout.strip().splitlines()[-1] == says
