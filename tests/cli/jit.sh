#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# spmm-jit: its output about a cache and about plans, and what it removes. Also spmm-run --jit. No GPU is
# needed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1

export SPMM_CACHE_DIR="$work/cache"
# The cache file with key "operator 1; a key of a test", source "s" and code "code".
entry=1f/e58f9e122d7d342a6f26da124e12c5.spk
bytes=U1BNTUpJVDEbAAAAAQAAAAQAAAAAAAAAB/ZO+lsrdkGdsIBuH3aJ0G9wZXJhdG9yIDE7IGEga2V5IG9mIGEgdGVzdHNjb2Rl
make_cache() {
    rm -rf "$work/cache"
    mkdir -m 700 "$work/cache" "$work/cache/jit" "$work/cache/jit/1f"
    printf %s "$bytes" | base64 -d >"$work/cache/jit/$entry"
    chmod 600 "$work/cache/jit/$entry"
}

# ---- Usage ----
run spmm-jit
exits 2
run spmm-jit show
exits 2
says_err 'expected list, clear or warm, found show'
run spmm-jit list "$work/a.plan"
exits 2
says_err 'list takes nothing else'
run spmm-jit warm
exits 2
says_err 'warm takes a plan'
run spmm-jit --device moon list
exits 2

# ---- A cache that does not exist; list creates no folder ----
run spmm-jit list
exits 0
says "0 files, 0 bytes in $work/cache"
says 'no disk cache'
run test -e "$work/cache"
exits 1
SPMM_CACHE_DIR='' run spmm-jit list
exits 0
says 'no disk cache: SPMM_CACHE_DIR is empty'
run spmm-jit clear
exits 0
says '0 files removed'

# ---- A valid file, a damaged one, a temporary file of a writer, a foreign file ----
make_cache
printf 'no kernel' >"$work/cache/jit/1f/00000000000000000000000000000a.spk"
printf 'half' >"$work/cache/jit/1f/.new-0123456789abcdef"
printf 'mine' >"$work/cache/jit/1f/notes.txt"
run spmm-jit list
exits 0
silent_err
says '          72  operator 1; a key of a test'
says_times 2 'damaged or not finished'
says "3 files, 85 bytes in $work/cache/jit"
run spmm-jit --json list
exits 0
is_json 'len(j["files"]) == 2 and j["note"] == ""' # the damaged one is gone since it was read
is_json '[f["bytes"] for f in j["files"] if f["key"] == "operator 1; a key of a test"] == [72]'
is_json '[f["file"] for f in j["files"] if f["key"]] == ["1f/e58f9e122d7d342a6f26da124e12c5.spk"]'
is_json 'all(f["used"] > 1e9 for f in j["files"])'
run spmm-jit -q list
exits 0
silent
run spmm-jit -q --json list
is_json 'len(j["files"]) == 2'
run spmm-jit --json clear
exits 0
is_json 'j["removed"] == 2'
run ls -A "$work/cache/jit/1f"
says 'notes.txt'
says_not .spk
run spmm-jit list
says '0 files, 0 bytes'

# ---- A changed bit makes a file damaged; folders that others may write are not read ----
make_cache
printf X | dd of="$work/cache/jit/$entry" bs=1 seek=60 conv=notrunc status=none
run spmm-jit list
says 'damaged or not finished'
make_cache
chmod g+w "$work/cache/jit"
run spmm-jit list
exits 0
says '0 files'
says 'others may write it'
run spmm-jit clear
exits 0
run test -e "$work/cache/jit/$entry"
exits 0
chmod g-w "$work/cache/jit"
mv "$work/cache" "$work/real"
ln -s "$work/real" "$work/cache"
run spmm-jit list
says 'a symbolic link'
rm "$work/cache"

# ---- Plans ----
run spmm-jit warm "$work/none.plan"
exits 1
printf 'no plan' >"$work/bad.plan"
run spmm-jit warm "$work/bad.plan"
exits 3
run spmm-inspect -q --device any gen:band:60:3 -o "$work/a.plan"
exits 0
run spmm-jit --device cpu warm "$work/a.plan"
exits 4
says 'op N: not prepared'
says 'operators are for GPUs'
run spmm-jit --json --device cpu warm "$work/a.plan"
exits 4
is_json '[p["op"] for p in j][0] == "N" and all(p["prepared"] == "not prepared" for p in j)'
is_json 'all(p["prepare_note"] == "operators are for GPUs" and p["prepare_ms"] >= 0 for p in j)'
run spmm-jit -q --device cpu warm "$work/a.plan"
exits 4
silent
run spmm-jit -q --json --device cpu warm "$work/a.plan"
exits 4
is_json 'j[0]["prepared"] == "not prepared"'
run spmm-jit --device cuda:99 warm "$work/a.plan"
exits 4
says_err 'GPU 99 was asked for'

# ---- spmm-run ----
run spmm-run --device cpu --repeat 0 --jit on --check self "$work/a.plan"
exits 0
says 'prepare    not prepared'
says 'operators are for GPUs'
run spmm-run --device cpu --repeat 0 --jit load --json "$work/a.plan"
exits 0
is_json 'j["prepared"] == "not prepared" and j["prepare_note"] == "operators are for GPUs"'
run spmm-run --device cpu --repeat 0 --json "$work/a.plan"
is_json '"prepared" not in j'
run spmm-run --jit maybe "$work/a.plan"
exits 2

finish
