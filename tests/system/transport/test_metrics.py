# SPDX-License-Identifier: Apache-2.0
"""Counters as Prometheus reads them: by the command and by HTTP, parsed by prometheus_client; and clients that are slow or mean."""

import json
import re
import socket
import subprocess
import time
import urllib.request

import pytest
from prometheus_client.parser import text_string_to_metric_families

from processor_time import limited
from served import COMMAND, make_images

DEVICE = "model:torus:2x2;profile=mini"
LISTS = {"rx_packets": "extorus_rx_packets", "rx_cells": "extorus_rx_cells", "tx_packets": "extorus_tx_packets",
         "tx_cells": "extorus_tx_cells", "credits_used": "extorus_credits_used"}
NUMBERS = {"crc_errors": "extorus_link_crc_errors", "replays": "extorus_link_replays", "timeouts": "extorus_link_timeouts",
           "free_cells": "extorus_free_cells", "illegal_routes": "extorus_illegal_routes"}


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    return make_images(tmp_path_factory.mktemp("images"), "mini")


def parse(text):
    """{family: {labels: value}}; each family has a help, and no sample comes twice."""
    families = {}
    for family in text_string_to_metric_families(text):
        assert family.documentation.endswith(".") and family.name not in families and family.type in ("counter", "gauge")
        values = families[family.name] = {}
        for sample in family.samples:
            labels = tuple(sorted(sample.labels.items()))
            assert labels not in values
            values[labels] = sample.value
    return families


def command(*arguments, status=0):
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, **limited(60))
    assert done.returncode == status, done.stderr
    return done.stdout


def labels(port, **more):
    return tuple(sorted({"card": str(port["card"]), "port": port["port"], **more}.items()))


def test_the_command(images):
    words = ["counters", "--device", DEVICE, "--image", str(images / "old.img"), "--load", "0.3", "--cycles", "500"]
    ports, families = json.loads(command(*words, "--json")), parse(command(*words, "--prometheus"))
    assert any(port["tx_cells"][0] for port in ports)
    for port in ports:
        for key, name in LISTS.items():
            for place, value in enumerate(port[key]):
                assert families[name][labels(port, **{"vc" if key == "credits_used" else "tc": str(place)})] == value
        for key, name in NUMBERS.items():
            if key in port:
                assert families[name][labels(port)] == port[key]
        if "link_state" in port:
            assert families["extorus_link_up"][labels(port)] == (port["link_state"] == "up")
    assert families["extorus_device_info"] == {(("cards", "4"), ("profile", "mini")): 1}
    command(*words, "--json", "--prometheus", status=2)


@pytest.fixture
def served():
    server = subprocess.Popen([COMMAND, "serve", DEVICE, "--listen", "tcp:127.0.0.1:0", "--metrics", "0"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    board, url = server.stdout.readline().strip(), server.stdout.readline().strip()
    assert url, server.communicate()[1]
    yield board, url
    assert server.poll() is None
    server.kill()
    assert server.communicate()[1] == ""


def address(url):
    return "127.0.0.1", int(re.fullmatch(r"http://localhost:(\d+)/metrics", url)[1])


def get(url):
    # A bare system has no /etc/hosts.
    with urllib.request.urlopen(url.replace("//localhost:", "//127.0.0.1:"), timeout=20) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        return answer.read().decode()


def test_scrapes_beside_a_host(served, images):
    board, url = served
    before = parse(get(url))
    assert sum(before["extorus_tx_cells"].values()) == 0
    command("load", str(images / "old.img"), "--device", board)
    command("inject", "--device", board, "--packets", "40")
    time.sleep(1.1)
    after = parse(get(url))
    assert sum(after["extorus_tx_cells"].values()) > 0 and set(before) == set(after)


def ask(place, request):
    with socket.create_connection(place, timeout=20) as client:
        client.sendall(request)
        answer = b""
        while part := client.recv(65536):
            answer += part
        return answer


@pytest.mark.parametrize("request_bytes, status", [
    (b"GET /metrics HTTP/1.0\r\n\r\n", 200), (b"GET /metrics?x=1 HTTP/1.1\r\nHost: x\r\n\r\n", 200), (b"HEAD /metrics HTTP/1.1\r\n\r\n", 200),
    (b"GET /other HTTP/1.1\r\n\r\n", 404), (b"POST /metrics HTTP/1.1\r\n\r\n", 405), (b"nonsense\r\n\r\n", 400), (b"\r\n\r\n", 400),
    (b"GET /\0 HTTP/1.1\r\n\r\n", 400), (b"GET /" + b"a" * 8000, 431), (b"GET / HTTP/1.1\r\n\r\n", 200)])
def test_requests(served, request_bytes, status):
    answer = ask(address(served[1]), request_bytes)
    head, body = answer.split(b"\r\n\r\n", 1)
    assert head.startswith(b"HTTP/1.1 %d " % status)
    length = int(re.search(rb"Content-Length: (\d+)", head)[1])
    assert length > 0 and len(body) == (0 if request_bytes.startswith(b"HEAD") else length)


def test_nobody_waits_for_a_slow_client(served):
    """Forty clients send half a request, or read nothing; others are answered at once all the same, and the board answers."""
    board, url = served
    place = address(url)
    idle = []
    for number in range(40):
        client = socket.create_connection(place, timeout=20)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        client.sendall(b"GET /metrics HTTP/1.1\r\n" + (b"\r\n" if number % 2 else b""))
        idle.append(client)
    begin = time.monotonic()
    parse(get(url))
    command("probe", "--device", board)
    assert time.monotonic() - begin < 10
    time.sleep(6)
    idle[0].settimeout(5)
    try:
        assert idle[0].recv(1) == b""
    except ConnectionResetError:
        pass
    for client in idle:
        client.close()
    parse(get(url))


def test_only_this_machine_unless_told(images):
    for where, says in (("0.0.0.0:0", "is not of this machine alone"), ("127.0.0.1:0", ""), ("[::1]:0", None)):
        server = subprocess.Popen([COMMAND, "serve", DEVICE, "--listen", "tcp:127.0.0.1:0", "--metrics", where], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        lines = [server.stdout.readline(), server.stdout.readline()]
        server.kill()
        said = server.communicate()[1]
        assert says is None or (lines[1].startswith("http://") and (says in said if says else said == ""))
    for where in ("", "x", "70000", "localhost", "localhost:x"):
        done = subprocess.run([COMMAND, "serve", DEVICE, "--listen", "tcp:127.0.0.1:0", "--metrics", where], capture_output=True, text=True,
                              timeout=60)
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and "--metrics" in done.stderr, done.stderr


def test_a_taken_port_is_told(served):
    port = str(address(served[1])[1])
    done = subprocess.run([COMMAND, "serve", DEVICE, "--listen", "tcp:127.0.0.1:0", "--metrics", port], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 2 and "--metrics: localhost port" in done.stderr
