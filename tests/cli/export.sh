#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# spmm-export: the matrix is exported bit for bit in every format. Invalid requests are refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1
golden=$source_dir/tests/golden/good

# Prints the digests of pattern and values.
digests() { spmm-info --json "$1" | grep -E '"(pattern|values)_digest"'; }
# keeps PLAN FORM [OPTION...]: checks that the matrix, exported in this format and inspected again, has the
# same digests.
keeps() {
    local plan=$1 form=$2 dtype
    shift 2
    dtype=$(spmm-info --json "$plan" | sed -n 's/^  "dtype": "\(.*\)".*/\1/p')
    run spmm-export -qf "$plan" -o "$work/back.$form" "$@"
    exits 0
    silent
    silent_err
    run spmm-inspect -q --device any --dtype "$dtype" "$work/back.$form" -o "$work/back.plan" "$@"
    exits 0
    digests "$plan" >"$work/expected"
    digests "$work/back.plan" >"$work/found"
    same "$work/expected" "$work/found"
}

# ---- Every golden plan and every type, in every format that has values ----
for plan in "$golden"/*.plan; do
    case $plan in
    */special_values.plan | */triangle.plan | */triangle_skew.plan | */pattern_only.plan | */symmetric_*.plan) continue ;; # below
    esac
    spmm-info --json "$plan" >"$work/.info"
    if grep -q '"has_values": false' "$work/.info"; then
        continue
    fi
    keeps "$plan" mtx
done
for dtype in f16 bf16 f32 f64; do
    spmm-inspect -q --device any --dtype $dtype gen:rmat:13:9 -o "$work/a.plan"
    for form in mtx mtx.gz mtx.zst npz; do
        keeps "$work/a.plan" $form
    done
done

# ---- Several chunks, written by several threads, give the same bytes ----
spmm-inspect -q --device any --dtype f64 gen:band:40000:9 -o "$work/large.plan"
for form in mtx mtx.gz mtx.zst npz; do
    keeps "$work/large.plan" $form --threads 3
    mv "$work/back.$form" "$work/three.$form"
    run spmm-export -qf "$work/large.plan" -o "$work/one.$form" --threads 1
    exits 0
    same "$work/one.$form" "$work/three.$form"
done
run gzip -t "$work/one.mtx.gz"
exits 0
run cmp "$work/one.mtx" <(gzip -dc "$work/one.mtx.gz")
exits 0
run cmp "$work/one.mtx" <(zstd -dc "$work/one.mtx.zst")
exits 0
run python3 -m zipfile -t "$work/one.npz"
exits 0
run python3 -m zipfile -l "$work/one.npz"
says 'indices.npy'
says 'data.npy'

# ---- Patterns ----
spmm-inspect -q --device any --pattern-only gen:rmat:13:9 -o "$work/pattern.plan"
pattern_of() { spmm-info --json "$1" | grep '"pattern_digest"'; }
for form in mtx mtx.zst npz smtx smtx.gz smtx.zst; do
    for plan in pattern.plan a.plan; do
        run spmm-export -qf --pattern "$work/$plan" -o "$work/p.$form"
        exits 0
        run spmm-inspect -q --device any --pattern-only "$work/p.$form" -o "$work/back.plan"
        exits 0
        run cmp <(pattern_of "$work/$plan") <(pattern_of "$work/back.plan")
        exits 0
    done
done
run head -n 1 "$work/p.mtx"
says 'coordinate pattern general'
for spec in gen:empty:0:0 gen:empty:3:0 gen:empty:0:3 gen:empty:4:5 gen:diag:1; do
    spmm-inspect -q "$spec" --pattern-only -o "$work/small.plan"
    for form in mtx npz smtx smtx.gz; do
        run spmm-export -qf "$work/small.plan" -o "$work/small.$form"
        exits 0
        run spmm-inspect -q --pattern-only "$work/small.$form" -o "$work/back.plan"
        exits 0
        run cmp <(pattern_of "$work/small.plan") <(pattern_of "$work/back.plan")
        exits 0
    done
done

