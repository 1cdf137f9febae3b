#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests tools/dev/mutate with a tiny project: it reports only the check whose absence no test notices."""
import os
import pathlib
import subprocess
import sys
import tempfile

MUTATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "dev", "mutate")
FILES = {
    "CMakeLists.txt": '''cmake_minimum_required(VERSION 3.25)
project(tiny LANGUAGES C CXX)
enable_testing()
add_executable(test_tiny tiny.c tiny.cc test_tiny.c)
add_test(NAME test_tiny COMMAND test_tiny)
''',
    "tiny.h": '''static inline int is_low(int a)
{
    return a < 4;
}
''',
    "tiny.cc": '''#include "tiny.h"
int fails_as_cxx(int a)
{
    return !is_low(a);
}
''',
    "tiny.c": '''#include "tiny.h"
static int is_in(int a, int b)
{
    return a >= 0 && (a < b || b == -1);
}
int fails(int a, int b)
{
    if (a == 7 || !is_in(a, b)) /* 7 && 8 */
        return -1;
    return 0;
}
int low(int a)
{
    return is_low(a);
}
''',
    "test_tiny.c": '''int fails(int a, int b);
int low(int a);
int main(void)
{
    return low(5) || fails(1, 2) || !fails(-1, 2) || fails(0, 2) || !fails(2, 2) || fails(3, -1) || !fails(3, 1);
}
''',
    "tools/dev/mutate_areas": "# sources\ntiny.c\n",
}
SEVEN = "tiny.c fails passes: a == 7"
MUTANTS = ["tiny.c:4 is_in passes: a >= 0", "tiny.c:4 is_in bound: a >= 0", "tiny.c:4 is_in passes: a < b || b == -1",
           "tiny.c:4 is_in bound: a < b", "tiny.c:8 fails passes: a == 7", "tiny.c:8 fails passes: !is_in(a, b)"]


def mutate(root, accepted="", *options):
    (root / "tools/dev/mutate_accepted").write_text(accepted, encoding="utf-8")
    result = subprocess.run([MUTATE, "--root", root, "-j", "2", *options], check=False, capture_output=True, text=True)
    return result.returncode, result.stdout.splitlines()


def cases(root):
    '''Yields one sentence for each difference from the expected output.'''
    status, lines = mutate(root, "", "--list")
    if status != 0 or [line.partition(" ")[2] for line in lines] != MUTANTS:
        yield f"the mutants are {lines}"
    status, lines = mutate(root)
    if status != 1 or len(lines) != 2 or not lines[0].endswith("fails passes: a == 7: no test fails it"):
        yield f"the check of 7 survives, found {lines}"
    if lines[-1:] != ["scorecard: E9 5 of 6 noticed by tests, 0 accepted as redundant"]:
        yield f"the score is wrong: {lines}"
    status, lines = mutate(root, f"# nobody passes 7\n{SEVEN}\n")
    if status != 0 or lines != ["scorecard: E9 5 of 5 noticed by tests, 1 accepted as redundant"]:
        yield f"an accepted mutant is not wrong, found {lines}"
    status, lines = mutate(root, f"{SEVEN}\n", "--only", "tiny.c:4")
    if status != 0 or lines != ["4 of 4 noticed by tests, 0 accepted as redundant"]:
        yield f"a part of the checks is no score, found {lines}"
    status, lines = mutate(root, f"{SEVEN}\n", "--files", "none.c,*.h")
    if status != 1 or lines != ["2 tiny.h:3 is_low bound: a < 4: no test fails it",
                                "1 of 2 noticed by tests, 0 accepted as redundant"]:
        yield f"a header outside the areas has one mutant that nobody notices, found {lines}"
    status, lines = mutate(root, f"{SEVEN}\ntiny.c is_in bound: a < b\ntiny.c is_in passes: a < 3\n")
    if status != 1 or "accepted as redundant, but test_tiny notices it" not in lines[0] or "no such mutant" not in lines[1]:
        yield f"what is accepted must survive and be there, found {lines}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        subprocess.run(["git", "init", "-q", root], check=True)
        for name, text in FILES.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        (root / ".gitignore").write_text("build/\n", encoding="utf-8")
        wrong = list(cases(root))
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
