# SPDX-License-Identifier: Apache-2.0
"""Records of the package are the command's JSON, digit for digit; failures are exceptions with the command's message."""

import csv
import importlib
import json
import re
import subprocess
import sys

import pytest

from repository import ALL_PROFILES

TIMES = {"wall_seconds", "card_cycles_per_second"}


def digits(value):
    """With the 15 digits of the command's JSON."""
    if isinstance(value, dict):
        return {name: digits(member) for name, member in value.items()}
    if isinstance(value, list):
        return [digits(member) for member in value]
    return float(f"{value:.15g}") if isinstance(value, float) else value


def without(record, *names):
    return digits({name: value for name, value in record.items() if name not in names})


@pytest.mark.parametrize("spec", ["torus:8x4x2", "twin:4x4x2", "twin:3x3x3,config=D", "mesh:5x3", "rtt:8x4", "manhattan:4x4", "torus:4x4~5:d0+~7",
                                  "tree:k=2,n=3,cards=2,links=1"])
def test_metrics_and_wiring(package, extorus, spec):
    topology = package.Topology(spec)
    assert digits(topology.metrics()) == json.loads(extorus("topo", spec, "--json"))
    rows = list(csv.DictReader(extorus("topo", spec, "--csv", "-").splitlines()))
    assert [{name: str(value) for name, value in row.items()} for row in topology.wiring()] == rows
    assert topology.cards == topology.metrics()["cards"]


ROUTINGS = [
    ("torus:4x4", "dor", {}), ("torus:4x4", "dor", {"ties": "positive", "adaptive": True}), ("twin:2x2x2", "ts-dor", {}),
    ("twin:2x2x2", "ts-dor", {"single_tc": True}), ("twin:3x3x3,config=D", "dort", {}), ("torus:5x4", "bubble", {}),
    ("torus:4x4~5:d0+~7", "layered", {}), ("torus:8x4", "dor", {"fold_vcs": 1}), ("mesh:4x3", "updown", {"profile": "mini"}),
]


@pytest.mark.parametrize("spec,algorithm,options", ROUTINGS)
def test_routing_and_check(package, extorus, spec, algorithm, options):
    flags = [word for name, value in options.items()
             for word in ["--" + name.replace("_", "-"), *([] if value is True else [str(value)])]]
    extorus("route", spec, "--algorithm", algorithm, *flags, "-o", "command.img")
    image = package.route(spec, algorithm, **options)
    image.write(extorus.folder / "package.img")
    assert (extorus.folder / "package.img").read_bytes() == (extorus.folder / "command.img").read_bytes()
    done = subprocess.run([extorus.command, "check", "command.img", "--json"], cwd=extorus.folder, capture_output=True, text=True)
    found = package.check(package.Image.read(extorus.folder / "command.img"))
    assert without(found, "passed") == json.loads(done.stdout)
    assert found["passed"] == (done.returncode == 0)
    if found["passed"]:
        package.require_safe(image)
    else:
        with pytest.raises(package.UnsafeError) as failed:
            package.require_safe(image)
        assert f"extorus check: {failed.value}\n" in done.stderr


RUNS = [
    (["--load", "0.3"], {"load": 0.3}),
    (["--load", "0.6", "--traffic", "tornado", "--packet", "1/8:0.25", "--seed", "7"], {"load": 0.6, "traffic": "tornado", "packet": "1/8:0.25", "seed": 7}),
    (["--mix", "0=0.5,zipf,4", "--mix", "1=0.5", "--zipf-exponent", "1.5"], {"mix": ["0=0.5,zipf,4", "1=0.5"], "zipf_exponent": 1.5}),
    (["--tc", "0,2", "--arrivals", "poisson", "--warmup", "100", "--measure", "900", "--latency", "9"],
     {"tcs": [0, 2], "arrivals": "poisson", "warmup": 100, "measure": 900, "latency": 9}),
    (["--warmup", "auto:3000"], {"detect_warmup": True, "warmup": 3000}),
    (["--error-rate", "0.001", "--kill-link", "3:d0+@3000"], {"error_rate": 0.001, "faults": ["kill-link:3,1,3000"]}),
    (["--no-check", "--load", "0.4"], {"check": False, "load": 0.4}),
    (["--fault", "swap-entry:3,1,2"], {"faults": ["swap-entry:3,1,2"]}),
    (["--inject-wait", "9", "--weight", "d0+:1=3"], {"settings": {"inject_wait": 9, "weights": ["d0+:1=3"]}}),
]


