# SPDX-License-Identifier: Apache-2.0
"""Routes of pairs against the routing function that `route --csv` writes, followed hop by hop here, and the cycle of
the channel dependency graph against the same table."""

import json
import random
import re
import shutil
import xml.etree.ElementTree as ElementTree

import pytest

from networks import Network
from test_routes import read_csv

# Topology, how it is routed, TCs of even and odd PEs.
ALL = [0, 1, 2, 3]
IMAGES = [
    ("torus:4x5", ["dor"], (ALL, ALL)),
    ("torus:4x4x3", ["dor", "--adaptive"], (ALL, ALL)),
    ("twin:4x4x4", ["ts-dor"], ([0, 2], [1, 3])),
    ("twin:3x4x2", ["ts-dor", "--adaptive"], ([0, 2], [1, 3])),
    ("rtt:8x4", ["layered"], (ALL, ALL)),
    ("torus:5x4", ["layered", "--fail-link", "3:d0+", "--fail-card", "7"], (ALL, ALL)),
]


def hops_of(table, network, tc, source, dest, peers):
    """[(card, port, vc), ...] to the NIC port."""
    card, way = source, []
    while not way or way[-1][1] != "nic":
        way.append((card, *table[card, tc, dest][:2]))
        card = peers.get((card, way[-1][1]), (None,))[0]
        assert len(way) <= len(network.cards)
    return way


def candidates_of(table, tc, source, dest, peers):
    """All (card, port) that adaptive candidates lead over."""
    open_cards, found, seen = [source], set(), {source}
    while open_cards:
        card = open_cards.pop()
        entry = table[card, tc, dest]
        for port in entry[2] if len(entry) > 2 else ():
            found.add((card, port))
            if peers[card, port][0] not in seen:
                seen.add(peers[card, port][0])
                open_cards.append(peers[card, port][0])
    return found


def routed(extorus, spec, how):
    return read_csv(extorus("route", spec, "--algorithm", *how, "-o", "image", "--csv", "-").splitlines())


def pairs_of(network, failed, seed=1, count=25):
    cards = [card for card in range(len(network.cards)) if card not in failed]
    return [random.Random(seed * 1000 + i).sample(cards, 2) for i in range(count)]


@pytest.mark.parametrize("spec, how, tcs", IMAGES, ids=[f"{s} {' '.join(h)}" for s, h, _ in IMAGES])
def test_every_hop(extorus, spec, how, tcs):
    network, table = Network(spec), routed(extorus, spec, how)
    for source, dest in pairs_of(network, {7} if "--fail-card" in how else set()):
        said = json.loads(extorus("trace", "image", str(source), str(dest), "--json"))
        assert [route["tc"] for route in said["routes"]] == tcs[source % 2]
        text = extorus("trace", "image", str(source), str(dest))
        for route in said["routes"]:
            tc, way = route["tc"], hops_of(table, network, route["tc"], source, dest, network.hops)
            assert [(hop["card"], hop["port"], hop["vc"] or 0) for hop in route["hops"]] == way
            assert (route["result"], route["links"]) == ("delivered", len(way) - 1)
            for hop in route["hops"]:
                assert tuple(hop["coordinates"]) == network.cards[hop["card"]][0]
                entry = table[hop["card"], tc, dest]
                assert frozenset(hop["adaptive"]) == (entry[2] if len(entry) > 2 else frozenset())
                assert hop["table"] == "LRT"  # it has room for all of these networks
                assert re.search(rf"card {hop['card']} .* {re.escape(hop['port'])} .*LRT {hop['entry']}\b", text)
            assert {(c["card"], c["port"]) for c in route["candidates"]} == candidates_of(table, tc, source, dest, network.hops)
            for c in route["candidates"]:
                assert network.hops[c["card"], c["port"]][0] == c["to_card"]


