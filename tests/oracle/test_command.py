# SPDX-License-Identifier: Apache-2.0
"""The command's manners: help, exit statuses, messages that name place and remedy, files left alone."""

import json
import re
import shutil
import xml.etree.ElementTree as ElementTree

import pytest

TOOLKIT = ["gen", "topo", "configs", "layout", "crossings", "latency", "route", "check", "trace"]
NINE_VCS = "twin:2x2x2x2,config=d0-d1-d2-d3-"  # those of dort on the internal link; no profile has more than 8
ALL = TOOLKIT + ["sim", "load", "verify", "dump", "counters"]


def test_help_lists_all_commands(extorus):
    text = extorus("--help")
    for command in ALL:
        assert f"\n  {command} " in text
    assert "Examples:" in text
    extorus(status=2, stderr="Usage:")
    extorus("nothing", status=2, stderr='no command "nothing"')
    assert extorus("--version").startswith("extorus ")


@pytest.mark.parametrize("command", ALL)
def test_each_command_has_help_with_examples(extorus, command):
    text = extorus(command, "--help")
    assert text.startswith(f"Usage: extorus {command} ")
    assert text.count(f"  extorus {command} ") >= (2 if command in TOOLKIT else 1)
    assert extorus("help", command) == extorus(command, "-h") == text
    extorus(command, "--no-such-option", status=2, stderr="--no-such-option")


@pytest.mark.parametrize("command", ["traffic", "latency", "workload", "sweep", "load"])
def test_examples_can_be_copied(extorus, command):
    """A shell reads those of a narrow help as those of a wide one."""
    def examples(text):
        return re.split(r"^Examples?:$", text, flags=re.M)[1].partition("\n\n")[0]

    narrow, wide = examples(extorus(command, "--help")), examples(extorus(command, "--help", env={"ARGP_HELP_FMT": "rmargin=9999"}))
    assert all(len(line) < 80 for line in narrow.splitlines())
    assert re.sub(r" \\\n {6}", " ", narrow) == wide
    assert (narrow != wide) == (command != "load")


@pytest.mark.parametrize("spec, algorithm", [("torus:4", "dor"), ("twin:4", "ts-dor"), ("pruned:4x4x4", "layered"), ("torus:4~1:d0+", "layered"),
    ("tree:k=2,n=3", "destro"), ("twin:3x3x3,config=D", "ts-dor"), ("twin:3x3x3,config=C", "dort"),
    (NINE_VCS, "layered")])
def test_usual_algorithm(extorus, spec, algorithm):
    """That of `sweep`, and it says which."""
    extorus("route", spec, "-o", "usual.img", stderr=f"--algorithm {algorithm}, as none is named")
    extorus("route", spec, "--algorithm", algorithm, "-o", "named.img")
    assert (extorus.folder / "usual.img").read_bytes() == (extorus.folder / "named.img").read_bytes()
    assert f"@{algorithm}" in extorus("sweep", spec, "--load", "0.1", "--measure", "100", "--json", "-o", "swept")


@pytest.mark.parametrize("spec, words, profile", [
    ("twin:3x3x3,config=A", ["dort"], "dort7"), ("twin:4x4,config=d0+d1+", ["bubble"], "bubble4"), ("torus:2x2x2x2", ["dor"], "links8"), ("torus:2x2x2x2x2", ["dor"], "links10"),
    ("torus:2x2x2x2x2x2x2", ["dor"], "links14"), ("twin:2x2x2x2x2x2", ["ts-dor"], "links8"), ("twin:2x2x2x2x2x2x2", ["dort"], "links8"),
    ("tree:k=4,n=2", ["destro"], "tree8"), ("tree:k=3,n=2", ["layered"], "extoll10"), ("manhattan:16x16x16", ["layered"], "dort")])
def test_profile_of_a_network_that_the_usual_one_is_too_small_for(extorus, spec, words, profile):
    """It is told, is that of the image, and the one that is named is kept."""
    extorus("route", spec, "--algorithm", *words, "-o", "found.img", stderr=f"--profile {profile}, because ")
    extorus("route", spec, "--algorithm", *words, "--profile", profile, "-o", "named.img")
    assert (extorus.folder / "found.img").read_bytes() == (extorus.folder / "named.img").read_bytes()
    extorus("route", spec, "--algorithm", *words, "--profile", "dort" if profile == "dort7" else "extoll", status=2, stderr=f" {profile}")


