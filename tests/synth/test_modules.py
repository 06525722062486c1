# SPDX-License-Identifier: Apache-2.0
"""The area of each module: what the table adds up to is what yosys counts in the flattened netlist."""

import json
import subprocess
import sys

import pytest

from repository import ROOT

pytestmark = pytest.mark.slow
FOLDER = ROOT / "build/synth/mini-ecp5-25f"


@pytest.fixture(scope="module")
def rows():
    """{module: {column: number}}"""
    done = subprocess.run([sys.executable, "constraints/synth/modules.py", "mini", "ecp5-25f", "--yosys", "yosys"], cwd=ROOT,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    header, *lines = (line.split() for line in done.stdout.splitlines() if not line.startswith("  "))
    assert header[0] == "own"
    return {module: dict(zip(header[1:], map(int, numbers))) for module, *numbers in lines}


def test_sums_are_those_of_the_flattened_card(rows):
    script = f"read_json {FOLDER}/modules.json; hierarchy -top xt_card; flatten; tee -q -o {FOLDER}/flat.json stat -json"
    subprocess.run(["yosys", "-q", "-p", script], cwd=ROOT, check=True)
    flat = json.loads((FOLDER / "flat.json").read_text())["design"]["num_cells_by_type"]
    sums = {column: sum(row[column] for row in rows.values()) for column in ("logic", "ram", "FF", "BRAM")}
    assert sums == {"logic": flat["LUT4"], "ram": 6 * flat["TRELLIS_DPR16X4"], "FF": flat["TRELLIS_FF"], "BRAM": flat["DP16KD"]}
    assert all(row["LUT"] == row["logic"] + row["ram"] + 2 * row["carry"] for row in rows.values())


def test_instances_are_those_of_a_card_of_mini(rows):
    counted = {module: rows[module]["instances"] for module in ("xt_card", "xt_input_unit", "xt_link_port", "xt_nic_port", "xt_vc_arbiter")}
    assert counted == {"xt_card": 1, "xt_input_unit": 5, "xt_link_port": 4, "xt_nic_port": 1, "xt_vc_arbiter": 20}
