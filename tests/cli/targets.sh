#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One plan for several machines and value types: made, shown, compared, run, given new values.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1
matrix=$source_dir/tests/data/bcsstk17.mtx.zst

size() { stat -c %s "$1"; }

# ---- Made: the plan has more items, but nothing else grows ----
for device in cpu a100 h200; do
    run spmm-inspect -q "$matrix" --device "$device" -n 8,32,128 -o "$work/$device.plan"
    exits 0
done
run spmm-inspect "$matrix" --device cpu,a100,h200 -n 8,32,128 -o "$work/all.plan"
exits 0
says ', CPU: rows/'
says ', compute capability 8.0: '
says ', compute capability 9.0: '
checks=$((checks + 1))
[ "$(size "$work/all.plan")" -lt $(($(size "$work/h200.plan") + $(size "$work/h200.plan") / 50)) ] ||
    wrong 'one plan is far larger than the largest of its parts'
run spmm-inspect "$matrix" --device h200,a100,cpu -n 8,32,128 --json
exits 0
is_json 'j["device"] == "h200,a100,cpu" and j["device_reason"] is None'
is_json '[t["name"] for t in j["targets"]] == ["9.0", "8.0", "cpu"]'
run spmm-inspect "$matrix" --device h200,a100 --json
exits 0
is_json '[t["target"] for t in j["targets"]] == [90, 80, 1]'
is_json 'sorted(v for t in j["targets"] for v in t["variants"]) == list(range(len(j["variants"])))'
is_json 'all(j["variants"][v]["target"] == t["target"] for t in j["targets"] for v in t["variants"])'

# ---- More variants than a plan may have: neighbouring ranges share some ----
full=(gen:rmat:12:8 --device "cpu,a100,h200" --dtype "f64,f32,f16,bf16" --op both)
run spmm-inspect "${full[@]}" -o "$work/full.plan"
exits 0
says 'metadata   merged-ranges: '
says " ranges of n or layouts run a neighbour's kernel, at most "
run spmm-inspect "${full[@]}" --json
exits 0
is_json 'len(j["variants"]) <= 64 and "% slower" in j["metadata"]["merged-ranges"]'
run spmm-info "$work/full.plan"
exits 0
says 'metadata   merged-ranges: '
for type in f64 f32 f16 bf16; do
    run spmm-run "$work/full.plan" --device cpu --dtype "$type" -n 40 --repeat 0 --check "${full[0]}"
    exits 0
done

# ---- Shown ----
run spmm-info "$work/all.plan"
exits 0
says 'target     CPU: '
says 'target     compute capability 8.0: '
says 'target     compute capability 9.0: '
says_times 3 'target     '
checks=$((checks + 1))
[ "$(wc -l <"$work/.out")" -le 30 ] || wrong 'expected at most 30 lines'
run spmm-info --json "$work/all.plan"
exits 0
is_json '[t["name"] for t in j["targets"]] == ["8.0", "9.0", "cpu"]'
run spmm-info -l "$work/all.plan" "$work/a100.plan"
exits 0
says '8.0,9.0,cpu  '
says '8.0,cpu  '
run spmm-info --diff "$work/all.plan" "$work/cpu.plan"
exits 4
says 'targets    8.0,9.0,cpu | cpu'
says '< variant '
says_not 'matrix '
run spmm-info --diff "$work/all.plan" "$work/all.plan"
exits 0
silent

# ---- Run: the CPU runs the variants for the CPU ----
run spmm-run "$work/all.plan" --device cpu -n 32 --repeat 0 --check "$matrix"
exits 0
says ', for CPU'
says_not 'another machine'
run spmm-run "$work/all.plan" --device cpu -n 32 --repeat 0 --json
exits 0
is_json 'j["variant"] > 0 and j["target"] == 1 and j["own_target"] and not j["fallback"]'
run spmm-inspect -q "$matrix" --device a100,h200 --kernel tiled -o "$work/gpus.plan"
exits 0
run spmm-run "$work/gpus.plan" --device cpu --repeat 0 --json
exits 0
is_json '(j["target"] == 1) == j["own_target"] != j["fallback"]'

# ---- New values ----
run spmm-update "$work/all.plan" --values "$matrix" -o "$work/new.plan"
exits 0
same "$work/all.plan" "$work/new.plan"

# ---- Types: the plan stores values once, in the widest type ----
small=gen:rmat:10:8
run spmm-inspect -q "$small" --device cpu -n 8,16 -o "$work/f32.plan"
exits 0
run spmm-inspect -q "$small" --device cpu -n 8,16 --dtype f16 -o "$work/f16.plan"
exits 0
run spmm-inspect "$small" --device cpu -n 8,16 --dtype f16,f32 -o "$work/types.plan"
exits 0
says ', f16, n in '
run spmm-info "$work/types.plan"
exits 0
says 'format 1.7, f32,f16, with values'
says_times 1 'target     CPU: '
says ' for f32, f16'
checks=$((checks + 1))
[ "$(size "$work/types.plan")" -lt $(($(size "$work/f32.plan") + 500)) ] ||
    wrong 'a second type takes far more than its variants'
