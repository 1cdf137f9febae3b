#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# spmm-run: products are right, data is read and written, invalid requests are refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1
matrix=$source_dir/tests/data/bcsstk17.mtx.zst

plan() { # NAME ARGUMENT... of spmm-inspect
    spmm-inspect -q -o "$work/$1.plan" "${@:2}" || wrong 'spmm-inspect failed'
}
plan a "$matrix"
plan both gen:rmat:9:6 --op both --dtype f64
plan pattern gen:rmat:9:6 --pattern-only

# ---- Products ----
run spmm-run "$work/a.plan" -n 64 --check "$matrix"
exits 0
says '10,974 x 10,974, 428,650 nonzeros, f32'
says 'C = A B, n = 64, row-major B and C'
says 'check      right: error '
says 'GFLOP/s'
silent_err

for op in N T; do
    for layout in row col; do
        for factors in '1 0' '0.3 -2' '0 1'; do
            read -r alpha beta <<<"$factors"
            run spmm-run "$work/both.plan" -n 33 --op $op --layout $layout --alpha "$alpha" --beta "$beta" \
                --check gen:rmat:9:6 --json --repeat 0 --device cpu
            exits 0
            is_json 'j["right"] and j["error_ratio"] <= 1 and j["n"] == 33 and j["device"] == "cpu"'
            is_json "j['op'] == '$op' and j['layout'] == '$layout' and 'ms_median' not in j"
        done
    done
done

run spmm-run "$work/both.plan" --json --repeat 3 --check self --device cpu
exits 0
is_json 'j["n"] == 64 and j["dtype"] == "f64" and j["repeats"] == 3 and j["ms_median"] > 0 and j["gflops"] > 0'
is_json 'j["ms_median_cold"] > 0 and j["checked_against"] == "self" and j["kernel"].startswith("cpu/")'
is_json 'j["csr_bytes"] == 4 * (j["rows"] + 1) + 12 * j["nnz"]'
is_json 'j["host_bytes"] > 0 and j["device_bytes"] == j["peak_device_bytes"] == j["pool_bytes"] == 0'

run spmm-run - -q --check gen:rmat:9:6 --repeat 0 <"$work/pattern.plan"
exits 0
silent
silent_err
run spmm-run "$work/pattern.plan" --repeat 0
exits 0
says 'every entry counts as 1'

# ---- Certificates ----
for op in N T; do
    for factors in '1 0' '0.3 -2' '0 1'; do
        read -r alpha beta <<<"$factors"
        run spmm-run "$work/both.plan" -n 33 --op $op --alpha "$alpha" --beta "$beta" --certify --json --repeat 0
        exits 0
        is_json 'j["certified"] and j["certify_error_ratio"] <= 1 and j["certify_rows_failed"] == 0'
        is_json 'j["certify_first_row"] == -1 and j["certify_vectors"] == 16 and "certify_ms" not in j'
    done
done
run spmm-run "$work/pattern.plan" -n 5 --certify --vectors 20 --certify-seed 7 --repeat 1
exits 0
says 'certify    right: error ratio '
says '512 rows; with 20 vectors of seed 7 a wrong one passes with probability 9.5e-07, in '
run spmm-run "$work/a.plan" -n 1 --certify --repeat 0
says 'with 1 vector of seed 0'
run spmm-run "$work/a.plan" -n 1 --certify --json --repeat 1
exits 0
is_json 'j["certify_vectors"] == 1 and j["certify_miss_probability"] == 0 and j["certify_ms"] > 0'
run spmm-run "$work/a.plan" --certify --vectors 65
exits 2

# ---- A plan of two parts: each n runs the part that was chosen for it ----
plan two gen:band:300:9
for case in 1:row-split 2:row-split 13:row-split 49:row-split 97:row-split; do
    run spmm-run "$work/two.plan" -n "${case%%:*}" --check gen:band:300:9 --json --repeat 0 --device cpu
    exits 0
    is_json "j['right'] and j['kernel'] == 'cpu/rows/${case#*:}'"
done

# ---- The bits do not depend on the number of threads; a forced kernel reports its name ----
for threads in 1 3; do
    run spmm-run "$work/a.plan" -q --repeat 0 --device cpu --threads $threads -n 7 -o "$work/t$threads.npy"
    exits 0
done
same "$work/t1.npy" "$work/t3.npy"
for kernel in cpu/rows/row-split cpu/rows/nonzero-split; do
    run spmm-run "$work/a.plan" --device cpu --force-kernel $kernel -n 5 --check self --json --repeat 1
    exits 0
    is_json "j['kernel'] == '$kernel' and j['right']"
