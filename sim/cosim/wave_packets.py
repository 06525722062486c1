#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Transaction filter of GTKWave: a trace that names each packet from its head to its tail.

GTKWave writes the changes of the signals in the form of VCD, and reads times with names. The trace's arguments are the
names of the signals `valid`, `first` and `header`, and before the last the bit that counts in `first`. packets.json, in
the same folder, says where the header's fields are and which card has which address. A cycle is two units of time.
"""

import json
import pathlib
import re
import sys

CYCLE = 2


def read_trace(stream):
    """The arguments, {identifier: name}, (time, identifier, value) and the last time of a trace; None: no more traces."""
    arguments, names, changes, time, end = [], {}, [], 0, 0
    for line in stream:
        words = line.split()
        if line.startswith("$comment data_end"):
            return arguments, names, changes, end
        if line.startswith("$comment args"):
            arguments = line.split('"')[1].split()
        elif line.startswith("$comment max_time"):
            end = int(words[2]) + 1
        elif line.startswith("$comment seqn"):
            names[words[2]] = re.sub(r"\[[0-9:]*\]$", "", words[3].rsplit(".", 1)[-1])
        elif line.startswith("#"):
            time = int(words[0][1:])
        elif line.startswith("b"):
            changes.append((time, words[1], words[0][1:]))
        elif line[:1] in ("0", "1", "x", "z") and len(words) == 1:
            changes.append((time, words[0][1:], words[0][0]))
    return None


def number(bits):
    """What is unknown counts as 0: it is not valid."""
    return int(re.sub("[^01]", "0", bits) or "0", 2)


def cells(arguments, names, changes, end):
    """(time, header, or None within a packet) of each cell."""
    valid, first, bit, header = arguments
    values = dict.fromkeys((valid, first, header), 0)
    for place, (time, identifier, value) in enumerate(changes):
        values[names[identifier]] = number(value)
        until = changes[place + 1][0] if place + 1 < len(changes) else end
        if values[valid]:
            for cycle in range(time, until, CYCLE):
                yield cycle, values[header] if values[first] >> int(bit) & 1 else None


def field(layout, header, name):
    """A field of the header."""
    lsb, bits = layout[name]
    return header >> lsb & (1 << bits) - 1


def place_name(layout, address):
    """The card with an address, and its NIC if it has several."""
    unit = layout["unit_bits"]
    card = layout["cards"].get(str(address >> unit << unit))
    if card is None:
        return f"address {address}"
    return f"card {card}" if layout["nics"] == 1 else f"card {card}.{address & (1 << unit) - 1}"


def packet_name(layout, header):
    """Source, destination, traffic class and length."""
    source, destination = (place_name(layout, field(layout, header, name)) for name in ("source", "destination"))
    return f"{source} > {destination} TC{field(layout, header, 'tc')} {field(layout, header, 'length') + 1} cells"


def packets(layout, trace):
    """(time, name) of each head, and (time, "") behind each tail. Cells whose head is before the wave have no name."""
    left = 0
    for time, header in cells(*trace):
        if header is not None:
            left = field(layout, header, "length") + 1
            yield time, packet_name(layout, header)
        elif not left:
            continue
        left -= 1
        if not left:
            yield time + CYCLE, ""


def main():
    """Answers trace after trace."""
    layout = json.loads(pathlib.Path(__file__).with_name("packets.json").read_text())
    while (trace := read_trace(sys.stdin)) is not None:
        for time, name in packets(layout, trace):
            print(f"#{time} {name}".rstrip())
        print("$finish", flush=True)


if __name__ == "__main__":
    main()
