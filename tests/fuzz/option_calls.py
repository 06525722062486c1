# SPDX-License-Identifier: Apache-2.0
"""Command lines drawn from what --help says: every option with numbers and files that it should take, and should not."""

import os
import re
import subprocess

# What each command does at once, in a folder that `prepare` made. Without an entry a command is called bare.
BASES = {
    "gen": ["--profile mini -o gen"], "topo": ["torus:4"], "configs": ["3dt --k 2"], "layout": ["torus:4x4"],
    "crossings": ["tree:k=2,n=2", "torus:3x3"], "latency": ["torus:4x4"], "route": ["torus:4 --algorithm dor -o new.img"],
    "check": ["good.img"], "trace": ["good.img 0 1"], "traffic": ["--device tcp:localhost:9;wait=0"],
    "sim": ["good.img --engine model --warmup 50 --measure 100"],
    "sweep": ["torus:2 --routing dor --load 0.1 --warmup 50 --measure 50 -o swept --no-plot --threads 1"],
    "collective": ["alltoall --ranks 4", "alltoall --ranks 4 --on good.img"],
    "workload": ["stats good.goal", "check good.goal", "convert good.goal new.goal", "generate halo --ranks 4 -o new.goal",
                 "replay good.img good.goal"],
    "reproduce": ["--list"], "probe": ["--device model:torus:4"], "load": ["good.img --device model:torus:4"],
    "verify": ["good.img --device model:torus:4 --image good.img"], "dump": ["--device model:torus:4"],
    "diff": ["good.img --device model:torus:4"], "inject": ["--device model:torus:4 --image good.img --packets 5"],
    "capture": ["--device model:torus:4 --seconds 1"], "counters": ["--device model:torus:4"],
    "watch": ["--device model:torus:4 --count 1 --interval 10"], "reset": ["--device model:torus:4"],
    "link": ["--device model:torus:4"], "selftest": ["--device model:torus:2"], "eye": ["--device model:torus:4"],
    "doctor": ["--device tcp:localhost:9;wait=0"],
    "serve": ["model:torus:4"],
}
# These take seconds at their best; most of their calls end behind their options.
SLOW = {"selftest"}
# A word as an option's argument has it in the help, if it is the path of something.
PATHS = {"FILE", "FILE.svg", "FILE.fst", "IMAGE", "NEW", "OLD", "FOLDER", "DIR"}
WORDS = ["", " ", "-", "--", "-1", "+1", "1 ", " 1", "0x10", "1e3", "1e999", "-0", "nan", "inf", "1.5.2", "1,2", ",", ":", "=", "1:",
         ":1", "1-", "1/", "@", "~", "%s%n", "a" * 300, "9" * 40, "18446744073709551616", "18446744073709551615",
         "9223372036854775808", "4294967296", "4294967295", "65536", "1.7976931348623159e308", "4.9e-324", "\xff\xfe", "d0+", "0x4",
         "all", "auto:", "auto:0", "file:", "tcp:localhost:70000", "tcp:[::1]:1;wait=0", "usb:serial=-1", "é"]


class Option:
    def __init__(self, name, argument, text):
        self.name, self.argument = name, argument
        found = re.search(r"; from (\S+) (?:to (\S+)|on)$", text)
        self.least = found and float(found[1])
        self.most = found and limit(found[2])
        self.text = found and found[0][2:]


def limit(text):
    if text is None:
        return float("inf")
    power = re.fullmatch(r"2\^(\d+)-1", text)
    return 2 ** int(power[1]) - 1 if power else float(text) if re.search(r"[.e]", text) else int(text)


def commands(program):
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  ([a-z]+) +", text.split("Commands:")[1].split("\n\n")[0], re.M)


