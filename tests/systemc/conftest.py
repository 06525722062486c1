# SPDX-License-Identifier: Apache-2.0
"""Programs of the SystemC library."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ENVIRONMENT = {**os.environ, "EXTORUS_PLUGIN_DIR": str(ROOT / "build" / "plugins"),
               "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}


def run(program, *words, folder=None, timeout=300, **environment):
    """The finished process; time is a matter of the machine's load."""
    return subprocess.run([str(program), *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=timeout,
                          env={**ENVIRONMENT, **environment})


@pytest.fixture
def network(tmp_path):
    """network("torus:2", engine="model", ...) -> (result, packet log) of the library's traffic on a SystemC network."""

    def on_systemc(where, program=ROOT / "build" / "systemc" / "run", **settings):
        log = tmp_path / "systemc.csv"
        words = [f"{name}={value}" for name, value in settings.items()]
        done = run(program, where, *words, f"log={log}", folder=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout.splitlines()[-1]), log.read_text()

    return on_systemc
