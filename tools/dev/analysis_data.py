# SPDX-License-Identifier: Apache-2.0
"""Reads rows of spmm-bench, finds their matrices, and runs model_features, for scripts that analyse measurements."""
import collections
import csv
import hashlib
import os
import re
import subprocess
import sys

import family_rows

ENDINGS = (".mtx.zst", ".smtx.zst", ".mtx", ".smtx", ".mtx.gz")


def find_file(folder, name):
    if name.startswith("gen:"):
        return name
    paths = (os.path.join(folder, name + ending) for ending in ENDINGS)
    return next((path for path in paths if os.path.exists(path)), None)


def find_files(folder, names):
    """Returns {name: file or generator string}; reports missing matrices and leaves them out."""
    files = {name: find_file(folder, name) for name in names}
    missing = sorted(name for name in names if files[name] is None)
    if missing:
        print(f"not found, left out: {', '.join(missing)}", file=sys.stderr)
    return {name: path for name, path in files.items() if path is not None}


TENSOR = tuple(family.name for family in family_rows.FAMILIES if family.compute == "TENSOR")
STAGED = tuple(family.name for family in family_rows.FAMILIES if family.slots_max)
FIRST = family_rows.FAMILIES[0].name
SHARED = re.compile(r"/row-split/v\d+l\d+x\d+$")  # kernels whose lane groups share rows
ROUNDED = ("tf32", "3xtf32")  # compute types of f32 that have kernels of their own
# Families whose constants in profiles have the name of a schedule.
BY_SCHEDULE = (FIRST, *(family.name for family in family_rows.FAMILIES if family.compute == "EITHER"))
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "format", "permutation_list.def"),
          encoding="utf-8") as permutation_list:
    MADE_PERMUTATIONS = tuple(re.findall(r"^PERMUTATION\((\w+)", permutation_list.read(), re.M))
PERMUTATIONS = ("reordered", *MADE_PERMUTATIONS)


def is_held_out(name):
    """Returns true for a third of the matrices, chosen by a digest of the name: no constants are fitted to them."""
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) % 3 == 0


def family_of(kernel):
    return kernel.split("/")[0]


def kernel_of(text):
    """Returns the name of a measured kernel without its device and, for families in BY_SCHEDULE, without its instance.

    cuda/rows/row-split/v4l32 -> rows/row-split; cuda/rows/row-split/v4l32x2 -> rows/row-split/shared;
    cuda/tiled/whole/p256/r16 -> tiled/whole/p256/r16; cuda/panel/dense/p128/tf32 -> panel/dense/p128/tf32
    """
    parts = text.split("/")
    if SHARED.search(text):
        return "/".join(parts[1:3] + ["shared"])
    return "/".join(parts[1:3] + [word for word in parts[3:] if word in ROUNDED] if parts[1] in BY_SCHEDULE else parts[1:])


def variant_of(kernel):
    """Splits tiled/segmented-48/p256/radix/r16 into (schedule, segment length, height, whether rows are permuted).

    R is not needed, because it follows from these and n. "reordered" means radix, which the inspector tries for tiled.
    """
    parts = kernel.split("/")
    schedule, _, length = parts[1].partition("-")
    return schedule, int(length or 0), int(parts[2][1:]), "radix" in parts or "reordered" in parts


def permutation_of(kernel):
    """Splits panel/packed/p64/minhash/3xtf32 into panel/packed/p64/3xtf32 and minhash (None: the order of A)."""
    parts = kernel.split("/")
    found = [part for part in parts if part in PERMUTATIONS]
    return "/".join(part for part in parts if part not in PERMUTATIONS), found[0] if found else None


def key_of(row):
    """Returns (matrix, n, layout, dtype, kernel) of a row of spmm-bench or model_features."""
    kernel = kernel_of(row["kernel"]) if "device" in row else row["kernel"]
    return row["matrix"], int(row["n"]), row["layout"], row["dtype"], kernel


def read_bench(paths, select):
    """Returns the rows with a cold time and op N whose device contains select, without kernels that permute C."""
    rows = []
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            rows += csv.DictReader(file)
    return [row for row in rows if select in row["device"] and row["op"] == "N" and row["ms_cold"]
            and "/permuted" not in row["kernel"]]


def job_order(kernel):
    """Returns a sort key: variants with equal segment length are consecutive, as they share units and permutations."""
    return kernel.split("/")[1], kernel


def run_features(program, device, files, keys):
    """Runs model_features once for each matrix, with every measured kernel; returns {key: line} for the keys."""
    kernels = collections.defaultdict(set)
    for key in keys:
        kernels[key[0]].add(key[4])
    lists = [",".join(map(str, sorted({key[i] for key in keys}))) for i in (1, 2, 3)]
    jobs = "".join("\t".join([name, files[name]] + sorted(kernels[name], key=job_order)) + "\n" for name in sorted(kernels))
    command = [program, device] + lists
    done = subprocess.run(command, input=jobs, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):  # 1: a matrix failed and was reported; the others have lines
        raise subprocess.CalledProcessError(done.returncode, command)
    wanted = set(keys)
    lines = ((key_of(row), row) for row in csv.DictReader(done.stdout.splitlines()))
    return {key: row for key, row in lines if key in wanted}
