# SPDX-License-Identifier: Apache-2.0
"""Networks of SystemC modules."""

import json

import pytest

from systemc_programs import ROOT, run


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
