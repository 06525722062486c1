# SPDX-License-Identifier: Apache-2.0
"""The traffic generator and checker by Icarus Verilog, what it must notice, and seeded faults of its own."""

import re
import subprocess

import pytest

import traffic_oracle
from processor_time import limited
from repository import ROOT
from seeded import with_fault

PROFILE = "node"
PACKETS = 400
OWN, COLUMNS = 5, 512  # of the bench
FAULTS = {
    "number-stands": (r"number_q <= clear_q \? '0 : number_d", "number_q <= '0"),
    "always-the-same-destination": (r"step\(random_q\);", "random_q;"),
    "table-read-off-by-one": (r"\.raddr_i\(column\)", ".raddr_i(column + 1'b1)"),
    "table-written-off-by-one": (r"\.waddr_i\(address_i\[ColumnBits-1:0\]\)", ".waddr_i(address_i[ColumnBits-1:0] + 1'b1)"),
    "limit-turned-round": (r"random_q\[15:0\] < word", "random_q[15:0] >= word"),
    "never-the-other-number": (r": word\[IdBits-1:0\]", ": IdBits'(column)"),
    "column-and-limit-by-the-same-bits": (r"random_q\[31-:ColumnBits\]", "random_q[15-:ColumnBits]"),
    "to-itself": (r"drawn >= from_q", "1'b0"),
    "no-rate": (r"& enough & ~limited", "& ~limited"),
    "no-limit": (r"& enough & ~limited", "& enough"),
    "payload-unchecked": (r"\(card_tdata_i != payload\(expect_q\)\)", "1'b0"),
    "bridge-interleaved": (r"\| \(bridge_tvalid_i & \(passing_q \| ~send_q\)\)", "| bridge_tvalid_i"),
}

ZERO = 4096  # added to latencies
CLOCK_FAULTS = {
    "drift-ignored": (r"drift_q <= wdata_i\[23:0\]", "drift_q <= '0"),
    "drift-without-sign": (r"\{1'b0, \{8\{drift_q\[23\]\}\}, drift_q\}", "{9'd0, drift_q}"),
    "no-borrow": (r" - \{1'b0, drift_q\[23\]\};", ";"),
    "step-ignored": (r"we_clock \? wdata_i :", "1'b0 ? wdata_i :"),
    "stamp-stands": (r"CellBits'\(clock\[15:0\]\)", "CellBits'(16'd7)"),
    "stamp-of-the-last-cell": (r"take && !inside_q\) stamp_q", "take) stamp_q"),
    "ends-at-the-header": (r"ended_q <= ends", "ended_q <= take & !inside_q"),
    "least-is-the-last": (r"latency_q < least_q", "1'b1"),
    "greatest-is-the-last": (r"latency_q > greatest_q", "1'b1"),
}


def alias_words(chances):
    """A table of those chances, {number: chance}: a column too low is filled up by the highest one."""
    height = {column: chances.get(column, 0.0) * COLUMNS for column in range(COLUMNS)}
    words = {}
    while height:
        low, high = min(height, key=height.get), max(height, key=height.get)
        limit = round(height.pop(low) * 65536)
        if low == high or limit >= 65536:
            words[low] = low
        else:
            words[low] = limit << 16 | high
            height[high] -= 1 - limit / 65536
    return [words[column] for column in range(COLUMNS)]


def zipf(folder, pes, exponent, packets, **more):
    """Deviation of what the generator draws from the law, in standard deviations, and what else the bench says."""
    chances = traffic_oracle.zipf_chances(OWN, pes, 1, exponent)
    file = folder / "table"
    file.write_text("".join(f"{word:08x}\n" for word in alias_words(chances)))
    n = bench(folder, f"+table={file}", f"+pes={pes}", "+cells=2", f"+packets={packets}", **more)
    counts = {int(name[2:]): value for name, value in n.items() if name.startswith("to")}
    assert sum(counts.values()) + n["errors"] >= packets
    return traffic_oracle.chi_square_deviation(counts, chances), n


def bench(folder, *plus, fault=None):
    faulty = with_fault(folder, [ROOT / "rtl/board/xt_traffic.sv"], fault and ("xt_traffic.sv", *fault))
    packages = [ROOT / "rtl" / "generated" / PROFILE / name for name in ("xt_pkg.sv", "xt_bridge_pkg.sv")]
    parts = [ROOT / path for path in ("rtl/board/xt_stream_slice.sv", "rtl/mem/xt_ram_1r1w.sv", "tests/system/board_pins/traffic.sv")]
    subprocess.run(["iverilog", "-g2012", "-o", folder / "bench", *packages, *faulty, *parts], check=True,
                   stderr=subprocess.DEVNULL)
    said = subprocess.run(["vvp", folder / "bench", *plus], capture_output=True, text=True, **limited(200), check=True).stdout
    return {name: int(value) for name, value in re.findall(r"^(\w+) (\d+)$", said, re.M)}


