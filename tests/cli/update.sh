#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# spmm-update replaces the values of a plan; the result is as if the new matrix had been inspected.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1

# Two matrices with one pattern: the second has other values, two of which are zero.
printf '%%%%MatrixMarket matrix coordinate real general\n3 4 5\n1 1 1\n1 3 0.1\n2 2 -7\n3 1 4\n3 4 5\n' >"$work/old.mtx"
printf '%%%%MatrixMarket matrix coordinate real general\n3 4 5\n1 1 9\n1 3 0\n2 2 0.3\n3 1 -0\n3 4 1e5\n' >"$work/new.mtx"

# array FILE TYPE NUMBER...: writes a .npy file of one dimension.
array() {
    python3 - "$@" <<'PYTHON'
import struct, sys
path, kind, numbers = sys.argv[1], sys.argv[2], [float(n) for n in sys.argv[3:]]
head = "{'descr': '<%s', 'fortran_order': False, 'shape': (%d,), }" % ({"f": "f4", "d": "f8"}[kind], len(numbers))
head = head.ljust(117) + "\n"
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<%d%s" % (len(numbers), kind), *numbers))
PYTHON
}

# ---- The result is as if the matrix had been inspected, for every type ----
mkdir "$work/named"
cp "$work/new.mtx" "$work/named/old.mtx" # the name is in the plan
for dtype in bf16 f32 f64; do
    spmm-inspect -q --device any --dtype $dtype "$work/old.mtx" -o "$work/old.plan"
    spmm-inspect -q --device any --dtype $dtype "$work/named/old.mtx" -o "$work/expected.plan"
    run spmm-update "$work/old.plan" --values "$work/new.mtx" -o "$work/new.plan"
    exits 0
    silent
    silent_err
    same "$work/new.plan" "$work/expected.plan"
    array "$work/new.npy" d 9 0 0.3 -0.0 1e5
    run spmm-update "$work/old.plan" --values "$work/new.npy" -o "$work/array.plan"
    exits 0
    same "$work/array.plan" "$work/expected.plan"
done
run spmm-info --json "$work/new.plan"
is_json 'j["statistics"]["zeros"] == 2'
array "$work/new.npy" f 9 0 0.5 -0.0 1e5
run spmm-update - --values "$work/new.npy" -o - <"$work/old.plan"
exits 0
cp "$work/.out" "$work/piped.plan"
run spmm-export -qf "$work/piped.plan" -o -
says '2 2 0.5'

# ---- In place; values that are dropped and restored ----
cp "$work/old.plan" "$work/place.plan"
run spmm-update "$work/place.plan" --values "$work/new.mtx" -o "$work/place.plan"
exits 0
same "$work/place.plan" "$work/expected.plan"
run spmm-update "$work/place.plan" --drop-values -o "$work/pattern.plan"
exits 0
run spmm-info "$work/pattern.plan"
says 'pattern only'
run spmm-update "$work/pattern.plan" --values "$work/new.mtx" -o "$work/again.plan"
exits 0
same "$work/again.plan" "$work/expected.plan"
run spmm-run "$work/again.plan" -n 3 --device cpu --repeat 0 --check "$work/new.mtx"
exits 0

# ---- A plan of PAP^T accepts values in the order of A ----
spmm-inspect -q --device any --dtype f64 --symmetric-permutation --reorder rcm gen:rmat:9:7 -o "$work/symmetric.plan"
run spmm-export -qf "$work/symmetric.plan" -o "$work/a.mtx"
awk 'NR < 3 {print; next} {print $1, $2, $1 / 1024 + $2}' "$work/a.mtx" >"$work/b.mtx"
run spmm-update "$work/symmetric.plan" --values "$work/b.mtx" -o "$work/b.plan"
exits 0
run spmm-info -q --matches "$work/b.mtx" "$work/b.plan"
exits 0
# shellcheck disable=SC2046 # one argument a number
array "$work/b.npy" d $(awk 'NR > 2 {print $3}' "$work/b.mtx")
run spmm-update "$work/symmetric.plan" --values "$work/b.npy" -o "$work/c.plan"
exits 0
same "$work/b.plan" "$work/c.plan"

# ---- Messages have rows and columns of the file, even if the plan has another order ----
path_of() { # MATRIX VALUE: the path 1 - 4 - 2 - 6 - 3 - 5, with this value in row 4, column 2
    printf '%%%%MatrixMarket matrix coordinate real general\n6 6 10\n' >"$1"
    printf '%s\n' '1 4 2' '4 1 2' "4 2 $2" '2 4 2' '2 6 2' '6 2 2' '6 3 2' '3 6 2' '3 5 2' '5 3 2' >>"$1"
}
path_of "$work/path.mtx" 2
path_of "$work/steep.mtx" 1e6
spmm-inspect -q --device any --dtype f16 --symmetric-permutation --reorder rcm "$work/path.mtx" -o "$work/path.plan"
run spmm-info "$work/path.plan"
says 'PAP^T'
run spmm-update "$work/path.plan" --values "$work/steep.mtx" -o "$work/refused.plan"
exits 2
says_err 'the value 1000000 in row 4, column 2 (counted from 1) is too large for f16, the type of the plan'
missing "$work/refused.plan"

