#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# spmm-inspect: what it writes, what it prints, what it refuses.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1
matrix=$source_dir/tests/data/bcsstk17.mtx.zst

# ---- Reports ----
run spmm-inspect --device any "$matrix" --kernel rows -o "$work/a.plan"
exits 0
says 'bcsstk17.mtx.zst: 10,974 x 10,974, 428,650 nonzeros'
says 'matrix-market, real, symmetric, 219,812 entries stored'
says 'MB/s of the compressed file)'
# At n = 32 and 64, row-major, a nonzero split takes 12.4 and 16.3 us on an H100; groups that share rows take
# 13.8 and 18.0 us (docs/families_bench.csv).
says 'variant 0  op N, f32, n in 1..8, row-major, any device: rows/row-split, '
says 'variant 1  op N, f32, n in 9..96, row-major, any device: rows/nonzero-split, 53,582 items, item size 8'
says 'variant 2  op N, f32, n >= 97, row-major, any device: rows/row-split, '
says 'variant 3  op N, f32, n = 1, column-major, any device: rows/row-split, '
says 'variant 4  op N, f32, n = 2, column-major, any device: rows/nonzero-split, 53,582 items, item size 8'
says 'variant 5  op N, f32, n in 3..8, column-major, any device: rows/row-split, '
says 'variant 6  op N, f32, n >= 9, column-major, any device: rows/nonzero-split, 53,582 items, item size 8'
says 'variant 7  op N, f32, any n, both layouts, CPU: rows/row-split, '
says ': rows/row-split: predicted '
says ' variant 6: rows/nonzero-split: predicted '
says_times 7 ', the alternative '
says 'of CSR'
says 'inspect'
silent_err
exists "$work/a.plan"

run spmm-inspect --device any "$matrix" --kernel rows --json -o "$work/b.plan"
exits 0
silent_err
is_json 'j["rows"] == 10974 and j["nnz"] == 428650 and j["input"]["symmetry"] == "symmetric"'
is_json 'j["plan_bytes"] > 0 and j["inspect_seconds"] > 0 and len(j["variants"]) == 8'
is_json 'sum(t["family"] == "rows" for t in j["trace"]) == 16'
is_json '[(t["variant"], t["schedule"]) for t in j["trace"] if t["chosen"]] == [(i, "nonzero-split" if i in (1, 4, 6) else "row-split") for i in range(8)]'
same "$work/a.plan" "$work/b.plan"

run spmm-inspect --device any gen:band:300:9 --kernel rows
exits 0
says 'the alternative'"'"'s risk'

# Wide f64 products with 36 nonzeros per row: rows takes 1.3 times as long as panel (docs/families_bench.csv).
run spmm-inspect --device any --dtype f64 --layout row --columns 128 gen:qcd:8
exits 0
says 'any device: panel/'

# Lane groups that share a row wait for A. With blocks of 32 x 32 and 8 columns, they take 23.8 us on an H100,
# and bcsr 16.2 us. With bcsstk17 and n = 32, they take 13.8 us, and panel 10.9 us (docs/decisions/0119).
run spmm-inspect --device any --layout row --columns 8 gen:block:8192:32:15
exits 0
says 'any device: bcsr/dense, '
run spmm-inspect --device any --layout row --columns 32 "$matrix"
exits 0
says 'any device: panel/dense, '

# From 20,000 nonzeros on, every family is considered (docs/decisions/0127).
run spmm-inspect --device any --dtype f16 --layout row --columns 512 gen:dense:200:200
exits 0
says 'any device: dense/gemm, '
run spmm-inspect --device any --dtype f16 --layout row --columns 512 gen:dense:140:140
exits 0
says 'any device: rows/row-split, '

# From 1,500 nonzeros on, tiled is considered in column-major order (docs/decisions/0136).
run spmm-inspect --device any --layout col --columns 4096 gen:poisson2:21:21
exits 0
says 'any device: tiled/whole, '
run spmm-inspect --device any --layout col --columns 4096 gen:poisson2:17:17
exits 0
says 'any device: rows/'
run spmm-inspect --device any --dtype f64 --layout col --columns 512 gen:poisson2:50:50
exits 0
says 'any device: tiled/whole, '

