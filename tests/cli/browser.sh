#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Pages in headless Chromium: no messages, no requests, nothing wider than a phone, in light and dark mode.
# Planted faults are found.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1
matrix=$source_dir/tests/data/bcsstk17.mtx.zst

browser() { # FILE
    rm -rf "$work/browser" && mkdir "$work/browser"
    run python3 "$source_dir/tests/cli/browser.py" "$1" "$work/browser"
    [ "$status" -ne 77 ] || [ -n "${SPMM_TESTS_RUN:-}" ] || exit 77
}

spmm-inspect -q --device any "$matrix" -o "$work/a.plan"
spmm-info --html "$work/a.plan" >"$work/a.html"
browser "$work/a.html"
exits 0
# A name without a place to break it, and a tuned plan, whose table has three columns.
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n2 2 4\n' >"$work/$(printf 'x%.0s' {1..120}).mtx"
spmm-inspect -q --device cpu --tune "$work"/xxx*.mtx -o "$work/long.plan"
spmm-info --html "$work/long.plan" >"$work/long.html"
browser "$work/long.html"
exits 0

spmm-bench -q --device cpu --repeat 2 --mkl "$SPMM_NAIVE_MKL" -n 8,64 --report "$work/bench.html" gen:fem3:4:4:4 gen:rmat:7:4 >"$work/table"
browser "$work/bench.html"
exits 0

# ---- The checks find planted faults ----
plant() { # MARKUP WHAT IS SAID
    sed "s|</main>|$1</main>|" "$work/long.html" >"$work/planted.html"
    browser "$work/planted.html"
    exits 1
    says "$2"
}
plant '<p style="width:700px">wide</p>' 'the page is 7'
plant '<img alt="" src="http://127.0.0.1:9/x.png"/>' 'CONSOLE'
plant '<script>console.log(1)</script>' 'CONSOLE'
finish
