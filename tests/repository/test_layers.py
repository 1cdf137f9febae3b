#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that tools/dev/layers finds every violation planted in a synthetic tree, and none in a clean tree."""
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile

LAYERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "dev", "layers")
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("layers", LAYERS)
layers = importlib.util.module_from_spec(importlib.util.spec_from_loader("layers", loader))
loader.exec_module(layers)

LIST = "FAMILY(rows, 1)\nFAMILY(wide, 2)\n"
FILES = ["include/spmm/plan.h", "format/plan.h", "format/base/alloc.h", "format/file/frames.h", "inspector/b.h",
         "inspector/search/search.h", "executor/backend.h", "tools/cli/cli.h",
         "include/spmm/petsc.h", "tools/petsc/petsc_matrix.h", "tools/compute/device_memory.h", "format/base/team.h", "kernels/rows/rows_pack.h",
         "kernels/rows/rows_plan.h", "kernels/wide/wide_shape.h", "kernels/wide/wide_plan.h", "kernels/wide/wide_cost.h",
         "kernels/wide/wide_kernel.h", "kernels/wide/wide.cuh", "kernels/shared/kernel_base.h", "kernels/shared/launch.cuh",
         "kernels/shared/convert.h", "kernels/tcblock/tc_shape.h", "kernels/tcblock/tc_plan.h", "kernels/tcblock/tc_pack.h",
         "kernels/long_rows/long_rows_plan.h", "kernels/long_rows/long_rows_cpu.h"]
W = "kernels/wide/wide"
GOOD = [("format/a.c", "<spmm/plan.h>"), ("format/a.c", "<zstd.h>"), ("format/a.c", '"format/file/frames.h"'),
        ("format/base/a.c", '"alloc.h"'), ("inspector/c.c", '"format/plan.h"'), ("inspector/c.c", '"b.h"'),
        ("executor/c.c", '"backend.h"'), ("executor/c.c", "<cuda_runtime_api.h>"), ("tools/f.c", "<spmm/spmm.h>"),
        ("docs/examples/a.c", "<cublas_v2.h>"), ("tools/petsc/a.c", "<petscmat.h>"), ("tools/petsc/a.c", "<spmm/petsc.h>"),
        ("tools/petsc/a.c", '"petsc_matrix.h"'), ("tools/petsc/a.c", '"tools/compute/device_memory.h"'),
        ("include/spmm/petsc.h", "<petscmat.h>"), ("docs/examples/a.c", "<slepceps.h>"), ("tools/f.c", '"format/base/team.h"'),
        ("tools/f.c", '"tools/cli/cli.h"'), (W + "_plan.c", '"inspector/search/search.h"'),
        (W + "_plan.c", '"format/plan.h"'), (W + "_cost.c", '"wide_shape.h"'), (W + "_cost.c", '"wide_plan.h"'),
        (W + "_plan.c", '"kernels/tcblock/tc_plan.h"'), (W + "_plan.c", '"kernels/long_rows/long_rows_plan.h"'),
        (W + "_shape.h", '"format/plan.h"'), (W + "_shape.h", '"kernels/shared/kernel_base.h"'),
        (W + "_shape.h", '"kernels/tcblock/tc_shape.h"'), (W + "_pack.c", '"executor/backend.h"'),
        (W + "_pack.c", '"wide_shape.h"'), (W + "_pack.c", '"kernels/tcblock/tc_pack.h"'),
        (W + "_cuda.c", "<cuda_runtime_api.h>"), (W + ".cu", '"wide_kernel.h"'), (W + ".cu", "<cuda_runtime.h>"),
        (W + ".cu", '"kernels/shared/launch.cuh"'), ("kernels/long_rows/long_rows_plan.c", '"kernels/rows/rows_plan.h"'),
        ("kernels/long_rows/long_rows_cpu.c", '"kernels/rows/rows_pack.h"')]
BAD = [("format/a.c", '"inspector/b.h"'), ("format/a.c", "<cuda_runtime_api.h>"), ("format/base/a.c", '"format/plan.h"'),
       ("format/base/a.c", '"../file/frames.h"'), ("inspector/c.c", '"executor/backend.h"'),
       ("inspector/c.c", '"../executor/backend.h"'), ("inspector/c.c", '"kernels/tcblock/tc_plan.h"'),
       ("inspector/c.c", "<cuda_runtime.h>"), ("executor/c.c", '"inspector/b.h"'),
       ("executor/c.c", '"kernels/shared/convert.h"'), ("tools/f.c", '"format/plan.h"'),
       ("include/spmm/h.h", '"format/plan.h"'), (W + "_plan.c", '"executor/backend.h"'), (W + "_plan.c", '"wide_kernel.h"'),
       (W + "_cost.c", '"kernels/tcblock/tc_pack.h"'), (W + "_cost.c", "<cuda_runtime_api.h>"),
       (W + "_plan.c", '"kernels/rows/rows_plan.h"'), (W + "_shape.h", '"executor/backend.h"'),
       (W + "_shape.h", '"inspector/search/search.h"'), (W + "_shape.h", '"kernels/tcblock/tc_pack.h"'),
       (W + "_pack.c", '"inspector/b.h"'), (W + "_pack.c", '"wide_plan.h"'), (W + "_pack.c", '"kernels/rows/rows_pack.h"'),
       (W + ".cu", '"executor/backend.h"'), (W + ".cu", '"format/plan.h"'), (W + ".cu", '"wide_plan.h"'),
       ("kernels/tcblock/tc.c", '"kernels/wide/wide_kernel.h"'), ("kernels/shared/c.cu", '"kernels/tcblock/tc_pack.h"'),
       ("kernels/long_rows/long_rows_cpu.c", '"kernels/wide/wide_kernel.h"'), ("tools/f.c", "<petscsys.h>"),
       ("tools/f.c", "<spmm/petsc.h>"), ("tools/f.c", '"tools/petsc/petsc_matrix.h"'), ("inspector/c.c", "<mpi.h>"),
       ("include/spmm/spmm.h", '"petsc.h"'), ("tools/petsc/a.c", '"tools/cli/cli.h"'),
       ("tools/petsc/a.c", '"format/base/team.h"')]
