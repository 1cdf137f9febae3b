#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Products of sparse matrices: spmm-inspect --product and --triple, spmm-run with matrix files, spmm-info for
# such plans.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1

# A = (1 2 . ; . . 3), B = (. 4 ; 5 . ; -1 6), both with unsorted files; A2: A with other values
printf '%%%%MatrixMarket matrix coordinate real general\n2 3 3\n2 3 3\n1 2 2\n1 1 1\n' >"$work/A.mtx"
printf '%%%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 10\n1 2 20\n2 3 30\n' >"$work/A2.mtx"
printf '%%%%MatrixMarket matrix coordinate real general\n3 2 4\n3 2 6\n3 1 -1\n2 1 5\n1 2 4\n' >"$work/B.mtx"
printf '%%%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n1 3 2\n2 3 3\n' >"$work/other.mtx"
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 3 2\n3 1 3\n' >"$work/Q.mtx"

# absent FILE: checks that the file does not exist.
absent() {
    checks=$((checks + 1))
    [ ! -e "$1" ] || wrong "did not expect the file $1"
}

# ---- A workspace larger than the budget, which a plan can require ----
run spmm-inspect -q --product --piece-products 1 --dtype f64 gen:dense:400:400 -o "$work/cut.plan"
exits 0
run spmm-run --force-kernel columns --budget 20M "$work/cut.plan" gen:dense:400:400
exits 1
one_line_err
says_err 'bytes, the budget is 20971520 (SPMM_ERR_MEMORY)'

# ---- A B: pattern, values, new values ----
run spmm-inspect --product "$work/A.mtx" "$work/B.mtx" --dtype f64 -o "$work/C.plan"
exits 0
says 'C = O0 O1'
says '4 multiplications, 1.00 an entry of C'
run spmm-run "$work/C.plan" "$work/A.mtx" "$work/B.mtx" --check self -o "$work/C.mtx" --repeat 0
exits 0
says 'right: error ratio 0'
says "output     $work/C.mtx: 2 x 2, 4 nonzeros, f64"
run cat "$work/C.mtx"
says '1 1 10'
says '1 2 4'
says '2 1 -3'
says '2 2 18'
run spmm-run -q "$work/C.plan" "$work/A2.mtx" "$work/B.mtx" --alpha 0.5 -o "$work/C2.mtx" --repeat 0 --check self
exits 0
run cat "$work/C2.mtx"
says '1 1 50'
says '2 2 90'
run spmm-run --product "$work/A.mtx" "$work/B.mtx" --dtype f64 -o "$work/once.mtx" --check self --repeat 1
exits 0
same "$work/once.mtx" "$work/C.mtx"
says 'C holds    72 bytes on the host, 0 bytes on the GPU'
run spmm-run --product "$work/A.mtx" "$work/B.mtx" --json --repeat 0
is_json 'j["host_bytes"] == 3 * 8 + 4 * (4 + 4) and j["device_bytes"] == 0 and j["kernel"] == "cpu/product/once"'
run spmm-run "$work/C.plan" "$work/A.mtx" "$work/B.mtx" --check self --json --repeat 2 --force-kernel columns
exits 0
is_json 'j["right"] and j["kernel"] == "cpu/product/columns" and j["repeats"] == 3 and j["multiplications"] == 4'
is_json 'j["product"]["operands"][1]["nnz"] == 4 and j["workspace_bytes"] > 0 and j["nnz"] == 4'
is_json 'j["host_bytes"] > 0 and j["device_bytes"] == 0'
run spmm-export -q --all-entries "$work/C.plan" -o -
says '2 2 4'

