# SPDX-License-Identifier: Apache-2.0
"""The generator of host/gen as a generator of FuseSoC: compiles it and writes the packages of a profile into a core.

Parameters of a stanza (extorus.core shows them):
  profile   one of host/params (default: mini)
  table     a C table of the user instead, profile_NAME.c that defines xt_profile_NAME; the path counts from the user's core file
  without, name   parts to leave out, and the name of the profile that remains (`extorus gen --help`)

FuseSoC runs this in an empty folder, with the name of a YAML file. C compiler: CC, or cc."""

import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("host/gen", "host/params", "host/lib/base")
PACKAGES = ("xt_pkg.sv", "xt_bridge_pkg.sv")


def stop(text):
    sys.exit(f"extorus: {text}")


def profiles(table):
    """Names of the profiles, and the files that define them."""
    files = {path.stem.removeprefix("profile_"): path for path in sorted((ROOT / "host/params").glob("profile_*.c"))}
    if table:
        name = table.stem.removeprefix("profile_")
        if not table.is_file() or table.suffix != ".c" or name == table.stem:
            stop(f"table {table}: needs to be a file profile_NAME.c")
        if name in files:
            stop(f"table {table}: profile {name} is there already, in {files[name]}")
        files[name] = table
    return files


def compiled(files, folder):
    """The generator with these profiles."""
    declared = "".join(f"extern const xt_profile_t xt_profile_{name};\n" for name in files)
    listed = "".join(f"\t&xt_profile_{name},\n" for name in files)
    (folder / "profile_list.c").write_text('#include <stddef.h>\n#include "extorus/profiles.h"\n' + declared +
                                           f"const xt_profile_t *const xt_profiles[] = {{\n{listed}\tNULL,\n}};\n")
    sources = {path for room in ROOMS for path in (ROOT / room).glob("*.c")} | {*files.values(), folder / "profile_list.c"}
    includes = [f"-I{ROOT / room}" for room in ("host/include", "host/lib", "host/params", "host")]
    program = folder / "extorus-gen"
    done = subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-std=c11", "-O1", "-D_GNU_SOURCE", *includes, *map(str, sorted(sources)),
                           "-lz", "-lm", "-lpthread", "-o", str(program)])
    if done.returncode:
        stop("the generator does not compile; see above (it needs a C compiler and zlib)")
    return program


def main():
    try:
        import yaml
    except ImportError:
        stop("this python3 has no PyYAML: activate the environment of FuseSoC")
    given = yaml.safe_load(pathlib.Path(sys.argv[1]).read_text())
    parameters, folder = given.get("parameters") or {}, pathlib.Path.cwd()
    unknown = parameters.keys() - {"profile", "table", "without", "name"}
    if unknown:
        stop(f"no parameter {', '.join(sorted(unknown))}; there are profile, table, without, name")
    table = parameters.get("table") and pathlib.Path(given["files_root"], parameters["table"])
    files = profiles(table)
    profile = parameters.get("profile") or (table.stem.removeprefix("profile_") if table else "mini")
    if profile not in files:
        stop(f"no profile {profile}; there are {', '.join(files)}")
    options = [f"--{key}={parameters[key]}" for key in ("without", "name") if parameters.get(key)]
    if subprocess.run([compiled(files, folder), "--profile", profile, *options, "-o", folder]).returncode:
        stop(f"profile {profile} was refused; see above")
    core = {"name": given["vlnv"], "targets": {"default": {"filesets": ["packages"]}},
            "filesets": {"packages": {"file_type": "systemVerilogSource", "files": list(PACKAGES)}}}
    (folder / "packages.core").write_text("CAPI=2:\n" + yaml.safe_dump(core))


if __name__ == "__main__":
    main()
