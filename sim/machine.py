# SPDX-License-Identifier: Apache-2.0
"""What a measurement was taken on."""

import os
import platform
import re
import subprocess


def first_line(*command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.splitlines()[0]
    except (OSError, IndexError):
        return "unknown"


def describe_machine():
    with open("/proc/cpuinfo") as file:
        model = re.search(r"^model name\s*: (.*)$", file.read(), re.M)
    return {
        "processor": model.group(1) if model else platform.machine(),
        "processors": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "verilator": first_line("verilator", "--version"),
        "compiler": first_line("g++", "--version"),
    }