# ---- spmm-info ----
run spmm-info --verify --matches "$work/A.mtx" --matches "$work/B.mtx" "$work/C.plan"
exits 0
says 'the pattern of C is that'
says 'Matches: pattern equal'
run spmm-info -q --verify --products-max 4 "$work/C.plan"
exits 0
run spmm-info --verify --products-max 3 "$work/C.plan"
exits 3
one_line_err
says_err 'the product has 4 multiplications, its intermediate product 0: at most 3 are allowed'
run spmm-inspect -q --product gen:diag:100000 -o "$work/diag.plan"
run spmm-info -q --verify --budget 20M --threads 1 "$work/diag.plan"
exits 0
run spmm-info --verify --budget 20M --threads 64 "$work/diag.plan"
exits 3
one_line_err
says_err 'more: at most 20971520 are allowed'
run spmm-info --json "$work/C.plan"
is_json 'j["product"]["compression_ratio"] == 1 and j["product"]["factors"][1] == {"operand": 1, "op": "N"}'
# ---- Predicted memory and time of the product, compared with the actual memory ----
info_of() { # NAME EXPRESSION: of the JSON of spmm-info of C.plan
    spmm-info --json "$work/$1.plan" | python3 -c "import json, sys; print(json.load(sys.stdin)[\"product_costs\"][\"$2\"])"
}
run spmm-info "$work/C.plan"
says 'memory     values 88 bytes; an executor on a CPU takes '
says 'on a GPU at most '
says 'time       of f64, predicted: 14.3 us on an H100, '
says_not 'positions of'
least=$(info_of C host_bytes) most=$(info_of C host_bytes_max)
for kernel in '' '--force-kernel columns'; do
    # shellcheck disable=SC2086 # an option and its value
    run spmm-run "$work/C.plan" "$work/A.mtx" "$work/B.mtx" --json --repeat 0 $kernel
    is_json "$least <= j['host_bytes'] <= $most and j['multiplications'] == $(info_of C multiplications)"
done
run spmm-inspect --product gen:fem3:5:5:5 --dtype f64 -o "$work/nodes.plan"
exits 0
says 'an executor on a CPU takes '
run spmm-run "$work/nodes.plan" gen:fem3:5:5:5 --json --repeat 0
is_json "$(info_of nodes host_bytes) <= j['host_bytes'] <= $(info_of nodes host_bytes_max)"
run spmm-info --json "$work/nodes.plan"
is_json 'j["product_costs"]["value_bytes"] == 8 * (j["nnz"] + j["product"]["operands"][0]["nnz"])'
is_json '0.01 < j["product_costs"]["predicted_f64_gpu_ms"] < 0.1 < j["product_costs"]["predicted_f64_cpu_thread_ms"] < 10'
run spmm-info --matches "$work/A.mtx" --matches "$work/other.mtx" "$work/C.plan"
exits 4
says_err 'other.mtx: the plan is for 3 x 2'
run spmm-info --matches "$work/A.mtx" "$work/C.plan"
exits 2
says_err 'the plan is of 2 matrices, found 1'

# ---- Rows of C by nonzeros and by products: A A, A A^T and P^T (A P) ----
run spmm-info --json "$work/cut.plan"
is_json '[b["by_nonzeros"] for b in j["product_rows"]] == [0, 0, 0, 0, 400, 0, 0, 0]'
is_json '[b["by_products"] for b in j["product_rows"]] == [0, 0, 0, 0, 0, 0, 0, 400]'
run spmm-info "$work/cut.plan"
says 'bins       rows up to '
[ "$(wc -l <"$work/.out")" -le 30 ] || wrong 'expected at most 30 lines'
{
    printf '%%%%MatrixMarket matrix coordinate pattern general\n300 2 301\n1 2\n'
    seq -f '%g 1' 300
} >"$work/V.mtx"
run spmm-inspect -q --product --transpose-b "$work/V.mtx" -o "$work/VV.plan"
run spmm-info --json "$work/VV.plan"
is_json '[b["by_nonzeros"] for b in j["product_rows"]] == [0, 0, 0, 0, 300, 0, 0, 0]'
is_json '[b["by_products"] for b in j["product_rows"]] == [0, 0, 0, 0, 300, 0, 0, 0]'
run spmm-inspect -q --triple gen:diag:300 "$work/V.mtx" -o "$work/VAV.plan"
run spmm-info --json "$work/VAV.plan"
is_json '[b["by_nonzeros"] for b in j["product_rows"]] == [2, 0, 0, 0, 0, 0, 0, 0]'
is_json '[b["by_products"] for b in j["product_rows"]] == [1, 0, 0, 0, 1, 0, 0, 0]'
is_json '[b["up_to"] for b in j["product_rows"]] == [8, 32, 128, 256, 512, 4096, 32768, None]'
run spmm-inspect -q gen:diag:3 -o "$work/diag3.plan"
run spmm-info --json "$work/diag3.plan"
is_json 'j["product_rows"] is None and j["product_costs"] is None'

