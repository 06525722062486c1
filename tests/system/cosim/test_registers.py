# SPDX-License-Identifier: Apache-2.0
"""Tables and counters through the registers of the cards, and the commands on devices."""

import csv
import io
import json

import pytest


@pytest.mark.parametrize("spec, profile", (("torus:4x4", "extoll"), ("twin:2x2x2", "extoll"), ("torus:4x4", "mini")))
def test_dump_is_the_routing_function(extorus, network, spec, profile):
    """The image's routing function, as decoded from it, is what the cards hold: here every address is in
    the local part, so entry i of the LRT is PE i."""
    image = network(spec, profile)
    dumped = {(row["card"], row["tc"], row["index"]): (row["port"], row["vc"])
              for row in csv.DictReader(io.StringIO(extorus(
                  "dump", "--device", f"sim:{spec};profile={profile}", "--image", image)))
              if row["table"] == "lrt"}
    algorithm = "ts-dor" if spec.startswith("twin") else "dor"
    routes = list(csv.DictReader(io.StringIO(extorus(
        "route", spec, "--algorithm", algorithm, "--profile", profile, "--csv", "-"))))
    assert len(routes) > 100
    for row in routes:
        port, vc = dumped[row["card"], row["tc"], row["dest"]]
        assert port == row["port"]
        if port != "nic":
            assert vc == row["vc"]


def test_every_input_port_has_the_tables(extorus, network):
    image = network("torus:2x2", "mini")
    tables = [extorus("dump", "--device", f"sim:{image}", "--image", image, "--card", "2", "--input", str(port))
              for port in range(5)]
    assert len(tables[0].splitlines()) == 5
    assert len(set(tables)) == 1
    extorus("dump", "--device", f"sim:{image}", "--input", "5", status=2, stderr="no port 5")
    extorus("dump", "--device", f"sim:{image}", "--card", "4", status=2, stderr="no card 4")


def test_tables_are_empty_after_reset(extorus):
    assert extorus("dump", "--device", "sim:torus:2x2") == "card,table,index,tc,port,vc,adaptive\n"


def test_load(extorus, network):
    image = network("twin:2x2x2")
    told = json.loads(extorus("load", image, "--device", "sim:twin:2x2x2", "--json"))
    assert told["loaded"] is True and told["cards"] == 16
    assert "16 cards" in extorus("load", image, "--device", f"sim:{image};latency=5")


def test_load_refuses(extorus, network):
    image = network("torus:4x4")
    extorus("load", image, "--device", "sim:torus:4x2", status=1, stderr="16 cards, the device has 8")
    extorus("load", image, "--device", "sim:torus:2x8", status=1, stderr="another wiring")
    extorus("load", image, "--device", "sim:torus:4x4;profile=mini", status=1, stderr="profile extoll")
    data = bytearray((extorus.folder / image).read_bytes())
    data[len(data) // 2] ^= 1
    (extorus.folder / "bad.xti").write_bytes(data)
    extorus("load", "bad.xti", "--device", "sim:torus:4x4", status=1)
    extorus("load", "none.xti", "--device", "sim:torus:4x4", status=2, stderr="none.xti")


@pytest.mark.parametrize("spec, profile", (("twin:4x3", "extoll"), ("torus:3x3", "mini")))
def test_back_door_writes_the_same_tables(extorus, network, sim, without_time, spec, profile):
    image = network(spec, profile)
    front, back = (sim(image, *words, load=0.5, measure=500) for words in ([], ["--backdoor"]))
    assert without_time(front) == without_time(back)
    extorus("load", image, "--device", f"sim:{image}", "--backdoor")


def test_verify(extorus, network):
    image, profile = network("torus:2x2", "mini"), "sim:torus:2x2;profile=mini"
    assert "every input port" in extorus("verify", image, "--device", profile, "--image", image)
    extorus("verify", image, "--device", profile, status=1, stderr="card 0")
    told = json.loads(extorus("verify", image, "--device", profile, "--json", status=1))
    assert told["equal"] is False and "card 0" in told["difference"]


def test_counters(extorus, network):
    """Sums over a run: what the NICs took in came out of NICs, and every link counts the same at both ends."""
    image = network("torus:3x2")
    ports = json.loads(extorus("counters", "--device", "sim:torus:3x2", "--image", image, "--load", "0.4", "--cycles",
                               "600", "--json"))
    assert len(ports) == 6 * 7
    nics = [port for port in ports if port["port"] == "nic"]
    links = [port for port in ports if port["port"] != "nic"]
    for kind in ("packets", "cells"):
        assert sum(map(sum, (p[f"rx_{kind}"] for p in nics))) == sum(map(sum, (p[f"tx_{kind}"] for p in nics))) > 0
        assert sum(map(sum, (p[f"rx_{kind}"] for p in links))) == sum(map(sum, (p[f"tx_{kind}"] for p in links))) > 0
    assert all(port["free_cells"] == 512 and not any(port["credits_used"]) for port in ports)
    assert all(port["illegal_routes"] == port["framing_errors"] == 0 for port in ports)
    extorus("counters", "--device", "sim:torus:3x2", "--load", "0.4", status=2, stderr="--image")


def test_counters_after_reset(extorus):
    table = extorus("counters", "--device", "sim:torus:2x2").splitlines()
    assert len(table) == 1  # the heading: nothing has been counted


@pytest.mark.parametrize("command", ("sim", "load", "verify", "dump", "counters"))
def test_help(extorus, command):
    text = extorus(command, "--help")
    assert "Examples:" in text and f"extorus {command} " in text


def test_no_device(extorus, network):
    image = network("torus:2x2")
    nowhere = {"EXTORUS_PLUGIN_DIR": str(extorus.folder)}
    extorus("sim", image, status=3, stderr="extorus-cosim-extoll.so", env=nowhere)
    extorus("load", image, "--device", "usb:serial=dead", status=3, stderr="USB")
    extorus("load", image, "--device", "usb:serial=none", status=2, stderr="hexadecimal")
    extorus("load", image, "--device", "usb:0", status=2, stderr="usb:0")
    (extorus.folder / "extorus-cosim-extoll.so").write_text("no shared object")
    extorus("sim", image, status=3, stderr="cannot open the simulator", env=nowhere)


@pytest.mark.parametrize("words, says", (
    (["--load", "1.5"], "--load"), (["--load", "0.1,"], "--load"), (["--packet", "0"], "packet length"),
    (["--packet", "1-33"], "1 to 32"), (["--traffic", "hurricane"], "hurricane"), (["--engine", "abacus"], "abacus"),
    (["--measure", "-1"], "--measure"), (["--measure", "0"], "measurement window"), (["--nic-stall", "4/4"], "--nic-stall"),
    (["--load", "0.1,0.2", "--link-load", "x.csv"], "one load"), (["--link-load", "no/such/folder/x.csv"], "x.csv"),
    (["--wave", "x.fst", "--wave-cards", "4"], "card 4")))
def test_usage(extorus, network, words, says):
    extorus("sim", network("torus:2x2"), *words, status=2, stderr=says)
