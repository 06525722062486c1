# SPDX-License-Identifier: Apache-2.0
"""The notebook's numbers are those of the root README, to the last digit shown, and its picture is there."""

import json
import os
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

from processor_time import limited
from repository import ROOT

ROW = re.compile(r"^ +\d\.\d\d(?: \| +[\d.]+ +[\d.]+ +\d+ +[\d.]+ +(?:yes|NO)){2}$", re.M)


@pytest.mark.long
def test_the_notebook_makes_the_readmes_picture():
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    subprocess.run(["make", "-s", "notebook"], cwd=ROOT, check=True, env=environment, **limited(3600))
    cells = json.loads((ROOT / "out/notebook/load_latency.ipynb").read_text())["cells"]
    printed = "".join("".join(output.get("text", "")) for cell in cells for output in cell.get("outputs", []))
    expected = ROW.findall((ROOT / "README.md").read_text())
    assert len(expected) == 10 and ROW.findall(printed) == expected
    for line in re.findall(r"^.* pairs, 0 unreachable, .*? on average", (ROOT / "README.md").read_text(), re.M)[:2]:
        assert line in printed
    picture = ElementTree.parse(ROOT / "out/notebook/load_latency.svg").getroot()
    assert len(picture.findall(".//{http://www.w3.org/2000/svg}path")) > 20
