#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that the bench catches faults: builds the card with each fault and runs the tests that must see it.

A fault is rtl/NAME.sed, a sed script for one file of the card, or a folder rtl/NAME/ of files that replace
those of the same name in rtl/. Its comment lines say more:
  file: NAME             (a sed script) the file it changes
  caught by: TEST ...    each of these tests must fail
  passes: TEST ...       each of these must pass: the fault is in what is claimed, not all over
  profile: NAME          the profile that has what the fault breaks, instead of the one asked for

Prints TAP; exit status 1 if a fault is not caught. Uses the objects of the bench that
`make build/tests/switch-PROFILE` has left in build/obj/switch/PROFILE.
"""

import argparse
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from processor_time import limited
from repository import ROOT, rtl  # noqa: E402

LIMIT_S = 300  # of one run of the bench


class Problem(Exception):
    pass


def faults():
    found = {path.stem: path for path in HERE.glob("rtl/*.sed")}
    found.update({path.name: path for path in HERE.glob("rtl/*") if path.is_dir()})
    return dict(sorted(found.items()))


def notes(path):
    """The `key: words` lines of a fault's comments."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    text = "\n".join(file.read_text() for file in files)
    return {key: value.split() for key, value in re.findall(r"^(?:#|//) ([a-z ]+): (.*)$", text, re.M)}


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          **options)
    if done.returncode:
        raise Problem(f"{' '.join(map(str, command[:6]))} ...: exit status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def faulty_rtl(name, path, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file in rtl("card_sources.f"):
        shutil.copy(file, folder)
    if path.is_dir():
        for file in path.glob("*.sv"):
            if not (folder / file.name).exists():
                raise Problem(f"rtl/{name}/{file.name} replaces nothing in rtl/")
            shutil.copy(file, folder)
        return
    target = folder / notes(path)["file"][0]
    before = target.read_text()
    run(["sed", "-i", "-f", path, target])
    if target.read_text() == before:
        raise Problem(f"rtl/{name}.sed changes nothing in rtl/{target.name}: adapt it to the RTL")


def build(name, path, profile):
    """The bench with the faulty card; no assertions, the tests are to see the fault by themselves."""
    work = ROOT / "build" / "mutants" / profile / name
    objects = sorted(glob.glob(str(ROOT / "build" / "obj" / "switch" / profile / "*.o")))
    objects = [o for o in objects if not o.endswith("/card_under_test.o")]
    if not objects:
        raise Problem(f"no objects of the bench; run `make build/tests/switch-{profile}` first")
    faulty_rtl(name, path, work / "rtl")
    model = work / "model"
    run(["verilator", "--cc", "-O3", "--x-assign", "unique", "--x-initial", "unique", "--noassert", "-Wno-fatal",
         "-CFLAGS", "-DVL_USER_STOP", "--top-module", "xt_card", "--prefix", "Vxt_card", "--Mdir", model,
         ROOT / "rtl" / "generated" / profile / "xt_pkg.sv", *sorted((work / "rtl").glob("*.sv"))])
    run(["make", "-C", model, "-f", "Vxt_card.mk", "OPT_FAST=-O1", "OPT_SLOW=-O0", "OPT_GLOBAL=-O1",
         "Vxt_card__ALL.a", "verilated.o", "verilated_threads.o"], env={**os.environ, "MAKEFLAGS": ""})
    verilator_root = subprocess.run(["verilator", "--getenv", "VERILATOR_ROOT"], stdout=subprocess.PIPE, text=True,
                                    check=True).stdout.strip()
    program = work / f"switch-{profile}"
    run(["g++", "-std=c++17", "-O1", f"-DXT_PROFILE={profile}", "-DVM_TRACE=0", "-I", ROOT / "host/include", "-I",
         ROOT / "host/lib", "-I", ROOT / "host/params", "-isystem", model, "-isystem", f"{verilator_root}/include", ROOT / "tests/rtl/switch/card_under_test.cpp",
         *objects, model / "Vxt_card__ALL.a", model / "verilated.o", model / "verilated_threads.o",
         ROOT / "build/libextorus.a", "-ljansson", "-lz", "-lm", "-lpthread", "-latomic", "-o", program])
    return program


def results(program, tests):
    """Test -> (passed, line). A test that crashes or hangs has failed."""
    seen = {}
    for test in tests:
        try:
            done = subprocess.run([program, test], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", **limited(LIMIT_S))
            if done.returncode == 2:
                raise Problem(f"{test}: {done.stdout.strip()}")
            line = re.search(r"^(not )?ok 1 - (.*)$", done.stdout, re.M)
            seen[test] = (done.returncode == 0, line.group(2) if line else f"{test}: exit {done.returncode}")
        except subprocess.TimeoutExpired:
            seen[test] = (False, f"{test}: hangs")
    return seen


def check(name, path, profile):
    """None, or why the fault was not caught; and what the tests said."""
    wanted = notes(path)
    fails, passes = wanted.get("caught by", []), wanted.get("passes", [])
    if not fails:
        raise Problem(f"fault {name} does not say which tests catch it")
    said = results(build(name, path, wanted.get("profile", [profile])[0]), fails + passes)
    missed = [line for test, (passed, line) in said.items() if test in fails and passed]
    broken = [line for test, (passed, line) in said.items() if test in passes and not passed]
    caught = [line for test, (passed, line) in said.items() if test in fails and not passed]
    if missed:
        return "not caught: " + "; ".join(missed), caught
    if broken:
        return "fails more than it should: " + "; ".join(broken), caught
    return None, caught


def main():
    known = faults()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-p", "--profile", default="mini", help="profile to build (default mini, the fastest)")
    parser.add_argument("--list", action="store_true", help="print the names of the faults")
    parser.add_argument("fault", nargs="*", help="these only")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(known))
        return 0
    for name in arguments.fault:
        if name not in known:
            parser.error(f"no fault {name}; --list names them")
    names = arguments.fault or list(known)
    failed = 0
    print(f"1..{len(names)}", flush=True)
    for number, name in enumerate(names, 1):
        try:
            reason, caught = check(name, known[name], arguments.profile)
        except Problem as problem:
            reason, caught = str(problem), []
        failed += reason is not None
        print(f"{'not ok' if reason else 'ok'} {number} - {name}" + (f": {reason}" if reason else ""))
        for line in caught:
            print(f"#   caught by {line}")
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
