#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests tests/gpu/sanitize with scripts in place of the test programs and the sanitizer: clean runs pass and print the
scorecard; findings, damaged tables that no shard ran, and races in kernels without known races fail."""
import os
import subprocess
import sys
import tempfile

SANITIZE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gpu", "sanitize")
EDGES = "echo '4 kernels, 3 matrices, 12 products'\necho '[  PASSED  ] 1 test(s).'\n"
HOSTILE = "echo '%d cases of damaged tables, %d findings'\nexit %d\n"
RACE = """case "$*" in *racecheck*)
    echo '========= Error: Race reported between Write access at void spmmi::%s(spmmi::Args<T1>)+0x10'
    echo '=========     and %s access at void spmmi::%s(spmmi::Args<T1>)+0x20 [8 hazards]'
    echo '========= ' ;;
esac
"""
BCSR = "bcsr_kernel<spmmi::BcsrShape<spmmi::BlockF64, (int)8, (bool)1, (bool)0>>"
SPLIT = "bcsr_split_kernel<spmmi::BcsrSplitShape<(int)32, (bool)1>, (bool)0>"
MAPPED = "bcsr_mapped_kernel<spmmi::BcsrGroupShape<__half, (int)8, (bool)0>>"
WIDE = "wide_kernel<float, (int)1, (int)7, (bool)%d>"
E15 = "E15 80 cases of damaged GPU tables under memcheck (local slots of tiled left out), 0 accesses"


def program(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)


def run(cases, findings, race=None):
    """Runs sanitize; returns its exit status and output. Each shard of damaged tables prints `cases` and `findings`.
    With `race`, each shard of racecheck prints a race between a write of one kernel and an access of another."""
    with tempfile.TemporaryDirectory() as folder:
        # The program is the first argument that is a path. Options precede it.
        found = RACE % race if race else ""
        program(folder, "compute-sanitizer", found + 'while [ ! -f "$1" ]; do shift; done\nexec "$@"\n')
        program(folder, "test_cuda_edges", EDGES)
        program(folder, "test_cuda_hostile", HOSTILE % (cases, findings, findings > 0))
        path = folder + os.pathsep + os.environ["PATH"]
        done = subprocess.run([SANITIZE, folder], cwd=folder, env=dict(os.environ, PATH=path), capture_output=True, text=True)
        return done.returncode, done.stdout


def main():
    for cases, findings, race, status, text in (
            (5, 0, None, 0, E15), (0, 0, None, 1, "test_cuda_hostile ran no case"), (5, 1, None, 1, "hostile: 32 findings"),
            (5, 0, (BCSR, "Read", BCSR), 0, "racecheck: 0 findings, 8 known hazards left out: 8 bcsr_kernel\n"),
            (5, 0, (MAPPED, "Read", MAPPED), 0, "racecheck: 0 findings, 8 known hazards left out: 8 bcsr_mapped_kernel\n"),
            (5, 0, (WIDE % 0, "Read", WIDE % 0), 0, "racecheck: 0 findings, 8 known hazards left out: 8 wide_kernel\n"),
            (5, 0, (WIDE % 1, "Read", WIDE % 1), 1, "racecheck: 8 findings\n"), (5, 0, (BCSR, "Write", BCSR), 1, "racecheck: 8 findings\n"),
            (5, 0, (BCSR, "Read", WIDE % 0), 1, "racecheck: 8 findings\n"),
            (5, 0, ("panel_kernel<float>", "Read", "panel_kernel<float>"), 1, "racecheck: 8 findings\n"),
            (5, 0, (SPLIT, "Read", SPLIT), 0, "racecheck: 0 findings, 8 known hazards left out: 8 bcsr_split_kernel\n")):
        seen, output = run(cases, findings, race)
        if seen != status or text not in output or (status != 0 and "scorecard" in output):
            sys.exit(f"test_sanitize: expected {text!r} and status {status}, found {seen}:\n{output}")


main()
