#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs one solver example: examples.sh NAME DEVICE. DEVICE is cpu or the number of a GPU. The program checks its own
# residuals; this script compares results that are known from elsewhere. Exit status 77: the GPU does not exist.
set -euo pipefail
name=$1 device=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=${SPMM_BIN:?the folder of the programs}:$PATH
data=$(cd "$(dirname "$0")/../data" && pwd)
fail() { echo "example $name: $*" >&2; exit 1; }

# plan OUT MATRIX [OPTION...]: inspects the matrix and writes the plan to $work/OUT
plan() { spmm-inspect -q --dtype f64 --device "$([ "$device" = cpu ] && echo cpu || echo any)" "${@:2}" -o "$work/$1"; }

# solve PLAN [WORD...]: runs the example; its output is in $work/out
solve() {
    "$SPMM_EXAMPLES/$name" "$work/$1" --device "$device" "${@:2}" >"$work/out" 2>"$work/err" ||
        { tail -n 5 "$work/out" "$work/err"; fail "exit status $? for $1"; }
    grep -qE '^[0-9]+ iterations in [0-9.]+ s, [0-9.]+ s with loading the plan: right$' "$work/out" || fail "$1: no last line"
    [ "$(grep -cE '^(iteration|half-step) [0-9]+' "$work/out")" -ge 5 ] || fail "$1: no line an iteration"
}

# meets_limit PLAN COUNT: checks that the example does not converge and reports COUNT iterations
meets_limit() {
    ! "$SPMM_EXAMPLES/$name" "$work/$1" --device "$device" >"$work/out" 2>"$work/err" || fail "$1: it converged"
    grep -q "^$2 iterations in .*: WRONG\$" "$work/out" || fail "$1: expected $2 iterations, found $(tail -n 1 "$work/out")"
    [ "$(grep -c '^iteration ' "$work/out")" -eq "$2" ] || fail "$1: no line an iteration"
}

# is_true PYTHON-EXPRESSION: checks an expression of t, the output, and numbers(pattern), the numbers that the one group
# of the pattern matches in the output
is_true() {
    python3 - "$work/out" "$1" <<'END' || { tail -n 12 "$work/out"; fail "expected $1"; }
import math, re, sys
t = open(sys.argv[1]).read()
def numbers(pattern): return [float(x) for x in re.findall(pattern, t)]
def side(n): return [2 - 2 * math.cos(math.pi * j / (n + 1)) for j in range(1, n + 1)]
def poisson(nx, ny): return sorted(x + y for x in side(nx) for y in side(ny))
def close(a, b, tolerance): return len(a) == len(b) > 0 and all(abs(x - y) <= tolerance * abs(y) for x, y in zip(a, b))
sys.exit(not eval(sys.argv[2]))
END
}

# refuses PLAN SENTENCE: checks that the example refuses the plan with an error message that contains SENTENCE
refuses() {
    local status=0
    "$SPMM_EXAMPLES/$name" "$work/$1" --device "$device" >"$work/out" 2>"$work/err" || status=$?
    if [ $status != 1 ] || ! grep -qF "$2" "$work/err"; then
        cat "$work/err"
        fail "$1: status $status, expected '$2'"
    fi
}

# only_products PLAN: checks A D A^T alone, with four different D
only_products() {
    "$SPMM_EXAMPLES/$name" "$work/$1" --device "$device" --products 4 >"$work/out" || fail "$1: status $? of products"
    is_true '"4 iterations in" in t and numbers(r"4 products, error (\S+)")[0] <= 1e-12 and t.endswith(": right\n")'
}

if [ "$device" != cpu ]; then
    spmm-inspect -q gen:diag:4 -o "$work/probe.plan"
    spmm-run -q --repeat 0 --device "cuda:$device" "$work/probe.plan" 2>/dev/null || exit 77
fi
if [ "$name" != cuda_graph ] && [ "$name" != document ]; then
    plan empty.plan gen:empty:0:0
    refuses empty.plan 'the matrix has no rows or no columns'
