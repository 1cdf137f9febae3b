#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests tools/dev/paper_figures with invented measurements: pictures are well-formed and show the expected matrices,
tables have the values computed by hand, and damaged results are refused."""
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "dev", "paper_figures")
HEAD = ("matrix,rows,cols,nnz,n,dtype,layout,mu,sigma,cv,U,rho,Gamma,Z,schedule,segment,reordered,panel_rows,predicted_paper_algorithmic_gflops,"
        "predicted_paper_allmiss_gflops,predicted_paper_cold_gflops,predicted_refined_us,measured_us,cusparse_us,cusparse_alg,rows_us,"
        "device,date,commit")
# Columns: matrix, cv, U, schedule, reordered, predicted us, measured us, cuSPARSE us, rows us, layout, and the
# height of row blocks if it is not 256
CASES = [("even", 0.1, 0.9, "whole", 0, 90, 100, 200, 150, "col"),
         ("even", 0.1, 0.9, "whole", 1, 60, 80, 200, 150, "col"),
         ("even", 0.1, 0.9, "whole", 1, 70, 999, 200, 150, "col", 64),  # a slower height of the same variant
         ("uneven<&>", 4, 0.9, "whole", 0, 900, 1000, 100, 150, "col"),
         ("uneven<&>", 4, 0.9, "segmented", 0, 44, 40, 100, 150, "col"),
         ("small", 0.5, 0.2, "whole", 0, 400, 800, 400, "", "col"),
         ("small", 0.5, 0.2, "segmented", 0, 100, 999, 400, "", "col"),  # an older measurement of the next case
         ("small", 0.5, 0.2, "segmented", 0, 100, 50, 400, "", "col"),
         ("lonely", 0.5, 0.9, "whole", 0, 110, 100, "", "", "col"),
         ("by rows", 0.5, 0.9, "whole", 0, 110, 100, 5, 5, "row")]


def line(case):
    matrix, cv, used, schedule, order, predicted, measured, cusparse, rows, layout, height = case if len(case) > 10 else case + (256,)
    return (f"{matrix},1000,1000,100000,64,f32,{layout},100,{100 * cv},{cv},{used},2,1,1.1,{schedule},{0 if schedule == 'whole' else 64},{order},{height},"
            f"500,300,400,{predicted},{measured},{cusparse},CSR_ALG1,{rows},NVIDIA H200,2000-01-01,invented")


def run(text, folder):
    results = os.path.join(folder, "results.csv")
    with open(results, "w", encoding="utf-8") as file:
        file.write(text)
    return subprocess.run([PROGRAM, results, os.path.join(folder, "out")], check=False, capture_output=True, text=True)


def titles(folder, name):
    """Returns the tooltips of the marks of a picture."""
    root = ElementTree.parse(os.path.join(folder, "out", f"{name}_nvidia_h200_f32_n64.svg")).getroot()
    return [element.text for element in root.iter("{http://www.w3.org/2000/svg}title")]


def expect(condition, what):
    if not condition:
        sys.exit(f"test_paper_figures: expected {what}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        done = run("\n".join([HEAD] + [line(case) for case in CASES]) + "\n", folder)
        expect(done.returncode == 0, f"success, found {done.stderr}")
        counts = {name: len(titles(folder, name)) for name in ("fig09", "fig11", "fig14")}
        expect(counts == {"fig09": 4, "fig11": 4, "fig14": 2}, f"all marks, found {counts}")  # fig14: two bars
        expect("uneven<&>: 12.8" in titles(folder, "fig09"), "2 * 100,000 * 64 products in 1000 us are 12.8 GFLOP/s")
        with open(os.path.join(folder, "out", "figures.md"), encoding="utf-8") as file:
            page = file.read()
        for text in ("4 matrices: 1 underused, 1 uneven, 2 neither.",
                     "| cuSPARSE, before balancing | 0.10 | 0.87 | 2.00 | 0.46 |",  # 2, 0.1, 0.5
                     "| cuSPARSE, after | 2.00 | 4.17 | 8.00 | 3.42 |",  # 2, 2.5, 8
                     "| rows family, after | 1.50 | 2.62 | 3.75 | 2.37 |",  # 1.5, 3.75
                     "correlation, 7 cases: cost model 10.0%, 0.865;\nroofline, algorithmic",  # errors .1 .25 .1 .1 .5 1 .1
                     # 0.865: the ranks are 3 2 7 1 6 4 5 and 4.5 3 7 1 6 2 4.5: 24 / sqrt(28 * 27.5).
                     "| cutting rows into segments | 2 | 2 | 100% | 16.00 | 20.50 | 25.00 | 20.00 |",
                     "| permuting rows | 1 | 1 | 100% | 1.25 | 1.25 | 1.25 | 1.25 |"):
            expect(text in page, f"{text!r} on the page:\n{page}")
        expect("by rows" not in page and all("by rows" not in title for title in titles(folder, "fig09")), "row-major cases to be left out")
        for damaged in (HEAD.replace("cv,", ""), HEAD + "\n" + line(CASES[0]).replace(",100,200,", ",fast,200,"),
                        HEAD + "\n" + line(CASES[0]).replace("whole", "halved"), ""):
            expect(run(damaged + "\n", folder).returncode == 1, f"refusal of {damaged[:40]!r}")
    print("every picture and table as expected")


if __name__ == "__main__":
    main()
