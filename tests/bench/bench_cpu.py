#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares products on the CPU with oneMKL's inspector-executor and SciPy, in one process.

usage: bench_cpu.py --lib FOLDER [--mkl FILE] [--csv FILE] [--commit ID] [-n LIST] [--seconds S] [--no-scipy] MATRIX...

The libraries compute the same product in turns, so that disturbances of the machine affect all of them. A time is the
median of at least 12 turns, which take at least S seconds (0.3). The order of the libraries changes: waiting threads
fall asleep while SciPy computes on one thread, and the next library has to wake them. Each order gets equally many
turns. oneMKL optimises for the shape (mkl_sparse_set_mm_hint) before the timing, and uses the same OpenMP runtime as
spmm. SciPy has no column-major product: it gets the array in the layout of the case. Warm calls follow the previous
call directly; cold calls follow a pass over 64 MB, twice the cache that eight cores of an EPYC share. A row for each
case and peer is appended to the CSV file after each matrix. Fails if a product of spmm exceeds its error bound.
"""
import argparse
import csv
import ctypes
import datetime
import itertools
import math
import os
import statistics
import sys
import time

import numpy
import scipy.sparse

COLUMNS = ("date,commit,device,matrix,rows,cols,nnz,n,layout,dtype,op,family,kernel,chosen,ms_cold,ms_warm,gflops,"
           "error_ratio,peer,peer_ms_cold,peer_ms_warm,ratio_cold,inspect_s,plan_bytes,compute,ms_set_values,"
           "peer_least_ms_warm,bound_us,bound_share,b_type,c_type,unit_values,"
           "device_bytes,workspace_bytes,peer_device_bytes,peer_workspace_bytes").split(",")
TURNS_LEAST, TURNS_MOST = 12, 1000  # at least two turns for each of six orders; up to five more end the last round
MKL, SCIPY = "mkl-csr", "scipy"  # names of the peers in the CSV file; spmm-bench has the same name for oneMKL
DTYPES = {"f32": (1, numpy.float32, 2.0 ** -24, "s", ctypes.c_float), "f64": (2, numpy.float64, 2.0 ** -53, "d", ctypes.c_double)}
pointer, int64 = ctypes.c_void_p, ctypes.c_int64
DEVICE_CPU = -1


class Csr(ctypes.Structure):
    _fields_ = [("rows", int64), ("cols", int64), ("nnz", int64), ("row_ptr_type", ctypes.c_int),
                ("col_ind_type", ctypes.c_int), ("row_ptr", pointer), ("col_ind", pointer),
                ("value_type", ctypes.c_int), ("values", pointer)]


class Dense(ctypes.Structure):
    _fields_ = [("data", pointer), ("rows", int64), ("cols", int64), ("ld", int64), ("order", ctypes.c_int),
                ("type", ctypes.c_int)]


class InspectOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("a_type", ctypes.c_int), ("b_type", ctypes.c_int),
                ("c_type", ctypes.c_int), ("sum_type", ctypes.c_int), ("compute", ctypes.c_int), ("n", pointer),
                ("n_count", ctypes.c_int), ("layouts", ctypes.c_uint32), ("ops", ctypes.c_uint32),
                ("device", ctypes.c_char_p), ("force_kernel", ctypes.c_char_p)]


class Scalar(ctypes.Structure):
    _fields_ = [("re", ctypes.c_double), ("im", ctypes.c_double)]


class Info(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("device", ctypes.c_int), ("device_name", ctypes.c_char * 64),
                ("host_bytes", ctypes.c_uint64), ("device_bytes", ctypes.c_uint64), ("kernel", ctypes.c_char * 64),
                ("fallback", ctypes.c_int), ("note", ctypes.c_char * 160)]


class Descr(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("mode", ctypes.c_int), ("diag", ctypes.c_int)]


def address(array):
    return array.ctypes.data_as(pointer)


def must(status, what):
    if status != 0:
        sys.exit(f"bench_cpu: {what} failed with status {status}")


class Matrix:
    """Holds a dense matrix without padding in either layout, as a NumPy array and as the struct of spmm."""

    def __init__(self, rows, cols, layout, kind, seed=None):
        self.rows, self.cols, self.layout = rows, cols, layout
        self.ld = cols if layout == "row" else rows
        fill = numpy.zeros if seed is None else numpy.random.default_rng(seed).random
        self.array = (fill((rows, cols)) - (0 if seed is None else 0.5)).astype(kind, order="C" if layout == "row" else "F")
        self.data = self.array.ctypes.data_as(pointer)
        self.view = Dense(self.data, rows, cols, self.ld, layout == "col", 1 if kind is numpy.float32 else 2)


class Spmm:
    """Calls the public functions of the libraries of spmm."""

    def __init__(self, folder):
        self.format = ctypes.CDLL(os.path.join(folder, "libspmm_format.so"), mode=ctypes.RTLD_GLOBAL)
        self.inspector = ctypes.CDLL(os.path.join(folder, "libspmm_inspector.so"))
        self.executor = ctypes.CDLL(os.path.join(folder, "libspmm_executor.so"))

    def load(self, path):
        matrix, view = pointer(), Csr()
        if path.startswith("gen:"):
            must(self.inspector.spmm_matrix_generate(path.encode(), ctypes.byref(matrix), None), path)
        else:
            must(self.inspector.spmm_matrix_load(path.encode(), None, ctypes.byref(matrix), None), path)
        must(self.inspector.spmm_matrix_csr(matrix, ctypes.byref(view)), path)

        def copy(at, count, kind):
            if not at:
                return numpy.ones(count, kind)
            return numpy.frombuffer((ctypes.c_char * (count * numpy.dtype(kind).itemsize)).from_address(at), kind).copy()
        return matrix, scipy.sparse.csr_matrix(
            (copy(view.values, view.nnz, numpy.float64), copy(view.col_ind, view.nnz, numpy.int32),
             copy(view.row_ptr, view.rows + 1, numpy.int64).astype(numpy.int32)), (view.rows, view.cols))

    def executor_make(self, matrix, dtype):
        """Returns (executor, seconds of the inspection, bytes of the plan file)."""
        options, plan = InspectOptions(struct_size=ctypes.sizeof(InspectOptions), a_type=dtype), pointer()
        begin = time.perf_counter()
        must(self.inspector.spmm_inspect(matrix, ctypes.byref(options), ctypes.byref(plan), None), "spmm_inspect")
        seconds = time.perf_counter() - begin
        file, size = pointer(), ctypes.c_size_t()
        must(self.format.spmm_plan_write(plan, None, ctypes.byref(file), ctypes.byref(size), None), "spmm_plan_write")
        self.format.spmm_plan_bytes_free(file)
        executor = pointer()
        must(self.executor.spmm_executor_create(plan, DEVICE_CPU, None, ctypes.byref(executor), None), "create")
        self.format.spmm_plan_destroy(plan)
        return executor, seconds, size.value

    def product(self, executor, b, c):
        """Returns a function that runs C = A B, and the info of the executor, with the kernel's name."""
        views = ctypes.byref(b.view), ctypes.byref(c.view)
        size, info = ctypes.c_uint64(), Info(struct_size=ctypes.sizeof(Info))
        must(self.executor.spmm_executor_workspace_bytes(executor, 0, *views, ctypes.byref(size), None), "workspace_bytes")
        must(self.executor.spmm_executor_info(executor, 0, *views, ctypes.byref(info), None), "info")
        block = numpy.zeros(size.value + 256, numpy.uint8)
        workspace = pointer(block.ctypes.data + -block.ctypes.data % 256)

        def run(kept=block):
            must(self.executor.spmm_execute(executor, 0, Scalar(1, 0), views[0], Scalar(0, 0), views[1], workspace, size,
                                            None, None), "spmm_execute")
        return run, info


