# SPDX-License-Identifier: Apache-2.0
"""`make lint-clang` refuses what gcc takes, `make lint-slang-files` what yosys takes; what is built is hardened."""

import re
import subprocess

import pytest

from repository import ROOT

FAULTS = {"none": "", "enumerator": "enum { NONE = UINT32_MAX };", "constant": "int shared(int o);\nint shared(int o) { return o < 4 && 5; }",
          "size": "void first(uint32_t **q, uint32_t *p);\nvoid first(uint32_t **q, uint32_t *p) { memcpy(&q[1], p, sizeof(p)); }"}


@pytest.mark.parametrize("fault", FAULTS)
def test_clang_refuses(fault, tmp_path):
    (tmp_path / "e.c").write_text(f"#include <stdint.h>\n#include <string.h>\nextern int none;\n{FAULTS[fault]}\n")
    done = subprocess.run(["make", "-s", "lint-clang", f"CLANG_SRC={tmp_path}/e.c"], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode != 0) == ("error:" in done.stderr) == (fault != "none"), done.stderr


# Of benches and proofs that yosys alone had read.
SLANG_FAULTS = {"none": "", "early use": "wire a = b; wire b = 1'b0;", "keyword": "logic small;", "two drivers": "logic d; assign d = 0; always_comb d = 1;"}


@pytest.mark.parametrize("fault", SLANG_FAULTS)
def test_slang_refuses(fault, tmp_path):
    (tmp_path / "e.sv").write_text(f"module e; {SLANG_FAULTS[fault]} endmodule\n")
    done = subprocess.run(["make", "-s", "lint-slang-files", f"SLANG_FILES={tmp_path}/e.sv"], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode != 0) == ("error:" in done.stdout + done.stderr) == (fault != "none"), done


@pytest.mark.parametrize("file", ["build/extorus", "build/libextorus.so.0"])
def test_programs_are_hardened(file):
    def read(*words):
        return subprocess.run(["readelf", "-W", *words, str(ROOT / file)], check=True, capture_output=True, text=True).stdout

    assert "Type:                              DYN" in read("-h")
    assert "GNU_RELRO" in read("-l") and re.search(r"GNU_STACK .* RW ", read("-l"))
    assert "NOW" in read("-d")
    symbols = read("--dyn-syms")
    assert "__stack_chk_fail" in symbols and "__snprintf_chk" in symbols