def test_profile_told_with_the_algorithm(extorus):
    extorus("route", "torus:2x2x2x2", stderr="--algorithm dor --profile links8, because extoll lacks ports or VCs and none is named")
    extorus("route", "torus:2x2", "--algorithm", "dor", stderr="")
    assert "@dort/dort7" in extorus("sweep", "twin:2x2x2,config=A@dort", "--load", "0.1", "--measure", "100", "--json", "-o", "swept")


@pytest.mark.parametrize("spec, profile", [
    ("torus:2x2", "extoll"), ("torus:2x2x2x2", "links8"), ("torus:2x2x2x2x2", "links10"), ("torus:2x2x2x2x2x2", "links14"),
    ("twin:2x2x2x2x2x2", "links8"), ("twin:2x2x2x2x2x2x2", "links8"), ("tree:k=3,n=2", "extoll10"), ("tree:k=4,n=2", "tree8"),
    ("tree:k=2,n=2~0:up0", "extoll10")])
def test_topo_takes_a_profile_with_the_ports(extorus, spec, profile):
    assert json.loads(extorus("topo", spec, "--json"))["profile"] == profile


@pytest.mark.parametrize("arguments, says", [
    (["topo"], "say which topology"),
    (["topo", "tree:k=9,n=2"], "needs 18 link and 9 NIC ports per card, profile extoll has 6 and 1; no profile has as many: lower k"),
    (["topo", "tree:k=4,n=2", "--profile", "extoll10"], "use --profile tree8"),
    (["route", NINE_VCS, "--algorithm", "dort"], "dort needs 9 deterministic VCs in each TC; TC 0 of profile dort has 4: no profile that fits"),
    (["route", "torus:2x2x2x2", "--algorithm", "bubble"], "profile bubble has too few ports, and none with more has what bubble needs; use fewer"),
    (["route", "torus:2x2x2x2", "--algorithm", "dor", "--adaptive"], "none with more has what dor needs; leave out --adaptive"),
    (["route", "twin:4x4~1:int", "--algorithm", "dort"], "dort routes a twin torus without failures, not twin:4x4~1:int"),
    (["route", "torus:4~1:d0+", "--algorithm", "dor"], "dor routes a torus, a twisted torus or a mesh without failures"),
    (["route", "tree:k=2,n=10"], "use at most 256 cards, or --profile tree8"),
    (["route", "tree:k=3,n=7", "--algorithm", "destro"], "or --profile tree10"),
    (["route", "tree:k=4,n=6,cards=2,links=1", "--algorithm", "destro"], "no profile has as many entries"),
    (["route", "rtt:64x32", "--algorithm", "dor"], "lower the radices, or use --profile large"),
    (["route", "rtt:64x32", "--algorithm", "dor", "--adaptive"], "no profile for it has as many"),
    (["route", "rtt:64x32", "--algorithm", "bubble"], "or use --profile bubble_adaptive"),
    (["topo", "torus:4", "torus:4"], "unexpected argument"),
    (["topo", "4x4"], "unknown kind"),
    (["topo", ""], "unknown kind"),
    (["topo", "torus:"], "character 7"),
    (["topo", "torus:4x0"], "radix 0"),
    (["topo", "torus:4x4,4"], "character 10"),
    (["topo", "torus:2x2x2x2", "--profile", "extoll"], "needs 8 link ports per card, profile extoll has 6; use fewer dimensions, or --profile links8"),
    (["topo", "twin:2x2x2x2x2x2x2x2"], "more than 7 dimensions"),
    (["topo", "torus:2x2x2", "--profile", "mini"], "profile mini has 4"),
    (["topo", "torus:300x300"], "more than 65536 cards"),
    (["topo", "torus:4", "--profile", "maxi"], "there are: bubble, bubble4, bubble_adaptive, dort, dort7, dort8, dort_adaptive, extoll, extoll10, extoll64, extoll_linked, extoll_small, large, links10, links14, links8, mini"),
    (["topo", "torus:4", "--dot", "none/x.dot"], "none/x.dot: cannot write here"),
    (["route", "torus:4", "--algorithm", "xy"], "use dor (torus, twisted torus, mesh), ts-dor or dort (twin), or bubble (any of these but meshes), destro (tree)"),
    (["route", "torus:4", "--algorithm", "ts-dor"], "use dor"),
    (["route", "twin:4", "--algorithm", "dor"], "use ts-dor"),
    (["route", "torus:4", "--algorithm", "dor", "--single-tc"], "variant of ts-dor"),
    (["route", "torus:4", "--algorithm", "dort"], "use dor or bubble"),
    (["route", "twin:4", "--algorithm", "dort", "--profile", "extoll"], "for example dort"),
    (["route", "torus:4", "--algorithm", "bubble", "--profile", "extoll"], "use profile bubble"),
    (["route", "twin:4", "--algorithm", "dort", "--adaptive", "--profile", "dort"], "use profile dort_adaptive"),
    (["route", "torus:4", "--algorithm", "dor", "--adaptive", "--profile", "mini"], "use profile extoll"),
    (["route", "twin:4", "--algorithm", "ts-dor", "--adaptive", "--single-tc"], "cannot deadlock"),
    (["route", "twin:4x4", "--algorithm", "ts-dor", "--profile", "mini"], "needs two TCs"),
    (["route", "torus:16x16", "--algorithm", "dor", "--profile", "mini"], "the GRT of profile mini has 4"),
    (["route", "torus:4", "--algorithm", "dor", "--json", "--csv", "-"], "only one of"),
    (["route", "torus:4", "--algorithm", "dor", "-o", "none/x.img"], "none/x.img: cannot write here"),
    (["sim", "none.img", "--html", "none/x.html"], "none/x.html: cannot write here"),
    (["sweep", "torus:4", "--load", "1:0:0.1", "-o", "x"], "the range ends at 0, below its begin, 1; write 0:1:0.1"),
    (["check"], "say which image"),
    (["check", "none.img"], "none.img: cannot be read"),
    (["gen"], "say where to"),
    (["gen", "--profile", "maxi", "-o", "x"], "there are: bubble, bubble4, bubble_adaptive, dort, dort7, dort8, dort_adaptive, extoll, extoll10, extoll64, extoll_linked, extoll_small, large, links10, links14, links8, mini"),
    (["gen", "--without", "ecc", "-o", "x"], "--without and --name go together"),
    (["gen", "--without", "tables", "--name", "x", "-o", "x"], "there are: link, monitors, ecc, adaptive, u-turns, credit-sums, bypass, classes"),
    (["gen", "--profile", "mini", "--without", "link", "--name", "x", "-o", "x"], "mini has no part"),
    (["gen", "--without", "link", "--name", "X", "-o", "x"], "a-z, 0-9"),
    (["gen", "--without", "adaptive", "--name", "extoll", "-o", "x"], "--name extoll: a built-in profile has this name; take another"),
    (["gen", "--without", "adaptive", "--name", "mini", "-o", "x"], "--name mini: a built-in profile has this name"),
    (["gen", "--list", "--profile", "mini"], "--list lists all profiles; leave out --profile"),
    (["gen", "--list", "-o", "x"], "--list lists all profiles"),
])
def test_wrong_usage_is_status_2(extorus, arguments, says):
    assert extorus(*arguments, status=2, stderr=says) == ""
    assert list(extorus.folder.iterdir()) == []


