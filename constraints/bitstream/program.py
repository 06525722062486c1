#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Loads the bitstream of a board into it by openFPGALoader."""

import argparse
import os
import shlex
import shutil
import subprocess
import sys

from boards import ROOT, Board, Failed


def program(board, dry_run):
    packed = board.bitstream
    if not shutil.which("openFPGALoader"):
        raise Failed("no openFPGALoader in PATH: apt-get install openfpgaloader")
    command = ["openFPGALoader", "-b", board.program, str(packed)]
    if dry_run:
        print(shlex.join(command))
        return 0
    if not packed.exists():
        raise Failed(f"no {packed}: run `make bitstream BOARD={board.short}`")
    return subprocess.run(command, check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("board")
    parser.add_argument("--dry-run", action="store_true", help="only say the command")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    try:
        return 3 if program(Board(arguments.board), arguments.dry_run) else 0
    except Failed as error:
        print(f"program.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
