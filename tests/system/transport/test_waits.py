# SPDX-License-Identifier: Apache-2.0
"""Waits end when their caller says so, whatever boards, name servers and other programs do meanwhile."""

import os
import subprocess
import time

import pytest

import frame_codec
from frame_codec import ANSWER, PACKET, RECEIVE, Frame
from processor_time import limited
from served import COMMAND


class Liar:
    """In place of each packet of the board: answers to RECEIVE that bring packets of this class."""

    def __init__(self, board, ahead):
        self.ahead, self.at, self.lies = ahead, {}, 0
        self.proxy = frame_codec.Proxy(board.address, self.to_board, self.from_board)

    def to_board(self, number, frame, raw):
        if frame.kind == RECEIVE:
            self.at[frame.card, frame.unit] = frame.argument, frame.words[0] & 0xffff
            frame.words = [frame.argument]  # no room for packets of the board
            return frame.encode()
        return raw

    def from_board(self, number, frame, raw):
        if frame.kind != RECEIVE | ANSWER or (frame.card, frame.unit) not in self.at:
            return b"" if frame.kind == PACKET else raw
        position, limit = self.at[frame.card, frame.unit]
        self.lies += 1
        packets = b""
        while position + 5 < position + (limit - position & 0xffff) and len(packets) < 4000:
            packets += Frame(PACKET, 0, 0, frame.card, frame.unit, position + self.ahead & 0xffff, [1 << 8 | 3 << 16, 7, 7, 7]).encode()
            position = position + 5 & 0xffff
        return raw + packets


@pytest.mark.parametrize("ahead, command, status", [
    (0, "inject --packets 300 --timeout 400", 1), (3, "inject --packets 300 --timeout 400", 1), (0, "inject --packets 1 --timeout 400", 1),
    (3, "capture --seconds 1 --pe 1", 0)])
def test_a_board_that_sends_without_end(board, ahead, command, status):
    liar = Liar(board, ahead)
    begin = time.monotonic()
    done = board.done(*command.split(), uri=liar.proxy.uri, status=status)
    assert time.monotonic() - begin < 15 and liar.lies > 3 and (status == 0 or done.stderr.count("\n") == 1), done.stderr


RESOLVER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <unistd.h>
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **list)
{
	int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
	if (!(hints->ai_flags & AI_NUMERICHOST))
		sleep(60);
	return next(node, service, hints, list);
}
"""


@pytest.fixture(scope="module")
def silent_resolver(tmp_path_factory):
    """A name server that does not answer."""
    folder = tmp_path_factory.mktemp("resolver")
    (folder / "resolver.c").write_text(RESOLVER)
    subprocess.run(["cc", "-shared", "-fPIC", "resolver.c", "-o", "resolver.so", "-ldl"], cwd=folder, check=True)
    return {**os.environ, "LD_PRELOAD": str(folder / "resolver.so"), "EXTORUS_WAIT_SECONDS": "1"}


@pytest.mark.parametrize("command", [
    "probe --device tcp:board.invalid:5555;timeout=500", "serve model:torus:2x2;profile=mini --listen tcp:board.invalid:0",
    "serve model:torus:2x2;profile=mini --listen tcp:127.0.0.1:0 --metrics board.invalid:0"])
def test_name_servers_that_do_not_answer(silent_resolver, command):
    done = subprocess.run([COMMAND, *command.split()], env=silent_resolver, capture_output=True, text=True, **limited(20))
    assert done.returncode in (2, 3) and "no address for board.invalid within" in done.stderr and done.stderr.count("\n") == 1, done


@pytest.mark.parametrize("program, does", [("neato", "exec sleep 60"), ("neato", "exec >&-; exec sleep 60"), ("neato", "yes")])
def test_drawing_programs_that_do_not_end(tmp_path, program, does):
    (tmp_path / program).write_text(f"#!/bin/sh\n{does}\n")
    (tmp_path / program).chmod(0o755)
    done = subprocess.run([COMMAND, "topo", "torus:4x4", "--svg", "torus.svg"], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "EXTORUS_WAIT_SECONDS": "1"}, **limited(20))
    assert done.returncode == 2 and f"{program} took over 1 s" in done.stderr and os.listdir(tmp_path) == [program], done


SILENT = [("{image}", "check", 2), ("num_ranks 2\nrank 0 {{\n", "workload stats", 2), ("num_ranks 2\nrank 0 {{\n}}\n", "workload check", 2),
          ('{{"cards": 2,', "topo", 2), ("src,dst,weight\n0,1,1\n", "sim {image} --engine model --matrix", 2)]


@pytest.mark.parametrize("begin, command, status", SILENT)
def test_pipes_that_fall_silent(images, begin, command, status):
    """Something comes, then nothing, and no end."""
    image = images / "old.img"
    text = image.read_bytes()[:100] if begin == "{image}" else begin.format().encode()
    words = [COMMAND, *command.format(image=image).split(), "file:/dev/stdin" if command == "topo" else "/dev/stdin"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "EXTORUS_WAIT_SECONDS": "1"}) as running:
        running.stdin.write(text)
        running.stdin.flush()
        says = running.stderr.read().decode()
        assert running.wait(20) == status and "cannot be read" in says and says.count("\n") == 1, says


@pytest.mark.parametrize("text", ["0", "x", "-1", "86401", ""])
def test_the_limit_of_waits_is_checked(images, text):
    done = subprocess.run([COMMAND, "check", images / "old.img"], env={**os.environ, "EXTORUS_WAIT_SECONDS": text}, capture_output=True, text=True)
    assert done.returncode == 2 and f'EXTORUS_WAIT_SECONDS: "{text}" is not a number from 1 to 86400' in done.stderr