@pytest.mark.parametrize("flags,options", RUNS)
def test_runs(package, extorus, flags, options):
    image = package.route("torus:4x4", "dor")
    image.write(extorus.folder / "a.img")
    text = extorus("sim", "a.img", "--engine", "model", "--json", "--channel-load", "load.csv", *flags, status=None)
    found = package.run(image, channels=True, **options)
    command = json.loads(text)
    assert without(found, "channels", *TIMES) == without(command, "image", "channel_utilisation", *TIMES)
    assert found["packets_sent"] > 100 and found["ok"] == command["ok"]
    rows = list(csv.DictReader((extorus.folder / "load.csv").read_text().splitlines()))
    shown = [{name: "" if value is None else f"{value:.6f}" if name == "load" else str(value) for name, value in channel.items()}
             for channel in found["channels"]]
    assert shown == rows


def test_sweep(package, extorus):
    networks = {"torus:4x4@dor/extoll": package.route("torus:4x4", "dor"), "twin:4x4@ts-dor/extoll": package.route("twin:4x4", "ts-dor")}
    records = package.sweep(networks, loads=[0.1, 0.4], seeds=[1, 2, 3], traffic=["uniform", "tornado"], measure=1000)
    summary = json.loads(extorus("sweep", "torus:4x4", "twin:4x4", "--load", "0.1,0.4", "--seeds", "3", "--traffic", "uniform,tornado",
                                 "--measure", "1000", "-o", "out", "--no-plot", "--json"))
    runs = [json.loads(line) for line in (extorus.folder / "out/results.jsonl").read_text().splitlines()]
    stored = {tuple(run["key"][name] for name in ("traffic", "load", "seed")) + (run["result"]["topology"],): run["result"]
              for run in runs if "key" in run}
    assert len(stored) == len(records) == 24
    for record in records:
        result = stored[record["traffic"], record["load"], record["seed"], record["network"].split("@")[0]]
        assert digits(record["network_latency_packet"]) == digits(result["network_latency"]["packet"]["mean"])
        assert digits(record["accepted_load"]) == digits(result["accepted_load"])
    means = package.means(records)
    assert [m["load"] for m in means] == [line["load"] for line in summary]
    for mean, line in zip(means, summary, strict=True):
        assert (mean["traffic"], mean["saturated"], mean["seeds"] - mean["ok"]) == (line["traffic"], line["saturated"], line["wrong"])
        for name, value in line.items():
            if isinstance(value, dict):
                assert digits([mean[name], mean[f"{name}_ci95"]]) == [value["mean"], value["ci95"]], name
    assert all(not isinstance(value, (dict, list)) for record in records + means for value in record.values())


FAILURES = [
    (["topo", "torus:1x"], "InvalidError", lambda x: x.Topology("torus:1x")),
    (["topo", "torus:999x999"], "RangeError", lambda x: x.Topology("torus:999x999")),
    (["topo", "torus:4x4", "--profile", "none"], "RangeError", lambda x: x.Topology("torus:4x4", "none")),
    (["topo", "file:absent.json"], "FileError", lambda x: x.Topology("file:absent.json")),
    (["route", "torus:4x4", "--algorithm", "ts-dor"], "UnsupportedError", lambda x: x.route("torus:4x4", "ts-dor")),
    (["route", "torus:4x4", "--algorithm", "best"], "InvalidError", lambda x: x.route("torus:4x4", "best")),
    (["check", "absent.img"], "FileError", lambda x: x.Image.read("absent.img")),
    (["check", "text.img"], "FormatError", lambda x: x.Image.read("text.img")),
    (["probe", "--device", "tcp:localhost:1"], "DeviceError", lambda x: x.Device("tcp:localhost:1")),
    (["probe", "--device", "nothing:"], "DeviceError", lambda x: x.Device("nothing:")),
]


