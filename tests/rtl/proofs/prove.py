# SPDX-License-Identifier: Apache-2.0
"""Proves or refutes the assertions of a SystemVerilog module.

yosys makes an and-inverter graph of the module. ABC's property-directed reachability then proves the assertions
for every reachable state, or bounded model checking searches up to a number of cycles."""

import pathlib
import re
import shutil
import subprocess
import tempfile

from processor_time import limited
from repository import ROOT

ABC = "yosys-abc"  # comes with yosys

PREPARE = (
    "prep -top {top} -flatten; {clocks}; dffunmap; memory_map; opt -full; techmap; simplemap; "
    "dfflegalize -cell $_DFF_P_ 0 -mince 9999 -minsrst 9999; setundef -undriven -anyseq; setundef -zero; "
    "aigmap; opt_clean; write_aiger -zinit {aig}"
)


class Verdict:
    """`holds` is True, False or, if neither could be shown, None; `log` is what the tools said."""

    def __init__(self, holds, log):
        self.holds = holds
        self.log = log


def _run(arguments, seconds):
    try:
        done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **limited(seconds))
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        return None, (late.stdout or b"").decode(errors="replace") + f"\nno verdict in {seconds} s"


def prove(top, files, cycles=None, mutation=None, parameters=None, seconds=600, clocks=1, assertions=True, defines=()):
    """Verdict on the assertions of `top`. `files` are paths below the project's root. Without `cycles` the
    verdict is for every reachable state, otherwise for the first `cycles` ones. `mutation` is (file, pattern,
    replacement): a fault to be seeded first; it must apply exactly once. With two `clocks`, each may rise or not in
    every step. Without `assertions` those of the modules themselves, which presume a reset, are left out.
    `defines` are macros."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        copies = []
        for file in files:
            text = (ROOT / file).read_text()
            if mutation and file == mutation[0]:
                text, count = re.subn(mutation[1], mutation[2], text)
                if count != 1:
                    raise ValueError(f"the mutation of {file} applies {count} times instead of once")
            copies.append(folder / pathlib.Path(file).name)
            if copies[-1].exists():
                copies[-1] = folder / f"proof_{pathlib.Path(file).name}"
            copies[-1].write_text(text)
        aig = folder / "proof.aig"
        macros = [*(['XT_ASSERT'] if assertions else []), *defines]
        form = "async2sync" if clocks == 1 else "memory_map; clk2fflogic"
        chparam = "".join(f"chparam -set {name} {value} {top}; " for name, value in (parameters or {}).items())
        script = f"read_verilog -sv -formal {''.join(f'-D{name} ' for name in macros)}{' '.join(map(str, copies))}; {chparam}"
        status, log = _run(["yosys", "-q", "-p", script + PREPARE.format(top=top, aig=aig, clocks=form)], seconds)
        if status != 0 or not aig.exists():
            raise RuntimeError(f"yosys refused {top}: {log[-2000:]}")
        engine = f"bmc3 -F {cycles}" if cycles else "pdr"
        status, log = _run([ABC, "-c", f"read_aiger {aig}; fold; scorr; {engine}"], seconds)
    if "was asserted in frame" in log:
        return Verdict(False, log)
    if "Property proved" in log or (cycles and f"No output asserted in {cycles} frames" in log):
        return Verdict(True, log)
    return Verdict(None, log)


def available():
    return shutil.which("yosys") and shutil.which(ABC)


def holds(subject, **options):
    verdict = prove(*subject, **options)
    assert verdict.holds, verdict.log[-2000:]
