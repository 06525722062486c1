# SPDX-License-Identifier: Apache-2.0
"""How yosys, nextpnr and their companions are found, asked for their version and run."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path("constraints/synth")  # tools see files below the working folder only, by relative names
VENV = pathlib.Path("build/venv/bin")
LIMIT_S = 4 * 3600


class Failed(Exception):
    pass


def file_list(name):
    """The files of a list below rtl/, as paths from the root; a line `-F LIST` stands for the files of that list."""
    here = pathlib.PurePosixPath("rtl") / name
    found = []
    for line in (ROOT / here).read_text().split("\n"):
        if line.startswith("-F "):
            found += file_list(here.parent.relative_to("rtl") / line[3:])
        elif line and not line.startswith("//"):
            found.append(str(here.parent / line))
    return found


def number(said):
    """A version as numbers: "0.52+3" is (0, 52)."""
    found = re.search(r"(\d+)\.(\d+)", said)
    return tuple(map(int, found.groups())) if found else (0, 0)


def find(tool, least=(0, 0)):
    """A tool from PATH, if its version is at least that, or its WebAssembly build in the virtual environment."""
    if shutil.which(tool) and (least == (0, 0) or number(version(tool)) >= least):
        return tool
    packaged = VENV / f"yowasp-{tool}"
    if packaged.exists():
        return str(packaged)
    raise Failed(f"no {tool} in PATH and none in {VENV}: `make synth` installs it")


def version(tool):
    """What a tool says of itself, in a word or two."""
    for option in ("--version", "-V"):
        try:
            done = subprocess.run([tool, option], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=600)
        except OSError:
            break
        found = re.search(r"Version ([^\s)]+)|Yosys ([\d.+]+)|version ([\d.]+)", done.stdout, re.I)
        if found:
            return next(group for group in found.groups() if group)
    return "unknown"


def run(command, seconds, step, log=None):
    print(f"  {step:9} {command[0]}", file=sys.stderr, flush=True)
    begin = time.monotonic()
    with open(log, "w+") if log else tempfile.TemporaryFile("w+") as file:  # to be looked at meanwhile
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=file,
                              stderr=subprocess.STDOUT, timeout=LIMIT_S)
        seconds[step] = round(time.monotonic() - begin, 1)
        file.seek(0)
        return done.returncode, file.read()


def commit():
    """The commit that is synthesised; `+` says that the sources are not quite those of the commit."""
    def git(*words):
        return subprocess.run(["git", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=True).stdout.strip()

    if not shutil.which("git") or not (ROOT / ".git").exists():
        return "unknown"
    changed = git("status", "--porcelain", "--untracked-files=no", "--", "rtl/**/*.sv", "host/params", "host/gen")
    return git("rev-parse", "--short=10", "HEAD") + ("+" if changed else "")


def last_lines(output):
    return "\n".join(output.rstrip().splitlines()[-8:])
