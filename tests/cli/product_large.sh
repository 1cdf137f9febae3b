#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A sparse product with more than 2^31 multiplications: with a plan, without one, and counted.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1

a=gen:dense:1300:1300 # 1,300^3 = 2,197,000,000

run spmm-inspect -q --product --dtype f64 "$a" -o "$work/C.plan"
exits 0
run spmm-info --verify --products-max 2196999999 "$work/C.plan"
exits 3
says_err 'the product has 2197000000 multiplications, its intermediate product 0: at most 2196999999 are allowed'
run spmm-run "$work/C.plan" "$a" --repeat 0 --json --check self -o "$work/C.mtx"
exits 0
is_json 'j["right"] and j["multiplications"] == j["product"]["products"] == 1300 ** 3 > 2 ** 31'
run spmm-run -q --product "$a" --dtype f64 --repeat 0 -o "$work/once.mtx"
exits 0
same "$work/once.mtx" "$work/C.mtx"
finish
