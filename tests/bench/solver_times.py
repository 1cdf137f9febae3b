#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the solvers of docs/examples, with products of spmm and with products of cuSPARSE.

usage: solver_times.py BUILD DEVICE [--runs N] [--small] [--only WORD] [--matrices FOLDER] > times.csv

BUILD has tools and tests/examples. DEVICE is the number of a GPU, or cpu, for which there is no peer. Prints a line for
each solver and matrix: iterations, ms per iteration (median of N runs, 5) with dense operations but without loading the
plan; both for the fastest algorithm of cuSPARSE, its number, and the ratio cuSPARSE / spmm. --small: small matrices, to
try the script. --only: lines that begin with WORD, such as "pagerank,gen:rmat:16". --matrices: the folder of matrices
that are not generated, FOLDER/NAME.mtx.zst; without it they are left out.

For sparse products the program prints the time. amg_setup: minimum of 9 set-ups; the peer is SpGEMMreuse with the same
steps between products. amg_once: all products of a set-up in one shot; the peer is SpGEMM (0 default, 1 ALG1).
interior_point: mean of 30 products A D A^T, lower triangle, without copies; the peer computes A D, and both triangles
with SpGEMMreuse.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

LARGE = {"block_cg": ("gen:poisson3:80:80:80", "gen:elasticity:40:40:40"),
         "lobpcg": ("gen:poisson3:40:40:40", "gen:elasticity:24:24:24"),
         "chebyshev": ("gen:poisson3:80:80:80", "gen:elasticity:40:40:40"),
         "pagerank": ("gen:rmat:19:16", "gen:rmat:16:32"),
         "label_propagation": ("gen:poisson2:1500:1500", "gen:poisson3:120:120:120"),
         "recommender": ("gen:powerlaw:200000:20000:100", "gen:uniform:100000:50000:50"),
         "amg_setup": ("gen:elasticity:24:24:24", "gen:elasticity:40:40:40"),
         "amg_once": ("gen:elasticity:24:24:24", "gen:elasticity:40:40:40"),
         "interior_point": ("gen:uniform:20000:60000:8", "lp_maros_r7", "mip_nw04", "mip_fast0507", "qp_CONT-300_A",
                            "rail_79841_A", "qp_BOYD1_Afull")}
SMALL = {"block_cg": ("gen:poisson3:9:9:9",), "recommender": ("gen:powerlaw:900:400:12",),
         "amg_setup": ("gen:elasticity:12:10:8",), "amg_once": ("gen:elasticity:12:10:8",),
         "interior_point": ("gen:uniform:300:1000:8",)}
LAST = re.compile(r"^(\d+) iterations in ([\d.]+) s, .*: right$", re.M)
SAID = {"amg_setup": re.compile(r"^a set-up takes ([\d.]+) ms", re.M),
        "amg_once": re.compile(r"^the products take ([\d.]+) ms", re.M),
        "interior_point": re.compile(r"^A D A\^T takes ([\d.]+) ms", re.M)}
PROGRAMS = {"amg_once": "amg_setup"}
WORDS = {"amg_setup": ("--set-ups", "9"), "amg_once": ("--set-ups", "9"), "interior_point": ("--products", "30")}
ALGORITHMS = {"amg_setup": 1, "amg_once": 2, "interior_point": 1}  # algorithms of cuSPARSE to try; others: 4
NORMAL = ("--product", "--transpose-b", "--lower", "--diagonal")


def milliseconds(solver, command, runs, algorithm=0):
    """Returns (ms per iteration, number of iterations) of the median run; (inf, 0) if a run fails."""
    environment = dict(os.environ, OMP_WAIT_POLICY="passive", SPMM_CUSPARSE_ALG=str(algorithm))
    found = []
    for _ in range(runs):
        said = subprocess.run(command, env=environment, capture_output=True, text=True)
        match = LAST.search(said.stdout)
        if said.returncode != 0 or not match:
            print(f"{' '.join(command)}: status {said.returncode}: {said.stderr.strip()}", file=sys.stderr)
            return float("inf"), 0
        found.append(one_iteration(solver, said.stdout, match))
    return statistics.median_low(found)


def one_iteration(solver, text, last):
    """Returns (ms per iteration, number of iterations) from the output of a program. last: the match of LAST."""
    said = SAID[solver].search(text) if solver in SAID else None
    return float(said[1]) if said else 1000 * float(last[2]) / int(last[1]), int(last[1])


def inspect(build, device, solver, matrix, plan):
    """Writes the plan of a matrix, and for interior_point the plan of A D A^T to plan + ".normal"."""
    common = [f"{build}/tools/spmm-inspect", "-q", "--dtype", "f64"]
    goal = "cpu" if device == "cpu" or solver == "interior_point" else "any"  # it uses A on the CPU only
    subprocess.run([*common, "--op", "both" if solver in ("recommender", "interior_point") else "N", "--device", goal,
                    matrix, "-o", plan], check=True)
    if solver == "interior_point":
        subprocess.run([*common, *NORMAL, matrix, "-o", plan + ".normal"], check=True)


def measure(build, device, solver, plan, runs):
    """Measures one solver and plan; returns the line of the table without solver and matrix."""
    program, words = f"{build}/tests/examples/{PROGRAMS.get(solver, solver)}", WORDS.get(solver, ())
    ms, iterations = milliseconds(solver, [program, plan, "--device", device, *words], runs)
    peer, peer_iterations, best = float("inf"), 0, 0
    for algorithm in range(ALGORITHMS.get(solver, 4)) if device != "cpu" else ():
        command = [f"{program}_cusparse", plan, "--device", device, *words]
        time, count = milliseconds(solver, command, runs, algorithm)
        if time < peer:
            peer, peer_iterations, best = time, count, algorithm
    return f"{iterations},{ms:.4f},{peer_iterations},{peer:.4f},{best},{peer / ms:.3f}"


def take(arguments, option, value):
    """Removes an option from the arguments and returns its value; returns `value` if the option is not there."""
    if option in arguments[:-1]:
        at = arguments.index(option)
        value = arguments[at + 1]
        del arguments[at:at + 2]
    return value


def main(arguments):
    is_small = "--small" in arguments
    arguments = [argument for argument in arguments if argument != "--small"]
    runs, only = int(take(arguments, "--runs", 5)), take(arguments, "--only", "")
    folder = take(arguments, "--matrices", None)
    if len(arguments) != 2 or arguments[0].startswith("-"):
        print(__doc__)
        return 0 if arguments == ["--help"] else 2
    build, device = arguments
    print("solver,matrix,iterations,ms,cusparse_iterations,cusparse_ms,cusparse_algorithm,ratio")
    for solver, matrices in (SMALL if is_small else LARGE).items():
        for matrix in matrices:
            is_file = not matrix.startswith("gen:")
            if not f"{solver},{matrix}".startswith(only) or (is_file and folder is None):
                continue
            with tempfile.TemporaryDirectory() as work:
                plan = os.path.join(work, "A.plan")
                inspect(build, device, solver, f"{folder}/{matrix}.mtx.zst" if is_file else matrix, plan)
                print(f"{solver},{matrix},{measure(build, device, solver, plan, runs)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
