# SPDX-License-Identifier: Apache-2.0
"""The boards: a folder of constraints/ with board.json is one."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "synth"))
from tools import ROOT, Failed  # noqa: E402

CONSTRAINTS = pathlib.Path("constraints")
EXTENSION = {"ecp5": "bit", "ice40": "bin"}
RTL = ("rtl", "rtl/bridge", "rtl/board")


class Board:
    """What board.json says:

    name, device    as on the board and in its data sheet
    family          of targets.py, whose folder of constraints/ has modules made of its primitives
    nextpnr         options that choose device, package and speed grade; none: it is not built by open tools
    top             the module; the file is TOP.sv of the board's folder
    parameters      of it that differ from its own
    profile         of the cards
    clock_khz       of the cards, what the board has to reach
    program         name of the board for openFPGALoader
    """

    def __init__(self, name):
        self.folder = CONSTRAINTS / name
        path = ROOT / self.folder / "board.json"
        if not path.exists():
            raise Failed(f"no board {name!r}; there are {', '.join(names())}")
        said = json.loads(path.read_text())
        self.short = name
        self.name, self.device, self.family = said["name"], said["device"], said["family"]
        self.nextpnr, self.top, self.profile = said["nextpnr"], said["top"], said["profile"]
        self.parameters, self.clock_khz, self.program = said.get("parameters", {}), said["clock_khz"], said["program"]

    @property
    def pins(self):
        """The file that says which port is at which pin."""
        return next(path for path in sorted((ROOT / self.folder).glob("pins.*"))).relative_to(ROOT)

    @property
    def out(self):
        """Where everything about its bitstream is left."""
        return pathlib.Path("build") / f"boards-{self.short}"

    @property
    def bitstream(self):
        return self.out / f"{self.short}.{EXTENSION[self.family]}"

    def sources(self, profile):
        """Sources of the top, the packages first."""
        generated = [f"rtl/generated/{profile}/{package}.sv" for package in ("xt_pkg", "xt_bridge_pkg")]
        folders = (*RTL, CONSTRAINTS / self.family, self.folder)
        return generated + [str(path.relative_to(ROOT)) for folder in folders for path in sorted((ROOT / folder).glob("*.sv"))]


def names():
    return sorted(path.parent.name for path in (ROOT / CONSTRAINTS).glob("*/board.json"))


def main(words):
    """usage: boards.py sources BOARD: what a front end of Verilog needs for the top of a board: its name, then files."""
    if len(words) != 2 or words[0] != "sources":
        sys.exit(main.__doc__)
    board = Board(words[1])
    print(board.top, *board.sources(board.profile))


if __name__ == "__main__":
    main(sys.argv[1:])
