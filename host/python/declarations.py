#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the module by which the package calls the library: all declarations of the public headers, for cffi's ABI mode.

  declarations.py HEADERS OUTPUT.py    HEADERS has extorus/extorus.h; the compiler is $CC, by default cc
"""

import os
import re
import subprocess
import sys

import cffi

# Macros of the headers that the package uses.
CONSTANTS = ("XT_VERSION_MAJOR", "XT_VERSION_NUMBER", "XT_NO_CARD")


def preprocess(headers, source, *flags):
    return subprocess.run([os.environ.get("CC", "cc"), "-E", *flags, f"-I{headers}", "-x", "c", "-"], check=True, stdout=subprocess.PIPE,
                          text=True, input='#include "extorus/extorus.h"\n' + source).stdout


def preprocessed(headers):
    """What the compiler reads of the public headers, without that of the system's; macros as enumerators."""
    kept, own = [], False
    for line in preprocess(headers, "").splitlines():
        if marker := re.match(r'# \d+ "(.*)"', line):
            own = "/extorus/" in marker[1]
        elif own:
            kept.append(line)
    values = preprocess(headers, "".join(f'"{name}" = {name};\n' for name in CONSTANTS), "-P")
    constants = [f"enum {{ {name} = {value} }};" for name, value in re.findall(r'"(\w+)" =\s([^;]*);', values)]
    return "\n".join(kept + constants)


def declarations(text):
    """Without attributes, inline functions and assertions, none of which cffi reads."""
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", text)
    text = re.sub(r"^static inline [^{;]*\{.*?^\}", "", text, flags=re.M | re.S)
    return re.sub(r"_Static_assert\s*\([^;]*\);", "", text)


def main():
    headers, output = sys.argv[1:]
    ffi = cffi.FFI()
    ffi.set_source("extorus._library", None)
    ffi.cdef(declarations(preprocessed(headers)))
    ffi.compile(tmpdir=os.path.dirname(os.path.dirname(os.path.abspath(output))))


if __name__ == "__main__":
    main()
