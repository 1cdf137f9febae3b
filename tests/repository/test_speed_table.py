#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that tools/dev/speed_table prints the values computed by hand from invented rows, also without newer columns,
and that tools/dev/standing passes the options of the list to the program, with the matrices that follow them."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TABLE, STANDING = (os.path.join(ROOT, "tools", "dev", name) for name in ("speed_table", "standing"))
OLD = ("date,commit,device,matrix,rows,cols,nnz,n,layout,dtype,op,family,kernel,chosen,ms_cold,ms_warm,gflops,error_ratio,"
       "peer,peer_ms_cold,peer_ms_warm,ratio_cold,inspect_s,plan_bytes,compute,ms_set_values")
NEW = OLD + ",peer_least_ms_warm,bound_us,bound_share,b_type,c_type,unit_values"
# Columns: matrix, n, op, kernel, chosen, peer, its cold, warm and minimum warm time, compute type, share,
# c_type, unit values. Our time is 1 ms.
ROWS = [("steel", 1, "N", "cuda/rows", 1, "merge-csr", 0.5, 3, 3, "f32", 0.5, "f32", 0),
        ("steel", 1, "N", "cuda/rows", 1, "cusparse-spmv-csr-alg1", 2, 8, 4, "f32", 0.5, "f32", 0),
        ("wire", 1, "N", "cuda/rows", 1, "cusparse-coo-alg1", 0.5, 1, 1, "f32", 0.125, "f32", 0),
        ("dlmc_a", 128, "N", "cuda/rows", 1, "cusparse-csr-alg1", 4, 4, 4, "f32", 0.25, "f32", 0),
        ("dlmc_a", 128, "N", "cuda/rows", 1, "cublas-dense", 0.25, 1, 1, "f32", 0.25, "f32", 0),
        # rows that must be ignored
        ("steel", 1, "T", "cuda/rows", 1, "cusparse-csr-alg1", 64, 1, 1, "f32", 0.5, "f32", 0),
        ("steel", 1, "N", "cpu/rows", 1, "cusparse-csr-alg1", 64, 1, 1, "f32", 0.5, "f32", 0),
        ("steel", 1, "N", "cuda/tiled", 0, "cusparse-csr-alg1", 64, 1, 1, "f32", 0.5, "f32", 0),
        ("wire", 1, "N", "cuda/window", 1, "cusparse-csr-alg1", 64, 1, 1, "tf32", 0.5, "f32", 0),
        ("wire", 1, "N", "cuda/rows", 1, "cusparse-csr-alg1", 64, 1, 1, "f32", 0.5, "f16", 0),
        ("wire", 1, "N", "cuda/rows", 1, "cusparse-csr-alg1", 64, 1, 1, "f32", 0.5, "f32", 1),
        ("gen:diag:4", 1, "N", "cuda/rows", 1, "cusparse-csr-alg1", 64, 1, 1, "f32", 0.5, "f32", 0)]
EXPECTED = ("3 cases, 3 matrices",
            "f32 row 1 1.00 0.50 1 of 2 0.25 0.12",  # root of 2 * 0.5; root of 0.5 * 0.125
            "f32 row 128 4.00 4.00 0 of 1 0.25 0.25",
            "0.50 wire, f32, row, n = 1: cusparse-coo-alg1",
            "f32 row 128 4.00 4.00 0 of 1 0.25 0.25 1 of 1 0.25 0.25 1 of 1 0.25 0.25",
            "0.25 dlmc_a, f32, row, n = 128: cublas-dense",
            # Consecutive runs: 4 and 1. With merge paths: 0.5 and 0.5 cold, 3 and 1 in consecutive runs.
            "f32 row 1.00 0.50 1 of 2 2.00 1.00 0 of 2 0.50 0.50 2 of 2 1.73 1.00 0 of 2",
            "0.50 steel, f32, row, n = 1: merge-csr")


def line(row, has_new):
    matrix, n, op, kernel, chosen, peer, cold, warm, least, compute, share, c_type, ones = row
    text = f"d,c,GPU,{matrix},9,9,9,{n},row,f32,{op},rows,{kernel},{chosen},1,1,1,0.5,{peer},{cold},{warm},{cold},1,1,{compute},"
    return text + (f",{least},1,{share},f32,{c_type},{ones}" if has_new else "")


def expect(condition, what):
    if not condition:
        sys.exit(f"test_speed_table: expected {what}")


def table_of(folder, rows, has_new, *options):
    path = os.path.join(folder, "rows.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([NEW if has_new else OLD] + [line(row, has_new) for row in rows]) + "\n")
    done = subprocess.run([TABLE, *options, path], check=False, capture_output=True, text=True)
    return done.returncode, [" ".join(text.split()) for text in done.stdout.splitlines()]


def check_table(folder):
    code, lines = table_of(folder, ROWS, True)
    expect(code == 0, "a table")
    for text in EXPECTED:
        expect(text in lines, f"{text!r} among\n" + "\n".join(lines))
    expect(not [text for text in lines if "64.00" in text], "no other products")
    code, lines = table_of(folder, ROWS, True, "--all")
    expect("4 cases, 4 matrices" in lines and "f32 row 1 4.00 0.50 1 of 3 0.31 0.12" in lines, f"synthetic ones, found {lines}")
    code, lines = table_of(folder, ROWS[:5], False)
    expect(code == 0 and "f32 row 1 1.00 0.50 1 of 2" in lines, f"a table of older rows, found {lines}")
    expect("f32 row 1.00 0.50 1 of 2 2.83 1.00 0 of 2 0.50 0.50 2 of 2 1.73 1.00 0 of 2" in lines, f"their warm times, found {lines}")
    expect(table_of(folder, [], True)[0] == 1, "no table of nothing")


PROGRAM = """#!/bin/sh
echo "$PWD $*" >>"$LOG"
case "$*" in *broken*) exit 5 ;; *large*) exit 2 ;; esac
"""
FIXED = "--layout both --kernels none --repeat 9 --max-seconds 0.2 --quiet --summary --csv"


def standing(folder, text):
    program, names, log = (os.path.join(folder, name) for name in ("program", "list", "log"))
    for path, content in ((program, PROGRAM), (names, text), (log, "")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
    os.chmod(program, 0o755)
    done = subprocess.run([STANDING, program, names, folder, os.path.join(folder, "out.csv"), "--dtype", "f16"], check=False,
                          capture_output=True, env={**os.environ, "LOG": log})
    with open(log, encoding="utf-8") as file:
        return done.returncode, file.read().splitlines()


def check_standing(folder):
    folder = os.path.realpath(folder)
    code, lines = standing(folder, "# heading\n#: -n 1,2 --columns-col 1\n# ---- graph ----\na.mtx\n\ntoo-large\n#: -n 4\ngen:diag:4\n")
    expect(code == 0 and lines == [
        f"{folder} -n 1,2 --columns-col 1 {FIXED} {folder}/out.csv --dtype f16 a.mtx too-large",
        f"{folder} -n 4 {FIXED} {folder}/out.csv --dtype f16 gen:diag:4"], f"two runs, found {code} {lines}")
    code, lines = standing(folder, "#: -n 1\nbroken\n#: -n 2\na.mtx\n")
    expect(code == 5 and len(lines) == 1, "an end after a wrong product")


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_table(folder)
        check_standing(folder)
    print("every table as expected")


if __name__ == "__main__":
    main()
