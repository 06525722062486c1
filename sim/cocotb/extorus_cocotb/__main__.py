# SPDX-License-Identifier: Apache-2.0
"""python3 -m extorus_cocotb: builds the bench of a profile and runs modules of cocotb tests."""

import argparse
import pathlib
import sys

from extorus_cocotb import bench


def main():
    parser = argparse.ArgumentParser(prog="extorus_cocotb", description=__doc__)
    parser.add_argument("tests", nargs="+", type=pathlib.Path, metavar="FILE.py", help="modules of cocotb tests")
    parser.add_argument("--profile", default="mini", help="switch profile (default: mini)")
    parser.add_argument("--simulator", choices=bench.SIMULATORS, default="icarus", help="default: icarus")
    parser.add_argument("--folder", type=pathlib.Path, help="where the bench is built (default: out/cocotb/PROFILE-SIMULATOR)")
    parser.add_argument("--seed", type=int, default=1, help="seed of all random choices (default: 1)")
    parser.add_argument("--runs", type=int, default=1, help="runs of each test, with this seed and those after it (default: 1)")
    parser.add_argument("--store-forward", action="store_true", help="the NICs take whole packets (StoreForward of xt_card)")
    arguments = parser.parse_args()
    package = bench.ROOT / "rtl/generated" / arguments.profile / "xt_pkg.sv"
    if not package.exists():
        parser.exit(2, f"{parser.prog}: there is no {package}; run `make generate`\n")
    old = bench.verilator_is_old() if arguments.simulator == "verilator" else None
    if old:
        parser.exit(2, f"{parser.prog}: this is Verilator {old}; cocotb needs 5.022 or newer, as Debian 13 has\n")
    for file in arguments.tests:
        if not file.is_file():
            parser.exit(2, f"{parser.prog}: {file}: there is no such file\n")
    folder = arguments.folder or pathlib.Path("out/cocotb") / f"{arguments.profile}-{arguments.simulator}"
    try:
        bench.build(package, arguments.simulator, folder, store_forward=arguments.store_forward)
    except (bench.BuildError, OSError) as error:
        sys.exit(f"extorus_cocotb: {error}")
    failed = 0
    for file in arguments.tests:
        for seed in range(arguments.seed, arguments.seed + arguments.runs):
            result = bench.run(package, arguments.simulator, folder, file.stem, file.resolve().parent, seed=seed)
            for name in result.tests:
                print(f"{file.stem}.{name}, seed {seed}: {'failed' if name in result.failures else 'passed'}")
            for name, message in result.failures.items():
                print(f"{file.stem}, seed {seed}: {name}: {message}; {folder / result.log_name}", file=sys.stderr)
            failed += bool(result.failures)
    sys.exit(1 if failed else 0)


main()