done

# The printed name can be forced. If only the CPU has the kernel, auto selects the CPU, even with a GPU.
run spmm-run "$work/a.plan" --device cpu --force-kernel tiled/segmented -n 5 --json --repeat 0
exits 0
printed=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["kernel"])' <"$work/.out")
run spmm-run "$work/a.plan" --force-kernel "$printed" -n 5 --check self --json --repeat 1
exits 0
is_json "j['kernel'] == '$printed' and j['kernel'].startswith('cpu/tiled/segmented-') and j['right']"
is_json "j['device'] == 'cpu'"
run spmm-run "$work/a.plan" --force-kernel "$printed/reordered" --repeat 0
exits 2
says_err "the plan has \"$printed\", not"
run spmm-run "$work/a.plan" --device cpu --force-kernel rows --json --repeat 0
exits 0

# ---- Own data: B is C of an earlier product ----
run spmm-run "$work/a.plan" -q --repeat 0 -B "$work/t1.npy" -o "$work/c.npy" --check self
exits 0
exists "$work/c.npy"
for other in 'a matrix' '' x; do # an array is replaced, and an empty file; other files with -f
    printf '%s' "$other" >"$work/other.npy"
    run spmm-run "$work/a.plan" -q --device cpu --repeat 0 -n 7 -o "$work/other.npy"
    if [ -n "$other" ]; then
        exits 2
        says_err 'other.npy exists and is no NumPy file; -f overwrites it'
        run spmm-run "$work/a.plan" -qf --device cpu --repeat 0 -n 7 -o "$work/other.npy"
    fi
    exits 0
    same "$work/other.npy" "$work/t1.npy"
done
run spmm-run "$work/a.plan" -q --device cpu --repeat 0 -n 7 -o "$work/other.npy"
exits 0
run spmm-run "$work/a.plan" --repeat 0 --layout col -n 3 -o "$work/col.npy"
exits 0
says "output     $work/col.npy: .npy, 10,974 x 3, f32, col-major"
run spmm-run "$work/a.plan" --json --repeat 0 --layout col -n 3 -o "$work/col.npy"
is_json "j['output'] == '$work/col.npy'"
for ending in npz NPZ smtx smtx.gz; do
    run spmm-run "$work/a.plan" --repeat 0 -fo "$work/c.$ending"
    exits 2
    says_err "c.$ending: a dense C is written as .npy or .mtx"
    missing "$work/c.$ending"
done
run spmm-run "$work/a.plan" --repeat 0 -fo -
exits 2
says_err 'standard output is for the report'

# ---- A Matrix Market array has the numbers of the .npy file, column by column ----
cat >"$work/same_numbers.py" <<'END'
"""Compares X.npy with Y.mtx, bit by bit."""
import ast
import struct
import sys

data = open(sys.argv[1], "rb").read()
begin = 10 + struct.unpack("<H", data[8:10])[0]
head = ast.literal_eval(data[10:begin].decode())
code = {"<f2": "e", "<f4": "f", "<f8": "d"}[head["descr"]]
rows, cols = head["shape"]
numbers = struct.unpack(f"<{rows * cols}{code}", data[begin:])
at = (lambda i, j: j * rows + i) if head["fortran_order"] else (lambda i, j: i * cols + j)
lines = open(sys.argv[2]).read().split("\n")
assert lines[:2] == ["%%MatrixMarket matrix array real general", f"{rows} {cols}"] and lines.pop() == ""
found = [struct.unpack(f"<{code}", struct.pack(f"<{code}", float(line)))[0] for line in lines[2:]]
assert found == [numbers[at(i, j)] for j in range(cols) for i in range(rows)]
END
for case in 'f32 row 7' 'f32 col 3' 'f16 row 2' 'f64 col 1'; do
    read -r type layout n <<<"$case"
    spmm-inspect -q "$matrix" --device cpu --dtype bf16,f32,f64 -o "$work/types.plan"
    [ "$type" != f16 ] || spmm-inspect -q gen:band:900:9 --device cpu --dtype f16 -o "$work/types.plan"
    for file in c.npy c.mtx c.MTX.gz; do
        run spmm-run "$work/types.plan" --dtype "$type" --layout "$layout" -n "$n" --device cpu --repeat 0 -fo "$work/$file"
        exits 0
    done
    says "output     $work/c.MTX.gz: Matrix Market, "
    says "x $n, $type, col-major"
    run python3 "$work/same_numbers.py" "$work/c.npy" "$work/c.mtx"
    exits 0
    run cmp "$work/c.mtx" <(gzip -dc "$work/c.MTX.gz")
    exits 0
