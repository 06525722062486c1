# SPDX-License-Identifier: Apache-2.0
"""Comparisons done again: all of them run, and what is said of agreement follows from the data."""

import json

import pytest

from repository import ROOT

NAMES = ["torus-5dt", "3dt-configurations", "2d-3dt", "bubble-vcs", "selection", "twisted", "pruned", "dort-ts-dor", "collectives"]
EXPERIMENTS = json.loads((ROOT / "sim/experiments/reproductions/experiments.json").read_text())


def test_list(extorus):
    told = json.loads(extorus("reproduce", "--list", "--json"))
    assert [entry["name"] for entry in told] == NAMES == [entry["name"] for entry in EXPERIMENTS]
    assert all(entry["published"] for entry in told)
    text = extorus("reproduce", "--list")
    assert all(name in text for name in NAMES)


@pytest.mark.parametrize("name", NAMES[:-1])
def test_quick(extorus, name):
    table, = json.loads(extorus("reproduce", name, "--quick", "--json", "-o", "out"))
    assert table["name"] == name and table["quick"] and table["wrong"] == 0 and table["claims"]
    folder = extorus.folder / "out" / name
    text = (folder / "table.md").read_text()
    assert table["agreement"] in text
    for claim in table["claims"]:
        assert claim["claim"] in text and claim["ours"] in text
    pictures = sorted(path.name for path in folder.glob("*.svg"))
    assert len(pictures) == 3 * sum(1 for group in EXPERIMENTS[NAMES.index(name)]["groups"] if group.get("quick"))
    judged = [claim["verdict"] for claim in table["claims"] if claim["verdict"] != "-"]
    if judged:
        assert table["agreement"].startswith(f"{judged.count('agrees')} of {len(judged)} published comparisons")
        assert f"{judged.count('DISAGREES')} disagree" in table["agreement"]
    else:
        assert table["agreement"].startswith("Nothing is published")


def scale_results(path, names, factor):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines[1:]:
        value = line["result"]
        for name in names[:-1]:
            value = value[name]
        value[names[-1]] *= factor
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.parametrize("factor, verdict, sentence", (
    (3.0, "agrees", "1 of 2 published comparisons come out as published"),
    (0.3, "DISAGREES", "0 of 2 published comparisons come out as published")))
def test_agreement_follows_the_data(extorus, factor, verdict, sentence):
    """Results are altered in the file, and the verdict changes with them."""
    extorus("reproduce", "2d-3dt", "--quick", "-o", "out")
    winner = extorus.folder / "out" / "2d-3dt" / "64-pes_3dt-4x4x2.jsonl"
    scale_results(winner, ("accepted_load",), factor)
    scale_results(winner, ("network_latency", "packet", "mean"), 2.0)
    table, = json.loads(extorus("reproduce", "2d-3dt", "--quick", "--json", "-o", "out"))
    verdicts = {claim["claim"].split(":")[0]: claim["verdict"] for claim in table["claims"]}
    assert verdicts["more throughput"] == verdict
    assert verdicts["less latency"] == "DISAGREES"
    assert table["agreement"].startswith(sentence)


def test_noise_is_no_agreement(extorus):
    """Latencies that are equal within their confidence are called so."""
    extorus("reproduce", "2d-3dt", "--quick", "-o", "out")
    folder = extorus.folder / "out" / "2d-3dt"
    for name in ("64-pes_3dt-4x4x2.jsonl", "64-pes_2d-torus-8x8.jsonl"):
        lines = [json.loads(line) for line in (folder / name).read_text().splitlines()]
        for line in lines[1:]:
            line["result"]["network_latency"]["packet"].update(mean=100.0 if "3dt" in name else 100.5, ci95=2.0)
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    table, = json.loads(extorus("reproduce", "2d-3dt", "--quick", "--json", "-o", "out"))
    assert [claim["verdict"] for claim in table["claims"] if "latency" in claim["claim"]] == ["within noise"]


def test_analytic_figures_are_those_of_the_command(extorus):
    """Constant pins: `extorus latency` says the same of the same networks."""
    extorus("reproduce", "pruned", "--quick", "-o", "out")
    rows = [line for line in (extorus.folder / "out" / "pruned" / "table.md").read_text().splitlines()
            if line.startswith("| pruned |")]
    analytic = [float(row.split("|")[5]) for row in rows if row.split("|")[5].strip() != "-"]
    model = next(entry for entry in EXPERIMENTS if entry["name"] == "pruned")["analytic"]
    told = json.loads(extorus("latency", "pruned:4x4x4", "--packet-bits", str(24 * 128), "--pins", str(12 * 128), "--router",
                              str(model["router"]), "--wire", str(model["wire"]), "--json", "--load",
                              ",".join(str(float(row.split("|")[2]) * 128) for row in rows)))
    network = told["networks"][0] if "networks" in told else told[0]
    values = json.dumps(network)
    for value in analytic:
        assert any(abs(found - value) <= 0.051 for found in numbers(json.loads(values))), (value, values[:500])


def numbers(value):
    if isinstance(value, dict):
        return [number for item in value.values() for number in numbers(item)]
    if isinstance(value, list):
        return [number for item in value for number in numbers(item)]
    return [value] if isinstance(value, (int, float)) else []


def test_only_some_groups(extorus):
    for group, claims in (("128,none", 2), ("none", 0)):
        table, = json.loads(extorus("reproduce", "torus-5dt", "--quick", "--json", "--group", group, "-o", "out"))
        assert len(table["claims"]) == claims


def test_wrong_words(extorus):
    extorus("reproduce", status=2, stderr="--list")
    extorus("reproduce", "perpetuum-mobile", status=2, stderr="perpetuum-mobile")
    assert "Examples:" in extorus("reproduce", "--help")


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


def test_agreement_of_collectives_follows_the_data(extorus):
    """With the published figures as results all agree; with those of the networks exchanged, none."""
    collectives(extorus, "--quick")
    results = extorus.folder / "out/collectives/runs.jsonl"
    header = results.read_text().splitlines()[0]
    group, = [group for group in EXPERIMENTS[-1]["groups"] if group["ranks"] == 256]
    assert len(group["rows"]) == 8

    def write(way, times=1.0):
        lines = [header]
        for row in group["rows"]:
            for network, latency, time in zip(group["networks"], row["latency"][::way], row["time"][::way]):
                name = network["network"].split("@")
                key = {"network": f"{name[0]}@{name[1]}/extoll", "collective": row["collective"], "bytes": row["bytes"], "ranks": 256}
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
