# SPDX-License-Identifier: Apache-2.0
"""Devices: simulated networks and boards, by a URI."""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any

from extorus._native import Call, Progress, Record, callback, encode, ffi, lib, string
from extorus.images import Image


class Device:
    """A network behind a URI: "model:torus:4x4", "sim:twin.img", "usb:", "tcp:HOST:PORT"; host/include/extorus/device.h lists all.

    It serves one thread at a time, and is a context manager that closes itself.
    """

    def __init__(self, uri: str) -> None:
        self._held: Any = Call().make("xt_device_t", lib.xt_device_close, lambda *words: lib.xt_device_open(encode(uri), *words))

    def __enter__(self) -> Device:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: types.TracebackType | None) -> None:
        self.close()

    @property
    def _pointer(self) -> Any:
        if self._held is None:
            raise ValueError("the device is closed")
        return self._held

    def close(self) -> None:
        """Closes the device; a second time does nothing."""
        if self._held is not None:
            ffi.release(self._held)
            self._held = None

    @property
    def cards(self) -> int:
        """Number of cards."""
        return int(lib.xt_device_cards(self._pointer))

    @property
    def profile(self) -> str:
        """Name of the switch profile of the cards."""
        return string(lib.xt_device_profile(self._pointer).name)

    def load(self, image: Image, *, force: bool = False, backdoor: bool = False, verify: bool = True, live: bool = False,
             progress: Progress | None = None) -> None:
        """Writes the tables and reads them back. An image that can deadlock is refused unless `force`."""
        flags = (lib.XT_LOAD_FORCE * force | lib.XT_LOAD_BACKDOOR * backdoor | lib.XT_LOAD_NO_VERIFY * (not verify) |
                 lib.XT_LOAD_LIVE * live)
        Call()(lib.xt_device_load, self._pointer, image._pointer, flags, callback(progress), ffi.NULL)

    def verify(self, image: Image, *, progress: Progress | None = None) -> None:
        """Reads every entry back at every input port. MismatchError names the first difference."""
        Call()(lib.xt_device_verify, self._pointer, image._pointer, callback(progress), ffi.NULL)

    def compare(self, image: Image) -> list[Record]:
        """A record for each word that differs: card, table, index, input, held, wanted."""
        found: list[Record] = []

        def visit(_: Any, d: Any) -> None:
            found.append({"card": d.card, "table": string(d.table), "index": d.index, "input": string(d.input), "held": d.held,
                          "wanted": d.wanted})

        Call()(lib.xt_device_compare, self._pointer, image._pointer,
               ffi.callback("void(void *, const xt_table_difference_t *)", visit), ffi.NULL, ffi.NULL, ffi.NULL)
        return found

    def read(self, card: int, address: int, count: int = 1) -> list[int]:
        """Consecutive 32-bit registers of a card from a byte address on."""
        values = ffi.new("uint32_t[]", count)
        Call()(lib.xt_device_read, self._pointer, card, address, values, count)
        return list(values)

    def write(self, card: int, address: int, values: Iterable[int]) -> None:
        """Writes consecutive 32-bit registers of a card from a byte address on."""
        words = ffi.new("uint32_t[]", list(values))
        Call()(lib.xt_device_write, self._pointer, card, address, words, len(words))

    def find_port(self, card: int, name: str) -> int:
        """The number of a card's port by its name or number."""
        port = ffi.new("unsigned *")
        Call()(lib.xt_device_find_port, self._pointer, card, encode(name), port)
        return int(port[0])

    def fault(self, text: str) -> None:
        """Breaks something in a simulated network, as "kill-link:3,1,4000"; `extorus sim --help` lists the faults."""
        fault, call = ffi.new("xt_fault_t *"), Call()
        call(lib.xt_fault_parse, encode(text), fault)
        call(lib.xt_device_fault, self._pointer, fault)

    def configure(self, *, select: str | None = None, adaptive_low: int | None = None, adaptive_high: int | None = None,
                  patience: int | None = None, inject_wait: int | None = None, inject_room: int | None = None,
                  weights: Iterable[str] = ()) -> None:
        """Sets what is given in every card.

        `select` is "rr", "no-internal", "2-priority" or "3-priority". `adaptive_low`, `adaptive_high` and `inject_room` are in cells,
        `patience` and `inject_wait` in cycles. A weight is "PORT:TC=WEIGHT".
        """
        call, settings = Call(), ffi.new("xt_settings_t *")
        chosen = {"adaptive_low": adaptive_low, "adaptive_high": adaptive_high, "patience": patience, "inject_wait": inject_wait,
                  "inject_room": inject_room}
        if select is not None:
            number = ffi.new("xt_select_t *")
            call(lib.xt_select_parse, encode(select), number)
            chosen["select"] = number[0]
        for name, value in chosen.items():
            if value is not None:
                setattr(settings, name, value)
                settings.given |= getattr(lib, f"XT_SETTING_{name.upper()}")
        shares = list(weights)
        settings.weights = array = ffi.new("xt_weight_t[]", len(shares))
        settings.weight_count = len(shares)
        for place, text in enumerate(shares):
            call(lib.xt_weight_parse, encode(text), array + place)
        call(lib.xt_device_configure, self._pointer, settings)
