#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The completions of bash, zsh and fish have every option of --help and no other. Each shell completes some
# words.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1
folder=${SPMM_COMPLETIONS:?the folder of the completions}
programs=(spmm-bench spmm-export spmm-info spmm-inspect spmm-jit spmm-run spmm-update)

# Prints the options of a help page or a completion.
options_of() { # help|bash|zsh|fish
    case $1 in
    help) grep -oE '^ {2}(-[A-Za-z],|   ) --[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+' ;;
    bash) sed -n "s/^    \*).*words='\(.*\)' ;;/\1/p" | tr ' ' '\n' ;;
    zsh) sed -nE "s/^    '[^-]*(\(-. --[a-z0-9-]+\))?('\{-.\+?,)?(--[a-z0-9-]+).*/\3/p" ;;
    fish) sed -nE 's/.* -l ([a-z0-9-]+) .*/--\1/p' ;;
    esac | sort
}

# ---- The options are those of --help, and the files are the output of the programs ----
for program in "${programs[@]}"; do
    run "$program" --help
    options_of help <"$work/.out" >"$work/expected"
    checks=$((checks + 1))
    [ "$(wc -l <"$work/expected")" -ge 6 ] || wrong "expected at least 6 options of $program"
    for shell in bash zsh fish; do
        run "$program" "--help=$shell"
        exits 0
        silent_err
        case $shell in
        bash) file=$folder/bash/$program ;;
        zsh) file=$folder/zsh/_$program ;;
        fish) file=$folder/fish/$program.fish ;;
        esac
        same "$work/.out" "$file"
        options_of "$shell" <"$file" >"$work/found"
        same "$work/found" "$work/expected"
    done
done
run spmm-info --help=csh
exits 2

# ---- bash ----
# answers EXPECTED WORD...: checks what bash offers for the last word of the command line.
answers() {
    local expected=$1
    shift
    # shellcheck disable=SC2016 # for the other shell
    run bash -uc 'file=$1; shift; . "$file"; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); COMPREPLY=()
        name=$(complete -p "$1" | sed -n "s/.* -F \([a-z_]*\) .*/\1/p"); "$name"; echo "${COMPREPLY[*]}"' \
        bash "$folder/bash/$1" "$@"
    exits 0
    checks=$((checks + 1))
    [ "$(cat "$work/.out")" = "$expected" ] || wrong "expected of bash: $expected"
}
for program in "${programs[@]}"; do
    run bash -n "$folder/bash/$program"
    exits 0
    answers --version "$program" --vers
done
answers '--matches' spmm-info --mat
answers '--json' spmm-info --full a.plan --js
answers 'f32 f64 f16 bf16' spmm-inspect --dtype ''
answers 'f32 f64 f16' spmm-inspect --dtype = f
answers 'f32 f64 f16 bf16' spmm-inspect --dtype =
answers 'jaccard' spmm-inspect a.mtx --reorder j
answers 'h100 h200' spmm-info --device h
answers 'self' spmm-run a.plan --check s
answers 'cpu cuda' spmm-run --device c
answers 'row col both' spmm-bench --layout ''
answers '' spmm-run -n '' # a number
answers '' spmm-run -o '' # a file, which readline completes
answers '' spmm-run a ''

# ---- The suggestions for --device and --kernel are accepted ----
words_of() { sed -n "s/^    --$2).*words='\(.*\)' ;;/\1/p" "$folder/bash/$1"; }
for device in $(words_of spmm-inspect device); do
    run spmm-inspect -q --device "$device" gen:diag:9
    exits 0
done
for kernel in $(words_of spmm-inspect kernel); do
    run spmm-inspect -q --device any --kernel "$kernel" gen:band:500:9
    exits 0
done
for balance in $(words_of spmm-inspect balance); do
    run spmm-inspect -q --device any --balance "$balance" gen:band:500:9
    exits 0
done

# wants SHELL: returns whether the shell is installed. A full run of the tests requires it.
wants() { command -v "$1" >/dev/null || [ -n "${SPMM_TESTS_RUN:-}" ] || { echo "no $1: its completions are not run"; return 1; }; }

# ---- fish ----
if wants fish; then
    fish_offers() { # EXPECTED COMMANDLINE
        # shellcheck disable=SC2016 # for the other shell
        run fish --no-config -c 'source $argv[1]; complete -C $argv[2] | string replace -r "\t.*" "" | string join " "; true' \
            "$folder/fish/${2%% *}.fish" "$2"
        exits 0
        silent_err
        checks=$((checks + 1))
        [ "$(cat "$work/.out")" = "$1" ] || wrong "expected of fish: $1"
    }
    for program in "${programs[@]}"; do
        run fish --no-config --no-execute "$folder/fish/$program.fish"
        exits 0
        fish_offers --version "$program --vers"
    done
    fish_offers --matches 'spmm-info --mat'
    fish_offers 'bf16 f16 f32 f64' 'spmm-inspect --dtype '
    fish_offers 'cpu cuda' 'spmm-run --device c'
    fish_offers '' 'spmm-run -n '
fi

# ---- zsh: in an interactive shell, ^T completes the line and writes it to a file ----
if wants zsh; then
    for program in "${programs[@]}"; do
        run zsh -f -n "$folder/zsh/_$program"
        exits 0
        silent_err
    done
    mkdir "$work/home"
    cat >"$work/home/.zshrc" <<'END'
fpath=($COMPLETIONS $fpath)
autoload -Uz compinit
compinit -u -D
answer() { zle complete-word; print -r -- "$BUFFER" >$ANSWER.new; mv $ANSWER.new $ANSWER; BUFFER= }
zle -N answer
bindkey '^T' answer
: >$ANSWER
END
    cat >"$work/ask.zsh" <<'END'
zmodload zsh/zpty zsh/zselect
await() { repeat 9000 { [[ -e $ANSWER ]] && return; zselect -t 1 }; exit 1 }
zpty shell zsh -i
await
for line in "$@"; do
    rm -f $ANSWER
    zpty -n -w shell "$line"$'\024'
    await
    cat $ANSWER
done
zpty -d shell
END
    : >"$work/mine.plan"
    run env ZDOTDIR="$work/home" COMPLETIONS="$folder/zsh" ANSWER="$work/answer" zsh -f "$work/ask.zsh" \
        'spmm-info --mat' 'spmm-inspect --dtype bf' 'spmm-inspect --reorder=jac' 'spmm-export --patt' 'spmm-run --check sel' \
        'spmm-info --device h2' "spmm-info $work/mi" "spmm-update $work/mi" 'spmm-bench --calib' 'spmm-run -n'
    exits 0
    sed 's/ *$//' "$work/.out" >"$work/found"
    printf '%s\n' 'spmm-info --matches=' 'spmm-inspect --dtype bf16' 'spmm-inspect --reorder=jaccard' 'spmm-export --pattern' \
        'spmm-run --check self' 'spmm-info --device h200' "spmm-info $work/mine.plan" "spmm-update $work/mine.plan" \
        'spmm-bench --calibrate' 'spmm-run -n' >"$work/expected"
    run diff "$work/expected" "$work/found"
    exits 0
fi
finish
