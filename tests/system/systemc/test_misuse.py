# SPDX-License-Identifier: Apache-2.0
"""What a platform does wrong ends in a SystemC report that names the module, and not in a crash."""

import pytest

from systemc_programs import ROOT, run

MISUSE = ROOT / "build" / "tests" / "systemc-misuse"
CASES = {
    # case: what the report says, the module's name first
    "unbound-clock": ("port not bound", "'network.clk_i'"),
    "unbound-link": ("port not bound", "'card.link_i_3'"),
    "profile nada": ('/extorus/build: bench.network: no profile "nada"',),
    "card-profile nada": ('/extorus/build: card: no profile "nada"',),
    "link-latency": ("/extorus/build: link: ",),
    "no-card": ("/extorus/build: bench.network: there is no card 2, only 0 to 1",),
    "no-pe": ("/extorus/build: bench.network: there is no PE 2, only 0 to 1",),
    "no-port": ("/extorus/build: bench.network: a card has no link port 4, only 0 to 3",),
    "early": ("/extorus/build: network: it is not ready yet",),
    "image none.img": ("/extorus/build: bench.network: none.img: cannot be read",),
    "image cut.img": ("/extorus/build: bench.network: cut.img: damaged or cut off",),
    "image cyclic.img": ("/extorus/build: bench.network: ", "cycl"),
    "image-profile good.img": ("/extorus/build: network: good.img is an image for profile mini, not extoll",),
    "address": ("/extorus/register: bench.network.registers0: ", "0x10000", "TLM_ADDRESS_ERROR_RESPONSE"),
    "long-packet": ("/extorus/packet: bench.network.nic0: a packet of 16 bytes is too long",),
    "destination": ("/extorus/packet: bench.network.nic0: there is no PE 2",),
    "tc": ("/extorus/packet: bench.network.nic0: PE 0 may not use TC 1",),
    "second-request": ("/extorus/packet: bench.network.nic0: BEGIN_REQ while",),
    "nobody": ("/extorus/packet: bench.network.nic0: ", "`deliver` is bound to nothing"),
}


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    """A folder with images: good.img, cut.img and cyclic.img."""
    folder = tmp_path_factory.mktemp("images")
    command = ROOT / "build" / "extorus"
    for name, *words in (("good.img", "torus:2"), ("cyclic.img", "torus:5", "--fold-vcs", "1")):
        done = run(command, "route", *words, "--profile", "mini", "--algorithm", "dor", "-o", name, folder=folder)
        assert done.returncode == 0, done.stderr
    (folder / "cut.img").write_bytes((folder / "good.img").read_bytes()[:100])
    return folder


@pytest.mark.parametrize("case", CASES)
def test_ends_in_a_report(images, case):
    done = run(MISUSE, *case.split(), folder=images)
    assert done.returncode == 1, done.stdout + done.stderr
    for words in CASES[case]:
        assert words in done.stdout + done.stderr


def test_a_simulator_that_is_not_there(images):
    done = run(MISUSE, "tc", folder=images, EXTORUS_PLUGIN_DIR=str(images))
    assert done.returncode == 1
    assert "/extorus/build: bench.network.card0: the simulator extorus-model-mini.so is not in" in done.stdout + done.stderr


def test_a_reset_that_never_comes():
    done = run(MISUSE, "no-reset")
    assert done.returncode == 0
    assert "Warning: /extorus/build: network: rst_ni is high; the network waits for a reset" in done.stdout + done.stderr


@pytest.mark.parametrize("case", ("register-response", "packet-response"))
def test_where_reports_may_pass_the_response_tells_and_all_goes_on(case):
    done = run(MISUSE, case)
    assert done.returncode == 0, done.stdout + done.stderr
