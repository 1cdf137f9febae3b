#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that tools/dev/measure_code finds the functions in a text, and their lengths."""
import importlib.machinery
import importlib.util
import os
import sys

sys.dont_write_bytecode = True
TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "dev", "measure_code")
loader = importlib.machinery.SourceFileLoader("measure_code", TOOL)
measure = importlib.util.module_from_spec(importlib.util.spec_from_loader("measure_code", loader))
loader.exec_module(measure)

CASES = [  # a text, and (name, first line, number of lines) of each function in it
    ("int f(void)\n{\n    return 1;\n}\n", [("f", 1, 4)]),
    ("static int\n    *g(int a,\n       int (*b)(int))\n{\n    if (a) {\n        b(1);\n    }\n}\n", [("g", 2, 7)]),
    ("struct s {\n    int x;\n};\nstatic const int t[] = {1,\n 2};\nenum { A };\n", []),
    ("void f(void)\n{\n    /* } */ puts(\"}\"); // }\n    x = '}';\n}\n", [("f", 1, 5)]),
    ("#define M(x) \\\n    { x }\nvoid f(void)\n{\n}\n", [("f", 3, 3)]),
    ("namespace n {\nstruct T {\n    T(int a) : x(a)\n    {\n    }\n    int get() const { return x; }\n};\n}\n",
     [("T", 3, 3), ("get", 6, 1)]),
    ("template <int N>\n__global__ void __launch_bounds__(256, 2)\n    kernel(int a)\n{\n    auto l = [&](int b) {\n"
     "        return b;\n    };\n}\n", [("kernel", 3, 6)]),
]


def main():
    wrong = [f"{text!r}: expected {expected}, found {found}" for text, expected in CASES
             if (found := list(measure.functions_of(text))) != expected]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
