# SPDX-License-Identifier: Apache-2.0
"""Forwarding tables as OpenSM dumps them: followed hop by hop from every switch to every LID."""

import json
import re
import shutil

import pytest

from readers import FILES


def tables(text):
    """{LID of a switch: {LID: port}}, {LID: name}, {LID: GUID}; every line is one that OpenSM reads."""
    found, names, guids, switch = {}, {}, {}, None
    for line in text.splitlines():
        head = re.fullmatch(r"Unicast lids \[0-(\d+)\] of switch Lid (\d+) guid 0x([0-9a-f]{16}) \('(.*)'\):", line)
        entry = re.fullmatch(r"0x([0-9a-f]{4}) (\d{3}) # (Switch|Channel Adapter) portguid 0x([0-9a-f]{16}): '(.*)'", line)
        if head:
            switch = found.setdefault(int(head[2]), {})
            assert len(found) == 1 or not switch
        elif entry:
            lid = int(entry[1], 16)
            assert lid not in switch
            switch[lid] = int(entry[2])
            names[lid], guids[lid] = entry[5], int(entry[4], 16)
        else:
            assert re.fullmatch(rf"{len(switch)} lids dumped", line), line
    return found, names, guids


def follow(found, cables, switch, lid, own):
    """Number of hops from a switch until a port that leads to `own`, or to the switch itself."""
    for hops in range(len(found) + 1):
        port = found[switch][lid]
        if (switch, port) in own:
            return hops
        switch = cables[switch, port]
    raise AssertionError("a loop")


def test_fabric_of_a_dump(extorus):
    """LIDs, GUIDs and ports are those of the dump, the host's GUID that of its port."""
    text = (FILES / "two-switches.topo").read_text()
    shutil.copy(FILES / "two-switches.topo", extorus.folder)
    extorus("route", "file:two-switches.topo", "--algorithm", "updown", "--export", "fabric.lft")
    found, names, guids = tables((extorus.folder / "fabric.lft").read_text())
    cables, own, switch, lids = {}, {}, None, {}
    for line in text.splitlines():
        begin = re.match(r'Switch\s+\d+ "S-([0-9a-f]+)"\s*# "(.*)" base port 0 lid (\d+)', line)
        cable = re.match(r'\[(\d+)\]\s*"([SH])-[0-9a-f]+"\[\d+\](?:\(([0-9a-f]+)\))?\s*# "(.*)" lid (\d+)', line)
        if begin:
            switch = int(begin[3])
            own.setdefault(switch, set()).add((switch, 0))
            lids[switch] = (begin[2], int(begin[1], 16))
        elif line.startswith("Ca"):
            switch = None
        elif cable and switch:
            cables[switch, int(cable[1])] = int(cable[5])
            if cable[2] == "H":
                own.setdefault(int(cable[5]), set()).add((switch, int(cable[1])))
                lids[int(cable[5])] = (cable[4].split()[0], int(cable[3], 16))
    assert set(found) == {6, 3} and lids == {lid: (names[lid], guids[lid]) for lid in names}
    for switch in found:
        assert set(found[switch]) == set(lids)
        for lid in lids:
            assert follow(found, cables, switch, lid, own[lid]) <= 1


@pytest.mark.parametrize("spec, profile", [("torus:4x3", "extoll"), ("mesh:3x3", "mini"), ("torus:2x2", "extoll10")])
def test_any_network(extorus, spec, profile):
    said = json.loads(extorus("route", spec, "--profile", profile, "--algorithm", "updown", "--json"))
    found, names, _ = tables(extorus("route", spec, "--profile", profile, "--algorithm", "updown", "--export", "-", "--format", "opensm"))
    cards, links = said["cards"], {"mini": 4}.get(profile, 6)
    wiring = [line.split(",") for line in extorus("topo", spec, "--profile", profile, "--csv", "-").splitlines()[1:]]
    ports = [line.split(",") for line in extorus("route", spec, "--profile", profile, "--algorithm", "updown", "--export", "-", "--format",
                                                 "csv").splitlines()[1:]]
    cables = {}
    number = {name: 1 + place for place, name in enumerate(["d0-", "d0+", "d1-", "d1+"])}
    for card, port, peer, _ in wiring:
        cables[int(card) + 1, number[port]] = int(peer) + 1
    for switch in range(1, cards + 1):
        for lid in range(1, cards + said["pes"] + 1):
            card = lid if lid <= cards else (lid - cards - 1) // (said["pes"] // cards) + 1
            own = {(card, 0 if lid <= cards else links + 1 + (lid - cards - 1) % (said["pes"] // cards))}
            follow(found, cables, switch, lid, own)
    for card, tc, dest, port, _ in ports:
        if tc == "0" and port in number:
            assert found[int(card) + 1][cards + 1 + int(dest)] == number[port]
    assert len(names) == cards + said["pes"]


def test_refusals(extorus):
    extorus("route", "twin:4x4", "--algorithm", "ts-dor", "--export", "x.lft", status=None)
    assert not (extorus.folder / "x.lft").exists()
    extorus("route", "manhattan:4x4", "--algorithm", "layered", "--export", "x.anynet", status=2, stderr="export it as graphml")
    extorus("route", "torus:4", "--algorithm", "dor", "--export", "x.what", status=2, stderr="say which format by --format")
    extorus("route", "torus:4", "--algorithm", "dor", "--format", "csv", status=2, stderr="--format goes with --export")
    assert not list(extorus.folder.iterdir())
