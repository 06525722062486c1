# SPDX-License-Identifier: Apache-2.0
"""An installation works from its prefix, also after that was moved; man pages and completion say what --help says."""

import os
import re
import shlex
import shutil
import subprocess

import pytest

from processor_time import limited
from repository import ALL_PROFILES, ROOT

BARE = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
EXAMPLE = ROOT / "host/examples"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("install") / "a place"
    subprocess.run(["make", "-s", "install-built", f"PREFIX={folder / 'first'}"], cwd=ROOT, check=True, **limited(600),
                   env={k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")},
                   stdout=subprocess.DEVNULL)
    assert [path.name for path in folder.iterdir()] == ["first"] and not (folder.parent / "a").exists()
    (folder / "first").rename(folder / "moved")
    return folder / "moved"


def run(prefix, *words, **more):
    return subprocess.run([str(prefix / "bin" / "extorus"), *words], env=BARE, check=True, capture_output=True, text=True,
                          **limited(120), **more).stdout


def test_the_command_works_from_its_prefix(prefix, tmp_path):
    run(prefix, "route", "torus:2x2", "--profile", "mini", "--algorithm", "dor", "-o", "a.img", cwd=tmp_path)
    out = run(prefix, "inject", "--device", "model:a.img", "--image", "a.img", "--packets", "50", cwd=tmp_path)
    assert "50 packets sent, 50 received, 0 lost, 0 wrong" in out


def measures(prefix, program):
    """The example's own exit status tells whether the run was clean. The library takes its own simulator, not one beside the program."""
    other = program.parent / "plugins/extorus-model-extoll.so"
    other.parent.mkdir()
    other.write_text("of another version\n")
    environment = {**BARE, "LD_LIBRARY_PATH": str(prefix / "lib")}
    done = subprocess.run([str(program)], env=environment, capture_output=True, text=True, **limited(120))
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"torus:4x4x4, 64 PEs: accepted load 0\.(?:29|30)\d, mean packet latency \d+\.\d cycles\n", done.stdout)


