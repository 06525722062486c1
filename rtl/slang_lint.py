# SPDX-License-Identifier: Apache-2.0
"""Elaborates a design with slang, which reads the language as its standard says. Exit status 1 after any error or warning.

  slang_lint.py --top TOP [-DNAME] FILE..."""

import shlex
import sys

import pyslang

driver = pyslang.driver.Driver()
driver.addStandardArgs()
fine = (driver.parseCommandLine(shlex.join(["slang", "-Wdefault", "-Werror", *sys.argv[1:]])) and driver.processOptions()
        and driver.parseAllSources() and driver.runFullCompilation(True))
sys.exit(0 if fine else 1)
