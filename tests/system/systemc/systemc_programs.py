# SPDX-License-Identifier: Apache-2.0
"""Programs of the SystemC library."""

import os
import subprocess

from processor_time import limited
from repository import ROOT

ENVIRONMENT = {**os.environ, "EXTORUS_PLUGIN_DIR": str(ROOT / "build" / "plugins"),
               "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}


def run(program, *words, folder=None, timeout=300, **environment):
    """The finished process; time is a matter of the machine's load."""
    return subprocess.run([str(program), *map(str, words)], cwd=folder, capture_output=True, text=True, **limited(timeout),
                          env={**ENVIRONMENT, **environment})
