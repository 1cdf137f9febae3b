#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Metadata on command lines: set by spmm-inspect, shown, kept, exported with the matrix and imported again.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1

printf '%%%%MatrixMarket matrix coordinate real general\n3 4 5\n1 1 1\n1 3 0.1\n2 2 -7\n3 1 4\n3 4 5\n' >"$work/a.mtx"
sum=$(sha256sum <"$work/a.mtx")
sum=${sum%% *}

# ---- From options ----
run spmm-inspect --device any --meta license=CC-BY-4.0 --meta 'title = Ein schönes Beispiel' --meta doi=10.1000/1=2 "$work/a.mtx" -o "$work/a.plan" --json
exits 0
is_json 'j["metadata"]["license"] == "CC-BY-4.0"'
run spmm-info "$work/a.plan"
exits 0
says 'metadata   doi: 10.1000/1=2'
says '           license: CC-BY-4.0'
says "           source-sha256: $sum"
says '           title: Ein schönes Beispiel'
says 'format 1.7'
run spmm-info --json "$work/a.plan"
is_json "j['metadata'] == {'doi': '10.1000/1=2', 'license': 'CC-BY-4.0', 'source-sha256': '$sum', 'title': 'Ein schönes Beispiel'}"
run spmm-info --head "$work/a.plan"
exits 0
says 'metadata   doi: 10.1000/1=2'
says "           source-sha256: $sum"
head -c "$(($(stat -c %s "$work/a.plan") - 1))" "$work/a.plan" >"$work/cut.plan"
run spmm-info --head "$work/cut.plan"
exits 0
says 'truncated'
says_not 'doi'
run spmm-info -q --head "$work/a.plan"
exits 0
silent

# ---- The bytes depend on neither order nor time; without metadata, nothing is added to the plan ----
run spmm-inspect -q --device any --meta doi=10.1000/1=2 --meta title='Ein schönes Beispiel' --meta license=CC-BY-4.0 "$work/a.mtx" -o "$work/b.plan"
exits 0
same "$work/a.plan" "$work/b.plan"
run spmm-inspect -q --device any "$work/a.mtx" -o "$work/plain.plan"
run spmm-info --json "$work/plain.plan"
is_json 'j["metadata"] == {} and j["format_minor"] < 7 and all(s["name"] != "metadata" for s in j["sections"])'
run spmm-info --diff "$work/plain.plan" "$work/a.plan"
exits 4
says 'metadata: in the second plan only'
says 'metadata   license:  | CC-BY-4.0'
spmm-inspect -q --device any --meta doi=10.1000/1=2 --meta aa=1 --meta license=CC0-1.0 "$work/a.mtx" -o "$work/b.plan"
run spmm-info --diff "$work/a.plan" "$work/b.plan"
exits 4
says 'metadata   license: CC-BY-4.0 | CC0-1.0'
says 'metadata   aa:  | 1'
says 'metadata   title: Ein schönes Beispiel | '
says_times 3 'metadata   '
says_not 'doi'

# ---- The SHA-256 is computed from the file as stored; standard input and generators have none ----
gzip -n <"$work/a.mtx" >"$work/a.mtx.gz"
packed=$(sha256sum <"$work/a.mtx.gz")
run spmm-inspect -q --meta a=b "$work/a.mtx.gz" -o "$work/b.plan"
run spmm-info "$work/b.plan"
says "source-sha256: ${packed%% *}"
for matrix in - gen:band:10:2; do
    run spmm-inspect -q --meta a=b $matrix -o "$work/b.plan" <"$work/a.mtx"
    exits 0
    run spmm-info --json "$work/b.plan"
    is_json 'j["metadata"] == {"a": "b"}'
done
run spmm-inspect -q --meta source-sha256=mine "$work/a.mtx" -o "$work/b.plan"
run spmm-info --json "$work/b.plan"
is_json 'j["metadata"] == {"source-sha256": "mine"}'

