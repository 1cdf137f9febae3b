# SPDX-License-Identifier: Apache-2.0
"""Computes how close the kernels of default plans are to the copy rate of the GPU: a table of docs/kernels.md, for
tools/dev/performance_pages."""
import collections
import statistics

import profile_tables

START, END = "<!-- shares -->\n", "<!-- /shares -->"
VALUE_BYTES = {"f32": 4, "f64": 8, "f16": 2, "bf16": 2}
INDEX_BYTES = 4
N_MIN, SECONDS_MIN = 8, 10e-6  # minimum n and time: smaller products measure latency, not bandwidth
LAYOUTS = {"row": "row-major", "col": "column-major"}


def copy_rate(device):
    """Returns the copy rate in bytes/s from the profile whose name is in the device's name; None without a profile."""
    names = [name for name in profile_tables.DEVICES if name.upper() in device.split()]
    return float(profile_tables.read(names[0])["copy_gbs"][0]) * 1e9 if names else None


def least_bytes(row):
    """Returns the compulsory traffic in bytes: values and column indices of A, used rows of B, and C."""
    m, k, nnz, n = (int(row[name]) for name in ("rows", "cols", "nnz", "n"))
    value = VALUE_BYTES[row["dtype"]]
    return nnz * (INDEX_BYTES + value) + (min(k, nnz) + m) * n * value


def shares_of(rows):
    """Returns {(family, compute type, layout): shares} for the products that are large enough."""
    products = {}
    for row in rows:
        if row["chosen"] == "1" and row["op"] == "N" and row["kernel"].startswith("cuda/") and int(row["n"]) >= N_MIN:
            name = tuple(row[name] for name in ("device", "matrix", "n", "dtype", "layout", "kernel", "compute"))
            products[name] = row  # a product has one row per peer; count it once
    shares = collections.defaultdict(list)
    for row in products.values():
        rate = copy_rate(row["device"])
        least = least_bytes(row) / rate if rate else 0
        if least >= SECONDS_MIN:
            shares[row["family"], row["compute"] or row["dtype"], row["layout"]].append(least / (float(row["ms_cold"]) * 1e-3))
    return shares


def cell(shares):
    """Returns "median (lower quartile to upper quartile, number of products)"."""
    if len(shares) < 2:
        return f"{shares[0]:.2f} (1)" if shares else ""
    low, middle, high = statistics.quantiles(shares, n=4, method="inclusive")
    return f"{middle:.2f} ({low:.2f} to {high:.2f}, {len(shares)})"


def text(rows, device, commit, date):
    shares = shares_of([row for row in rows if row["device"] == device])
    kernels = list(dict.fromkeys(name[:2] for name in sorted(shares, key=lambda name: name[:2])))
    lines = [["family", "multiplied as", *LAYOUTS.values()], ["---"] * 4]
    lines += [[*kernel, *(cell(shares.get((*kernel, layout), [])) for layout in LAYOUTS)] for kernel in kernels]
    return (f"{device}, {date}, commit {commit}:\n\n" + "".join("| " + " | ".join(line) + " |\n" for line in lines))
