#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# spmm-info --html writes a page that is well-formed, escaped, complete and always the same.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1
matrix=$source_dir/tests/data/bcsstk17.mtx.zst
golden=$source_dir/tests/golden/good

page() { # PLAN [what page_check is asked]
    run spmm-info --html "$1"
    exits 0
    silent_err
    cp "$work/.out" "$work/page.html"
    run python3 "$source_dir/tests/cli/page_check.py" "$work/page.html" "${@:2}"
    exits 0
}
limited() { # KILOBYTES COMMAND: with so much address space. Programs with a sanitizer do not even start.
    bash -c "ulimit -v $1 && spmm-info --version >/dev/null 2>&1 && exec "'"$@"' limited "${@:2}"
}
at_most() { # BYTES
    checks=$((checks + 1))
    [ "$(wc -c <"$work/page.html")" -le "$1" ] || wrong "expected at most $1 bytes"
}

# ---- The bundled matrix: all sections, the sentences of the text output, two permutations ----
spmm-inspect -q --device any "$matrix" -o "$work/a.plan"
page "$work/a.plan" --pictures 2 --text 'bcsstk17.mtx.zst' --text '10,974 x 10,974' --text '428,650' \
    --text 'Rows of A in growing order, as panel/dense takes them (variant 2)' --text '7,846' --text 'n = 16: predicted' \
    --text 'No time was measured' --text 'items of part 0' --absent 'measured us'
at_most 300000
cp "$work/page.html" "$work/first.html"
page "$work/a.plan"
same "$work/first.html" "$work/page.html"
run spmm-info --html --threads 1 - <"$work/a.plan"
same "$work/first.html" "$work/.out"
spmm-info --full "$work/a.plan" >"$work/text"
run python3 - "$work/text" "$work/first.html" <<'PYTHON'
import html, re, sys
text, page = (open(path, encoding="utf-8").read() for path in sys.argv[1:])
seen = html.unescape(re.sub(r"<[^>]*>", " ", page))
candidates = re.findall(r"variant \d+: (chosen|refused) +([\w/ ]+?\d*): (.*?)(?:; predicted .* us)?\n", text)
assert len(candidates) > 70, len(candidates)
missing = {reason for _, _, reason in candidates if reason not in seen} | {name for _, name, _ in candidates if name not in seen}
missing |= {scope for scope in re.findall(r"variant \d+  (.*?): ", text) if scope not in seen}
sys.exit("\n".join(sorted(missing)) or 0)
PYTHON
exits 0

# ---- Row blocks: the page has a roofline ----
spmm-inspect -q --device any --kernel tiled --balance chart --reorder none "$matrix" -o "$work/tiled.plan"
page "$work/tiled.plan" --pictures 1 --text 'Roofline' --text 'Eq. 3'

# ---- Measured times, and a profile for the roofline ----
spmm-inspect -q --device cpu --tune gen:fem3:6:6:6 -o "$work/tuned.plan"
page "$work/tuned.plan" --text 'measured us' --absent 'No time was measured' --text 'The line is what cpu allows'
run spmm-info --html --device a100 "$work/a.plan"
exits 0
says 'The line is what a100 allows'
says 'The line is what cpu allows'
run spmm-info --html --device nowhere "$work/a.plan"
exits 2
one_line_err
run spmm-info --html --device cpu "$work/a.plan"
exits 0
says 'The line is what any allows'

# ---- Permutations: the row order of parts, the order of a permuted C, symmetric permutations ----
page "$golden/tiled_permuted.plan" --pictures 3 --same-lines
page "$golden/panel_permuted.plan" --pictures 3 --same-lines
page "$golden/window_reordered.plan" --pictures 3 --same-lines
page "$golden/long_rows_bf16.plan"
spmm-inspect -q --device any --symmetric-permutation --reorder rcm gen:rmat:8:8 -o "$work/symmetric.plan"
spmm-inspect -q --device any --op T --kernel panel --reorder minhash gen:rmat:8:8 -o "$work/t.plan"
page "$work/symmetric.plan" --pictures 2 --text 'PAP^T'
page "$work/t.plan" --pictures 2 --text 'Columns of A in minhash order'
spmm-inspect -q --device any gen:diag:300 -o "$work/diagonal.plan"
page "$work/diagonal.plan" --pictures 1 --diagonal

# ---- All shapes, and every golden plan ----
for spec in gen:empty:0:0 gen:empty:3:0 gen:empty:0:5 gen:empty:7:7; do
    spmm-inspect -q --device any "$spec" -o "$work/small.plan"
    page "$work/small.plan" --pictures 0 --text 'there is nothing to draw'
    at_most 12000
done
for spec in gen:diag:1 gen:dense:1:3000 gen:dense:3000:1; do
    spmm-inspect -q --device any "$spec" -o "$work/small.plan"
    page "$work/small.plan" --pictures 1
done
printf '%%%%MatrixMarket matrix coordinate real general\n1 2147483646 2\n1 1 3\n1 2147483646 4\n' >"$work/wide.mtx"
spmm-inspect -q --device any --kernel rows "$work/wide.mtx" -o "$work/wide.plan"
if limited 50000 true; then
    run limited 50000 timeout 20 spmm-info --html --threads 1 --budget 10M "$work/wide.plan"
    exits 0
fi
page "$work/wide.plan" --pictures 1 --text '1 row x 2,147,483,646 columns'
mkdir "$work/golden"
for plan in "$golden"/*.plan; do
    run spmm-info --html "$plan"
    exits 0
    cp "$work/.out" "$work/golden/$(basename "$plan").html"
done
run python3 "$source_dir/tests/cli/page_check.py" "$work"/golden/*.html
exits 0
page "$golden/pattern_only.plan" --text 'pattern only'
page "$golden/types_f64.plan" --text 'f64,f32,f16,bf16, with values' --text 'f16, any n' --text 'bf16, any n'

# ---- Names are untrusted text ----
# shellcheck disable=SC1112
name='<script>alert(1)<\script>&amp;"'"'"'<img src=x onerror=alert(2)>'$'\e[2J\xff''.mtx'
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n2 2 4\n' >"$work/$name"
(cd "$work" && spmm-inspect -q --device cpu "$name" -o hostile.plan)
page "$work/hostile.plan" --text '<script>alert(1)<\script>&amp;"'"'"'<img src=x onerror=alert(2)>?[2J?.mtx'
run spmm-info --html "$work/hostile.plan"
says_not '<script'
says_not '<img src=x'
says_not $'\e'

# ---- Options that contradict each other, and output that fails ----
for other in --json --full --verify --matches=x --test --list --diff --head; do
    run spmm-info --html "$other" "$work/a.plan"
    exits 2
    silent
    says_err "Try 'spmm-info --help'"
done
run spmm-info --html "$work/a.plan" "$work/a.plan"
exits 2
run spmm-info --html "$source_dir/tests/golden/bad/header_incompat.plan"
exits 4
silent
for kilobytes in {10000..20000..250}; do # a page that is whole, or nothing
    limited 50000 true || break
    run limited "$kilobytes" spmm-info --html --threads 1 "$work/a.plan"
    if [ "$status" -eq 0 ]; then same "$work/first.html" "$work/.out"; else silent; fi
done
checks=$((checks + 1))
if spmm-info --html "$work/a.plan" 2>"$work/.err" >/dev/full; then wrong 'expected a failure of a full disk'; fi
says_err 'standard output'
finish
