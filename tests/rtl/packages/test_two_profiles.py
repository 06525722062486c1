# SPDX-License-Identifier: Apache-2.0
"""Cards of two profiles stand in one design: `make card` puts the profile's name before every name."""

import os
import re
import subprocess

import pytest

from processor_time import limited
from repository import ROOT

PAIR = ("mini", "node")
FILES = {profile: ROOT / f"build/rtl/{profile}_card.sv" for profile in PAIR}
TOOLS = {
    "verilator": lambda *files: ["verilator", "--lint-only", "-Wall", "-Wno-DECLFILENAME", "-Wno-PINCONNECTEMPTY", "-Werror-MODDUP", "--top-module", "two", *files],
    "yosys": lambda *files: ["yosys", "-q", "-p", f"read_verilog -sv -defer {' '.join(map(str, files))}; hierarchy -check -top two"],
    "iverilog": lambda *files: ["iverilog", "-g2012", "-t", "null", "-s", "two", *files],
    "slang": lambda *files: [ROOT / "build/venv-lint/bin/python", ROOT / "rtl/slang_lint.py", "--top", "two", *files],
}


@pytest.fixture(scope="module")
def cards():
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL")}
    for profile in PAIR:
        subprocess.run(["make", "-s", "card", f"PROFILE={profile}"], cwd=ROOT, env=environment, check=True, **limited(120))
    return {profile: path.read_text() for profile, path in FILES.items()}


def instance(text, prefix, name):
    """An instance of the card in `text`, its inputs tied low and its outputs open."""
    head = re.search(rf"^module {prefix}xt_card #\(.*?^\);", text, re.M | re.S)[0]
    ports = re.findall(r"^  (input|output) .*?(\w+),?$", head, re.M)
    assert len(ports) > 20
    pins = ", ".join(f".{port}({port if port == 'clk_i' else chr(39) + '0' if way == 'input' else ''})" for way, port in ports)
    return f"  {prefix}xt_card i_{name} ({pins});\n"


def elaborate(tool, folder, texts, prefixes):
    """Elaborates a design of one card each; the card's width comes from the package of the same name."""
    files = []
    for name, text in texts.items():
        files.append(folder / f"{name}_card.sv")
        files[-1].write_text(text)
    files.append(folder / "two.sv")
    files[-1].write_text("module two (input logic clk_i);\n" + "".join(
        instance(text, prefix, name) for (name, text), prefix in zip(texts.items(), prefixes, strict=True)) + "endmodule\n")
    return subprocess.run(TOOLS[tool](*files), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **limited(120))


def test_every_name_has_the_prefix(cards):
    for profile, text in cards.items():
        names = re.findall(r"^(?:module|package) (\w+)", text, re.M)
        assert {f"{profile}_{name}" for name in ("xt_pkg", "xt_bridge_pkg", "xt_card", "xt_board", "xt_node")} <= set(names)
        assert all(name.startswith(f"{profile}_xt_") for name in names)
        assert not re.search(r"\bxt_", text)


@pytest.mark.parametrize("tool", TOOLS)
def test_two_profiles_in_one_design(tool, cards, tmp_path):
    done = elaborate(tool, tmp_path, cards, [f"{profile}_" for profile in PAIR])
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("tool", TOOLS)
def test_two_profiles_without_a_prefix_are_refused(tool, cards, tmp_path):
    bare = {profile: text.replace(f"{profile}_xt_", "xt_") for profile, text in cards.items()}
    done = elaborate(tool, tmp_path, bare, ["", ""])
    assert done.returncode != 0 and re.search("(xt_pkg|xt_adaptive_choice|_card.sv:6:)", done.stdout), done.stdout
