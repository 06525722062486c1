# SPDX-License-Identifier: Apache-2.0
"""`extorus eye` on an ECPIX-5 at its pins: wrong bits come where the wires' skew says so, and a link that samples outside of its
eye is named."""

import json
import subprocess
import xml.etree.ElementTree

import pytest

from board_mesh import BoardMesh
from processor_time import limited
from repository import ROOT

TICKS = 16  # of sim/board_mesh in a cycle of this board, as many as steps of its model; half of them take a bit
PERIOD = 25000  # ps
# Of its ticks a bit is unsure in the first: a blurred lane is a tick late or not. Step 0 samples in the middle.
EYE = range(1 - TICKS // 4, TICKS // 4)


def eye(*words, status=0):
    done = subprocess.run([ROOT / "build/extorus", "eye", *map(str, words)], capture_output=True, text=True, **limited(3000), check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done


def scan(mesh, *words, status=0):
    return json.loads(eye(*(word for device in mesh.devices for word in ("--device", f"{device};timeout=20000")), "--words", 60, "--json",
                          *words, status=status).stdout)


def check(link, shift):
    """The points themselves, and what is made of them."""
    for i, (words, wrong) in enumerate(zip(link["words"], link["wrong"])):
        assert (words == 0 or wrong > 0) == ((i - TICKS // 2 - shift - TICKS // 4) % (TICKS // 2) == 0), link
    assert [link["first"], link["last"]] == [EYE[0] + shift, EYE[-1] + shift]
    assert link["width_ps"] == pytest.approx(len(EYE) * PERIOD / TICKS) and link["shift_ps"] == pytest.approx(shift * PERIOD / TICKS)


@pytest.mark.long
def test_the_eye_is_where_the_skew_puts_it(tmp_path):
    mesh = BoardMesh("ecpix5", 1, "--boards", 1, "--cable", "0.0-0.0", "--cable", "0.1-0.1", "--skew", 0, "--blur")
    mesh.say("shift 2 0 1")
    said = scan(mesh, "--svg", tmp_path / "eyes.svg")
    [board] = said["boards"]
    drawing = xml.etree.ElementTree.parse(tmp_path / "eyes.svg").getroot()
    green = [cell for cell in drawing.iter("{http://www.w3.org/2000/svg}rect") if cell.get("fill") == "#4a4"]
    assert len(green) == sum(words > 0 and not wrong for link in board["links"] for words, wrong in zip(link["words"], link["wrong"]))
    assert said["ok"] and board["steps"] == TICKS and board["set"] == 0 and [link["port"] for link in board["links"]] == ["p0", "p1"]
    check(board["links"][0], 0)
    check(board["links"][1], 2)
    # Half a bit of skew: the link samples where bits change. Its eye is beside step 0.
    mesh.say("shift 4 0 1")
    said = scan(mesh, status=1)
    [board] = said["boards"]
    assert not said["ok"] and [link["centred"] for link in board["links"]] == [True, False]
    check(board["links"][0], 0)
    mesh.end()


@pytest.mark.long
def test_of_two_boards_each_moves_what_the_other_hears():
    mesh = BoardMesh("ecpix5", 2, "--boards", 2, "--cable", "0.0-1.1", "--skew", 0, "--blur")
    mesh.say("shift 1 1 1")
    said = scan(mesh)
    heard = [[(link["device"], link["port"]) for link in board["links"]] for board in said["boards"]]
    assert heard == [[(f"{mesh.devices[1]};timeout=20000", "p1")], [(f"{mesh.devices[0]};timeout=20000", "p0")]]
    check(said["boards"][0]["links"][0], 1)
    check(said["boards"][1]["links"][0], 0)
    # The links are trained again.
    devices = [word for device in mesh.devices for word in ("--device", device)]
    assert subprocess.run([ROOT / "build/extorus", "link", *devices], capture_output=True, text=True, check=False).stdout.count(" up ") == 2
    mesh.end()


@pytest.mark.parametrize("words, says", [(["--device", "model:torus:4"], "is no board"), ([], "--device"),
                                         (["--device", "tcp:localhost:9", "--words", 0], "from 1 to 1000000000")])
def test_wrong_use(words, says):
    assert says in eye(*words, status=2).stderr
