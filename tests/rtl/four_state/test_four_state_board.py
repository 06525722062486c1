# SPDX-License-Identifier: Apache-2.0
"""A board runs in a simulator with four states: each byte to the host is known, from the first INFO to a reset."""

import re
import subprocess
import sys

import pytest

from processor_time import limited
from repository import ROOT, rtl
from seeded import with_fault

sys.path.append(str(ROOT / "tests" / "rtl" / "bridge"))
import protocol  # noqa: E402

GENERATED = [ROOT / "rtl" / "generated" / "mini" / name for name in ("xt_pkg.sv", "xt_bridge_pkg.sv")]
SILENT = 0x100
CELLS, PACKETS = 3, 3


def number(name):
    found = re.search(rf"localparam .* {name} = (\d+'h)?([0-9a-f]+);", "".join(path.read_text() for path in GENERATED))
    return int(found[2], 16 if found[1] else 10)


PACKET = [(CELLS - 1) << number("HdrLenLsb"), 0xffffffff, 0]


class Host:
    """What a host says, in order, and what it expects: `asked` has the kind of each request."""

    def __init__(self):
        self.bytes, self.asked, self.sequence = [SILENT] * 8, [], 0

    def ask(self, kind, unit=0, argument=0, words=()):
        self.bytes += [*protocol.encode(protocol.Frame(kind, 0, self.sequence, 0, unit, argument, words)), SILENT]
        self.asked.append(kind)
        self.sequence += kind != protocol.INFO

    def read(self, address, count=1):
        self.ask(protocol.READ, count - 1, address)

    def write(self, address, *words):
        self.ask(protocol.WRITE, 0, address, words)


def script():
    """Reads all that a board has before anything is written, then uses it."""
    host, nic, traffic = Host(), 4, number("RegTrafficControl")
    host.ask(protocol.INFO)
    host.ask(protocol.SYNC, words=[number("Version")])
    host.read(number("RegMagic"), 8)
    host.ask(protocol.STREAM)
    host.read(number("RegWindow"), 4)
    host.read(number("RegLinkWords"), 8)
    host.read(traffic, 15)
    host.write(number("RegTablePorts"), 0x1F)
    for address in (0, 1):
        host.write(number("RegLrt") + 8 * address, nic | 1 << 15, 0)
        host.read(number("RegLrt") + 8 * address, 2)
    host.ask(protocol.RECEIVE, words=[0x300])
    for _ in range(PACKETS):
        host.ask(protocol.INJECT, words=PACKET)
    host.ask(protocol.RECEIVE, argument=len(PACKET) + 1, words=[0x300 | protocol.REWIND])
    host.ask(protocol.STREAM)
    host.ask(protocol.RESET)
    host.ask(protocol.STREAM)
    host.ask(protocol.INFO)
    return host


def simulate(folder, host, fault=None):
    """Frames of the board, and the bench's last line."""
    sources = with_fault(folder, rtl("card_sources.f", "bridge/bridge.f", "board/board.f"), fault)
    (folder / "host").write_text("\n".join(f"{byte:x}" for byte in host.bytes))
    subprocess.run(["iverilog", "-g2012", "-s", "four_state_board", "-o", folder / "bench", *GENERATED, *sources,
                    ROOT / "tests/rtl/four_state/four_state_board.sv"], check=True, capture_output=True, **limited(300))
    said = subprocess.run(["vvp", "-n", folder / "bench", f"+host={folder / 'host'}", f"+length={len(host.bytes)}"],
                          capture_output=True, text=True, **limited(300)).stdout.split("\n")
    *said, last = [line for line in said if line]
    if last != "PASS":
        return [], last
    return [protocol.decode(part) for part in bytes.fromhex("".join(said)).split(b"\x7e") if part], last


def test_a_board_runs(tmp_path):
    host = script()
    frames, last = simulate(tmp_path, host)
    assert last == "PASS"
    answers = [frame for frame in frames if frame.kind not in (protocol.PACKET, protocol.EVENT)]
    assert [frame.kind for frame in answers] == [kind | 0x80 for kind in host.asked]
    assert all(frame.status == protocol.OK for frame in answers), answers
    # One comes again, for REWIND.
    assert [frame.words for frame in frames if frame.kind == protocol.PACKET] == [PACKET] * (2 * PACKETS - 1)


# The reset of one register that the fault takes out.
FAULTS = {"registers": ("xt_board_registers.sv", r" words_q  <= '0;\n"), "events": ("xt_bridge_outbox.sv", r" number_q      <= '0;\n"),
          "traffic": ("xt_traffic.sv", r" clear_q   <= 1'b1;\n")}


@pytest.mark.parametrize("fault", ["registers", *(pytest.param(fault, marks=pytest.mark.long) for fault in ("events", "traffic"))])
def test_what_is_unknown_is_found(fault, tmp_path):
    assert simulate(tmp_path, script(), (*FAULTS[fault], "\n"))[1].startswith("FAIL")