fi
case $name in
block_cg)
    plan laplacian.plan gen:poisson3:14:12:10
    plan elastic.plan gen:elasticity:7:5:4
    plan permuted.plan gen:elasticity:7:5:4 --symmetric-permutation --reorder rcm
    for matrix in laplacian elastic permuted; do
        solve $matrix.plan
        is_true 'numbers(r"true residual (\S+),")[0] <= 1e-10 and numbers(r"error (\S+)")[0] <= 1e-8'
        is_true 'numbers(r"width (\d+)")[0] == 16 > numbers(r"width (\d+)")[-1] > 0'
    done
    ;;
lobpcg | chebyshev)
    plan small.plan gen:poisson2:4:2
    refuses small.plan 'the block has lost its rank'
    plan natural.plan gen:poisson2:30:24
    plan permuted.plan gen:poisson2:30:24 --symmetric-permutation --reorder rcm
    for matrix in natural permuted; do
        solve $matrix.plan
        is_true 'close(numbers(r"eigenvalue \d+: (\S+)"), poisson(30, 24)[:8], 1e-10)'
    done
    [ "$name" = chebyshev ] || is_true 'min(numbers(r"width (\d+)")) < 8'
    plan elastic.plan gen:elasticity:6:4:3
    solve elastic.plan
    if [ "$name" = chebyshev ]; then
        is_true 'len(numbers(r"iteration (\d+)")) <= 25' # any polynomial converges, if slowly
        plan unsymmetric.plan gen:rmat:6:7
        meets_limit unsymmetric.plan 1000
    fi
    ;;
pagerank)
    plan links.plan gen:rmat:9:6
    plan mesh.plan "$data/bcsstk17.mtx.zst"
    plan permuted.plan gen:rmat:9:6 --symmetric-permutation --reorder minhash
    for matrix in links mesh permuted; do
        solve $matrix.plan
        is_true 'numbers(r"power iteration (\S+)")[0] <= 1e-12'
    done
    ;;
label_propagation)
    plan natural.plan gen:poisson2:31:19
    plan permuted.plan gen:poisson2:31:19 --symmetric-permutation --reorder rcm
    solve natural.plan all
    # Rotating the grid by 180 degrees maps it to itself and label f to 3 - f.
    is_true '(lambda f: len(f) == 589 and sum(f[i] == 3 - f[588 - i] for i in range(589)) >= 588)(numbers(r"node \d+: (\d)"))'
    grep '^node' "$work/out" >"$work/natural"
    solve permuted.plan all
    grep '^node' "$work/out" | cmp -s - "$work/natural" || fail "other labels in permuted order"
    plan mesh.plan "$data/bcsstk17.mtx.zst"
    solve mesh.plan
    ;;
recommender)
    plan grid.plan gen:poisson2:5:6 --op both
    solve grid.plan
    # The singular values are known, and each has a factor. The best fit lowers each by 1, but not below 0.
    is_true 'close(numbers(r"sum (\S+) of")[-1:], [sum(x * x - max(x - 1, 0) ** 2 for x in poisson(5, 6))], 1e-4)'
    plan ratings.plan gen:powerlaw:900:400:12 --op both
    solve ratings.plan
    ;;
