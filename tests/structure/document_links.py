#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the links of all Markdown files below a folder: each file and each anchor that a link names must exist.

  tests/structure/document_links.py [FOLDER]    exit status 1, and a line per dead link
"""

import pathlib
import re
import subprocess
import sys

LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *#* *$", re.M)
FENCE = re.compile(r"^```.*?^```", re.M | re.S)


def anchors(text):
    """The anchors of a document, as GitHub and GitLab derive them from its headings."""
    found = set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = 0
        while (unique := f"{anchor}-{number}" if number else anchor) in found:
            number += 1
        found.add(unique)
    return found


def dead_links(root, documents):
    """(document, line, link) of each relative link that leads nowhere."""
    found = []
    for name in documents:
        document = root / name
        text = document.read_text()
        prose = FENCE.sub(lambda fence: "\n" * fence[0].count("\n"), text)
        for match in LINK.finditer(prose):
            path, _, anchor = match[1].partition("#")
            if re.match(r"[a-z]+:", path):
                continue
            target = document.parent / path if path else document
            if target.exists() and (not anchor or target.suffix == ".md" and anchor in anchors(target.read_text())):
                continue
            found.append((name, prose.count("\n", 0, match.start()) + 1, match[1]))
    return found


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "*.md"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    # A copy of the tree without git has no list; generated documents have no links.
    names = listed.stdout.split("\n") if listed.returncode == 0 else [str(path.relative_to(root)) for path in root.rglob("*.md")]
    documents = [name for name in names if name and (root / name).exists()]
    found = dead_links(root, documents)
    for name, line, link in found:
        print(f"{name}:{line}: dead link {link}")
    return 1 if found or not documents else 0


if __name__ == "__main__":
    sys.exit(main())
