# SPDX-License-Identifier: Apache-2.0
"""Images, and one or several boards."""

import pytest

from served import Board, make_images, route


@pytest.fixture(scope="session")
def images(tmp_path_factory):
    return make_images(tmp_path_factory.mktemp("images"), "mini")


@pytest.fixture
def board(tmp_path, images):
    it = Board(tmp_path, images)
    it.load("old")
    yield it
    it.close()


@pytest.fixture
def boards(tmp_path):
    made = []

    def make(network, profile, count=2):
        for number in range(count):
            folder = tmp_path / str(number)
            folder.mkdir()
            made.append(Board(folder, {}, network=network, profile=profile))
        return made

    yield make
    for board in made:
        board.close()


@pytest.fixture(scope="session")
def torus(tmp_path_factory):
    """Of two boards of two cards each."""
    return route("torus:2x2", "mini", "dor", tmp_path_factory.mktemp("list") / "torus.img")
