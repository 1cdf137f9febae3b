#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# spmm-bench: its rows, its columns, its summary. The test does not judge times.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1
header=date,commit,device,matrix,rows,cols,nnz,n,layout,dtype,op,family,kernel,chosen,ms_cold,ms_warm,gflops,error_ratio
header+=,peer,peer_ms_cold,peer_ms_warm,ratio_cold,inspect_s,plan_bytes,compute,ms_set_values
header+=,peer_least_ms_warm,bound_us,bound_share,b_type,c_type,unit_values
header+=,device_bytes,workspace_bytes,peer_device_bytes,peer_workspace_bytes
bench=(spmm-bench --device cpu --repeat 1 -q) # a repeat flushes the caches, which takes longer than all products here

rows() { # PYTHON: true of r, the list of rows of $work/r.csv
    checks=$((checks + 1))
    python3 -c "import csv, sys; r = list(csv.DictReader(open(sys.argv[1]))); sys.exit(not ($1))" "$work/r.csv" ||
        wrong "expected of the rows: $1"
}

# ---- One row for each kernel and case ----
run "${bench[@]}" --no-peers -n 1,5 --dtype both --layout both --op both --csv "$work/r.csv" --date 2000-01-02 \
    --commit abc gen:rmat:7:4 gen:arrow:50
exits 0
says 'gen:arrow:50  50 x 50, 148 nonzeros, n = 5, col, f64, op T'
silent_err
checks=$((checks + 1))
[ "$(head -n 1 "$work/r.csv")" = "$header" ] || wrong 'expected the header of the columns'
rows 'len(r) == 2 * 2 * 2 * 2 * 2 * 5'
rows 'sum(int(x["chosen"]) for x in r) == len(r) / 5'
rows '{x["kernel"] for x in r if x["matrix"] == "gen:arrow:50"} == {"cpu/" + k for k in ("rows/row-split", "rows/nonzero-split", "tiled/whole/p256", "tiled/segmented-3/p256", "dense/gemm")}'
rows 'all(x["date"] == "2000-01-02" and x["commit"] == "abc" and x["family"] == x["kernel"].split("/")[1] for x in r)'
rows 'all(float(x["error_ratio"]) <= 1 and float(x["ms_cold"]) > 0 and float(x["ms_warm"]) > 0 for x in r)'
rows 'all(x["device_bytes"] == x["workspace_bytes"] == x["peer_device_bytes"] == x["peer_workspace_bytes"] == "" for x in r)'
rows 'all(float(x["gflops"]) > 0 and float(x["inspect_s"]) > 0 and int(x["plan_bytes"]) > 0 for x in r)'
rows 'all(x["peer"] == x["ratio_cold"] == x["peer_ms_cold"] == "" for x in r)'
rows 'all(x["compute"] == x["dtype"] and x["ms_set_values"] == "" for x in r)'
rows 'all(x["b_type"] == x["c_type"] == x["dtype"] and x["unit_values"] == "0" for x in r)'
rows 'all(x["bound_us"] == x["bound_share"] == x["peer_least_ms_warm"] == "" for x in r)' # no rates of CPUs
rows '{(x["n"], x["layout"], x["dtype"], x["op"]) for x in r} == {(n, l, d, o) for n in "15" for l in ("row", "col") for d in ("f32", "f64") for o in "NT"}'

# ---- Column-major cases may have their own list of columns ----
run "${bench[@]}" --no-peers -n 1,5 --columns-col 3 --layout both --kernels none --json gen:diag:4
exits 0
is_json '[(c["layout"], c["n"]) for c in j["cases"]] == [("row", 1), ("row", 5), ("col", 3)]'
is_json 'all("bound_us" not in c for c in j["cases"])'

# ---- A second run appends, without a second header ----
run "${bench[@]}" --no-peers -n 3 --csv "$work/r.csv" --kernels nonsense "$source_dir/tests/data/bcsstk17.mtx.zst"
exits 0
rows 'len(r) == 161 and r[-1]["matrix"] == "bcsstk17" and r[-1]["nnz"] == "428650" and r[-1]["chosen"] == "1"'

