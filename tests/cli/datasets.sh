#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the commands of docs/datasets.md as they are printed there, then on a data set that is damaged or
# forged.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh" || exit 1

# A free port. The server of the document ends with the shell that runs the commands.
PORT=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export PORT SPMM=$source_dir
mkdir "$work/folder"
{
    # shellcheck disable=SC2016 # for the other shell
    echo 'trap "kill \$(jobs -p) 2>/dev/null || true" EXIT'
    sed -n '/^ *export SPMM/d; s/^ \{4,6\}//p' "$source_dir/docs/datasets.md"
} >"$work/commands"
run grep -c . "$work/commands"
says 3
run env -C "$work/folder" bash -eux "$work/commands"
exits 0
says 'Good "file" signature for data@example.org'
says_times 9 ': OK' # README, three matrices, two right-hand sides, three plans
says '10,974        10,974         428,650  f64,f32'
says '8.0,9.0,cpu'
says 'truncated: 65.5 kB of '
says '3,000 x 3,000'
says 'values     the value in row 1, column 1 (counted from 1) is 4 in the first plan, 8 in the second'
says_times 3 'check      right'
exists "$work/folder/mine/poisson2.npz"
mine=$work/folder/mine
cd "$mine" || exit 1
run curl -s --max-time 5 "http://127.0.0.1:$PORT/README" # the server is gone
exits 7

# ---- The commands detect damage ----
damage() { # FILE: its last byte is another one
    printf '\125' | dd of="$1" bs=1 seek=$(($(stat -c %s "$1") - 1)) conv=notrunc status=none
}
cp bcsstk17.plan whole.plan
cp part.plan bcsstk17.plan
run spmm-info -t bcsstk17.plan
exits 3
says_err 'SPMM_ERR_PLAN_TRUNCATED'
run sha256sum --check --strict SHA256SUMS
exits 1
says 'bcsstk17.plan: FAILED'
says_times 8 ': OK'
cp whole.plan bcsstk17.plan
damage bcsstk17.plan
run spmm-info -t bcsstk17.plan poisson2.plan
exits 3
one_line_err
run sha256sum --check --strict SHA256SUMS
exits 1

# A valid plan of another matrix: its own digests are right, but the digest in the manifest is not.
cp twice.plan poisson2.plan
run spmm-info -t poisson2.plan
exits 0
run sha256sum --check --strict SHA256SUMS
exits 1
says 'poisson2.plan: FAILED'
run spmm-info -q --matches poisson2.mtx.zst poisson2.plan
exits 4

# A manifest that fits the forged file is not the signed one, and somebody else's signature is refused.
verify=(ssh-keygen -Y verify -f ../publishers -I data@example.org -n file -s SHA256SUMS.sig)
run "${verify[@]}" <SHA256SUMS
exits 0
sha256sum poisson2.plan >SHA256SUMS
run "${verify[@]}" <SHA256SUMS
exits 255
run ssh-keygen -q -t ed25519 -N '' -f ../other
run rm SHA256SUMS.sig
run ssh-keygen -q -Y sign -f ../other -n file SHA256SUMS
exits 0
run "${verify[@]}" <SHA256SUMS
exits 255

finish
