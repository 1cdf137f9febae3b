#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# spmm-export --rhs: the row sums of A in every format, for every matrix and type. Invalid requests are
# refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1

# sums.py A.mtx FILE e|d: checks that the values of b in FILE are the row sums of A (a file with all entries),
# rounded once each. Values of A are first rounded to this struct format: e for f16, d for f64.
cat >"$work/sums.py" <<'PYTHON'
import math, struct, sys
def numbers(path):
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith(".npy"):
        head = 10 + int.from_bytes(data[8:10], "little")
        assert b"'<f8'" in data[:head]
        return [x for x, in struct.iter_unpack("<d", data[head:])]
    lines = data.decode().splitlines()
    assert lines[:2] == ["%%MatrixMarket matrix array real general", "% A x for x = 1"]
    rows, cols = map(int, lines[2].split())
    assert cols == 1 and len(lines) == rows + 3
    return list(map(float, lines[3:]))
def value(text):
    kind = sys.argv[3]
    return struct.unpack("<" + kind, struct.pack("<" + kind, float(text)))[0]
def sums(path):
    with open(path) as file:
        lines = [line.split() for line in file if not line.startswith("%")]
    rows = [[] for _ in range(int(lines[0][0]))]
    for entry in lines[1:]:
        rows[int(entry[0]) - 1].append(value(entry[2]) if len(entry) > 2 else 1.0)
    return [math.fsum(row) for row in rows], [math.fsum(map(abs, row)) for row in rows]
found, (expected, sizes) = numbers(sys.argv[2]), sums(sys.argv[1])
assert len(found) == len(expected)
# Each entry may cause an error of extended precision; the sum is rounded once.
for f, e, s in zip(found, expected, sizes):
    assert abs(f - e) <= abs(e) * 2.0**-53 + s * 2.0**-56, (f, e, s)
PYTHON

# ---- Every format; several chunks; every type ----
for spec in gen:poisson2:60:50 gen:poisson3:7:6:5 gen:elasticity:6:5:4 gen:rmat:12:9 gen:diag:1 gen:empty:3:5 gen:empty:0:0; do
    for kind in d e; do
        dtype=f64
        [ $kind = d ] || dtype=f16
        spmm-inspect -q --device any --dtype $dtype $spec -o "$work/a.plan"
        run spmm-export -qf --all-entries "$work/a.plan" -o "$work/a.mtx" --rhs "$work/b.mtx"
        exits 0
        silent
        run python3 "$work/sums.py" "$work/a.mtx" "$work/b.mtx" $kind
        exits 0
        run spmm-export -qf "$work/a.plan" -o "$work/a.npz" --rhs "$work/b.npy"
        exits 0
        run python3 "$work/sums.py" "$work/a.mtx" "$work/b.npy" $kind
        exits 0
    done
done
spmm-inspect -q --device any --dtype f64 gen:band:70000:3 -o "$work/a.plan"
run spmm-export -qf --all-entries "$work/a.plan" -o "$work/a.mtx" --rhs "$work/one.mtx" --threads 1
run python3 "$work/sums.py" "$work/a.mtx" "$work/one.mtx" d
exits 0
for packing in gz zst; do
    run spmm-export -qf "$work/a.plan" -o "$work/a.mtx" --rhs "$work/b.mtx.$packing" --threads 3
    exits 0
done
run cmp "$work/one.mtx" <(gzip -dc "$work/b.mtx.gz")
exits 0
run cmp "$work/one.mtx" <(zstd -dc "$work/b.mtx.zst")
exits 0