# ---- A page: cases with a peer, matrices that are left out, a file that is complete or unchanged ----
run "${bench[@]}" --mkl "$SPMM_NAIVE_MKL" -n 2,3 --layout both --op both --date 2000-01-02 --commit '<b>abc' \
    --report "$work/page.html" gen:rmat:7:4 "$work/nothing.mtx" gen:diag:4
exits 1
run python3 "$source_dir/tests/cli/page_check.py" "$work/page.html" --pictures 0 --text '<b>abc' --text '2000-01-02' \
    --text 'matrices not measured 1' --text 'gen:rmat:7:4 128 x 128' --text 'n = 3, column-major, op T, f32' --text 'mkl-csr' \
    --text 'f32, row-major, op T, n = 2 2 cases' --text 'more that were measured'
exits 0
cp "$work/page.html" "$work/before.html"
run "${bench[@]}" --no-peers -n 2 --report "$work/page.html" --csv "$work/no/such.csv" gen:diag:4
exits 1
same "$work/before.html" "$work/page.html"
run "${bench[@]}" --no-peers -n 2 --report "$work/no/page.html" gen:diag:4
exits 1
silent
one_line_err
says_err 'no/page.html: '
run "${bench[@]}" --no-peers -n 2 --report /dev/full gen:diag:4
exits 1
one_line_err
says_err '/dev/full: '
for signal in TERM INT; do
    run timeout -s "$signal" 2 spmm-bench --device cpu -q --no-peers --repeat 1000 --max-seconds 1000 -n 256 \
        --report "$work/page.html" "$source_dir/tests/data/bcsstk17.mtx.zst"
    same "$work/before.html" "$work/page.html"
    checks=$((checks + 1))
    [ -z "$(find "$work" -name '*.spmm-tmp*')" ] || wrong 'expected no temporary file'
done
run "${bench[@]}" --no-peers -n 2 --report "$work/page.html" gen:diag:4
exits 0
run python3 "$source_dir/tests/cli/page_check.py" "$work/page.html" --text 'No case has a peer to compare with' --absent 'not measured'
exits 0

# ---- Every type runs rows and tiled kernels ----
run "${bench[@]}" --no-peers -n 3 --dtype all --layout both --json gen:rmat:7:4
exits 0
is_json '[len(c["kernels"]) for c in j["cases"]] == [5] * 8'
is_json 'all({k["name"].split("/")[2].split("-")[0] for k in c["kernels"] if k["name"].startswith("cpu/tiled/")} == {"whole", "segmented"} for c in j["cases"])'
is_json 'all({k["name"].split("/")[1] for k in c["kernels"]} == {"rows", "tiled", "dense"} for c in j["cases"])'
is_json 'all(k["error_ratio"] <= 1 for c in j["cases"] for k in c["kernels"])'

# ---- All tiled plans, without permutations that change nothing and segments that cut nothing ----
rm "$work/r.csv"
run "${bench[@]}" --no-peers -n 4,200 --layout both --plans all --kernels tiled --csv "$work/r.csv" gen:rmat:9:8 \
    gen:dense:100:30
exits 0
rows 'all(float(x["error_ratio"]) <= 1 for x in r)'
rows 'all({(s, p, o) for s in ("whole", "segmented") for p in ("p64", "p256") for o in ("", "radix")} <= {
    (k[2].split("-")[0], k[3], "".join(k[4:])) for x in r if x["matrix"] == "gen:rmat:9:8" and x["n"] == n and x["layout"] == l
    for k in [x["kernel"].split("/")] if k[1] == "tiled"} for n in ("4", "200") for l in ("row", "col"))'
rows 'all(0 < int(x["kernel"].split("/")[2][10:]) for x in r if "segmented" in x["kernel"])'
rows '{x["kernel"] for x in r if x["matrix"] == "gen:dense:100:30" and x["family"] == "tiled" and "segmented" not in x["kernel"]} == {"cpu/tiled/whole/p64", "cpu/tiled/whole/p256"}'
rows 'all(int(x["kernel"].split("/")[2][10:]) < 30 for x in r if x["matrix"] == "gen:dense:100:30" and "segmented" in x["kernel"])'
run "${bench[@]}" --plans some gen:diag:4
exits 2

