# SPDX-License-Identifier: Apache-2.0
"""Network files of other programs: distances as networkx has them, damaged files, and paths."""

import json
import random
import re
import shutil
import subprocess

import networkx
import pytest

from readers import FILES, distances, read

NETWORKS = sorted(path.name for path in FILES.iterdir())
WIDE = {"topology.conf": "links8", "fat-tree.ibnetdiscover": "links14", "concentrated.anynet": "extoll10"}  # the smallest with the ports
DAMAGES = 24


def copy(extorus, name, to=None):
    shutil.copy(FILES / name, extorus.folder / (to or name))


def measured(extorus, spec, *arguments):
    """What topo says, and the graph of the wiring that it writes, with the names of its nodes."""
    said = json.loads(extorus("topo", spec, "--json", *arguments))
    names = said.get("names", [str(card) for card in range(said["cards"])])
    graph = networkx.Graph()
    graph.add_nodes_from(names)
    for line in extorus("topo", spec, "--csv", "-", *arguments).splitlines()[1:]:
        card, _, peer, _ = line.split(",")
        graph.add_edge(names[int(card)], names[int(peer)])
    return said, graph


def assert_same(said, graph, truth):
    diameter, total, pairs = distances(truth)
    cards = truth.number_of_nodes()
    assert (said["cards"], said["diameter"]) == (cards, diameter)
    assert said["mean_distance"] == pytest.approx(total / (cards * (cards - 1)))
    assert distances(graph)[2] == pairs


@pytest.mark.parametrize("name", NETWORKS)
def test_distances(extorus, name):
    copy(extorus, name)
    said, graph = measured(extorus, f"file:{name}")
    assert_same(said, graph, read(FILES / name))
    assert said["profile"] == WIDE.get(name, "extoll")


def test_names_of_hosts(extorus):
    copy(extorus, "two-switches.topo")
    said = json.loads(extorus("topo", "file:two-switches.topo", "--json"))
    assert set(said["names"]) == {"ISR9024 Voltaire", "SW-6IB4 Voltaire", "node0", "node1", "node2", "node3"}
    assert said["links"] == 6


@pytest.mark.parametrize("name", sorted(set(NETWORKS) - set(WIDE)))
def test_round_trips(extorus, name):
    """Through a routed image to GraphML and, with single links, to anynet; and back."""
    copy(extorus, name)
    truth = read(FILES / name)
    route = ["route", f"file:{name}", "--algorithm", "updown"]
    extorus(*route, "--export", "out.graphml")
    said, graph = measured(extorus, "file:out.graphml")
    assert_same(said, graph, truth)
    written = networkx.read_graphml(extorus.folder / "out.graphml")
    assert networkx.is_isomorphic(networkx.Graph(written), truth)
    assert said["links"] == written.number_of_edges() == json.loads(extorus("topo", f"file:{name}", "--json"))["links"]
    if isinstance(written, networkx.MultiGraph):
        extorus(*route, "--export", "out.anynet", status=2, stderr="have two links, anynet has one")
        return
    extorus(*route, "--export", "out.anynet")
    back = json.loads(extorus("topo", "file:out.anynet", "--json"))
    assert all(back[key] == said[key] for key in ("cards", "links", "diameter", "mean_distance"))
    assert networkx.is_isomorphic(read(extorus.folder / "out.anynet"), truth)


def damaged(text, seed):
    """The bytes of a file with one fault, drawn by a seed."""
    draw = random.Random(seed)
    kind, at = seed % 6, draw.randrange(len(text))
    lines = text.split(b"\n")
    line = draw.randrange(len(lines))
    if kind == 0:
        return text[:at]
    if kind == 1:
        return text[:at] + text[at + 1 + draw.randrange(8):]
    if kind == 2:
        return text[:at] + bytes([draw.randrange(256)]) + text[at + 1:]
    if kind == 3:
        return b"\n".join(lines[:line] + lines[line + 1:])
    if kind == 4:
        return b"\n".join(lines[:line + 1] + lines[line:])
    return text[:at] + draw.choice([b"\0", b"\xff\xfe", b"[", b"\"", b"{", b"&", b" -- ", b"99999999999", b"node", b"\n"]) + text[at:]


