#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# spmm-info: what it shows, what it refuses, how it compares plans.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1
matrix=$source_dir/tests/data/bcsstk17.mtx.zst
plan=$work/a.plan
spmm-inspect -q --device any "$matrix" -o "$plan"

# ---- Output: one screen of text, and the rest with --full ----
run spmm-info "$plan"
exits 0
silent_err
says 'format 1.7, f32, with values, made by spmm-inspector 0.3.0'
says '10,974 x 10,974, 428,650 nonzeros'
says 'panel/dense, 10,974 rows, '
says 'choice     variant 0: rows/row-split: predicted '
says 'more       --full shows every variant and candidate, the permutations, the row lengths, the row blocks and the sections'
for absent in refused 'Row lengths' 'Row blocks' 'Permutations' 'Sections'; do
    says_not "$absent"
done
spmm-inspect -q --device any "$matrix" --op both -o "$work/many.plan"
for short in "$plan" "$work/many.plan" "$source_dir/tests/golden/good/fragments_traced.plan"; do
    run spmm-info "$short"
    exits 0
    checks=$((checks + 1))
    [ "$(wc -l <"$work/.out")" -le 30 ] || wrong 'expected at most 30 lines'
done
spmm-inspect -q --device any "$matrix" --layout row -o "$work/few.plan"
run spmm-info "$work/few.plan"
exits 0
says 'more       --full shows every candidate, the permutations, the row lengths, the row blocks and the sections'
spmm-inspect -q --device h200,a100 "$matrix" --op both -n 1,2,4,8,16,32,64,128,256,512 -o "$work/many.plan"
run spmm-info "$work/many.plan"
exits 0
says 'more       --full shows every variant and candidate'
checks=$((checks + 1))
[ "$(wc -l <"$work/.out")" -eq 30 ] || wrong 'expected 30 lines'
run spmm-info --full "$work/many.plan"
exits 0
says 'variant 15'
run spmm-info --full "$plan"
exits 0
silent_err
says 'format 1.7, f32, with values, made by spmm-inspector 0.3.0'
says '10,974 x 10,974, 428,650 nonzeros'
says 'of CSR'
says 'rows/nonzero-split, 53,582 items'
says 'panel/dense, 10,974 rows, '
says 'variant 0: chosen '
says 'Row lengths'
says '32-63'
says '####'
says 'Sections'
says 'col-ind'
says_not 'Verified'
run spmm-info --full --verify "$plan"
exits 0
says 'Verified'
says 'cover every nonzero once'
run spmm-info --json "$plan"
exits 0
is_json 'j["file_bytes"] == '"$(stat -c %s "$plan")"' and j["verified"] and j["nnz"] == 428650'
is_json 'sum(j["statistics"]["row_histogram"]) == 10974 and j["statistics"]["diagonal"] == 10974'
is_json 'j["statistics"]["row_max"] == 150 and j["statistics"]["zeros"] == 0'
is_json 'sum(s["stored_bytes"] for s in j["sections"]) < j["file_bytes"] and len(j["sections"]) >= 8'
is_json 'len(j["pattern_digest"]) == 32 and len(j["values_digest"]) == 32'
is_json 'j["writer"] == "spmm-inspector " + j["version"]'
is_json '[v["stream"] is None for v in j["variants"]] == [v["target"] == 1 or v["parts"][0]["family"] != "rows"
    for v in j["variants"]]'
run spmm-info -q "$plan"
exits 0
silent