# ---- Plans of tensor cores: both compute types of f32, all permutations that change the order of A ----
rm "$work/r.csv"
run "${bench[@]}" --no-peers -n 5 --plans tensor --csv "$work/r.csv" gen:femshuf:4:4:4 gen:uniform:90:300:20 gen:diag:200
exits 0
rows 'len(r) == len({(x["matrix"], x["kernel"]) for x in r}) and all(float(x["error_ratio"]) <= 1 for x in r)'
rows '{x["kernel"] for x in r if x["matrix"] == "gen:femshuf:4:4:4" and x["family"] in ("window", "panel")} == {
    "/".join(("cpu", *shape, *order, compute)) for compute in ("tf32", "3xtf32") for order in ((), ("minhash",), ("rcm",), ("growing",))
    for storage in ("dense", "packed") for shape in (("window", storage), ("panel", storage, "p64"), ("panel", storage, "p128"))}'
rows 'all(x["compute"] == (x["kernel"].split("/")[-1] if x["family"] in ("window", "panel", "bcsr") else "f32") for x in r)'
rows 'not [x for x in r if x["matrix"].startswith("gen:uniform") and "/rcm/" in x["kernel"]]'
rows '[x for x in r if x["matrix"].startswith("gen:uniform") and "/minhash/" in x["kernel"]]'
rows 'len([x for x in r if x["matrix"] == "gen:diag:200" and x["family"] in ("window", "panel")]) == 12'
run "${bench[@]}" --no-peers -n 5 --plans tensor-plain --kernels /panel/ --dtype all --op T --json gen:femshuf:4:4:4
exits 0
is_json '[sorted({k["name"].split("/")[-1] for k in c["kernels"] if k["family"] == "panel"}) for c in j["cases"]] == [["3xtf32", "tf32"], ["f64"], ["f16"], ["bf16"]]'
is_json 'all(k["name"].split("/")[3] in ("p64", "p128") and len(k["name"].split("/")) == 5 and k["error_ratio"] <= 1 for c in j["cases"] for k in c["kernels"] if k["family"] == "panel")'

# ---- --compute: the least accurate type that a plan may choose; it excludes no value type ----
run "${bench[@]}" --no-peers -n 5 --dtype all --compute tf32 --json gen:femshuf:4:4:4
exits 0
is_json 'all(sum(k["chosen"] for k in c["kernels"]) == 1 for c in j["cases"]) and len(j["cases"]) == 4'
run "${bench[@]}" --compute f16 gen:diag:4
exits 2

# ---- New values: one time per plan, and the products that follow are right ----
rm "$work/r.csv"
run "${bench[@]}" --no-peers -n 3,32 --dtype both --op both --plans tensor-plain --set-values --csv "$work/r.csv" gen:rmat:7:4
exits 0
says 'set values products'
rows 'all(float(x["ms_set_values"]) > 0 and float(x["error_ratio"]) <= 1 for x in r)'
rows 'len({(x["kernel"], x["dtype"], x["op"], x["ms_set_values"]) for x in r}) == len({(x["kernel"], x["dtype"], x["op"]) for x in r})'
run "${bench[@]}" --no-peers -n 3 --set-values --json gen:rmat:7:4 gen:empty:3:3
exits 0
is_json '[all("ms_set_values" in k for k in c["kernels"]) for c in j["cases"]] == [True, False]'

