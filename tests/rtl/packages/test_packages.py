# SPDX-License-Identifier: Apache-2.0
"""The RTL as a package: FuseSoC's core, Bender's manifest and the file list name the files of rtl/ in order, and FuseSoC runs them."""

import json
import os
import re
import shutil
import subprocess

import pytest

from hardware_venv import program
from processor_time import limited
from repository import PROFILES, ROOT
from tools import file_list

FAMILIES = ("ecp5", "ice40", "xilinx7")
SETS = {"card": "card_sources.f", "node": "node_sources.f", "usb": "frontend/usb/usb.f",
        **{family: f"fpga/{family}/{family}.f" for family in FAMILIES}}
PACKAGES = ["xt_pkg.sv", "xt_bridge_pkg.sv"]


def yaml(path):
    """A YAML file, read by PyYAML of the virtual environment."""
    code = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin.read().removeprefix('CAPI=2:'))))"
    done = subprocess.run([program("python"), "-c", code], input=path.read_text(), check=True, capture_output=True, text=True, **limited(60))
    return json.loads(done.stdout)


def rtl_of(name):
    return [str(path) for path in file_list(SETS[name])]


def wrong_sets(core):
    """Names of the file sets of FuseSoC's core that differ from the lists of rtl/, in files or order."""
    return [name for name in SETS if core["filesets"].get(name, {}).get("files") != rtl_of(name)]


def wrong_sources(manifest):
    """Likewise of Bender's manifest; a set has a target of its own, but the card, and each profile has its packages first."""
    wrong, sets, profiles = [], {}, {}
    for number, source in enumerate(manifest["sources"]):
        target, files = source.get("target", "card"), source["files"]
        if files[0].startswith("rtl/generated/"):
            name = files[0].split("/")[2]
            profiles["mini" if target.startswith("not") else target] = name
            if files != [f"rtl/generated/{name}/{package}" for package in PACKAGES] or sets:
                wrong.append(name)
            if target.startswith("not") and sorted(re.findall(r"\w+", target)[2:] + ["mini"]) != PROFILES:
                wrong.append(target)
        else:
            sets[target] = files
    wrong += [name for name in SETS if sets.get(name) != rtl_of(name)]
    return wrong + ([] if profiles == {name: name for name in PROFILES} else ["profiles"])


def test_fusesoc_core_has_the_files_of_rtl():
    core = yaml(ROOT / "extorus.core")
    assert wrong_sets(core) == []
    assert sorted(core["generate"]) == PROFILES
    assert all(core["generate"][name]["parameters"] == {"profile": name} for name in PROFILES)
    assert sorted(re.findall(r"!(\w+)\?", core["targets"]["lint"]["generate"][-1]) + ["mini"]) == PROFILES
    listed = [file for name in SETS for file in core["filesets"][name]["files"]]
    assert sorted(listed) == sorted(str(path.relative_to(ROOT)) for path in (ROOT / "rtl").rglob("*.sv") if "generated" not in path.parts)
    version = re.findall(r"XT_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", (ROOT / "host/include/extorus/version.h").read_text())
    assert core["name"].rsplit(":", 1)[1] == ".".join(version[:3])


def test_bender_manifest_has_the_files_of_rtl():
    assert wrong_sources(yaml(ROOT / "Bender.yml")) == []


def test_seeded_faults_are_found():
    core, manifest = yaml(ROOT / "extorus.core"), yaml(ROOT / "Bender.yml")
    files = core["filesets"]["card"]["files"]
    files[0], files[1] = files[1], files[0]
    core["filesets"]["node"]["files"].pop()
    assert wrong_sets(core) == ["card", "node"]
    manifest["sources"][0]["files"].reverse()
    manifest["sources"][-2]["files"].append("rtl/fpga/xilinx7/xt_other.sv")
    assert wrong_sources(manifest) == ["mini", "xilinx7"]


@pytest.mark.parametrize("profile", ["mini", "ring"])
def test_the_file_list_has_packages_first(profile):
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL")}
    subprocess.run(["make", "-s", "rtl/extorus.f", f"PROFILE={profile}"], cwd=ROOT, env=environment, check=True, **limited(60))
    listed = (ROOT / "rtl/extorus.f").read_text().split()
    assert listed == [*(f"generated/{profile}/{name}" for name in PACKAGES),
                      *(file.removeprefix("rtl/") for name in ("card", "node") for file in rtl_of(name))]