# ---- Forms ----
run spmm-inspect -q --product --transpose-b --lower "$work/A.mtx" -o "$work/S.plan"
exits 0
run spmm-run "$work/S.plan" "$work/A.mtx" -o "$work/S.mtx" --repeat 0 --check self
says 'C = O0 O0^T, lower triangle'
run cat "$work/S.mtx"
says '2 2 2'
says '1 1 5'
run spmm-inspect -q --triple "$work/Q.mtx" "$work/B.mtx" -o "$work/T.plan"
exits 0
run spmm-run "$work/T.plan" "$work/B.mtx" "$work/Q.mtx" -o "$work/T.mtx" --repeat 0 --check self
exits 0
says 'C = O0^T (O1 O0)'
run spmm-inspect -q --triple "$work/B.mtx" "$work/A.mtx" "$work/B.mtx" -o "$work/R.plan"
exits 0
run spmm-run "$work/R.plan" "$work/B.mtx" "$work/A.mtx" --repeat 0 --check self
exits 0
says 'inner product 2 x 2'
python3 - "$work/d.npy" <<'PYTHON'
import struct, sys
head = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }".ljust(117) + "\n"
with open(sys.argv[1], "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<3d", 1, 10, 100))
PYTHON
run spmm-inspect -q --product --diagonal --dtype f64 "$work/A.mtx" "$work/B.mtx" -o "$work/D.plan"
exits 0
run spmm-run "$work/D.plan" "$work/A.mtx" "$work/B.mtx" --diagonal "$work/d.npy" -o "$work/D.mtx" --repeat 0 --check self
exits 0
says 'C = O0 D O1'
run cat "$work/D.mtx"
says '1 1 100'
says '2 2 1800'

# ---- Patterns are equal to those of SciPy, whose digests are in a file ----
run python3 "$source_dir/tests/cli/product_patterns.py" "$source_dir/tests/cli/product_patterns.tsv"
exits 0
says '--product gen:rmat:10:8: plan, one shot'

# ---- On a GPU, if there is one: every method without a plan, device memory, the budget ----
if spmm-run "$work/C.plan" "$work/A.mtx" "$work/B.mtx" --device cuda -q --repeat 0 2>/dev/null; then
    run spmm-run "$work/C.plan" "$work/A.mtx" "$work/B.mtx" --device cuda --json --check self --repeat 0
    is_json 'j["right"] and j["host_bytes"] > 0 and j["device_bytes"] > 0'
    for method in hash bitmap merge; do
        run spmm-run --product "$work/A.mtx" "$work/B.mtx" --device cuda --force-kernel $method --json --check self
        is_json 'j["right"] and j["host_bytes"] == 0 and j["device_bytes"] == 3 * 8 + 4 * (4 + 4)'
    done
    run spmm-run --product "$work/A.mtx" "$work/B.mtx" --device cuda --force-kernel columns
    exits 2
    says_err 'unknown method "columns": a GPU has hash, bitmap and merge'
    run spmm-run --product gen:dense:400:400 --device cuda --budget 1200K
    exits 3
    says_err 'bytes of the GPU and needs'
fi

# ---- Refusals, each with a message ----
run spmm-inspect --product "$work/A.mtx" "$work/B.mtx" --dtype f16
exits 2
says_err 'values of f16 (type 3), expected f32 or f64'
run spmm-run "$work/C.plan"
exits 2
says_err 'the plan is of a sparse product: name the files of its operands after it'
run spmm-run "$work/C.plan" "$work/A.mtx"
exits 2
says_err 'the plan is of a product of 2 matrices, found 1 file'
run spmm-run "$work/C.plan" "$work/other.mtx" "$work/B.mtx"
exits 4
says_err 'other.mtx: entry 2 of row 1 is in column 2 in the plan, 3 in the matrix (counted from 1)'
run spmm-run "$work/D.plan" "$work/A.mtx" "$work/B.mtx"
exits 2
says_err '--diagonal D.npy gives it'
run spmm-run "$work/C.plan" "$work/A.mtx" "$work/B.mtx" --diagonal "$work/d.npy"
exits 2
says_err 'the plan has no diagonal'
run spmm-run "$work/C.plan" "$work/A.mtx" "$work/B.mtx" -n 3
exits 2
says_err '--columns is not valid with plans of sparse products'
for option in '--layout row' '--b-type f32' '--unit-values' '--original-order' '--beta 2' '--op T' '--certify' \
    '--vectors 3' '--seed 4' '-B b.npy' '--dtype f64'; do
    # shellcheck disable=SC2086 # an option and its value
    run spmm-run "$work/C.plan" "$work/A.mtx" "$work/B.mtx" $option
    exits 2
    says_err 'is not valid with plans of sparse products'
