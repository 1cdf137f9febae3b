#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests with functions that only sleep that tests/bench/bench_cpu.py runs each order of the libraries equally often, no
matter when the time ends. Replaces NumPy and SciPy, which may be missing, by stubs."""
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
    """Returns {order of the names in a turn: number of turns}, without the warm-up."""
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
