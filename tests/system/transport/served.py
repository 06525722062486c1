# SPDX-License-Identifier: Apache-2.0
"""A board for tests: the fast model of four `mini` cards behind `extorus serve`."""

import json
import os
import subprocess

import frame_codec
from processor_time import limited
from repository import ROOT

COMMAND = os.environ.get("EXTORUS", str(ROOT / "build" / "extorus"))
NETWORK = "torus:2x2"


def make_images(folder, profile):
    for name, algorithm in (("old", "dor"), ("new", "updown")):
        subprocess.run([COMMAND, "route", NETWORK, "--profile", profile, "--algorithm", algorithm, "-o",
                        str(folder / f"{name}.img")], check=True, capture_output=True)
    return folder


def route(network, profile, algorithm, path):
    subprocess.run([COMMAND, "route", network, "--algorithm", algorithm, "--profile", profile, "-o", path], check=True, capture_output=True)
    return path


class Board:
    """A served network. `run` runs the command on it, directly or at another URI."""

    def __init__(self, folder, images, *options, listen="tcp:127.0.0.1:0", profile="mini", network=NETWORK,
                 engine="model", program=COMMAND):
        self.images = images
        self.environment = {**os.environ, "EXTORUS_STATE_DIR": str(folder / "state")}
        self.server = subprocess.Popen([program, "serve", f"{engine}:{network};profile={profile}", "--listen", listen,
                                        "--serial", "c0ffee", *options], stdout=subprocess.PIPE, text=True)
        self.uri = self.server.stdout.readline().strip()

    @property
    def address(self):
        return ("127.0.0.1", int(self.uri.rsplit(":", 1)[1]))

    def run(self, *arguments, **more):
        return self.done(*arguments, **more).stdout

    def errors(self, *arguments, **more):
        return self.done(*arguments, **more).stderr

    def done(self, *arguments, uri=None, status=0, says=None, **more):
        uri = uri or self.uri
        uri += "" if ";timeout=" in uri else ";timeout=200"
        done = subprocess.run([COMMAND, *arguments, "--device", uri], capture_output=True, text=True, **limited(60),
                              env=self.environment, **more)
        frame_codec.await_hang_up(uri)
        assert status is None or done.returncode == status, f"{arguments}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        assert done.returncode >= 0, done.returncode
        if says:
            assert says in done.stderr, done.stderr
            assert done.stderr.count("\n") == 1, done.stderr
        return done

    def load(self, name, *arguments, **more):
        return self.run("load", str(self.images / f"{name}.img"), *arguments, **more)

    def holds(self, name):
        self.run("verify", str(self.images / f"{name}.img"))
        return all(card["quiesce"] == 0 for card in json.loads(self.run("probe", "--json"))["cards"])

    def close(self):
        self.server.kill()
        self.server.wait()
        self.server.stdout.close()