@pytest.mark.parametrize("line,kind,call", FAILURES, ids=[" ".join(line) for line, _, _ in FAILURES])
def test_failures_have_the_librarys_message(package, extorus, monkeypatch, line, kind, call):
    monkeypatch.chdir(extorus.folder)
    (extorus.folder / "text.img").write_text("no image\n")
    done = subprocess.run([extorus.command, *line], cwd=extorus.folder, capture_output=True, text=True)
    with pytest.raises(getattr(package, kind)) as failed:
        call(package)
    assert done.stderr.splitlines()[-1] == f"extorus {line[0]}: {failed.value}"
    assert isinstance(failed.value, package.Error) and failed.value.status < 0


def test_bad_arguments(package):
    image = package.route("torus:2x2", "dor", profile="mini")
    for wrong in ({"load": 2.0}, {"packet": "many"}, {"traffic": "nowhere"}, {"tcs": [9]}, {"mix": ["7=1"]}, {"arrivals": "late"},
                  {"faults": ["no:1"]}, {"settings": {"select": "best"}}, {"engine": "nothing"}):
        with pytest.raises(package.Error) as failed:
            package.run(image, **wrong)
        assert str(failed.value)
    with pytest.raises(ValueError, match="character of code 0"):
        package.Topology("torus:4x4\0x")
    with pytest.raises(TypeError):
        package.run(image, lode=0.5)


def test_devices(package, extorus):
    image, other = package.route("torus:2x2", "dor", profile="mini"), package.route("torus:2x2", "dor", profile="mini", ties="positive")
    with package.Device("model:torus:2x2;profile=mini") as device:
        assert (device.cards, device.profile) == (4, "mini")
        steps = []
        device.load(image, progress=lambda done, total: steps.append((done, total)))
        assert steps and steps[-1][0] == steps[-1][1]
        device.verify(image)
        assert device.compare(image) == []
        differences = device.compare(other)
        assert differences and set(differences[0]) == {"card", "table", "index", "input", "held", "wanted"}
        with pytest.raises(package.MismatchError, match="card"):
            device.verify(other)
        unsafe = package.route("torus:8x8", "dor", fold_vcs=1)
        with pytest.raises(package.Error):
            device.load(unsafe)
        [identity] = device.read(2, 0)
        assert device.read(2, 0, 3)[0] == identity
        assert device.find_port(0, "d1+") == 3
        found = package.run_on(device, image, package.Traffic(image, load=0.2, measure=500))
        assert found["ok"] and found["packets_sent"] > 10
    device.close()
    with pytest.raises(ValueError, match="closed"):
        device.read(0, 0)


def test_profiles_and_version(package, extorus):
    assert [record["profile"] for record in package.profiles()] == ALL_PROFILES
    assert extorus("--version").startswith(f"extorus {package.__version__}\n")


def test_it_needs_nothing_of_the_tree(site, tmp_path):
    program = "import extorus; r = extorus.run(extorus.route('torus:2x2', 'dor')); print(extorus.__file__, r['ok'])"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env={"PYTHONPATH": str(site), "HOME": "/nonexistent"},
                          capture_output=True, text=True)
    assert done.stdout == f"{site}/extorus/__init__.py True\n", done.stderr


def test_a_library_of_another_version_is_refused(site, tmp_path):
    subprocess.run(["cp", "-r", site / "extorus", tmp_path], check=True)
    [library] = (tmp_path / "extorus/lib").glob("libextorus.so.*")
    (tmp_path / "a.c").write_text("unsigned xt_version_number(void);\nunsigned xt_version_number(void)\n{\n\treturn 999999;\n}\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, tmp_path / "a.c"], check=True)
    done = subprocess.run([sys.executable, "-c", "import extorus"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and "has version 999999, this package is of" in done.stderr.splitlines()[-1]


def test_every_public_name_has_a_docstring(package):
    for name in set(package.__all__) - {"Progress", "Record"}:
        thing = getattr(package, name)
        members = [member for key, member in vars(thing).items() if not key.startswith("_")] if isinstance(thing, type) else []
        assert all(member.__doc__ for member in [thing, *members]), name


def test_every_function_it_calls_is_public(package, site):
    native = importlib.import_module("extorus._native")
    used = {name for path in (site / "extorus").glob("*.py") for name in re.findall(r"\blib\.(\w+)", path.read_text())}
    assert len(used) > 50 and all(name.startswith(("xt_", "XT_")) and hasattr(native.lib, name) for name in used), used
    assert not hasattr(native.lib, "xt_nothing")