# ---- Symmetric matrices: the file has one triangle, and reading it gives the whole matrix ----
odd_entries='2 1 0.1\n3 1 -0\n3 2 nan\n4 1 -nan\n4 3 inf\n'
printf "%%%%MatrixMarket matrix coordinate real skew-symmetric\n4 4 5\n$odd_entries" >"$work/skew-symmetric.mtx"
printf "%%%%MatrixMarket matrix coordinate real symmetric\n4 4 6\n1 1 -0\n$odd_entries" >"$work/symmetric.mtx"
for symmetry in skew-symmetric symmetric; do
    for dtype in f16 bf16 f32 f64; do
        spmm-inspect -q --device any --dtype $dtype "$work/$symmetry.mtx" -o "$work/half.plan"
        keeps "$work/half.plan" mtx
        same "$work/$symmetry.mtx" "$work/back.mtx"
        run spmm-info --json "$work/half.plan"
        is_json "j['symmetry'] == '$symmetry'"
    done
done
for dtype in f16 f32 f64; do
    spmm-inspect -q --device any --dtype $dtype gen:poisson2:30:30 -o "$work/mirrored.plan"
    keeps "$work/mirrored.plan" mtx.gz
    keeps "$work/mirrored.plan" npz
done
run spmm-info "$work/mirrored.plan"
says 'symmetry   symmetric'
run spmm-export -f "$work/mirrored.plan" -o "$work/mirrored.mtx"
says 'mirrored.mtx: mtx, symmetric, 900 x 900, 4,380 nonzeros, f64'
run sed -n '1p;2p' "$work/mirrored.mtx"
says 'coordinate real symmetric'
says '900 900 2640'
run spmm-export -f --json "$work/mirrored.plan" -o "$work/mirrored.mtx"
is_json 'j["symmetry"] == "symmetric" and j["nnz"] == 4380'
run spmm-export -qf --all-entries "$work/mirrored.plan" -o "$work/all.mtx"
run sed -n '1p;2p' "$work/all.mtx"
says 'coordinate real general'
says '900 900 4380'
run spmm-info -q --matches "$work/all.mtx" "$work/mirrored.plan"
exits 0
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 2\n2 1 3\n' >"$work/structural.mtx"
spmm-inspect -q --device any --dtype f64 "$work/structural.mtx" -o "$work/structural.plan"
run spmm-info "$work/structural.plan"
says 'symmetry   of the pattern alone'
run spmm-export -qf "$work/structural.plan" -o "$work/structural_back.mtx"
same "$work/structural.mtx" "$work/structural_back.mtx"
run spmm-export -qf --pattern "$work/structural.plan" -o "$work/structural_back.mtx"
run head -n 1 "$work/structural_back.mtx"
says 'coordinate pattern symmetric'

# ---- The export of a plan of PAP^T gives A ----
spmm-inspect -q --device any --dtype f64 gen:rmat:10:7 -o "$work/plain.plan"
spmm-inspect -q --device any --dtype f64 --symmetric-permutation --reorder rcm gen:rmat:10:7 -o "$work/symmetric.plan"
run spmm-info "$work/symmetric.plan"
says 'PAP^T'
for form in mtx npz; do
    run spmm-export -qf "$work/symmetric.plan" -o "$work/symmetric.$form"
    run spmm-export -qf "$work/plain.plan" -o "$work/plain.$form"
    same "$work/symmetric.$form" "$work/plain.$form"
done
run spmm-export -qf --pattern "$work/symmetric.plan" -o "$work/symmetric.smtx"
run spmm-export -qf --pattern "$work/plain.plan" -o "$work/plain.smtx"
same "$work/symmetric.smtx" "$work/plain.smtx"
run spmm-export -qf "$golden"/symmetric_*.plan -o "$work/symmetric.mtx"
exits 0
run spmm-info -q --matches "$work/symmetric.mtx" "$golden"/symmetric_*.plan
exits 0

# ---- Infinities, zeros of both signs, NaN; text does not keep the bits of other NaN ----
printf '%%%%MatrixMarket matrix coordinate real general\n2 3 5\n1 1 inf\n1 2 -inf\n1 3 -0\n2 1 nan\n2 3 -nan\n' >"$work/odd.mtx"
for dtype in f16 bf16 f32 f64; do
    spmm-inspect -q --device any --dtype $dtype "$work/odd.mtx" -o "$work/odd.plan"
    run spmm-export -qf "$work/odd.plan" -o "$work/odd_back.mtx"
    same "$work/odd.mtx" "$work/odd_back.mtx"
    keeps "$work/odd.plan" npz