# ---- How a GPU will store op(A): by its columns, its values, the evenness of its rows ----
run spmm-info "$plan"
says 'stream     of rows on a GPU, op N: columns of 16 bits'
says_not 'no values'
spmm-inspect -q --device h100 gen:rand:200000:6 --op both -n 1 --kernel rows --schedule row-split -o "$work/wide.plan"
run spmm-info "$work/wide.plan"
says 'stream     of rows on a GPU, op N: columns of 32 bits; one column: slices, columns of 20 bits'
says '           of rows on a GPU, op T: columns of 32 bits'
run spmm-info --json "$work/wide.plan"
is_json 'j["variants"][0]["stream"] == {"column_bits": 32, "has_uniform_values": False, "slice_bits": 20, "slice_run": 1}'
printf '%%%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1\n1 2\n2 2\n' >"$work/ones.mtx"
spmm-inspect -q --device h100 "$work/ones.mtx" -n 1 --kernel rows --schedule row-split -o "$work/ones.plan"
run spmm-info "$work/ones.plan"
says 'op N: columns of 16 bits, no values'
spmm-inspect -q --device h100 gen:fem3:9:9:20 -n 1 --kernel rows --schedule row-split -o "$work/nodes.plan"
run spmm-info "$work/nodes.plan"
says '; one column: slices, columns of 16 bits for 3 nonzeros each'
spmm-inspect -q --device cpu "$matrix" -o "$work/cpu.plan"
run spmm-info "$work/cpu.plan"
says_not 'stream '
run spmm-info - <"$plan"
exits 0
says '428,650 nonzeros'
# ---- Standard input is read only up to the end of the plan, which the header defines ----
run timeout 10 spmm-info - </dev/zero
exits 3
one_line_err
says_err 'SPMM_ERR_PLAN_MAGIC'
run timeout 10 spmm-info - < <(cat "$plan" /dev/zero)
exits 3
says_err 'SPMM_ERR_PLAN_HEADER'
run timeout 10 spmm-info --budget 100K - < <(cat "$plan" /dev/zero)
exits 3
says_err 'SPMM_ERR_PLAN_BUDGET'
run spmm-info - < <(head -c 100 "$plan")
exits 3
says_err 'SPMM_ERR_PLAN_TRUNCATED'
run spmm-info - < <(head -c 100000 "$plan")
exits 3
says_err 'SPMM_ERR_PLAN_TRUNCATED'
spmm-inspect -q --device any gen:arrow:2000 --op both --kernel rows -o "$work/two.plan"
run spmm-info --full --verify "$work/two.plan"
exits 0
says 'variant 1  op N, f32, any n, both layouts, CPU: rows/row-split, '
says 'variant 2: chosen  rows/nonzero-split: '
says 'part 3'
run spmm-info --json "$work/two.plan"
exits 0
is_json 'len(j["variants"]) == 4 and len({v["parts"][0]["schedule"] + v["op"] for v in j["variants"]}) == 4'
for spec in gen:empty:0:0 gen:empty:3:0 gen:diag:1 gen:dense:1:3000; do
    spmm-inspect -q "$spec" -o "$work/small.plan"
    run spmm-info --full --verify "$work/small.plan"
    exits 0
    for wrong in ': 1 nonzeros' ' 1 rows' ' 1 columns' ' 1 items' ' 1 candidates'; do says_not "$wrong"; done
    run spmm-info --json "$work/small.plan"
    exits 0
    is_json
done

# ---- Parts for tensor cores, and candidates that differ only in their compute type ----
run spmm-info --full --verify "$source_dir/tests/golden/good/panel_permuted.plan"
exits 0
says 'op N, tf32, any n, both layouts, any device: panel/packed, 90 rows, 64 a row block, reordered, permuted output, item size 3'
says 'panel/packed in tf32: 4.25 nonzeros per block of 8 x 8; below 9.35 tensor cores are slower; predicted 12.5 us'
run spmm-info --json "$source_dir/tests/golden/good/panel_permuted.plan"
exits 0
is_json '[(v["compute"], v["parts"][0]["panel_rows"]) for v in j["variants"]] == [("tf32", 64)] * 2'
is_json 'all(p["is_reordered"] and p["permutes_output"] and "stage_slots" not in p for v in j["variants"] for p in v["parts"])'
run spmm-info --full "$source_dir/tests/golden/good/window_reordered.plan"
exits 0
says 'op N, f64, any n, both layouts, any device: window/dense, 100 rows, 8 a row window, reordered, item size 16777216'
says 'window/dense: 4.25 nonzeros per block'
run spmm-info --full --verify "$source_dir/tests/golden/good/fragments_traced.plan"
exits 0
says 'refused window/packed in 3xtf32: predicted 15.00 us, the winner 12.50 us'
says_not 'us; predicted '
says 'refused panel/dense in tf32: 8 blocks after minhash, 8 before'
run spmm-info --json "$source_dir/tests/golden/good/fragments_traced.plan"
exits 0
is_json '[(t["compute"], t["order"]) for t in j["trace"]] == [("f32", None), ("3xtf32", None), ("tf32", "minhash")]'

