# SPDX-License-Identifier: Apache-2.0
"""Every output is busy at full load, whether or not inputs send to the output of their own number. The orders of iSLIP decide: if
inputs take outputs in rising order too, N ports without such cells stay near N - 1 pairs."""

import subprocess

import pytest

from processor_time import limited
from repository import ROOT
from seeded import with_fault

SOURCES = [ROOT / "rtl" / name for name in ("arb/xt_matrix_arbiter.sv", "arb/xt_round_robin_order.sv", "switch/xt_islip.sv",
                                            "switch/xt_islip_choice.sv")]
BOTH_RISE = ("xt_islip.sv", r"Outputs - 1 - o;", "o;")
FIXED_ACCEPT = ("xt_islip.sv", r"(accept_order_q\[i\*AcceptPairs\+:AcceptPairs\]) <= order;", r"\1 <= \1;")


def between(ports):
    """Cells in a thousand turns, halfway between N - 1 and N busy outputs."""
    return 1000 - 500 // ports


def load(folder, ports, own, iterations=1, seed=1, fault=None):
    """Cells that leave in a thousand turns, per output."""
    sources = with_fault(folder, SOURCES, fault)
    program = folder / "islip_load.vvp"
    parameters = {"Ports": ports, "Own": own, "Iterations": iterations, "Seed": seed}
    subprocess.run(["iverilog", "-g2012", "-o", program, "-s", "islip_load",
                    *(f"-Pislip_load.{name}={value}" for name, value in parameters.items()), *sources,
                    ROOT / "tests/rtl/switch/islip_load.sv"], check=True, capture_output=True, **limited(60))
    done = subprocess.run(["vvp", "-n", program], stdout=subprocess.PIPE, text=True, check=True, **limited(120))
    return int(done.stdout)


@pytest.mark.parametrize("iterations", [1, 2])
@pytest.mark.parametrize("own", [0, 1], ids=["without_own_output", "with_own_output"])
@pytest.mark.parametrize("ports", [4, 7])
def test_every_output_is_busy(ports, own, iterations, tmp_path):
    assert load(tmp_path, ports, own, iterations) >= between(ports)


@pytest.mark.long
@pytest.mark.parametrize("ports", range(4, 9))
@pytest.mark.parametrize("seed", range(2, 6))
def test_every_output_is_busy_at_other_sizes(ports, seed, tmp_path):
    for own in (0, 1):
        assert load(tmp_path, ports, own, 1, seed) >= between(ports), own


@pytest.mark.parametrize("fault", [BOTH_RISE, FIXED_ACCEPT], ids=["both-rise", "fixed-accept"])
def test_an_order_that_locks_is_found(fault, tmp_path):
    assert load(tmp_path, 7, 0, 1, 1, fault) < between(7) - 30
