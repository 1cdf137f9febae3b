#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles GiMMiK's kernels for specialised_bench. Needs no GPU.

usage: gimmik_kernels.py [--type f32|f64] [--arch CC] [--jobs N] [--max-density D] [--seconds S] PROGRAM FOLDER [CASE..]

PROGRAM is specialised_bench, which writes the matrices. A CASE is NAME:N[,N] as for specialised_bench; the default is
the cases of cases.txt with n >= 8192 and an operator or a random matrix with at most 190 rows. For each matrix and n,
nvcc and ptxas from PATH compile all kernels that GiMMiK's platforms CUDA and PTX offer for compute capability CC (90),
--jobs at a time (2). FOLDER gets the machine code and kernels_TYPE.txt, with one line per kernel: case, name, file,
blocks, threads (two numbers), sizes (baked or runtime), seconds to compile. Measure them with
specialised_bench --gimmik FOLDER --type TYPE CASE..

For f32, GiMMiK offers no kernels for matrices with many different values if more than 15 % of the entries are stored,
unless --max-density 1 is given. A kernel that cannot be compiled in S seconds (600) is reported and left out. Needs the
Python package gimmik. The source of generated kernels is not kept."""
import argparse
import collections
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import time

ENTRY_POINT = "gimmik_mm"
ROWS_MAX = 190
N_MIN = 8192  # operators are not run for fewer columns
Kernel = collections.namedtuple("Kernel", "case name file source platform blocks threads sizes")


def is_for_gimmik(name):
    """Returns whether a case has a small matrix: a random matrix with at most ROWS_MAX rows, or an operator."""
    first = name.split(":")[0]
    return int(first) <= ROWS_MAX if first.isdigit() else first != "gen"


def cases_of_file():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases.txt")
    cases = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, _, columns = line.strip().rpartition(":")
            wide = [n for n in columns.split(",") if int(n) >= N_MIN]
            if wide and is_for_gimmik(name):
                cases.append(f"{name}:{','.join(wide)}")
    return cases


def matrix_read(path, real):
    import numpy
    with open(path, encoding="ascii") as file:
        lines = [line.split() for line in file if not line.startswith("%")]
    dense = numpy.zeros((int(lines[0][0]), int(lines[0][1])), dtype=real)
    for row, column, value in lines[1:]:
        dense[int(row) - 1, int(column) - 1] = real(value)
    return dense


def kernels_of(case, matrix, n, real, options):
    """Yields the kernels that GiMMiK offers for one matrix and n, which a kernel may contain as a constant."""
    import gimmik
    capability = int(options.arch[:-1]), int(options.arch[-1])
    for platform, maker in (("cuda", gimmik.CUDAMatMul), ("ptx", gimmik.PTXMatMul)):
        product = maker(matrix, beta=0.0, aligne=32 if n % 32 == 0 else None, n=n, ldb=n, ldc=n)
        if options.max_density is not None:
            product.max_density = options.max_density
        offers = product.kernels(real, ENTRY_POINT, compute_capability=capability)
        for number, (source, about) in enumerate(offers):
            if about.get("dynamic_shared", 0) or about["grid"][1:] != (1, 1) or about["block"][2] != 1:
                print(f"{case}: {platform} kernel {number} is launched in another way; left out", file=sys.stderr)
                continue
            variant = about.get("variant") or f"{about['tplname']}-w{about['width']}"
            name = f"{case.replace(':', '_')}_{options.type}_{platform}{number}.cubin"
            yield Kernel(case, f"{platform}/{variant}"[:63], name, source, platform, about["grid"][0],
                         about["block"][:2], "runtime" if "n" in about["args"] else "baked")


def compile_one(kernel, options):
    """Compiles a kernel and returns the seconds; on failure prints the reason to stderr and returns None."""
    is_cuda = kernel.platform == "cuda"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.cu" if is_cuda else "kernel.ptx")
        with open(path, "w", encoding="utf-8") as file:
            # extern "C" keeps the name of the kernel unmangled, so that the driver finds it.
            file.write(kernel.source.replace("__global__ void", 'extern "C" __global__ void') if is_cuda
                       else kernel.source)
        arch = options.arch + ("a" if not is_cuda and f"sm_{options.arch}a" in kernel.source else "")
        command = ["nvcc", "-cubin"] if is_cuda else ["ptxas"]
        command += [f"-arch=sm_{arch}", "-o", os.path.join(options.folder, kernel.file), path]
        start = time.monotonic()
        try:
            subprocess.run(command, check=True, capture_output=True, text=True, timeout=options.seconds)
        except subprocess.TimeoutExpired:
            print(f"{kernel.case} {kernel.name}: compiles longer than {options.seconds:g} s", file=sys.stderr)
            return None
        except subprocess.CalledProcessError as error:
            print(f"{kernel.case} {kernel.name}: {error.stderr.strip()[:200]}", file=sys.stderr)
            return None
        return time.monotonic() - start


def all_kernels(options):
    import numpy
    real = {"f32": numpy.float32, "f64": numpy.float64}[options.type]
    for text in options.cases:
        name, _, columns = text.rpartition(":")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([options.program, "--type", options.type, "--write-matrices", folder, text], check=True)
            matrix = matrix_read(os.path.join(folder, os.listdir(folder)[0]), real)
        for n in columns.split(","):
            yield f"{name}:{n}", list(kernels_of(f"{name}:{n}", matrix, int(n), real, options))


def prepare(options):
    os.makedirs(options.folder, exist_ok=True)
    list_path = os.path.join(options.folder, f"kernels_{options.type}.txt")
    with open(list_path, "w", encoding="utf-8") as listed, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, kernels in all_kernels(options):
            times = list(pool.map(lambda kernel: compile_one(kernel, options), kernels))
            for kernel, seconds in zip(kernels, times):
                if seconds is not None:
                    listed.write(f"{case} {kernel.name} {kernel.file} {kernel.blocks} {kernel.threads[0]} "
                                 f"{kernel.threads[1]} {kernel.sizes} {seconds:.2f}\n")
            listed.flush()
            print(f"{case}: {sum(t is not None for t in times)} of {len(kernels)} kernels, "
                  f"{sum(t or 0 for t in times):.1f} s of compilers")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--type", choices=("f32", "f64"), default="f32")
    parser.add_argument("--arch", default="90")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--max-density", type=float)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    options.cases = options.cases or cases_of_file()
    try:
        import gimmik
    except ImportError:
        print("the Python package gimmik is not installed: no kernels are made", file=sys.stderr)
        return 1
    print(f"GiMMiK {gimmik.__version__}")
    prepare(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
