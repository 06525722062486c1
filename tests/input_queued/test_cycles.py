# SPDX-License-Identifier: Apache-2.0
"""Every packet enters the network and leaves it in the cycles that the oracle finds."""

import json

import pytest

import switch_oracle as oracle

CASES = {
    # topology, algorithm, profile, buffer, TCs, lengths, load, options
    "one-packet-size": ("torus:4x4", "dor", "extoll", 32, "0,1", "4", 0.6, {}),
    "mixed-sizes": ("torus:4x3", "dor", "extoll", 64, "0,1", "1-7", 0.9, {}),
    "one-class": ("torus:5x2", "dor", "extoll", 24, "1", "1-5", 0.8, {}),
    "slow-links": ("torus:3x3", "dor", "extoll", 40, "0", "2-6", 0.9, {"latency": 7}),
    "slow-pes": ("torus:3x3", "dor", "extoll", 64, "0,1", "1-8", 0.8, {"stall": (2, 3)}),
    "four-vcs": ("torus:4x4", "dor", "dort", 64, "0", "4", 1.0, {}),
    "mesh": ("mesh:3x3", "layered", "extoll", 48, "0,1", "3", 0.9, {}),
    "twin": ("twin:2x2", "dort", "dort", 20, "0", "1-4", 1.0, {}),
    "bubble": ("torus:5x3", "bubble", "bubble", 32, "0,1", "1-4", 1.0, {"bubble": True}),
    "bubble-one-size": ("torus:4x4", "bubble", "bubble", 8, "0", "4", 1.0, {"bubble": True}),
    "rings-of-vcs": ("twin:4x5,config=d0+d1+", "bubble", "bubble4", 24, "0", "1-4", 1.0, {"bubble": True}),
    "rings-of-three": ("twin:2x3x4,config=A", "bubble", "bubble4", 64, "0,1", "1-4", 1.0, {"bubble": True}),
    "adaptive": ("torus:4x4", "dor", "extoll", 64, "0,1", "1-5", 0.9, {"adaptive": True}),
    "free-crossings": ("twin:4x4", "dort", "extoll", 64, "0,1", "1-5", 0.9, {"adaptive": True, "route": ["--free-crossings", "--fold-vcs", "2"]}),
    "crossbar-per-vc": ("torus:4x4", "dor", "dort", 64, "0,1", "1-5", 1.0, {"crossbar": True}),
    "transit-first": ("torus:4x4", "dor", "extoll", 64, "0,1", "4", 1.0, {"transit": True}),
    "injection-queues": ("torus:4x3", "dor", "extoll", 64, "0,1", "1-4", 1.0, {"queues": 3}),
    "published-router": ("torus:4x4", "dor", "extoll", 96, "0,1", "1-5", 1.0,
                         {"adaptive": True, "crossbar": True, "transit": True, "queues": 4}),
}


@pytest.fixture
def compared(extorus):
    """compared(name) -> cycles of the model and of the oracle, both {packet: (sent, delivered)}."""

    def run(name):
        spec, algorithm, profile, flits, tcs, lengths, load, options = CASES[name]
        latency, stall = options.get("latency", 2), options.get("stall")
        adaptive, queues = options.get("adaptive", False), options.get("queues", 1)
        crossbar, transit = options.get("crossbar", False), options.get("transit", False)
        extorus("route", spec, "--algorithm", algorithm, "--profile", profile, "-o", "x.img", "--csv", "x.csv",
                *(["--adaptive"] if adaptive else []), *options.get("route", []))
        extorus("topo", spec, "--profile", profile, "--csv", "wiring.csv")
        result = json.loads(extorus(
            "sim", "x.img", "--engine", "model", "--switch", "input-queued", "--port-buffer", str(flits), "--backdoor", "--json",
            "--tc", tcs, "--packet", lengths, "--load", str(load), "--latency", str(latency), "--warmup", "0", "--measure", "250",
            "--drain", "0", "--packet-log", "log.csv", *(["--nic-stall", f"{stall[0]}/{stall[1]}"] if stall else []),
            *(["--crossbar", "vc"] if crossbar else []), *(["--transit-first"] if transit else []), "--injection-queues", str(queues)))
        told = {"kind": "input-queued", "port_buffer": flits, "rtl": False, **({"crossbar": "vc"} if crossbar else {}),
                **({"transit_first": True} if transit else {}), **({"injection_queues": queues} if queues > 1 else {})}
        assert result["ok"] and result["switch"] == told
        packets, cycles = oracle.packets(extorus.folder / "log.csv")
        assert len(cycles) == result["packets_sent"] > 100
        classes = [int(tc) for tc in tcs.split(",")]
        network = oracle.Network(
            oracle.wiring(extorus.folder / "wiring.csv"), oracle.routes(extorus.folder / "x.csv"), flits, classes, latency,
            options.get("bubble", False), {tc: 2 for tc in classes} if adaptive else None, 128 if algorithm == "bubble" else 64, crossbar, transit, queues)
        network.longest_of_run = int(lengths.split("-")[-1])
        return cycles, network.run(packets, stall or (0, 1))

    return run


@pytest.mark.parametrize("name", CASES)
def test_cycles_of_every_packet(compared, name):
    model, oracles = compared(name)
    assert model == oracles
