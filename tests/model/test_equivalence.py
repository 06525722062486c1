# SPDX-License-Identifier: Apache-2.0
"""The fast model is the RTL, cycle by cycle."""

import os
import subprocess

import pytest

from processor_time import limited
from repository import ROOT


def compare(*words, seconds=3000, **environment):
    done = subprocess.run([str(ROOT / "build/tests/equivalence"), *map(str, words)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env={**os.environ, **environment}, **limited(seconds))
    assert done.returncode == 0, done.stdout[-6000:]
    return done.stdout


@pytest.mark.parametrize("profile", ["extoll", "mini"])
def test_lock_step(profile):
    assert "100 cases" in compare("--brief", "--profile", profile, "--cases", 100)


@pytest.mark.parametrize("profile", ["node", "ring", "extoll_linked", "extoll_small", *(pytest.param(p, marks=pytest.mark.long) for p in ("extoll64", "bubble4"))])
def test_profiles_without_a_share(profile):
    assert "100 cases" in compare("--brief", "--profile", profile, "--cases", 100)


def test_hardware_that_skips_nothing(tmp_path):
    """A simulator skips logic that nobody asks for. The RTL as synthesis reads it has all of it, and does the same."""
    plugins = ROOT / "build/plugins"
    (tmp_path / "extorus-cosim-extoll.so").symlink_to(plugins / "extorus-cosim-extoll-hardware.so")
    (tmp_path / "extorus-model-extoll.so").symlink_to(plugins / "extorus-model-extoll.so")
    assert "60 cases" in compare("--brief", "--profile", "extoll", "--first", 201, "--cases", 60, EXTORUS_PLUGIN_DIR=str(tmp_path))


@pytest.mark.parametrize("case", [137, 7985])
def test_a_request_that_is_made_good_while_credits_come_back(case):
    """Of the cycle in which the head was looked up: what is visible a cycle later must not count."""
    compare("--profile", "node", "--first", case, "--cases", 1)


def test_a_watchdog_that_runs_out_when_its_input_is_served():
    """What the 200 cases do not meet: STALL_TIMEOUT is what an unhindered packet waits."""
    compare("--first", 1742, "--cases", 1)


@pytest.mark.parametrize("profile, case", [("extoll", 65), pytest.param("extoll64", 14, marks=pytest.mark.long)])
def test_a_run_that_ends_when_a_head_comes_behind_a_stream(profile, case):
    """The stream's output is free in the next cycle. Packets that leave after the run tell it by what is read later."""
    compare("--profile", profile, "--first", case, "--cases", 1)


def test_an_output_that_rests_behind_a_blocked_class():
    """The class is free only cycles after nobody wants the output. The next packet must not find it blocked."""
    compare("--profile", "extoll", "--first", 152, "--cases", 1)


def test_a_counter_read_while_cells_leave():
    """Waiting packets leave for long after the run, one in the last cycle of a collection."""
    compare("--first", 700260, "--cases", 1)


def test_a_credit_for_a_vc_without_one_in_use():
    """A flipped bit moves a packet to another VC, whose credit comes back: RTL and model tell the same of less than nothing."""
    compare("--profile", "mini", "--first", 801419, "--cases", 1)


@pytest.mark.long
def test_escapes_take_turns():
    """Of profile bubble. Several heads of one input must escape, and the lowest has just done so."""
    compare("--first", 1061, "--cases", 1)


def test_an_unknown_profile_is_refused():
    done = subprocess.run([str(ROOT / "build/tests/equivalence"), "--profile", "absent"], capture_output=True, text=True, **limited(60))
    assert done.returncode == 2 and "no case has the profile absent" in done.stderr, done


@pytest.mark.long
def test_lock_step_of_all_profiles():
    assert "200 cases" in compare("--cases", 200)


@pytest.mark.long
def test_lock_step_of_many_cases():
    """Some 10^7 card-cycles."""
    compare("--first", 1000, "--cases", 4000, seconds=8 * 3600)
