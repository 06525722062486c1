# SPDX-License-Identifier: Apache-2.0
"""Two images, and a board with one of them loaded."""

import pytest

from served import Board, make_images


@pytest.fixture(scope="session")
def images(tmp_path_factory):
    return make_images(tmp_path_factory.mktemp("images"), "mini")


@pytest.fixture
def board(tmp_path, images):
    it = Board(tmp_path, images)
    it.load("old")
    yield it
    it.close()