# ---- Operands of other types than A, and ones instead of the values ----
rm "$work/r.csv"
run "${bench[@]}" --no-peers -n 3 --op both --layout both --b-type f16 --csv "$work/r.csv" gen:rmat:7:4
exits 0
rows 'len(r) >= 4 and {(x["dtype"], x["b_type"], x["c_type"], x["unit_values"], x["family"]) for x in r} == {("f32", "f16", "f16", "0", "rows")}'
rows 'all(0.1 < float(x["error_ratio"]) <= 1 for x in r)'
run "${bench[@]}" --no-peers -n 3 --dtype bf16 --c-type f32 --unit-values --csv "$work/r.csv" gen:rmat:7:4
exits 0
rows '(r[-1]["dtype"], r[-1]["b_type"], r[-1]["c_type"], r[-1]["unit_values"]) == ("bf16", "bf16", "f32", "1") and float(r[-1]["error_ratio"]) <= 1'
run "${bench[@]}" --no-peers -n 3 --dtype both --unit-values --json gen:rmat:7:4
exits 0
is_json 'all(k["error_ratio"] <= 1 for c in j["cases"] for k in c["kernels"]) and [c["dtype"] for c in j["cases"]] == ["f32", "f64"]'
run "${bench[@]}" --no-peers -n 3 --b-type f64 gen:rmat:7:4
exits 4
says_err 'no kernel has A f32, B f64, C f64'
run "${bench[@]}" --no-peers -n 3 --jit gen:band:60:2
exits 0
says_not operator # which a CPU has not
run "${bench[@]}" --no-peers --unit-values --set-values gen:rmat:7:4
exits 2

# ---- A file with other columns is left unchanged ----
printf 'date,commit\n1,2\n' >"$work/old.csv"
run "${bench[@]}" --no-peers -n 2 --csv "$work/old.csv" gen:diag:4
exits 1
says_err 'other columns'
checks=$((checks + 1))
[ "$(cat "$work/old.csv")" = $'date,commit\n1,2' ] || wrong 'expected the file to be untouched'

# ---- JSON ----
run "${bench[@]}" --repeat 2 --no-peers -n 2 --json gen:band:30:2 gen:empty:3:4
exits 0
silent_err
is_json 'len(j["cases"]) == 2 and j["summary"] == [] and j["cases"][0]["matrix"] == "gen:band:30:2"'
is_json 'all(k["error_ratio"] <= 1 for c in j["cases"] for k in c["kernels"])'
is_json 'all(sum(k["chosen"] for k in c["kernels"]) == 1 for c in j["cases"])'

# ---- Peers: the best one counts, but no wrong or failing one ----
peer=${SPMM_NAIVE_MKL:?a library with the functions of oneMKL}
rm "$work/r.csv"
run "${bench[@]}" --mkl "$peer" -n 1,4 --dtype both --layout both --op both --csv "$work/r.csv" gen:rmat:6:4
exits 0
says 'best peer'
rows 'len(r) == 80 and all(float(x["peer_ms_cold"]) > 0 and float(x["peer_ms_warm"]) > 0 for x in r)'
rows 'all(abs(float(x["peer_ms_cold"]) / float(x["ms_cold"]) / float(x["ratio_cold"]) - 1) < 0.01 for x in r)'
rows 'all(x["peer"] == "mkl-csr" for x in r if x["op"] == "N")'
rows 'all(0 < float(x["peer_least_ms_warm"]) <= float(x["peer_ms_warm"]) for x in r)'
rows 'all(x["peer"] in ("mkl-csr", "mkl-opT-csr") for x in r)'
run "${bench[@]}" --mkl "$peer" -n 3 --op T --json gen:rmat:6:4 gen:band:9:2
exits 0
is_json 'all([p["name"] for p in c["peers"]] == ["mkl-csr", "mkl-opT-csr"] for c in j["cases"])'
is_json 'all(sum(p["best"] for p in c["peers"]) == 1 for c in j["cases"])'
is_json 'all(p["compute"] == "f32" for c in j["cases"] for p in c["peers"])'
is_json 'all(p["error_ratio"] <= 1 for c in j["cases"] for p in c["peers"])'
is_json '[s["cases"] for s in j["summary"]] == [2, 2, 2] and j["summary"][0]["ratio_cold_mean"] > 0'
run "${bench[@]}" --mkl "$peer" -n 3 --b-type f16 --json gen:rmat:6:4
exits 0
says_err 'the peers have no products of this value type'
is_json 'j["cases"][0]["peers"] == [] and (j["cases"][0]["b_type"], j["cases"][0]["c_type"]) == ("f16", "f16")'
run "${bench[@]}" --mkl "$peer" -n 3 --unit-values --json gen:rmat:6:4
exits 0
is_json 'j["cases"][0]["peers"][0]["error_ratio"] <= 1 and j["cases"][0]["unit_values"]'
run "${bench[@]}" --mkl "$peer" --peers opT -n 3 --op T --json gen:rmat:6:4
exits 0
is_json '[p["name"] for p in j["cases"][0]["peers"]] == ["mkl-opT-csr"]'
run env NAIVE_MKL=wrong "${bench[@]}" --mkl "$peer" -n 3 --csv "$work/r.csv" gen:rmat:6:4
exits 0
says 'check failed: not counted'
rows 'r[-1]["peer"] == "" and r[-1]["ratio_cold"] == ""'
run env NAIVE_MKL=refuse "${bench[@]}" --mkl "$peer" -n 3 --csv "$work/r.csv" gen:rmat:6:4
exits 0
says 'failed: mkl_sparse_mm failed with status 6'
rows 'r[-1]["peer"] == ""'