def options(program, command):
    """Of the help: a row begins in column 2 or 6, its text in column 29."""
    found = []
    text = subprocess.run([program, command, "--help"], capture_output=True, text=True, check=True, env={**os.environ, "ARGP_HELP_FMT": "rmargin=9999"}).stdout
    for line in text.splitlines():
        row = re.match(r"  (?:-(\S), |    )((?:--[\w-]+(?:=\S+)?(?:, )?)+)\s*(.*)", line)
        if row:
            for name, argument in re.findall(r"--([\w-]+)(?:=(\S+?))?(?:, |$)", row[2]):
                found.append(Option(name, argument, row[3].strip()))
    return [option for option in found if option.name not in ("help", "usage", "version")]


def prepare(program, folder):
    """Files that are good, and others that are not."""
    def run(*words):
        subprocess.run([program, *words], cwd=folder, check=True, capture_output=True)

    run("route", "torus:4", "--algorithm", "dor", "-o", "good.img")
    run("workload", "generate", "halo", "--ranks", "4", "-o", "good.goal")
    run("workload", "generate", "halo", "--ranks", "4", "--one-dependency", "-o", "good.vef")
    image = (folder / "good.img").read_bytes()
    files = {"cut.img": image[:len(image) // 2], "flipped.img": image[:60] + bytes([image[60] ^ 4]) + image[61:], "empty": b"",
             "text": b"src,dst,weight\n0,1,1\n", "zeros": bytes(4096), "noise": bytes((i * i * 2654435761 >> 7) & 255 for i in range(5000)),
             "line": b"#" * 100000, "open.json": b'{"cards": 2, "links": [[0, 0, 1,', "deep.json": b"[" * 5000,
             "large.json": b'{"cards": 4294967297, "links": [[0, 0, 1, 99999999999999999999]]}', "cut.goal": b"num_ranks 4\nrank 0 {\nl1: send 8b to 9"}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (folder / "folder").mkdir(exist_ok=True)
    return [*files, "good.img", "good.goal", "good.vef", "folder", "absent", "absent/file", "/dev/null", "/dev/zero", "/dev/full", "x" * 5000,
            "a\nb", "-", "."]


def number(random, option):
    """One near a limit, or anywhere."""
    least, most = option.least, option.most
    whole = isinstance(most, int)
    near = [least, least + 1, least - 1, most, most + 1, most - 1, random.uniform(least, min(most, 1e12))]
    value = random.choice(near)
    return str(int(value)) if whole and abs(value) < 2.0 ** 70 else repr(float(value)).replace("inf", "1e308")


def argument(random, option, files):
    """(argument, whether the help says that it is right: None if it does not say)."""
    if option.argument in PATHS:
        return random.choice(files), None
    if option.least is not None and random.random() < 0.6:
        text = number(random, option)
        value = int(text) if re.fullmatch(r"-?\d+", text) else float(text)
        right = bool(option.least <= value <= option.most) and not text.startswith("-")
        if option.argument == "HEX":
            return text, None
        return text, right and (isinstance(option.most, int) and re.fullmatch(r"\d+", text) is not None or not isinstance(option.most, int))
    return random.choice([*WORDS, *files]), None


def is_small(word):
    return not re.search(r"--k=1\d|=.*(\d{3}|[.\d]e\+?\d)", word) or re.search(r"=(tcp:|-|/)", word)


def call(random, program, command, choices, files):
    """The words of a call, and the option whose range its number keeps (True) or not (False), if the help has a range."""
    words = random.choice(BASES.get(command, [""])).split()
    given, judged = [], None
    for option in random.sample(choices, min(len(choices), random.choice([1, 1, 1, 2, 3]))):
        if not option.argument:
            given.append(f"--{option.name}")
            continue
        text, right = argument(random, option, files)
        if "\0" in text:
            continue
        given.append(f"--{option.name}={text}")
        if right is not None and (judged is None or not right):
            judged = (option, text, right)
    if random.random() < 0.2 and words:
        words[random.randrange(len(words))] = random.choice([*files, *WORDS])
    if not all(is_small(word) for word in given) or command in SLOW and random.random() < 0.95:
        # What may be a lot of work is read, and then fails: at an option that is none.
        given.append("--no-such-option")
        judged = judged if judged and not judged[2] else None
    return [command, *words, *given], judged
