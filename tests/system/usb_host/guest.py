# SPDX-License-Identifier: Apache-2.0
"""A stock Debian kernel in QEMU, without KVM, with the command and its libraries and a virtual board on its USB.

The guest runs a shell script. A line of it `board WORDS` goes to the control input of the board's process; `run NAME COMMAND`
runs a command and says how it ended."""

import base64
import os
import pathlib
import re
import select
import shutil
import stat
import subprocess
import time

from repository import ROOT

KERNELS = ROOT / "build" / "guest"
MODULES = ["usb/common/usb-common.ko", "usb/core/usbcore.ko", "usb/host/xhci-hcd.ko", "usb/host/xhci-pci.ko"]

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
exec </dev/ttyS0 >/dev/ttyS0 2>&1
stty raw -echo -F /dev/ttyS0 2>/dev/null
for m in usb-common usbcore xhci-hcd xhci-pci; do insmod /lib/$m.ko; done
export PATH=/bin
cd /guest
board() { echo "@board $*"; read -r answer; }
run() {
	name=$1; shift
	"$@" >/tmp/out 2>/tmp/err; status=$?
	echo "@result $name $status $(base64 -w0 /tmp/out) - $(base64 -w0 /tmp/err)"
}
seen() {
	n=0
	while [ $n -lt 300 ]; do
		grep -qs 1209 /sys/bus/usb/devices/*/idVendor && return
		n=$((n + 1)); sleep 0.1
	done
	echo "@say no device"
}
unseen() {
	n=0
	while [ $n -lt 300 ]; do
		grep -qs 1209 /sys/bus/usb/devices/*/idVendor || return
		n=$((n + 1)); sleep 0.1
	done
	echo "@say the device stays"
}
boards=BOARDS
until [ "$(grep -ls 1209 /sys/bus/usb/devices/*/idVendor | wc -l)" = $boards ]; do sleep 0.1; done
echo "@ready"
. /guest/script
echo "@end"
poweroff -f
"""


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __repr__(self):
        return f"exit {self.status}\n{self.out}{self.err}"


def kernel():
    """Folder of the unpacked kernel package; `make guest` fetches it."""
    found = sorted(KERNELS.glob("boot/vmlinuz-*"))
    assert found, f"no kernel in {KERNELS}: run `make guest`"
    return found[-1], found[-1].name[len("vmlinuz-"):]


def libraries(program):
    """Files that the dynamic linker loads for it, with the linker itself."""
    text = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return re.findall(r"(/\S+) \(0x", text)


def newc(files):
    """A cpio archive of {name: (mode, content, device)}."""
    out = bytearray()
    for number, (name, (mode, content, device)) in enumerate([*files.items(), ("TRAILER!!!", (0, b"", (0, 0)))], 1):
        raw = name.encode() + b"\0"
        fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, *device, len(raw), 0)
        out += b"070701" + b"".join(b"%08x" % field for field in fields) + raw
        out += bytes(-len(out) % 4) + content
        out += bytes(-len(out) % 4)
    return bytes(out)


def archive(programs, script, work, boards):
    """The initramfs: busybox, the programs with their libraries, the modules, and files of the folder /guest."""
    _, release = kernel()
    files = {}

    def folder(path):
        if path and path not in files:
            folder(str(pathlib.PurePosixPath(path).parent).strip("."))
            files[path] = (stat.S_IFDIR | 0o755, b"", (0, 0))

    def put(path, content, mode=0o755):
        folder(str(pathlib.PurePosixPath(path).parent).strip("."))
        files[path] = (stat.S_IFREG | mode, content, (0, 0))

    for name in ("dev", "proc", "sys", "tmp", "guest", "bin"):
        folder(name)
    files["dev/console"] = (stat.S_IFCHR | 0o600, b"", (5, 1))
    put("etc/passwd", b"root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n", 0o644)
    put("init", INIT.replace("BOARDS", str(boards)).encode())
    put("bin/busybox", pathlib.Path("/bin/busybox").read_bytes())
    for program in programs:
        put(f"bin/{pathlib.Path(program).name}", pathlib.Path(program).read_bytes())
        for library in libraries(program):
            put(library.lstrip("/"), pathlib.Path(library).read_bytes())
    for module in MODULES:
        put(f"lib/{pathlib.Path(module).name}",
            (KERNELS / "lib/modules" / release / "kernel/drivers" / module).read_bytes())
    for name, content in {**work, "script": script.encode()}.items():
        put(f"guest/{name}", content)
    return newc(files)


class Boot:
    """What one run of the guest did: `results` by name, `said`, `log`, and the seconds it took. `boards` are the command
    lines of the boards that are plugged in; the script speaks to the first."""

    def __init__(self, folder, boards, programs, script, work=None, limit=300):
        self.results, self.said, self.log, self.ended = {}, [], "", False
        self.marks = []  # seconds of the results
        image, _ = kernel()
        assert shutil.which("qemu-system-x86_64"), "no qemu-system-x86_64: run .ci/setup .ci/packages-guest"
        (folder / "guest.cpio").write_bytes(archive(programs, script, work or {}, len(boards)))
        begin = time.monotonic()
        self.boards, buses = [], []
        for number, board in enumerate(boards):
            path = folder / f"usb{number}"
            with open(folder / f"board{number}.log", "w") as log:
                self.boards.append(subprocess.Popen([*board, "--usb", path, "--control"], stdin=subprocess.PIPE,
                                                    stdout=subprocess.PIPE, stderr=log))
            buses += ["-chardev", f"socket,id=c{number},path={path},server=on,wait=off",
                      "-device", f"usb-redir,chardev=c{number},bus=x.0"]
        # loglevel: the kernel's errors would go through the lines of the script.
        qemu = subprocess.Popen(
            ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-serial", "stdio", "-no-reboot",
             "-m", "256", "-M", "q35", "-accel", "tcg", "-cpu", "max", "-kernel", image, "-initrd", folder / "guest.cpio",
             "-append", "console=ttyS0 reboot=t panic=-1 loglevel=1 no_timer_check nokaslr", "-device", "qemu-xhci,id=x", *buses],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            self._follow(qemu, begin, limit)
        finally:
            qemu.kill()
            qemu.wait(30)
            for board in self.boards:
                board.terminate()
                board.wait(30)
        self.seconds = time.monotonic() - begin

    def _follow(self, qemu, begin, limit):
        pending = b""
        while not self.ended:
            left = begin + limit - time.monotonic()
            ready, _, _ = select.select([qemu.stdout], [], [], max(left, 0))
            assert ready, f"no end after {limit} s:\n{self.log[-3000:]}"
            data = os.read(qemu.stdout.fileno(), 65536)
            if not data:
                return
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                self._line(line.decode(errors="replace").rstrip("\r"), qemu, begin)

    def _line(self, line, qemu, begin):
        self.log += line[:500] + "\n"
        found = re.match(r"@(\w+) ?(.*)", line)
        if not found:
            return
        word, rest = found.groups()
        if word == "board":
            self.boards[0].stdin.write(rest.encode() + b"\n")
            self.boards[0].stdin.flush()
            answer = self.boards[0].stdout.readline()
            assert answer.startswith(b"ok"), answer
            qemu.stdin.write(b"done\n")
            qemu.stdin.flush()
        elif word == "result":
            name, status, out, _, *err = rest.split(" ")
            self.results[name] = Result(int(status), *(base64.b64decode(part).decode(errors="replace")
                                                       for part in (out, err[0] if err else "")))
            self.marks.append((name, time.monotonic() - begin))
        elif word == "say":
            self.said.append(rest)
        elif word == "ready":
            self.marks.append(("ready", time.monotonic() - begin))
        elif word == "end":
            self.ended = True