# ---- A summary without peers has one line per case ----
run "${bench[@]}" --no-peers --summary -n 3,8 gen:rmat:6:4
exits 0
says_times 2 'GFLOP/s cold, no peer'
says 'gen:rmat:6:4, n = 8, row, f32, op N: '
says_not 'best peer'
run "${bench[@]}" --mkl "$peer" --summary -n 3 gen:rmat:6:4
exits 0
says_not 'no peer'
says "best peer's time"

# ---- Inputs that cannot be measured are reported, and the others are measured ----
run "${bench[@]}" --no-peers -n 2 gen:nonsense "$work/none.mtx" gen:diag:4
exits 2
says 'gen:diag:4  4 x 4'
says_err 'gen:nonsense: '
says_err 'none.mtx: '
run "${bench[@]}" -n 2 --mkl "$work/none.so" gen:diag:4
exits 1
says_err 'oneMKL could not be loaded'
run spmm-bench --device cuda:99 gen:diag:4
exits 4
run spmm-bench --no-peers --csv "$work/no/such/folder.csv" gen:diag:4
exits 1
if [ -w /dev/full ]; then
    run "${bench[@]}" --no-peers -n 2 --csv /dev/full gen:diag:4
    exits 1
    says_err '/dev/full: cannot write: No space left on device'
    run bash -c 'spmm-bench --help >/dev/full'
    exits 1
    run bash -c 'spmm-run --help >/dev/full'
    exits 1
fi

# ---- If a standard stream is closed, no output for it ends up in the table ----
for closed in '<&-' '>&-' '2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
    rm -f "$work/closed.csv"
    run bash -c "exec $closed; spmm-bench --no-peers --device cpu -n 2 --csv '$work/closed.csv' gen:diag:4 none.mtx"
    exits 1
    exists "$work/closed.csv"
    checks=$((checks + 1))
    if [ "$(grep -c . "$work/closed.csv")" -lt 2 ]; then wrong "no lines in the table of $closed"; fi
    checks=$((checks + 1))
    if grep -qvE '^(date,commit|20[0-9]+-)' "$work/closed.csv"; then wrong "a report in the table of $closed"; fi
done

# ---- Products that do not fit in memory are refused before anything is allocated ----
run "${bench[@]}" --no-peers -n 8,600 --budget 20M gen:diag:200000 gen:diag:3
exits 1
says_err 'gen:diag:200000: n = 600 needs '
says_err '(B 480000000, C 480000000, staging 480000000, reference '
says_err ', the budget is 20971520: take a smaller -n or a larger --budget'
one_line_err
says 'gen:diag:3  3 x 3'

# ---- Usage ----
for bad in '' '-n 0 gen:diag:4' '-n x gen:diag:4' '--dtype f8 gen:diag:4' '--device gpu gen:diag:4'; do
    # shellcheck disable=SC2086 # the words are separate arguments
    run spmm-bench $bad
    exits 2
    silent
done
run spmm-bench --help
exits 0
says 'Usage: spmm-bench'

finish