class Mkl:
    """Calls oneMKL's inspector-executor with 32-bit indices."""
    GENERAL, NO_TRANSPOSE, ROW_MAJOR, COL_MAJOR, THREADING_GNU = 20, 10, 101, 102, 3

    def __init__(self, path):
        self.dll = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        self.dll.MKL_Set_Threading_Layer(self.THREADING_GNU)
        self.dll.MKL_Set_Dynamic(0)

    def product(self, a, letter, scalar, b, c):
        """Returns a function that runs C = A B, and a function that frees its handle."""
        handle, description = pointer(), Descr(self.GENERAL, 40, 50)
        layout = self.ROW_MAJOR if b.layout == "row" else self.COL_MAJOR
        create, mm = (getattr(self.dll, f"mkl_sparse_{letter}_{verb}") for verb in ("create_csr", "mm"))
        starts = a.indptr.ctypes.data
        must(create(ctypes.byref(handle), 0, *a.shape, pointer(starts), pointer(starts + 4),
                    a.indices.ctypes.data_as(pointer), a.data.ctypes.data_as(pointer)), "mkl_sparse_create_csr")
        must(self.dll.mkl_sparse_set_mm_hint(handle, self.NO_TRANSPOSE, description, layout, b.cols, 1000), "hint")
        must(self.dll.mkl_sparse_optimize(handle), "mkl_sparse_optimize")

        def run():
            must(mm(self.NO_TRANSPOSE, scalar(1), handle, description, layout, b.data, b.cols, ctypes.c_int(b.ld),
                    scalar(0), c.data, ctypes.c_int(c.ld)), "mkl_sparse_mm")
        return run, lambda: self.dll.mkl_sparse_destroy(handle)