def make_image(extorus):
    extorus("route", "torus:2x2", "--algorithm", "dor", "-o", "good.img")
    return (extorus.folder / "good.img").read_bytes()


@pytest.mark.parametrize("spoil, says", [
    (lambda b: b"", "not a routing image"),
    (lambda b: b"#!/bin/sh\necho hello, this is no image\n", "not a routing image"),
    (lambda b: b[:-1], "damaged or cut off"),
    (lambda b: b[:100], "damaged or cut off"),
    (lambda b: b + b"\0", "damaged or cut off"),
    (lambda b: b[:200] + bytes([b[200] ^ 1]) + b[201:], "damaged or cut off"),
])
def test_bad_images_are_status_1(extorus, spoil, says):
    (extorus.folder / "bad.img").write_bytes(spoil(make_image(extorus)))
    extorus("check", "bad.img", status=1, stderr=f"bad.img: {says}")
    extorus("check", "bad.img", "--json", status=1, stderr=says)


def test_topology_is_no_image(extorus):
    for command in ("check", "sim", "trace"):
        extorus(command, "torus:4x4", *(("0", "1") if command == "trace" else ()), status=2,
                stderr="torus:4x4: there is no such image; `extorus route torus:4x4 --algorithm NAME -o FILE` makes one")


def test_folder_is_no_image(extorus):
    extorus("check", ".", status=2, stderr="is a folder")


def test_image_is_complete_or_absent(extorus):
    """A write that fails leaves the old image and nothing beside it."""
    before = make_image(extorus)
    (extorus.folder / "folder").mkdir()
    extorus("route", "torus:4", "--algorithm", "dor", "-o", "folder", status=2, stderr="is a folder")
    extorus("route", "torus:4", "--algorithm", "ts-dor", "-o", "good.img", status=2)
    assert (extorus.folder / "good.img").read_bytes() == before
    assert sorted(p.name for p in extorus.folder.iterdir()) == ["folder", "good.img"]