done
for name in special_values triangle triangle_skew; do
    run spmm-export "$golden/$name.plan" -o "$work/special.mtx"
    exits 4
    one_line_err
    says_err 'is a NaN whose bits no text can hold: use the format npz, or --pattern'
    missing "$work/special.mtx"
    run spmm-export -qf "$golden/$name.plan" -o "$work/special.npz"
    exits 0
    run spmm-info -q --matches "$work/special.npz" "$golden/$name.plan"
    exits 0
done

# ---- Output for people and as JSON ----
run spmm-export -f "$work/a.plan" -o "$work/a.mtx.zst"
exits 0
silent_err
says "a.mtx.zst: mtx.zst, 8,192 x 8,192, "
says ', f64, '
run spmm-export --json "$work/a.plan" -o "$work/a.npz"
exits 0
is_json 'j["format"] == "npz" and j["bytes"] == '"$(stat -c %s "$work/a.npz")"' and j["has_values"]'
run spmm-export -f --json --pattern "$work/a.plan" -o "$work/a.npz"
is_json 'not j["has_values"] and j["rows"] == 8192 and j["dtype"] == "f64"'
run spmm-export "$work/odd.plan" -o -
exits 0
says '2 1 nan'
says_err '-: mtx, 2 x 3, 5 nonzeros, f64, 93 bytes'
run spmm-export -qf --format npz "$work/odd.plan" -o "$work/odd.npz"
run cmp "$work/odd.npz" <(spmm-export -qf --format npz - -o - <"$work/odd.plan") # as through a pipe
exits 0
run spmm-export -qf --format mtx "$work/odd.plan" -o "$work/other.txt"
exits 0
same "$work/other.txt" "$work/odd.mtx"

# ---- An existing file is kept without -f; empty files and devices are written ----
cp "$work/odd.mtx" "$work/only.mtx"
for path in only.mtx a.plan; do
    cp "$work/$path" "$work/before"
    run spmm-export --format mtx "$work/a.plan" -o "$work/$path"
    exits 2
    says_err "$path exists; -f overwrites it"
    same "$work/$path" "$work/before"
done
run spmm-export -qf "$work/odd.plan" -o "$work/only.mtx"
exits 0
: >"$work/empty.mtx"
run spmm-export -q "$work/odd.plan" -o "$work/empty.mtx"
exits 0
same "$work/empty.mtx" "$work/odd.mtx"
run spmm-export -q --format mtx "$work/odd.plan" -o /dev/null
exits 0

# ---- Requests that are refused ----
run spmm-export "$work/a.plan"
exits 2
says_err '-o FILE is missing'
run spmm-export "$work/a.plan" -o "$work/a.csv"
exits 2
says_err 'the name does not say the format'
missing "$work/a.csv"
run spmm-export "$work/a.plan" -o "$work/.mtx/mtx"
exits 2
run spmm-export --format csv "$work/a.plan" -o "$work/a.csv"
exits 2
says_err 'expected one of mtx, mtx.gz, mtx.zst, npz, smtx, smtx.gz, smtx.zst'
run spmm-export --json "$work/a.plan" -o -
exits 2
run spmm-export "$work/a.plan" -o "$work/a.smtx"
exits 2
one_line_err
says_err 'the format smtx has no values, the plan has: --pattern leaves them out'
missing "$work/a.smtx"
run spmm-export "$work/odd.mtx" -o "$work/b.mtx"
exits 3
says_err 'expected a plan, found a matrix'
missing "$work/b.mtx"
run spmm-export "$work/none.plan" -o "$work/b.mtx"
exits 1
run spmm-export "$work/a.plan" -o "$work/none/b.mtx"
exits 1
one_line_err
run bash -c "spmm-export -qf '$work/a.plan' -o - >/dev/full"
exits 1
for form in mtx mtx.gz npz; do # what was there stays
    printf 'old\n' >"$work/old.$form"
    # The counters of a coverage build would exceed the file size limit too.
    run env LLVM_PROFILE_FILE=/dev/null bash -c "ulimit -f 8; exec spmm-export -qf '$work/large.plan' -o '$work/old.$form'"
    exits 1
    one_line_err
    run cat "$work/old.$form"
    says 'old'
done
run spmm-export -qf --budget 64K "$work/a.plan" -o "$work/b.mtx"
exits 3

finish