# The default choice uses tensor cores. Without them, it uses rows for one column and if rows is predicted to
# be faster, and tiled for many columns in column-major order.
run spmm-inspect --device any "$matrix" -o "$work/free.plan"
exits 0
says 'row-major, any device: rows/row-split, '
says 'row-major, any device: panel/dense, 10,974 rows, '
run spmm-inspect --device any "$matrix" -f --compute f32 -o "$work/free.plan"
exits 0
says 'column-major, any device: tiled/whole, 10,974 units, 256 a row block'
says 'row-major, any device: rows/row-split, '
run spmm-run "$work/free.plan" --device cpu -n 256 --layout col --check "$matrix"
exits 0
says 'cpu/rows/row-split'

run spmm-inspect gen:rmat:10:8 --explain --op both
exits 0
says 'nonzeros: 6705, it is considered from 20000 on'
says 'variant 0: chosen '
says 'variant 1: refused'
says 'op T'

run spmm-inspect -q gen:diag:3 -o "$work/quiet.plan"
exits 0
silent
silent_err

# ---- A plan of several variants: one line per variant, and one per decision ----
run spmm-inspect --device any gen:arrow:2000 --op both --kernel rows -o "$work/two.plan"
exits 0
says 'variant 0  op N, f32, any n, both layouts, any device: rows/nonzero-split, '
says 'variant 1  op N, f32, any n, both layouts, CPU: rows/row-split, '
says 'variant 2  op T, f32, any n, both layouts, any device: rows/nonzero-split, '
says 'variant 3  op T, f32, any n, both layouts, CPU: rows/row-split, '
says 'choice     variants 0, 2: rows/nonzero-split: predicted '
says '           variants 1, 3: rows/row-split: predicted '
says_times 2 ', the alternative '
run spmm-inspect --device any gen:arrow:2000 --op both --kernel rows --explain
exits 0
says 'variant 0: refused rows/row-split: predicted '
says 'variant 3: chosen  rows/row-split: predicted '
says_times 4 ', the alternative '
run spmm-inspect --device any gen:diag:5
exits 0
says ', both layouts, any device: rows/row-split, 1 item, item size 8'
says ': rows/row-split: predicted '
run spmm-inspect --device any gen:arrow:2000 --json
exits 0
is_json '[(v["n_min"], v["n_max"], v["target"]) for v in j["variants"]] == [(1, 2**31 - 1, 0), (1, 2**31 - 1, 1)]'
is_json '[v["parts"][0]["schedule"] for v in j["variants"]] == ["nonzero-split", "row-split"]'
is_json '[(t["variant"], t["schedule"]) for t in j["trace"] if t["chosen"] and t["variant"] < 2] == [(0, "nonzero-split"), (1, "row-split")]'
run spmm-inspect -n 1,64 --schedule row-split gen:diag:5
exits 0
says 'variant 1  op N, f32, n in 49..96, '
says 'choice     variant 0: rows/row-split: the caller named this schedule; predicted '
says_times 2 'the caller named'

# ---- The plan does not depend on the number of threads ----
run spmm-inspect -q gen:rmat:12:20 --op both --threads 1 -o "$work/t1.plan"
exits 0
run spmm-inspect -q gen:rmat:12:20 --op both --threads 5 -o "$work/t5.plan"
exits 0
same "$work/t1.plan" "$work/t5.plan"

# ---- Options reach the plan ----
run spmm-inspect --json gen:band:40:9 --dtype f64 --layout col --op T --device h100 -n 1,8,64 --schedule nonzero-split
exits 0
is_json 'j["dtype"] == "f64" and j["plan"] is None and j["plan_bytes"] is None'
is_json 'j["variants"][0]["op"] == "T" and j["variants"][0]["layouts"] == ["col"]'
is_json 'j["variants"][0]["target"] == 90 and j["variants"][0]["parts"][0]["schedule"] == "nonzero-split"'
run spmm-inspect --json gen:band:40:9 --schedule nonzero-split --kernel cpu/rows --device cpu
exits 0
is_json '[t["schedule"] for t in j["trace"] if t["chosen"]][0] == "nonzero-split"'
run spmm-inspect --json gen:band:40:9 --force-kernel=rows/nonzero-split --pattern-only
exits 0
is_json 'not j["has_values"] and j["values_digest"] is None'
is_json 'j["variants"][0]["parts"][0]["schedule"] == "nonzero-split"'

