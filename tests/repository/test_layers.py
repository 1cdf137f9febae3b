#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/dev/layers finds every violation planted in a made-up tree, and nothing in a clean one."""
import os
import subprocess
import sys
import tempfile

LAYERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "dev", "layers")
GOOD = [("format/a.c", "<spmm/plan.h>"), ("inspector/b.c", '"format/a.h"'), ("executor/c.c", '"kernel_abi.h"'),
        ("kernels/rows/d.cu", '"executor/kernel_abi.h"'), ("kernels/rows/d.cu", "<cuda_runtime.h>"),
        ("kernels/rows/d.cu", '"kernels/shared/e.cuh"'), ("tools/f.c", "<spmm/spmm.h>"), ("format/a.c", "<zstd.h>")]
BAD = [("format/a.c", '"inspector/b.h"'), ("format/a.c", "<cuda_runtime_api.h>"), ("inspector/b.c", '"executor/c.h"'),
       ("inspector/b.c", '"../executor/c.h"'), ("executor/c.c", '"inspector/b.h"'), ("executor/c.c", '"kernels/rows/d.cuh"'),
       ("kernels/rows/d.cu", '"executor/c.h"'), ("kernels/rows/d.cu", '"format/a.h"'),
       ("kernels/rows/d.cu", '"kernels/other/g.cuh"'), ("tools/f.c", '"format/a.h"'), ("include/spmm/h.h", '"format/a.h"')]
HEADERS = ["executor/kernel_abi.h", "executor/c.h", "inspector/b.h", "format/a.h"]


def status(path, what):
    """Exit status of layers on a tree in which `path` includes `what`."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in [(header, "") for header in HEADERS] + [(path, f"/* x */\n  #include {what}\n")]:
            os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
            with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                file.write(text)
        return subprocess.run([LAYERS, "--root", root], check=False, stdout=subprocess.DEVNULL).returncode


def main():
    wrong = [(path, what, expected) for expected, cases in ((0, GOOD), (1, BAD)) for path, what in cases
             if status(path, what) != expected]
    for path, what, expected in wrong:
        print(f"{path} with #include {what}: expected exit status {expected}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
