# SPDX-License-Identifier: Apache-2.0
"""What fit_model and tiled_table share: rows of spmm-bench, the matrices they name, and model_features."""
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
    """Name -> file or generator string; what is not there is reported and left out."""
    files = {name: find_file(folder, name) for name in names}
    missing = sorted(name for name in names if files[name] is None)
    if missing:
        print(f"not found, left out: {', '.join(missing)}", file=sys.stderr)
    return {name: path for name, path in files.items() if path is not None}


TENSOR = tuple(family.name for family in family_rows.FAMILIES if family.compute == "TENSOR")
STAGED = tuple(family.name for family in family_rows.FAMILIES if family.slots_max)
FIRST = family_rows.FAMILIES[0].name
# Families whose constants are those of their schedules: of two schedules that differ, or of a name that is no other's.
SHARED = re.compile(r"/row-split/v\d+l\d+x\d+$")  # groups of lanes share rows
ROUNDED = ("tf32", "3xtf32")  # compute types of f32 that name other kernels
BY_SCHEDULE = (FIRST, *(family.name for family in family_rows.FAMILIES if family.compute == "EITHER"))
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "format", "permutation_list.def"),
          encoding="utf-8") as permutation_list:
    MADE_PERMUTATIONS = tuple(re.findall(r"^PERMUTATION\((\w+)", permutation_list.read(), re.M))
PERMUTATIONS = ("reordered", *MADE_PERMUTATIONS)


def is_held_out(name):
    """A third of the matrices, by a digest of their names: no constant is fitted to them."""
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) % 3 == 0


def family_of(kernel):
    return kernel.split("/")[0]


def kernel_of(text):
    """cuda/rows/row-split/v4l32 -> rows/row-split, of v4l32x2 rows/row-split/shared; cuda/tiled/whole/p256/r16 -> tiled/whole/p256/r16;
    cuda/panel/dense/p128/tf32 -> panel/dense/p128/tf32"""
    parts = text.split("/")
    if SHARED.search(text):
        return "/".join(parts[1:3] + ["shared"])
    return "/".join(parts[1:3] + [word for word in parts[3:] if word in ROUNDED] if parts[1] in BY_SCHEDULE else parts[1:])


def variant_of(kernel):
    """tiled/segmented-48/p256/radix/r16 -> (schedule, length, height, is reordered); R follows from these and n. Where
    the name does not say which permutation, it is radix, which the inspector tries for tiled."""
    parts = kernel.split("/")
    schedule, _, length = parts[1].partition("-")
    return schedule, int(length or 0), int(parts[2][1:]), "radix" in parts or "reordered" in parts


def permutation_of(kernel):
    """panel/packed/p64/minhash/3xtf32 -> (the kernel without its permutation, minhash); None: the order of A"""
    parts = kernel.split("/")
    found = [part for part in parts if part in PERMUTATIONS]
    return "/".join(part for part in parts if part not in PERMUTATIONS), found[0] if found else None


def key_of(row):
    """Of a row of spmm-bench, or of model_features: matrix, n, layout, dtype, kernel."""
    kernel = kernel_of(row["kernel"]) if "device" in row else row["kernel"]
    return row["matrix"], int(row["n"]), row["layout"], row["dtype"], kernel


def read_bench(paths, select):
    """Rows with a time, op N, whose device contains select. Kernels that permute C are left out."""
    rows = []
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            rows += csv.DictReader(file)
    return [row for row in rows if select in row["device"] and row["op"] == "N" and row["ms_cold"]
            and "/permuted" not in row["kernel"]]


def job_order(kernel):
    """Variants of one segment length follow each other: they share their units and permutation."""
    return kernel.split("/")[1], kernel


def run_features(program, device, files, keys):
    """One pass over each matrix, with every kernel that was measured on it: the lines of those cases, by key."""
    kernels = collections.defaultdict(set)
    for key in keys:
        kernels[key[0]].add(key[4])
    lists = [",".join(map(str, sorted({key[i] for key in keys}))) for i in (1, 2, 3)]
    jobs = "".join("\t".join([name, files[name]] + sorted(kernels[name], key=job_order)) + "\n" for name in sorted(kernels))
    command = [program, device] + lists
    done = subprocess.run(command, input=jobs, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):  # 1: a matrix failed, which it reported; the others are there
        raise subprocess.CalledProcessError(done.returncode, command)
    wanted = set(keys)
    lines = ((key_of(row), row) for row in csv.DictReader(done.stdout.splitlines()))
    return {key: row for key, row in lines if key in wanted}
