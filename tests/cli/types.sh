#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# f16 and bf16 from the matrix file to the checked product.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1
matrix=$source_dir/tests/data/bcsstk17.mtx.zst

# ---- The bundled matrix: its values fit in the range of bf16, but not of f16 ----
run spmm-inspect "$matrix" --dtype bf16 -o "$work/a.plan"
exits 0
says 'op N, bf16, '
says ': rows/'
run spmm-info "$work/a.plan"
exits 0
says 'bf16'
for case in 'row 1' 'row 24' 'row 100' 'col 24'; do
    read -r layout columns <<<"$case"
    run spmm-run "$work/a.plan" -n "$columns" --layout "$layout" --check "$matrix" --device cpu --repeat 1 --json
    exits 0
    is_json "j['right'] and j['dtype'] == 'bf16'"
    # Rounding of stored values alone gives errors close to the bound. A looser bound would not detect sums in
    # f16.
    is_json '0.5 < j["error_ratio"] <= 1'
done
run spmm-inspect "$matrix" --dtype f16
exits 2
says_err 'is too large for f16: use bf16 (--dtype bf16)'
one_line_err

# ---- Both types, ops, layouts and factors ----
for dtype in f16 bf16; do
    for spec in gen:rmat:9:6 gen:arrow:700 gen:empty:4:3; do
        run spmm-inspect -q --dtype $dtype --op both "$spec" -o "$work/g.plan"
        exits 0
        for op in N T; do
            for layout in row col; do
                for factors in '1 0' '0.3 -2'; do
                    read -r alpha beta <<<"$factors"
                    run spmm-run "$work/g.plan" -n 19 --op $op --layout $layout --alpha "$alpha" --beta "$beta" \
                        --check "$spec" --json --repeat 0 --device cpu
                    exits 0
                    is_json "j['right'] and j['dtype'] == '$dtype' and j['op'] == '$op'"
                done
            done
        done
    done
    run spmm-inspect -q --dtype $dtype --pattern-only gen:rmat:9:6 -o "$work/p.plan"
    exits 0
    run spmm-run "$work/p.plan" -q --check gen:rmat:9:6 --repeat 0 --device cpu
    exits 0
done

# ---- Operands of other types than A, and ones instead of the values ----
for types in 'f32 f16 f16' 'f32 bf16 bf16' 'f16 f16 f32' 'bf16 bf16 f32'; do
    read -r a b c <<<"$types"
    run spmm-inspect -q --dtype "$a" --b-type "$b" --c-type "$c" --op both gen:rmat:9:6 -o "$work/m.plan"
    exits 0
    for case in 'N row' 'T col'; do
        read -r op layout <<<"$case"
        run spmm-run "$work/m.plan" -n 19 --op "$op" --layout "$layout" --b-type "$b" --c-type "$c" --alpha 0.3 --beta -2 \
            --check gen:rmat:9:6 --json --repeat 0 --device cpu
        exits 0
        is_json "j['right'] and (j['dtype'], j['b_type'], j['c_type']) == ('$a', '$b', '$c') and not j['unit_values']"
        is_json "(0.4 if '$c' != 'f32' else 0) < j['error_ratio'] <= 1"
        run spmm-run "$work/m.plan" -n 19 --op "$op" --layout "$layout" --b-type "$b" --c-type "$c" --unit-values \
            --check gen:rmat:9:6 --json --repeat 0 --device cpu
        exits 0
        is_json "j['right'] and j['unit_values']"
    done
done
run spmm-run "$work/m.plan" --b-type bf16 --c-type f32 --device cpu --repeat 0
exits 0
says 'row-major B and C of bf16 and f32'
run spmm-run "$work/m.plan" --unit-values --device cpu --repeat 0 -o "$work/ones.npy"
exits 0
says 'every entry counts as 1'
run spmm-run "$work/m.plan" --b-type f64 --device cpu
exits 2
says_err 'SPMM_ERR_TYPE'
run spmm-inspect -q --dtype f32 --b-type f64 gen:rmat:9:6
exits 4
says_err 'no kernel has A f32, B f64, C f64'

# ---- NumPy files: NumPy has float16; bf16 is saved as two raw bytes ----
run spmm-inspect -q --dtype f16 gen:femshuf:4:4:4 -o "$work/h.plan"
exits 0
run spmm-inspect -q --dtype bf16 gen:femshuf:4:4:4 -o "$work/b.plan"
exits 0
for threads in 1 3; do
    run spmm-run "$work/h.plan" -q --device cpu --threads $threads -n 7 --repeat 0 -o "$work/h$threads.npy"
    exits 0
done
same "$work/h1.npy" "$work/h3.npy"
run spmm-run "$work/b.plan" -q --device cpu -n 7 --repeat 0 -o "$work/b.npy"
exits 0
run head -c 64 "$work/h1.npy"
says "'descr': '<f2'"
run head -c 64 "$work/b.npy"
says "'descr': '<V2'"
run spmm-run "$work/h.plan" -q --device cpu --repeat 0 -B "$work/h1.npy" --check self
exits 0
run spmm-run "$work/b.plan" -q --device cpu --repeat 0 -B "$work/b.npy" --check self
exits 0
run spmm-run "$work/b.plan" --device cpu --repeat 0 -B "$work/h1.npy"
exits 2
says_err 'the file holds f16 values, but the plan computes in bf16'

# ---- Values too small for the type stay in the pattern and are counted ----
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1e-9\n1 2 0\n2 2 1\n' >"$work/tiny.mtx"
run spmm-inspect "$work/tiny.mtx" --dtype f16 -o "$work/tiny.plan"
exits 0
says '1 entry of value 0 was kept'
says '1 value is too small for the value type and was rounded to 0'
run spmm-inspect "$work/tiny.mtx" --dtype f16 --json
exits 0
is_json 'j["input"]["rounded_to_zero"] == 1 and j["input"]["zeros_kept"] == 1 and j["nnz"] == 3'
run spmm-inspect "$work/tiny.mtx"
exits 0
says_not 'too small for the value type'
run spmm-run "$work/tiny.plan" -q --device cpu --repeat 0 --check "$work/tiny.mtx"
exits 0

# ---- The rows kernels multiply these types too ----
run spmm-inspect --dtype f16 --force-kernel rows/row-split gen:diag:5
exits 0
says 'rows/row-split'
run spmm-run "$work/h.plan" --device cpu --force-kernel cpu/rows/row-split
exits 0

# ---- A peer without products of 16-bit types ----
run spmm-bench --device cpu -q --dtype bf16 -n 4 --repeat 1 --mkl "$SPMM_NAIVE_MKL" --json gen:band:300:4
exits 0
is_json 'len(j["cases"]) == 1 and j["cases"][0]["dtype"] == "bf16" and j["cases"][0]["peers"] == []'
is_json 'all(k["error_ratio"] <= 1 for k in j["cases"][0]["kernels"])'
is_json 'any(k["family"] == "rows" for k in j["cases"][0]["kernels"])'
says_err 'have no products of this value type'
run spmm-bench --device cpu -q --dtype all -n 4 --repeat 1 --no-peers --json gen:band:300:4
exits 0
is_json '[c["dtype"] for c in j["cases"]] == ["f32", "f64", "f16", "bf16"]'

finish
