# SPDX-License-Identifier: Apache-2.0
"""Published collectives done again: what interrupts them, and that agreement follows from the data."""

import json
import re
import zlib

from test_reproduce import named


def collectives(extorus, *words):
    table, = json.loads(extorus("reproduce", "collectives", "--json", "-o", "out", *words))
    return table


def test_quick_collectives(extorus):
    table = collectives(extorus, "--quick")
    assert table["wrong"] == 0 and table["agreement"].startswith("Nothing is published") and len(table["rows"]) == 16
    rows = {(row["collective"], row["bytes"], row["metric"]): row["here"] for row in table["rows"]}
    # A block of 32 cells from each of 63 others cannot have arrived sooner; a cell takes a hop of 32 cycles at least.
    assert min(rows["alltoall", 512, "time"]) > 63 * 32 and min(rows["reduce", 16, "latency"]) > 32
    results = extorus.folder / "out/collectives/runs.jsonl"
    lines = results.read_text()
    assert lines.count("\n") == 17 and collectives(extorus, "--quick") == table and results.read_text() == lines
    # What was interrupted goes on where it was.
    results.write_text("".join(line + "\n" for line in lines.splitlines()[:9]) + '{"key": {"coll')
    assert collectives(extorus, "--quick") == table
    assert "16 bytes" in extorus("reproduce", "collectives", "--quick", "-o", "out")


def hash_of(extorus, spec, algorithm, rest):
    """By which a network is known in the results: of its image."""
    adaptive = ["--adaptive"] if rest else []
    extorus("route", spec, "--algorithm", algorithm, "--ties", "positive", *adaptive, "-o", "hashed.img")
    image = (extorus.folder / "hashed.img").read_bytes()
    return f"{zlib.crc32(image[:-4]):08x}{zlib.adler32(image):08x}"


def test_agreement_of_collectives_follows_the_data(extorus):
    """With the published figures as results all agree; with those of the networks exchanged, none."""
    collectives(extorus, "--quick")
    results = extorus.folder / "out/collectives/runs.jsonl"
    header, first, *_ = results.read_text().splitlines()
    simulator = json.loads(first)["key"]["simulator"]
    group, = [group for group in named("collectives")["groups"] if group["ranks"] == 256]
    assert len(group["rows"]) == 8

    hashes = {}

    def write(way, times=1.0):
        lines = [header]
        for row in group["rows"]:
            for network, latency, time in zip(group["networks"], row["latency"][::way], row["time"][::way]):
                spec, algorithm, *rest = re.split(r"[@+]", network["network"])
                image_hash = hashes.get(network["network"]) or hashes.setdefault(network["network"], hash_of(extorus, spec, algorithm, rest))
                key = {"network": f"{spec}@{'+'.join([algorithm, 'positive-ties', *rest])}/extoll;inject-wait=0", "image_hash": image_hash,
                       "simulator": simulator, "collective": row["collective"], "bytes": row["bytes"], "ranks": 256}
                lines.append(json.dumps({"key": key, "result": {"ok": True, "network_cell_latency": {"mean": latency * times},
                                                                "execution_cycles": time * times}}))
        results.write_text("\n".join(lines) + "\n")

    write(1)
    assert collectives(extorus, "--group", "256")["agreement"].startswith(
        "16 of 16 published comparisons have the published sign; the reductions are 0.0 percentage points")
    write(1, 1.1)
    table = collectives(extorus, "--group", "256")
    assert table["agreement"].startswith("16 of 16") and " are 0.0 " in table["agreement"]
    assert (extorus.folder / "out/collectives/table.md").read_text().count("+10.0 %, +10.0 %") == 16
    write(-1)
    assert collectives(extorus, "--group", "256")["agreement"].startswith("0 of 16")