# ---- The tiled family: the path through the decision chart, with its numbers ----
run spmm-inspect --device any --kernel tiled --explain -n 64 --layout col gen:arrow:20000
exits 0
says 'tiled/segmented, '
says 'item size 3'
says 'refused tiled/segmented: 2.394 thread blocks per multiprocessor; below 0.65 rows are cut'
says 'refused tiled/whole: sigma / mu is 47.'
says 'refused tiled/whole: sigma / mu is 47.'
says 'flop/byte with the permutation'
says 'rho = '
says 'Z = '
says 'Gamma = C / L = '
says 'predicted '
says 'Eq. 6, cold misses (Gamma = C / L): '
says 'roofline    of any: 4814 GB/s, '
run spmm-inspect --kernel tiled --explain -n 512 --layout col --balance none --device a100 gen:diag:3200
exits 0
says 'Eq. 2, naive: 0.08333 flop/byte, 129.6 GFLOP/s'
says 'Eq. 3, R = 16, algorithmic: 0.2254 flop/byte, 350.4 GFLOP/s'
says 'Eq. 3, all misses (Gamma = C): 0.2254 flop/byte, 350.4 GFLOP/s'
says 'roofline    of a100: 1555 GB/s, at most 19500.0 GFLOP/s'
run spmm-inspect --device any --kernel tiled --json -n 512 --layout col --balance none gen:diag:3200
exits 0
is_json 'j["panels"]["model"]["equation"] == 3 and j["panels"]["model"]["device"] == "any"'
is_json 'abs(j["panels"]["model"]["algorithmic"]["intensity"] - 16 / 71) < 1e-15'
is_json 'j["panels"]["model"]["cold_miss"]["gflops"] > 0'
run spmm-inspect --device any --kernel tiled --explain -n 64 gen:dense:64:1000
exits 0
says 'refused tiled/whole: 0.061 thread blocks per multiprocessor; below 0.65 rows are cut'
says 'item size 61'
run spmm-inspect --kernel tiled --explain -n 64 gen:band:20000:3
exits 0
says 'refused tiled/segmented: sigma / mu is 0.0'
run spmm-inspect --json -n 64 --kernel tiled --balance segments:5 --reorder radix --panel-rows 64 --stage-slots 100 gen:band:20000:3
exits 0
is_json 'len(j["variants"]) == 1'
is_json 'j["variants"][0]["parts"][0]["family"] == "tiled" and j["variants"][0]["parts"][0]["granule"] == 5'
is_json 'j["panels"]["panel_rows"] == 64 and j["panels"]["stage_slots"] == 100 and j["panels"]["is_reordered"]'
is_json '[t["schedule"] for t in j["trace"] if t["chosen"]] == ["segmented", "segmented"]'
run spmm-inspect --json -n 64 --kernel tiled --balance chart --u-min 0.01 --cv-max 99 --segment-scale 4 --segment-least 9 gen:arrow:20000
exits 0
is_json 'j["variants"][0]["parts"][0]["schedule"] == "whole"'
run spmm-inspect --json -n 64 --kernel tiled --segment-scale 4 --segment-least 9 gen:arrow:20000
exits 0
is_json 'j["variants"][0]["parts"][0]["granule"] == 12'
for how in radix jaccard minhash rcm communities growing; do
    run spmm-inspect --json -n 64 --kernel tiled --balance segments:9 --reorder $how gen:femshuf:9:9:9
    exits 0
    is_json 'j["panels"]["is_reordered"] and j["panels"]["rho"] > 1'
done
# ---- Tensor cores: named kernels, their options, and the candidates that are left out ----
for kernel in window/dense window/packed panel/dense panel/packed; do
    run spmm-inspect --device any --kernel $kernel -n 64 --reorder none gen:fem3:5:5:9 -o "$work/tensor.plan"
    exits 0
    says "op N, 3xtf32, n in 49..96, both layouts, any device: $kernel, 675 rows"
    run spmm-run "$work/tensor.plan" --device cpu -n 64 --check gen:fem3:5:5:9
    exits 0
    says "cpu/$kernel"
