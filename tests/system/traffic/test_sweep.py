# SPDX-License-Identifier: Apache-2.0
"""Sweeps: the same as single runs, worked out over seeds, kept and gone on with, refused where they must be."""

import fcntl
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess

import pytest

from repository import ROOT

SHORT = ("--warmup", "100", "--measure", "300")
TABLE = {2: 12.706, 3: 4.303, 4: 3.182}  # Student's t for so many values, 97.5 %, from a printed table


@pytest.fixture
def sweep(extorus):
    """sweep("torus:4x2", "--seeds", 2) -> the JSON, and the lines of results."""

    def run(*words, status=0, stderr=None):
        text = extorus("sweep", *map(str, words), *SHORT, "--json", "--no-plot", "-o", "out", status=status, stderr=stderr)
        lines = (extorus.folder / "out" / "results.jsonl").read_text().splitlines()
        return json.loads(text) if text else None, lines

    return run


def rounded(value):
    """Numbers as text of 12 digits, at any depth."""
    return json.loads(json.dumps(value), parse_float=lambda text: f"{float(text):.12g}")


def results(lines):
    return [json.loads(line) for line in lines[1:]]


def test_runs_are_those_of_sim(extorus, sweep, network, sim):
    told, lines = sweep("twin:2x2", "torus:4x2", "--load", "0.2,0.6", "--seeds", 2, "--traffic", "uniform,nearest")
    assert len(lines) == 1 + 16 and len(told) == 8
    for line in results(lines):
        key, result = line["key"], line["result"]
        spec = key["network"].partition("@")[0]
        single, _ = sim(network(spec), "--load", key["load"], "--seed", key["seed"], "--traffic", key["traffic"], *SHORT)
        for name in set(single) - {"image", "wall_seconds", "card_cycles_per_second"}:
            assert rounded(result[name]) == rounded(single[name]), name


def test_means_and_confidence(sweep):
    told, lines = sweep("torus:4x2", "--load", "0.5", "--seeds", 4, "--seed", 10)
    assert {line["key"]["seed"] for line in results(lines)} == {10, 11, 12, 13}
    for name, path in (("accepted_load", ("accepted_load",)), ("network_latency_cell", ("network_latency", "cell", "mean")),
                       ("end_to_end_latency_packet", ("end_to_end_latency", "packet", "mean")),
                       ("link_utilisation_max", ("link_utilisation", "max")), ("energy_pj_per_cell", ("energy_pj_per_cell",))):
        values = []
        for line in results(lines):
            value = line["result"]
            for step in path:
                value = value[step]
            values.append(value)
        assert told[0][name]["mean"] == pytest.approx(statistics.mean(values))
        assert told[0][name]["ci95"] == pytest.approx(TABLE[4] * statistics.stdev(values) / math.sqrt(4), rel=1e-3)


def test_goes_on_where_it_was(extorus, sweep):
    first, lines = sweep("torus:4x2", "--load", "0.2", "--seeds", 2)
    again, same = sweep("torus:4x2", "--load", "0.2", "--seeds", 2)
    assert again == first and same == lines
    _, more = sweep("torus:4x2", "twin:2x2", "--load", "0.2,0.4", "--seeds", 3)
    assert more[:3] == lines and len(more) == 1 + 12
    assert len({json.dumps(line["key"], sort_keys=True) for line in results(more)}) == 12
    # Kept results are taken as they are, not made again.
    path = extorus.folder / "out" / "results.jsonl"
    changed = [json.loads(line) for line in more]
    for line in changed[1:]:
        line["result"]["accepted_load"] = 0.125
    path.write_text("".join(json.dumps(line) + "\n" for line in changed))
    told, _ = sweep("torus:4x2", "twin:2x2", "--load", "0.2,0.4", "--seeds", 3)
    assert {point["accepted_load"]["mean"] for point in told} == {0.125}