# ---- A plan of a newer version: the message names the unknown feature and the remedy ----
for newer in "$source_dir/tests/golden/bad/header_incompat.plan" -; do
    run spmm-info "$newer" <"$source_dir/tests/golden/bad/header_incompat.plan"
    exits 4
    says_err 'needs features that this library does not have: bits 40; '
    says_err 'this is spmm 0.3.0: update spmm'
    one_line_err
done
for newer in "$source_dir/tests/golden/bad/header_major.plan" -; do
    run spmm-info "$newer" <"$source_dir/tests/golden/bad/header_major.plan"
    exits 4
    says_err 'the plan has format 2.0, this library reads 1.x; this is spmm 0.3.0: update spmm (SPMM_ERR_PLAN_VERSION)'
    one_line_err
done
for told in '\0\0\0\0\0\0\0\0' '\1\0\0\0\0\0\0\0' '\377\0\0\0\0\0\0\0' '\377\377\377\377\377\377\377\377'; do
    cp "$source_dir/tests/golden/bad/header_incompat.plan" "$work/length.plan"
    printf '%b' "$told" | dd of="$work/length.plan" bs=1 seek=24 conv=notrunc status=none # its length
    run timeout 10 spmm-info - < <(cat "$work/length.plan" /dev/zero)
    exits 4
    says_err 'needs features that this library does not have: bits 40; this is spmm 0.3.0: update spmm'
    one_line_err
done

# ---- The writer of a plan: plans before format 1.5 do not name it ----
run spmm-info --full "$source_dir/tests/golden/good/writer.plan"
exits 0
says 'format 1.5, f32, pattern only, made by spmm-inspector 0.2.0'
run spmm-info --full "$source_dir/tests/golden/good/one_by_one.plan"
exits 0
says_not 'made by'
run spmm-info --json "$source_dir/tests/golden/good/one_by_one.plan"
exits 0
is_json 'j["writer"] == ""'

# ---- Metrics of permutations ----
run spmm-info --full "$source_dir/tests/golden/good/order_stats.plan"
exits 0
says 'Permutations of op N, '
run spmm-info --json "$source_dir/tests/golden/good/order_stats.plan"
exits 0
is_json '[(o["op"], o["order"]) for o in j["order_stats"]] == [("N", "none"), ("N", "minhash")]'
is_json 'j["order_stats"][1]["blocks"]["8x8"]["count"] == j["order_stats"][0]["blocks"]["8x8"]["count"] - 1'

# ---- Metrics of row blocks, for a plan that contains them and for one that does not ----
run spmm-info --full "$source_dir/tests/golden/good/panel_stats.plan"
exits 0
says 'tiled/segmented, 65 units, 32 a row block, stages of 447, item size 4'
says 'Row blocks'
says '3 row blocks, 48 thread blocks for n = 128 and R = 8: U = 0.3636 on 132 multiprocessors'
says 'reuse       rho = 1; by height of row blocks: 8: 1, 16: 1, 32: 1, 64: 1, 128: 1, 256: 1'
says_not 'nan'
run spmm-info --json "$source_dir/tests/golden/good/panel_stats.plan"
exits 0
is_json 'j["panels"]["panels"] == 3 and j["panels"]["blocks"] == 48 and j["panels"]["utilization"] == 48 / 132'
is_json '[h["panel_rows"] for h in j["panels"]["heights"]] == [8, 16, 32, 64, 128, 256]'
is_json 'len(j["panels"]["column_count"]) == 32 and len(j["panels"]["column_sum"]) == 32'
is_json 'j["variants"][0]["parts"][0]["panel_rows"] == 32 and not j["variants"][0]["parts"][0]["is_reordered"]'
spmm-inspect -q "$matrix" --kernel tiled --balance chart --reorder none --device h100 -o "$work/tiled.plan"
run spmm-info --full "$work/tiled.plan"
exits 0
says '256: 13.87'
says 'columns of 32-63 hold'
run spmm-info --json "$work/tiled.plan"
exits 0
is_json 'j["panels"]["units"] == 10974 and sum(j["panels"]["column_sum"]) == 428650'
is_json 'all(h["rho"] == 428650 / h["footprint"] for h in j["panels"]["heights"])'
is_json '[h["footprint"] for h in j["panels"]["heights"] if h["panel_rows"] == j["panels"]["panel_rows"]] == [
    j["panels"]["footprint_sum"]]'
