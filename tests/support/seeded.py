# SPDX-License-Identifier: Apache-2.0
"""Seeds faults into Verilog so that one Verilated program has all of them: the environment variable XT_FAULT chooses one by
its number, from 1 on; without it there is none."""

import os
import re
import subprocess

from processor_time import limited

PACKAGE = """package xt_fault_pkg;
  import "DPI-C" function int xt_fault();
  int number;
endpackage
"""
CHOOSE = "  initial xt_fault_pkg::number = xt_fault_pkg::xt_fault();\n"  # for the top module
SOURCE = """#include <cstdlib>
extern "C" int xt_fault()
{
	const char *text = getenv("XT_FAULT");

	return text ? atoi(text) : 0;
}
"""


def run(command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **limited(1200), **options)
    assert done.returncode == 0, f"{' '.join(map(str, command[:4]))} ...\n{done.stdout[-3000:]}"
    return done.stdout


def with_fault(folder, paths, fault=None):
    """Copies of `paths` in `folder`; `fault` is (name of a file, pattern that occurs once in it, replacement)."""
    made = []
    for path in paths:
        text = path.read_text()
        if fault and fault[0] == path.name:
            text, count = re.subn(*fault[1:3], text)
            assert count == 1, f"{fault[1]} is in {path.name} {count} times: adapt it to the RTL"
        made.append(folder / path.name)
        made[-1].write_text(text)
    assert not fault or fault[0] in [path.name for path in paths], f"{fault[0]} is none of the sources"
    return made


def seed(text, faults):
    """`text` with faults that can be chosen: number -> (pattern with the expression in a group, what is put in its place, how
    often it is there). Two may be of the same expression, none lies within another."""
    right = {}  # span -> the expression with its faults so far
    for number, (pattern, wrong, count) in faults.items():
        found = list(re.finditer(pattern, text))
        assert len(found) == count, f"{pattern} is there {len(found)} times: adapt it to the RTL"
        for match in found:
            expression = right.get(match.span(1), match[1])
            right[match.span(1)] = f"((xt_fault_pkg::number == {number}) ? ({wrong}) : ({expression}))"
    for (begin, end), expression in sorted(right.items(), reverse=True):
        text = text[:begin] + expression + text[end:]
    return text


def copies(work, paths, top, faults):
    """Copies of Verilog in `work` with all of `faults`, each (name of the file, pattern, what is put in its place, how often it is
    there) and numbered from 1 on; the module in the file `top` chooses one."""
    made = []
    for path in paths:
        text = seed(path.read_text(), {number: fault[1:] for number, fault in enumerate(faults, 1) if fault[0] == path.name})
        made.append(work / path.name)
        made[-1].write_text(text.replace("endmodule", f"{CHOOSE}endmodule") if path.name == top else text)
    return made


def model(work, top, sources, *options):
    """A Verilated module with seeded faults and its libraries, to be linked; nothing is optimised, for the compiler takes
    most of the time."""
    package, chosen = work / "xt_fault_pkg.sv", work / "fault.cpp"
    package.write_text(PACKAGE)
    chosen.write_text(SOURCE)
    folder = work / "model"
    run(["verilator", "--cc", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--noassert", "-Wno-lint", "-Wno-style",
         "-Wno-UNOPTFLAT", *options, "--top-module", top, "--prefix", f"V{top}", "--Mdir", folder, package, *sources])
    libraries = [f"V{top}__ALL.a", "verilated.o", "verilated_threads.o", "verilated_dpi.o"]
    run(["make", "-C", folder, "-f", f"V{top}.mk", "OPT_FAST=-O0", "OPT_SLOW=-O0", "OPT_GLOBAL=-O0", *libraries],
        env={**os.environ, "MAKEFLAGS": ""})
    return [chosen, *(folder / name for name in libraries)]


def includes(work):
    verilator = run(["verilator", "--getenv", "VERILATOR_ROOT"]).strip()
    return [word for folder in (work / "model", f"{verilator}/include", f"{verilator}/include/vltstd") for word in ("-isystem", folder)]
