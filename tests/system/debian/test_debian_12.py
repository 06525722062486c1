# SPDX-License-Identifier: Apache-2.0
"""The root README's commands in a bare Debian 12, one after another; and a build by clang 14."""

import re

import pytest

from debian_chroot import chroot, committed
from repository import ALL_PROFILES

pytestmark = pytest.mark.long
# Profiles and simulators that the commands and the boards' lint need.
PROFILES = ["extoll", "mini", "node", "ring"]
MODELS = [f"build/plugins/extorus-model-{profile}.so" for profile in ("extoll", "mini")]
NEEDED = {"ALL_PROFILES": PROFILES, "BRIEF": PROFILES, "BENCH_SPEED": ["-O0"], "MODEL_PLUGINS": MODELS,
          "PLUGINS": ["build/plugins/extorus-cosim-extoll.so", *MODELS]}
# The other profiles are linted by `make test`.
LINTED = {"LINTS": [*(f"lint-{tool}-mini" for tool in ("verilator", "yosys", "iverilog", "slang")), "lint-slang-files"],
          "LINT_CLANG": ["lint-clang", "lint-clang-mini"]}


def makeflags(**variables):
    return " ".join(f"{name}=" + "\\ ".join(words) for name, words in variables.items())


MAKEFLAGS = makeflags(**NEEDED)


def commands(text):
    return re.findall(r"^    (.*?) +#", text.split("\n## With your tools\n")[1].split("\n## ")[0], re.M)


COMMANDS = commands(committed("README.md"))
# What comes before a command, and what its output or a file that it writes has.
BEFORE = {
    "fusesoc": "python3 -m venv /root/tools && /root/tools/bin/pip install -q fusesoc && PATH=/root/tools/bin:$PATH",
    "--wave": "make build/plugins/extorus-cosim-extoll-trace.so &&",
}
OUTPUTS = {"make cocotb": r"(?s)(: passed.*){4}", "topo": r"cards +46 ", "--prometheus": r"(?m)^# TYPE extorus_\w+ counter$"}
FILES = {"gen": ["out/registers/registers.rdl", "out/registers/registers.xml", "out/registers/xt_registers.h"],
         "--wave": ["out.fst", "out.gtkw", "out.names/view.sucl"], "notebook": ["out/notebook/load_latency.svg"], "--html": ["report.html"]}


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    yield from chroot("bookworm", tmp_path_factory)


@pytest.fixture(scope="module")
def built(system):
    """After what the README says to type first."""
    system.run("./.ci/setup")
    output = system.run("make && build/extorus route twin:2x2x2x2x2 --algorithm ts-dor -o twin.img", MAKEFLAGS=MAKEFLAGS)
    assert "warning" not in output and commands(system.path("README.md").read_text()) == COMMANDS
    return system


def of(table, command):
    """The rows of a table whose word the command has."""
    return [row for word, row in table.items() if re.search(rf"(?<!\S){word}(?!\S)", command)]


def test_the_profiles_are_there():
    assert len(COMMANDS) == 10 and set(PROFILES) <= set(ALL_PROFILES)


def test_a_failure_is_seen(system):
    with pytest.raises(AssertionError, match="exit 3"):
        system.run("false || exit 3; true")


@pytest.mark.parametrize("command", COMMANDS)
def test_command(built, command):
    flags = makeflags(**NEEDED, **(LINTED if command == "make lint" else {}))
    output = built.run(" ".join([*of(BEFORE, command), command]), 7200, MAKEFLAGS=flags)
    for expression in of(OUTPUTS, command):
        assert re.search(expression, output), output[-3000:]
    for name in sum(of(FILES, command), []):
        assert built.path(name).stat().st_size > 0, name


def test_the_packages_install(built):
    """What `make deb` wrote, on the same system, without the tree."""
    built.run("make deb && make dist && tar tf build/dist/extorus-*.tar.gz > /dev/null", 7200, MAKEFLAGS=MAKEFLAGS)
    output = built.run("""apt-get -q -y install --no-install-recommends ./build/deb/*.deb
        cd /tmp && extorus route torus:2x2 --algorithm dor -o a.img && extorus sim a.img --engine model && extorus sim a.img
        python3 -c 'import extorus; print("from Python:", extorus.run(extorus.Image.read("a.img"))["ok"])'
        apt-get -q -y remove libextorus0""")
    assert output.count("network drained") == 2 and "from Python: True" in output


AS_A_USER = "runuser -u builder -- env HOME=/home/builder"


@pytest.fixture(scope="module")
def of_a_user(built):
    """A clone that belongs to a user who is not root."""
    folder = "/home/builder/extorus"
    built.run(f"""id builder || useradd -m builder
        rm -rf {folder} && git clone -q . {folder} && echo hello > {folder}/list && chown -R builder: /home/builder""")
    return folder


def test_setup_and_build_by_a_user(built, of_a_user):
    """Who is not root installs by sudo, or is told to ask root; the build needs neither."""
    folder = of_a_user
    built.run("SUDO_FORCE_REMOVE=yes apt-get -q -y remove hello sudo")
    assert not built.run(f"{AS_A_USER} ./.ci/setup", folder=folder)
    assert "lacking: hello; no sudo here: run .ci/setup as root" in built.run(f"! {AS_A_USER} ./.ci/setup list", folder=folder)
    built.run("apt-get -q -y install --no-install-recommends sudo && echo 'builder ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/builder")
    assert built.run(f"{AS_A_USER} ./.ci/setup list && hello", folder=folder).startswith("installing: hello\ninstalled\n")
    output = built.run(f"{AS_A_USER} make command && {AS_A_USER} build/extorus topo torus:4x4", folder=folder, MAKEFLAGS=MAKEFLAGS)
    assert re.search(r"^cards +16\b", output, re.M) and not built.run(f"find {folder} -user root")


@pytest.mark.parametrize("who", ("", AS_A_USER), ids=("root", "user"))
def test_a_network_on_ranks(built, of_a_user, who):
    """The cases of `make test` under this system's MPI, as root and not."""
    folder = of_a_user if who else "/root/extorus"
    output = built.run(f"{who} make command models mpi && {who} /usr/bin/python3 -m pytest -c tests/pytest.ini --rootdir=. -q -m 'not long' "
                       "tests/system/cluster/test_shared_networks.py", folder=folder, MAKEFLAGS=MAKEFLAGS)
    assert re.search(r"^[1-9]\d* passed\b", output, re.M) and "skipped" not in output


def test_clang_builds_everything(built):
    """C, C++ and a Verilated card by clang 14; the unit tests pass."""
    built.run("rm -rf /root/clang && git clone -q . /root/clang")
    # The unit tests need the tables of all profiles.
    flags = makeflags(**{name: words for name, words in NEEDED.items() if name != "ALL_PROFILES"}, CC=["clang"], CXX=["clang++"])
    output = built.run("""clang --version
        make command unit models capture systemc build/libextorus.so.0 build/plugins/extorus-cosim-mini.so
        tests/run -k unit-
        build/extorus route torus:2x2 --profile mini --algorithm dor -o a.img && build/extorus sim a.img""", folder="/root/clang", MAKEFLAGS=flags)
    assert "clang version 14." in output and re.search(r"^[1-9]\d* passed, 0 failed$", output, re.M) and "network drained" in output
    assert not re.search(r"\bwarning: ", output)
