# SPDX-License-Identifier: Apache-2.0
"""The boards: a folder of constraints/boards with board.json is one."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "synth"))
from tools import ROOT, Failed, file_list  # noqa: E402

CONSTRAINTS = pathlib.Path("constraints/boards")
EXTENSION = {"ecp5": "bit", "ice40": "bin", "xilinx7": "bit"}
USB_RTL = "rtl/frontend/usb"
# Modules that `make usb-core` writes, by speed; stand-ins of the same names do nothing.
USB = {"full": ("xt_usb_core", "xt_usb_pins"), "high": ("xt_usb_core", "xt_usb_ulpi")}
USB_MADE, USB_STAND_INS = "build/usb", "sim/standins"
PLANE = "sim/standins"


class Board:
    """What board.json says:

    name, device    as on the board and in its data sheet
    family          of targets.py, whose folder of rtl/fpga has modules made of its primitives
    nextpnr         options that choose device, package and speed grade; none: it is not built by open tools
    top             the module; the file is TOP.sv of the board's folder
    parameters      of it that differ from its own
    profile         of the cards
    clock_khz       of the cards, what the board has to reach
    seed            of place and route, if 1 does not end
    program         name of the board for openFPGALoader
    rehearsal       profile of the cards of sim/board_mesh, if it is not that of the bitstream
    usb             "full" or "high": the speed of its native USB front end; none: there is none
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
        self.usb, self.rehearsal = said.get("usb"), said.get("rehearsal", said["profile"])
        self.seed = said.get("seed", 1)  # of place and route

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

    def sources(self, profile, stand_ins=False):
        """Sources of the top, the packages first; with stand-ins for what `make usb-core` writes, if it shall not matter."""
        generated = [f"rtl/generated/{profile}/{package}.sv" for package in ("xt_pkg", "xt_bridge_pkg")]
        own = (str(path.relative_to(ROOT)) for path in sorted((ROOT / self.folder).glob("*.sv")))
        return [*generated, *file_list("card.f"), *file_list("node.f"), *file_list(f"fpga/{self.family}/{self.family}.f"), *own,
                *self.usb_sources(stand_ins)]

    def usb_sources(self, stand_ins):
        """Of the native USB front end."""
        if not self.usb:
            return []
        made = [f"{USB_STAND_INS}/{name}.sv" if stand_ins else f"{USB_MADE}/{self.usb}/{name}.v" for name in USB[self.usb]]
        return [f"{USB_RTL}/xt_usb.sv", f"{USB_RTL}/xt_usb_{self.usb}.sv", *made]


def names():
    return sorted(path.parent.name for path in (ROOT / CONSTRAINTS).glob("*/board.json"))


def main(words):
    """usage: boards.py sources|rehearsal BOARD: the name of the top of a board, then the files that lint needs, or sim/board_mesh, where
    what stands in its folder for a module of the board does."""
    if len(words) != 2 or words[0] not in ("sources", "rehearsal"):
        sys.exit(main.__doc__)
    board = Board(words[1])
    if words[0] == "sources":
        print(board.top, *board.sources(board.profile, stand_ins=True))
    else:
        instead = {path.name: str(path.relative_to(ROOT)) for path in (ROOT / PLANE).glob("*.sv")}
        print(board.top, *(instead.get(pathlib.Path(file).name, file) for file in board.sources(board.rehearsal, stand_ins=True)))


if __name__ == "__main__":
    main(sys.argv[1:])
