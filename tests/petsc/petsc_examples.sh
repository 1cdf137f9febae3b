#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs one example for PETSc: petsc_examples.sh NAME. The example prints whether both matrix types give the same results.
set -euo pipefail
name=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=${SPMM_BIN:?the folder of the programs}:${SPMM_EXAMPLES:?the folder of the examples}:$PATH
fail() { cat "$work/out"; echo "example $name: $*" >&2; exit 1; }

# runs LINES MATRIX [OPTION...]: checks that the example succeeds and prints LINES lines for each matrix type
runs() {
    "$name" "${@:2}" >"$work/out" 2>&1 || fail "exit status $? for ${*:2}"
    grep ': right$' "$work/out" >/dev/null || fail "${*:2}: not right"
    for type in seqaij seqaijspmm; do
        [ "$(grep -cE "^$type +\w+: [0-9]+ iterations in [0-9.]+ s" "$work/out")" = "$1" ] || fail "${*:2}: not $1 lines of $type"
    done
}

# refuses SENTENCE [ARGUMENT...]: checks that the example fails with an error message that contains SENTENCE
refuses() {
    ! "$name" "${@:2}" >"$work/out" 2>&1 || fail "takes ${*:2}"
    grep -F "$1" "$work/out" >/dev/null || fail "${*:2}: expected '$1'"
}

case $name in
petsc_document) # the commands of docs/solvers.md
    docs=$(cd "$(dirname "$0")/../../docs" && pwd)
    cd "$work"
    sed -n '1,/^## PETSc/d; s/^    //p' "$docs/solvers.md" >commands
    [ "$(wc -l <commands)" -ge 3 ] || fail 'docs/solvers.md has no commands'
    bash -eux commands >out 2>&1 || fail 'a command failed'
    exit 0
    ;;
petsc_cg)
    lines=1
    runs $lines gen:poisson3:14:12:10 -pc_type none
    ;;
slepc_eigen)
    lines=2
    runs $lines gen:poisson3:11:10:9
    ;;
*) fail 'there is no such example' ;;
esac
runs $lines gen:elasticity:7:5:4 -mat_spmm_threads 2
spmm-inspect -q --dtype f64 gen:elasticity:7:5:4 -o "$work/a.plan"
runs $lines gen:elasticity:7:5:4 -mat_spmm_plan "$work/a.plan" -mat_spmm_device cpu
refuses 'the plan is for ' gen:poisson3:5:5:5 -mat_spmm_plan "$work/a.plan"
refuses 'expected a square matrix with values' gen:uniform:5:4:2
refuses "usage: $name MATRIX"
