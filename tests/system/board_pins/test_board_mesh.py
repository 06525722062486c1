# SPDX-License-Identifier: Apache-2.0
"""Bring-up rehearsed: the commands of every board's guide on boards of that kind, wired pin to pin, and what `make` would do."""

import json
import math
import os
import re
import subprocess

import pytest

import traffic_oracle
from board_mesh import BoardMesh
from processor_time import limited
from repository import ROOT

CONSTRAINTS = ROOT / "constraints" / "boards"
# The nodes of each board's mesh.
NODES = {"ulx3s": "2x2", "ecpix5": "2x2", "hx8k": "1x1", "butterstick": "4x1", "nexysvideo": "2x1"}
GUIDES = {name: (CONSTRAINTS / name / "README.md").read_text().split("## Bring-up")[1].split("## Report")[0] for name in NODES}
BOARDS = 4
# A device of a guide, and its number, which in a loop is $i.
DEVICE = r"(?:uart:/dev/ttyUSB|usb:serial=|ftdi:serial=)"


class Mesh(BoardMesh):
    def __init__(self, name, *options):
        nodes = NODES[name]
        super().__init__(name, math.prod(map(int, nodes.split("x"))), "--nodes", nodes, *options)
        self.first = min(int(number) for number in re.findall(DEVICE + r"(\d+)", GUIDES[name]))


@pytest.fixture
def mesh():
    made = []

    def make(*options):
        made.append(Mesh(*options))
        return made[-1]

    yield make
    for one in made:
        one.end()


def blocks(name):
    """The shell commands of a guide."""
    return re.findall(r"```sh\n(.*?)```", GUIDES[name], re.S)


def shell(folder, mesh, script, status=0):
    """Commands of the guide, on virtual boards instead of real ones, in one shell."""
    script = re.sub(DEVICE + r"(\d+)", lambda found: f"'{mesh.devices[int(found[1]) - mesh.first]};timeout=20000'", script)
    script = re.sub(DEVICE + r"\$i", f"${{boards[$((i - {mesh.first}))]}};timeout=20000", script)
    assert not re.search(r"/dev/|usb:|ftdi:", script), script
    listed = "boards=(" + " ".join(mesh.devices) + ")\n"
    environment = dict(os.environ, PATH=f"{ROOT / 'build'}:{os.environ['PATH']}", XDG_STATE_HOME=str(folder))
    done = subprocess.run(["bash", "-euc", listed + script], cwd=folder, env=environment, capture_output=True, text=True,
                          **limited(1500), check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def links(folder, mesh, board):
    said = json.loads(shell(folder, mesh, f"extorus link --json --device uart:/dev/ttyUSB{board} || true"))
    return {(link["card"], link["port"]): link for link in said["boards"][0]["links"]}


def test_every_board_has_a_guide():
    assert set(NODES) == {path.parent.name for path in CONSTRAINTS.glob("*/board.json")}


@pytest.mark.parametrize("name", NODES)
def test_guide_fits_a_page(name):
    assert len(GUIDES[name].splitlines()) <= 60


@pytest.mark.parametrize("name", NODES)
def test_commands_that_need_hardware(tmp_path, name):
    """What make would do: the bitstream of that board, and a loader that is asked for the same file."""
    loader = tmp_path / "openFPGALoader"
    loader.write_text("#!/bin/sh\nexit 1\n")
    loader.chmod(0o755)
    environment = dict(os.environ, PATH=f"{tmp_path}:{os.environ['PATH']}")
    commands = re.findall(r"^    (make .*)$", GUIDES[name], re.M)
    done = {}
    for command in commands:
        words = command.split()
        verb = words[1]
        words += ["DRY_RUN=1"] if verb == "program" else ["-n"]
        done[verb] = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, **limited(100), check=False)
        assert done[verb].returncode == 0, done[verb].stderr
        for setting in words[2:-1]:
            assert setting.split("=")[1] in done[verb].stdout, command
    said = json.loads((CONSTRAINTS / name / "board.json").read_text())
    assert ("bitstream" in done) == bool(said["nextpnr"])
    assert not said["nextpnr"] or "bitstream.py" in done["bitstream"].stdout
    assert re.fullmatch(rf"openFPGALoader -b {said['program']} build/boards-{name}/{name}\.(bit|bin)\n", done["program"].stdout)


@pytest.mark.long
@pytest.mark.parametrize("name", NODES)
def test_every_command(tmp_path, mesh, name):
    boards = mesh(name, "--skew", "3")
    for block in blocks(name):
        said = shell(tmp_path, boards, block)
        if "selftest" in block:
            assert "loops      ok" in said and "bits       ok" in said and "FAILED" not in said
        if "traffic" in block:
            assert said.rstrip().endswith("ok")


@pytest.mark.long
def test_a_pulled_cable(tmp_path, mesh):
    _, four, again = blocks("ulx3s")
    boards = mesh("ulx3s", "--skew", "3")
    shell(tmp_path, boards, four)
    # Any cable, and both its ends see it.
    boards.say("pull 0 1")
    boards.say("cycles")
    traffic = four.splitlines()[-1]
    shell(tmp_path, boards, traffic.replace("--seconds 5", "--seconds 2"), status=1)
    assert links(tmp_path, boards, 0)[(0, "p1")]["state"] == "down"
    assert links(tmp_path, boards, 1)[(0, "p0")]["state"] == "down"
    said = shell(tmp_path, boards, next(line for line in four.splitlines() if "extorus load" in line), status=1)
    assert said.count("no link to any of these boards; plug a cable from here into") == said.count("\n") == 2
    boards.say("plug 0 1")
    assert shell(tmp_path, boards, again).rstrip().endswith("ok")


@pytest.mark.long
def test_zipf_traffic(tmp_path, mesh):
    """All together, the PEs receive what the law says."""
    _, four, _ = blocks("ulx3s")
    route, *setup, uniform = four.splitlines()
    boards, packets, pes = mesh("ulx3s"), 3000, 2 * BOARDS
    shell(tmp_path, boards, "\n".join([route, *setup]))
    said = json.loads(shell(tmp_path, boards, re.sub(r"--uniform 8 --seconds 5", f"--zipf 8 --packets {packets} --cells 2 --json",
                                                     uniform)))
    law = {dest: sum(traffic_oracle.zipf_chances(pe, pes, 1, 1).get(dest, 0) for pe in range(pes)) / pes for dest in range(pes)}
    came = {nic["address"]: nic["came"] for nic in said["nics"]}
    assert said["ok"] and sum(came.values()) == packets * pes
    assert abs(traffic_oracle.chi_square_deviation(came, law)) < 3.3, came


@pytest.mark.long
def test_wrong_bits_are_repeated_and_nothing_is_lost(tmp_path, mesh):
    _, four, _ = blocks("ulx3s")
    boards = mesh("ulx3s", "--skew", "2", "--jitter", "4001")
    assert shell(tmp_path, boards, four).rstrip().endswith("ok")
    boards.say("errors 30000")
    assert shell(tmp_path, boards, four.splitlines()[-1]).rstrip().endswith("ok")
    assert sum(link["crc_errors"] for link in links(tmp_path, boards, 0).values()) > 0
