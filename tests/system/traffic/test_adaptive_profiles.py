# SPDX-License-Identifier: Apache-2.0
"""Profiles without RTL: adaptive routing with DORT or bubble as its escape at full load. Nothing stalls, and the cards drain."""

import csv

import pytest

import image_file

FULL = ("--load", 1, "--warmup", 300, "--measure", 1500)
PACKETS = (("--packet", "4"), ("--packet", "16"), ("--packet", "1-32"))
BUBBLE = ["torus:8x8", "torus:5x5x3", "torus:16", "rtt:8x4", "ptt:8x4x4", "pdtt:8x4x4"]
DORT = ["twin:4x4x4,config=D", "twin:5x4x3", "twin:4x2x4,config=C", "twin:5x5,config=d1+d1-", "twin:3x2x2x2x2"]


@pytest.mark.parametrize("spec, algorithm, packets", [
    *((spec, "bubble", PACKETS[i % 3]) for i, spec in enumerate(BUBBLE)), *((spec, "dort", PACKETS[i % 3]) for i, spec in enumerate(DORT))])
def test_saturated(network, sim, spec, algorithm, packets):
    image = network(spec, "--adaptive", algorithm=algorithm)
    result, _ = sim(image, *FULL, *packets)
    assert result["saturated"] and result["drained"] and result["ok"]


@pytest.mark.parametrize("spec, algorithm", (("torus:8x8", "bubble"), ("twin:4x4x4,config=D", "dort")))
@pytest.mark.parametrize("select", ("rr", "2-priority"))
def test_threads_and_cells_change_nothing(network, sim, spec, algorithm, select):
    """By events on one thread and on two, and cell by cell."""
    image = network(spec, "--adaptive", algorithm=algorithm)
    words = ("--load", 0.9, "--packet", "1-16", "--warmup", 200, "--measure", 600, "--select", select)
    one, packets = sim(image, *words)
    assert one["ok"]
    assert packets == sim(image, *words, "--threads", 2)[1]
    assert packets == sim(image, *words, "--no-skip")[1]


def test_the_large_local_table_is_written_by_registers(extorus):
    """Also beyond the 4,096 entries that RTL has addresses for."""
    extorus("route", "torus:2", "--algorithm", "bubble", "--adaptive", "-o", "image")
    image = extorus.folder / "image"
    image.write_bytes(image_file.with_longer_table(image.read_bytes(), links=6, nics=1, tcs=2, entries=8192))
    rows = list(csv.DictReader(extorus("dump", "--device", "model:image", "--image", "image", "--card", "1").splitlines()))
    entries = {(int(row["index"]), int(row["tc"])): row["port"] for row in rows if row["table"] == "lrt"}
    assert set(entries) == {(index, tc) for index in range(8192) for tc in range(2)}
    assert {port for (index, _), port in entries.items() if index > 1} == {entries[0, 0]}


@pytest.mark.parametrize("spec", ["torus:6x5", "rtt:8x4"])
def test_input_queued(network, sim, spec):
    result, _ = sim(network(spec, "--adaptive", algorithm="bubble"), *FULL, "--packet", 16, "--switch", "input-queued", "--port-buffer", 192)
    assert result["saturated"] and result["drained"] and result["ok"]


def test_dort_has_two_adaptive_vcs_in_rings(extorus, network):
    """2 + 2 VCs at the links of rings and 4 + 4 at the internal one, as the buffers are divided."""
    image = network("twin:4x4x4,config=D", "--adaptive", algorithm="dort")
    words = ("sim", image, "--engine", "model", "--backdoor", "--load", "1", "--tc", "0", "--packet", "32", "--switch", "input-queued")
    for flits, says in ((127, "gives each of the 4 VCs at port 0 31 flits"), (255, "gives each of the 8 VCs at port ")):
        extorus(*words, "--port-buffer", str(flits), status=2, stderr=says)
    extorus(*words, "--port-buffer", "256", "--measure", "300")
