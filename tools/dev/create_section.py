# SPDX-License-Identifier: Apache-2.0
"""Writes the section of docs/performance.md on the creation times of executors, from docs/create_results.csv."""
import csv
import os
import statistics
import textwrap

RESULTS = "docs/create_results.csv"
BUILD = "[0070](decisions/0070-uploads-through-pinned-slots.md)"
SHOWN = {"create": "create", "load": "load of a plan file", "load_and_create": "load and create"}
SMALL = ("small_malloc", "small_pool", "small_caller")


def read(root):
    path = os.path.join(root, RESULTS)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cell(rows, commits, matrix, what, scale=1):
    """Returns the median time of each commit, in the given order, multiplied by scale; "-" if there is none."""
    times = [[float(row["ms"]) * scale for row in rows if (row["commit"], row["matrix"], row["what"]) == (commit, matrix, what)]
             for commit in commits]
    medians = [statistics.median(some) if some else None for some in times]
    return ", ".join("-" if ms is None else f"{ms:,.0f}" if ms >= 1000 else f"{ms:.3g}" for ms in medians)


def small_sentence(rows):
    """Returns a sentence on small executors that are repeatedly created and destroyed, for the last measured commit."""
    rows = [row for row in rows if row["what"] in SMALL]
    commits = [row["commit"] for row in rows[-1:]]
    matrices = list(dict.fromkeys(row["matrix"] for row in rows if row["commit"] in commits))
    times = [f"{name} {', '.join(cell(rows, commits, name, what, 1000) for what in SMALL)}" for name in matrices]
    if not times:
        return ""
    return (" To create and destroy a small executor again and again (--small) takes, in us, with memory from cudaMalloc (the default), "
            f"from the pool, and from an allocator of the caller: {'; '.join(times)} (commit {commits[0]}).")


def section(root, table):
    """Returns the section for the last measured device, with its last commit and the commit before, if any."""
    every = read(root)
    rows = [row for row in every if row["what"] not in SMALL]
    if not rows:
        return ""
    last = rows[-1]
    rows = [row for row in rows if row["device"] == last["device"]]
    commits = list(dict.fromkeys(row["commit"] for row in rows))[-2:]
    matrices = list(dict.fromkeys(row["matrix"] for row in rows if row["matrix"]))
    megabytes = {row["matrix"]: f"{float(row['device_bytes']) * 1e-6:.0f}" for row in rows}
    pool = [float(row["ms"]) * 1e3 for row in rows if row["what"] == "pool_take_and_free"]
    lines = [[text, *(cell(rows, commits, name, what) for name in matrices)] for what, text in SHOWN.items()]
    before = f", after those of commit {commits[0]}, built as {BUILD} describes" if len(commits) > 1 else ""
    text = (f"**Making an executor**: {last['device']}, {last['date']}, commit {last['commit']}, f32, n = 64: ms{before}, medians of seven "
            f"(tests/bench/create_times.c). Taking 1 MiB from the library's memory pool and returning it takes {pool[-1]:.2g} us.")
    text += small_sentence([row for row in every if row["device"] == last["device"]])
    head = ["", *(f"{name} ({megabytes[name]} MB)" for name in matrices)]
    return f"\n{textwrap.fill(text, 120)}\n\n{table(head, lines)}\n"