@pytest.mark.parametrize("cut", (1, 40, 300))
def test_a_last_line_that_was_cut_off_is_done_again(extorus, sweep, cut):
    first, lines = sweep("torus:4x2", "--load", "0.2", "--seeds", 3)
    path = extorus.folder / "out" / "results.jsonl"
    path.write_text(path.read_text()[:-cut])
    told, mended = sweep("torus:4x2", "--load", "0.2", "--seeds", 3, stderr="cut off")
    assert told == first and len(mended) == len(lines)
    # The head alone, cut off.
    path.write_text(lines[0][:20])
    assert sweep("torus:4x2", "--load", "0.2", "--seeds", 3, stderr="cut off")[0] == first


def without(line, name):
    changed = json.loads(line)
    del changed["result"][name]
    return json.dumps(changed)


@pytest.mark.parametrize("spoil", (
    lambda line: line[:50], lambda line: '{"key": 1}', lambda line: "[]", lambda line: without(line, "accepted_load"),
    lambda line: without(line, "network_latency"), lambda line: line.replace('"accepted_load":', '"accepted_load": "1", "was":')))
def test_lines_without_a_result_are_done_again(extorus, sweep, spoil):
    first, lines = sweep("torus:4x2", "--load", "0.2", "--seeds", 2)
    path = extorus.folder / "out" / "results.jsonl"
    path.write_text("".join(line + "\n" for line in (lines[0], spoil(lines[1]), *lines[2:])))
    again, more = sweep("torus:4x2", "--load", "0.2", "--seeds", 2, stderr="results.jsonl:2: no key and whole result")
    assert again == first and len(more) == len(lines) + 1


def test_a_network_file_that_has_changed_is_another_network(extorus, sweep):
    def network(cables):
        (extorus.folder / "net.json").write_text(json.dumps({"cards": 3, "links": cables}))

    ring = [[0, 0, 1, 1], [1, 0, 2, 1], [2, 0, 0, 1]]
    network(ring)
    first, lines = sweep("file:net.json@layered/mini", "--load", "0.2")
    network(ring[:2])
    second, more = sweep("file:net.json@layered/mini", "--load", "0.2")
    assert len(more) == len(lines) + 1 and first != second
    assert json.loads(more[0])["common"]["program"]


def test_matrices_that_come_through_a_pipe_are_told_apart(extorus):
    """Their names are the same, and what was in a pipe cannot be read again."""
    def piped(matrix):
        words = [extorus.command, "sweep", "torus:2x2", "--matrix", "/dev/stdin", "--load", "0.2", *SHORT, "--no-plot", "--json", "-o", "out"]
        return subprocess.run(words, cwd=extorus.folder, input="src,dst,weight\n" + matrix, capture_output=True, text=True)

    first, other = piped("0,1,1\n"), piped("0,3,1\n1,2,5\n")
    assert first.returncode == 0 and piped("0,1,1\n").stdout == first.stdout
    assert other.returncode == 1 and "results of another configuration: matrix_sum" in other.stderr, other


def test_results_of_another_simulator_are_others(extorus, tmp_path):
    """The same program with a plug-in that was built again, and differs."""
    name = "extorus-model-extoll.so"
    plugins = pathlib.Path(os.environ.get("EXTORUS_PLUGIN_DIR", ROOT / "build" / "plugins"))
    (tmp_path / "plugins").mkdir()
    shutil.copy(plugins / name, tmp_path / "plugins" / name)
    words = ("sweep", "torus:2x2", "--load", "0.2", *SHORT, "--no-plot", "-o", "out")
    other = {"EXTORUS_PLUGIN_DIR": str(tmp_path / "plugins")}
    extorus(*words)
    assert "1 runs, 1 of them kept" in extorus(*words, env=other)
    with open(tmp_path / "plugins" / name, "ab") as file:
        file.write(b"another")
    assert "1 runs, 0 of them kept" in extorus(*words, env=other)
    assert "1 runs, 1 of them kept" in extorus(*words, env=other)
    assert "1 runs, 1 of them kept" in extorus(*words)


@pytest.mark.parametrize("spoil, status, message", (
    (lambda lines: lines[1:], 1, "no file of results"),
    (lambda lines: ["# my notes", "milk"], 1, "results.jsonl:1")))
