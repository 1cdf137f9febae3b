#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/bench/bench_cpu.py on functions that only sleep: each order of the libraries has equally many turns, whenever the time
ends. NumPy and SciPy, which it needs for other things, may be missing here."""
import collections
import os
import sys
import time
import types

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
sys.modules.update(numpy=types.SimpleNamespace(float32=None, float64=None), scipy=types.SimpleNamespace(sparse=None))
sys.modules["scipy.sparse"] = types.SimpleNamespace()
import bench_cpu  # noqa: E402


def turns(names, seconds):
    """The orders in which the functions of these names ran, with how often, but for the warm-up."""
    calls = []

    def run_of(name):
        return lambda: (calls.append(name), time.sleep(0.0002))
    bench_cpu.times({name: run_of(name) for name in names}, seconds, lambda: None)
    size = len(names)
    return collections.Counter(tuple(calls[i:i + size]) for i in range(size, len(calls), size))


def main():
    for seconds in (0, 0.012, 0.017, 0.023):
        three, two = turns(("spmm", "mkl-csr", "scipy"), seconds), turns(("spmm", "scipy"), seconds)
        if len(three) != 6 or len(set(three.values())) != 1 or min(three.values()) < 2 or sum(two.values()) < 12:
            sys.exit(f"test_bench_turns: expected six orders, equally often, found {three} and {two} in {seconds} s")


main()
