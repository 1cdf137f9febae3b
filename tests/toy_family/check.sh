#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that a new family needs only one folder and one row: check.sh SOURCE_DIR BUILD_DIR WORK_DIR [CUDA_ARCHITECTURES]
#
# Copies the tree to WORK_DIR, adds the toy family as a developer would, and builds the copy. Then tests the family in
# inspection, plan file, report, product, benchmark and validator. With architectures the copy also has GPU code.
set -euo pipefail
source=$1 build=$2 work=$3 architectures=${4:-}
tree=$work/tree out=$work/build

fail() { echo "toy family: $*" >&2; exit 1; }
# Checks that COMMAND prints TEXT. Reads its whole output, because grep -q would break the pipe.
shows() { # TEXT WHAT-IS-WRONG COMMAND...
    local text=$1 wrong=$2
    shift 2
    "$@" >"$work/shown" || { cat "$work/shown"; fail "$* failed"; }
    grep -q "$text" "$work/shown" || { cat "$work/shown"; fail "$wrong"; }
}
quiet() { "$@" >"$work/log" 2>&1 || { tail -n 40 "$work/log"; fail "$* failed"; }; }

rm -rf "$work"
mkdir -p "$tree"
(cd "$source" && tar -cf - CMakeLists.txt LICENSE NOTICE cmake format include inspector executor kernels tools) |
    tar -C "$tree" -xf -
cp -r "$source/tests/toy_family/toy" "$tree/kernels/"
grep -v SPDX "$source/tests/toy_family/family_rows.def" >>"$tree/format/family_list.def"

# Nothing is measured: without optimisation the build takes a quarter of the time.
quiet cmake -S "$tree" -B "$out" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE='-O0 -DNDEBUG' \
    -DSPMM_TESTS=OFF -DSPMM_WERROR=ON \
    -DSPMM_CUDA="$([ -n "$architectures" ] && echo ON || echo OFF)" ${architectures:+"-DSPMM_CUDA_ARCHITECTURES=$architectures"}
quiet cmake --build "$out" --target spmm-inspect spmm-info spmm-run spmm-bench
# If the copy is built without CUDA but nvcc exists, the GPU code of the toy family must still compile.
if [ -z "$architectures" ] && nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null); then
    include=$(dirname "$(dirname "$(readlink -f "$nvcc")")")/include
    quiet "$nvcc" -I "$tree" -I "$tree/include" -Werror=all-warnings -c "$tree/kernels/toy/toy.cu" -o "$work/toy.cu.o"
    quiet "${CC:-cc}" -std=c11 -Wall -Wextra -Wconversion -Wshadow -Werror -D_GNU_SOURCE -I "$tree" -I "$tree/include" \
        -isystem "$include" -c "$tree/kernels/toy/toy_cuda.c" -o "$work/toy_cuda.c.o"
fi
[ "${TOY_BUILD_ONLY:-0}" -eq 0 ] || exit 0

matrix=gen:powerlaw:700:500:6
plan=$work/toy.plan
for type in f32 f64; do
    for op in N T; do
        "$out/tools/spmm-inspect" "$matrix" --kernel toy --dtype $type --op $op --force -q -o "$plan"
        shows toy/plain "spmm-info does not show the family" "$out/tools/spmm-info" "$plan"
        shows '"family": *"toy"' "the JSON does not show the family" "$out/tools/spmm-info" --json "$plan"
        for layout in row col; do
            shows cpu/toy/plain "another kernel ran" "$out/tools/spmm-run" "$plan" --device cpu --op $op -n 9 \
                --layout $layout --alpha 1.5 --beta -0.5 --check "$matrix"
        done
        # plan_reader.py, which follows plan-format.md, must accept the plan by the same row of the list.
        (cd "$source/tools/dev" && tar -cf - .) | (mkdir -p "$tree/tools/dev" && tar -C "$tree/tools/dev" -xf -)
        python3 "$tree/tools/dev/plan_reader.py" "$plan" >"$work/reader" || { cat "$work/reader"; fail "plan_reader refuses the plan"; }
    done
done
shows toy "--kernel's help does not name the family" "$out/tools/spmm-inspect" --help
# If the profile has constants for the family, the default choice may choose it. Without constants it never does.
sed 's/^name = .*/name = toy/' "$tree/inspector/profiles/cpu.profile" >"$work/toy.profile"
echo "model.toy.f32 = $(printf '0.01 %.0s' {1..10})" >>"$work/toy.profile"
"$out/tools/spmm-inspect" "$matrix" --device "$work/toy.profile" --force -q -o "$plan"
shows cpu/toy/plain "it is not chosen by its constants" "$out/tools/spmm-run" "$plan" --device cpu -n 9 --check "$matrix"
shows 'refused toy/plain: the cost model has no prediction' "the search takes it without constants" \
    "$out/tools/spmm-inspect" "$matrix" --device cpu --explain
"$out/tools/spmm-inspect" "$matrix" --kernel rows --force -q -o "$plan"
shows cpu/toy/plain "the kernel cannot be forced" "$out/tools/spmm-run" "$plan" --device cpu \
    --force-kernel cpu/toy/plain -n 5 --check "$matrix"
shows cpu/toy/plain "spmm-bench does not measure the family" "$out/tools/spmm-bench" --device cpu --no-peers -n 3 \
    --repeat 1 --kernels toy gen:lap27:5

# The validator of the copy refuses an item size that the row forbids. A build without the family refuses the plan because
# of its feature bit.
"$out/tools/spmm-inspect" "$matrix" --kernel toy --force -q -o "$plan"
status=0
"$build/tools/spmm-info" "$plan" >"$work/refused" 2>&1 || status=$?
[ "$status" -eq 4 ] || [ "$status" -eq 3 ] || { cat "$work/refused"; fail "a build without the family answered $status"; }
grep -qi feature "$work/refused" || { cat "$work/refused"; fail "the refusal does not name the feature"; }

# Adding the family may change only one existing file, the list of families.
changed=$(cd "$source" && for file in $(cd "$tree" && find CMakeLists.txt cmake format include inspector executor kernels -type f); do
    if [ -e "$file" ] && ! cmp -s "$file" "$tree/$file"; then echo "$file"; fi
done)
[ "$changed" = format/family_list.def ] || fail "more than the list changed: $changed"
echo "toy family: added by kernels/toy and $(grep -vc SPDX "$source/tests/toy_family/family_rows.def") lines of format/family_list.def; all checks passed"
