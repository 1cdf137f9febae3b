#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# spmm-bench --calibrate on the CPU makes a profile that the inspector accepts. The test does not judge the
# rates.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1

run spmm-bench --calibrate --device cpu --threads 2 -o "$work/my.profile"
exits 0
silent
run cat "$work/my.profile"
says 'target = 1'
says_times 1 'multiprocessors = 2'
says_times 1 'gather_gbs ='
says_not 'nan'
says_not 'inf'
run spmm-inspect --device "$work/my.profile" gen:rmat:7:4 -o "$work/a.plan"
exits 0

run spmm-bench --calibrate --device cpu gen:diag:4
exits 2
says_err '--calibrate takes no MATRIX'
run spmm-bench --calibrate --device cuda:99
exits 4
one_line_err
says_err 'GPU 99 was asked for'
finish