# ---- From a file; options take precedence ----
printf '# of the data set\n\n license=MIT\r\ncitation = A. Author (2026)  \n\turl=https://example.org/?a=b' >"$work/meta.txt"
run spmm-inspect -q --meta license=CC0-1.0 --meta-file "$work/meta.txt" "$work/a.mtx" -o "$work/b.plan"
exits 0
run spmm-info --json "$work/b.plan"
is_json "j['metadata'] == {'license': 'CC0-1.0', 'citation': 'A. Author (2026)', 'url': 'https://example.org/?a=b', 'source-sha256': '$sum'}"

# ---- Many or long entries: the text output shows a few, --full shows all ----
{ for i in 1 2 3 4 5 6; do echo "key$i=value"; done; printf 'a=%0100d\n' 7; } >"$work/many.txt"
run spmm-inspect -q --meta-file "$work/many.txt" gen:band:10:2 -o "$work/many.plan"
run spmm-info "$work/many.plan"
says "           and 3 more"
says_not key4
says "metadata   a: $(printf '%080d' 0).."
run spmm-info --full "$work/many.plan"
says key6
says "metadata   a: $(printf '%0100d' 7)"

# ---- Kept with new values, exported with the matrix, imported again ----
run spmm-update "$work/a.plan" --values "$work/a.mtx" -o "$work/b.plan"
exits 0
same "$work/a.plan" "$work/b.plan"
run spmm-export -q "$work/a.plan" -o "$work/out.mtx"
exits 0
sed -n 's/^% //p' "$work/out.mtx" >"$work/out.txt"
mkdir "$work/again"
cp "$work/out.mtx" "$work/again/a.mtx"
run spmm-inspect -q --device any --meta-file "$work/out.txt" "$work/again/a.mtx" -o "$work/b.plan"
exits 0
same "$work/a.plan" "$work/b.plan"
run spmm-export -q --format npz "$work/a.plan" -o "$work/out.npz"
exits 0
printf 'short=1\nlong=%01100d\n' 5 >"$work/long.txt"
run spmm-inspect -q --meta-file "$work/long.txt" "$work/a.mtx" -o "$work/b.plan"
run spmm-export "$work/b.plan" -o -
says '% short=1'
says_not '% long'

# ---- Set, replaced and removed in an existing plan ----
spmm-inspect -q --device any --meta doi=10.1000/1 --meta license=CC0-1.0 "$work/a.mtx" -o "$work/expected.plan"
spmm-inspect -q --device any --meta license=CC-BY-4.0 --meta note=draft "$work/a.mtx" -o "$work/b.plan"
run spmm-update "$work/b.plan" --meta license=CC0-1.0 --meta doi=10.1000/1 --meta note= -o "$work/b.plan"
exits 0
same "$work/b.plan" "$work/expected.plan"
printf '# a comment\nlicense = CC-BY-4.0\ndoi=\n' >"$work/pairs.txt"
run spmm-update "$work/expected.plan" --meta doi=10.1000/2 --meta-file "$work/pairs.txt" -o "$work/b.plan"
exits 0
run spmm-info --json "$work/b.plan"
is_json "j['metadata'] == {'license': 'CC-BY-4.0', 'doi': '10.1000/2', 'source-sha256': '$sum'}"
sed 's/-7/-8/' "$work/a.mtx" >"$work/values.mtx"
run spmm-update "$work/b.plan" --values "$work/values.mtx" --meta note='new values' -o "$work/c.plan"
exits 0
run spmm-info -q --matches "$work/values.mtx" "$work/c.plan"
exits 0
run spmm-info "$work/c.plan"
says '           note: new values'
run spmm-update "$work/c.plan" --drop-values --meta note= -o "$work/c.plan"
exits 0
run spmm-info --json "$work/c.plan"
is_json 'not j["has_values"] and "note" not in j["metadata"]'
for mistake in license 'note=' License=x; do
    run spmm-update "$work/b.plan" --meta "$mistake" -o "$work/refused.plan"
    exits 2
    one_line_err
    missing "$work/refused.plan"
