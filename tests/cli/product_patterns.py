#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares patterns of sparse products, with plans and in one shot, with patterns that SciPy computed.

usage: product_patterns.py FILE [--write]

FILE has a line for each product, with fields separated by tabs: options of spmm-inspect, matrices, number of nonzeros
of SciPy's product, and SHA-256 of its pattern, written as a line "row column" for each nonzero in order, counted from
1. PATH must have the programs. Prints differences, exit 1 if there is any. --write renews the last two fields, which
needs SciPy; all values are 1, so that no sum is 0.
"""
import hashlib
import pathlib
import subprocess
import sys
import tempfile


def entries(path):
    """Returns the (row, column) strings of the entries of a Matrix Market file, in the order of its lines."""
    with open(path, encoding="utf-8") as file:
        lines = (line.split() for line in file if not line.startswith("%"))
        next(lines)  # the size
        return [(line[0], line[1]) for line in lines]


def digest(pairs):
    text = "".join(f"{row} {column}\n" for row, column in pairs)
    return len(pairs), hashlib.sha256(text.encode()).hexdigest()


def run(*command):
    subprocess.run(command, check=True)


def by_plan(work, words, matrices):
    plan, c = work / "C.plan", work / "C.mtx"
    run("spmm-inspect", "-qf", *words, *matrices, "-o", plan)
    run("spmm-export", "-qf", "--all-entries", plan, "-o", c)
    return digest(entries(c))


def in_one_shot(work, matrices):
    c = work / "once.mtx"
    run("spmm-run", "-qf", "--product", *matrices, "--repeat", "0", "-o", c)
    return digest(entries(c))


def by_scipy(work, words, matrices):
    """Returns nonzeros and digest of A A, A B, A A^T, R (A P) or P^T (A P), computed by SciPy."""
    import scipy.io
    import scipy.sparse
    factors = []
    for matrix in matrices:
        run("spmm-inspect", "-qf", matrix, "-o", work / "A.plan")
        run("spmm-export", "-qf", "--pattern", "--all-entries", work / "A.plan", "-o", work / "A.mtx")
        factors.append(scipy.sparse.csr_matrix(scipy.io.mmread(work / "A.mtx")))
    if "--triple" in words:
        a, p = factors[-2:]
        c = (factors[0] if len(factors) == 3 else p.T.tocsr()) @ (a @ p)
    else:
        c = factors[0] @ (factors[-1].T.tocsr() if "--transpose-b" in words else factors[-1])
    c.sort_indices()
    c = c.tocoo()
    return digest([(int(i) + 1, int(j) + 1) for i, j in zip(c.row, c.col)])


def main(path, is_written):
    wrong, written = 0, []
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
            if line.startswith("#"):
                written.append(line)
                continue
            form, names, *known = line.split("\t")
            words, matrices = form.split(), names.split()
            if is_written:
                written.append("\t".join([form, names, *map(str, by_scipy(work, words, matrices))]))
                continue
            found = {"plan": by_plan(work, words, matrices)}
            if words == ["--product"]:
                found["one shot"] = in_one_shot(work, matrices)
            for way, (count, sha256) in found.items():
                if [str(count), sha256] != known:
                    print(f"{form} {names}, {way}: {count} nonzeros, not the {known[0]} that SciPy has")
                    wrong += 1
            print(f"{form} {names}: {', '.join(found)}")
    if is_written:
        pathlib.Path(path).write_text("\n".join(written) + "\n", encoding="utf-8")
    return wrong > 0


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--write"]
    if len(arguments) != 1 or arguments[0] == "--help":
        print(__doc__)
        sys.exit(0 if arguments == ["--help"] else 2)
    sys.exit(main(arguments[0], "--write" in sys.argv))
