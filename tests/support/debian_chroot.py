# SPDX-License-Identifier: Apache-2.0
"""A bare Debian with a clone of the tree. EXTORUS_CHROOTS names a folder where such systems stay between runs."""

import os
import pathlib
import shutil
import subprocess

import pytest

from processor_time import limited
from repository import ROOT

BUNDLE = "etc/ssl/certs/ca-certificates.crt"
TREE = "/root/extorus"
# A namespace of its own: mounts and processes end with the command.
ENTER = """set -e
mount --make-rprivate /
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
exec chroot "$1" /usr/bin/env -i "${@:2}"
"""


def _lacking():
    """Why there can be no such system, or None."""
    if os.geteuid() != 0:
        return "a Debian in a folder needs root"
    programs = [name for name in ("debootstrap", "unshare", "git") if not shutil.which(name)]
    if programs:
        return f"no {programs[0]}: install it by apt"
    return None if (ROOT / ".git").exists() else "a clone needs a repository"


class Chroot:
    """`suite` in a folder below `folder`; `run` gives a script to its shell."""

    def __init__(self, suite, folder):
        self.suite, self.root = suite, pathlib.Path(folder) / suite
        self.done = self.root.with_name(f"{suite}.done")
        if not self.done.exists():
            shutil.rmtree(self.root, ignore_errors=True)
            self.root.parent.mkdir(parents=True, exist_ok=True)
            self._call(["debootstrap", "--variant=minbase", "--include=ca-certificates", suite, self.root], 1200)
            self._configure()
            self.run("apt-get -q -y update && apt-get -q -y install --no-install-recommends make git", folder="/")
            self.done.touch()
        self._clone()

    @staticmethod
    def _call(words, seconds, **more):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, errors="replace", **limited(seconds), **more)
        assert done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stdout[-6000:]}{done.stderr[-6000:]}"
        return done.stdout + done.stderr

    def _configure(self):
        """Reaches the registries as this machine does; starts no service."""
        self._call(["cp", "-L", "/etc/resolv.conf", self.root / "etc"], 60)
        for file in ("etc/pip.conf", BUNDLE):
            if (pathlib.Path("/") / file).exists():
                self._call(["cp", "-L", f"/{file}", self.root / file], 60)
        (self.root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        (self.root / "usr/sbin/policy-rc.d").chmod(0o755)

    def _clone(self):
        """The commit of this tree; what an earlier run built there stays, but no result of a command."""
        tree = pathlib.Path(f"{self.root}{TREE}")
        if tree.exists():
            self._call(["git", "-C", tree, "fetch", "-q", ROOT, "HEAD"], 600)
            self._call(["git", "-C", tree, "reset", "-q", "--hard", "FETCH_HEAD"], 600)
            self._call(["git", "-C", tree, "clean", "-qfdx", "-e", "/build", "-e", "/rtl/generated"], 600)
        else:
            self._call(["git", "clone", "-q", ROOT, tree], 600)

    def run(self, script, seconds=3600, folder=TREE, **environment):
        """Output of a script of bash, which must succeed."""
        own = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8",
               "DEBIAN_FRONTEND": "noninteractive", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "SSL_CERT_FILE": f"/{BUNDLE}", "PIP_CERT": f"/{BUNDLE}",
               **{name: value for name, value in os.environ.items() if name.lower().endswith("_proxy") or name == "PIP_INDEX_URL"}, **environment}
        inside = [f"{name}={value}" for name, value in own.items()]
        return self._call(["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", ENTER, "enter", self.root, *inside,
                           "bash", "-euo", "pipefail", "-c", f"cd {folder}\n{script}"], seconds)

    def path(self, name):
        """A file of the clone, as this machine sees it."""
        return pathlib.Path(f"{self.root}{TREE}") / name


def committed(name):
    """A file of the commit that a system gets; where there is no repository, and so no system, that of the tree."""
    done = subprocess.run(["git", "-C", ROOT, "show", f"HEAD:{name}"], capture_output=True, text=True, check=False, **limited(60))
    return done.stdout if done.returncode == 0 else (ROOT / name).read_text()


def chroot(suite, tmp_path_factory):
    """For a fixture: yields the system, and removes it if it is not to stay. Skips where there can be none."""
    lacking = _lacking()
    if lacking:
        pytest.skip(lacking)
    kept = os.environ.get("EXTORUS_CHROOTS")
    folder = pathlib.Path(kept) if kept else tmp_path_factory.mktemp("debian")
    try:
        yield Chroot(suite, folder)
    finally:
        if not kept:
            shutil.rmtree(folder)