# ---- b is the product with ones, also for the matrix that is read back ----
spmm-inspect -q --dtype f64 gen:poisson2:60:50 -o "$work/a.plan"
run spmm-export -f "$work/a.plan" -o "$work/a.mtx" --rhs "$work/b.npy"
exits 0
says 'a.mtx: mtx, symmetric, 3,000 x 3,000, '
says 'b.npy: A x for x = 1, 3,000 x 1, f64'
python3 - "$work/x.npy" <<'PYTHON'
import struct, sys
head = "{'descr': '<f8', 'fortran_order': False, 'shape': (3000, 1), }".ljust(117) + "\n"
open(sys.argv[1], "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<3000d", *[1.0] * 3000))
PYTHON
run spmm-run -q --device cpu "$work/a.plan" -B "$work/x.npy" -o "$work/c.npy" --repeat 0
exits 0
same "$work/b.npy" "$work/c.npy"
run spmm-export -f --json "$work/a.plan" -o "$work/a.mtx" --rhs "$work/b.mtx"
is_json 'j["rhs"].endswith("/b.mtx") and j["nnz"] == 14780'
run spmm-inspect -q --dtype f64 "$work/b.mtx" -o "$work/b.plan"
exits 0
run spmm-info --json "$work/b.plan"
is_json 'j["rows"] == 3000 and j["cols"] == 1'
run spmm-export -f --json "$work/a.plan" -o "$work/a.mtx"
is_json '"rhs" not in j'

# ---- Plan, matrix and right-hand side are three different files ----
cp "$work/a.plan" "$work/kept.plan"
run spmm-export -f "$work/a.plan" -o "$work/a.mtx" --rhs "$work/./a.mtx"
exits 2
run spmm-export -f "$work/a.plan" -o "$work/alias.mtx" --rhs "$work/./alias.mtx"
exits 2
says_err 'this is the file of the matrix'
run spmm-inspect -q "$work/alias.mtx" -o "$work/alias.plan" # it is the matrix
exits 0
run spmm-export -f "$work/a.plan" -o "$work/a.mtx" --rhs "$work/./a.plan"
exits 2
same "$work/a.plan" "$work/kept.plan"
ln -sf "$work/a.plan" "$work/link.npy"
run spmm-export -f "$work/a.plan" -o "$work/a.mtx" --rhs "$work/link.npy"
exits 2
says_err 'this is the plan'
same "$work/a.plan" "$work/kept.plan"

# ---- b of a plan of PAP^T is in the order of A; a pattern counts as ones; A on standard output ----
spmm-inspect -q --device any --dtype f64 gen:rmat:10:7 -o "$work/plain.plan"
spmm-inspect -q --device any --dtype f64 --symmetric-permutation --reorder rcm gen:rmat:10:7 -o "$work/permuted.plan"
for plan in plain permuted; do
    run spmm-export -qf "$work/$plan.plan" -o "$work/a.mtx" --rhs "$work/$plan.mtx"
    exits 0
done
same "$work/plain.mtx" "$work/permuted.mtx"
run spmm-export -qf --all-entries --pattern "$work/plain.plan" -o "$work/a.mtx" --rhs "$work/ones.mtx"
exits 0
run python3 "$work/sums.py" "$work/a.mtx" "$work/ones.mtx" d
exits 0
run spmm-export -q "$work/plain.plan" -o - --rhs "$work/beside.mtx"
exits 0
says 'MatrixMarket matrix coordinate'
same "$work/plain.mtx" "$work/beside.mtx"

# ---- Requests that are refused before anything is written ----
refused() { # TEXT FILE [OPTION...]
    local text=$1 file=$2
    shift 2
    run spmm-export -q "$work/plain.plan" -o "$work/new.mtx" --rhs "$file" "$@"
    exits 2
    says_err "$text"
    missing "$work/new.mtx"
}
for file in b.csv b.npz b.smtx .npy -; do
    refused "--rhs $file: expected an ending .mtx, .mtx.gz, .mtx.zst or .npy" $file
done
refused 'new.mtx: this is the file of the matrix' "$work/new.mtx"
cp "$work/plain.mtx" "$work/before"
refused 'plain.mtx exists; -f overwrites it' "$work/plain.mtx"
same "$work/plain.mtx" "$work/before"
run spmm-export -q "$work/plain.plan" -o "$work/new.mtx" --rhs "$work/none/b.npy"
exits 1
one_line_err
says_err 'none/b.npy: '
run bash -c "spmm-export -qf '$work/plain.plan' -o '$work/new.mtx' --rhs '$work/none/b.mtx'"
exits 1
one_line_err
says_err 'none/b.mtx: '

finish
