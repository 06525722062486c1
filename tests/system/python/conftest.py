# SPDX-License-Identifier: Apache-2.0
"""The package, unpacked from its wheel as an installation has it."""

import importlib
import os
import subprocess
import sys

import pytest

from processor_time import limited
from repository import ROOT


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """A folder with the installed wheel."""
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    subprocess.run(["make", "-s", "wheel"], cwd=ROOT, check=True, env=environment, **limited(600))
    [wheel] = (ROOT / "build/python").glob("extorus-*.whl")
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--no-index", "--target",
                    folder, wheel], check=True, **limited(60))
    return folder


@pytest.fixture(scope="session")
def package(site):
    sys.path.insert(0, str(site))
    return importlib.import_module("extorus")
