# SPDX-License-Identifier: Apache-2.0
"""Reads network files into graphs of networkx, independently of the command. A node is what the command names a card."""

import json
import pathlib
import re
import subprocess

import networkx

FILES = pathlib.Path(__file__).resolve().parent / "files"


def graphml(path):
    graph = networkx.Graph(networkx.read_graphml(path))
    return networkx.relabel_nodes(graph, {node: graph.nodes[node].get("label", node) for node in graph})


def dot(path):
    drawn = json.loads(subprocess.run(["dot", "-Tjson0", path], check=True, capture_output=True, text=True).stdout)
    nodes = [node for node in drawn["objects"] if "nodes" not in node and not node["name"].startswith("cluster") and node["name"] != "%3"]
    names = {node["_gvid"]: node["name"] if node.get("label", "\\N") == "\\N" else node["label"] for node in nodes}
    graph = networkx.Graph()
    graph.add_nodes_from(names.values())
    graph.add_edges_from((names[edge["tail"]], names[edge["head"]]) for edge in drawn["edges"])
    return graph


def edges(path):
    separator = "," if path.suffix == ".csv" else None
    lines = [line.split(separator)[:2] for line in path.read_text().splitlines() if not line.startswith(("#", "source"))]
    return networkx.Graph(lines)


def anynet(path):
    graph = networkx.Graph()
    for line in path.read_text().splitlines():
        items = re.findall(r"(router|node) (\d+)", line)
        routers = [number for kind, number in items if kind == "router"]
        graph.add_nodes_from(routers)
        if items[0][0] == "router":
            graph.add_edges_from((routers[0], other) for other in routers[1:])
    return graph


def hosts(text):
    """Names of a list of Slurm, of one bracket each."""
    for prefix, ranges, rest in re.findall(r"([^,\[\]]+)(?:\[([^\]]*)\])?([^,]*)", text):
        if not ranges:
            yield prefix + rest
        for part in ranges.split(",") if ranges else ():
            first, last = (part.split("-") * 2)[:2]
            yield from (f"{prefix}{number:0{len(first)}d}{rest}" for number in range(int(first), int(last) + 1))


def slurm(path):
    graph = networkx.Graph()
    for line in path.read_text().replace("\\\n", " ").splitlines():
        found = {key.lower(): value for key, value in re.findall(r"(\w+)=(\S+)", line.split("#")[0])}
        for key in ("nodes", "switches"):
            graph.add_edges_from((found["switchname"], name) for name in hosts(found.get(key, "")))
    return graph


def infiniband(path):
    graph, names, node = networkx.Graph(), {}, None
    text = path.read_text()
    for kind, key, name in re.findall(r'^(Switch|Ca)\s+\d+ "([^"]+)"\s*# "([^"]*)"', text, re.M):
        names[key] = name if kind == "Switch" else name.split()[0]
    for line in text.splitlines():
        begin = re.match(r'(Switch|Ca)\s+\d+ "([^"]+)"', line)
        cable = re.match(r'\[\d+\](?:\([0-9a-f]+\))?\s*"([^"]+)"', line)
        node = begin[2] if begin else node
        if cable:
            graph.add_edge(names[node], names[cable[1]])
    return graph


READERS = {".graphml": graphml, ".gv": dot, ".dot": dot, ".edges": edges, ".csv": edges, ".anynet": anynet, ".conf": slurm,
           ".topo": infiniband, ".ibnetdiscover": infiniband}


def read(path):
    return READERS[path.suffix](path)


def distances(graph):
    """(diameter, sum of the distances of all ordered pairs, those between each two names)."""
    pairs = {node: dict(found) for node, found in networkx.all_pairs_shortest_path_length(graph)}
    return max(max(found.values()) for found in pairs.values()), sum(sum(found.values()) for found in pairs.values()), pairs