done
# Rows that are far longer than the others are split off, unless an option forbids it.
run spmm-inspect --explain --kernel window/dense --device h200 -n 64 --reorder none gen:hubs:8000:32:10 -o "$work/peeled.plan"
exits 0
says 'window/dense, 7,990 rows, 8 a row window'
says 'rows/nonzero-split, 10 rows split off'
says '80000 nonzeros of 10 long rows are computed by a separate kernel'
says 'blocks without the long rows'
run spmm-run "$work/peeled.plan" --device cpu -n 3 --layout col --beta 0.5 --check gen:hubs:8000:32:10
exits 0
says 'cpu/window/dense/peeled/3xtf32'
run spmm-inspect --json --kernel window/dense --device h200 -n 64 --reorder none gen:hubs:8000:32:10
exits 0
is_json '[p.get("is_peeled", False) for p in j["variants"][0]["parts"]] == [False, True]'
run spmm-inspect --json --kernel window/dense --device h200 -n 64 --reorder none --long-rows keep gen:hubs:8000:32:10 -o "$work/keep.plan"
exits 0
is_json 'len(j["variants"][0]["parts"]) == 1 and not any("long row" in t["reason"] for t in j["trace"])'
# The old spelling of the option.
run spmm-inspect --kernel window/dense --device h200 -n 64 --reorder none --peel none gen:hubs:8000:32:10 -o "$work/none.plan"
exits 0
cmp "$work/keep.plan" "$work/none.plan" || wrong '--peel none is not --long-rows keep'
run spmm-inspect --device any --explain --kernel panel --panel-rows 128 --compute tf32 --reorder minhash -n 64 gen:femshuf:9:9:9
exits 0
says 'op N, tf32, n in 49..96, both layouts, any device: panel/'
says '128 a row block, reordered'
says 'blocks after minhash'
says 'Permutations of op N, 2,187 rows'
run spmm-inspect --json --kernel panel --reorder minhash -n 64 gen:femshuf:9:9:9
exits 0
is_json '[o["order"] for o in j["order_stats"]] == ["none", "minhash"] and len(j["order_stats"][1]["reuse"]) == 6'
is_json 'j["order_stats"][1]["blocks"]["16x8"]["mean"] < j["order_stats"][0]["blocks"]["16x8"]["mean"]'
run spmm-inspect --json --kernel window/packed --dtype f16 -n 8,64 gen:fem3:5:5:9
exits 0
is_json '[v["compute"] for v in j["variants"]] == ["f16", "f16"] and j["variants"][0]["parts"][0]["panel_rows"] == 8'
is_json '[t["family"] for t in j["trace"] if t["chosen"] and t["variant"] == 0][0] == "window"'
run spmm-inspect --device any --kernel bcsr --panel-rows 128 --compute tf32 --reorder none -n 64 gen:fem3:5:5:9
exits 0
says 'op N, tf32, n in 49..96, both layouts, any device: bcsr/dense, 675 rows, 128 a block-row group'
run spmm-inspect --kernel bcsr --panel-rows 256 gen:diag:3
exits 2
says_err 'block_rows of the kernel bcsr must be 64 or 128, found 256 (--panel-rows)'
run spmm-inspect --kernel window --compute f32 gen:diag:3
exits 2
says_err 'window runs on tensor cores'
run spmm-inspect --kernel panel --dtype f64 --compute tf32 gen:diag:3
exits 2
says_err 'values of type f64 are not multiplied as tf32'

