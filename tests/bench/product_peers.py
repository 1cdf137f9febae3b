#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times sparse products of SciPy and oneMKL, for the columns of docs/product_results.csv that
tests/bench/bench_product.c does not write.

usage: product_peers.py --lib FOLDER [--mkl FILE] [-j THREADS] [-t] MATRIX...

Prints a line of CSV for A A of each matrix, or with -t for A A^T. A time is the minimum in ms of 9 runs, or of fewer if
they take 8 s: CPU time of the process for one thread, wall-clock time for several. scipy: A @ B, one thread, columns
unsorted. mkl_once: mkl_sparse_sp2m with SPARSE_STAGE_FULL_MULT, and sorting of the columns. mkl_values: recomputation
of the values for a known structure (SPARSE_STAGE_FINALIZE_MULT), columns unsorted.
"""
import argparse
import ctypes
import os
import sys
import time

import scipy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bench_cpu import Descr, Mkl, Spmm, must, pointer  # noqa: E402

TURNS, SECONDS = 9, 8.0
FULL_MULT, FINALIZE_MULT, FULL_MULT_NO_VALUES = 90, 92, 93
NO_TRANSPOSE, TRANSPOSE = 10, 11


def least(run, release, clock):
    """Returns the minimum time of run in ms, by clock; release, which is not timed, frees each result."""
    best, begin = float("inf"), time.perf_counter()
    for turn in range(TURNS):
        if turn > 1 and time.perf_counter() - begin > SECONDS:
            break
        start = clock()
        result = run()
        best = min(best, 1e3 * (clock() - start))
        release(result)
    return best


class Products:
    """Computes and times sparse products with oneMKL."""

    def __init__(self, path, threads):
        self.dll = Mkl(path).dll
        self.dll.MKL_Set_Num_Threads(threads)

    def handle(self, a):
        made, starts = pointer(), a.indptr.ctypes.data
        must(self.dll.mkl_sparse_d_create_csr(ctypes.byref(made), 0, *a.shape, pointer(starts), pointer(starts + 4),
                                              a.indices.ctypes.data_as(pointer), a.data.ctypes.data_as(pointer)), "create")
        return made

    def multiply(self, a, op, stage, c):
        general = Descr(Mkl.GENERAL, 40, 50)
        must(self.dll.mkl_sparse_sp2m(NO_TRANSPOSE, general, a, op, general, a, stage, ctypes.byref(c)), "sp2m")

    def times(self, matrix, op, clock):
        a = self.handle(matrix)

        def once():
            c = pointer()
            self.multiply(a, op, FULL_MULT, c)
            must(self.dll.mkl_sparse_order(c), "order")
            return c
        kept = pointer()
        self.multiply(a, op, FULL_MULT_NO_VALUES, kept)
        result = (least(once, self.dll.mkl_sparse_destroy, clock),
                  least(lambda: self.multiply(a, op, FINALIZE_MULT, kept), lambda result: None, clock))
        self.dll.mkl_sparse_destroy(kept)
        self.dll.mkl_sparse_destroy(a)
        return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lib", required=True)
    parser.add_argument("--mkl")
    parser.add_argument("-j", type=int, default=1)
    parser.add_argument("-t", action="store_true")
    parser.add_argument("matrices", nargs="+")
    options = parser.parse_args()
    clock = time.process_time if options.j == 1 else time.perf_counter
    spmm, mkl = Spmm(options.lib), Products(options.mkl, options.j) if options.mkl else None
    print("matrix,form,threads,scipy_ms,mkl_once_ms,mkl_values_ms")
    for path in options.matrices:
        _, a = spmm.load(path)
        b = a.T.tocsr() if options.t else a
        scipy_ms = least(lambda: a @ b, lambda c: None, clock)
        once, values = mkl.times(a, TRANSPOSE if options.t else NO_TRANSPOSE, clock) if mkl else (0, 0)
        print(f"{path},{'A A^T' if options.t else 'A A'},{options.j},{scipy_ms:.2f},{once:.2f},{values:.2f}", flush=True)


if __name__ == "__main__":
    print(f"SciPy {scipy.__version__}", file=sys.stderr)
    main()
