# SPDX-License-Identifier: Apache-2.0
"""The 8b/10b code by what makes it one, whoever wrote its tables, and words that every description of it has; and seeded faults."""

import re
import subprocess

import pytest

from processor_time import limited
from repository import ROOT
from seeded import with_fault

# {(control, byte, disparity): code}; D0.0, D21.5, D10.2, D31.7, D17.7 with the alternative A7, K28.5, K27.7.
KNOWN = {(0, 0x00, 0): "1001110100", (0, 0x00, 1): "0110001011", (0, 0xB5, 0): "1010101010", (0, 0x4A, 1): "0101010101",
         (0, 0xFF, 0): "1010110001", (0, 0xFF, 1): "0101001110", (0, 0xF1, 0): "1000110111", (1, 0xBC, 0): "0011111010",
         (1, 0xBC, 1): "1100000101", (1, 0xFB, 0): "1101101000"}
FAULTS = {
    "a-wrong-six": (r"5'd19: six_low = 6'b110010", "5'd19: six_low = 6'b110100"),
    "no-alternative": (r"low = alternate \? 4'b0111 : 4'b1110", "low = 4'b1110"),
    "D7-stays": (r" \|\| five == 5'd7\)", ")"),
    "D3-stays": (r" \|\| data\[7:5\] == 3'd3\)", ")"),
    "disparity-of-four-forgotten": (r"\$countones\(four\) == 2 && disparity", "$countones(four) == 2"),
    "control-not-turned": (r"4'b0101: three = \(control && code\[9:4\] == 6'b110000\)", "4'b0101: three = (1'b0)"),
}


def tables(folder, fault=None):
    sources = with_fault(folder, [ROOT / "rtl/phy/xt_8b10b_code.sv"], fault and ("xt_8b10b_code.sv", *fault))
    subprocess.run(["iverilog", "-g2012", "-o", folder / "bench", *sources, ROOT / "tests/rtl/phy/code.sv"], check=True,
                   stderr=subprocess.DEVNULL)
    said = subprocess.run(["vvp", folder / "bench"], capture_output=True, text=True, **limited(100), check=True).stdout
    encode = {(int(k), int(d), int(r)): (c, int(a)) for k, d, r, c, a in re.findall(r"^encode (\d) (\d+) (\d) (\d+) (\d)$", said, re.M)}
    decode = {(c, int(r)): (int(k), int(d)) for c, r, k, d in re.findall(r"^decode (\d+) (\d) (\d) (\d+)$", said, re.M)}
    return encode, decode


def wrong(encode, decode):
    """What is wrong with the code, in words."""
    if len(encode) != 2 * (256 + 12):
        yield "bytes are missing"
    for (control, byte, disparity), (code, after) in encode.items():
        balance = code.count("1") - code.count("0")
        # What was sent never has more than one zero or one more of either at the end of a code.
        if (balance, after) not in ((0, disparity), (-2 if disparity else 2, 1 - disparity)):
            yield f"{byte:#x} after {disparity} is out of balance: {code}"
        if decode.get((code, disparity)) != (control, byte):
            yield f"{code} is not taken for {byte:#x}"
    if set(decode) != {(code, disparity) for (_, _, disparity), (code, _) in encode.items()}:
        yield "a code is taken that is none"
    if len(decode) != len(encode):
        yield "two bytes have the same code"
    for known, code in KNOWN.items():
        if encode[known][0] != code:
            yield f"{known} is {encode[known][0]}, not {code}"
    # K28.7 is for nothing but tests: with what follows it makes a comma at another place.
    used = {key: value for key, value in encode.items() if key[:2] != (1, 0xFC)}
    starts = {0: [], 1: []}
    for (control, byte, disparity), (code, _) in used.items():
        starts[disparity].append(code)
    for (control, byte, _), (code, after) in used.items():
        for following in starts[after]:
            both = code + following
            if "000000" in both or "111111" in both:
                yield f"{both}: six of the same"
            if re.search(r"(?=0011111|1100000)", both[1:16]):
                yield f"{both}: a comma where none begins"


def test_the_code(tmp_path):
    assert not list(wrong(*tables(tmp_path)))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_seen(tmp_path, fault):
    assert any(wrong(*tables(tmp_path, FAULTS[fault])))
