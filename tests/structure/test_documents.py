# SPDX-License-Identifier: Apache-2.0
"""The checkers of documents and of commit messages find seeded faults, and pass what is right."""

import importlib.machinery
import importlib.util
import pathlib
import re

import pytest

import document_links
from repository import ROOT

TEXT = """# Guide

Read [the model](model/README.md#how-it-works), [this section](#two-words--more) and [the web](https://example.org/x.md).

## Two words & more

```
[not a link](nowhere.md)
```
"""


def tree(folder, text):
    (folder / "model").mkdir()
    (folder / "model" / "README.md").write_text("# Model\n\n## How `it` works\n\n## How it works\n")
    (folder / "README.md").write_text(text)
    return document_links.dead_links(pathlib.Path(folder), ["README.md", "model/README.md"])


def test_links_that_lead_somewhere(tmp_path):
    assert tree(tmp_path, TEXT) == []


@pytest.mark.parametrize("right, wrong", [
    ("model/README.md#how-it-works", "model/GUIDE.md"),
    ("model/README.md#how-it-works", "model/README.md#how-it-runs"),
    ("model/README.md#how-it-works", "model/README.md#how-it-works-2"),
    ("#two-words--more", "#two-words"),
])
def test_dead_links(tmp_path, right, wrong):
    assert tree(tmp_path, TEXT.replace(right, wrong)) == [("README.md", 3, wrong)]


def commit_message():
    loader = importlib.machinery.SourceFileLoader("commit_message", str(ROOT / ".ci" / "commit-message"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("commit_message", loader))
    loader.exec_module(module)
    return module


@pytest.mark.parametrize("subject, good", [
    ("routing: spread ties by the source", True),
    ("host/lib, tests: name the thread pool", True),
    ("Merge branch 'main'", True),
    ("spread ties by the source", False),
    ("routing: added ties", False),
    ("routing: spreading ties", False),
    ("routing: spread ties.", False),
    ("routing: " + "s" * 63, True),
    ("routing: " + "s" * 64, False),
])
def test_commit_messages(monkeypatch, subject, good):
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    faults = commit_message().faults
    assert (faults(f"{subject}\n\nThe why.\n# a comment of git\n") == []) == good
    assert faults(f"{subject}\nno empty line\n") or subject.startswith("Merge")


def not_modules(text):
    """The modules that a drawing names and rtl/ has not."""
    return sorted(set(re.findall(r"xt_\w+", text)) - {path.stem for path in (ROOT / "rtl").rglob("xt_*.sv")})


@pytest.mark.parametrize("name", ["blocks", "pipeline"])
def test_drawings_of_the_switch_name_modules(name):
    text = (ROOT / f"rtl/{name}.svg").read_text()
    assert not_modules(text) == []
    assert not_modules(text.replace("xt_vc_arbiter", "xt_vc_select")) == ["xt_vc_select"]
