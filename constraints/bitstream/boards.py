# SPDX-License-Identifier: Apache-2.0
"""The boards: every folder of constraints/boards with board.json."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "synth"))
from tools import ROOT, Failed, file_list  # noqa: E402

CONSTRAINTS = pathlib.Path("constraints/boards")
EXTENSION = {"ecp5": "bit", "ice40": "bin", "xilinx7": "bit"}
USB_RTL = "rtl/frontend/usb"
USB_MADE = "build/usb"  # by `make usb-core`
USB_GENERATED = {"full": ("xt_usb_core", "xt_usb_pins"), "high": ("xt_usb_core", "xt_usb_ulpi")}
STANDINS = pathlib.Path("sim/standins")


class Board:
    """The fields of board.json:

    name, device    as on the board and in its data sheet
    family          of targets.py; rtl/fpga/FAMILY has modules made of its primitives
    nextpnr         options for device, package and speed grade; empty: open tools do not build this board
    top             the module, in TOP.sv of the board's folder
    parameters      of the top, where they differ from its defaults
    profile         of the cards
    profiles        for each profile that needs them, parameters of the top besides
    crowded         for each profile that needs them, further options of nextpnr
    clock_khz       of the cards, unless ClockKhz is among the parameters; the bitstream must reach it
    seed            of place and route, if not 1
    program         name of the board for openFPGALoader
    rehearsal       profile of the cards of sim/board_mesh, if not that of the bitstream
    usb             "full" or "high": speed of the native USB front end; absent: no such front end
    """

    def __init__(self, name, profile=None):
        self.folder = CONSTRAINTS / name
        path = ROOT / self.folder / "board.json"
        if not path.exists():
            raise Failed(f"no board {name!r}; there are {', '.join(names())}")
        said = json.loads(path.read_text())
        self.short = name
        self.name, self.device, self.family = said["name"], said["device"], said["family"]
        self.nextpnr, self.top, self.profile = said["nextpnr"], said["top"], said["profile"]
        self.profiles = said.get("profiles", {})
        self.parameters = {**said.get("parameters", {}), **self.profiles.get(profile or self.profile, {})}
        self.nextpnr = self.nextpnr + said.get("crowded", {}).get(profile or self.profile, [])
        self.clock_khz, self.program = self.parameters.get("ClockKhz", said["clock_khz"]), said["program"]
        self.usb, self.rehearsal = said.get("usb"), said.get("rehearsal", said["profile"])
        self.seed = said.get("seed", 1)  # of place and route

    @property
    def pins(self):
        """The file that gives each port its pin."""
        return next(path for path in sorted((ROOT / self.folder).glob("pins.*"))).relative_to(ROOT)

    @property
    def out(self):
        """The folder of everything about the bitstream."""
        return pathlib.Path("build") / f"boards-{self.short}"

    @property
    def bitstream(self):
        return self.out / f"{self.short}.{EXTENSION[self.family]}"

    def sources(self, profile):
        """Sources of the top, the packages first."""
        generated = [f"rtl/generated/{profile}/{package}.sv" for package in ("xt_pkg", "xt_bridge_pkg")]
        own = (str(path.relative_to(ROOT)) for path in sorted((ROOT / self.folder).glob("*.sv")))
        return [*generated, *file_list("card_sources.f"), *file_list("node_sources.f"), *file_list(f"fpga/{self.family}/{self.family}.f"), *own,
                *self.usb_sources()]

    def usb_sources(self):
        """Sources of the native USB front end."""
        if not self.usb:
            return []
        return [f"{USB_RTL}/xt_usb.sv", f"{USB_RTL}/xt_usb_{self.usb}.sv",
                *(f"{USB_MADE}/{self.usb}/{name}.v" for name in USB_GENERATED[self.usb])]


def with_standins(sources, generated_only=False):
    """The options of Verilator that put each module's stand-in in its place, then the sources with the stand-ins' own."""
    options, found = [], []
    for source in map(pathlib.PurePath, sources):
        standin = STANDINS / f"{source.stem}_standin.sv"
        if (ROOT / standin).exists() and not (generated_only and source.suffix == ".sv"):
            options.append(f"-D{source.stem.upper()}={standin.stem}")
            source = standin
        found.append(str(source))
    return [*options, *found]


def names():
    return sorted(path.parent.name for path in (ROOT / CONSTRAINTS).glob("*/board.json"))


def main(words):
    """usage: boards.py profiles BOARD
              boards.py sources|lint|mesh BOARD [PROFILE]
    The profiles of a board: its own, and those with parameters of the top. Or the top of a board, then its sources; for lint
    also its parameters, with stand-ins for what `make usb-core` writes; for sim/board_mesh also its parameters, with all stand-ins."""
    if words[:1] == ["profiles"] and len(words) == 2:
        board = Board(words[1])
        print(*dict.fromkeys([board.profile, *board.profiles]))
        return
    if len(words) not in (2, 3) or words[0] not in ("sources", "lint", "mesh"):
        sys.exit(main.__doc__)
    board = Board(words[1])
    profile = words[2] if len(words) == 3 else board.rehearsal if words[0] == "mesh" else board.profile
    board = Board(words[1], profile)
    sources = board.sources(profile)
    if words[0] != "sources":
        sources = [*(f"-G{name}={value}" for name, value in board.parameters.items()),
                   *with_standins(sources, generated_only=words[0] == "lint")]
    print(board.top, *sources)


if __name__ == "__main__":
    main(sys.argv[1:])
