#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/dev/performance_table on made-up measurements: the tables say what a hand computes, rows of before newer columns
still count, and a stale page is told. The numbers mean nothing."""
import os
import subprocess
import sys
import tempfile

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "dev", "performance_table")
HEAD = ("date,commit,device,matrix,rows,cols,nnz,n,layout,dtype,op,family,kernel,chosen,ms_cold,ms_warm,gflops,"
        "error_ratio,peer,peer_ms_cold,peer_ms_warm,ratio_cold,inspect_s,plan_bytes,compute,ms_set_values")
WINDOW, PANEL = "cuda/window/packed/3xtf32", "cuda/panel/dense/p64/minhash/3xtf32"
# matrix, n, dtype, kernel, chosen, ms, peer, peer's ms, compute, ms of new values
CASES = [("gen:fem3:2:2:2", 32, "f32", "cuda/rows/row-split", 0, 4, "cusparse-csr-alg2", 8, "f32", ""),
         ("gen:fem3:2:2:2", 32, "f32", WINDOW, 0, 9, "cusparse-csr-alg2", 8, "3xtf32", ""),  # older than the next one
         ("gen:fem3:2:2:2", 32, "f32", WINDOW, 1, 2, "cusparse-csr-alg2", 8, "3xtf32", 4),
         ("gen:fem3:2:2:2", 32, "f32", PANEL, 0, 1, "cusparse-csr-alg2", 8, "3xtf32", 4),
         ("gen:fem3:2:2:2", 64, "f32", PANEL, 0, 4, "cusparse-csr-alg2", 8, "3xtf32", 4),
         ("gen:fem3:2:2:2", 8, "f32", PANEL, 0, 10, "cusparse-csr-alg2", 5, "3xtf32", 4),
         ("gen:fem3:2:2:2", 64, "f32", "cuda/panel/dense/p64/tf32", 0, 2, "cusparse-ell32-alg1", 6, "tf32", ""),
         ("gen:fem3:2:2:2", 64, "f32", "cuda/window/packed/tf32", 1, 3, "cusparse-ell32-alg1", 6, "tf32", ""),
         ("asm_wilson_1", 32, "f32", WINDOW, 1, 3, "cusparse-bsr8-alg1", 3, "3xtf32", ""),
         ("asm_wilson_1", 32, "f32", "cuda/rows/row-split", 0, 1.5, "cusparse-bsr8-alg1", 3, "f32", ""),
         ("asm_ball", 32, "f16", "cuda/window/dense/f16", 1, 1, "cusparse-csr-alg1", 4, "f16", ""),
         ("gen:band:100:10", 8, "f32", WINDOW, 0, 1, "cusparse-bsr8-alg1", 2, "3xtf32", ""),
         ("gen:band:100:10", 8, "f32", WINDOW, 0, 1, "cublas-dense", 4, "3xtf32", "")]
OLD = "2000-01-01,old,CPU,asm_ball.mtx,9,9,1000,8,row,f32,N,rows,cpu/rows/row-split,1,2,2,1,0.5,mkl-csr,5,5,2.5,0.1,100"


def line(case):
    matrix, n, dtype, kernel, chosen, milliseconds, peer, of_peer, compute, refresh = case
    return (f"2000-01-01,made-up,GPU,{matrix},1000,1000,500000,{n},row,{dtype},N,{kernel.split('/')[1]},{kernel},{chosen},{milliseconds},1,1,0.5,"
            f"{peer},{of_peer},1,{of_peer / milliseconds:.4g},0.1,100,{compute},{refresh}")


def expect(condition, what):
    if not condition:
        sys.exit(f"test_performance_table: expected {what}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        def run(*arguments):
            return subprocess.run([TABLE, *arguments, folder], check=False, capture_output=True, text=True).returncode

        for name, text in (("performance.md", "before\n<!-- tables -->\nold\n<!-- /tables -->\nafter\n"),
                           ("matrices.tsv", "matrix\tclass\torigin\nasm_wilson_1\tmesh\t\nasm_ball\tmesh\t\n"),
                           ("results.csv", "\n".join([HEAD, OLD] + [line(case) for case in CASES]) + "\n")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        expect(run("--check") == 1, "the page to be stale")
        expect(run() == 0 and run("--check") == 0, "the page to be fresh")
        with open(os.path.join(folder, "performance.md"), encoding="utf-8") as file:
            page = file.read()
        for text in ("### Tensor cores of GPU, 3xtf32 against cusparse: row-major, op N",
                     "| fem | 32 | 1 | 8.00 | 8.00 | 0 | 4.00 | 4.00 | 0 |",
                     "| fem | 8 | 1 | 0.50 | 0.50 | 1 |  |  |  |",
                     "| **fem** | >= 32 | 1 | 4.00 | 2.00 | 0 | 4.00 | 4.00 | 0 |",  # 8 and 2
                     "| lattice | 32 | 1 | 1.00 | 1.00 | 0 | 1.00 | 1.00 | 1 |",  # rows take half the time
                     "| **fem, lattice, band, block** | >= 32 | 2 | 2.52 | 1.00 | 0 | 2.00 | 1.00 | 1 |",  # cube root of 16
                     "| gen:fem3:2:2:2 | fem | 32 | panel/dense/p64/minhash/3xtf32 | 8.00 | 4.00 |",
                     "| gen:band:100:10 | 50.0 % | 8 | 0.01 | 0.00 | 0.00 |",
                     "### Tensor cores of GPU, tf32 against cusparse: row-major, op N",
                     "| fem | 64 | 1 | 3.00 | 3.00 | 0 | 2.00 | 2.00 | 0 |",
                     "### Tensor cores of GPU, f16 against cusparse: row-major, op N",
                     "| panel | dense | 3xtf32 | 1 | 4.00 | 4.00 |",
                     "| window | packed | 3xtf32 | 1 | 2.00 | 2.00 |",
                     "### CPU against mkl: f32, row-major, op N",
                     "| mesh | 8 | 1 | 2.50 | 2.50 | 2.50 | 0 |"):
            expect(text in page, f"{text!r} on the page:\n{page}")
        expect("against cublas" not in page, "dense products beside the bands only")
        expect(page.startswith("before\n") and page.endswith("after\n") and "\nold\n" not in page, "the rest of the page as it was")
    print("every table as expected")


if __name__ == "__main__":
    main()
