# SPDX-License-Identifier: Apache-2.0
"""Debian packages: lintian finds no error, and what they hold works together where dpkg puts it."""

import os
import re
import shutil
import subprocess

import pytest

from processor_time import limited
from repository import ROOT

pytestmark = pytest.mark.long
NAMES = {"libextorus0", "libextorus-dev", "extorus", "python3-extorus"}


@pytest.fixture(scope="module")
def packages():
    assert shutil.which("lintian") and shutil.which("dh_python3"), "run .ci/setup .ci/packages-deb"
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    done = subprocess.run(["make", "deb-built"], cwd=ROOT, env=environment, capture_output=True, text=True, **limited(600))
    assert done.returncode == 0 and "\nE: " not in done.stdout, done.stdout + done.stderr
    return sorted((ROOT / "build/deb").glob("*.deb"))


@pytest.fixture(scope="module")
def unpacked(packages, tmp_path_factory):
    folder = tmp_path_factory.mktemp("system")
    for package in packages:
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    return folder


def test_there_are_four_and_no_file_is_in_two(packages):
    assert {path.name.split("_")[0] for path in packages} == NAMES
    files = [line.split()[5] for package in packages
             for line in subprocess.run(["dpkg-deb", "-c", package], check=True, capture_output=True, text=True).stdout.splitlines()
             if not line.startswith("d")]
    assert len(files) == len(set(files)) > 60
    assert not any("local" in name or str(ROOT) in name for name in files)
    # The linker's folder has the library alone; what is loaded by its path is not there.
    assert {name.split(".so")[0] for name in files if re.fullmatch(r"\./usr/lib/[^/]*\.so[.0-9]*", name)} == {"./usr/lib/libextorus"}


def test_the_fields_name_what_is_needed(packages):
    [package] = [path for path in packages if path.name.startswith("python3-extorus")]
    version = subprocess.run([ROOT / "build/extorus", "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    fields = subprocess.run(["dpkg-deb", "-f", package], check=True, capture_output=True, text=True).stdout
    assert f"\nVersion: {version}\n" in fields and f"libextorus0 (= {version})" in fields and "python3-cffi-backend" in fields


def test_command_and_package_work_together(unpacked, tmp_path):
    bare = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1", "LD_LIBRARY_PATH": str(unpacked / "usr/lib"),
            "PYTHONPATH": str(unpacked / "usr/lib/python3/dist-packages")}

    def run(*words):
        return subprocess.run([str(word) for word in words], cwd=tmp_path, env=bare, check=True, capture_output=True, text=True, **limited(60)).stdout

    run(unpacked / "usr/bin/extorus", "route", "torus:2x2", "--algorithm", "dor", "-o", "a.img")
    assert "network drained" in run(unpacked / "usr/bin/extorus", "sim", "a.img", "--engine", "model")
    program = "import extorus, importlib.metadata as m; print(extorus.run(extorus.Image.read('a.img'))['ok'], m.version('extorus'))"
    assert run("/usr/bin/python3", "-c", program).startswith("True ")
    assert not list(unpacked.rglob("direct_url.json")) and not list(unpacked.rglob("__pycache__"))


def test_a_program_compiles_and_runs_with_them(unpacked, tmp_path):
    subprocess.run(["gcc", "-std=c11", "-Wall", "-Werror", str(ROOT / "host/examples/measure.c"), f"-I{unpacked}/usr/include",
                    f"-L{unpacked}/usr/lib", "-lextorus", "-o", "measure"], cwd=tmp_path, check=True)
    bare = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": str(unpacked / "usr/lib")}
    done = subprocess.run(["./measure"], cwd=tmp_path, env=bare, check=True, capture_output=True, text=True, **limited(60))
    assert "mean packet latency" in done.stdout
