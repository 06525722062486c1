# SPDX-License-Identifier: Apache-2.0
"""Place and route of several seeds, by stand-ins for nextpnr and the packer."""

import argparse
import json

import pytest

import synth
from targets import TARGETS
from tools import Failed

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