def test_damaged_files_are_refused(extorus, sweep, spoil, status, message):
    _, lines = sweep("torus:4x2", "--load", "0.2", "--seeds", 2)
    text = "".join(line + "\n" for line in spoil(lines))
    path = extorus.folder / "out" / "results.jsonl"
    path.write_text(text)
    sweep("torus:4x2", "--load", "0.2", "--seeds", 2, status=status, stderr=message)
    assert path.read_text() == text


@pytest.mark.parametrize("words, name", (
    (("--packet", "4"), "packet"), (("--arrivals", "poisson"), "arrivals"), (("--latency", "7"), "link_latency"),
    (("--drain", "77"), "drain"), (("--tc", "0"), "tc_mask"), (("--mix", "0=1"), "mix"), (("--engine", "rtl"), "engine"),
    (("--zipf-exponent", "2"), "zipf_exponent")))
def test_results_of_another_configuration_are_refused(extorus, sweep, words, name):
    sweep("torus:2x2", "--load", "0.2")
    sweep("torus:2x2", "--load", "0.2", *words, status=1, stderr=name)


def test_only_one_sweep_writes_a_file(extorus, sweep):
    sweep("torus:2x2", "--load", "0.2")
    with open(extorus.folder / "out" / "results.jsonl") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        sweep("torus:2x2", "--load", "0.2", status=2, stderr="another sweep")


def test_routings(sweep):
    told, _ = sweep("torus:4x4", "twin:2x2@dort", "--routing", "dor,layered/dort,bubble,dor+adaptive:no-internal", "--load",
                    "0.3")
    assert [point["network"] for point in told] == [
        "torus:4x4@dor/extoll", "torus:4x4@layered/dort", "torus:4x4@bubble/bubble",
        "torus:4x4@dor+adaptive:no-internal/extoll", "twin:2x2@dort/dort"]
    assert all(point["wrong"] == 0 for point in told)


@pytest.mark.parametrize("words, message", (
    (("torus:4x4@door",), "door"), (("torus:4x4@dor:rr",), "ALGORITHM"), (("torus:4x4@dor+adaptive:best",), "best"),
    (("torus:4x4@dor/elephant",), "elephant"), (("torus:4y4",), "4y4"), ((), "which networks"),
    (("torus:3x3", "--traffic", "shuffle"), "not for 9"), (("torus:3x3", "--traffic", "gale"), "gale"),
    (("torus:3x3", "--load", "0.3:0.2:0.1"), "--load: the range ends at 0.2, below its begin, 0.3"), (("torus:3x3", "--seeds", "0"), "--seeds")))
def test_wrong_words(extorus, words, message):
    extorus("sweep", *words, "-o", "out", status=2, stderr=message)


def test_pictures_and_table(extorus):
    text = extorus("sweep", "torus:8", "--load", "0.2,1", "--traffic", "uniform,tornado", *SHORT, "-o", "out")
    assert "saturated" in text and "2 kept" not in text
    for pattern in ("uniform", "tornado"):
        for name in ("load_latency", "load_throughput", "burton_normal_form"):
            picture = (extorus.folder / "out" / f"{pattern}_{name}.svg").read_text()
            assert picture.rstrip().endswith("</svg>") and "torus:8@dor" in picture


def test_a_curve_of_nothing_has_a_table_and_no_picture(extorus):
    text = extorus("sweep", "torus:2x2", "--load", "0", *SHORT, "-o", "out", stderr="no picture of uniform: no packets were measured")
    assert "nan" not in text and "0.0000" in text
    assert [file.name for file in (extorus.folder / "out").iterdir()] == ["results.jsonl"]


def test_help(extorus):
    text = extorus("sweep", "--help")
    assert "Examples:" in text and "extorus sweep " in text and "hot-region" in text


@pytest.mark.slow
def test_engines_agree_on_several_threads(extorus):
    told = [extorus("sweep", "torus:2x2", "twin:2x2", "--engine", engine, "--threads", "3", "--load", "0.2,0.6", "--seeds",
                    "2", *SHORT, "--no-plot", "--json", "-o", engine) for engine in ("model", "rtl")]
    assert told[0] == told[1]