# ---- Options for reading a matrix, as in spmm-inspect ----
printf '1 2\n2 3\n' >"$work/edges.txt"
spmm-inspect -q --device any --base 1 "$work/edges.txt" -o "$work/edges.plan"
run spmm-update "$work/edges.plan" --drop-values -o "$work/edges_pattern.plan"
printf '%%%%MatrixMarket matrix coordinate complex general\n3 3 2\n1 2 3 4\n2 3 -5 0\n' >"$work/complex.mtx"
run spmm-update "$work/edges_pattern.plan" --abs --values "$work/complex.mtx" -o "$work/abs.plan"
exits 0
run spmm-export -qf "$work/abs.plan" -o -
says '1 2 5'
says '2 3 5'

# ---- Requests that are refused ----
refused() { # LINES SENTENCE: new.mtx with these entries
    printf '%%%%MatrixMarket matrix coordinate real general\n%s\n' "$1" >"$work/other.mtx"
    run spmm-update "$work/old.plan" --values "$work/other.mtx" -o "$work/refused.plan"
    exits 4
    one_line_err
    says_err "$2"
    missing "$work/refused.plan"
}
refused $'3 4 5\n1 1 1\n1 2 1\n2 2 1\n3 1 1\n3 4 1' 'the matrix has an entry in row 1, column 2 (counted from 1), the plan has none'
refused $'3 4 5\n1 1 1\n1 4 1\n2 2 1\n3 1 1\n3 4 1' 'the plan has an entry in row 1, column 3 (counted from 1), the matrix has none'
refused $'3 4 4\n1 1 1\n1 3 1\n2 2 1\n3 1 1' 'the plan has an entry in row 3, column 4 (counted from 1), the matrix has none'
refused $'3 4 6\n1 1 1\n1 3 1\n2 2 1\n2 4 1\n3 1 1\n3 4 1' 'the matrix has an entry in row 2, column 4 (counted from 1), the plan has none'
refused $'3 5 5\n1 1 1\n1 3 1\n2 2 1\n3 1 1\n3 4 1' 'the plan is of a matrix of 3 x 4, this one has 3 x 5'
array "$work/few.npy" d 1 2 3 4
run spmm-update "$work/old.plan" --values "$work/few.npy" -o "$work/refused.plan"
exits 4
says_err 'expected 5 values in one dimension, found 4 x 1'
printf '%%%%MatrixMarket matrix coordinate pattern general\n3 4 5\n1 1\n1 3\n2 2\n3 1\n3 4\n' >"$work/ones.mtx"
run spmm-update "$work/old.plan" --values "$work/ones.mtx" -o "$work/refused.plan"
exits 4
says_err 'the matrix is a pattern, it has no values'
spmm-inspect -q --device any --dtype f16 "$work/old.mtx" -o "$work/half.plan"
run spmm-update "$work/half.plan" --values "$work/new.mtx" -o "$work/refused.plan"
exits 2
says_err 'the value 100000 in row 3, column 4 (counted from 1) is too large for f16'
run spmm-update "$work/old.plan" --values "$work/none.mtx" -o "$work/refused.plan"
exits 1
run spmm-update "$work/old.mtx" --values "$work/new.mtx" -o "$work/refused.plan"
exits 3
run spmm-update "$work/old.plan" --values "$work/new.mtx" -o "$work/old.mtx"
exits 2
says_err 'old.mtx exists and is not a plan; use -f to overwrite it'
run spmm-update "$work/old.plan" -o "$work/refused.plan"
exits 2
says_err 'expected one of --values and --drop-values, or --meta'
run spmm-update "$work/old.plan" --values "$work/new.mtx" --drop-values -o "$work/refused.plan"
exits 2
says_err '--values and --drop-values exclude each other'
for step in '--meta a=b' --drop-values; do
    # shellcheck disable=SC2086 # words
    run spmm-update "$work/old.plan" $step --drop-zeros -o "$work/refused.plan"
    exits 2
    says_err '--drop-zeros needs the matrix of --values'
done
run spmm-update "$work/old.plan" --values "$work/new.mtx"
exits 2
says_err '-o FILE is missing'
run spmm-update - --values - -o "$work/refused.plan"
exits 2
says_err 'cannot both come from standard input'
missing "$work/refused.plan"

# ---- The plan of a sparse product holds no values ----
spmm-inspect -q --product gen:band:20:2 -o "$work/product.plan"
run spmm-update "$work/product.plan" --values gen:band:20:2 -o "$work/refused.plan"
exits 4
says_err 'the plan is of a product of sparse matrices: its values come from those of the factors'
missing "$work/refused.plan"

finish