run spmm-inspect --orders gen:femshuf:5:5:5
exits 0
says 'minhash'
run spmm-inspect --orders --json gen:femshuf:5:5:5
exits 0
is_json '[o["order"] for o in j["orders"]][:7] == ["none", "radix", "jaccard", "minhash", "rcm", "communities", "growing"]'
is_json 'j["orders"][3]["blocks"]["8x8"]["count"] < j["orders"][0]["blocks"]["8x8"]["count"] and not j["orders"][3]["is_natural"]'
is_json 'all(abs(r * f - j["nnz"]) < 1e-6 * j["nnz"] for o in j["orders"] for r, f in zip(o["reuse"], o["footprint"]))'
run spmm-inspect --orders --json gen:uniform:40:30:2
exits 0
is_json '[o["order"] for o in j["orders"]]== ["none", "radix", "jaccard", "minhash", "communities"]'
run spmm-inspect --json --symmetric-permutation gen:femshuf:5:5:5 -o "$work/symmetric.plan"
exits 0
is_json 'j["symmetric_permutation"]'
run spmm-info --json "$work/symmetric.plan"
exits 0
is_json 'sorted(j["symmetric_order"]) == list(range(375)) and j["symmetric_order"] != list(range(375))'
run spmm-info "$work/symmetric.plan"
exits 0
says 'callers permute B and C'
run spmm-info -q --matches gen:femshuf:5:5:5 "$work/symmetric.plan"
exits 0
run spmm-info -q --matches gen:femshuf:5:5:4 "$work/symmetric.plan"
exits 4
run spmm-info -q --matches gen:fem3:5:5:5 "$work/symmetric.plan"
exits 4
run spmm-run "$work/symmetric.plan" -n 5 --check gen:femshuf:5:5:5 --device cpu --repeat 0
exits 0
says 'check      right'
says 'note       A is PAP^T: the rows of B and C are in the permuted order'
run spmm-run "$work/symmetric.plan" -n 5 --device cpu --repeat 0 --json
exits 0
is_json 'j["symmetric_permutation"]'
spmm-inspect -q gen:femshuf:5:5:5 -o "$work/plain.plan"
run spmm-run "$work/plain.plan" -n 5 --device cpu --repeat 0
exits 0
says_not 'PAP^T'
for how in auto rcm; do
    run spmm-inspect --symmetric-permutation --reorder $how --kernel rows gen:band:100:3
    exits 0
    says 'symmetric  refused: '
    says '; the plan is that of A'
done
run spmm-inspect --json --symmetric-permutation --reorder rcm --kernel rows gen:band:100:3
exits 0
is_json 'not j["symmetric_permutation"]'
# The rows family with a permutation that the caller names.
run spmm-inspect --device h200 --symmetric-permutation --reorder communities --kernel rows gen:rmat:10:9 -o "$work/communities.plan"
exits 0
run spmm-run "$work/communities.plan" -n 5 --check gen:rmat:10:9 --device cpu --repeat 0
exits 0
says 'check      right'
run spmm-inspect --device h200 --reorder communities --kernel rows gen:rmat:10:9
exits 2
says_err 'rows, which supports neither reorder'
run spmm-inspect --json --device h200 --kernel panel -n 64 --reorder communities gen:rmat:10:9 -o "$work/communities.plan"
exits 0
run spmm-info --json "$work/communities.plan"
exits 0
is_json 'j["format_minor"] == 7 and any(t["order"] == "communities" for t in j["trace"])'
run spmm-inspect --device any --permuted-output --reorder radix gen:femshuf:9:9:9 -o "$work/permuted.plan"
exits 0
says 'op N, f32, any n, both layouts, any device: tiled/whole'
says_not 'refused'
run spmm-info "$work/permuted.plan"
exits 0
says 'tiled/whole'
run spmm-inspect --permuted-output gen:band:100:3
exits 0
says 'output     refused: no permutation of the rows was chosen; C is in the order of A'

# ---- Without --device: any device if there is a GPU, else the CPU, which one line reports ----
run spmm-inspect gen:band:300:9 -o "$work/default.plan"
exits 0
if spmm-run "$work/default.plan" -n 1 --device cuda --repeat 0 >/dev/null 2>&1; then
    says_not 'device     the CPU'
    says 'any device: '
else
    says_times 1 'device     the CPU, as this '
    says '; --device any, a100, h100 or h200 makes plans for GPUs'
    says 'both layouts, CPU: '
    says_not 'any device: '
    spmm-inspect -q --device cpu gen:band:300:9 -o "$work/cpu.plan"
    same "$work/cpu.plan" "$work/default.plan"
    run spmm-inspect --json gen:diag:5
    exits 0
    is_json 'j["device"] == "cpu" and j["device_reason"].startswith("this ")'
fi
for named in '--device any' '--device h200' '--kernel cuda/rows'; do
    # shellcheck disable=SC2086 # two words
    run spmm-inspect $named gen:diag:5
    exits 0
    says_not 'device     the CPU'
done
run spmm-inspect --device any --json gen:diag:5
exits 0
is_json 'j["device"] == "any" and j["device_reason"] is None and {v["target"] for v in j["variants"]} == {0, 1}'
run spmm-inspect --help
says 'on a machine without a GPU cpu, where --device any'

