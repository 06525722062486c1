# SPDX-License-Identifier: Apache-2.0
"""`extorus eye` of a board whose clock has one phase only."""

import subprocess

from processor_time import limited
from served import COMMAND


def test_a_phase_that_is_fixed(boards):
    board = boards("torus:2x1", "extoll", 1)[0]
    done = subprocess.run([COMMAND, "eye", "--device", board.uri], capture_output=True, text=True, **limited(60), check=False)
    assert done.returncode == 2 and "the phase of this board's links is fixed" in done.stderr and len(done.stderr.splitlines()) == 1
