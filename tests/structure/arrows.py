# SPDX-License-Identifier: Apache-2.0
"""Which file of the tree uses which, by its includes and by the symbols of its object; and the rules for that."""

import collections
import pathlib
import re
import subprocess

# From the ground up: a room uses itself and those before it.
LIBRARY = ["base", "params", "topology", "image", "traffic", "routing", "check", "analysis", "reroute", "device", "board", "measure",
           "draw", "workload", "workload/collectives", "workload/programs", "workload/captured", "workload/formats", "workload/placement",
           "workload/replay", "open", "cli/options", "cli/report", "cli/runs", "cli/boards", "cli"]
MODEL = ["card", "network", "event", "checkpoint", "run"]
# Public headers without a function of their own, and the room whose data they describe.
TYPES_ONLY = {"error": "base", "export": "base", "options_size": "base", "version": "base", "profile": "params", "protocol": "params", "random": "base", "registers": "params",
              "extorus": "open"}

Use = collections.namedtuple("Use", "user used why")


def room(path):
    """The room of a source below host/ or sim/model/, or None."""
    parts = pathlib.PurePosixPath(path).parts
    if parts[:2] == ("host", "lib"):
        return "/".join(parts[2:max(3, len(parts) - 1)]).removesuffix(".c")
    if parts[:2] == ("sim", "model"):
        return parts[2] if len(parts) > 3 else None
    if parts[:2] == ("host", "cli") and len(parts) > 3:
        return "/".join(parts[1:3])
    return parts[1] if parts[0] == "host" and parts[1] in ("params", "gen", "cli") else None


def sources(root, *folders):
    return [path.relative_to(root).as_posix() for folder in folders for path in sorted((root / folder).rglob("*.[ch]"))]


def public_rooms(root):
    """Public header -> the room that defines most of its functions; of a room within a room, the outer one."""
    defined = {}
    for path in sources(root, "host/lib", "host/params"):
        text = (root / path).read_text()
        defined.update((name, room(path).split("/")[0]) for name in re.findall(r"^[a-z][^;{}#=]*?\b(xt_\w+)\([^;{}]*\)\n\{", text, re.M))
    found = {}
    for path in sources(root, "host/include"):
        text = re.sub(r"/\*.*?\*/|//.*", "", (root / path).read_text(), flags=re.S)
        rooms = collections.Counter(defined[name] for name in re.findall(r"\b(xt_\w+)\(", text) if name in defined)
        name = pathlib.PurePosixPath(path).stem
        found[path] = TYPES_ONLY.get(name) or (rooms.most_common(1)[0][0] if rooms else None)
    return found


def includes(root, *folders):
    """Uses by #include between the sources of `folders` and the public headers."""
    known = set(sources(root, *folders, "host/include"))
    for user in sorted(known):
        near = pathlib.PurePosixPath(user).parent.as_posix()
        for name in re.findall(r'^#include "([^"]+)"', (root / user).read_text(), re.M):
            at = (f"{folder}/{name}" for folder in (near, "host/include", "host/lib", "host/params", "host", "host/cli", "sim"))
            used = next((path for path in at if path in known), None)
            if used:
                yield Use(user, used, f"includes {name}")


def symbols(root, objects, prefix=""):
    """Uses by symbol between the objects below `objects`, each named for the source of the same path below `prefix`.
    An object whose source is gone is left out."""
    defined, wanted = {}, collections.defaultdict(set)
    for built in sorted((root / objects).rglob("*.o")):
        source = prefix + built.relative_to(root / objects).with_suffix(".c").as_posix()
        if not (root / source).exists():
            continue
        for line in subprocess.run(["nm", built], capture_output=True, text=True, check=True).stdout.splitlines():
            kind, name = line.split()[-2:]
            if kind in "TRDBC":
                defined[name] = source
            elif kind == "U":
                wanted[source].add(name)
    for user, names in wanted.items():
        yield from (Use(user, defined[name], f"calls {name}") for name in sorted(names) if name in defined and defined[name] != user)


def upward(uses, order, public=None):
    """Uses of a higher room, as lines. The generator stands beside the library, on base and params."""
    public = public or {}
    for use in uses:
        user, used = (public.get(path) or room(path) for path in use[:2])
        if user == "gen":
            wrong = used not in ("gen", "base", "params")
        elif used == "gen":
            wrong = user != "cli"
        else:
            wrong = user in order and used in order and order.index(used) > order.index(user)
        if wrong:
            yield f"{use.user} -> {use.used}"


def circles(uses, name=str):
    """Groups of more than one `name` of which each reaches each other (Tarjan), sorted."""
    graph = collections.defaultdict(set)
    for use in uses:
        if name(use.user) != name(use.used):
            graph[name(use.user)].add(name(use.used))
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in number:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == number[node]:
            group = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(group) > 1:
                found.append(" <-> ".join(sorted(group)))

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return sorted(found)


def unit(path):
    """A source together with its headers."""
    return path.rsplit(".", 1)[0].removesuffix("_internal")
