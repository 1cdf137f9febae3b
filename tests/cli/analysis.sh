#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From spmm-bench --plans all to the fit, the table and the pictures of the tiled family. The test does not
# judge the times, nor a fit to so few of them.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1
features=${SPMM_FEATURES:?the program model_features}
dev=$source_dir/tools/dev

lines() { # PYTHON: true of r, the lines of $work/t.csv
    checks=$((checks + 1))
    python3 -c "import csv, sys; r = list(csv.DictReader(open(sys.argv[1]))); sys.exit(not ($1))" "$work/t.csv" ||
        wrong "expected of the lines: $1"
}

run spmm-bench --device cpu --threads 1 --repeat 1 -q --no-peers --plans all -n 8,40 --layout both --csv "$work/r.csv" \
    gen:rmat:9:8 gen:arrow:600 gen:band:400:3 gen:rand:500:12 gen:dense:40:90 "$source_dir/tests/data/bcsstk17.mtx.zst"
exits 0
common=(--features "$features" --device h200 --results "$work/r.csv" --matrices "$source_dir/tests/data")

# ---- Every variant has metrics of its own ----
run "$dev/tiled_table" "${common[@]}" --output "$work/t.csv"
exits 0
silent
silent_err
lines '{x["matrix"] for x in r} == {"gen:rmat:9:8", "gen:arrow:600", "gen:band:400:3", "gen:rand:500:12", "gen:dense:40:90", "bcsstk17"}'
lines '{(x["schedule"], x["reordered"], x["panel_rows"]) for x in r} >= {(s, o, p) for s in ("whole", "segmented") for o in "01" for p in ("64", "256")}'
lines 'all(float(x["rho"]) == 40 and 0 < float(x["U"]) <= 40 / 132 + 1e-4 for x in r if x["matrix"] == "gen:dense:40:90" and x["schedule"] == "whole")'
lines 'all(int(x["segment"]) > 0 for x in r if x["schedule"] == "segmented")'
lines 'all(float(x[c]) > 0 for x in r for c in ("measured_us", "rows_us", "predicted_refined_us", "predicted_paper_cold_gflops", "Z"))'
lines 'all(x["cusparse_us"] == x["cusparse_alg"] == "" for x in r)'
lines 'len({(x["rho"], x["Z"]) for x in r if x["matrix"] == "gen:rmat:9:8" and x["n"] == "40" and x["layout"] == "col"}) >= 8'
run "$dev/paper_figures" "$work/t.csv" "$work/figures"
exits 0
checks=$((checks + 1))
grep -q 'n = 40' "$work/figures/figures.md" || wrong 'expected a page'

# ---- The fit reads the same rows ----
run "$dev/fit_model" "${common[@]}" --report "$work/t.csv"
exits 0
says 'tiled f32 constants: '
says 'fitted, rows or tiled'
says 'fitted, reordering'
says "fitted, balancing by the decision chart"
lines 'len({x["kernel"] for x in r if x["kernel"].startswith("tiled/")}) > 8'
lines 'all(float(x["predicted_us"]) > 0 for x in r)'

# ---- Kernel names: whether lane groups share rows (rows), how values are rounded (dense) ----
features_of() { # KERNEL...: of 100 rows of 200, at n = 1 and 32, into t.csv
    "$features" h200 1,32 row f32 < <(printf 'a\tgen:dense:100:200'; printf '\t%s' "$@"; echo) >"$work/t.csv"
}
features_of rows/row-split rows/row-split/shared rows/nonzero-split dense/gemm dense/gemm/3xtf32 dense/gemm/f16
lines '[(x["n"], x["constants"]) for x in r if x["kernel"] == "rows/row-split"] == [("1", "own.f32")]'
lines '[(x["n"], x["constants"]) for x in r if x["kernel"] == "rows/row-split/shared"] == [("32", "shared.f32")]'
lines 'all(x["constants"] == "nonzero-split.f32" for x in r if x["kernel"] == "rows/nonzero-split")'
lines '{x["constants"] for x in r if x["kernel"] == "dense/gemm/3xtf32"} <= {"gemm.3xtf32", "own.3xtf32"}'
lines '{x["kernel"] for x in r if x["kernel"].startswith("dense")} == {"dense/gemm", "dense/gemm/3xtf32"}'

# ---- A missing matrix is reported, and the others are processed ----
run "$dev/tiled_table" "${common[@]}" --matrices "$work" --output "$work/t.csv"
exits 0
says_err 'not found, left out: bcsstk17'
lines 'len({x["matrix"] for x in r}) == 5'

# ---- Kernels that model_features does not know ----
for kernel in tiled tiled/whole tiled/segmented-0/p64 tiled/whole/p64/left rows/whole rows/shared dense/gemm/left; do
    run "$features" h200 8 col f32 < <(printf 'a\tgen:diag:9\t%s\n' "$kernel")
    exits 1
    says_err 'no kernel'
done
run "$features" h200
exits 2

finish