@pytest.mark.parametrize("name", NETWORKS)
def test_damaged_files(extorus, name):
    """Every file is read or refused in one line that names the file, and the line wherever there is one; none crashes."""
    text = (FILES / name).read_bytes()
    refused = 0
    for seed in range(DAMAGES):
        (extorus.folder / name).write_bytes(damaged(text, seed))
        done = subprocess.run([extorus.command, "topo", f"file:{name}"], cwd=extorus.folder, capture_output=True, timeout=60)
        said = done.stderr.decode()
        assert done.returncode in (0, 2), (seed, said)
        if done.returncode == 2:
            refused += 1
            assert said.count("\n") == 1 and name in said, (seed, said)
            assert re.search(re.escape(name) + r":\d+: ", said) or "disconnected" in said, (seed, said)
            assert re.search("; |, ", said), (seed, said)
    assert refused > 1


@pytest.mark.parametrize("name, text, says", [
    ("a.anynet", "router 0 router 1\nrouter 1 nod 3\n", 'a.anynet:2: "nod" is neither router nor node; write for example'),
    ("a.anynet", "router 0 router 1 node 1\nrouter 1 node 1\n", "a.anynet:2: node 1 is on router 0 already, by line 1; give it one"),
    ("a.anynet", "router 0 router\n", 'a.anynet:1: router "" has no number'),
    ("a.edges", "0 1\n2\n", "a.edges:2: no link; write two names of nodes"),
    ("a.edges", "0 1\n1 1\n", "a.edges:2: node 1 is linked to itself; remove the link"),
    ("a.gv", "graph {\na -- b\nb -> c\n}\n", "a.gv:3: -> in a graph; write --"),
    ("a.gv", "graph {\na -- b\n", "a.gv:3: the file ends where } should be; is it cut off?"),
    ("a.gv", 'graph {\na -- "b\n}\n', 'a.gv:2: a text that does not end; close it by "'),
    ("a.graphml", "<graphml>\n<graph>\n<node id='a'/></graph>\n", "a.graphml:4: column 1: no element found; mend the XML"),
    ("a.graphml", "<graphml><graph><node id='a'/>\n<edge source='a' target='b'/></graph></graphml>",
     'a.graphml:2: "b" is named here, but there is no <node> of this id'),
    ("a.graphml", "<svg/>", "a.graphml:1: <svg> is no GraphML; save the network as GraphML"),
    ("a.graphml", '<!DOCTYPE a [<!ENTITY x "xx">]>\n<graphml/>', "a.graphml:1: a document type with declarations of its own; leave"),
    ("topology.conf", "SwitchName=a Nodes=x[0-\n", 'topology.conf:1: "[0-" is no list of hosts; write for example tux[0-3,7]'),
    ("topology.conf", "SwitchName=a Nodes=x[5-3]\n", "is no list of hosts"),
    ("topology.conf", "SwitchName=a Switches=b\n", 'topology.conf:1: "b" is named here, but no SwitchName= declares that'),
    ("topology.conf", "SwitchName=a Nodes=b\nSwitchName=a Nodes=c\n", "topology.conf:2: switch a is there twice, since line 1"),
    ("f.topo", 'Switch\t24 "S-1"\t\t# "x" base port 0 lid 1 lmc 0\n[1]\t"S-2"[1]\n', 'f.topo:2: "S-2" is named here, but no Switch or Ca'),
    ("f.topo", '[1]\t"S-2"[1]\nSwitch\t24 "S-1"\n', "f.topo:1: a port before any Switch or Ca line"),
    ("f.topo", 'Switch\t24 "S-1"\n[x]\t"S-2"[1]\n', "f.topo:2: no cable; it should be like"),
    ("f.topo", 'Switch\t24 "S-1"\n[1]\t"S-2"[1]\n[1]\t"S-2"[2]\nSwitch\t8 "S-2"\n', "f.topo:3: port 1 of S-1 is used by line 2 already"),
    ("empty.edges", "", "empty.edges:1: no nodes and no links"),
    ("zero.txt", "0 1\n\0", "zero.txt:1: a zero byte"),
])
def test_messages(extorus, name, text, says):
    (extorus.folder / name).write_text(text)
    for command in (["topo"], ["route", "--algorithm", "updown"]):
        assert extorus(command[0], f"file:{name}", *command[1:], status=2, stderr=says) == ""


