# SPDX-License-Identifier: Apache-2.0
"""The Vivado project of a board, without Vivado; and one line for a board, profile or serial number that is not there."""

import re
import subprocess

import pytest

import project
from boards import Board
from repository import ROOT
from tools import Failed

# Behind parameters of the board that the Nexys Video sets otherwise.
OF_OTHER_BOARDS = {"xt_ddr_in_ecp5", "xt_ddr_out_ecp5", "xt_usb_full", "xt_usb_high"}


def make(*words):
    return subprocess.run(["make", "-s", *words], cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_project_of_a_board():
    assert make("board-project", "BOARD=nexysvideo", "BOARD_SERIAL=7").stdout == "vivado -mode batch -source build/boards-nexysvideo/project.tcl\n"
    text = (ROOT / "build/boards-nexysvideo/project.tcl").read_text()
    board = Board("nexysvideo")
    named = re.findall(r"add_files .*\[file join \$root (\S+)\]", text)
    assert named == [*board.sources("node"), "constraints/boards/nexysvideo/pins.xdc", "constraints/crossings/crossings.xdc"]
    assert all((ROOT / path).is_file() for path in named)
    assert f"{board.folder}/xt_nexysvideo.sv" in named and "Serial=7" in text and "{XT_SYNTHESIS=1 XT_LUT_RAM=1}" in text
    assert "-part xc7a200tsbg484-1\n" in text and "set_property top xt_nexysvideo" in text
    for opening, closing in ("{}", "[]"):
        assert text.count(opening) == text.count(closing)


def test_every_module_is_in_a_file_of_the_project():
    """By the RTL, not by the lists: what the files instantiate, they define. Modules without ports are messages of checks."""
    texts = [re.sub(r"//.*", "", (ROOT / path).read_text()) for path in Board("nexysvideo").sources("node")]
    defined = {name for text in texts for name in re.findall(r"^(?:module|package|interface)\s+(\w+)", text, re.M)}
    used = {name for text in texts for name in re.findall(r"^\s*(xt_\w+)\s+(?:#\s*\(|\w+\s*\(\s*[^)\s])", text, re.M)}
    used |= {name for text in texts for name in re.findall(r"\b(xt_\w+)::", text)}
    assert used - defined == OF_OTHER_BOARDS


def test_a_missing_file_is_found(monkeypatch):
    board = Board("nexysvideo")
    found = board.sources("node")
    monkeypatch.setattr(board, "sources", lambda profile: [*found, "rtl/nowhere.sv"])
    with pytest.raises(Failed, match="rtl/nowhere.sv is missing"):
        project.write(board, "node", 1)


def test_a_device_of_another_family():
    assert make("board-project", "BOARD=ulx3s").stderr.startswith("project.py: LFE5U-85F-6BG381C is no device of the 7 series")


@pytest.mark.parametrize("goal", ["bitstream", "board-map", "board-project"])
@pytest.mark.parametrize("word, says", [("BOARD=nope", 'no board "nope"; BOARD is one of: butterstick ecpix5'),
                                        ("BOARD_PROFILE=nope", 'no profile "nope"; BOARD_PROFILE is one of: '),
                                        ("BOARD_SERIAL=x1", "BOARD_SERIAL=x1 is no whole number"), ("BOARD_SERIAL=", "is no whole number")])
def test_what_is_not_there(goal, word, says):
    said = make(goal, word)
    assert said.returncode == 2 and says in said.stderr and said.stderr.count("\n") == 1, said.stderr
