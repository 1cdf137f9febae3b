#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests tools/dev/plan_sizes with invented sizes: the lines have the values computed by hand, and a stale page and a
missing SciPy are reported."""
import os
import pathlib
import subprocess
import sys
import tempfile

SIZES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "dev", "plan_sizes")
CSV = """matrix,nonzeros,mtx_zst19_bytes,npz_bytes,plan_bytes,plan19_bytes,zstd,scipy
half,10,200,100,50,25,1,1
twice,10,100,300,200,100,1,1
"""
PAGE = "before\n<!-- sizes -->\nold\n<!-- /sizes -->\nafter\n"
LINES = ("level 3: geometric mean 1.00, above 1: 1, largest 2.00 (twice); "
         "level 19: geometric mean 0.50, above 1: 0, largest 1.00 (twice).")


def expect(condition, what):
    if not condition:
        sys.exit(f"test_plan_sizes: expected {what}")


def run(*arguments, **options):
    return subprocess.run([sys.executable, SIZES, *arguments], capture_output=True, text=True, check=False, **options)


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs" / "figures").mkdir(parents=True)
        (root / "docs" / "plan_sizes.csv").write_text(CSV, encoding="utf-8")
        page, picture = root / "docs" / "plan-format.md", root / "docs" / "figures" / "plan_sizes.svg"
        page.write_text(PAGE, encoding="utf-8")
        found = run("--check", folder)
        expect(found.returncode == 1 and "stale" in found.stderr, "a stale page to be reported")
        expect(page.read_text(encoding="utf-8") == PAGE and not picture.exists(), "--check to write nothing")
        expect(run(folder).returncode == 0, "pages to be written")
        text = page.read_text(encoding="utf-8")
        expect(text.startswith("before\n") and text.endswith("after\n") and "old" not in text, "the lines alone to change")
        expect(LINES in text.replace("\n", " "), f"means and largest ratios by hand, found {text}")
        svg = picture.read_text(encoding="utf-8")
        expect("twice, level 3: 2.000" in svg and svg.count("<circle") == 6, "a dot for each level and two of the legend")
        expect(svg.index("half, level 3") < svg.index("twice, level 3"), "ascending ratios")
        expect(run("--check", folder).returncode == 0, "a fresh page")
        (root / "scipy.py").write_text("raise ImportError", encoding="utf-8")
        blind = run("--measure", folder, folder, folder, env=dict(os.environ, PYTHONPATH=folder))
        expect(blind.returncode == 1 and "scipy is missing (Debian: python3-scipy" in blind.stderr, "a word about SciPy")
    print("sizes as expected")


if __name__ == "__main__":
    main()