done
for option in '--alpha 2' '--diagonal d.npy' '-n 3'; do
    # shellcheck disable=SC2086
    run spmm-run --product "$work/A.mtx" "$work/B.mtx" $option
    exits 2
    says_err 'is not valid with --product'
done
for method in columns hash; do
    run spmm-run --product "$work/A.mtx" "$work/B.mtx" --device cpu --force-kernel $method
    exits 2
    says_err "unknown method \"$method\": the CPU has one method"
done
run spmm-run gen.plan --diagonal d.npy
exits 2
says_err '--diagonal needs the plan of a sparse product'
for option in '-n 3' '--layout row' '--kernel tiled' '--reorder rcm' '--device any' '--meta a=b' '--tune' '--explain' \
    '--b-type f32' '--symmetric-permutation' '--op T' '--orders'; do
    # shellcheck disable=SC2086
    run spmm-inspect --product "$work/A.mtx" "$work/B.mtx" $option
    exits 2
    says_err 'is for plans with a dense B, not for --product'
done
run spmm-inspect --triple "$work/A.mtx" "$work/B.mtx" --balance segments:8
exits 2
says_err 'not for --triple'
run spmm-run "$work/C.plan" "$work/A.mtx" "$work/B.mtx" --check "$work/A.mtx"
exits 2
says_err 'expected self'
for ending in MTX Mtx.Zst; do # as names of files that are read
    run spmm-run -q "$work/C.plan" "$work/A.mtx" "$work/B.mtx" --repeat 0 -o "$work/capitals.$ending"
    exits 0
    run spmm-inspect -q "$work/capitals.$ending" -fo "$work/capitals.plan"
    exits 0
done
run cmp "$work/C.mtx" "$work/capitals.MTX"
exits 0
for ending in npy smtx; do
    run spmm-run "$work/C.plan" "$work/A.mtx" "$work/B.mtx" -o "$work/C.$ending"
    exits 2
    says_err 'expected a name that ends with .mtx'
done
run spmm-run --product "$work/A.mtx" "$work/B.mtx" --json --repeat 0 -fo "$work/once.mtx"
is_json "j['output'] == '$work/once.mtx'"
run spmm-run "$work/C.plan" "$work/A.mtx" "$work/B.mtx" --force-kernel hash
exits 2
says_err "expected columns, positions, groups or masks"
run spmm-run --product "$work/A.mtx" "$work/A.mtx"
exits 2
says_err 'A has 3 columns, B has 2 rows'
run spmm-inspect --product "$work/A.mtx"
exits 2
says_err 'factor 1 has 3 columns, factor 2 has 2 rows'
run spmm-inspect --product --lower "$work/B.mtx" "$work/A.mtx" "$work/A.mtx"
exits 2
says_err 'expected one or two matrices, found 3'
run spmm-inspect --product --triple "$work/A.mtx" "$work/B.mtx"
exits 2
says_err 'one of --product and --triple'
run spmm-inspect --lower "$work/A.mtx"
exits 2
says_err 'are of --product or --triple'
run spmm-inspect "$work/A.mtx" "$work/B.mtx"
exits 2
says_err 'one argument too many'
run spmm-inspect --product gen:dense:200:200 --budget 100K -o "$work/none.plan"
exits 3
absent "$work/none.plan"
run spmm-update "$work/C.plan" --values "$work/C.mtx" -o "$work/none.plan"
says_err 'its values come from those of the factors'
absent "$work/none.plan"
finish
