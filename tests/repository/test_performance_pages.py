#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests tools/dev/performance_pages with invented measurements: tables have the values computed by hand, a stale page
is reported, new rows replace the rows of another commit, and pictures are well-formed."""
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

PAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "dev", "performance_pages")
HEAD = ("date,commit,device,matrix,rows,cols,nnz,n,layout,dtype,op,family,kernel,chosen,ms_cold,ms_warm,gflops,"
        "error_ratio,peer,peer_ms_cold,peer_ms_warm,ratio_cold,inspect_s,plan_bytes,compute,ms_set_values")
# Columns: matrix, n, layout, type, chosen, ratio, peer, compute type
CASES = [("steel", 8, "row", "f32", 1, 9, "cusparse-csr-alg2", "f32"),  # older than the next row
         ("steel", 8, "row", "f32", 1, 4, "cusparse-csr-alg1", "3xtf32"),
         ("steel", 8, "row", "f32", 0, 99, "cusparse-csr-alg1", "f32"),  # not the chosen kernel
         ("steel", 8, "row", "f32", 1, 99, "cusparse-ell32-alg1", "tf32"),  # tf32 was requested
         ("steel", 8, "row", "f32", 1, 0.25, "cublas-dense", "3xtf32"),  # in no mean
         ("steel", 24, "row", "f32", 1, 99, "cusparse-csr-alg1", "f32"),  # this n is not measured
         ("gen:a<&>:1", 8, "row", "f32", 1, 0.5, "cusparse-coo-alg4", "f32"),
         ("gen:a<&>:1", 32, "row", "f32", 1, 2, "cusparse-coo-alg4", "f32"),
         ("steel", 8, "col", "f32", 1, 0.75, "cusparse-bsr8-alg1", "f32")]
CPU = "2000-01-01,old,CPU,steel,9,9,1000,8,row,f32,N,rows,cpu/rows/row-split,1,2,2,1,0.5,mkl-csr,5,5,2.5,0.1,100,,"
CPU_SLOWER = CPU.replace(",8,row", ",16,row").replace(",5,5,2.5,", ",0.8,0.8,0.4,")
CPU_SCIPY = CPU.replace("mkl-csr,5,5,2.5,", "scipy,6,6,3,")
EXPECTED = ("2 of 4 cases on the GPU take longer",
            "| gen:a<&>:1 | f32 | row-major | 8 | 0.50 | cusparse-coo-alg4 |\n"
            "| steel | f32 | column-major | 8 | 0.75 | cusparse-bsr8-alg1 |\n",
            "f32 1 of 1 (worst 0.25)",
            "GPU, 2000-01-01, commit new: 2 matrices, 1 of them synthetic",
            "| f32 | row-major | 2 | 1.41 | 2.00 | 1.59 | 1 of 3 |",  # square root of 2, cube root of 4
            "| mesh | 1 | 4.00 |  | 4.00 (steel, n = 8) |",
            "| f32 | row-major | 2.50 | 0.40 | 1.00 | 0.40 | 1 of 2 |", " SciPy, one thread: 3.00 (worst 3.00).")


def line(case, commit="new"):
    matrix, n, layout, dtype, chosen, ratio, peer, compute = case
    return (f"2000-01-01,{commit},GPU,{matrix},1000,1000,500000,{n},{layout},{dtype},N,rows,cuda/rows/row-split,{chosen},"
            f"1,1,1,0.5,{peer},{ratio},1,{ratio},0.1,100,{compute},")


def expect(condition, what):
    if not condition:
        sys.exit(f"test_performance_pages: expected {what}")


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()


def run(folder, *arguments):
    return subprocess.run([PAGES, *arguments, folder], check=False, capture_output=True, text=True).returncode


def make_tree(folder):
    os.makedirs(os.path.join(folder, "docs", "figures"))
    write(folder, "README.md", "before\n<!-- speed -->\nold\n<!-- /speed -->\nafter\n")
    write(folder, "docs/kernels.md", "above\n<!-- shares -->\nold\n<!-- /shares -->\nbelow\n")
    write(folder, "docs/matrices.tsv", "matrix\tclass\torigin\nsteel\tmesh\t\n")
    write(folder, "docs/results.csv", "\n".join([HEAD, CPU, CPU_SLOWER, CPU_SCIPY] + [line(case) for case in CASES]) + "\n")


def check_shares(folder):
    """Checks DRAM shares with products of 1,000,000 rows and columns, 5,000,000 nonzeros, f32, n = 8, that take 1 ms:
    they must move 104 MB, while a copy moves 4,149 MB in this time."""
    rows = [line(case).replace(",GPU,", ",NVIDIA H200,").replace(",1000,1000,500000,", ",1000000,1000000,5000000,")
            for case in (CASES[1], CASES[6], CASES[-1], CASES[-1])]  # the last product has rows for two peers
    write(folder, "docs/results.csv", "\n".join([HEAD] + rows) + "\n")
    expect(run(folder) == 0, "a table of shares")
    page = read(folder, "docs/kernels.md")
    expect(page.startswith("above\n") and page.endswith("below\n") and "old" not in page, "the rest of kernels.md")
    for text in ("| rows | 3xtf32 | 0.03 (1) |  |", "| rows | f32 | 0.03 (1) | 0.03 (1) |"):
        expect(text in page, f"{text!r}, found\n{page}")


def check_bounds(folder):
    """Checks shares of the bound: 0.25 and 1 at n = 8, and the least with n >= 128; cases without one do not count."""
    rows = [("steel", 8, 0.25), ("gen:a<&>:1", 8, 1), ("steel", 128, 0.75), ("gen:a<&>:1", 128, 2), ("steel", 256, 0.5)]
    rows = [line((matrix, n, "row", "f32", 1, 2, "cusparse-csr-alg1", "f32")) + f",{share}" for matrix, n, share in rows]
    rows.append(line(CASES[-1]) + ",")
    write(folder, "docs/results.csv", "\n".join([HEAD + ",bound_share"] + rows) + "\n")
    expect(run(folder) == 0, "a page with shares of the bound")
    page = read(folder, "docs/performance.md")
    for text in ("| 0.50 |  | 1.22 | 0.50 (steel, n = 256) |\n", "| 1 of 1 |  |  |  |  |\n", "Goals of the project for f32, row-major: 0.45,"):
        expect(text in page, f"{text!r}, found\n{page}")


def check_create(folder):
    """Checks that only the last two commits of the last device are shown, not an older commit or another device."""
    expect("Making an executor" not in read(folder, "docs/performance.md"), "no section without measurements")
    rows = [f"2026-01-0{day},c{day},{device},{matrix},113401088,7,{what},{ms}" for day, device, matrix, what, ms in (
        (1, "GPU", "steel", "create", 99), (2, "Other", "steel", "create", 99), (2, "GPU", "steel", "create", 3), (2, "GPU", "steel", "create", 3.912),
        (2, "GPU", "steel", "pinned_copy", 99), (3, "GPU", "steel", "create", 2.9), (3, "GPU", "iron", "create", 1),
        (3, "GPU", "", "pool_take_and_free", 0.0016), (3, "GPU", "iron", "small_pool", 0.99), (4, "GPU", "iron", "small_pool", 0.06),
        (4, "GPU", "iron", "small_pool", 0.08), (5, "Other", "iron", "small_pool", 0.99))]
    write(folder, "docs/create_results.csv", "date,commit,device,matrix,device_bytes,file_bytes,what,ms\n" + "\n".join(rows) + "\n")
    expect(run(folder) == 0 and run(folder, "--check") == 0, "a page with the section")
    page = read(folder, "docs/performance.md")
    for text in ("|  | steel (113 MB) | iron (113 MB) |\n", "| create | 3.46, 2.9 | -, 1 |\n",
                 "GPU, 2026-01-03, commit c3, f32, n = 64: ms, after those of commit c2,", " 1.6 us.",
                 " iron -, 70, - (commit c4)."):
        expect(text in page, f"{text!r} on the page:\n{page}")
    expect("99" not in page, "nothing else")


def check_pages(folder):
    expect(run(folder, "--check") == 1, "pages to be stale")
    expect(run(folder) == 0 and run(folder, "--check") == 0, "pages to be fresh")
    page, readme = read(folder, "docs/performance.md"), read(folder, "README.md")
    for text in EXPECTED:
        expect(text in page, f"{text!r} on the page:\n{page}")
    expect("99" not in page, "only what the plan chooses")
    expect(readme.startswith("before\n") and readme.endswith("after\n") and "\nold\n" not in readme, "the rest of README")
    expect("Worst with any n: 0.50 (gen:a<&>:1, n = 8)" in " ".join(readme.split()) and "| synthetic | 1 |  | 0.50 | 2.00 |  |" in readme, "its table")


def check_picture(folder):
    root = ElementTree.parse(os.path.join(folder, "docs", "figures", "speed_row.svg")).getroot()
    titles = [element.text for element in root.iter("{http://www.w3.org/2000/svg}title")]
    expect(titles == ["gen:a<&>:1, n = 8: 0.50", "gen:a<&>:1, n = 32: 2.00", "steel, n = 8: 4.00"], f"dots, found {titles}")


def check_take(folder):
    new = os.path.join(folder, "new.csv")
    write(folder, "new.csv", "\n".join([HEAD] + [line(case, "newer") for case in CASES[1:]]) + "\n")
    expect(run(folder, "--take", new) == 0, "rows to be taken")
    results = read(folder, "docs/results.csv")
    expect(",new,GPU," not in results and results.count(",newer,GPU,") == len(CASES) - 1, "rows of the new commit only")
    expect(run(folder, "--take", new) == 0 and read(folder, "docs/results.csv") == results, "no rows twice")
    expect(CPU in results, "rows of another device as they were")
    expect("commit newer" in " ".join(read(folder, "README.md").split()), "new pages")
    added = ",bound_us,c_type,unit_values"
    rows = [line(case, "newer") + end for case, end in zip(CASES[1:], (",3,f32,0", ",,,", *[",3,f32,0"] * 6))]
    mixed = [line(("steel", 8, "row", "f32", 1, 99, "cusparse-csr-alg1", "f32"), "newer") + end for end in (",3,f16,0", ",3,f32,1")]
    write(folder, "new.csv", "\n".join([HEAD + added] + rows + mixed) + "\n")
    expect(run(folder, "--take", new) == 0, "rows with added columns to be taken")
    results = read(folder, "docs/results.csv")
    expect(results.startswith(HEAD + added + "\n") and CPU + ",,,\n" in results, "older rows without a value there")
    expect("99" not in read(folder, "docs/performance.md"), "no mixed products on the page")
    write(folder, "new.csv", HEAD.replace("date,", "") + "\n")
    expect(run(folder, "--take", new) == 1, "other columns to be refused")
    write(folder, "docs/results.csv", results + line(CASES[-1], "newest") + "\n")
    expect(run(folder) == 1, "two commits of a device to be refused")


def main():
    with tempfile.TemporaryDirectory() as folder:
        make_tree(folder)
        check_pages(folder)
        check_create(folder)
        check_picture(folder)
        check_take(folder)
        make_tree(os.path.join(folder, "shares"))
        check_shares(os.path.join(folder, "shares"))
        check_bounds(os.path.join(folder, "shares"))
    print("every page as expected")


if __name__ == "__main__":
    main()
