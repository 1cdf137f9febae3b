#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The matrices of the tests, generated ones, and those of the folder SPMM_MATRICES if it is set: inspected, exported and
# inspected again, pattern and values have the same digests.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1
folders=("$source_dir/tests/data")
[ -z "${SPMM_MATRICES:-}" ] || folders+=("$SPMM_MATRICES")

digests() { spmm-info --json "$1" | grep -E '"(pattern|values)_digest"'; }
trips=0 refused=0
# trip MATRIX DTYPE FORM
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
while IFS= read -r matrix; do
    for dtype in f64 f32 bf16; do
        if ! spmm-inspect -q --device any --dtype $dtype "$matrix" -o "$work/first.plan" 2>"$work/.err"; then
            refused=$((refused + 1))
            continue
        fi
        digests "$work/first.plan" >"$work/expected"
        case $dtype in
        f64) forms=(mtx.zst npz) ;;
        *) forms=(mtx) ;;
        esac
        for form in "${forms[@]}"; do
            trip "$matrix" $dtype "$form"
        done
    done
done < <(
    find "${folders[@]}" -maxdepth 1 -type f \( -name '*.zst' -o -name '*.gz' -o -name '*.mtx' -o -name '*.npz' -o -name '*.rb' \)
    printf 'gen:%s\n' rmat:11:9 poisson3:9:9:9 elasticity:5:5:5 band:700:9 hubs:900:3:5 powerlaw:900:400:12
)
echo "$trips round trips, $refused times the matrix was refused before"
last="round trips: $trips, at least 6 matrices in 4 forms were expected"
run test "$trips" -ge 24
exits 0
finish
