#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/gpu/sanitize with programs and a sanitizer that only print: clean runs pass and leave the scorecard, damaged tables
that no shard ran and findings fail, races too but for those of known kernels."""
import os
import subprocess
import sys
import tempfile

SANITIZE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gpu", "sanitize")
EDGES = "echo '4 kernels, 3 matrices, 12 products'\necho '[  PASSED  ] 1 test(s).'\n"
HOSTILE = "echo '%d cases of damaged tables, %d findings'\nexit %d\n"
RACE = """case "$*" in *racecheck*)
    echo '========= Error: Race reported between Read access at void spmmi::%s<float>(spmmi::Args<T1>)+0x10' ;;
esac
"""
E15 = "E15 30 cases of damaged GPU tables under memcheck (local slots of tiled left out), 0 accesses"


def program(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)


def run(cases, findings, kernel=None):
    """Exit status and output where each of the 6 shards of damaged tables prints these numbers, and each of the 8 of
    racecheck a race of this kernel."""
    with tempfile.TemporaryDirectory() as folder:
        # The program is the first argument with a path; options come before it.
        race = RACE % kernel if kernel else ""
        program(folder, "compute-sanitizer", race + 'while [ ! -f "$1" ]; do shift; done\nexec "$@"\n')
        program(folder, "test_cuda_edges", EDGES)
        program(folder, "test_cuda_hostile", HOSTILE % (cases, findings, findings > 0))
        path = folder + os.pathsep + os.environ["PATH"]
        done = subprocess.run([SANITIZE, folder], cwd=folder, env=dict(os.environ, PATH=path), capture_output=True, text=True)
        return done.returncode, done.stdout


def main():
    for cases, findings, kernel, status, text in (
            (5, 0, None, 0, E15), (0, 0, None, 1, "test_cuda_hostile ran no case"), (5, 1, None, 1, "hostile: 12 findings"),
            (5, 0, "bcsr_kernel", 0, "racecheck: 0 findings, 8 known hazards left out"),
            (5, 0, "wide_kernel", 0, "racecheck: 0 findings, 8 known hazards left out"),
            (5, 0, "panel_kernel", 1, "racecheck: 8 findings")):
        seen, output = run(cases, findings, kernel)
        if seen != status or text not in output or (status != 0 and "scorecard" in output):
            sys.exit(f"test_sanitize: expected {text!r} and status {status}, found {seen}:\n{output}")


main()