def clean(n):
    return (n["errors"] == 0 and n["seen"] == n["sent"] == n["came"] == PACKETS and n["sent_sum"] == n["came_sum"]
            == PACKETS * (PACKETS - 1) // 2 and n["wrong"] == n["stray"] == 0)


@pytest.mark.parametrize("cells", [1, 3, 8])
def test_line_rate_and_all_come_back(tmp_path, cells):
    n = bench(tmp_path, f"+cells={cells}")
    assert clean(n), n
    # Single cells wait for their destinations to be drawn.
    assert n["cycles"] <= (PACKETS * cells * 1.02 if cells > 1 else PACKETS * 4), n


@pytest.mark.parametrize("rate", [0.05, 0.3])
def test_rate(tmp_path, rate):
    n = bench(tmp_path, "+cells=4", f"+rate={round(rate * 65536)}")
    assert clean(n)
    assert PACKETS * 4 / n["cycles"] == pytest.approx(rate, rel=0.02)


def test_uniform(tmp_path):
    n = bench(tmp_path, "+uniform=11", "+cells=2")
    counts = [value for name, value in n.items() if name.startswith("to")]
    assert n["errors"] == 0 and len(counts) == 10 and sum(counts) == PACKETS
    mean = PACKETS / 10
    assert sum((count - mean) ** 2 / mean for count in counts) < 27.9, counts  # chi-square, 9 degrees, 0.1 %


@pytest.mark.parametrize("pes, exponent", [(8, 1), (31, 0), (200, 0.8), (512, 1), (8, 3)])
def test_zipf(tmp_path, pes, exponent):
    deviation, n = zipf(tmp_path, pes, exponent, 20000)
    assert n["errors"] == 0 and abs(deviation) < 3.3, deviation  # 0.1 %


@pytest.mark.parametrize("spoil, wrong", [(1, "wrong"), (2, "came"), (3, "came"), (4, "stray"), (5, "wrong")])
def test_what_is_wrong_is_noticed(tmp_path, spoil, wrong):
    n = bench(tmp_path, "+cells=3", f"+spoil={spoil}")
    assert n["errors"] == 0 and n["sent"] == PACKETS
    assert n["wrong"] == (wrong == "wrong") and n["stray"] == (wrong == "stray")
    assert n["came"] - n["sent"] == {2: -1, 3: 1}.get(spoil, 0)
    assert (n["came_sum"] == n["sent_sum"]) == (wrong != "came")


def right_times(n, drift=0, step=0):
    """Latencies are those at the pins and the cycle before, and the clock goes as it was told."""
    cycles = n["cycle_then"] - n["cycle"]
    passed = (n["clock_then"] - n["clock"] - (step - 1 if step else 0)) % 2**32
    latencies = (n["latency_high"] << 32 | n["latency"]) - ZERO * n["came"]
    least, greatest = (n["range"] & 0xFFFF) - ZERO, (n["range"] >> 16) - ZERO
    return (n["drift"] == drift % 2**32 and abs(passed - cycles * (1 + drift / 2**32)) <= 1
            and (drift or step or (latencies == n["passed"] + n["came"] and (least, greatest) == (n["least"] + 1, n["greatest"] + 1))))


TIMES = [{}, {"drift": 2**22 - 5}, {"drift": -(2**23)}, {"drift": 77, "step": 30000}, {"drift": -3, "step": 2**32 - 70000}]


@pytest.mark.parametrize("times", TIMES)
def test_times(tmp_path, times):
    n = bench(tmp_path, "+cells=3", "+rate=16384", "+gaps=1", *(f"+{name}={value}" for name, value in times.items()))
    assert clean(n) and right_times(n, **times), n
    assert n["greatest"] > n["least"]


@pytest.mark.parametrize("fault", CLOCK_FAULTS)
def test_a_fault_of_the_clock_is_seen(tmp_path, fault):
    right = [right_times(bench(tmp_path, "+cells=3", "+rate=16384", "+gaps=1", *(f"+{name}={value}" for name, value in times.items()),
                               fault=CLOCK_FAULTS[fault]), **times) for times in (TIMES[0], TIMES[2], TIMES[3])]
    assert not all(right)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_seen(tmp_path, fault):
    apart = bench(tmp_path, "+cells=3", "+rate=16384", fault=FAULTS[fault])
    spread = bench(tmp_path, "+uniform=11", "+cells=2", fault=FAULTS[fault])
    fast = bench(tmp_path, "+cells=2", fault=FAULTS[fault])
    spoiled = bench(tmp_path, "+cells=3", "+spoil=1", fault=FAULTS[fault])
    counts = [value for name, value in spread.items() if name.startswith("to")]
    deviation, drawn = zipf(tmp_path, 400, 1, 8000, fault=FAULTS[fault])
    law = abs(deviation) < 3.3 and drawn["errors"] == 0
    rate = clean(apart) and clean(fast) and 0.24 < PACKETS * 3 / apart["cycles"] < 0.26
    assert not (law and rate and spread["errors"] == 0 and max(counts) < 80 and spoiled["wrong"] == 1)
