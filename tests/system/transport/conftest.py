# SPDX-License-Identifier: Apache-2.0
"""Two images, and a board with one of them loaded."""

import subprocess

import pytest

from served import COMMAND, NETWORK, Board


@pytest.fixture(scope="session")
def images(tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    for name, algorithm in (("old", "dor"), ("new", "updown")):
        subprocess.run([COMMAND, "route", NETWORK, "--profile", "mini", "--algorithm", algorithm, "-o",
                        str(folder / f"{name}.img")], check=True, capture_output=True)
    return folder


@pytest.fixture
def board(tmp_path, images):
    it = Board(tmp_path, images)
    it.load("old")
    yield it
    it.close()
