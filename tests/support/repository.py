# SPDX-License-Identifier: Apache-2.0
"""Where things are in the tree that is tested."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "constraints" / "synth"))
from tools import file_list  # noqa: E402

PROFILES = sorted(path.stem[len("profile_"):] for path in (ROOT / "host" / "params").glob("profile_*.c")
                  if ".model_only = 1," not in path.read_text())
# Profiles whose benches and slower linters `make test` runs; those of the others are long.
EVERYDAY_PROFILES = (ROOT / "tests" / "everyday_profiles").read_text().split()


def rtl(*lists):
    """Paths of the RTL that file lists below rtl/ name: rtl("card_sources.f", "bridge/bridge.f")."""
    return [ROOT / file for name in lists for file in file_list(name)]