# ---- Notes of the reader ----
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 2\n1 1 3\n2 2 0\n3 3 nan\n3 1 inf\n' >"$work/n.mtx"
run spmm-inspect "$work/n.mtx"
exits 0
says '1 duplicate entry was summed'
says '1 entry of value 0 was kept (--drop-zeros leaves it out)'
says '2 values are NaN or infinite'
run spmm-inspect --drop-zeros --json "$work/n.mtx"
exits 0
is_json 'j["nnz"] == 3 and j["input"]["zeros_dropped"] == 1 and j["input"]["duplicates_summed"] == 1'

# ---- Standard input and output ----
run spmm-inspect - <"$work/n.mtx"
exits 0
says '3 x 3, 4 nonzeros'
run spmm-inspect "$work/n.mtx"
says 'MB/s of the file)'
run spmm-inspect gen:diag:5 -o -
exits 0
says_err '5 x 5, 5 nonzeros'
spmm-inspect -q gen:diag:5 -o "$work/d.plan"
same "$work/.out" "$work/d.plan"
run spmm-inspect - <&-
exits 1
one_line_err
run bash -c 'spmm-inspect gen:diag:5 -o - >/dev/full'
exits 1
says_err 'No space left on device'
run bash -c 'spmm-inspect gen:diag:5 >/dev/full'
exits 1
says_err 'No space left on device'
run bash -c 'spmm-inspect gen:diag:5 >&-'
exits 1
run bash -c 'spmm-inspect --help >/dev/full'
exits 1

# ---- Existing files ----
run spmm-inspect -q gen:diag:6 -o "$work/d.plan"
exits 0
echo 'my thesis' >"$work/thesis"
run spmm-inspect gen:diag:5 -o "$work/thesis"
exits 2
says_err 'exists and is not a plan; use -f to overwrite it'
checks=$((checks + 1))
[ "$(cat "$work/thesis")" = 'my thesis' ] || wrong 'expected the file untouched'
run spmm-inspect -q -f gen:diag:6 -o "$work/thesis"
exits 0
same "$work/thesis" "$work/d.plan"
run spmm-inspect gen:diag:5 -o /dev/null
exits 2
says_err 'is no regular file'
run spmm-inspect gen:diag:5 -o "$work"
exits 2
run spmm-inspect gen:diag:5 -o "$work/no/such/folder/a.plan"
exits 1
one_line_err
missing "$work/no"

# ---- Refused inputs: exit status 3, one sentence with file and line, no plan ----
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n4 1 1\n' >"$work/bad.mtx"
run spmm-inspect "$work/bad.mtx" -o "$work/bad.plan"
exits 3
says_err "spmm-inspect: $work/bad.mtx, line 4: expected a row index from 1 to 3, found \"4\""
one_line_err
silent
missing "$work/bad.plan"
printf 'hello\n' >"$work/text.mtx"
run spmm-inspect "$work/text.mtx"
exits 3
one_line_err
run spmm-inspect - </dev/null
exits 3
one_line_err
printf '%% a comment\n3 2\n2 3\n1\n1\n' >"$work/a.graph"
run spmm-inspect "$work/a.graph"
exits 0
says 'metis, pattern, symmetric'
printf '1 2\n2 3\n' >"$work/a.edges"
run spmm-inspect "$work/a.edges"
exits 3
says_err '--base 0 or --base 1 of spmm-inspect says which'
one_line_err
run spmm-inspect --base 1 --vertices 7 "$work/a.edges"
exits 0
says '7 x 7'
run spmm-inspect --base 1 --vertices 2 "$work/a.edges"
exits 3
says_err 'line 2: expected a vertex from 1 to 2, found "3"'
head -c 2000 "$matrix" >"$work/cut.mtx.zst"
run spmm-inspect "$work/cut.mtx.zst"
exits 3
printf '%%%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n' >"$work/complex.mtx"
run spmm-inspect "$work/complex.mtx"
exits 3
says_err '--real-part or --abs of spmm-inspect reads one number of each'
run spmm-inspect --abs "$work/complex.mtx"
exits 0
says 'matrix-market, complex, general'
run spmm-inspect --abs --real-part "$work/complex.mtx"
exits 2
says_err '--real-part and --abs contradict each other'
printf 'MATLAB 7.3 MAT-file' >"$work/new.mat"
run spmm-inspect "$work/new.mat"
exits 3
says_err 'expected the signature of HDF5 after the header of MATLAB'
formats=$(dirname "$matrix")/formats
run spmm-inspect "$formats/v73_problem.mat"
exits 0
says '6 x 5'
run spmm-inspect --variable N_int8 "$formats/v73_kinds.mat.zst"
exits 0
says '2 x 3'
run spmm-inspect --variable x "$formats/v7.mat"
exits 0
says '1 x 1'
run spmm-inspect "$formats/problem.mat"
exits 0
says 'mat, real, general'
name=$(printf '%s/evil\033[31m.mtx' "$work")
printf 'hello\n' >"$name"
run spmm-inspect "$name"
exits 3
says_err 'evil\x1b[31m'
printf '%%%%MatrixMarket matrix coordinate real general\n2 3 1\n2 3 -1e39\n' >"$work/large.mtx"
run spmm-inspect "$work/large.mtx"
exits 2
says_err 'row 2, column 3'
says_err '--dtype f64'
run spmm-inspect --dtype f64 "$work/large.mtx"
exits 0

