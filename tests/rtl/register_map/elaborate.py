# SPDX-License-Identifier: Apache-2.0
"""Elaborates register maps with systemrdl-compiler and prints the registers of each as JSON; null for a map that is refused.

  elaborate.py FILE.rdl|FILE.xml..    [address, name, {field: [lowest bit, bits, access, reset, effect of a write]}] of each register"""

import json
import sys

from peakrdl_ipxact import IPXACTImporter
from systemrdl import RDLCompileError, RDLCompiler
from systemrdl.node import RegNode


def fields(node):
    for field in node.fields():
        effect = field.get_property("onwrite")
        yield field.inst_name, [field.lsb, field.width, field.get_property("sw").name, field.get_property("reset"), effect and effect.name]


def registers(path):
    compiler = RDLCompiler()
    if path.endswith(".xml"):
        IPXACTImporter(compiler).import_file(path)
    else:
        compiler.compile_file(path)
    for node in compiler.elaborate().descendants(unroll=True):
        if isinstance(node, RegNode):
            assert node.get_property("regwidth") == 32
            yield node.absolute_address, ".".join(node.get_path_segments(array_suffix="")[1:]), dict(fields(node))


maps = []
for argument in sys.argv[1:]:
    try:
        maps.append(list(registers(argument)))
    except RDLCompileError:
        maps.append(None)
json.dump(maps, sys.stdout)