MENTIONS = ["a = SPMM_FAMILY_WIDE;", "a = SPMM_FAMILY_ROWS;", "spmmi_wide_planner", "spmmi_rows_cpu", "spmmi_wide_make(x)",
            "SPMMI_WIDE_UNIT", '"wide"', '"wide/whole"', '"cuda/rows/row-split"', "kernels/wide/"]
SILENT = ['"rows"', "/* SPMM_FAMILY_WIDE */", "// \"wide\"", "SPMM_FAMILY_WIDER", "spmmi_rows_of(x)", '"a wide one"']
MENTIONING = ["format/a.c", "inspector/a.c", "executor/CMakeLists.txt", "kernels/tcblock/a.c", "tools/a.c", "tools/dev/script"]
OPEN = ["include/spmm/a.h", "docs/examples/a.c", "tests/a.c"]
CYCLES = [  # {file: text}, and whether there is a cycle
    ({"format/a.h": '"b.h"', "format/b.h": '"a.h"'}, True),
    ({"format/a.h": '"b.h"', "format/b.c": '"a.h"'}, True),  # b.c and b.h are one file
    ({"format/a.c": '"b.h"', "format/b.h": "", "format/b.c": '"b.h"'}, False),
    ({"format/x/a.c": '"format/y/b.h"', "format/y/c.c": '"format/x/d.h"'}, True),  # folders x and y
    ({"format/x/a.c": '"format/y/b.h"', "format/y/c.c": '"format/y/b.h"'}, False),
    ({"format/a.c": "int spmmi_a(int x)\n{\n    return spmmi_b(x);\n}",
      "format/b.c": "int spmmi_b(int x)\n{\n    return spmmi_a(x);\n}"}, True),
    ({"format/a.c": "int spmmi_a(int x)\n{\n    return spmmi_b(x);\n}",
      "format/b.c": "int spmmi_b(int x)\n{\n    return x; /* spmmi_a */\n}"}, False),
    ({"format/a.c": "extern const struct ops spmmi_b_ops;\nint spmmi_a(int x)\n{\n    return spmmi_b_ops.make(x);\n}",
      "format/b.c": "const struct ops spmmi_b_ops = {make};\nstatic int make(int x)\n{\n    return spmmi_a(x);\n}"}, False)]


def plant(root, files):
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        with open(os.path.join(root, name), "w", encoding="utf-8") as file:
            file.write(text)


def run(root, *options):
    return subprocess.run([LAYERS, "--root", root, *options], check=False, capture_output=True, text=True)


def finds(files):
    """Returns whether layers finds a violation in a tree with the list of families, empty headers, and these files."""
    with tempfile.TemporaryDirectory() as root:
        plant(root, {**dict.fromkeys(FILES, ""), "format/family_list.def": LIST, **files})
        return bool(layers.check(root))


def source(text):
    return f"/* x */\n  #include {text}\n" if text.startswith(('"', "<")) and text.endswith(('.h"', ".h>", '.cuh"')) else text


def cases():
    """Yields ({file: text} to plant, whether layers must find a violation)."""
    for expected, includes in ((False, GOOD), (True, BAD)):
        yield from (({path: source(what)}, expected) for path, what in includes)
    yield from (({path: f"x\n{what}\n"}, True) for path in MENTIONING for what in MENTIONS)
    yield from (({"kernels/rows/rows_a.c": what}, "wide" in what.lower()) for what in MENTIONS)
    yield from (({"kernels/wide/wide_a.c": what}, "rows_cpu" in what or "row-" in what or "_FAMILY_ROWS" in what) for what in MENTIONS)
    yield from (({path: f"x\n{what}\n"}, False) for path in OPEN for what in MENTIONS)
    yield from (({"format/a.c": f"x\n{what}\n"}, False) for what in SILENT)
    yield from (({"kernels/long_rows/a.c": f"a = SPMM_FAMILY_{name};"}, name == "WIDE") for name in ("ROWS", "WIDE"))
    yield from (({path: source(text) for path, text in files.items()}, expected) for files, expected in CYCLES)


def wrong_known():
    """Yields an error unless known violations pass, others fail, and known violations that do not exist fail."""
    line = "format/a.c: may not include inspector/b.h"
    for known, count in ((line, 0), ("# nothing", 1), (line + "\nformat/z.c: may not include inspector/b.h", 1)):
        with tempfile.TemporaryDirectory() as root:
            plant(root, {"format/a.c": '#include "inspector/b.h"\n', "inspector/b.h": "", "known": known + "\n"})
            result = run(root, "--known", os.path.join(root, "known"))
            if len(result.stdout.splitlines()) != count or result.returncode != (count > 0):
                yield f"known {known!r}: {result.stdout!r}"


def main():
    wrong = [f"{files}: expected {'a' if expected else 'no'} violation" for files, expected in cases()
             if finds(files) != expected]
    wrong += wrong_known()
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
