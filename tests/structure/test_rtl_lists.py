# SPDX-License-Identifier: Apache-2.0
"""The file lists of rtl/ name every module, and a module's name is there once."""

import collections
import pathlib
import re

from repository import ROOT
from tools import file_list

CARD = ("mem", "arb", "buffer", "credit", "route", "switch", "link", "nic", "csr", "card")
FAMILIES = "rtl/fpga"  # a module of the same name and ports for each family


def wrong_lists(root):
    """The lists FOLDER/FOLDER.f that do not name exactly the modules of their folder."""
    wrong = []
    for folder in sorted({path.parent for path in (root / "rtl").rglob("*.sv") if "generated" not in path.parts}):
        listed = folder / f"{folder.name}.f"
        if not listed.exists() or sorted(listed.read_text().split()) != sorted(path.name for path in folder.glob("*.sv")):
            wrong.append(folder.name)
    return wrong


def repeated_modules(paths):
    names = [name for path in paths for name in re.findall(r"^module (\w+)", path.read_text(), re.M)]
    return sorted(name for name, count in collections.Counter(names).items() if count > 1)


def sources(*folders):
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.sv"))
            if "generated" not in path.parts and FAMILIES not in str(path)]


def test_each_list_names_its_folder():
    assert wrong_lists(ROOT) == []


def test_the_list_of_a_card_is_that_of_its_folders():
    assert sorted(file_list("card_sources.f")) == sorted(file for room in CARD for file in file_list(f"{room}/{room}.f"))


def test_a_module_is_there_once():
    assert repeated_modules(sources("rtl", "sim", "constraints")) == []


def test_a_module_that_no_list_names_is_found(tmp_path):
    folder = tmp_path / "rtl" / "mem"
    folder.mkdir(parents=True)
    (folder / "mem.f").write_text("xt_a.sv\n")
    for name in ("xt_a", "xt_b"):
        (folder / f"{name}.sv").write_text(f"module {name};\nendmodule\n")
    assert wrong_lists(tmp_path) == ["mem"]


def test_a_module_that_is_there_twice_is_found(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "xt_a.sv").write_text("module xt_a (\n);\nendmodule\n")
    assert repeated_modules(pathlib.Path(tmp_path).rglob("*.sv")) == ["xt_a"]
