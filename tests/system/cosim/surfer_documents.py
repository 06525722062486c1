# SPDX-License-Identifier: Apache-2.0
"""Surfer's files, read as its documents ("Commands", "Mapping Translators") and its command parser take them; else a ValueError."""

import dataclasses
import re

FORMATS = {"Hexadecimal"}  # of Surfer itself, as far as views use them
WITHOUT = {"item_unfocus", "zoom_fit"}


@dataclasses.dataclass
class Item:
    """A row of the view: a divider has no variable."""

    variable: str
    label: str
    format: str = ""


def number_of(letters):
    """An item's number is hexadecimal, its digits the letters a to p; an underscore ends it."""
    match = re.fullmatch(r"([a-p]+)_\S*", letters)
    if not match:
        raise ValueError(f"{letters}: names no item")
    return int("".join(f"{ord(letter) - ord('a'):x}" for letter in match[1]), 16)


def items_of(commands):
    """The rows that a command file leads to."""
    items, focused = [], None
    for line in commands.splitlines():
        if re.search("[#;]", line):
            raise ValueError(f"{line}: has a comment or two commands")
        command, _, rest = line.partition(" ")
        if command in WITHOUT:
            if rest:
                raise ValueError(f"{line}: takes nothing")
            focused = None
        elif command in ("variable_add", "divider_add"):
            if not re.fullmatch(r"\S+" if command == "variable_add" else r"\w+", rest):
                raise ValueError(f"{line}: takes one word")
            # A new row comes behind the focused one, and takes its focus; without a focus it is the last.
            at = len(items) if focused is None else focused + 1
            items.insert(at, Item(rest, rest) if command == "variable_add" else Item("", rest))
            focused = None if focused is None else at
        elif command == "item_focus":
            focused = number_of(rest)
            if focused >= len(items):
                raise ValueError(f"{line}: there are {len(items)} rows")
        elif command in ("item_rename", "item_set_format"):
            if focused is None or not rest or command == "item_set_format" and not items[focused].variable:
                raise ValueError(f"{line}: needs a focused row and a word")
            setattr(items[focused], "label" if command == "item_rename" else "format", rest)
        else:
            raise ValueError(f"{line}: is no command")
    return items


def mapping_of(text):
    """(name, bits, {value: label}) of a mapping."""
    name, bits, labels = None, None, {}
    for line in (line.partition("#")[0].rstrip() for line in text.splitlines()):
        setting = re.fullmatch(r"(Name|Bits) = (.+)", line)
        if setting and labels:
            raise ValueError(f"{line}: comes after values")
        if setting:
            name, bits = (setting[2], bits) if setting[1] == "Name" else (name, int(setting[2]))
            continue
        row = re.fullmatch(r"(\d+)(?:\[[^]]+\])? (\S.*)", line)
        if not row or bits is None or int(row[1]) >> bits or int(row[1]) in labels:
            raise ValueError(f"{line}: is no value of {bits} bits and a label")
        labels[int(row[1])] = row[2]
    return name, bits, labels
