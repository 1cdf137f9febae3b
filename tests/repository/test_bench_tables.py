#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that docs/families_bench.csv has each product of a commit once: a second run must replace the rows of the
first. Older tables have repeated runs, of which tools/dev/fit_model uses the median."""
import csv
import os
import sys

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "families_bench.csv")
KEY = ("commit", "device", "matrix", "n", "layout", "dtype", "op", "kernel")


def main():
    seen, twice = set(), []
    with open(TABLE, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = tuple(row[name] for name in KEY)
            if key in seen:
                twice.append(",".join(key))
            seen.add(key)
    if twice:
        sys.exit(f"test_bench_tables: {len(twice)} rows of docs/families_bench.csv are there twice:\n" + "\n".join(twice[:10]))


main()
