# SPDX-License-Identifier: Apache-2.0
"""The loaded library, and its statuses as exceptions."""

from __future__ import annotations

import math
import pathlib
from typing import Any, Callable

from extorus._library import ffi as ffi

Record = dict[str, Any]
"""A result: texts, numbers, None for what was not measured, and lists and records of these."""

Progress = Callable[[int, int], None]
"""Called now and then with what is done and what there is to do."""


class Error(Exception):
    """A failure that the library reports; the text is the library's, `status` its xt_status_t."""

    def __init__(self, text: str, status: int = 0) -> None:
        super().__init__(text)
        self.status = status


class InvalidError(Error, ValueError):
    """An argument or a table is illegal."""


class FileError(Error):
    """The operating system refused; the text says what."""


class FormatError(Error):
    """A file is not of its format."""


class RangeError(Error, ValueError):
    """What was asked for does not exist or does not fit."""


class UnsupportedError(Error):
    """Profile, topology or device cannot do this."""


class UnsafeError(Error):
    """A routing that can deadlock or does not deliver was refused."""


class DeviceError(Error):
    """A device is absent, busy, silent or at odds with this program."""


class MismatchError(DeviceError):
    """A device holds something other than was written, or belongs to another network."""


_ERRORS: dict[str, type[Error]] = {
    "XT_ERR_INVALID": InvalidError, "XT_ERR_IO": FileError, "XT_ERR_FORMAT": FormatError, "XT_ERR_RANGE": RangeError,
    "XT_ERR_UNSUPPORTED": UnsupportedError, "XT_ERR_UNSAFE": UnsafeError, "XT_ERR_MISMATCH": MismatchError,
}


def _load() -> Any:
    major = ffi.integer_const("XT_VERSION_MAJOR")
    beside = pathlib.Path(__file__).parent / "lib" / f"libextorus.so.{major}"
    library = ffi.dlopen(str(beside) if beside.exists() else beside.name)
    wanted = ffi.integer_const("XT_VERSION_NUMBER")
    if library.xt_version_number() != wanted:
        raise ImportError(f"{beside.name} has version {library.xt_version_number()}, this package is of {wanted}: install both anew")
    return library


lib = _load()


def error(status: int, text: str) -> Error:
    """The exception for a status of the library."""
    name = ffi.typeof("xt_status_t").elements.get(status, "")
    return _ERRORS.get(name, DeviceError)(text, status)


class Call:
    """Calls of one operation that share a diagnostic: `call(f, a, b)` is f(a, b, diag), and raises where that fails."""

    def __init__(self) -> None:
        self.diag = ffi.new("xt_diag_t *")

    def __call__(self, function: Any, *arguments: Any) -> int:
        status = int(function(*arguments, self.diag))
        if status == lib.XT_ERR_NOMEM:
            raise MemoryError(self.text())
        if status < 0:
            raise error(status, self.text() or string(lib.xt_strerror(status)))
        return status

    def text(self) -> str:
        return string(self.diag.text)

    def make(self, kind: str, free: Any, function: Any, *arguments: Any) -> Any:
        """The object that `function` returns by a last pointer; `free` frees it when nothing refers to it."""
        out = ffi.new(f"{kind} **")
        self(function, *arguments, out)
        return ffi.gc(out[0], free)


def string(text: Any) -> str:
    return ffi.string(text).decode(errors="replace") if text != ffi.NULL else ""


def encode(text: str | pathlib.Path) -> bytes:
    encoded = str(text).encode()
    if b"\0" in encoded:
        raise ValueError(f"{text!r} has a character of code 0")
    return encoded


def options(kind: str, **members: Any) -> Any:
    """An options struct with its size, and with those members that are not None."""
    struct = ffi.new(f"{kind} *", {name: value for name, value in members.items() if value is not None})
    struct.size = ffi.sizeof(kind)
    return struct


def number(value: float) -> float | None:
    """What is not a number becomes None."""
    return None if math.isnan(value) else float(value)


def callback(progress: Progress | None) -> Any:
    """An xt_progress_t."""
    if progress is None:
        return ffi.NULL
    return ffi.callback("void(void *, uint64_t, uint64_t)", lambda _, done, total: progress(done, total))


def profile_of(name: str) -> Any:
    found = ffi.new("const xt_profile_t **")
    Call()(lib.xt_profile_require, encode(name), found)
    return found[0]


def profiles() -> list[Record]:
    """The built-in switch profiles: name, summary, ports, traffic classes, bits of a cell, cells of the longest packet and of a buffer."""
    found: list[Record] = []
    while (profile := lib.xt_profiles[len(found)]) != ffi.NULL:
        found.append({"profile": string(profile.name), "summary": string(profile.summary), "link_ports": profile.link_ports,
                      "nic_ports": profile.nic_ports, "tcs": profile.tcs, "cell_bits": profile.cell_bits,
                      "packet_cells": profile.packet_cells, "buffer_cells": profile.buffer_cells})
    return found
