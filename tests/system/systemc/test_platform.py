# SPDX-License-Identifier: Apache-2.0
"""The virtual platform; and another project that finds the library where it was installed."""

import os
import re
import subprocess

import pytest

from processor_time import limited
from systemc_programs import ROOT, run

BARE = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}


@pytest.mark.slow
def test_rtl_and_model_and_both_timings_do_the_same():
    done = run("/usr/bin/python3", ROOT / "sim" / "systemc" / "run_systemc_demo.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "same function in all runs, and the same cycles with RTL and model" in done.stdout
    waves = (ROOT / "out" / "systemc-demo" / "card0.vcd").read_text()
    signal = re.search(r"module card0 .*?module link_o1 \$end\n\$var wire +1 +(\w+) +valid ", waves, re.S)[1]
    assert waves.count(f"\n1{signal}\n") > 10


@pytest.mark.slow
def test_the_scoreboard_sees_a_wrong_byte(tmp_path):
    """The platform itself, with a window that stores a byte elsewhere."""
    source = (ROOT / "sim/systemc/platform/window.cpp").read_text()
    old = "std::memcpy(&memory_[message.offset], data, message.length);"
    assert source.count(old) == 1
    (tmp_path / "window.cpp").write_text(source.replace(old, old + " memory_[message.offset] ^= message.id == 3;"))
    done = subprocess.run(
        ["g++", "-std=c++17", *(f"-I{ROOT / f}" for f in ("sim/systemc/include", "sim/systemc/platform", "host/include", "host/lib",
                                                           "host/params")), str(tmp_path / "window.cpp"),
         *(f"{ROOT}/build/obj/sim/systemc/platform/{name}.o" for name in ("main", "processor")),
         f"{ROOT}/build/libextorus-systemc.a", f"{ROOT}/build/libextorus.a", "-lsystemc", "-ljansson", "-lexpat", "-lz", "-lm", "-ldl",
         "-lpthread", "-lftdi1", "-lusb-1.0", "-o", str(tmp_path / "platform")], capture_output=True, text=True, **limited(600))
    assert done.returncode == 0, done.stderr
    done = run(tmp_path / "platform", "torus:2x2x4", "model", "loose")
    assert done.returncode == 1 and '"errors": 0' not in done.stdout, done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("install")
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    done = subprocess.run(["make", "-s", "install-systemc", f"PREFIX={folder / 'first'}"], cwd=ROOT, env=environment,
                          capture_output=True, text=True, **limited(600))
    assert done.returncode == 0, done.stderr
    (folder / "first").rename(folder / "moved")
    return folder / "moved"


def sends_packets(program):
    for engine in ("rtl", "model"):
        done = subprocess.run([str(program), engine], env=BARE, capture_output=True, text=True, **limited(300))
        assert done.returncode == 0, done.stdout + done.stderr
        assert "132 packets of 132" in done.stdout


@pytest.mark.slow
def test_another_project_finds_it_by_cmake(prefix, tmp_path):
    for words in (["-S", str(ROOT / "tests/system/systemc/outside"), "-B", str(tmp_path), f"-DCMAKE_PREFIX_PATH={prefix}"],
                  ["--build", str(tmp_path)]):
        done = subprocess.run(["cmake", *words], env=BARE, capture_output=True, text=True, **limited(600))
        assert done.returncode == 0, done.stdout + done.stderr
    sends_packets(tmp_path / "outside")


def test_without_it_cmake_says_what_to_do(prefix, tmp_path):
    (prefix / "lib/libextorus-systemc.so").rename(prefix / "lib/away")
    done = subprocess.run(["cmake", "-S", str(ROOT / "tests/system/systemc/outside"), "-B", str(tmp_path),
                           f"-DCMAKE_PREFIX_PATH={prefix}"], env=BARE, capture_output=True, text=True, **limited(600))
    (prefix / "lib/away").rename(prefix / "lib/libextorus-systemc.so")
    assert done.returncode != 0
    assert "make install-systemc" in " ".join(done.stderr.split())


def test_pkg_config_names_what_cmake_does(prefix):
    words = subprocess.run(["pkg-config", f"--define-variable=prefix={prefix}", "--cflags", "--libs", "extorus-systemc"],
                           env={**BARE, "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}, check=True,
                           capture_output=True, text=True).stdout.split()
    assert f"-I{prefix}/include" in words and "-lextorus-systemc" in words and "-lsystemc" in words
