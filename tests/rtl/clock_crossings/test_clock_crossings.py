# SPDX-License-Identifier: Apache-2.0
"""The constraints name every path between two clocks of a board, and no other; yosys' netlist shows the paths."""

import re
import subprocess

import pytest

from clock_domains import Domains, netlist
from processor_time import limited
from repository import ROOT, rtl

pytestmark = pytest.mark.slow
FOLDER = ROOT / "constraints/crossings"
LISTS = ("node_sources.f", "mem/mem.f")
USB = ("rtl/frontend/usb/xt_usb.sv", "rtl/frontend/xt_async_fifo.sv", "rtl/board/xt_board_reset.sv")


def found(folder, mutation=None):
    """Crossings of a node with links at pins and the FIFO of an FTDI chip, and of the native USB front end."""
    subprocess.run([ROOT / "build/extorus", "gen", "--profile", "node", "-o", folder], check=True, **limited(60))
    packages = [folder / "xt_pkg.sv", folder / "xt_bridge_pkg.sv"]

    def mutated(paths):
        for path in paths:
            text = path.read_text()
            if mutation and path.stem == mutation[0]:
                assert text.count(mutation[1]) == 1
                path = folder / path.name
                path.write_text(text.replace(*mutation[1:]))
            yield path

    board = netlist("xt_board_top", [*packages, *mutated(rtl(*LISTS))], [ROOT / "rtl/card/xt_card.sv"], {"Front": 3, "Links": 1}, folder)
    usb = netlist("xt_usb", [*packages, *mutated(ROOT / path for path in USB)], [], {}, folder)
    return {("board",) + pair for pair in Domains(board).crossings()} | {("usb",) + pair for pair in Domains(usb).crossings()}


@pytest.fixture(scope="module")
def crossings(tmp_path_factory):
    return found(tmp_path_factory.mktemp("crossings"))


def in_vivado(name):
    """A register of the netlist as Vivado names its cell."""
    path, register, bit = re.fullmatch(r"(?:(.*)\.)?(\w+)(\[\d+\])?", name).groups()
    return f"top/{path or ''}/{register}_reg{bit or ''}".replace(".", "/").replace("//", "/")


def in_quartus(name):
    return "top|" + name.replace(".", "|")


FORMS = {"xdc": (r"{NAME =~ ([^}|]+?)(?:/(?:CLR|D))?}", in_vivado), "sdc": (r"{([^}]+)}", in_quartus)}


def rules(form, text):
    """(line, from, to) of each exception; None: anything."""
    pattern, _ = FORMS[form]
    for line in text.splitlines():
        if re.match(r"set_(max_delay|false_path) ", line):
            both = {side: re.search(rf"-{side} \[[^{{]*{pattern}", line) for side in ("from", "to")}
            yield line, *((both[side] and both[side][1]) for side in ("from", "to"))


def matches(glob, names, spell):
    parts = [".*" if part == "*" else re.escape(part) for part in re.split(r"(\*)", glob or "*")]
    return any(re.fullmatch("".join(parts) + r"(\[\d+\])?", spell(name)) for name in names)


def differences(form, text, crossings):
    """Crossings without a constraint, and constraints without a crossing."""
    spell, used, wrong = FORMS[form][1], set(), []
    for _, source, target in crossings:
        hits = {line for line, begin, end in rules(form, text) if matches(begin, source, spell) and matches(end, target, spell)}
        used |= hits
        if not hits:
            wrong.append((source, target))
    return wrong, [line for line, *_ in rules(form, text) if line not in used]


@pytest.mark.parametrize("form", FORMS)
def test_every_crossing_is_named(crossings, form):
    assert len(crossings) > 20
    assert differences(form, (FOLDER / f"crossings.{form}").read_text(), crossings) == ([], [])


@pytest.mark.parametrize("form", FORMS)
def test_a_missing_constraint_and_one_too_many_are_found(crossings, form):
    text = (FOLDER / f"crossings.{form}").read_text()
    lines = [line for line, *_ in rules(form, text)]
    assert len(lines) > 7
    for line in lines:
        assert differences(form, text.replace(line + "\n", ""), crossings)[0], line
    more = lines[0].replace("write_gray_q", "write_grey_q")
    assert differences(form, text + more + "\n", crossings) == ([], [more])


def test_a_crossing_without_a_synchronizer_is_found(tmp_path):
    mutation = ("xt_async_fifo", "write_gray_q != (read_sync_q", "write_gray_q != (read_gray_q")
    assert differences("xdc", (FOLDER / "crossings.xdc").read_text(), found(tmp_path, mutation))[0]


def test_synchronizers_are_marked(crossings):
    """The target of each path of one bit or a pointer is kept as a synchronizer."""
    text = (FOLDER / "crossings.xdc").read_text()
    marked = set(re.findall(r"/(\w+)_reg", "".join(line for line in text.splitlines() if "ASYNC_REG" in line)))
    targets = {re.sub(r"\[\d+\]", "", name.split(".")[-1]) for _, source, target in crossings for name in target
               if not source[0].endswith(".mem")}
    assert {"write_seen_q", "read_seen_q", "lock_q", "rx_rst_q", "seen_q", "run_q"} <= targets & marked
