# SPDX-License-Identifier: Apache-2.0
"""The state machines of the bridge leave every value of their registers, and each seeded dead end is found."""

import re
import subprocess

import pytest

import protocol
from processor_time import limited
from repository import ROOT, rtl
from seeded import with_fault

GENERATED = [ROOT / "rtl" / "generated" / "mini" / name for name in ("xt_pkg.sv", "xt_bridge_pkg.sv")]
FAULTS = {
    "sequencer": ("xt_bridge_sequencer.sv", r"default: state_q <= Wait;", "default: ;"),
    "outbox": ("xt_bridge_outbox.sv", r"default: state_q <= Choose;", "default: ;"),
    "frame-without-end": ("xt_bridge_outbox.sv", r"sending_q && !busy_i", "1'b0"),
    "access-that-is-not": ("xt_bridge_sequencer.sv", r"done_i \|\| !busy_i", "done_i"),
    "receiver": ("xt_bridge_receiver.sv", r"else if \(!full_q\[work_q\]\)", "else if (1'b0)"),
}


def bench(folder, fault=None):
    sources = with_fault(folder, [ROOT / "rtl/mem/xt_ram_1r1w.sv", *rtl("bridge/bridge.f")], fault)
    request = protocol.encode(protocol.Frame(protocol.INFO, argument=1))
    (folder / "request").write_text("\n".join(f"{byte:02x}" for byte in request))
    subprocess.run(["iverilog", "-g2012", "-s", "encodings", "-o", folder / "bench", *GENERATED, *sources,
                    ROOT / "tests/rtl/bridge/encodings.sv"], check=True, stderr=subprocess.DEVNULL)
    done = subprocess.run(["vvp", "-n", folder / "bench", f"+request={folder / 'request'}", f"+length={len(request)}"],
                          stdout=subprocess.PIPE, text=True, **limited(300))
    return done.stdout


def test_every_value_is_left(tmp_path):
    said = bench(tmp_path)
    assert said.strip().splitlines()[-1] == "PASS", said


@pytest.mark.parametrize("fault", FAULTS)
def test_a_dead_end_is_found(fault, tmp_path):
    said = bench(tmp_path, FAULTS[fault])
    assert re.search(r"value \d+ is not left", said), said
