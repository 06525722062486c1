# SPDX-License-Identifier: Apache-2.0
"""Place and route of several seeds, by stand-ins for nextpnr and the packer."""

import argparse
import json
import subprocess

import pytest

import synth
from processor_time import limited
from targets import FAMILIES, TARGETS
from tools import ROOT, Failed, file_list

NEXTPNR = """#!/bin/sh
while [ $# -gt 0 ]; do
	case $1 in
	--seed) seed=$2 ;;
	--report) report=$2 ;;
	--textcfg) routed=$2 ;;
	--version) echo 'Version 1'; exit ;;
	esac
	shift
done
case $seed in
3) echo 'ERROR: no way for a wire'; exit 1 ;;
9) echo 'killed'; exit 137 ;;
esac
echo "seed $seed" > $routed
echo '{"fmax": {"clk": {"achieved": '$((100 - seed))'}}}' > $report
"""
PACK = """#!/bin/sh
[ "$1" = --version ] || cp "$1" "$2"
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    for name, text in (("nextpnr-ecp5", NEXTPNR), ("ecppack", PACK)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    def run(*seeds):
        arguments = argparse.Namespace(profile="mini", seed=list(seeds), freq=None, jobs=2)
        seconds = {}
        return synth.implement(arguments, TARGETS["ecp5-25f"], tmp_path, seconds, {}), seconds
    return run


def test_packs_the_median_of_the_seeds(place, tmp_path):
    bitstream, seconds = place(1, 2, 3, 4, 5)
    assert (tmp_path / "mini.bin").read_text() == "seed 4\n" and bitstream["bytes"] == 7
    assert set(seconds) == {*(f"seed {seed}" for seed in (1, 2, 3, 4, 5)), "pack"}
    assert json.loads((tmp_path / "seed-4" / "nextpnr.json").read_text())["fmax"]["clk"]["achieved"] == 96


def test_no_bitstream_where_the_median_finds_no_way(place):
    assert place(3)[0] is None


def test_a_tool_that_breaks_off_fails_the_run(place):
    with pytest.raises(Failed, match="killed"):
        place(1, 9)


def test_names_of_cells_depend_on_the_card_alone(tmp_path):
    """Neither a module that the card lacks nor the order of the files changes them; each does where all modules are made at once."""
    def card(read):
        subprocess.run(["yosys", "-q", "-p", f"{read}; hierarchy -top xt_card; proc; opt_clean; write_rtlil {tmp_path}/card.il"], cwd=ROOT, check=True,
                       **limited(300))
        return (tmp_path / "card.il").read_text()

    def without_link(sources):
        return [source for source in sources if not source.endswith("/xt_link.sv")]

    package, sources = "rtl/generated/mini/xt_pkg.sv", file_list("card_sources.f")
    edited = tmp_path / "xt_link.sv"
    edited.write_text((ROOT / "rtl/link/xt_link.sv").read_text().replace("endmodule", "  wire more = retrain_i & (disable_i ^ tx_valid_i);\nendmodule"))
    plain = synth.read_command([package, *sources], FAMILIES["ecp5"])
    other = synth.read_command([package, edited, *without_link(reversed(sources))], FAMILIES["ecp5"])
    assert card(plain) == card(other)
    assert card(plain.replace("-defer ", "")) != card(other.replace("-defer ", ""))
