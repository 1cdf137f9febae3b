#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One plan for several machines: made, shown, compared, run, given new values.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1
matrix=$source_dir/tests/data/bcsstk17.mtx.zst

size() { stat -c %s "$1"; }

# ---- Made: items grow, nothing else ----
for device in cpu a100 h200; do
    run spmm-inspect -q "$matrix" --device "$device" -n 8,32,128 -o "$work/$device.plan"
    exits 0
done
run spmm-inspect "$matrix" --device cpu,a100,h200 -n 8,32,128 -o "$work/all.plan"
exits 0
says ', CPU: rows/'
says ', compute capability 8.0: '
says ', compute capability 9.0: '
checks=$((checks + 1))
[ "$(size "$work/all.plan")" -lt $(($(size "$work/h200.plan") + $(size "$work/h200.plan") / 50)) ] ||
    wrong 'one plan is far larger than the largest of its parts'
run spmm-inspect "$matrix" --device h200,a100,cpu -n 8,32,128 --json
exits 0
is_json 'j["device"] == "h200,a100,cpu" and j["device_reason"] is None'
is_json '[t["name"] for t in j["targets"]] == ["9.0", "8.0", "cpu"]'
run spmm-inspect "$matrix" --device h200,a100 --json
exits 0
is_json '[t["target"] for t in j["targets"]] == [90, 80, 1]'
is_json 'sorted(v for t in j["targets"] for v in t["variants"]) == list(range(len(j["variants"])))'
is_json 'all(j["variants"][v]["target"] == t["target"] for t in j["targets"] for v in t["variants"])'

# ---- Shown ----
run spmm-info "$work/all.plan"
exits 0
says 'target     CPU: '
says 'target     compute capability 8.0: '
says 'target     compute capability 9.0: '
says_times 3 'target     '
checks=$((checks + 1))
[ "$(wc -l <"$work/.out")" -le 30 ] || wrong 'expected at most 30 lines'
run spmm-info --json "$work/all.plan"
exits 0
is_json '[t["name"] for t in j["targets"]] == ["cpu", "8.0", "9.0"]'
run spmm-info -l "$work/all.plan" "$work/a100.plan"
exits 0
says 'cpu,8.0,9.0  '
says '8.0,cpu  '
run spmm-info --diff "$work/all.plan" "$work/cpu.plan"
exits 4
says 'targets    cpu,8.0,9.0 | cpu'
says '< variant '
says_not 'matrix '
run spmm-info --diff "$work/all.plan" "$work/all.plan"
exits 0
silent

# ---- Run: the CPU takes what is for the CPU ----
run spmm-run "$work/all.plan" --device cpu -n 32 --repeat 0 --check "$matrix"
exits 0
says 'variant    0, for CPU'
says_not 'another machine'
run spmm-run "$work/all.plan" --device cpu -n 32 --repeat 0 --json
exits 0
is_json 'j["variant"] == 0 and j["target"] == 1 and j["own_target"] and not j["fallback"]'
run spmm-inspect -q "$matrix" --device a100,h200 --kernel tiled -o "$work/gpus.plan"
exits 0
run spmm-run "$work/gpus.plan" --device cpu --repeat 0 --json
exits 0
is_json '(j["target"] == 1) == j["own_target"] != j["fallback"]'

# ---- New values ----
run spmm-update "$work/all.plan" --values "$matrix" -o "$work/new.plan"
exits 0
same "$work/all.plan" "$work/new.plan"

# ---- Refused ----
run spmm-inspect gen:diag:3 --device h100,h200
exits 2
says_err 'the devices "h100" and "h200" have the same target, 90: name one of them (--device)'
run spmm-inspect gen:diag:3 --device cpu,,h200
exits 2
says_err 'expected a device of any, cpu, a100, h100, h200, or a profile file, found ""'
run spmm-inspect gen:diag:3 --device cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu
exits 2
says_err '--device: expected at most 16 names'
run spmm-inspect gen:diag:3 --device cpu,h200 --permuted-output
exits 2
says_err 'permute_output makes one variant for all devices: name one of the 2 (--device, --permuted-output)'
run spmm-inspect gen:diag:3 --device cpu,a100 --tune
exits 4
says_err 'candidates for a100 '

finish
