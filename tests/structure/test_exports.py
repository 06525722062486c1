# SPDX-License-Identifier: Apache-2.0
"""Every symbol that an object of host/lib exports is public or has a user in another file."""

import re
import subprocess

from repository import ROOT


def words(root, folders, pattern):
    return {word for folder in folders for path in (root / folder).rglob("*") if re.fullmatch(pattern, path.suffix)
            for word in re.findall(r"\bxt_\w+", path.read_text())}


def without_user(root, objects):
    defined, wanted = set(), words(root, ["host/include"], r"\.h") | words(root, ["sim", "tests"], r"\.(c|cpp|h)")
    for built in (root / objects).rglob("*.o"):
        source = built.relative_to(root / objects).with_suffix(".c")
        for line in subprocess.run(["nm", built], capture_output=True, text=True, check=True).stdout.splitlines():
            kind, name = line.split()[-2:]
            if kind == "U":
                wanted.add(name)
            elif kind in "TRDBC" and source.parts[0] == "lib" and (root / "host" / source).exists():
                defined.add(name)
    return sorted(defined - wanted)


def test_every_export_has_a_user():
    assert any((ROOT / "build/obj/host/lib").rglob("*.o")), "no objects: run `make command`"
    assert not without_user(ROOT, "build/obj/host")


def test_an_export_without_user_is_seen(tmp_path):
    for name in ("used", "unused"):
        source, built = tmp_path / f"host/lib/base/{name}.c", tmp_path / f"obj/lib/base/{name}.o"
        source.parent.mkdir(parents=True, exist_ok=True)
        built.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(f"void xt_used(void);\nvoid xt_{name}(void)\n{{\n\t{'xt_used();' * (name == 'unused')}\n}}\n")
        subprocess.run(["gcc", "-c", source, "-o", built], check=True)
    assert without_user(tmp_path, "obj") == ["xt_unused"]
