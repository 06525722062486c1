# SPDX-License-Identifier: Apache-2.0
"""No success is claimed whose output was lost, and no output takes the place of an input or of another output."""

import fcntl
import json
import os
import resource
import signal
import subprocess
import zlib

import pytest

from repository import ROOT

COMMAND = os.environ.get("EXTORUS", str(ROOT / "build" / "extorus"))
NETWORK = {"cards": 3, "links": [[0, 0, 1, 1], [1, 0, 2, 1]]}


@pytest.fixture
def files(extorus):
    extorus("route", "torus:2x2", "--profile", "mini", "--algorithm", "dor", "-o", "a.img")
    extorus("workload", "generate", "halo", "--ranks", "4", "-o", "a.goal")
    (extorus.folder / "net.json").write_text(json.dumps(NETWORK))
    (extorus.folder / "matrix").write_text("0 1\n1 0\n")
    return extorus


@pytest.mark.parametrize("line", [
    "route torus:2x2 --algorithm dor -o new.img --csv ./new.img", "route --from a.img --fail-link 0:1 -o a.img",
    "route file:net.json --profile mini --algorithm updown -o net.json", "check a.img --cdg a.img",
    "check a.img --transition a.img --rewrites ./a.img", "topo torus:4x4 --dot t --csv t", "topo file:net.json --svg net.json",
    "trace a.img 0 1 --svg a.img", "trace a.img 0 1 --svg t --dot t", "layout torus:4x4 --csv t --dot t",
    "crossings torus:4x4 --matrix matrix --csv matrix", "sim a.img --packet-log a.img", "sim a.img --heat-map t --channel-load t",
    "sim a.img --matrix matrix --packet-log ../{here}/matrix", "dump --device model:a.img -o a.img",
    "workload convert a.goal a.goal", "workload stats a.goal --svg a.goal", "workload replay a.img a.goal --timeline a.goal",
])
def test_an_output_that_is_another_file_of_the_command(files, line):
    before = {path.name: path.read_bytes() for path in files.folder.iterdir()}
    files(*line.format(here=files.folder.name).split(), status=2, stderr="name another file")
    assert {path.name: path.read_bytes() for path in files.folder.iterdir()} == before


def test_outputs_may_be_thrown_away_together(files):
    files("topo", "torus:4x4", "--dot", "/dev/null", "--csv", "/dev/null")


@pytest.mark.parametrize("line", ["--help", "--version", "help", "load --help", "topo --usage", "check --version",
                                  "topo torus:4x4", "topo torus:4x4 --json", "check a.img", "topo torus:4x4 --csv -"])
def test_standard_output_that_is_full(files, line):
    with open("/dev/full", "w") as full:
        done = subprocess.run([COMMAND, *line.split()], cwd=files.folder, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 2 and "standard output" in done.stderr and done.stderr.count("\n") == 1, done.stderr


def no_room():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))


@pytest.mark.parametrize("line", ["sim a.img --engine model --measure 300 --heat-map out", "topo torus:8x8 --svg out.svg",
                                  "topo torus:8x8 --csv out", "route torus:8x8 --algorithm dor -o out",
                                  "sim a.img --engine model --measure 3000 --packet-log out", "trace a.img 0 1 --svg out"])
def test_a_disk_that_is_full(files, line):
    """Status 2, the reason, and no half file."""
    before = sorted(path.name for path in files.folder.iterdir())
    done = subprocess.run([COMMAND, *line.split()], cwd=files.folder, capture_output=True, text=True, timeout=60,
                          preexec_fn=no_room)
    assert done.returncode == 2 and "File too large" in done.stderr, done.stderr
    assert sorted(path.name for path in files.folder.iterdir()) == before


def test_what_a_killed_program_left_goes(files):
    """The next output of that name removes it; not what a program still writes, and no other file."""
    others = ("a.img.tmp", "a.img.xt-1-.tmp", "a.img.xt-1-0.tmp~", "b.img.xt-1-0.tmp", "a.imgxt-1-0.tmp", "a.img.xt-x1-0.tmp")
    for name in ("a.img.xt-1-0.tmp", "a.img.xt-234567-99.tmp", "a.img.xt-2-0.tmp", *others):
        (files.folder / name).write_text("")
    (files.folder / "a.img.xt-3-0.tmp").symlink_to("a.goal")
    (files.folder / "a.img.xt-4-0.tmp").mkdir()
    before = {path.name for path in files.folder.iterdir()}
    with (files.folder / "a.img.xt-2-0.tmp").open() as written:
        fcntl.flock(written, fcntl.LOCK_EX)
        files("route", "torus:2x2", "--profile", "mini", "--algorithm", "updown", "-o", "a.img")
    assert before - {path.name for path in files.folder.iterdir()} == {"a.img.xt-1-0.tmp", "a.img.xt-234567-99.tmp"}


def test_bits_that_the_profile_lacks(files):
    """A second TC in an entry of a profile with one is refused before a load can take it for damaged memory."""
    image = bytearray((files.folder / "a.img").read_bytes()[:-4])
    image[-1] = 0x80  # of the last LRT entry
    (files.folder / "bad.img").write_bytes(image + zlib.crc32(image).to_bytes(4, "little"))
    files("check", "bad.img", status=1, stderr="a table entry with a TC that the profile does not have")


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_file_that_is_replaced_keeps_its_mode(files, mode):
    """What its owner keeps from others stays so."""
    image = files.folder / "a.img"
    before = image.read_bytes()
    image.chmod(mode)
    files("route", "torus:2x2", "--profile", "mini", "--algorithm", "updown", "-o", "a.img")
    assert image.stat().st_mode & 0o777 == mode and image.read_bytes() != before
    files("topo", "torus:2x2", "--csv", "new.csv")
    assert (files.folder / "new.csv").stat().st_mode & 0o777 == 0o666 & ~umask()


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("name, text, line", [
    ("weights", "src,dst,weight\n0,1,2\n1,0,1\n", "sim a.img --engine model --measure 300 --matrix weights"),
    ("places", "3\n1\n2\n0\n", "collective alltoall --ranks 4 --on a.img --map file:places"),
    ("net.json", json.dumps(NETWORK), "topo file:net.json"), ("a.goal", None, "workload stats a.goal")],
    ids=["matrix", "map", "network", "trace"])
def test_a_byte_order_mark(files, name, text, line):
    """Some editors and spreadsheets write one at the begin of a text."""
    path = files.folder / name
    said = []
    text = text or path.read_text()
    for mark in ("", "\ufeff"):
        path.write_text(mark + text)
        said.append([words for words in files(*line.split()).splitlines() if "card-cycles" not in words])
    assert said[0] == said[1] and said[0]