done
run spmm-run "$work/a.plan" --repeat 0 -n 1 -o "$work/c.mtx" # one that is there stays
exits 2
says_err 'c.mtx exists; -f overwrites it'
run spmm-run "$work/a.plan" --repeat 0 -B "$work/col.npy" --check self
exits 0
says 'n = 3, col-major'
run spmm-run "$work/a.plan" -B "$work/col.npy" -n 4
exits 2
says_err 'B has 3 columns, but -n says 4'
run spmm-run "$work/a.plan" -B "$work/col.npy" --layout row
exits 2
run spmm-run "$work/both.plan" -B "$work/col.npy"
exits 2
says_err 'the file holds f32 values, but the plan computes in f64; spmm-inspect --dtype f32 makes a plan for them'
plan small gen:diag:5
run spmm-run "$work/small.plan" -B "$work/col.npy"
exits 2
says_err 'B has 10974 rows, but op(A) has 5 columns'
head -c 200 "$work/col.npy" >"$work/cut.npy"
run spmm-run "$work/a.plan" -B "$work/cut.npy"
exits 3
says_err 'cut.npy: the .npy file has 200 bytes'
one_line_err
run spmm-run "$work/a.plan" -B "$work/a.plan"
exits 3
says_err 'expected a .npy file of NumPy, found other bytes'
run spmm-run "$work/a.plan" -B "$work/none.npy"
exits 1
if [ -w /dev/full ]; then
    run spmm-run "$work/small.plan" --repeat 0 -o /dev/full
    exits 1
    run bash -c "spmm-run '$work/small.plan' --repeat 0 >/dev/full"
    exits 1
fi

# ---- OpenMP threads sleep while they wait, unless the user sets another policy ----
waits_as() { # EXPECTED PROGRAM [VARIABLE=VALUE]: the environment of a program that waits for its standard input
    checks=$((checks + 1))
    local found='' pid
    rm -f "$work/pipe"
    mkfifo "$work/pipe"
    env -u OMP_WAIT_POLICY "${@:3}" "$2" - <"$work/pipe" >"$work/.out" 2>"$work/.err" &
    pid=$!
    exec 9>"$work/pipe"
    for _ in $(seq 50); do
        found=$(tr '\0' '\n' <"/proc/$pid/environ" | sed -n 's/^OMP_WAIT_POLICY=//p')
        [ "$found" != "$1" ] || break
        sleep 0.1
    done
    sleep 0.2
    found=$(tr '\0' '\n' <"/proc/$pid/environ" | sed -n 's/^OMP_WAIT_POLICY=//p')
    exec 9>&-
    wait "$pid"
    last="$2 with ${*:3}"
    [ "$found" = "$1" ] || wrong "expected OMP_WAIT_POLICY '$1', found '$found'"
}
waits_as passive spmm-run
waits_as active spmm-run OMP_WAIT_POLICY=active
waits_as '' spmm-run GOMP_SPINCOUNT=100
waits_as '' spmm-run KMP_BLOCKTIME=1
waits_as '' spmm-bench # its times are those of a program that sets nothing

# ---- Without a GPU: the message says whether the build or the machine lacks it ----
case $(spmm-run "$work/small.plan" --repeat 0 --json) in
*'"device": "cpu"'* | *'"device":"cpu"'*)
    run spmm-run "$work/small.plan" --device cuda
    exits 4
    says_err 'GPU 0 was asked for, and this '
    if [ "${SPMM_CUDA:?is the GPU code built?}" = ON ]; then
        says_err 'this machine has no GPU'
    else
        says_err 'this build has no CUDA'
    fi
    run spmm-bench --device cuda:3 gen:diag:4
    exits 4
    says_err 'GPU 3 was asked for, and this '
    run spmm-bench --calibrate --device cuda
    exits 4
    says_err 'GPU 0 was asked for, and this '
    ;;
esac

# ---- Swapped files: the message names the file type and the program that reads it ----
zstd -dc "$matrix" >"$work/plain_text"
for swapped in "$matrix" "$work/plain_text" -; do
    run spmm-run "$swapped" <"$work/plain_text"
    says_err 'expected a plan, found a matrix (Matrix Market); spmm-inspect MATRIX -o PLAN makes plans'
    one_line_err
