# SPDX-License-Identifier: Apache-2.0
"""The goals of the Makefile in a fresh clone: make knows a rule for all that they need."""

import os
import re
import shutil
import subprocess

import pytest

from repository import ROOT


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clone")
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in files.splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.mark.parametrize("goals", ["command", "SAN=1 command models", "SAN=1 all", "SAN=1 models command unit", "SAN=thread command models",
                                   "SAN=1 generate", "SAN=1 build/plugins/extorus-model-mini.so command", "FUZZ=1 fuzzers-clang", "SAN=1 help", "models"])
def test_goals(clone, goals):
    done = subprocess.run(["make", "-n", *goals.split()], cwd=clone, capture_output=True, text=True,
                          env={k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")})
    assert done.returncode == 0 and "warning:" not in done.stderr, done.stderr
    # Simulators are compiled without sanitizers.
    assert not re.search(r"-fsanitize\S* .*-o build/(obj/(model|cosim)|plugins)", done.stdout)


@pytest.mark.parametrize("where", ["line", "environment"])
def test_flags_of_a_packager_take_the_place_of_none(clone, where):
    """Of those that the code needs, or that harden it; and they come last, so that -O0 counts."""
    flags = ["CFLAGS=-O0 -DOWN", "LDFLAGS=-Wl,-s"]
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "CFLAGS", "LDFLAGS")}
    environment.update(flag.split("=", 1) for flag in flags if where == "environment")
    done = subprocess.run(["make", "-n", *(flags if where == "line" else []), "build/extorus"], cwd=clone, capture_output=True, text=True, env=environment)
    compiled = [line for line in done.stdout.splitlines() if line.startswith("gcc ") and " -c host/lib/" in line]
    linked = [line for line in done.stdout.splitlines() if line.startswith("gcc ") and line.endswith("-o build/extorus")]
    assert len(compiled) > 100 and len(linked) == 1, done.stderr
    for line in compiled:
        assert {"-std=c11", "-D_GNU_SOURCE", "-fPIC", "-fstack-protector-strong", "-fvisibility=hidden", "-DOWN"} <= set(line.split()), line
        assert line.index("-O2") < line.index("-O0")
    assert "-Wl,-z,relro,-z,now" in linked[0] and "-Wl,-s" in linked[0] and "-ljansson" in linked[0], linked[0]


def test_a_wrong_goal_is_refused(clone):
    done = subprocess.run(["make", "-n", "SAN=1", "command", "nothing"], cwd=clone, capture_output=True, text=True)
    assert done.returncode == 2 and "No rule to make target 'nothing'" in done.stderr
