# SPDX-License-Identifier: Apache-2.0
"""Faults of structure that are still there. A line goes with its fault: the tests fail when a listed fault is mended.
Nobody adds a fault."""

ARROWS = set()
# The first file of each circle.
CIRCLES = set()
LONG_FILES = {
}
LONG_FUNCTIONS = {
    "sim/model/card/card.c",
    "sim/model/card/input_unit.h",
    "sim/model/card/link.c",
    "sim/systemc/platform/main.cpp",
    "tests/rtl/switch/test_adaptive.cpp",
    "tests/rtl/switch/test_links.cpp",
    "tests/rtl/switch/test_rings.cpp",
    "tests/rtl/switch/test_routing.cpp",
}
REPEATED_NAMES = set()