done
formats=$source_dir/tests/data/formats
cp "$formats/v7.mat" "$work/matlab"
cp "$formats/petsc32.petsc" "$work/petsc"
cp "$formats/petsc64.petsc" "$work/petsc_64"
for swapped in "gen:diag:5 synthetic" "$formats/rua.rb Rutherford-Boeing" "$work/matlab MATLAB" "$work/petsc PETSc" \
    "$work/petsc_64 PETSc" "$formats/ring.graph METIS" "$formats/suite.tar.gz archive"; do
    run spmm-info "${swapped% *}"
    says_err "found a matrix (${swapped##* }); spmm-inspect MATRIX -o PLAN makes plans"
done
run spmm-info "$work/t1.npy"
exits 3
says_err 'expected a plan, found a file of another kind'
run spmm-inspect "$work/a.plan"
exits 3
says_err 'expected a matrix file, found a spmm plan, which is made from a matrix; spmm-info shows it and spmm-run runs it'
run spmm-run "$work/a.plan" --op T
exits 4
says_err 'the plan has no variant for op T; spmm-inspect --op both makes a plan for N and T'

# ---- Plans and matrices that do not match ----
run spmm-run "$work/a.plan" --check gen:rmat:9:6
exits 4
says_err 'SPMM_ERR_MISMATCH'
run spmm-run "$work/a.plan" --op T
exits 4
says_err 'SPMM_ERR_NO_VARIANT'
run spmm-run "$work/a.plan" --device cuda:99
exits 4
says_err 'SPMM_ERR_NO_DEVICE'
head -c 3000 "$work/a.plan" >"$work/cut.plan"
run spmm-run "$work/cut.plan"
exits 3
one_line_err
run spmm-run "$work/none.plan"
exits 1

# A plan with the values of another matrix computes another product. The comparison must notice it.
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n' >"$work/one.mtx"
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1.5\n' >"$work/two.mtx"
plan one "$work/one.mtx"
run spmm-run "$work/one.plan" --check "$work/one.mtx" --repeat 0
exits 0
run spmm-run "$work/one.plan" --check "$work/two.mtx" --repeat 0
exits 4

# ---- Matrices without entries or rows ----
for shape in 3:4 0:4 4:0 0:0; do
    plan e gen:empty:$shape
    run spmm-run "$work/e.plan" -n 3 --check self --repeat 1
    exits 0
done

# ---- Usage ----
for bad in '' '--device gpu' '--device cuda:x' '-n 0' '--op X' '--layout diagonal' '--beta 1 -o c.npy' '--nonsense'; do
    # shellcheck disable=SC2086 # the words are separate arguments
    run spmm-run ${bad:+"$work/a.plan"} $bad
    exits 2
    silent
done
run spmm-run "$work/a.plan" --device cpu --force-kernel nonsense
exits 2
says_err '"nonsense" is no kernel of the CPU, expected rows, tiled, window, panel, bcsr, dense or wide'
run spmm-run "$work/a.plan" "$work/a.plan"
exits 2
says_err 'no other files belong to it; --check MATRIX'
run spmm-run --help
exits 0
says 'Usage: spmm-run'
run spmm-run --version
exits 0

# ---- Budgets ----
printf '%%%%MatrixMarket matrix coordinate pattern general\n2147483646 2147483646 0\n' >"$work/huge.mtx"
run spmm-inspect -q gen:diag:3 -o "$work/small.plan"
run spmm-run --device cpu --repeat 0 --check "$work/huge.mtx" --budget 1G "$work/small.plan"
exits 1
says_err 'of the budget of 1073741824'
run spmm-run -q --device cpu --repeat 0 --budget 1 "$work/small.plan"
exits 3
says_err 'SPMM_ERR_PLAN_BUDGET'