@pytest.mark.parametrize("compiler", [["gcc", "-std=c11"], ["g++", "-std=c++17", "-x", "c++"]], ids=["c", "c++"])
def test_the_example_finds_the_library_by_pkg_config(prefix, compiler, tmp_path):
    told = subprocess.run(["pkg-config", "--cflags", "--libs", "extorus"],
                          env={**BARE, "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}, check=True,
                          capture_output=True, text=True).stdout
    subprocess.run([*compiler, *STRICT, str(EXAMPLE / "measure.c"), "-o", "measure", *shlex.split(told)], cwd=tmp_path, check=True)
    measures(prefix, tmp_path / "measure")


@pytest.mark.skipif(not shutil.which("cmake"), reason="no cmake")
@pytest.mark.parametrize("language", ["C", "CXX"])
def test_the_example_finds_the_library_by_cmake(prefix, language, tmp_path):
    build = tmp_path / "build"
    for words in (["-S", str(EXAMPLE), "-B", str(build), f"-DCMAKE_PREFIX_PATH={prefix}", f"-DLANGUAGE={language}"],
                  ["--build", str(build)]):
        done = subprocess.run(["cmake", *words], env=BARE, capture_output=True, text=True, **limited(120))
        assert done.returncode == 0, done.stdout + done.stderr
    measures(prefix, build / "measure")


def declared(headers):
    """What the public headers mark XT_API; a declaration without the mark fails."""
    text = "".join(header.read_text() for header in headers)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^\s*#(?:.*\\\n)*.*$", "", text, flags=re.M)
    text = re.sub(r'^extern "C" \{$|^\}$', "", text, flags=re.M)
    text = re.sub(r"\{[^{}]*\}", "", text)
    found = re.findall(r"^(XT_API )?(?!typedef|static|enum)[\w *]*\b(xt_\w+)[(\[][^;]*;", text, re.M)
    assert {name for mark, name in found if not mark} == set()
    return {name for _, name in found}


def names(*command):
    return {line.split()[-1] for line in
            subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines() if line and line[-1] != ":"}


def test_the_library_exports_what_the_headers_declare(prefix):
    library = prefix / "lib" / "libextorus.so.0"
    exported = names("nm", "-D", "--defined-only", str(library))
    assert exported == declared((prefix / "include/extorus").glob("*.h"))
    assert {"xt_device_open", "xt_device_run", "xt_route", "xt_profiles"} <= exported
    strangers = {name for name in names("nm", "-g", "--defined-only", str(prefix / "lib/libextorus.a")) if not name.startswith("xt_")}
    assert strangers == set()
    inner = names("nm", "-g", "--defined-only", str(prefix / "lib/libextorus.a")) - exported
    assert "xt_session_open" in inner
    dynamic = subprocess.run(["readelf", "-d", str(library)], check=True, capture_output=True, text=True).stdout
    assert "soname: [libextorus.so.0]" in dynamic
    assert (prefix / "lib" / "libextorus.so").resolve() == library.resolve()


def test_headers_name_nothing_without_the_prefix(prefix):
    for header in (prefix / "include/extorus").glob("*.h"):
        assert not re.findall(r"\bextorus_\w+", header.read_text()), header.name


def test_a_declaration_without_the_mark_is_found(tmp_path):
    (tmp_path / "h.h").write_text("XT_API int xt_a(void);\nint xt_b(int x,\n\tint y);\n")
    with pytest.raises(AssertionError):
        declared([tmp_path / "h.h"])


@pytest.mark.parametrize("compiler, suffix", [("gcc", "c"), ("clang", "c"), ("g++", "cpp"), ("clang++", "cpp")])
def test_each_header_compiles_alone(prefix, compiler, suffix, tmp_path):
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    for header in sorted((prefix / "include/extorus").glob("*.h")):
        (tmp_path / f"h.{suffix}").write_text(f"#include <extorus/{header.name}>\nint main(void) {{ return 0; }}\n")
        subprocess.run([compiler, *STRICT, f"-I{prefix}/include", "-fsyntax-only",
                        f"h.{suffix}"], cwd=tmp_path, check=True)


def test_the_main_header_includes_all_others(prefix):
    folder = prefix / "include/extorus"
    included = re.findall(r'#include "extorus/(.*)"', (folder / "extorus.h").read_text())
    assert sorted(included) == sorted(p.name for p in folder.glob("*.h") if p.name != "extorus.h")


def test_the_version_is_the_same_everywhere(prefix):
    text = (ROOT / "host/include/extorus/version.h").read_text()
    version = ".".join(re.search(rf"define XT_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))
    assert run(prefix, "--version").splitlines()[0] == f"extorus {version}"
    for file in ("lib/pkgconfig/extorus.pc", "lib/cmake/extorus/extorusConfigVersion.cmake", "share/man/man1/extorus.1",
                 "share/man/man3/extorus.3"):
        assert version in (prefix / file).read_text()
    tags = subprocess.run(["git", "tag", "--points-at", "HEAD", "v*"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    assert set(tags) <= {f"v{version}"}


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the commit comes from git")
def test_the_version_says_commit_and_profiles(prefix):
    commit, profiles = (line.split() for line in run(prefix, "--version").splitlines()[1:])
    assert commit[0] == "commit" and re.fullmatch(rf"{git('rev-parse', 'HEAD')[:12]}(-dirty)?", commit[1])
    assert profiles == ["profiles", *ALL_PROFILES]
    assert run(prefix, "topo", "--version") == run(prefix, "--version")


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="an archive is made from a commit")
def test_an_archive_repeats_itself_and_knows_its_commit(tmp_path):
    def make(folder, *goals):
        environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
        subprocess.run(["make", "-s", *goals], cwd=folder, check=True, **limited(60), env=environment, capture_output=True)

    make(ROOT, "dist")
    [archive] = (ROOT / "build/dist").glob("extorus-*.tar.gz")
    first = archive.read_bytes()
    make(ROOT, "dist")
    assert archive.read_bytes() == first
    subprocess.run(["tar", "xf", archive, "-C", tmp_path], check=True)
    [unpacked] = tmp_path.iterdir()
    assert unpacked.name == archive.name.removesuffix(".tar.gz")
    make(unpacked, "build/generated/commit.c")
    assert f'"{git("rev-parse", "HEAD")[:12]}"' in (unpacked / "build/generated/commit.c").read_text()
    packed = {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if path.is_file()}
    assert packed - {"build/generated/commit.c"} == set(git("ls-tree", "-r", "--name-only", "HEAD").splitlines())


def commands(prefix):
    text = run(prefix, "--help")
    return dict(re.findall(r"^  (\w+) +(\S.*)$", text[text.index("Commands:"):text.index("\n\nextorus COMMAND")], re.M))


def test_man_pages_and_completion_say_what_help_says(prefix):
    man = prefix / "share" / "man" / "man1"
    completion = (prefix / "share/bash-completion/completions/extorus").read_text()
    main = (man / "extorus.1").read_text().replace("\\-", "-")
    listed = commands(prefix)
    assert len(listed) >= 20
    assert {p.name for p in man.iterdir()} == {"extorus.1", *(f"extorus-{name}.1" for name in listed)}
    for name, summary in listed.items():
        page = (man / f"extorus-{name}.1").read_text().replace("\\-", "-")
        options = set(re.findall(r"^ {2,6}(?:-., )?--([\w-]+)", run(prefix, name, "--help"), re.M)) - {"help"}
        assert summary in page and summary in main
        assert set(re.findall(r"--([\w-]+)", page)) >= options
        words = re.search(rf"^\t{name}\) options='(.*)' ;;$", completion, re.M)[1].split()
        assert {word.strip("-=") for word in words} >= options


@pytest.mark.parametrize("line, expected", [
    ("extorus pro", ["probe"]), ("extorus load --li", ["--live"]), ("extorus probe --device u", ["uart:", "usb:"]),
])
def test_completion_completes(prefix, line, expected):
    words = line.split(" ")
    script = (f"source {shlex.quote(str(prefix))}/share/bash-completion/completions/extorus; COMP_WORDS=({' '.join(words)}); "
              f"COMP_CWORD={len(words) - 1}; _extorus; printf '%s\\n' \"${{COMPREPLY[@]}}\" | sort")
    assert subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split() == expected


def test_udev_rules_name_the_ids_of_the_protocol(prefix):
    table = (ROOT / "host/include/extorus/protocol.h").read_text()
    vendor = re.search(r"XT_USB_VENDOR = 0x(\w+)", table)[1]
    product = re.search(r"XT_USB_PRODUCT = 0x(\w+)", table)[1]
    text = (prefix / "lib/udev/rules.d/70-extorus.rules").read_text()
    assert f'ATTR{{idVendor}}=="{vendor}", ATTR{{idProduct}}=="{product}"' in text