is_json 'j["panels"]["padding"] == 32 * j["panels"]["slices"] / 428650'

# ---- The roofline of row blocks: mu = 39.06, R = 16, values of 4 bytes ----
spmm-inspect -q "$matrix" --kernel tiled --balance segments:20 --device h100 -n 64 -o "$work/cut.plan"
run spmm-info --full "$work/cut.plan"
exits 0
says 'intensity   Eq. 2, naive: 0.1625 flop/byte'
says 'Eq. 6, R = 16, algorithmic: '
says 'Eq. 6, all misses (Gamma = C): '
says 'Eq. 6, cold misses (Gamma = C / L): '
says_not 'GFLOP/s'
run spmm-info --device a100 "$work/cut.plan"
exits 0
says 'Eq. 2, naive: 0.1625 flop/byte, 252.7 GFLOP/s'
says 'roofline    of a100: 1555 GB/s, at most 19500.0 GFLOP/s'
run spmm-info --json "$work/cut.plan"
exits 0
is_json 'j["panels"]["model"]["equation"] == 6 and j["panels"]["model"]["naive"]["gflops"] is None'
is_json 'j["panels"]["model"]["device"] is None and j["panels"]["model"]["peak_gbs"] is None'
is_json 'abs(2 / j["panels"]["model"]["naive"]["intensity"] - 12 - 12 * 10974 / 428650) < 1e-9'
is_json 'all(abs(2 / j["panels"]["model"][bound]["intensity"] - 6 * p["padding"] / 16 - 4 * gamma / p["rho"]
    - 4 / (p["rho"] * p["unit_mean"]) - 12 / (16 * p["unit_mean"]) - 4 * 10974 / 428650) < 1e-9
    for p in [j["panels"]] for bound, gamma in (("algorithmic", 1), ("all_miss", p["line_cost"]),
                                                ("cold_miss", p["line_gamma"])))'
run spmm-info --json --device cpu "$work/cut.plan"
exits 0
is_json 'j["panels"]["model"]["device"] == "cpu" and j["panels"]["model"]["peak_gbs"] > 0'
is_json 'all(abs(m[b]["gflops"] - min(m["peak_gflops"], m[b]["intensity"] * m["peak_gbs"])) < 1e-9
    for m in [j["panels"]["model"]] for b in ("naive", "algorithmic", "all_miss", "cold_miss"))'
run spmm-info --device nonesuch "$work/cut.plan"
exits 2
silent
one_line_err
says_err 'expected a device of any, cpu, a100, h100, h200'
sed 's/^multiprocessors.*/multiprocessors = 131.5/' "$source_dir/inspector/profiles/h200.profile" >"$work/half.profile"
run spmm-info --device "$work/half.profile" "$work/cut.plan"
exits 2
says_err 'multiprocessors must be a whole number, found "131.5"'

# ---- A plan without metrics of row blocks ----
run spmm-info --device a100 "$source_dir/tests/golden/good/f32_row_split.plan"
exits 0
says_not 'Row blocks'
says_not 'flop/byte'
run spmm-info --json "$source_dir/tests/golden/good/f32_row_split.plan"
exits 0
is_json '"panels" not in j'

# ---- Names from files cannot send control sequences to the terminal ----
name=$(printf '%s/evil\033[31m"\\.mtx' "$work")
printf '%%%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n' >"$name"
spmm-inspect -q "$name" -o "$work/evil.plan"
run spmm-info --full "$work/evil.plan"
exits 0
checks=$((checks + 1))
if grep -q "$(printf '\033')" "$work/.out"; then wrong 'expected no escape character'; fi
run spmm-info --json "$work/evil.plan"
exits 0
is_json 'j["source"].startswith("evil") and j["source"].endswith(chr(34) + chr(92) + ".mtx")'

# ---- Messages name the input once, as on the command line ----
run spmm-info - </dev/null
says_err 'spmm-info: standard input: '
run spmm-info --matches "$work/none.mtx" "$plan"
exits 1
says_err "spmm-info: $work/none.mtx: cannot open the file"