def fusesoc(folder, *words, status=0):
    """FuseSoC from PyPI as an activated environment has it, in a folder of its own."""
    environment = {**os.environ, "PATH": f"{program('fusesoc').parent}:{os.environ['PATH']}", "HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
    done = subprocess.run(["fusesoc", "--cores-root", ROOT, *words], cwd=folder, env=environment, capture_output=True, text=True, **limited(1800))
    output = done.stdout + done.stderr
    assert (done.returncode == 0) == (status == 0), output
    return output


@pytest.mark.long
def test_fusesoc_simulates(tmp_path):
    assert "PASS " in fusesoc(tmp_path, "run", "--target=sim", "extorus:ip:extorus")


@pytest.mark.slow
def test_fusesoc_lints(tmp_path):
    fusesoc(tmp_path, "run", "--target=lint", "extorus:ip:extorus")


USER_CORE = """CAPI=2:
name: user:ip:mine:1.0
filesets:
  rtl:
    depend: [extorus:ip:extorus]
generate:
  packages: {generator: extorus, position: first, parameters: {table: profile_mine.c%s}}
targets:
  default: {filesets: [rtl], generate: [packages]}
  lint:
    filesets: [rtl]
    generate: [packages]
    flow: lint
    flow_options: {tool: verilator, verilator_options: [-Wall]}
    toplevel: xt_card
"""


def user(folder, more="", name="mine"):
    """A user's own core and table beside the tree: mini with three links."""
    text = (ROOT / "host/params/profile_mini.c").read_text().replace("xt_profile_mini", f"xt_profile_{name}")
    changed = text.replace('.name = "mini"', f'.name = "{name}"').replace(".link_ports = 4", ".link_ports = 3")
    (folder / f"profile_{name}.c").write_text(changed)
    (folder / "mine.core").write_text(USER_CORE.replace("profile_mine", f"profile_{name}") % more)


@pytest.mark.slow
def test_a_profile_of_the_user_is_one_table_and_one_stanza(tmp_path):
    user(tmp_path)
    fusesoc(tmp_path, "--cores-root", tmp_path, "run", "--target=lint", "user:ip:mine")
    package, = (path for path in tmp_path.rglob("xt_pkg.sv") if "generator_cache" in path.parts)
    assert "int LinkPorts = 3;" in package.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("more, name, message", [
    (", profile: nonsense", "mine", "no profile nonsense; there are"), ("", "mini", "profile mini is there already"),
    (", colour: red", "mine", "no parameter colour"), (", without: wheels, name: x", "mine", "wheels"),
])
def test_a_wrong_stanza_is_refused_by_one_line(tmp_path, more, name, message):
    user(tmp_path, more, name)
    output = fusesoc(tmp_path, "--cores-root", tmp_path, "run", "--setup", "--target=lint", "user:ip:mine", status=1)
    assert message in output and "Traceback" not in output


@pytest.mark.long
@pytest.mark.parametrize("profile", PROFILES)
def test_fusesoc_lints_every_profile(tmp_path, profile):
    fusesoc(tmp_path, "run", "--target=lint", *([f"--flag={profile}"] if profile != "mini" else []), "extorus:ip:extorus")
    package, = (path for path in tmp_path.rglob("xt_pkg.sv") if "generator_cache" in path.parts)
    assert f"/// Profile {profile}:" in package.read_text()


@pytest.mark.long
def test_fusesoc_synthesizes(tmp_path):
    fusesoc(tmp_path, "run", "--target=synth", "extorus:ip:extorus")
    netlist, = tmp_path.rglob("*.json")
    assert '"TRELLIS_FF"' in netlist.read_text()


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("bender"), reason="no bender, which no registry of Debian or Python has")
def test_bender_reads_the_manifest(tmp_path):
    done = subprocess.run(["bender", "-d", ROOT, "script", "flist", "-t", "node"], check=True, capture_output=True, text=True, **limited(60))
    assert [line.removeprefix(f"{ROOT}/") for line in done.stdout.split()][2:] == rtl_of("card") + rtl_of("node")
