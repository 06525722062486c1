# SPDX-License-Identifier: Apache-2.0
"""Debian 13, with newer compilers, libraries and simulators: builds without a warning, and the C parts of `make test`."""

import json
import re

import pytest

from debian_chroot import chroot
from repository import PROFILES

pytestmark = pytest.mark.long
MAKEFLAGS = "BRIEF=mini"
PASSED = re.compile(r"^[1-9]\d* passed, 0 failed$", re.M)


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    yield from chroot("trixie", tmp_path_factory)


@pytest.fixture(scope="module")
def built(system):
    system.run("./.ci/setup")
    assert "\ngcc (Debian 14." in "\n" + system.run("gcc --version")
    output = system.run("make command unit capture systemc build/libextorus.so.0 build/plugins/extorus-{model-mini,cosim-mini,input-queued}.so",
                        MAKEFLAGS=MAKEFLAGS)
    assert not re.search(r"\bwarning: ", output), output
    return system


def test_both_engines_agree(built):
    """The card that the newer Verilator made, and the model that the newer compiler made."""
    built.run("build/extorus route torus:3x2 --profile mini --algorithm dor -o a.img")
    rtl, model = (json.loads(built.run(f"build/extorus sim a.img --load 0.3 --engine {engine} --json")) for engine in ("rtl", "model"))
    differ = {name for name in rtl if rtl[name] != model[name]}
    assert rtl["ok"] and differ <= {"engine", "wall_seconds", "card_cycles_per_second"}, differ


def test_c_parts_of_make_test(built):
    built.run("make SAN=1 command unit replays && make SAN=thread build/tsan/tests/session", 7200)
    assert PASSED.search(built.run("tests/run -k '^(unit|tsan|replay|san)-(?!oracle)'", 7200))


def test_lints(built):
    """The C by clang 19; the RTL by newer front ends."""
    assert "clang version 19." in built.run("clang --version")
    assert PASSED.search(built.run("tests/run -k '^lint-(clang|format|python|spelling|prose|(verilator|yosys|iverilog|slang|clang)-mini)$'"))


def test_a_clean_build_by_clang(built):
    built.run("rm -rf /root/clang && git clone -q . /root/clang")
    output = built.run("make command unit build/plugins/extorus-{model-mini,cosim-mini}.so && tests/run -k unit-", folder="/root/clang",
                       MAKEFLAGS=f"{MAKEFLAGS} CC=clang CXX=clang++")
    assert PASSED.search(output) and not re.search(r"\bwarning: ", output)


@pytest.mark.parametrize("test", [*(f"test_profiles_on_verilator[{profile}-{way}]" for profile in PROFILES for way in ("direct", "store-forward")), "test_a_seeded_fault_is_found_on_verilator"])
def test_cocotb_on_verilator(system, test):
    """Debian 12's Verilator is too old for cocotb."""
    system.run("./.ci/setup && make generate")
    output = system.run(f"python3 -m pytest -c tests/pytest.ini --rootdir=. -q 'tests/rtl/cocotb/test_cocotb.py::{test}'", 7200)
    assert re.search(r"^[12] passed in ", output, re.M), output
