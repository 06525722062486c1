# SPDX-License-Identifier: Apache-2.0
"""The commands of constraints/first_hour.md, as they are printed, on two virtual boards wired pin to pin."""

import os
import re
import subprocess
import xml.etree.ElementTree

import pytest

from board_mesh import BoardMesh
from processor_time import limited
from repository import ROOT

GUIDE = (ROOT / "constraints" / "first_hour.md").read_text()
BLOCKS = re.findall(r"```sh\n(.*?)```", GUIDE, re.S)
# "Link 1 of each board to link 0 of the other."
CABLES = ["--cable", "0.1-1.0", "--cable", "1.1-0.0"]
RATES = [float(rate) for rate in re.search(r"for rate in ([\d. ]+);", BLOCKS[2])[1].split()]
CELLS, FRAME = 8, 19  # of a packet; cycles of a cell at pins


@pytest.fixture
def boards():
    mesh = BoardMesh("ulx3s", 2, "--boards", "2", *CABLES, "--skew", "3")
    yield mesh
    mesh.end()


def run(folder, boards, block):
    """A block in one shell. Only the names of the devices are others, because there is no serial port."""
    script = re.sub(r"uart:/dev/ttyUSB(\d)", lambda found: boards.devices[int(found[1])], block)
    assert "/dev/" not in script
    environment = dict(os.environ, PATH=f"{ROOT / 'build'}:{os.environ['PATH']}", XDG_STATE_HOME=str(folder))
    return subprocess.run(["bash", "-uc", script], cwd=folder, env=environment, capture_output=True, text=True, **limited(1500), check=False)


def curve(folder):
    return [tuple(map(float, line.split())) for line in (folder / "curve.txt").read_text().splitlines()]


def rises(points):
    """An M/D/1 queue's shape: nearly the latency of an idle network at first, several times that where the links are full."""
    latencies = [latency for _, latency in points]
    # One of three packets stays on its board; the last of the others' cells is sent 8 frames after the first at least.
    idle = 2 / 3 * (CELLS - 1) * FRAME
    return idle < latencies[0] < 4 * idle and latencies[-1] > 2 * latencies[0] and latencies[-1] == pytest.approx(max(latencies), rel=0.1)


def test_the_guide_fits_a_page():
    assert len(GUIDE.splitlines()) <= 80 and len(BLOCKS) == 4
    # The links are full within the range: two of three cells of a PE cross the one link that it has in each direction.
    full = 1 / (2 / 3 * FRAME)
    assert RATES[0] < full / 4 and full < RATES[-1] < 2 * full


def test_a_flat_curve_is_found():
    """Seeded: the curve of a loop whose smallest load is beyond saturation already."""
    assert rises([(0.01, 150), (0.04, 190), (0.08, 700), (0.1, 1000)])
    assert not rises([(0.1, 1092), (0.2, 1096), (0.4, 1116), (1, 1107)])
    assert not rises([(0.01, 150), (0.04, 190), (0.08, 190), (0.1, 180)])


@pytest.mark.long
def test_every_command(tmp_path, boards):
    checks, joined, loop, report = (lambda block=block: run(tmp_path, boards, block) for block in BLOCKS)
    for link in (0, 1):  # the guide has no cable yet
        boards.say(f"pull 0 {link}")
    done = checks()
    assert done.stdout.count("traffic    ok") == 4 and "FAILED" not in done.stdout, done.stdout + done.stderr
    for link in (0, 1):
        boards.say(f"plug 0 {link}")
    done = joined()
    assert done.returncode == 0 and done.stdout.rstrip().endswith(" 0 damaged: ok") and not done.stderr, done.stdout + done.stderr
    done = loop()
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert [rate for rate, _ in curve(tmp_path)] == RATES
    assert rises(curve(tmp_path)), curve(tmp_path)
    root = xml.etree.ElementTree.parse(tmp_path / "curve.svg").getroot()
    assert root.tag.endswith("svg") and "latency, cycles" in (tmp_path / "curve.svg").read_text()
    report()
    assert "commit" in (tmp_path / "report.txt").read_text()


@pytest.mark.long
def test_a_cable_that_is_not_there(tmp_path, boards):
    """Seeded: `load` names it and loads nothing, and the loop does not draw a curve without a word."""
    boards.say("pull 0 1")
    done = run(tmp_path, boards, BLOCKS[1])
    assert done.returncode != 0 and "plug a cable from here into" in done.stdout and "nothing was loaded" in done.stderr
    done = run(tmp_path, boards, BLOCKS[2].replace("0.02 0.03 0.04 0.05 0.06 0.07 0.08 ", ""))
    assert done.stderr