# ---- Whether the plan belongs to this matrix ----
run spmm-info --matches "$matrix" "$plan"
exits 0
says 'Matches: pattern and values equal'
run spmm-info -q --matches - "$plan" < <(zstd -dc "$matrix")
exits 0
silent
run spmm-info --matches gen:diag:3 "$plan"
exits 4
says_err 'SPMM_ERR_MISMATCH'
one_line_err
silent
zstd -dc "$matrix" | sed '100s/[^ ]*$/1.5/' >"$work/changed.mtx"
run spmm-info --matches "$work/changed.mtx" "$plan"
exits 4
one_line_err
spmm-inspect -q --pattern-only "$matrix" -o "$work/pattern.plan"
run spmm-info --matches "$work/changed.mtx" "$work/pattern.plan"
exits 0
says 'Matches: pattern equal'
run spmm-info --full "$work/pattern.plan"
says 'pattern only'
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 0.3\n2 1 0.3\n2 2 0.3\n' >"$work/equal.mtx"
spmm-inspect -q --dtype f64 "$work/equal.mtx" -o "$work/equal.plan"
run spmm-info "$work/equal.plan"
says 'f64, with values, all 0.3, made by'
run spmm-info --json "$work/equal.plan"
is_json 'j["equal_value"] == 0.3'
run spmm-info --json "$plan"
is_json 'j["equal_value"] is None'
path_of() { # MATRIX VALUE ENTRY: the path 1 - 4 - 2 - 6 - 3 - 5, with this value in row 4, column 2, and one more entry
    printf '%%%%MatrixMarket matrix coordinate real general\n6 6 11\n' >"$1"
    printf '%s\n' '1 4 2' '4 1 2' "4 2 $2" '2 4 2' '2 6 2' '6 2 2' '6 3 2' '3 6 2' '3 5 2' '5 3 2' "$3 2" >>"$1"
}
path_of "$work/path.mtx" 2 '1 1'
path_of "$work/steep.mtx" 7 '1 1'
path_of "$work/moved.mtx" 2 '2 2'
spmm-inspect -q --device any --symmetric-permutation --reorder rcm "$work/path.mtx" -o "$work/path.plan"
run spmm-info -q --matches "$work/path.mtx" "$work/path.plan"
exits 0
run spmm-info -q --matches "$work/steep.mtx" "$work/path.plan"
exits 4
says_err '(counted from 1) of PAP^T is 2 in the plan, 7 in the matrix'
run spmm-info -q --matches "$work/moved.mtx" "$work/path.plan"
exits 4
says_err '(counted from 1) of PAP^T has '
run spmm-info --matches "$work/none.mtx" "$plan"
exits 1
printf 'hello\n' >"$work/text.mtx"
run spmm-info --matches "$work/text.mtx" "$plan"
exits 3

