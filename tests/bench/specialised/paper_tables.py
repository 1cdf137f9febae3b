#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints tables in Markdown of the results of specialised_bench.

usage: paper_tables.py [--device NAME] TIMES.csv [CALLS.csv] [N,N..]

TIMES has rows of specialised_bench, CALLS rows of its option --calls (without it there is no such table). N are the
values of n to show (default: all). NAME is a part of the name of the device to show (default: the device of the last
row). For cuSPARSE, cuBLAS and GiMMiK, each case shows the fastest algorithm or kernel with a right product, and its
memory. A wrong product is shown with its verdict instead of a time."""
import csv
import math
import os
import sys

NAIVE, COALESCED, OURS, SPECIALISED, VENDOR = "naive", "naive-coalesced", "ours", "ours-specialised", "cusparse"
GIMMIK, DENSE = "gimmik", "cublas"
HEADINGS = {NAIVE: "naive", COALESCED: "naive, coalesced", VENDOR: "cuSPARSE", DENSE: "cuBLAS", GIMMIK: "GiMMiK",
            OURS: "ours", SPECIALISED: "specialised"}
FAMILIES = ("rows", "panel", "dense", "wide", "tiled", "window", "bcsr")
VALUE_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2}


def table(headings, rows):
    lines = ["| " + " | ".join(headings) + " |", "| " + " | ".join(["---:"] * len(headings)) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def digits(value):
    """Formats a number with three significant digits, or as an integer from 100 on."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def rows_of_device(path, device):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    device = device or (rows[-1].get("device", "") if rows else "")
    return [row for row in rows if device in row.get("device", "")]


def read_times(path, device, wanted):
    """Returns {(matrix, n): {method: fastest row}}; the algorithms of a library are one method."""
    cases = {}
    for row in rows_of_device(path, device):
        case = row["matrix"], int(row["n"])
        if wanted and case[1] not in wanted:
            continue
        method = VENDOR if row["method"].startswith(VENDOR) else row["method"]
        row["ms"] = float(row["cold_ms"]) if row["verdict"] == "right" else math.inf
        kept = cases.setdefault(case, {}).get(method)
        if kept is None or row["ms"] < kept["ms"]:
            cases[case][method] = row
    return cases


def known_methods(cases):
    return {method for methods in cases.values() for method in methods}


def time_of(row):
    if row is None:
        return ""
    return digits(1e3 * row["ms"]) if row["ms"] < math.inf else row["verdict"]


def best_of(methods):
    return min(methods[m]["ms"] for m in (OURS, SPECIALISED) if m in methods)


def ratio(methods, method):
    """Returns the time of a method divided by the time of our best method; 0 if one of them is not known."""
    if method not in methods or not any(m in methods for m in (OURS, SPECIALISED)):
        return 0.0
    theirs, best = methods[method]["ms"], best_of(methods)
    return theirs / best if theirs < math.inf and best < math.inf else 0.0


def name_of(case, methods):
    first = next(iter(methods.values()))
    return [case[0], f"{int(first['rows']):,}", f"{int(first['nnz']):,}"]


def mean_line(name, values):
    """Returns a line with geometric mean, minimum and maximum of ratios; an empty string if there are none."""
    if not values:
        return ""
    mean = math.exp(sum(map(math.log, values)) / len(values))
    return f"{name}: geometric mean {mean:.2f} of {len(values)}, {min(values):.2f} to {max(values):.2f}."


def print_times(cases):
    rivals = [m for m in (NAIVE, COALESCED, VENDOR, DENSE, GIMMIK) if m in known_methods(cases)]
    shown = [m for m in HEADINGS if m in known_methods(cases)]
    print("Cold times of a product in us, and how many times our best one that is.\n")
    rows = []
    for case, methods in cases.items():
        row = name_of(case, methods) + [f"{case[1]:,}"] + [time_of(methods.get(m)) for m in shown]
        rows.append(row + [f"{ratio(methods, m):.2f}" if ratio(methods, m) else "" for m in rivals])
    headings = [*(HEADINGS[m] for m in shown), *(HEADINGS[m] + " / best" for m in rivals)]
    print(table(["matrix", "rows", "nonzeros", "n", *headings], rows))
    for method in rivals:
        known = [r for r in (ratio(methods, method) for methods in cases.values()) if r]
        if known:
            print(mean_line(f"{HEADINGS[method]} / our best", known))
    print()


