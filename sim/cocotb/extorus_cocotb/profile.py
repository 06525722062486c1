# SPDX-License-Identifier: Apache-2.0
"""The numbers of a profile, read from its generated package."""

import os
import pathlib
import re


class Profile:
    """Each localparam of xt_pkg is an attribute: profile.LinkPorts, profile.RegMagic."""

    def __init__(self, package):
        text = pathlib.Path(package).read_text()
        self.package = pathlib.Path(package)
        for name, based, decimal in re.findall(r"localparam [^=]*?(\w+) = (?:\d+'h([0-9a-f]+)|(\d+));", text):
            setattr(self, name, int(based, 16) if based else int(decimal))
        if not hasattr(self, "CellBits"):
            raise ValueError(f"{package}: is no package of a profile")

    @classmethod
    def of_bench(cls):
        """The profile of the bench that runs."""
        return cls(os.environ["EXTORUS_PACKAGE"])

    @property
    def cell_bytes(self):
        return self.CellBits // 8

    def port_of_nic(self, nic):
        return self.LinkPorts + nic