done
says_err "'License' is not a key of metadata"
run spmm-update "$work/b.plan" --meta note= -o "$work/refused.plan"
says_err "the plan has no metadata key 'note' to take out"
for repeat in k1=b k1=; do
    run spmm-update "$work/b.plan" --meta $repeat --meta k1=a -o "$work/refused.plan"
    exits 2
    says_err 'the metadata key k1 is there twice'
done
for i in $(seq 256); do echo "k$i=v"; done >"$work/full.txt"
spmm-inspect -q --device any --meta-file "$work/full.txt" gen:band:10:2 -o "$work/full.plan"
run spmm-update "$work/full.plan" --meta k1= --meta k2= --meta n1=a --meta n2=b -o "$work/still_full.plan"
exits 0
run spmm-info --json "$work/still_full.plan"
is_json 'len(j["metadata"]) == 256 and "k2" not in j["metadata"] and j["metadata"]["n2"] == "b"'
run spmm-update "$work/full.plan" --meta k1= --meta n1=a --meta n2=b -o "$work/refused.plan"
exits 2
says_err '257 pairs of metadata, expected 0 to 256'
sed 's/^k/n/' "$work/full.txt" >"$work/others.txt" # as many as there can be: 512, of which none is taken out
run spmm-update "$work/full.plan" --meta-file "$work/others.txt" -o "$work/refused.plan"
exits 2
says_err '512 pairs of metadata, expected 0 to 256'
run spmm-update "$work/b.plan" --meta-file - -o "$work/refused.plan"
exits 2
one_line_err
says_err '--meta-file: expected a file, not standard input (-)'
missing "$work/refused.plan"
run spmm-update "$work/b.plan" --meta-file "$work/nothing.txt" -o "$work/refused.plan"
exits 1
says_err 'nothing.txt: the file cannot be opened'

# ---- Invalid metadata ----
refused() { # STATUS TEXT OPTION...
    local expected=$1 text=$2
    shift 2
    rm -f "$work/no.plan"
    run spmm-inspect -q "$@" "$work/a.mtx" -o "$work/no.plan"
    exits "$expected"
    one_line_err
    says_err "$text"
    missing "$work/no.plan"
}
refused 2 "--meta: expected KEY=VALUE, found 'license'" --meta license
refused 2 "'License' is not a key of metadata" --meta License=x
refused 2 'the metadata key license has no value' --meta license=
refused 2 'the metadata key license is there twice (--meta, --meta-file)' --meta license=a --meta license=b
printf 'a=b\nno pair here\n' >"$work/bad.txt"
refused 2 "bad.txt: line 2: expected KEY=VALUE, found 'no pair here'" --meta-file "$work/bad.txt"
printf 'a=b\na=c\n' >"$work/bad.txt"
refused 2 'the metadata key a is there twice' --meta-file "$work/bad.txt"
printf 'a=b\0c\n' >"$work/bad.txt"
refused 2 'bad.txt: it is no text: byte 3 is zero' --meta-file "$work/bad.txt"
printf 'a=b\xff\n' >"$work/bad.txt"
refused 2 'the value of the metadata key a is not printable UTF-8 from byte 1 on' --meta-file "$work/bad.txt"
head -c 1048577 /dev/zero | tr '\0' '#' >"$work/bad.txt"
refused 2 'bad.txt: it has more than 1048576 bytes' --meta-file "$work/bad.txt"
for i in $(seq 300); do echo "k$i=v"; done >"$work/bad.txt"
refused 2 'more than 256 pairs of metadata' --meta-file "$work/bad.txt"
refused 1 'nothing.txt: the file cannot be opened: No such file' --meta-file "$work/nothing.txt"
refused 2 '--meta-file: expected a file, not standard input (-)' --meta-file -
refused 1 'it cannot be read: Is a directory' --meta-file "$work"
finish
