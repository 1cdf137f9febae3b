#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables in Markdown of what specialised_bench printed.

usage: paper_tables.py TIMES.csv [CALLS.csv] [N,N..]

TIMES are its rows, CALLS those of --calls (none: no such table), N the columns of B to show (all). Of cuSPARSE's
algorithms and of GiMMiK's kernels the fastest right one of a case counts, for its memory too. A wrong product has its
verdict for a time."""
import csv
import math
import os
import sys

NAIVE, COALESCED, OURS, SPECIALISED, VENDOR = "naive", "naive-coalesced", "ours", "ours-specialised", "cusparse"
GIMMIK = "gimmik"
HEADINGS = {NAIVE: "naive", COALESCED: "naive, coalesced", VENDOR: "cuSPARSE", GIMMIK: "GiMMiK", OURS: "ours",
            SPECIALISED: "specialised"}
VALUE_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2}


def table(headings, rows):
    lines = ["| " + " | ".join(headings) + " |", "| " + " | ".join(["---:"] * len(headings)) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def digits(value):
    """Three digits, at most as many as there are before the point."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def read_times(path, wanted):
    """(rows, percent, n) -> method -> row, the fastest of cuSPARSE as one method."""
    cases = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            case = int(row["rows"]), float(row["percent"]), int(row["n"])
            if wanted and case[2] not in wanted:
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
    """Time of a method over our best one; 0: not known."""
    if method not in methods or not any(m in methods for m in (OURS, SPECIALISED)):
        return 0.0
    theirs, best = methods[method]["ms"], best_of(methods)
    return theirs / best if theirs < math.inf and best < math.inf else 0.0


def name_of(case, methods):
    nonzeros = int(next(iter(methods.values()))["nnz"])
    return [f"{case[0]:,}", f"{case[1]:g} %", f"{nonzeros:,}"]


def print_times(cases):
    rivals = [m for m in (NAIVE, COALESCED, VENDOR, GIMMIK) if m in known_methods(cases)]
    shown = [m for m in HEADINGS if m in known_methods(cases)]
    print("Cold times of a product in us, and how many times our best one that is.\n")
    rows = []
    for case, methods in cases.items():
        row = name_of(case, methods) + [f"{case[2]:,}"] + [time_of(methods.get(m)) for m in shown]
        rows.append(row + [f"{ratio(methods, m):.2f}" if ratio(methods, m) else "" for m in rivals])
    print(table(["rows", "stored", "nonzeros", "n", *(HEADINGS[m] for m in shown), *(HEADINGS[m] + " / best" for m in rivals)],
                rows))
    for method in rivals:
        known = [r for r in (ratio(methods, method) for methods in cases.values()) if r]
        if known:
            mean = math.exp(sum(map(math.log, known)) / len(known))
            print(f"{HEADINGS[method]} / our best: geometric mean {mean:.2f} of {len(known)}, "
                  f"{min(known):.2f} to {max(known):.2f}.")
    print()


def print_memory(cases):
    """The first n of each matrix."""
    shown = [m for m in HEADINGS if m != COALESCED and m in known_methods(cases)]
    firsts = {}
    for case, methods in cases.items():
        firsts.setdefault(case[:2], (case, methods))
    print("Memory of the GPU in MB: A and what belongs to it; B and C are beside that, the same for all.\n")
    rows = []
    for case, methods in firsts.values():
        dense = 2 * VALUE_BYTES[next(iter(methods.values())).get("type") or "f32"] * case[0] * case[2]
        row = [f"{case[2]:,}"] + [digits(1e-6 * int(methods[m]["held_bytes"])) if m in methods else "" for m in shown]
        rows.append(name_of(case, methods) + row + [digits(1e-6 * dense)])
    print(table(["rows", "stored", "nonzeros", "n", *(HEADINGS[m] for m in shown), "B and C"], rows))
    print("Time in ms to make it ready, and of the host in us for one call (in brackets); specialised, compiled: "
          "the first time.\n")
    rows = []
    for case, methods in firsts.values():
        row = [f"{float(methods[m]['setup_ms']):.2f} ({float(methods[m]['host_us']):.1f})" if m in methods else ""
               for m in shown]
        compiled = f"{float(methods[SPECIALISED]['first_ms']):.0f}" if SPECIALISED in methods else ""
        inspect = f"{float(methods[OURS]['inspect_ms']):.2f}" if OURS in methods else ""
        rows.append(name_of(case, methods) + row + [compiled, inspect])
    print(table(["rows", "stored", "nonzeros", *(HEADINGS[m] for m in shown), "specialised, compiled", "inspection"],
                rows))


def print_calls(path):
    print("Calls of CUDA's driver: to make it ready (that take or ask for memory + copies and fills), for one product, "
          "to end it.\n")
    rows = []
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows.append([f"{int(row['rows']):,}", f"{float(row['percent']):g} %", f"{int(row['n']):,}", row["method"],
                         f"{row['setup_calls']} ({row['setup_memory']} + {row['setup_copies']})", row["product_calls"],
                         row["end_calls"]])
    print(table(["rows", "stored", "n", "method", "ready", "product", "end"], rows))


def main(arguments):
    if arguments == ["--help"]:
        print(__doc__)
        return 0
    files = [a for a in arguments if a.endswith(".csv")]
    columns = {int(n) for a in arguments if a not in files for n in a.split(",")}
    if not files:
        print(__doc__, file=sys.stderr)
        return 2
    cases = read_times(files[0], columns)
    print_times(cases)
    print_memory(cases)
    if len(files) > 1 and os.path.exists(files[1]):
        print_calls(files[1])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
