#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Inspects, exports and inspects again the test matrices, generated ones, and those of the folder
# SPMM_MATRICES if it is set. Pattern and values must keep their digests. For complex matrices, this holds for
# the real part.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1

digests() { spmm-info --json "$1" | grep -E '"(pattern|values)_digest"'; }
trips=0
# trip MATRIX DTYPE FORM: makes one round trip with the matrix in first.plan.
trip() {
    run spmm-export -qf "$work/first.plan" -o "$work/back.$3"
    exits 0
    run spmm-inspect -q --device any --dtype "$2" "$work/back.$3" -o "$work/second.plan"
    exits 0
    digests "$work/second.plan" >"$work/found"
    last="$1 $2 $3"
    same "$work/expected" "$work/found"
    trips=$((trips + 1))
}
# trips_of MATRIX DTYPE FORM...
trips_of() {
    local matrix=$1 dtype=$2 form
    shift 2
    run spmm-inspect -q --device any --dtype "$dtype" "$matrix" -o "$work/first.plan"
    if grep -q 'the field is complex' "$work/.err"; then
        run spmm-inspect -q --device any --dtype "$dtype" --real-part "$matrix" -o "$work/first.plan"
    fi
    exits 0
    digests "$work/first.plan" >"$work/expected"
    [ "$(grep -c . "$work/expected")" -eq 2 ] || wrong 'expected digests of pattern and values'
    for form in "$@"; do
        trip "$matrix" "$dtype" "$form"
    done
}
# all_of MATRIX...: makes round trips with all matrices; there must be at least one.
all_of() {
    last="the matrices $*"
    run test $# -ge 1
    exits 0
    for matrix in "$@"; do
        trips_of "$matrix" f64 mtx.zst npz
        trips_of "$matrix" f32 mtx
        trips_of "$matrix" bf16 mtx
    done
}
# files_of FOLDER: makes round trips with all matrix files of the folder.
files_of() {
    mapfile -t files < <(find "$1" -maxdepth 1 -type f \( -name '*.zst' -o -name '*.gz' -o -name '*.mtx' -o -name '*.npz' -o -name '*.rb' \))
    all_of "${files[@]}"
}
files_of "$source_dir/tests/data"
all_of gen:rmat:11:9 gen:poisson3:9:9:9 gen:elasticity:5:5:5 gen:band:700:9 gen:hubs:900:3:5 gen:powerlaw:900:400:12
[ -z "${SPMM_MATRICES:-}" ] || files_of "$SPMM_MATRICES"
echo "$trips round trips"
finish
