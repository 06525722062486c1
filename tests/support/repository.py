# SPDX-License-Identifier: Apache-2.0
"""Where things are in the tree that is tested."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "constraints" / "synth"))
from tools import file_list  # noqa: E402

_TABLES = {path.stem[len("profile_"):]: path.read_text() for path in (ROOT / "host" / "params").glob("profile_*.c")}
ALL_PROFILES = sorted(_TABLES)
# Those that have RTL.
PROFILES = sorted(name for name, table in _TABLES.items() if ".model_only = 1," not in table)
EVERYDAY_PROFILES = (ROOT / "tests" / "everyday_profiles").read_text().split()
EVERYDAY_BENCHES = (ROOT / "tests" / "everyday_benches").read_text().split()


def rtl(*lists):
    """Paths of the RTL that file lists below rtl/ name: rtl("card_sources.f", "bridge/bridge.f")."""
    return [ROOT / file for name in lists for file in file_list(name)]
