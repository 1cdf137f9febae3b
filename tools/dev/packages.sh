# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Lists the packages that the build and the tests need, and installs them. tools/quickstart and tests/run source it.
# Each entry has a Debian package and a probe. A package counts as missing only if its probe fails, so
# machines with other package managers or manually installed tools work too.

has_command() { command -v "$1" >/dev/null 2>&1; }
has_header() { echo "#include <$1>" | "${2:-gcc}" ${3:+"$3"} -E -o /dev/null - >/dev/null 2>&1; }
has_file() { local file; for file; do [ ! -e "$file" ] || return 0; done; return 1; }
has_library() { gcc -shared -o /dev/null -x c /dev/null "-l$1" >/dev/null 2>&1; }
has_module() { pkg-config --exists "$1" 2>/dev/null; }
has_cxx() { echo '#include <memory>' | g++ -x c++ -E -o /dev/null - >/dev/null 2>&1; }
has_cmake() { has_command cmake && cmake --version | grep -E 'version (3\.(2[5-9]|[3-9][0-9])|[4-9])' >/dev/null; }
has_clang_runtime() { [ -n "$(find "$(clang -print-resource-dir 2>/dev/null)/lib" -name 'libclang_rt.fuzzer*' 2>/dev/null)" ]; }

missing=()
need() { # PACKAGE PROBE [ARGUMENT...]: adds the package to `missing` if the probe fails
    local package=$1
    shift
    "$@" || missing+=("$package")
}

need_to_build() {
    need gcc has_command gcc
    need libc6-dev has_header stdio.h
    need cmake has_cmake
    need ninja-build has_command ninja
    need libzstd-dev has_header zstd.h
    need libxxhash-dev has_header xxhash.h
    need libdeflate-dev has_header libdeflate.h
    need zlib1g-dev has_header zlib.h
    need libminizip-dev has_header minizip/unzip.h
    need liblzma-dev has_header lzma.h
    need libbz2-dev has_header bzlib.h
    need libssl-dev has_header openssl/evp.h
    ! has_nvcc || need g++ has_cxx
}

need_to_test() {
    need_to_build
    need g++ has_cxx
    need ccache has_command ccache
    need pkg-config has_command pkg-config
    need libcmocka-dev has_file /usr/include/cmocka.h /usr/local/include/cmocka.h
    need libopenblas-dev has_library openblas
    need liblapacke-dev has_library lapacke
    need petsc-dev has_module PETSc # with slepc-dev and dependencies a download of 73 MB, 295 MB on disk
    need slepc-dev has_module SLEPc
    need clang has_command clang
    need llvm has_command llvm-cov
    need libomp-dev has_header omp.h clang -fopenmp
    need libclang-rt-14-dev has_clang_runtime
    need clang-format has_command clang-format
    need shellcheck has_command shellcheck
    need python3 has_command python3
    need zstd has_command zstd
    need man-db has_command man
    need groff-base has_command groff
    need doxygen has_command doxygen
    need codespell has_command codespell
    need abigail-tools has_command abidw
    need zsh has_command zsh
    need fish has_command fish
    need curl has_command curl
    need lintian has_command lintian
    need dpkg-dev has_command dpkg-shlibdeps
    need openssh-client has_command ssh-keygen
    need chromium has_command chromium
}

nvcc_path() { command -v nvcc || { [ -x /usr/local/cuda/bin/nvcc ] && echo /usr/local/cuda/bin/nvcc; }; }
has_nvcc() { nvcc_path >/dev/null; }
has_gpu() { [ -e /dev/nvidia0 ] || { has_command nvidia-smi && nvidia-smi -L 2>/dev/null | grep '^GPU' >/dev/null; }; }

# Returns true if LeakSanitizer works. It traces its own process with ptrace, which some containers forbid.
leak_check_works() {
    local folder status=0
    folder=$(mktemp -d)
    echo 'int main(void) { return 0; }' | gcc -x c -fsanitize=address -o "$folder/probe" - 2>/dev/null &&
        "$folder/probe" >/dev/null 2>&1 || status=1
    rm -rf "$folder"
    return $status
}

# Installs the missing packages if run as root on a system with apt; otherwise names them and exits with status 1.
install_missing() {
    [ "${#missing[@]}" -gt 0 ] || return 0
    local command="apt-get install --no-install-recommends ${missing[*]}"
    if [ "$(id -u)" -ne 0 ] || ! has_command apt-get; then
        echo "Missing packages: ${missing[*]}" >&2
        echo "Install them (Debian, as root: $command) and start again." >&2
        exit 1
    fi
    local log
    log=$(mktemp)
    echo "== Installing: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    if ! { apt-get update && apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        echo "Could not install the packages: $command" >&2
        exit 1
    fi
    rm -f "$log"
}
