#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The manual pages have every option of --help and no other. troff formats them without warnings.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
man_dir=${SPMM_MAN:?the folder of the manual pages}

# Prints the options at the beginning of lines of a help page.
options_of_help() { grep -oE '^ {2}(-[A-Za-z],|   ) --[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+' | sort; }
options_of_page() { sed -n 's/^\.It .*Fl -\([a-z0-9-]*\).*/--\1/p' | sort; }

programs=(spmm-bench spmm-export spmm-info spmm-inspect spmm-jit spmm-run spmm-update)
for program in "${programs[@]}"; do
    page=$man_dir/man1/$program.1
    run cat "$page"
    exits 0
    options_of_page <"$page" >"$work/$program.of_page"
    run "$program" --help
    exits 0
    options_of_help <"$work/.out" >"$work/$program.of_help"
    checks=$((checks + 1))
    [ "$(wc -l <"$work/$program.of_help")" -ge 6 ] || wrong "expected at least 6 options of $program"
    same "$work/$program.of_page" "$work/$program.of_help"
    run grep -rn '@more\|more --' "$page"
    silent
    run "$program" --help=man
    exits 0
    silent_err
    says ".Sh OPTIONS"
done
sort -u "$work"/*.of_help >"$work/every_option"

# Every option that the text mentions is an option of a program.
for page in "$man_dir"/man?/*; do
    sed -n '/^\.It/!s/^.*Fl -\([a-z0-9-]*\).*/--\1/p' "$page" | sort -u >"$work/mentioned"
    run comm -23 "$work/mentioned" "$work/every_option"
    silent
    run groff -ww -mdoc -Tutf8 -z "$page"
    exits 0
    silent_err
    run env MANPATH="$man_dir" man -l --warnings "$page"
    exits 0
    silent_err
done

# man finds the pages where they are built.
for name in "${programs[@]}" spmm; do
    run man -M "$man_dir" -w "$name"
    exits 0
    says "/$name."
done

# Text for an unknown option is refused.
printf '@more --no-such-option\ntext\n' >"$work/wrong.in"
run cmake -D TOOL="$bin/spmm-info" -D SOURCE="$work/wrong.in" -D OUTPUT="$work/wrong.1" -P "$source_dir/tools/man/make_page.cmake"
exits 1
says_err "'@more --no-such-option'"
missing "$work/wrong.1"

finish