def turn_orders(names):
    """Returns the orders of up to three names: for three, six in which each name follows each other equally often."""
    if len(names) < 3:
        return [names]
    return [tuple(names[i] for i in order) for order in ((0, 1, 2), (0, 2, 1), (2, 1, 0), (1, 0, 2), (1, 2, 0), (2, 0, 1))]


def times(runs, seconds, before):
    """Returns the median times in ms of functions that run in turns, after a warm-up with the last order. before: runs
    before each call."""
    taken = {name: [] for name in runs}
    orders = turn_orders(tuple(runs))
    for name in orders[-1]:
        runs[name]()
    turns = itertools.cycle(orders)
    begin = time.perf_counter()
    for done, order in enumerate(turns):
        if done >= TURNS_LEAST and done % len(orders) == 0 and (time.perf_counter() - begin >= seconds or done >= TURNS_MOST):
            break
        for name in order:
            before()
            start = time.perf_counter()
            runs[name]()
            taken[name].append((time.perf_counter() - start) * 1e3)
    return {name: statistics.median(values) for name, values in taken.items()}


def error_ratio(a, b, c, unit):
    """Returns the maximum of error / bound over up to 2,000 rows. The bound allows one rounding per nonzero; the
    reference for f64 is in long double."""
    wide = numpy.longdouble if unit < 1e-10 else numpy.float64
    sample = numpy.unique(numpy.linspace(0, a.shape[0] - 1, 2000).astype(numpy.int64))
    worst = 0.0
    for i in sample:
        at = slice(a.indptr[i], a.indptr[i + 1])
        terms = a.data[at].astype(wide)[:, None] * b.array[a.indices[at]].astype(wide)
        count = terms.shape[0]
        bound = count * unit / (1 - count * unit) * numpy.abs(terms).sum(0) + count * (2.0 ** -149 if unit > 1e-10 else 5e-324)
        error = numpy.abs(c.array[i].astype(wide) - terms.sum(0))
        ratio = numpy.where(error == 0, 0, error / numpy.where(bound == 0, 1e-300, bound)).max()
        worst = math.inf if math.isnan(ratio) else max(worst, float(ratio))
    return worst


