# SPDX-License-Identifier: Apache-2.0
"""Bring-up rehearsed: the commands of the guide on four boards that are wired pin to pin."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLANE = ROOT / "build" / "boards" / "extorus-plane"
GUIDE = ROOT / "constraints" / "ulx3s" / "README.md"
BOARDS = 4
sys.path.insert(0, str(ROOT / "tests" / "traffic"))
import traffic_oracle  # noqa: E402


class Plane:
    def __init__(self, *options):
        self.process = subprocess.Popen([PLANE, "--nodes", "2x2", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, bufsize=1)
        self.devices = [self.process.stdout.readline().strip() for _ in range(BOARDS)]

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline().startswith(f"ok {line}")

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


@pytest.fixture
def plane():
    made = []

    def make(*options):
        made.append(Plane(*options))
        return made[-1]

    yield make
    for one in made:
        one.end()


def shell(folder, plane, script, status=0):
    """Commands of the guide, on virtual boards instead of serial lines, in one shell."""
    for i, device in enumerate(plane.devices):
        script = script.replace(f"uart:/dev/ttyUSB{i}", f"'{device};timeout=20000'")
    script = script.replace("uart:/dev/ttyUSB$i", "${boards[$i]};timeout=20000")
    listed = "boards=(" + " ".join(plane.devices) + ")\n"
    environment = dict(os.environ, PATH=f"{ROOT / 'build'}:{os.environ['PATH']}", XDG_STATE_HOME=str(folder))
    done = subprocess.run(["bash", "-euc", listed + script], cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=1500, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def links(folder, plane, board):
    said = json.loads(shell(folder, plane, f"extorus link --json --device uart:/dev/ttyUSB{board} || true"))
    return {(link["card"], link["port"]): link for link in said["boards"][0]["links"]}


def test_guide_fits_a_page():
    guide = GUIDE.read_text().split("## Bring-up")[1].split("## Report")[0]
    assert len(guide.splitlines()) <= 60


@pytest.mark.long
def test_the_guide(tmp_path, plane):
    one, four, again = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(), re.S)
    boards = plane("--skew", "3")
    said = shell(tmp_path, boards, one)
    assert "loops      ok" in said and "bits       ok" in said and "FAILED" not in said
    assert shell(tmp_path, boards, four).rstrip().endswith("ok")
    # Any cable, and both its ends see it.
    boards.say("pull 0 1")
    boards.say("cycles")
    traffic = four.splitlines()[-1]
    shell(tmp_path, boards, traffic.replace("--seconds 5", "--seconds 2"), status=1)
    assert links(tmp_path, boards, 0)[(0, "p1")]["state"] == "down"
    assert links(tmp_path, boards, 1)[(0, "p0")]["state"] == "down"
    boards.say("plug 0 1")
    assert shell(tmp_path, boards, again).rstrip().endswith("ok")


@pytest.mark.long
def test_zipf_traffic(tmp_path, plane):
    """All together, the PEs receive what the law says."""
    *_, four, _ = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(), re.S)
    route, *setup, uniform = four.splitlines()
    boards, packets, pes = plane(), 3000, 2 * BOARDS
    shell(tmp_path, boards, "\n".join([route, *setup]))
    said = json.loads(shell(tmp_path, boards, re.sub(r"--uniform 8 --seconds 5", f"--zipf 8 --packets {packets} --cells 2 --json",
                                                     uniform)))
    law = {dest: sum(traffic_oracle.zipf_chances(pe, pes, 1, 1).get(dest, 0) for pe in range(pes)) / pes for dest in range(pes)}
    came = {nic["address"]: nic["came"] for nic in said["nics"]}
    assert said["ok"] and sum(came.values()) == packets * pes
    assert abs(traffic_oracle.chi_square_deviation(came, law)) < 3.3, came


@pytest.mark.long
def test_wrong_bits_are_repeated_and_nothing_is_lost(tmp_path, plane):
    *_, four, _ = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(), re.S)
    boards = plane("--skew", "2", "--jitter", "4001")
    assert shell(tmp_path, boards, four).rstrip().endswith("ok")
    boards.say("errors 30000")
    assert shell(tmp_path, boards, four.splitlines()[-1]).rstrip().endswith("ok")
    assert sum(link["crc_errors"] for link in links(tmp_path, boards, 0).values()) > 0