# ---- Many plans: whether they are valid, and one line per plan ----
run spmm-info -t "$source_dir"/tests/golden/good/*.plan
exits 0
silent
silent_err
head -c 1000 "$plan" >"$work/short.plan"
run spmm-info -t "$plan" "$work/short.plan" "$source_dir/tests/golden/bad/header_incompat.plan" "$work/none.plan" "$plan"
exits 4
silent
says_err 'short.plan: '
says_err 'header_incompat.plan: '
says_err 'none.plan: '
checks=$((checks + 1))
[ "$(wc -l <"$work/.err")" -eq 3 ] || wrong 'expected three lines on stderr'
run spmm-info -t "$work/short.plan"
exits 3
run spmm-info -t - <"$plan"
exits 0
run spmm-info -l "$plan" "$work/none.plan" "$source_dir/tests/golden/good/no_rows.plan"
exits 1
says "       10,974        10,974         428,650  f32 "
says_times 1 'nonzeros  values'
says_times 1 'no_rows.plan'
checks=$((checks + 1))
[ "$(wc -l <"$work/.out")" -eq 3 ] || wrong 'expected three lines'
run spmm-info -lq "$plan"
exits 0
silent

# ---- Differences between two plans ----
run spmm-info --diff "$plan" "$plan"
exits 0
silent
silent_err
spmm-inspect -q --device any --level 9 "$matrix" -o "$work/level.plan"
run spmm-info --diff "$plan" "$work/level.plan"
exits 0
silent
zstd -dc "$matrix" | sed '100s/[^ ]*$/1.5/' >"$work/bcsstk17.mtx.zst"
spmm-inspect -q --device any "$work/bcsstk17.mtx.zst" -o "$work/changed.plan"
run spmm-info --diff "$plan" "$work/changed.plan"
exits 4
says 'values     the value in row '
says ' in the first plan, 1.5 in the second'
says_times 1 'section '
says 'section    values: differs'
run spmm-info -q --diff "$plan" "$work/changed.plan"
exits 4
silent
spmm-inspect -q --device any --kernel rows --dtype f64 gen:band:300:9 -o "$work/band.plan"
spmm-inspect -q --device any --kernel rows --dtype f64 --pattern-only --op both gen:band:300:7 -o "$work/other.plan"
run spmm-info --diff "$work/band.plan" "$work/other.plan"
exits 4
says 'matrix     300 x 300, 5,610 nonzeros | 300 x 300, 4,444 nonzeros'
says 'values     stored | not stored'
says 'source     gen:band:300:9 | gen:band:300:7'
says '> variant 8  op T'
says 'section    values: in the first plan only'
says 'section    items of part 2: in the second plan only'
says_not 'type '
run spmm-info --diff "$plan" "$work/band.plan"
says 'type       f32 | f64'
for row in 1 2; do
    printf '%%%%MatrixMarket matrix coordinate real general\n2 2 1\n%s 1 5\n' $row >"$work/row.mtx"
    spmm-inspect -q --device any "$work/row.mtx" -o "$work/row$row.plan"
done
run spmm-info --diff "$work/row1.plan" "$work/row2.plan"
exits 4
says 'matrix     row 1 (counted from 1) has 1 entry in the first plan, 0 in the second'
sed 's/^1 1 5/1 2 5/; s/^2 1 5/1 2 5/' "$work/row.mtx" >"$work/column.mtx"
spmm-inspect -q --device any "$work/column.mtx" -o "$work/column.plan"
run spmm-info --diff "$work/row1.plan" "$work/column.plan"
says 'matrix     entry 1 of row 1 is in column 1 in the first plan, 2 in the second (counted from 1)'
run spmm-info --diff "$work/other.plan" "$plan"
says 'section    values: in the second plan only'
run spmm-info --diff "$plan" "$work/none.plan"
exits 1
one_line_err
run spmm-info --diff "$work/short.plan" "$plan"
exits 3
for wrong_use in "--diff $plan" "--diff - -" "-t -l $plan" "-t --json $plan" "-l --full $plan" "--diff $plan $plan --matches $plan"; do
    # shellcheck disable=SC2086 # words
    run spmm-info $wrong_use
    exits 2
done
run spmm-info "$plan" second.plan
exits 2
says_err "one argument too many: 'second.plan'; --test, --list and --diff take several plans"

# ---- The head of an incomplete file ----
head_of() {
    run spmm-info --head "$1"
    exits 0
    silent_err
    says '428,650 nonzeros'
    says 'col-ind '
    says 'pattern    '
}
head_of "$plan"
says 'made by spmm-inspector'
says 'bcsstk17.mtx.zst: 10,974 x 10,974'
says 'of which only this was read'
head -c 5000 "$plan" >"$work/part.plan"
head_of "$work/part.plan"
says "file       truncated: 5 kB of "
says 'made by spmm-inspector'
says 'bcsstk17.mtx.zst: 10,974 x 10,974'
table=$(spmm-info --json "$plan" |
    python3 -c 'import json, sys; print(min(s["offset"] for s in json.load(sys.stdin)["sections"]))')
head -c "$table" "$plan" >"$work/part.plan" # no more than the table
head_of "$work/part.plan"
says '(no name): 10,974 x 10,974'
head -c 5000 "$plan" >"$work/part.plan"
spmm-inspect -q --device any --dtype f64 --meta license=CC-BY-4.0 --meta doi=10.1/x gen:rmat:17:9 -o "$work/large.plan"
for size in 2048 65536 1048576; do
    head -c $size "$work/large.plan" >"$work/large_part.plan"
    run spmm-info --head "$work/large_part.plan"
    exits 0
    says 'truncated: '
    says 'license: CC-BY-4.0'
    says 'metadata   doi: 10.1/x'
    says 'matrix     gen:rmat:17:9: '
    says 'made by spmm-inspector'
done
run spmm-info --head - <"$work/part.plan"
exits 0
says 'truncated: 5 kB of '
spmm-inspect -q --device any --dtype f64 gen:rmat:15:9 -o "$work/big.plan"
run timeout 10 spmm-info --head - < <(cat "$work/big.plan" /dev/zero)
exits 0
says 'the beginning: 1 MB of '
run spmm-info --head "$work/big.plan"
exits 0
says 'matrix     gen:rmat:15:9: '
run spmm-info -q --head "$plan"
exits 0
silent
head -c 300 "$plan" >"$work/part.plan"
run spmm-info --head "$work/part.plan"
exits 3
says_err 'is not all there (SPMM_ERR_PLAN_TRUNCATED)'
one_line_err
run spmm-info --head "$matrix"
exits 3
run spmm-info --head "$work/none.plan"
exits 1
one_line_err
run spmm-info --head "$source_dir/tests/golden/bad/header_incompat.plan"
exits 4
run spmm-info --head "$plan" "$plan"
exits 2
run spmm-info --head --json "$plan"
exits 2

# ---- Inputs that are refused ----
run spmm-info --full "$matrix"
exits 3
one_line_err
silent
run spmm-info - </dev/null
exits 3
head -c 1000 "$plan" >"$work/cut.plan"
run spmm-info --full "$work/cut.plan"
exits 3
one_line_err
size=$(stat -c %s "$plan")
for at in 8 40 300 $((size / 2)) $((size - 3)); do
    cp "$plan" "$work/flipped.plan"
    byte=$(od -An -tu1 -j "$at" -N 1 "$plan")
    printf '%b' "$(printf '\\x%x' $((byte ^ 1)))" | dd of="$work/flipped.plan" bs=1 seek="$at" conv=notrunc status=none
    run spmm-info --full "$work/flipped.plan"
    checks=$((checks + 1))
    [ "$status" -eq 3 ] || [ "$status" -eq 4 ] || wrong "expected byte $at to be missed"
    one_line_err
    silent
done
run spmm-info --full "$work/none.plan"
exits 1
says_err 'No such file'
run spmm-info - <&-
exits 1
run bash -c "spmm-info '$plan' >/dev/full"
exits 1
run bash -c "spmm-info --json '$plan' >/dev/full"
exits 1

# ---- Usage ----
run spmm-info
exits 2
says_err 'spmm-info [options] PLAN..'
run spmm-info --verfy "$plan"
exits 2
says_err "did you mean '--verify'?"
run spmm-info --full "$plan" "$plan"
exits 2
run spmm-info --matches
exits 2
says_err '--matches needs a value'
run spmm-info --matches - -
exits 2
says_err 'cannot both come from standard input'
run spmm-info --help
exits 0
says 'Usage: spmm-info [options] PLAN..'
run spmm-info --version
exits 0
says 'spmm-info 0.3.0'

# ---- Budgets ----
printf '%%%%MatrixMarket matrix coordinate pattern general\n2147483646 2147483646 0\n' >"$work/huge.mtx"
run spmm-info --matches "$work/huge.mtx" --budget 1G "$plan"
exits 1
says_err 'of the budget of 1073741824'
run spmm-info -q --budget 64K "$plan"
exits 3
says_err 'SPMM_ERR_PLAN_BUDGET'
plan_bytes=$(stat -c %s "$plan")
run spmm-info -q --budget "$plan_bytes" "$plan"
needed=$(sed 's/.*the load takes \([0-9]*\) bytes.*/\1/' "$work/.err")
run spmm-info -q --budget "$needed" "$plan"
exits 0
run spmm-info -q --budget "$needed" - <"$plan"
exits 0
run spmm-info -q --budget $((needed - 1)) - <"$plan" # of which the plan's own bytes are a part, as of a file
exits 3
says_err 'SPMM_ERR_PLAN_BUDGET'
run spmm-info -q --budget "$plan_bytes" - <"$plan"
exits 3

# ---- Only one of several plans may come from a pipe ----
for mode in --list --test --diff; do
    run spmm-info $mode - - <"$plan"
    exits 2
    says_err 'only one plan can come from standard input'
done

finish