amg_setup)
    plan small.plan gen:poisson2:5:5
    refuses small.plan 'three unknowns a node'
    plan permuted.plan gen:elasticity:7:5:4 --symmetric-permutation --reorder rcm
    refuses permuted.plan 'a plan without --symmetric-permutation'
    plan elastic.plan gen:elasticity:12:10:8
    solve elastic.plan
    is_true '"3 levels" in t and " 0 of 4 plans" in t and len(numbers(r"set-up (\d+):")) == 5'
    is_true 'max(numbers(r"difference (\S+)")) <= 1e-12 and len(numbers(r"iteration (\d+)")) <= 60'
    is_true 'min(numbers(r"a set-up takes (\S+) ms") + numbers(r"the products take (\S+) ms")) > 0'
    is_true 'len(numbers(r"level (\d): ")) == 3 and len(set(re.findall(r"hash (\w{16})", t))) == 3'
    grep '^level' "$work/out" >"$work/levels"
    grep '^iteration' "$work/out" >"$work/first"
    solve elastic.plan # the plans are there now
    is_true '" 4 of 4 plans" in t'
    grep '^iteration' "$work/out" | cmp -s - "$work/first" || fail 'plans from files compute something else'
    OMP_NUM_THREADS=1 "$SPMM_EXAMPLES/$name" "$work/elastic.plan" --device cpu | grep '^level' >"$work/cpu"
    cmp -s "$work/cpu" "$work/levels" || fail 'the levels have other bits than by one thread of the CPU'
    "$SPMM_EXAMPLES/$name" "$work/elastic.plan" --device "$device" --set-ups 2 >"$work/out" || fail 'two set-ups'
    is_true 'len(numbers(r"set-up (\d+):")) == 2 and "2 iterations in" in t and "residual" not in t'
    ! "$SPMM_EXAMPLES/$name" "$work/elastic.plan" --set-ups 0 2>"$work/err" || fail 'no set-ups'
    grep -q 'a count above 0' "$work/err" || fail 'no set-ups: another sentence'
    plan negative.plan gen:elasticity:5:5:5
    spmm-export -q "$work/negative.plan" -o "$work/negative.mtx"
    sed -i '/^1 1 /s/ 1 / 1 -/' "$work/negative.mtx" # the first diagonal entry
    plan negative.plan "$work/negative.mtx"
    refuses negative.plan 'a diagonal entry is not positive'
    plan other.plan gen:elasticity:7:7:6
    cp "$work/elastic.plan.smooth0" "$work/other.plan.smooth0"
    refuses other.plan 'the plan is for'
    ;;
interior_point)
    plan program.plan gen:uniform:200:700:8 --op both
    refuses program.plan 'there is no plan PLAN.normal'
    normal=(--product --transpose-b --lower --diagonal -o "$work/program.plan.normal")
    spmm-inspect -q "${normal[@]}" gen:uniform:200:700:8
    refuses program.plan 'of f64'
    spmm-inspect -q --dtype f64 "${normal[@]}" gen:uniform:200:700:9
    refuses program.plan 'the plan is for'
    spmm-inspect -q --dtype f64 "${normal[@]}" gen:uniform:200:700:8
    solve program.plan
    is_true 'len(numbers(r"iteration (\d+)")) <= 40 and numbers(r"\nerror (\S+),")[0] <= 1e-8'
    is_true 'min(numbers(r"A D A\^T takes (\S+) ms")) > 0'
    only_products program.plan
    # Two rows are equal, so A D A^T is singular.
    printf '%%%%MatrixMarket matrix coordinate real general\n2 3 4\n1 1 1\n1 3 2\n2 1 1\n2 3 2\n' >"$work/equal.mtx"
    plan program.plan "$work/equal.mtx" --op both
    spmm-inspect -q --dtype f64 "${normal[@]}" "$work/equal.mtx"
    refuses program.plan 'are rows of A dependent'
    only_products program.plan
    ;;
cuda_graph)
    plan grid.plan gen:poisson3:20:20:20
    "$SPMM_EXAMPLES/$name" "$work/grid.plan" --device "$device" | tee "$work/out"
    is_true 'min(numbers(r"(\S+) us")) > 0'
    ;;
document) # the commands of docs/solvers.md; those for PETSc are tried in tests/petsc
    cd "$work"
    PATH=$SPMM_EXAMPLES:$PATH
    sed -n '/^## PETSc/,$d; /^```/,/^```/d; /^    export/d; s/^    //p' "$data/../../docs/solvers.md" >commands
    [ "$(wc -l <commands)" -ge 3 ] || fail 'docs/solvers.md has no commands'
    bash -eux commands
    ;;
*) fail 'there is no such example' ;;
esac