def print_families(cases):
    """Prints the times of families, for the cases in which at least two families were forced."""
    forced = {case: {f: methods[f"ours-{f}"] for f in FAMILIES if f"ours-{f}" in methods}
              for case, methods in cases.items() if OURS in methods}
    forced = {case: of for case, of in forced.items() if len(of) > 1}
    if not forced:
        return
    print("Cold times of a product in us by family. Choice: the family that the plan has chosen, and its time over that of "
          "the fastest family; at last the time of that family over the fastest of all columns.\n")
    rows, losses, gaps = [], [], []
    for case, of in forced.items():
        methods = cases[case]
        best = min(row["ms"] for row in of.values())
        beside = [methods.get(m) for m in (SPECIALISED, DENSE, GIMMIK)]
        losses.append(max(methods[OURS]["ms"] / best, 1))
        gaps.append(best / min([best, *(row["ms"] for row in beside if row)]))
        choice = methods[OURS]["kernel"].split("/")[1]
        rows.append([*name_of(case, methods), f"{case[1]:,}", *(time_of(of.get(f)) for f in FAMILIES),
                     *map(time_of, beside), choice, f"{losses[-1]:.2f}", f"{gaps[-1]:.2f}"])
    headings = [*FAMILIES, HEADINGS[SPECIALISED], HEADINGS[DENSE], HEADINGS[GIMMIK], "choice", "choice / best", "best / all"]
    print(table(["matrix", "rows", "nonzeros", "n", *headings], rows))
    for name, values in (("Choice / best family", losses), ("Best family / fastest of all", gaps)):
        print(mean_line(name, values))
    print()


def print_memory(cases):
    """Prints memory and set-up times, for the first n of each matrix."""
    shown = [m for m in HEADINGS if m != COALESCED and m in known_methods(cases)]
    firsts = {}
    for case, methods in cases.items():
        firsts.setdefault(case[0], (case, methods))
    print("Memory of the GPU in MB: A and what belongs to it; B and C are beside that, the same for all.\n")
    rows = []
    for case, methods in firsts.values():
        first = next(iter(methods.values()))
        dense = 2 * VALUE_BYTES[first["type"]] * int(first["rows"]) * case[1]  # as if A were square
        row = [f"{case[1]:,}"] + [digits(1e-6 * int(methods[m]["held_bytes"])) if m in methods else "" for m in shown]
        rows.append(name_of(case, methods) + row + [digits(1e-6 * dense)])
    print(table(["matrix", "rows", "nonzeros", "n", *(HEADINGS[m] for m in shown), "B and C"], rows))
    print("Time in ms to make it ready, and of the host in us for one call (in brackets); specialised, compiled: "
          "the first time.\n")
    rows = []
    for case, methods in firsts.values():
        row = [f"{float(methods[m]['setup_ms']):.2f} ({float(methods[m]['host_us']):.1f})" if m in methods else ""
               for m in shown]
        compiled = f"{float(methods[SPECIALISED]['first_ms']):.0f}" if SPECIALISED in methods else ""
        inspect = f"{float(methods[OURS]['inspect_ms']):.2f}" if OURS in methods else ""
        rows.append(name_of(case, methods) + row + [compiled, inspect])
    print(table(["matrix", "rows", "nonzeros", *(HEADINGS[m] for m in shown), "specialised, compiled", "inspection"],
                rows))


def print_calls(path, device):
    print("Calls of CUDA's driver: to make it ready (that take or ask for memory + copies and fills), for one product, "
          "to end it.\n")
    rows = []
    for row in rows_of_device(path, device):
        rows.append([f"{int(row['rows']):,}", f"{float(row['percent']):g} %", f"{int(row['n']):,}", row["method"],
                     f"{row['setup_calls']} ({row['setup_memory']} + {row['setup_copies']})", row["product_calls"],
                     row["end_calls"]])
    print(table(["rows", "stored", "n", "method", "ready", "product", "end"], rows))


def main(arguments):
    if arguments == ["--help"]:
        print(__doc__)
        return 0
    device = arguments[1] if arguments[:1] == ["--device"] and len(arguments) > 1 else ""
    arguments = arguments[2:] if device else arguments
    files = [a for a in arguments if a.endswith(".csv")]
    columns = {int(n) for a in arguments if a not in files for n in a.split(",")}
    if not files:
        print(__doc__, file=sys.stderr)
        return 2
    cases = read_times(files[0], device, columns)
    print_times(cases)
    print_families(cases)
    print_memory(cases)
    if len(files) > 1 and os.path.exists(files[1]):
        print_calls(files[1], device)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
