# SPDX-License-Identifier: Apache-2.0
"""No two processes of the RTL wake each other for ever in Icarus 11, where an always_comb that wakes also wakes those before it.

If it writes a variable twice, another that reads the variable wakes, and wakes it again. So what an always_comb writes twice is for itself
and for expressions of continuous assignments; Icarus makes one net of a variable and its plain copy. An `always @*` may write what others
read."""

import re

import pytest

from repository import ROOT

WRITE = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\s*(?:\[[^;=]*?\]\s*)*([\^|&+]?=)(?!=)")


def processes(text):
    """Where each always_comb begins and ends."""
    for start in re.finditer(r"\balways_comb\b", text):
        depth = 0
        for word in re.finditer(r"\b(begin|end)\b|;", text[start.end():]):
            depth += {"begin": 1, "end": -1}.get(word[0], 0)
            if depth == 0:
                yield start.start(), start.end() + word.end()
                break


def written_twice(text):
    """`LINE: NAME` of each variable that an always_comb writes twice and that another process may read."""
    text = re.sub(r"//.*", "", text)
    spans = list(processes(text))
    outside = set(re.findall(r"\boutput\s+logic\s*(?:\[[^\]]*\]\s*)*(\w+)", text))
    outside |= set(re.findall(r"\w+", " ".join(re.findall(r"\.\w+\s*\(([^;]*?)\)\s*[,)\n]", text)))) | set(re.findall(r"\.(\w+)\s*[,)]", text))
    outside |= set(re.findall(r"\bassign\s+\w+\s*=\s*(\w+)\s*;", text))
    for start, end in spans:
        writes = {}
        for name, how in WRITE.findall(text[start:end]):
            writes[name] = writes.get(name, 0) + (1 if how == "=" else 2)
        loops = set(re.findall(r"\bint (\w+)", text[start:end]))
        for name in (name for name, count in writes.items() if count > 1 and name not in loops):
            if name in outside or any(re.search(rf"\b{name}\b", text[a:b]) for a, b in spans if a != start):
                yield f"{text.count(chr(10), 0, start) + 1}: {name}"


@pytest.mark.parametrize("path", sorted((ROOT / "rtl").glob("*/**/*.sv")), ids=lambda path: path.stem)
def test_what_is_written_twice_wakes_nobody(path):
    if "generated" not in path.parts:
        assert list(written_twice(path.read_text())) == []


TWICE = "always_comb begin\n  a = 0;\n  for (int i = 0; i < 2; i++) if (b[i]) a = i;\nend\n"


@pytest.mark.parametrize("text, found", (
    (TWICE, 0), (TWICE + "assign c = ~a;", 0), (TWICE.replace("always_comb", "always @*") + "always_comb c = a;", 0), ("always_comb a = b;\nalways_comb c = a;", 0),
    (TWICE + "always_comb c = a;", 1), (TWICE + "assign c = a;", 1), ("module m (\n  output logic [1:0] a\n);\n" + TWICE, 1), (TWICE + "m i_m (\n  .b_i (a)\n);", 1), (TWICE + "m i_m (.clk, .a);", 1),
    ("always_comb begin\n  for (int i = 0; i < 2; i++) a[0] ^= b[i];\nend\nalways_comb c = a;", 1)))
def test_the_rule_finds_what_it_forbids(text, found):
    assert len(list(written_twice(text))) == found
