#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times of the solvers of docs/examples, ours and the same loops on cuSPARSE.

usage: solver_times.py BUILD DEVICE [--runs N] [--small] [--only WORD] > times.csv

BUILD has tools and tests/examples; DEVICE is the number of a GPU, or cpu, where there is no peer. One line a solver and
matrix: iterations, milliseconds of an iteration (median of N runs, 5) without loading the plan, dense parts included;
the same of the fastest of four algorithms of cuSPARSE; theirs / ours. --small: small matrices, to try the script.
--only: lines that begin with WORD, as "pagerank,gen:rmat:16".
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
         "recommender": ("gen:powerlaw:200000:20000:100", "gen:uniform:100000:50000:50")}
SMALL = {"block_cg": ("gen:poisson3:9:9:9",), "recommender": ("gen:powerlaw:900:400:12",)}
LAST = re.compile(r"^(\d+) iterations in ([\d.]+) s, .*: right$", re.M)


def milliseconds(command, runs, algorithm=0):
    """Of an iteration, and how many there were."""
    environment = dict(os.environ, OMP_WAIT_POLICY="passive", SPMM_CUSPARSE_ALG=str(algorithm))
    found = []
    for _ in range(runs):
        said = subprocess.run(command, env=environment, capture_output=True, text=True)
        match = LAST.search(said.stdout)
        if said.returncode != 0 or not match:
            return float("inf"), 0
        found.append((1000 * float(match[2]) / int(match[1]), int(match[1])))
    return statistics.median_low(found)


def take(arguments, option, value):
    """The value of an option, which is removed from the arguments."""
    if option in arguments[:-1]:
        at = arguments.index(option)
        value = arguments[at + 1]
        del arguments[at:at + 2]
    return value


def main(arguments):
    is_small = "--small" in arguments
    arguments = [argument for argument in arguments if argument != "--small"]
    runs, only = int(take(arguments, "--runs", 5)), take(arguments, "--only", "")
    if len(arguments) != 2 or arguments[0].startswith("-"):
        print(__doc__)
        return 0 if arguments == ["--help"] else 2
    build, device = arguments
    print("solver,matrix,iterations,ms,cusparse_iterations,cusparse_ms,cusparse_algorithm,ratio")
    with tempfile.TemporaryDirectory() as work:
        for solver, matrices in (SMALL if is_small else LARGE).items():
            for matrix in matrices:
                if not f"{solver},{matrix}".startswith(only):
                    continue
                plan = os.path.join(work, "A.plan")
                subprocess.run([f"{build}/tools/spmm-inspect", "-q", "--dtype", "f64",
                                "--op", "both" if solver == "recommender" else "N",
                                "--device", "cpu" if device == "cpu" else "any", matrix, "-o", plan], check=True)
                program = f"{build}/tests/examples/{solver}"
                ms, iterations = milliseconds([program, plan, "--device", device], runs)
                peer, peer_iterations, best = float("inf"), 0, 0
                for algorithm in range(4) if device != "cpu" else ():
                    time, count = milliseconds([f"{program}_cusparse", plan, "--device", device], runs, algorithm)
                    if time < peer:
                        peer, peer_iterations, best = time, count, algorithm
                print(f"{solver},{matrix},{iterations},{ms:.4f},{peer_iterations},{peer:.4f},{best},{peer / ms:.3f}",
                      flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