def test_link_to_an_image_stays_a_link(extorus):
    make_image(extorus)
    (extorus.folder / "link.img").symlink_to("good.img")
    extorus("route", "torus:4", "--algorithm", "dor", "-o", "link.img")
    assert (extorus.folder / "link.img").is_symlink()
    assert json.loads(extorus("check", "good.img", "--json"))["topology"] == "torus:4"
    assert sorted(p.name for p in extorus.folder.iterdir()) == ["good.img", "link.img"]


def test_one_file_for_two_outputs_is_refused(extorus):
    extorus("route", "torus:4", "--algorithm", "dor", "-o", "x", "--csv", "x", status=2, stderr="--csv would write x, which is the file of --output")
    extorus("route", "torus:4", "--algorithm", "dor", "-o", "", status=2, stderr="is empty")
    assert list(extorus.folder.iterdir()) == []


def test_images_are_reproducible(extorus):
    first = make_image(extorus)
    assert make_image(extorus) == first


def test_full_disk_is_reported(extorus):
    extorus("route", "torus:8x8", "--algorithm", "dor", "--csv", "/dev/full", status=2, stderr="writing failed")
    extorus("route", "torus:8x8", "--algorithm", "dor", "-o", "/dev/full", status=2, stderr="writing failed")


def test_gen_writes_three_files(extorus):
    extorus("gen", "--profile", "mini", "-o", "a/b")
    names = sorted(p.name for p in (extorus.folder / "a" / "b").iterdir())
    assert names == ["bridge.md", "registers.md", "registers.rdl", "registers.xml", "xt_bridge.h", "xt_bridge_pkg.sv", "xt_pkg.sv", "xt_registers.h"]
    profiles = {p["name"]: p for p in json.loads(extorus("gen", "--list", "--json"))}
    assert profiles["extoll"]["vcs"] == 10
    assert profiles["mini"]["hash"][2:] in (extorus.folder / "a" / "b" / "xt_pkg.sv").read_text()


def test_gen_leaves_parts_out(extorus):
    extorus("gen", "--profile", "extoll", "-o", "all")
    extorus("gen", "--profile", "extoll", "--without", "link,monitors,u-turns", "--name", "bare", "-o", "bare")
    whole, bare = ((extorus.folder / name / "xt_pkg.sv").read_text() for name in ("all", "bare"))
    assert re.search(r" ReplayCells = 128;", whole) and re.search(r" ReplayCells = 0;", bare)
    assert re.search(r" UTurns = 1;", whole) and re.search(r" UTurns = 0;", bare)
    assert "Profile bare: extoll without link,monitors,u-turns" in bare


def test_topo_metrics(extorus):
    torus = json.loads(extorus("topo", "torus:8x8x4", "--json"))
    assert torus["links"] == 768
    assert torus["degree"] == 6
    assert torus["diameter"] == 10
    assert torus["mean_distance_with_self"] == 5
    assert torus["dimension_distance"] == [2, 2, 1]
    assert torus["bisection"] == 64
    twin = json.loads(extorus("topo", "twin:4x4x2x2x2", "--json"))
    assert twin["links"] == 128 * 5 + 128
    assert twin["bisection"] == twin["bisection_at_least"] == 64
    assert "plane sweep" in twin["bisection_method"]


@pytest.mark.skipif(not shutil.which("neato"), reason="Graphviz is not installed")
def test_drawings(extorus):
    extorus("topo", "twin:2x2x2x2x2", "--svg", "twin.svg", "--dot", "twin.dot")
    drawing = ElementTree.parse(extorus.folder / "twin.svg").getroot()
    classes = [g.get("class") for g in drawing.iter("{http://www.w3.org/2000/svg}g")]
    assert classes.count("edge") == 192
    assert classes.count("node") >= 64
    extorus("route", "torus:4", "--algorithm", "dor", "-o", "ring.img")
    extorus("check", "ring.img", "--cdg", "cdg.svg")
    ElementTree.parse(extorus.folder / "cdg.svg")
    extorus("check", "ring.img", "--cdg", "cdg.dot")
    assert (extorus.folder / "cdg.dot").read_text().count(" -> ") > 0


def test_missing_graphviz_is_named(extorus):
    extorus("topo", "torus:4", "--svg", "x.svg", status=2, stderr="apt install graphviz", env={"PATH": "/nowhere"})
    assert list(extorus.folder.iterdir()) == []