# ---- Run-time failures ----
run spmm-inspect "$work/none.mtx"
exits 1
says_err 'No such file'
one_line_err
run spmm-inspect "$work"
exits 1
one_line_err

# ---- Usage ----
run spmm-inspect
exits 2
says_err 'spmm-inspect [options] MATRIX'
says_err "Try 'spmm-inspect --help'."
silent
run spmm-inspect --dytpe f64 gen:diag:1
exits 2
says_err "did you mean '--dtype'?"
run spmm-inspect --xyzzy gen:diag:1
exits 2
says_err "unknown option '--xyzzy'"
says_not 'did you mean'
run spmm-inspect -z gen:diag:1
exits 2
says_err "unknown option '-z'"
run spmm-inspect gen:diag:1 gen:diag:2
exits 2
says_err "one argument too many: 'gen:diag:2', after 'gen:diag:1'; --product and --triple take several"
run spmm-inspect --tune 3 gen:diag:2 # the number belongs to the option only behind =
exits 2
says_err "one argument too many: 'gen:diag:2', after '3'"
run spmm-inspect --help=html
exits 2
says_err "--help: expected no value, or one of man, bash, zsh, fish, found 'html'"
run spmm-inspect --version=2
exits 2
says_err '--version takes no value'
run spmm-inspect gen:diag:1 -o
exits 2
says_err '-o needs a value'
run spmm-inspect --dtype f8 gen:diag:1
exits 2
says_err "expected one of f32, f64, f16, bf16, found 'f8'"
run spmm-inspect -n 8,x gen:diag:1
exits 2
says_err "whole numbers with commas"
run spmm-inspect -n 0 gen:diag:1
exits 2
says_err 'in 1..2147483647, found 0'
run spmm-inspect --level 20 gen:diag:1
exits 2
run spmm-inspect --level 99999999999999999999 gen:diag:1
exits 2
run spmm-inspect --quiet=yes gen:diag:1
exits 2
says_err 'takes no value'
run spmm-inspect --device h300 gen:diag:1
exits 2
says_err 'any, cpu, a100, h100, h200'
run spmm-inspect --force-kernel tiled/x gen:diag:1
exits 2
says_err 'force_kernel is "tiled/x", expected tiled, tiled/whole or tiled/segmented (--kernel)'
run spmm-inspect --kernel x gen:diag:1
exits 2
says_err 'force_kernel is "x", expected rows, tiled, window, panel, bcsr, dense or wide (--kernel)'
run spmm-inspect --balance half gen:diag:1
exits 2
says_err "segments or segments:LENGTH, found 'half'"
for how in segments: segments:0 segments:x segments:-3 segments:9999999999 none:4 seg; do
    run spmm-inspect --balance "$how" gen:diag:1
    exits 2
    says_err "found '$how'"