def test_which_table_decides(extorus):
    """16x16 cards are the local part of an address; its GRT entry, d2, is used once d0 and d1 are there."""
    extorus("route", "torus:16x16x16", "--algorithm", "dor", "-o", "image")
    for source, dest in pairs_of(Network("torus:16x16x16"), set(), count=10) + [[5, 3000], [7, 7 + 256]]:
        for hop in json.loads(extorus("trace", "image", str(source), str(dest), "--json"))["routes"][0]["hops"]:
            there = hop["card"] % 256 == dest % 256 and hop["card"] != dest
            assert (hop["table"], hop["entry"]) == (("GRT", dest // 256) if there else ("LRT", dest % 256))
            assert hop["port"].startswith("d2") == there


def read_dot(text):
    """(solid arrows, dashed ones) from card to card, of those that are coloured."""
    arrows = re.findall(r"c(\d+) -[->] c(\d+) \[(.*)\];", text)
    solid = [(int(a), int(b)) for a, b, style in arrows if "penwidth=2" in style]
    return solid, [(int(a), int(b)) for a, b, style in arrows if "dashed" in style]


@pytest.mark.parametrize("spec, how, _", IMAGES, ids=[f"{s} {' '.join(h)}" for s, h, _ in IMAGES])
def test_picture_has_every_hop(extorus, spec, how, _):
    routed(extorus, spec, how)
    network = Network(spec)
    for source, dest in pairs_of(network, {7} if "--fail-card" in how else set(), count=5):
        said = json.loads(extorus("trace", "image", str(source), str(dest), "--json"))
        solid, dashed = read_dot(extorus("trace", "image", str(source), str(dest), "--dot", "-"))
        different = {json.dumps({**route, "tc": 0}): route for route in said["routes"]}.values()
        cards = [[hop["card"] for hop in route["hops"]] for route in different]
        assert sorted(solid) == sorted(hop for way in cards for hop in zip(way, way[1:]))
        assert sorted(dashed) == sorted((c["card"], c["to_card"]) for route in different for c in route["candidates"])


def test_picture_of_a_large_network_is_the_route(extorus):
    extorus("route", "torus:20x20", "--algorithm", "dor", "--adaptive", "-o", "image")
    text = extorus("trace", "image", "5", "300", "--dot", "-")
    hops = json.loads(extorus("trace", "image", "5", "300", "--json"))["routes"][0]["hops"]
    cards = [hop["card"] for hop in hops]
    solid, dashed = read_dot(text)
    assert sorted(set(solid)) == sorted(zip(cards, cards[1:]))
    assert len(dashed) == sum(len(hop["adaptive"]) for hop in hops)


def test_network_whose_file_has_changed(extorus):
    net = extorus.folder / "net.json"
    net.write_text('{"cards": 3, "links": [[0, 0, 1, 0], [1, 1, 2, 0]]}')
    extorus("route", "file:net.json", "--algorithm", "updown", "-o", "image")
    drawing = extorus("trace", "image", "0", "2", "--dot", "-")
    assert "layout=nop2" in drawing and set(read_dot(drawing)[0]) == {(0, 1), (1, 2)}
    for text in ('{"cards": 3, "links": [[0, 3, 1, 0], [1, 1, 2, 0]]}', '{"cards": 2, "links": [[0, 0, 1, 0]]}', "no network"):
        net.write_text(text)
        assert extorus("trace", "image", "0", "2", "--dot", "-") == drawing
    net.unlink()
    assert extorus("trace", "image", "0", "2", "--dot", "-") == drawing


@pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")
def test_graphviz_draws_it(extorus):
    routed(extorus, "twin:3x4x2", ["ts-dor", "--adaptive"])
    extorus("trace", "image", "3", "40", "--svg", "route.svg")
    texts = [t.text for t in ElementTree.parse(extorus.folder / "route.svg").getroot().iter("{http://www.w3.org/2000/svg}text")]
    assert any("PE 3 to PE 40" in t for t in texts)
    assert any(t == "VC 0" for t in texts)


@pytest.mark.parametrize("arguments, status, says", [
    ([], 2, "say which image"),
    (["image", "3"], 2, "say which image, and the PEs"),
    (["image", "3", "4", "5"], 2, 'unexpected argument "5"'),
    (["image", "3", "x"], 2, 'PE: "x" is not a number from 0'),
    (["image", "3", "-1"], 2, ""),
    (["image", "20", "1"], 2, "there is no PE 20, only 0 to 19"),
    (["image", "1", "99999999999"], 2, "is not a number from 0"),
    (["image", "1", "7"], 2, "PE 7 is out of service: its card 7 has failed"),
    (["image", "1", "2", "--json", "--dot", "-"], 2, "only one of"),
    (["image", "1", "2", "--svg", "none/x.svg"], 2, "none/x.svg: cannot write here"),
    (["none", "1", "2"], 2, "none: cannot be read"),
    (["bad", "1", "2"], 1, "bad: not a routing image"),
])
def test_wrong_usage(extorus, arguments, status, says):
    extorus("route", "torus:5x4", "--algorithm", "layered", "--fail-card", "7", "-o", "image")
    (extorus.folder / "bad").write_bytes(b"no image")
    before = sorted(extorus.folder.iterdir())
    assert extorus("trace", *arguments, status=status, stderr=says) == ""
    assert sorted(extorus.folder.iterdir()) == before


@pytest.mark.parametrize("spec", ["twin:4x4x4", "twin:9x9", "twin:5x4x3"])
def test_packets_of_the_cycle(extorus, spec):
    """Of a large cyclic image the cycle alone is drawn, and each pair of PEs beside it does what it stands for."""
    network, table = Network(spec), routed(extorus, spec, ["ts-dor", "--single-tc"])
    cycle = json.loads(extorus("check", "image", "--json", "--cdg", "cdg.dot", status=1))["cycle"]
    text = (extorus.folder / "cdg.dot").read_text()
    boxes = re.findall(r'card (\d+) (\S+) to\\ncard (\d+) (\S+), VC (\d)"', text)
    assert boxes == [(str(c["card"]), c["port"], str(c["to_card"]), c["to_port"], str(c["vc"])) for c in cycle]
    assert text.count(" -> ") == len(cycle)
    pairs = re.findall(r'label="PE (\d+) to (\d+)"', text)
    assert len(pairs) == len(cycle)
    channels = [(c["card"], c["port"], c["vc"]) for c in cycle]
    for (source, dest), first, second in zip(pairs, channels, channels[1:] + channels[:1]):
        way = hops_of(table, network, 0, int(source), int(dest), network.hops)
        assert (first, second) in list(zip(way, way[1:]))
