# SPDX-License-Identifier: Apache-2.0
"""Traffic with transmission errors, dead links, new tables and resets: nothing is lost without a count."""

import subprocess

import pytest

from processor_time import limited
from repository import ROOT

NETWORKS = {"extoll": ("torus:2x2x2", "dor", "updown"), "dort": ("twin:2x2", "dort", "updown")}


def soak(engine, profile, hops, cycles, *fault, network=None, status=0):
    words = [ROOT / "build" / "tests" / "soak", engine, profile, *(network or NETWORKS[profile]), str(hops), str(cycles), "1", *fault]
    done = subprocess.run(words, env={"EXTORUS_PLUGIN_DIR": str(ROOT / "build" / "plugins")}, capture_output=True, text=True, **limited(3 * 3600))
    assert done.returncode == status, done.stdout[-2000:] + done.stderr
    return done.stderr if status else done.stdout


@pytest.mark.parametrize("profile", ("extoll", pytest.param("dort", marks=pytest.mark.long)))
def test_engines_are_equal(profile):
    report = soak("model", profile, 60000, 800)
    assert report == soak("sim", profile, 60000, 800)
    assert report.splitlines()[-1].split("; ")[1].split()[0] != "0"


def test_the_model(tmp_path):
    soak("model", "extoll", 400000, 4000)


@pytest.mark.parametrize("fault, says", [("swap-entry:0,0,1", "off_route"), ("block-nic:1,6,10", "not drained")])
def test_faults_are_found(fault, says):
    assert says in soak("model", "extoll", 400000, 800, fault, status=1)


@pytest.mark.long
def test_a_hundred_million_in_the_model():
    report = soak("model", "extoll", 10**8, 20000, network=("torus:4x4x2", "dor", "updown"))
    assert int(report.splitlines()[-1].split()[0]) >= 10**8


@pytest.mark.long
@pytest.mark.parametrize("profile", NETWORKS)
def test_a_million_in_both(profile):
    assert soak("model", profile, 10**6, 4000) == soak("sim", profile, 10**6, 4000)
