#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# spmm-inspect --tune on the CPU: what is timed, what the plan then contains, what is refused. Checks use only
# times that the plan itself contains.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1
matrix=gen:fem3:6:6:6
variants='{t["variant"] for t in j["trace"]}'
timed='[t for t in j["trace"] if t["measured_us"] > 0]'
chosen='[t for t in j["trace"] if t["chosen"] and t["measured_us"] > 0]'

# ---- Times: the candidate with the smallest time is chosen ----
run spmm-inspect --tune=2 --device cpu -n 1,16 --json $matrix -o "$work/a.plan"
exits 0
silent_err
is_json 'j["tuned"] and j["tuning"]["measured"] > 0 and j["tuning"]["seconds"] > 0 and len(j["tuning"]["devices"]) == 1'
is_json "{t['variant'] for t in $chosen} == $variants"
is_json "all(1 <= sum(t['variant'] == v for t in $timed) <= 2 for v in $variants)"
is_json "all(c['measured_us'] <= t['measured_us'] for c in $chosen for t in $timed if t['variant'] == c['variant'])"
is_json 'j["expected_calls"] is None'
run spmm-info --json "$work/a.plan"
exits 0
is_json "{t['variant'] for t in $chosen} == $variants"
run spmm-run "$work/a.plan" -n 16 --device cpu --check $matrix --repeat 0
exits 0
says 'check      right'

run spmm-inspect --tune --device cpu -n 8 --layout row --op T --dtype f64 --pattern-only --explain $matrix
exits 0
says 'measured '
says ' timed in '
if grep -q 'measured .*; measured' "$work/.out"; then wrong "a line has the measured time twice"; fi
run spmm-inspect --effort measure --device cpu -n 8 --layout row --json $matrix
exits 0
is_json "1 <= len($timed) <= 3 and j['tuned']"
run spmm-inspect --effort exhaustive --device cpu -n 8 --layout row --json $matrix
exits 0
is_json "len($timed) >= 2 and j['tuned']"

# ---- A time limit, and a choice without measurements ----
run spmm-inspect --tune --time-limit 0.000001 --device cpu --json $matrix -o "$work/short.plan"
exits 0
is_json "len($timed) <= 1 and j['tuning']['measured'] <= 1"
exists "$work/short.plan"
run spmm-run "$work/short.plan" -n 16 --device cpu --check $matrix --repeat 0
exits 0
run spmm-inspect --effort estimate --json $matrix -o "$work/estimate.plan"
exits 0
is_json 'not j["tuned"] and j["tuning"] is None'
spmm-inspect -q $matrix -o "$work/plain.plan"
same "$work/estimate.plan" "$work/plain.plan"

# ---- Few expected calls: no row permutation, nothing is timed beyond the first candidate ----
run spmm-inspect --expected-calls 1 --json gen:femshuf:9:9:9 -o "$work/once.plan"
exits 0
is_json 'j["expected_calls"] == 1'
is_json 'not any(p.get("is_reordered") for v in j["variants"] for p in v["parts"])'
run spmm-inspect --expected-calls 1e12 --json gen:femshuf:9:9:9
exits 0
run spmm-inspect --tune=9 --expected-calls 1 --device cpu -n 8 --layout row --json $matrix
exits 0
is_json "len($timed) <= 1"

# ---- A machine without a GPU ----
if [ "$(spmm-run --help | grep -c cuda)" -gt 0 ] && ! spmm-run "$work/a.plan" -n 1 --device cuda --repeat 0 >/dev/null 2>&1; then
    for device in a100 h100 h200; do
        run spmm-inspect --tune --device $device gen:diag:5 -o "$work/none.plan"
        exits 4
        says_err "candidates for $device are timed on a GPU of compute capability"
        one_line_err
        silent
        missing "$work/none.plan"
    done
    run spmm-inspect --tune=1 -n 8 --layout row --json $matrix -o "$work/any.plan"
    exits 0
    is_json "{v['target'] for i, v in enumerate(j['variants']) if any(t['variant'] == i for t in $timed)} <= {1}"
    exists "$work/any.plan"
else
    # ---- With a GPU, a plan for any device is timed on GPU and CPU ----
    run spmm-inspect --tune=2 -n 8,64 --json $matrix -o "$work/any.plan"
    exits 0
    is_json 'len(j["tuning"]["devices"]) == 2'
    is_json "{j['variants'][t['variant']]['target'] for t in $timed} == {0, 1}"
    is_json "all(c['measured_us'] <= t['measured_us'] for c in $chosen for t in $timed if t['variant'] == c['variant'])"
    run spmm-run "$work/any.plan" -n 64 --check $matrix --repeat 0
    exits 0
fi

# ---- Usage ----
run spmm-inspect --tune --effort estimate gen:diag:1
exits 2
says_err 'contradict'
for effort in '' '--effort estimate' '--expected-calls 5'; do
    # shellcheck disable=SC2086 # two words
    run spmm-inspect --time-limit 5 $effort gen:diag:1
    exits 2
    says_err 'it needs --tune'
done
for k in 0 -1 1001; do
    run spmm-inspect --tune=$k gen:diag:1
    exits 2
    says_err "in 1..1000, found $k"
done
run spmm-inspect --tune=all gen:diag:1
exits 2
says_err "--tune: expected a whole number, found 'all'"
run spmm-inspect --effort much gen:diag:1
exits 2
says_err 'one of estimate, measure, exhaustive'
for seconds in -1 nan inf; do
    run spmm-inspect --tune --time-limit=$seconds gen:diag:1
    exits 2
    says_err '--time-limit: expected seconds'
    run spmm-inspect --expected-calls=$seconds gen:diag:1
    exits 2
    says_err '--expected-calls: expected a number'
done
run spmm-inspect --tune --device h300 gen:diag:1
exits 2
says_err 'any, cpu, a100, h100, h200'
run spmm-inspect --help
exits 0
says '--tune[=K]'

finish
