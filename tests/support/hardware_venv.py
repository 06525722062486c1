# SPDX-License-Identifier: Apache-2.0
"""Tools of hardware engineers from PyPI, in the virtual environment that make builds (.ci/requirements-hardware.txt)."""

import functools
import os
import subprocess

from repository import ROOT


@functools.cache
def program(name):
    """The path of a program there."""
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL")}
    (ROOT / "build").mkdir(exist_ok=True)
    subprocess.run(["flock", "build/test-venv-hardware.lock", "make", "-s", "build/venv-hardware/done"], cwd=ROOT, env=environment, check=True)
    return ROOT / "build/venv-hardware/bin" / name
