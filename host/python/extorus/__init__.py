# SPDX-License-Identifier: Apache-2.0
"""extorus: topologies, routing, proofs, simulation and devices of the EXTOLL-class switch, by the C library libextorus.

    import extorus

    image = extorus.route("torus:4x4x4", "dor")
    extorus.require_safe(image)
    records = extorus.sweep({"torus": image}, loads=[0.1, 0.3, 0.5])

Results are dictionaries and lists of dictionaries with the names of the command's --json. A failure raises extorus.Error with the
library's message.
"""

from extorus._native import (
    DeviceError,
    Error,
    FileError,
    FormatError,
    InvalidError,
    MismatchError,
    Progress,
    RangeError,
    Record,
    UnsafeError,
    UnsupportedError,
    lib,
    profiles,
    string,
)
from extorus.devices import Device
from extorus.images import Image, check, require_safe, route
from extorus.runs import Traffic, means, run, run_on, sweep
from extorus.topologies import Topology

__version__: str = string(lib.xt_version_string())
__all__ = ["Device", "DeviceError", "Error", "FileError", "FormatError", "Image", "InvalidError", "MismatchError", "Progress", "RangeError",
           "Record", "Topology", "Traffic", "UnsafeError", "UnsupportedError", "check", "means", "profiles", "require_safe", "route", "run",
           "run_on", "sweep"]
del lib, string
