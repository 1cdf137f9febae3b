# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A harness for command lines. A test script sources it, runs commands, checks their output, and ends with
# "finish". $bin is the folder of the programs, $work an empty folder that is removed at the end.
#
#   run spmm-info "$work/a.plan"     # keeps exit status, stdout and stderr
#   exits 3
#   says_err 'not those of a plan'
set -u
export LC_ALL=C

bin=${SPMM_BIN:?the folder of the programs}
# shellcheck disable=SC2034 # the scripts use it
source_dir=${SPMM_SOURCE:?the root of the sources}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH="$bin:$PATH"

checks=0 failures=0 status=0 last='nothing yet'

# run COMMAND...: runs a command. Standard input is the caller's redirection, or empty.
run() {
    last="$*"
    "$@" >"$work/.out" 2>"$work/.err"
    status=$?
    if grep -qF '(null)' "$work/.out" "$work/.err"; then wrong 'a text that is not there was printed'; fi
}

wrong() {
    failures=$((failures + 1))
    printf 'FAILED after: %s\n  %s\n  exit status %s\n' "$last" "$1" "$status"
    sed 's/^/  stdout: /' "$work/.out" | sed -n 1,20p
    sed 's/^/  stderr: /' "$work/.err" | sed -n 1,20p
}

exits() { # STATUS
    checks=$((checks + 1))
    [ "$status" -eq "$1" ] || wrong "expected exit status $1"
}
says() { # TEXT of stdout
    checks=$((checks + 1))
    grep -qF -- "$1" "$work/.out" || wrong "expected on stdout: $1"
}
says_err() { # TEXT of stderr
    checks=$((checks + 1))
    grep -qF -- "$1" "$work/.err" || wrong "expected on stderr: $1"
}
says_not() { # TEXT, on neither
    checks=$((checks + 1))
    if grep -qF -- "$1" "$work/.out" "$work/.err"; then wrong "did not expect: $1"; fi
}
says_times() { # COUNT TEXT: so many lines of stdout hold it
    checks=$((checks + 1))
    [ "$(grep -cF -- "$2" "$work/.out")" -eq "$1" ] || wrong "expected on $1 lines of stdout: $2"
}
silent() { # nothing on stdout
    checks=$((checks + 1))
    [ ! -s "$work/.out" ] || wrong 'expected nothing on stdout'
}
silent_err() {
    checks=$((checks + 1))
    [ ! -s "$work/.err" ] || wrong 'expected nothing on stderr'
}
one_line_err() { # an error is one sentence
    checks=$((checks + 1))
    [ "$(wc -l <"$work/.err")" -eq 1 ] || wrong 'expected one line on stderr'
}
is_json() { # stdout parses; with an argument: this Python expression over j, the parsed document, is true
    checks=$((checks + 1))
    python3 -m json.tool <"$work/.out" >/dev/null || wrong 'expected JSON on stdout'
    [ $# -eq 0 ] || python3 -c "import json, sys; j = json.load(open(sys.argv[1])); sys.exit(not ($1))" \
        "$work/.out" || wrong "expected of the JSON: $1"
}
same() { # FILE FILE
    checks=$((checks + 1))
    cmp -s "$1" "$2" || wrong "expected equal files: $1 $2"
}
exists() { # FILE
    checks=$((checks + 1))
    [ -e "$1" ] || wrong "expected a file: $1"
}
missing() { # FILE
    checks=$((checks + 1))
    [ ! -e "$1" ] || wrong "expected no file: $1"
}

finish() {
    printf '%d checks, %d failed\n' "$checks" "$failures"
    [ "$checks" -gt 0 ] && [ "$failures" -eq 0 ]
    exit
}
