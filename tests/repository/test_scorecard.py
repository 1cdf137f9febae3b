#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests tools/dev/scorecard with invented logs: larger numbers are kept, executions of fuzz targets are summed, and
missed targets and stale pages are reported."""
import os
import subprocess
import sys
import tempfile

SCORECARD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "dev", "scorecard")
FIRST = "1: scorecard: E8 20000 kills, 0 torn plans\nscorecard: E9 9 of 10 noticed by tests\nno scorecard line\n"
SECOND = "scorecard: E8 7 kills, 0 torn plans\nscorecard: E17 0.5 of the bound\nscorecard: E3 5 flips, 0 accepted\n"
FUZZ = "stat::number_of_executed_units: %d\n"
EXPECTED = ("| E8 kills while a plan is written | 10,000 | 20,000 kills, 0 torn plans |",
            "1,500 in 1 programs |",
            "| E17 largest error beside its bound | at most 1 | 0.5 of the bound |")


def expect(condition, what):
    if not condition:
        sys.exit(f"test_scorecard: expected {what}")


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)
    return os.path.join(folder, name)


def run(folder, *arguments):
    return subprocess.run([sys.executable, SCORECARD, "--root", folder, *arguments], capture_output=True, text=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "docs"))
        write(folder, "README.md", "a\n<!-- reliability -->\nold\n<!-- /reliability -->\nb\n")
        for commit, logs in ("one", {"a.log": FIRST, "fuzz_plan.log": FUZZ % 1000}), ("two", {"b.log": SECOND, "fuzz_plan.log": FUZZ % 500}):
            taken = run(folder, "--take", *(write(folder, *log) for log in logs.items()), "--commit", commit)
            expect(taken.returncode == 0, f"--take to succeed, not {taken.stderr}")
        with open(os.path.join(folder, "docs", "reliability.md"), encoding="utf-8") as file:
            page = file.read()
        for text in EXPECTED:
            expect(text in page, f"{text!r} in the page:\n{page}")
        missed = page[page.index("Not measured"):].replace("\n", " ")
        expect("E9 (" in missed and "E4 (" in missed and "E8 (" not in missed and "E3 (" not in missed, "missed targets alone to be named")
        with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
            readme = file.read()
        expect(readme.startswith("a\n") and "20,000 kills" in readme and "old" not in readme and readme.endswith("b\n"), "README renewed")
        expect(run(folder, "--check").returncode == 0, "a fresh page to pass")
        write(os.path.join(folder, "docs"), "reliability.md", page + "more")
        expect("docs/reliability.md" in run(folder, "--check").stderr, "a stale page to be named")
        unknown = write(folder, "c.log", "scorecard: E99 1 thing\n")
        expect("E99" in run(folder, "--take", unknown, "--commit", "three").stderr, "an unknown metric to be named")


main()