done
run spmm-inspect --kernel rows --reorder radix gen:diag:1
exits 2
says_err 'the named kernel is rows'
run spmm-inspect --symmetric-permutation gen:uniform:40:30:2
exits 2
says_err 'needs a square matrix, found 40 x 30'
run spmm-inspect --symmetric-permutation --reorder none gen:diag:1
exits 2
says_err 'contradict'
run spmm-inspect --symmetric-permutation --permuted-output gen:diag:1
exits 2
says_err 'contradict'
run spmm-inspect --reorder nearest gen:diag:1
exits 2
says_err 'jaccard'
run spmm-inspect --reorder rcm gen:uniform:40:30:2
exits 2
says_err 'rcm needs a square matrix, found 40 x 30'
run spmm-inspect --reorder jaccard gen:diag:20001
exits 2
says_err 'at most 20000 rows or segments, found 20001'
run spmm-inspect --panel-rows 48 gen:diag:1
exits 2
says_err '32, 64, 128 or 256, found 48'
run spmm-inspect --permuted-output --op both gen:diag:1
exits 2
says_err 'op N only'
run spmm-inspect --permuted-output --balance segments gen:diag:1
exits 2
says_err 'needs whole rows'
run spmm-inspect --schedule row-split --force-kernel rows/nonzero-split gen:diag:1
exits 2
says_err 'contradict'
for family in window panel; do
    run spmm-inspect --schedule packed --kernel $family --json -n 64 --device cpu gen:fem3:3:3:3
    exits 0
    is_json '{(p["family"], p["schedule"]) for v in j["variants"] for p in v["parts"]} == {("'$family'", "packed")}'
done
run spmm-inspect --schedule dense gen:diag:1
exits 2
says_err '--schedule dense is one of several families: name it as --kernel FAMILY/dense'
run spmm-inspect --schedule packed --kernel bcsr gen:diag:1
exits 2
says_err '--kernel bcsr and --schedule packed contradict each other'
run spmm-inspect --schedule row-split --kernel tiled gen:diag:1
exits 2
says_err '--kernel tiled and --schedule row-split contradict each other'
run spmm-inspect --kernel cuda/tiled/whole/r8 gen:diag:1
exits 2
says_err 'ends with its schedule, found "cuda/tiled/whole/r8"'
run spmm-inspect --kernel cuda/rows --device cpu gen:diag:1
exits 2
says_err 'a kernel of GPUs'
run spmm-inspect --json gen:diag:1 -o -
exits 2
run spmm-inspect gen:nothing:1
exits 2
says_err 'one of fem3, femshuf, '
run spmm-inspect -- -o
exits 1
says_err '-o: '

# ---- Progress: a line on a terminal, erased at the end ----
erase=$(printf '\r\033[K')
run script -qec 'spmm-inspect gen:rmat:17:16' /dev/null
exits 0
says "$erase"
says 'gen:rmat:17:16: 131,072 x 131,072'
run script -qec 'spmm-inspect -q gen:rmat:17:16' /dev/null
exits 0
silent

# ---- Help ----
run spmm-inspect --help
exits 0
silent_err
says 'Examples'
says '--force-kernel NAME'
run spmm-inspect --version
exits 0
says 'spmm-inspect 0.3.0'
# The help and the message about an unknown generator name every generator.
for list in '--help' 'gen:nothing:1'; do
    run spmm-inspect $list
    checks=$((checks + 1))
    [ "$(grep -c '^GENERATOR(' "$source_dir/inspector/generate/generator_list.def")" -ge 15 ] || wrong 'expected generators'
    while read -r name; do
        checks=$((checks + 1))
        cat "$work/.out" "$work/.err" | grep -E "(gen:|[ ,])${name}[:, ]" >/dev/null || wrong "expected the generator $name"
    done < <(sed -n 's/^GENERATOR(\([a-z0-9]*\),.*/\1/p' "$source_dir/inspector/generate/generator_list.def")
done

# ---- Budgets ----
printf '%%%%MatrixMarket matrix coordinate pattern general\n2147483646 2147483646 0\n' >"$work/huge.mtx"
run spmm-inspect --budget 1G "$work/huge.mtx"
exits 1
says_err 'of the budget of 1073741824'
says_err 'SPMM_ERR_MEMORY'
run spmm-inspect -q --budget 64K gen:diag:3
exits 0
for bytes in 0 -1 1T 1KB K 9000000000G ''; do
    run spmm-inspect --budget "$bytes" "$work/huge.mtx"
    exits 2
    says_err "--budget: expected a number of bytes such as 500M (suffixes K, M, G), found '$bytes'"
done

finish
