# SPDX-License-Identifier: Apache-2.0
"""Codes that move the cursor go to terminals that know them; a state folder that cannot be written is named."""

import os
import pty
import subprocess

import pytest

from processor_time import limited
from served import COMMAND

WATCH = ["watch", "--device", "model:torus:2x2;profile=mini", "--count", "2", "--interval", "10"]


def shown(words, term, folder):
    """What a terminal of this kind gets, output and errors."""
    master, slave = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "TERM"}
    process = subprocess.Popen([COMMAND, *words], stdin=slave, stdout=slave, stderr=slave, cwd=folder,
                               env={**environment, **({} if term is None else {"TERM": term})})
    os.close(slave)
    text = b""
    while True:
        try:
            text += os.read(master, 65536)
        except OSError:
            break
    os.close(master)
    assert process.wait() == 0, text
    return text


@pytest.mark.parametrize("term, codes", [("xterm", True), ("dumb", False), ("", False), (None, False)])
def test_watch(tmp_path, term, codes):
    text = shown(WATCH, term, tmp_path)
    assert (b"\x1b[" in text) == codes and text.count(b"card port") == 2


@pytest.mark.parametrize("term", ["dumb", None])
def test_progress(tmp_path, term):
    subprocess.run([COMMAND, "route", "torus:8x8", "--algorithm", "dor", "-o", "net.img"], cwd=tmp_path, check=True, capture_output=True)
    for words in (["sim", "net.img", "--engine", "model", "--load", "0.3"], ["sweep", "torus:4", "--routing", "dor", "--load", "0.1,0.2", "--no-plot",
                                                                            "-o", "swept"],
                  ["collective", "alltoall", "--ranks", "64", "--bytes", "2000", "--on", "net.img"]):
        text = shown(words, term, tmp_path).replace(b"\r\n", b"\n")
        assert b"\x1b" not in text and b"\r" not in text, words


@pytest.mark.parametrize("variables, named", [
    ({"EXTORUS_STATE_DIR": "/dev/null/state"}, "/dev/null/state"), ({"EXTORUS_STATE_DIR": "", "XDG_STATE_HOME": "/proc/none"}, "/proc/none/extorus"),
    ({"EXTORUS_STATE_DIR": "", "XDG_STATE_HOME": "", "HOME": "/dev/full"}, "/dev/full/.local/state/extorus")])
def test_a_state_folder_that_cannot_be_written(board, variables, named):
    done = subprocess.run([COMMAND, "load", str(board.images / "new.img"), "--device", board.uri], capture_output=True, text=True, **limited(60),
                          env={**board.environment, **variables})
    assert done.returncode == 2 and f"the state folder, {named} (EXTORUS_STATE_DIR names another): " in done.stderr, done
    assert "nothing was changed" in done.stderr and ("exists" in done.stderr or "No such" in done.stderr or "Not a dir" in done.stderr)
    board.run("verify", str(board.images / "old.img"))