# The budget includes B, C and their copies, and is checked before anything is allocated.
needs='n = 200000 needs 17558400000 bytes (B 8779200000, C 8779200000), the budget is 20971520: '
run spmm-run "$work/a.plan" -n 200000 --device cpu --repeat 0 --budget 20M
exits 1
says_err "${needs}take a smaller -n or a larger --budget"
says_err 'SPMM_ERR_MEMORY'
one_line_err
silent
run spmm-run "$work/a.plan" -n 900000 --device cpu --beta 2 --check self --budget 100M
exits 1
says_err 'n = 900000 needs 197'
says_err '(B 39506400000, C 39506400000, C before 39506400000, check 79'
run spmm-run "$work/a.plan" -n 64 --device cpu --repeat 0 --check self --budget 20M
exits 0
# A certificate needs, for each row of B, 8 bytes per vector and 64 bytes; for f64, the vectors need twice as
# much. A thread needs 120 KiB.
spmm-inspect -q gen:diag:100000 -o "$work/rows.plan"
run spmm-run "$work/rows.plan" -n 1 --device cpu --threads 1 --repeat 0 --certify --vectors 64 --budget 32M
exits 0
run spmm-run "$work/rows.plan" -n 2 --device cpu --threads 1 --repeat 0 --certify --vectors 64 --budget 32M
exits 1
says_err 'certificate 577'
run spmm-run "$work/rows.plan" -n 2 --device cpu --threads 1 --repeat 0 --certify --vectors 64 --beta 1 --budget 32M
says_err 'certificate 585'
spmm-inspect -q --dtype f64 --op both gen:diag:100000 -o "$work/rows.plan"
run spmm-run "$work/rows.plan" -n 2 --device cpu --threads 1 --repeat 0 --certify --vectors 64 --budget 64M
exits 1
says_err 'certificate 1089'
run spmm-run "$work/a.plan" -n 2147483647 --layout col --device cpu --repeat 0
exits 1
one_line_err

# ---- C in the order of a plan with permuted output ----
spmm-inspect -q gen:femshuf:9:9:9 --permuted-output --reorder radix -o "$work/permuted.plan"
for layout in row col; do
    run spmm-run "$work/permuted.plan" -n 5 --layout $layout --check gen:femshuf:9:9:9 --device cpu --repeat 0
    exits 0
    says 'check      right'
done
run spmm-run "$work/permuted.plan" -n 5 --beta 2 --check gen:femshuf:9:9:9 --device cpu --repeat 0
exits 0
says 'check      right'
says 'note       the plan permutes its output: the rows of C are in the permuted order; --original-order undoes that'
run spmm-run "$work/permuted.plan" -n 5 --device cpu --repeat 0 --json
is_json 'j["permuted_output"] and not j["original_order"]'

# ---- B and C in the order of A, whatever that of the plan: a path of shuffled nodes, whole numbers ----
python3 - "$work" <<'END'
import struct, sys
nodes, columns, folder = 97, 3, sys.argv[1]
name = [node * 35 % nodes + 1 for node in range(nodes)]
with open(f"{folder}/path.mtx", "w") as file:
    print("%%MatrixMarket matrix coordinate integer symmetric", file=file)
    print(nodes, nodes, nodes - 1, file=file)
    for node in range(1, nodes):
        print(*sorted(name[node - 1:node + 1], reverse=True), node, file=file)
for layout, order in (("row", False), ("col", True)):
    head = str({"descr": "<f4", "fortran_order": order, "shape": (nodes, columns)}).ljust(117) + "\n"
    values = [7 * i % 50 + 100 * i for i in range(nodes * columns)]
    with open(f"{folder}/path_{layout}.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        file.write(struct.pack(f"<{len(values)}f", *values))
END
spmm-inspect -q "$work/path.mtx" -o "$work/path.plan"
spmm-inspect -q "$work/path.mtx" --symmetric-permutation --reorder rcm -o "$work/path_symmetric.plan"
spmm-inspect -q "$work/path.mtx" --permuted-output --reorder radix -o "$work/path_output.plan"
for layout in row col; do
    spmm-run -q "$work/path.plan" -B "$work/path_$layout.npy" -o "$work/plain.npy" --device cpu --repeat 0
    for kind in symmetric output; do
        run spmm-run "$work/path_$kind.plan" -B "$work/path_$layout.npy" -o "$work/order.npy" --device cpu --repeat 0
        exits 0
        says 'permuted order; --original-order undoes that'
        ! cmp -s "$work/plain.npy" "$work/order.npy" || wrong "the $kind plan permutes nothing"
        run spmm-run "$work/path_$kind.plan" -B "$work/path_$layout.npy" -o "$work/order.npy" --device cpu \
            --original-order --check "$work/path.mtx" --repeat 2
        exits 0
        says 'check      right'
        says '-B and -o are in the order of A all the same'
        same "$work/plain.npy" "$work/order.npy"
    done
done
run spmm-run "$work/path.plan" -n 2 --original-order --device cpu --repeat 0
exits 0
says_not 'order'

finish
