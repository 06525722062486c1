# SPDX-License-Identifier: Apache-2.0
"""Compilers beside gcc take the host's sources, with every warning an error; what is built is hardened."""

import re
import shutil
import subprocess

import pytest

from repository import ROOT

FLAGS = ("-std=c11 -Wall -Wextra -Wpedantic -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -D_GNU_SOURCE -Ihost/include -Ihost/lib "
         "-Ihost/params -Ihost -isystem /usr/include/libusb-1.0 -isystem /usr/include/libftdi1 -fsyntax-only").split()
CLANG = [name for name in ("clang-14", "clang-19", "clang") if shutil.which(name)]


@pytest.mark.skipif(not CLANG, reason="no clang")
@pytest.mark.parametrize("folder", ["lib", "cli", "params", "gen"])
def test_clang(folder):
    sources = sorted(str(path) for path in (ROOT / "host" / folder).rglob("*.c"))
    done = subprocess.run([CLANG[-1], *FLAGS, *sources], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not CLANG, reason="no clang")
def test_an_enumerator_of_no_int_is_found(tmp_path):
    (tmp_path / "e.c").write_text("#include <stdint.h>\nenum { NONE = UINT32_MAX };\nextern int none;\n")
    done = subprocess.run([CLANG[-1], *FLAGS, str(tmp_path / "e.c")], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode != 0 and "enumerator" in done.stderr


@pytest.mark.parametrize("file", ["build/extorus", "build/libextorus.so.0"])
def test_programs_are_hardened(file):
    def read(*words):
        return subprocess.run(["readelf", "-W", *words, str(ROOT / file)], check=True, capture_output=True, text=True).stdout

    assert "Type:                              DYN" in read("-h")
    assert "GNU_RELRO" in read("-l") and re.search(r"GNU_STACK .* RW ", read("-l"))
    assert "NOW" in read("-d")
    symbols = read("--dyn-syms")
    assert "__stack_chk_fail" in symbols and "__snprintf_chk" in symbols