def case_rows(spmm, mkl, name, a, made, dtype, layout, n, options):
    number, kind, unit, letter, scalar = DTYPES[dtype]
    executor, inspect_s, plan_bytes = made
    b = Matrix(a.shape[1], n, layout, kind, seed=n)
    c = {peer: Matrix(a.shape[0], n, layout, kind) for peer in ("spmm", MKL)}
    ours, info = spmm.product(executor, b, c["spmm"])
    runs, release = {"spmm": ours}, lambda: None
    if mkl:
        runs[MKL], release = mkl.product(a, letter, scalar, b, c[MKL])

    def scipy_run():
        _ = a @ b.array
    if not options.no_scipy:
        runs[SCIPY] = scipy_run
    flush = numpy.zeros(1 << 23)
    cold = times(runs, options.seconds, lambda: flush.__iadd__(1))
    warm = times(runs, options.seconds, lambda: None)
    release()
    ratio = error_ratio(a, b, c["spmm"], unit)
    kernel = info.kernel.decode()
    flops = 2.0 * a.nnz * n
    for peer in [peer for peer in runs if peer != "spmm"]:
        yield dict(zip(COLUMNS, (
            datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), options.commit, info.device_name.decode(), name,
            *a.shape, a.nnz, n, layout, dtype, "N", kernel.split("/")[1], kernel, 1, f"{cold['spmm']:.6g}",
            f"{warm['spmm']:.6g}", f"{flops / cold['spmm'] / 1e6:.4g}", f"{ratio:.3g}", peer, f"{cold[peer]:.6g}",
            f"{warm[peer]:.6g}", f"{cold[peer] / cold['spmm']:.4g}", f"{inspect_s:.6g}", plan_bytes, dtype, "",
            f"{warm[peer]:.6g}", "", "", dtype, dtype, 0, "", "", "", "")))


def report(rows):
    """Prints geometric means of the time of each peer divided by the time of spmm."""
    for peer in sorted({row["peer"] for row in rows}):
        for warmth in ("cold", "warm"):
            for group in ["all", ("f32", "row"), ("f32", "col"), ("f64", "row"), ("f64", "col")]:
                ratios = [float(row[f"peer_ms_{warmth}"]) / float(row[f"ms_{warmth}"]) for row in rows
                          if row["peer"] == peer and (group == "all" or (row["dtype"], row["layout"]) == group)]
                if ratios:
                    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
                    label = group if group == "all" else "-".join(group)
                    print(f"{peer} {warmth} {label}: geometric mean {mean:.3f}, minimum {min(ratios):.2f}, cases {len(ratios)}")


def append(path, rows):
    is_new = not os.path.exists(path) or os.path.getsize(path) == 0
    with open(path, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--lib", required=True)
    parser.add_argument("--mkl")
    parser.add_argument("--csv")
    parser.add_argument("--commit", default="")
    parser.add_argument("-n", default="1,2,4,8,16,32,64,128")
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--no-scipy", action="store_true")
    parser.add_argument("matrices", nargs="+")
    options = parser.parse_args()
    spmm, mkl = Spmm(options.lib), Mkl(options.mkl) if options.mkl else None
    if os.getloadavg()[0] > 0.5:
        print(f"bench_cpu: others use this machine (load {os.getloadavg()[0]:.1f}); times will be rough", file=sys.stderr)
    rows = []
    for path in options.matrices:
        name = path if path.startswith("gen:") else os.path.basename(path).split(".mtx")[0].split(".smtx")[0]
        before = len(rows)
        matrix, a64 = spmm.load(path)
        for dtype, (number, kind, *_) in DTYPES.items():
            a, made = a64.astype(kind), spmm.executor_make(matrix, number)
            for layout in ("row", "col"):
                for n in map(int, options.n.split(",")):
                    for row in case_rows(spmm, mkl, name, a, made, dtype, layout, n, options):
                        rows.append(row)
                        print(*(row[key] for key in ("matrix", "dtype", "layout", "n", "peer", "ms_cold", "peer_ms_cold",
                                                     "ms_warm", "peer_ms_warm", "ratio_cold", "error_ratio")), flush=True)
            spmm.executor.spmm_executor_destroy(made[0])
        spmm.inspector.spmm_matrix_destroy(matrix)
        if options.csv:
            append(options.csv, rows[before:])
    report(rows)
    if any(not float(row["error_ratio"]) <= 1 for row in rows):
        sys.exit("bench_cpu: a product is over its error bound")


if __name__ == "__main__":
    main()
