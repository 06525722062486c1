#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Man pages and bash completion from the command's own help, extorus(3) from the public headers, udev rules from the
table of the protocol: documents.py COMMAND HEADERS TABLE FOLDER VERSION."""

import os
import pathlib
import re
import subprocess
import sys

# "  -o, --output=FILE   Write ...", "      --new-name=X, --old-name=X"
NAME = r"--[\w-]+(?:\[?=(?:(?!, --)\S)+)?"
OPTION = re.compile(rf"^  (?:    )?(-(?:\w|\?), )?({NAME}(?:, {NAME})*)(?:$|\s+)(.*)$")
GROUP = re.compile(r"^ \S.*:$")


def help_of(command, *words):
    """Its lines, with no line broken that the command wrote as one."""
    wide = {**os.environ, "ARGP_HELP_FMT": "rmargin=10000,dup-args=0"}
    return subprocess.run([command, *words, "--help"], env=wide, capture_output=True, text=True,
                          check=True).stdout.splitlines()


def commands_of(lines):
    """[(name, summary)] of the list in `extorus --help`."""
    begin = lines.index("Commands:") + 1
    return [tuple(line.split(None, 1)) for line in lines[begin:lines.index("", begin)]]


class Help:
    """What `extorus NAME --help` says, taken apart."""

    def __init__(self, lines):
        self.usage = [re.sub(r"^(Usage:|\s*or:)\s*", "", line) for line in lines if re.match(r"^(Usage:|\s*or:)", line)]
        rest = [line for line in lines if not re.match(r"^(Usage:|\s*or:)", line)]
        at = [i for i, line in enumerate(rest) if OPTION.match(line)]
        self.before = rest[:at[0]] if at else rest
        self.after = rest[at[-1] + 1:] if at else []
        self.options = []  # [names as printed, description]
        for line in rest[at[0]:at[-1] + 1] if at else []:
            match = OPTION.match(line)
            if match:
                self.options.append([(match[1] or "") + match[2], match[3]])
            elif line.strip() and self.options and not GROUP.match(line):
                self.options[-1][1] = (self.options[-1][1] + " " + line.strip()).strip()
        self.words = [word for names, _ in self.options for word in re.findall(r"--[\w-]+=?", names)]


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def paragraphs(lines):
    """Text is filled; what is indented stays as it is."""
    out, literal = [], False
    for line in lines:
        if line.startswith("  ") != literal and line.strip():
            literal = not literal
            out.append(".nf" if literal else ".fi")
        out.append(roff(line) if line.strip() else ".PP")
    if literal:
        out.append(".fi")
    return out


def page(name, section, summary, body):
    return "\n".join([f'.TH {name.upper()} {section} "" "extorus {sys.argv[5]}" extorus',
                      ".SH NAME", f"{roff(name)} \\- {roff(summary)}", *body]) + "\n"


def command_page(name, summary, text):
    body = [".SH SYNOPSIS"]
    for usage in text.usage:
        body += [f".B {roff(usage)}", ".br"]
    body += [".SH DESCRIPTION", *paragraphs(text.before), ".SH OPTIONS"]
    for names, what in text.options:
        body += [".TP", "\\fB" + roff(names) + "\\fR", roff(what)]
    body += [".SH NOTES", *paragraphs(text.after), ".SH SEE ALSO", ".BR extorus (1)"]
    return page(f"extorus-{name}", 1, summary, body)


def main_page(lines, commands):
    body = [".SH SYNOPSIS", ".B " + roff(lines[0].replace("Usage: ", "")), ".SH DESCRIPTION", roff(lines[1]), ".SH COMMANDS"]
    for name, summary in commands:
        body += [".TP", f".BR extorus\\-{name} (1)", roff(summary)]
    begin = lines.index("Commands:") + 1
    body += [".SH NOTES", *paragraphs(lines[lines.index("", begin):])]
    return page("extorus", 1, "generate, route, check, simulate and drive interconnect switches", body)


def library_page(headers):
    body = [".SH SYNOPSIS", "Compile and link with", "`pkg\\-config \\-\\-cflags \\-\\-libs extorus`."]
    for header in sorted(pathlib.Path(headers).glob("*.h")):
        text = header.read_text()
        about = re.match(r"/\* SPDX[^\n]*\n(.*?)\*/", text, re.S)
        body += [".SS " + roff(f"extorus/{header.name}")]
        if about:
            body += [roff(re.sub(r"^ \* ?", "", line)) for line in about[1].strip("\n").splitlines() if line.strip(" *")]
        body += [".nf"]
        for comment, function in re.findall(r"(/\*(?:(?!\*/).)*\*/\n)?^XT_API (\w[\w ]*[ *]+xt_\w+\([^;{]*?\))(?: __attribute__[^;]*)?;",
                                            text, re.S | re.M):
            body += ["", *(roff(re.sub(r"\s*\*/$", "", re.sub(r"^\s*/?\*+/? ?", "", line)))
                           for line in comment.splitlines() if line.strip())]
            body += ["\\fB" + roff(re.sub(r"\s+", " ", function) + ";") + "\\fR"]
        body += [".fi"]
    return page("extorus", 3, "library of the extorus toolkit", body)


COMPLETION = """# SPDX-License-Identifier: Apache-2.0
# Made from `extorus --help`.
_extorus() {{
	local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options=
	if [ "$COMP_CWORD" = 1 ]; then
		COMPREPLY=($(compgen -W "{commands}" -- "$word"))
		return
	fi
	case ${{COMP_WORDS[1]}} in
{cases}
	esac
	case $before in
	--device) COMPREPLY=($(compgen -W "sim: model: usb: ftdi: uart: tcp:" -- "$word")) ;;
	*)
		case $word in
		-*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
		*) COMPREPLY=($(compgen -f -- "$word")) ;;
		esac
		;;
	esac
}}
complete -o nospace -o filenames -F _extorus extorus
"""


def completion(helps):
    cases = []
    for name, text in helps.items():
        words = " ".join(text.words)
        cases.append(f"\t{name}) options='{words}' ;;")
    return COMPLETION.format(commands=" ".join(helps), cases="\n".join(cases))


def rules(table):
    text = pathlib.Path(table).read_text()
    number = {name: int(re.search(rf"{name} = (0x[0-9a-f]+)", text)[1], 16) for name in ("XT_USB_VENDOR", "XT_USB_PRODUCT")}
    boards = [(number["XT_USB_VENDOR"], number["XT_USB_PRODUCT"]), (0x0403, 0x6010), (0x0403, 0x6014)]
    lines = ["# Boards of extorus, and the FTDI chips in front of some, for users who are logged in and the group plugdev."]
    for vendor, product in boards:
        lines.append(f'SUBSYSTEM=="usb", ATTR{{idVendor}}=="{vendor:04x}", ATTR{{idProduct}}=="{product:04x}", '
                     'MODE="0660", GROUP="plugdev", TAG+="uaccess"')
    return "\n".join(lines) + "\n"


def main():
    command, headers, table, folder = sys.argv[1], sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4])
    lines = help_of(command)
    commands = commands_of(lines)
    helps = {name: Help(help_of(command, name)) for name, _ in commands}
    files = {f"extorus-{name}.1": command_page(name, summary, helps[name]) for name, summary in commands}
    files["extorus.1"] = main_page(lines, commands)
    files["extorus.3"] = library_page(headers)
    files["extorus.bash"] = completion(helps)
    files["70-extorus.rules"] = rules(table)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, text in files.items():
        (folder / name).write_text(text)


if __name__ == "__main__":
    main()