run spmm-info --json "$work/types.plan"
exits 0
is_json 'j["dtype"] == "f32" and j["types"] == ["f32", "f16"] and j["format_minor"] == 7'
is_json '{v["dtype"] for v in j["variants"]} == {"f32", "f16"}'
run spmm-info -l "$work/types.plan" "$work/f16.plan"
exits 0
says 'f32,f16 '
run spmm-info --diff "$work/types.plan" "$work/f32.plan"
exits 4
says 'type       f32,f16 | f32'
says_not 'section    values'
run spmm-run "$work/types.plan" --device cpu -n 16 --repeat 0 --check "$small" --certify --json
exits 0
is_json 'j["dtype"] == "f32" and j["right"] and j["certified"] and j["variant"] == 0'
run spmm-run "$work/types.plan" --device cpu -n 16 --repeat 0 --check "$small" --certify --dtype f16 --json
exits 0
is_json 'j["dtype"] == "f16" and j["b_type"] == "f16" and j["right"] and j["certified"] and j["variant"] > 0'
run spmm-run "$work/types.plan" --device cpu -n 8 --repeat 0 --dtype f16 --c-type f32 --unit-values
exits 0
says 'every entry counts as 1'

# The bits are those of the plan with one type, as the random B is the same.
for plan in types f16; do
    run spmm-run "$work/$plan.plan" --device cpu --dtype f16 -n 8 -o "$work/$plan.npy" --repeat 0
    exits 0
done
same "$work/types.npy" "$work/f16.npy"

# The matrix has the widest type, in any order of the list. Repeated options form one list.
for plan in types f32; do
    run spmm-export -q "$work/$plan.plan" -o "$work/$plan.mtx"
    exits 0
done
same "$work/types.mtx" "$work/f32.mtx"
run spmm-inspect -q "$small" --device cpu -n 8,16 --dtype f32 --dtype f16 -o "$work/repeated.plan"
exits 0
same "$work/types.plan" "$work/repeated.plan"
run spmm-inspect -q "$small" --device cpu,h200 --dtype f16,f64,f32 -o "$work/wide.plan"
exits 0
run spmm-info --json "$work/wide.plan"
is_json 'j["dtype"] == "f64" and set(j["types"]) == {"f64", "f32", "f16"}'
is_json '{(v["target"], v["dtype"]) for v in j["variants"]} == {(t, d) for t in (1, 90) for d in j["types"]}'
run spmm-info --html "$work/wide.plan"
exits 0
says 'f64,f16,f32, with values'

run spmm-run "$work/types.plan" --device cpu --dtype bf16
exits 2
says_err 'the plan has no variant for values of bf16, only for f32 and f16: inspect for these types'
run spmm-run "$work/f16.plan" --device cpu --dtype f32
exits 2
says_err 'no variant for values of f32, only for f16'
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 70000\n' >"$work/large.mtx"
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 7\n' >"$work/small.mtx"
run spmm-inspect "$work/large.mtx" --dtype f32,f16
exits 2
says_err 'the value 70000 in row 2, column 2 (counted from 1) is too large for f16'
run spmm-inspect -q "$work/small.mtx" --dtype f32,f16 -o "$work/small.plan"
exits 0
run spmm-update "$work/small.plan" --values "$work/large.mtx" -o "$work/large.plan"
exits 2
says_err 'is too large for f16'
run spmm-update "$work/small.plan" --values "$work/small.mtx" -o "$work/again.plan"
exits 0
same "$work/small.plan" "$work/again.plan"

# ---- Refused ----
run spmm-inspect gen:diag:3 --dtype f16,bf16
exits 2
says_err 'a_types has f16 and bf16, but neither can be rounded from the other: name a wider type too (--dtype)'
run spmm-inspect gen:diag:3 --dtype f32,f99
exits 2
says_err "--dtype"
says_err 'one of f32, f64, f16, bf16'
run spmm-inspect gen:diag:3 --dtype f32,,f16
exits 2
says_err '--dtype: expected one of f32, f64, f16, bf16, found'
run spmm-inspect gen:diag:3 --dtype f32,f16,f32
exits 2
says_err 'a_types has f32 twice (--dtype)'
run spmm-inspect gen:diag:3 --dtype f64,f16 --compute 3xtf32
exits 2
says_err 'compute is 3xtf32, which is of no type in a_types (--dtype, --compute)'
run spmm-inspect --product gen:diag:3 --dtype f32,f64
exits 2
says_err '--dtype: a product of sparse matrices has one type'
run spmm-inspect gen:diag:3 --dtype f32,f16 --c-type f32
exits 2
says_err 'a_types and a_type, b_type, c_type or sum_type contradict each other'
run spmm-inspect gen:diag:3 --device h100,h200
exits 2
says_err 'the devices "h100" and "h200" have the same target, 90: name one of them (--device)'
run spmm-inspect gen:diag:3 --device cpu,,h200
exits 2
says_err 'expected a device of any, cpu, a100, h100, h200, or a profile file, found ""'
run spmm-inspect gen:diag:3 --device cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu
exits 2
says_err '--device: expected at most 16 names'
run spmm-inspect gen:diag:3 --device cpu,h200 --permuted-output
exits 2
says_err 'permute_output makes one variant for all devices: name one device and one a_type (--'
run spmm-inspect gen:diag:3 --device cpu,a100 --tune
exits 4
says_err 'candidates for a100 '

finish