def test_a_profile_is_named(extorus):
    star = "".join(f"0 {leaf}\n" for leaf in range(1, 6))
    (extorus.folder / "star.edges").write_text(star)
    (extorus.folder / "big.edges").write_text(star + "0 6\n0 7\n")
    (extorus.folder / "many.anynet").write_text("router 0 node 0 node 1 node 2 router 1\n")
    (extorus.folder / "net.json").write_text('{"cards": 2, "links": [[0, 5, 1, 0]]}')
    extorus("topo", "file:star.edges", "--profile", "mini", status=2,
            stderr="star.edges:1: 0 has 5 links, profile mini has 4 link ports; use --profile extoll, which has 6 link ports")
    extorus("route", "file:big.edges", "--algorithm", "updown", "--profile", "extoll", status=2,
            stderr="use --profile links8, which has 8 link ports and 1 NIC port, for the model only")
    (extorus.folder / "huge.edges").write_text("".join(f"0 {leaf}\n" for leaf in range(1, 16)))
    extorus("route", "file:huge.edges", "--algorithm", "updown", status=2, stderr="no profile has more than 14 link and 4 NIC ports")
    assert json.loads(extorus("topo", "file:huge.edges", "--json"))["profile"] == "none"
    extorus("route", "file:big.edges", "--algorithm", "updown", stderr="--profile links8, because extoll lacks")
    extorus("route", "file:many.anynet", "--algorithm", "updown", "--profile", "extoll", status=2,
            stderr="router 0 has 3 nodes, profile extoll has 1 NIC port; use --profile extoll10, which has")
    extorus("topo", "file:net.json", "--profile", "mini", status=2, stderr="use another port, or --profile extoll")
    extorus("topo", "torus:2x2x2", "--profile", "mini", status=2, stderr="needs 6 link ports per card, profile mini has 4; use fewer "
            "dimensions, or --profile extoll")
    assert json.loads(extorus("topo", "file:big.edges", "--json"))["degree"] == 7


@pytest.mark.parametrize("path", ["my net.edges", "a~1.edges", "net~5", "n%20t.edges", "comma,semi;colon.edges", "é \"x\".edges", "deep er/../x.edges",
                                  "net.edges~"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_paths(extorus, path, mark):
    folder = extorus.folder / "deep er"
    folder.mkdir()
    (extorus.folder / path).write_text(mark + "0 1\r\n1 2\r\n2 0\r\n", encoding="utf-8")
    for spec in (f"file:{path}", f"file:{extorus.folder}/{path}", f"file:./deep er/../{path}"):
        said = json.loads(extorus("topo", spec, "--json"))
        assert (said["cards"], said["diameter"]) == (3, 1)
        assert not set(" ,;\"") & set(said["topology"])
        assert json.loads(extorus("topo", said["topology"], "--json"))["links"] == 3
        failed = json.loads(extorus("topo", spec, "--fail-link", "0:0", "--json"))
        assert (failed["links"], failed["diameter"]) == (2, 2)
    home = json.loads(extorus("topo", f"file:~/{path}", "--json", env={"HOME": str(extorus.folder)}))
    assert home["cards"] == 3


def test_an_image_needs_no_file(extorus):
    copy(extorus, "abilene.graphml")
    extorus("route", "file:abilene.graphml", "--algorithm", "layered", "--fail-link", "0:0", "-o", "net.img")
    commands = [["check", "net.img", "--json"], ["route", "--from", "net.img", "--fail-link", "8:0", "--json"], ["trace", "net.img", "0", "5"]]
    before = [extorus(*command) for command in commands]
    (extorus.folder / "abilene.graphml").unlink()
    assert [extorus(*command) for command in commands] == before
    other = extorus.folder / "elsewhere"
    other.mkdir()
    shutil.move(extorus.folder / "net.img", other / "net.img")
    assert extorus("check", "elsewhere/net.img", "--json") == before[0]
