#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Loads the bitstream of a board into it by openFPGALoader."""

import argparse
import os
import shutil
import subprocess
import sys

from boards import Board, Failed, ROOT


def program(board):
    packed = board.bitstream
    if not packed.exists():
        raise Failed(f"no {packed}: run `make bitstream BOARD={board.short}`")
    if not shutil.which("openFPGALoader"):
        raise Failed("no openFPGALoader in PATH: apt-get install openfpgaloader")
    return subprocess.run(["openFPGALoader", "-b", board.program, str(packed)], check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("board")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    try:
        return 3 if program(Board(arguments.board)) else 0
    except Failed as error:
        print(f"program.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
