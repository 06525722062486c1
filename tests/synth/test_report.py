# SPDX-License-Identifier: Apache-2.0
"""The reports of `make synth`, from a recorded run cut down to a few cells."""

import json
import pathlib
import shutil

import pytest

import pins
import report
import trend

RECORDED = pathlib.Path(__file__).parent / "recorded"


@pytest.fixture
def recorded(tmp_path):
    return pathlib.Path(shutil.copytree(RECORDED, tmp_path / "run"))


def test_counts_the_card_without_its_wrapper(recorded):
    made = report.write(recorded)
    # 4937 LUTs, two per carry cell, six per LUT RAM
    assert made["card"] == {"LUT": 4937 + 2 * 849 + 6 * 271, "logic": 4937, "carry": 849, "ram": 6 * 271,
                            "FF": 2932, "BRAM": 10, "DSP": 0}
    assert made["wrapper"] == {"LUT": 74, "FF": 327}
    assert made["used"]["TRELLIS_COMB"] == [8909, 24288]
    assert made["registers_for_memories"] == ["i_card.i_old"]
    assert made == json.loads((recorded / "report.json").read_text())


def test_names_the_critical_path(recorded):
    made = report.write(recorded)
    assert made["fmax_mhz"] == 74.1
    path = made["critical_path"]
    assert path["from"] == "i_switch.g_input[2].i_input_unit.room_i[4]"
    assert path["to"] == "a register before i_switch.g_input[1].i_input_unit.len_o"
    assert path["levels"] == 2
    assert path["ns"] == pytest.approx(path["logic_ns"] + path["routing_ns"])
    printed = (recorded / "report.txt").read_text()
    assert "74.1 MHz after route, seed 1" in printed and path["from"] in printed


def test_says_what_does_not_fit(recorded):
    (recorded / "seed-1" / "nextpnr.json").unlink()
    with open(recorded / "seed-1" / "nextpnr.log", "a") as file:
        print("ERROR: Unable to place cell 'x', no BELs remaining", file=file)
    made = report.write(recorded)
    assert made["refused"].startswith("Unable to place")
    assert "fmax_mhz" not in made
    assert "NOT PLACED AND ROUTED: Unable to place cell" in (recorded / "report.txt").read_text()
    assert "does not fit" in trend.row(made)


def seeds(recorded, *clocks):
    """The run with a seed for each clock; None: place and route of that seed did not end."""
    run = json.loads((recorded / "run.json").read_text())
    (recorded / "run.json").write_text(json.dumps(dict(run, seeds=list(range(1, len(clocks) + 1)))))
    timing = json.loads((recorded / "seed-1" / "nextpnr.json").read_text())
    clock, = timing["fmax"]
    for seed, achieved in enumerate(clocks, 1):
        folder = recorded / f"seed-{seed}"
        if seed > 1:
            shutil.copytree(recorded / "seed-1", folder)
        timing["fmax"][clock]["achieved"] = achieved
        (folder / "nextpnr.json").write_text(json.dumps(timing))
        if achieved is None:
            (folder / "nextpnr.json").unlink()
    return report.write(recorded)


def test_reports_the_median_of_the_seeds(recorded):
    made = seeds(recorded, 70.0, 90.0, 80.0, None, 60.0)
    assert (made["fmax_mhz"], made["seed"], made["fmax_mhz_of_seeds"]) == (70.0, 1, [70.0, 90.0, 80.0, None, 60.0])
    assert "| 70.0 (median of 5 seeds, none to 90.0) |" in trend.row(made)


def test_a_median_that_did_not_end_is_none(recorded):
    run = recorded / "run.json"
    run.write_text(json.dumps({**json.loads(run.read_text()), "bitstream": None}))
    made = seeds(recorded, None, 90.0, None)
    assert made["refused"] == "did not end" and "fmax_mhz" not in made and "does not fit" in trend.row(made)
    assert "bitstream" not in (recorded / "report.txt").read_text()


@pytest.mark.parametrize("clocks, middle", (({1: 5.0}, 1), ({1: 5.0, 2: 4.0}, 2), ({7: 3.0, 8: 1.0, 9: 2.0}, 9), ({1: None, 2: None}, 1)))
def test_median(clocks, middle):
    assert report.median(clocks) == middle


def test_table_keeps_the_rows_of_others(recorded):
    made = report.write(recorded)
    other = "| `extoll` | ecp5-85f | 0 | 1 | 2 | 3 | - | - | - | - |\n"
    text = f"above\n{trend.BEGIN}\n{trend.HEADER}{other}{trend.END}\nbelow\n"
    once = trend.retable(text, [made])
    assert once.startswith("above\n") and once.endswith("\nbelow\n") and other in once
    assert "| `mini` | ecp5-25f | 6b07413f31 | 8261 | 2932 | 10 | 18 % BRAM, 37 % LUT | 74.1 (seed 1) |" in once
    assert trend.retable(once, [made]) == once


def test_table_takes_what_lies_where_make_synth_leaves_it(recorded, tmp_path):
    made = report.write(recorded)
    for name in ("mini-ecp5-25f", "map-mini"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "report.json").write_text(json.dumps(made))
    assert trend.reports(tmp_path) == [made]


def test_trend_appends_a_line(recorded, tmp_path):
    path = tmp_path / "trend.csv"
    path.write_text(",".join(trend.FIELDS) + "\n")
    made = report.write(recorded)
    trend.record(made, path)
    trend.record(dict(made, fmax_mhz=80.0), path)
    lines = trend.read(path)
    assert [(line["Fmax"], line["seeds"]) for line in lines] == [("74.1", "1"), ("80.0", "1")]
    assert lines[0]["commit"] == "6b07413f31"
    assert [line["Fmax"] for line in trend.last(lines)] == ["80.0"]


def test_wrapper_uses_every_port_once():
    listed = pins.ports("module xt_card\ninput [0:0] clk_i\ninput [0:0] rst_ni\ninput [4:0] a_i\n"
                        "output [2:0] b_o\ninput [0:0] c_i\noutput [0:0] d_o\n")
    text = pins.wrapper(listed)
    for connection in (".a_i (in_q[0+:5])", ".c_i (in_q[5+:1])", ".b_o (out[0+:3])", ".d_o (out[3+:1])"):
        assert connection in text
    assert "logic [5:0] in_q" in text and "logic [5:0] folded" in text
    assert "assign folded = {2'b0, out};" in text and "out_q" not in text


def test_wrapper_takes_outputs_into_registers():
    listed = pins.ports("input [0:0] clk_i\ninput [0:0] rst_ni\ninput [4:0] a_i\noutput [2:0] b_o\noutput [0:0] d_o\n")
    text = pins.wrapper(listed, registered=True)
    assert ".b_o (out[0+:3])" in text and "out_q <= out;" in text and "assign folded = {2'b0, out_q};" in text
