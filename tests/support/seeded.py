# SPDX-License-Identifier: Apache-2.0
"""Seeds faults: one into a copy of a source, by a sed script or a pattern; or many into the Verilog of one Verilated program,
of which the environment variable XT_FAULT chooses one by its number, from 1 on, and none without it."""

import collections
import os
import pathlib
import re
import subprocess

from processor_time import limited

# The names of the tests that must fail, of others that must pass, the profile that has what the fault breaks, and how to seed it.
Fault = collections.namedtuple("Fault", "caught_by passes profile source", defaults=[(), None, None])
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


def notes(path):
    """The `key: words` lines of the comments of a file, or of all files in a folder."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    lines = re.findall(r"^(?:#|//) ([a-z ]+): (.*)$", "\n".join(file.read_text() for file in files), re.M)
    return {key: value.split() for key, value in lines}


def with_script(script, target):
    """Changes the file `target` by a sed script."""
    before = target.read_text()
    run(["sed", "-i", "-f", script, target])
    assert target.read_text() != before, f"{script.name} changes nothing in {target.name}: adapt the script"


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


def number(faults, name):
    """The number by which XT_FAULT chooses a fault of `copies`; 0, which is none, for another name."""
    return list(faults).index(name) + 1 if name in faults else 0


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


def verilator_root():
    return pathlib.Path(run(["verilator", "--getenv", "VERILATOR_ROOT"]).strip())


def includes(work):
    folders = (work / "model", verilator_root() / "include", verilator_root() / "include/vltstd")
    return [word for folder in folders for word in ("-isystem", folder)]
