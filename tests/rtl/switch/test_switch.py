# SPDX-License-Identifier: Apache-2.0
"""One case per test of the Verilated bench build/tests/switch-PROFILE."""

import re
import subprocess

import pytest

from processor_time import limited
from repository import EVERYDAY_BENCHES, PROFILES, ROOT

LIMIT_S = 300
RANDOM_TESTS = ["route-lookup", "nic-framing", "illegal-routes", "soak", "idle-skip", "uniform-mixed", "table-updates",
                "adaptive-choice", "adaptive-soak", "noisy-links", "link-retrain", "poison"]
# Profiles of which every test is run every time; of the others only these, and the rest with the long ones.
WHOLE_PROFILES = ["mini"]
# What the full-size card must move, in cells per output and cycle, whatever the bench asks of smaller ones.
EXTOLL_LIMITS = {"permutation-longest": "0.99", "permutation-one-cell": "0.95", "uniform-longest": "0.90", "uniform-one-cell": "0.90",
                 "uniform-mixed": "0.90"}
SHORT_TESTS = ["identity", "idle-latency", "soak", "permutation-longest", "permutation-longest-single-vc", "illegal-routes",
               "quiesce", "latency", "shares-longest", "link-cut", "turn-without-credit"]


def programs():
    return {profile: ROOT / "build" / "tests" / f"switch-{profile}" for profile in PROFILES}


def names_in(program):
    return subprocess.run([program, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()


def cases():
    found = []
    for profile, program in programs().items():
        if not program.exists():
            marks = [] if profile in EVERYDAY_BENCHES else [pytest.mark.long]
            found.append(pytest.param(profile, None, id=f"{profile}-not-built", marks=marks))
            continue
        for name in names_in(program):
            short = profile in WHOLE_PROFILES or profile in EVERYDAY_BENCHES and name in SHORT_TESTS
            marks = [] if short else [pytest.mark.long]
            found.append(pytest.param(profile, name, id=f"{profile}-{name}", marks=marks))
    return found


def random_cases():
    return [pytest.param(profile, name, id=f"{profile}-{name}") for profile, program in programs().items()
            if program.exists() for name in names_in(program) if name in RANDOM_TESTS]


def run_tap(command, limit=LIMIT_S):
    """The one TAP line of a run, without `ok 1 - `; fails the case when it is `not ok`."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          **limited(limit))
    line = re.search(r"^(not )?ok 1 - (.*)$", done.stdout, re.M)
    if done.returncode or not line or line.group(1):
        pytest.fail(" ".join(map(str, command)) + "\n" + done.stdout[-6000:], pytrace=False)
    return line.group(2)


@pytest.mark.parametrize("profile, name", cases())
def test_card(profile, name, record_property):
    if name is None:
        pytest.fail(f"build/tests/switch-{profile} is missing: run `make tests-build`", pytrace=False)
    figure = run_tap([programs()[profile], name])
    record_property("figure", figure)
    if profile == "extoll" and name in EXTOLL_LIMITS:
        assert f"(wanted {EXTOLL_LIMITS[name]})" in figure, figure


@pytest.mark.long
@pytest.mark.parametrize("seed", [2, 3, 4])
@pytest.mark.parametrize("profile, name", random_cases())
def test_card_long(profile, name, seed, record_property):
    run = [programs()[profile], "--seed", str(seed), "--scale", "20", name]
    record_property("figure", run_tap(run, limit=3600))
