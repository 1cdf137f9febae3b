#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs one step of the consumer tests: check.sh STEP SOURCE_DIR BUILD_DIR WORK_DIR
set -euo pipefail
step=$1 source=$2 build=$3 work=$4
here=$source/tests/consumer
prefix=$work/prefix
cc=${CC:-cc}
warnings=(-Wall -Wextra -Werror -pedantic)
export PATH=$prefix/bin:$PATH
LD_LIBRARY_PATH=$prefix/lib:$prefix/lib64:$prefix/lib/$("$cc" -print-multiarch 2>/dev/null || true)
export LD_LIBRARY_PATH
static=()
[ "${SPMM_SHARED:-ON}" = ON ] || static=(--static)

# Nothing is measured here: without optimisation a build takes a quarter of the time. Steps subdirectory and static have
# equal options, so that ccache, if it is used, compiles the libraries once.
plain=(-DCMAKE_C_FLAGS_RELEASE='-O0 -DNDEBUG' -DSPMM_WERROR=ON)

fail() { echo "consumer $step: $*" >&2; exit 1; }

pc_dir() { dirname "$(find "$1" -name spmm-format.pc -print -quit)"; }

# Builds an outside project with PREFIX as the search path for packages.
build_outside() { # FOLDER OUT PREFIX [CMAKE_ARGUMENT...]
    local folder=$1 out=$2 package=$3
    shift 3
    rm -rf "$out"
    cmake -S "$here/$folder" -B "$out" -G Ninja -DCMAKE_PREFIX_PATH="$package" -DCMAKE_C_COMPILER="$cc" "$@" >"$work/$folder.log" 2>&1 ||
        { cat "$work/$folder.log"; fail "configure failed"; }
    cmake --build "$out" -j 2 >"$work/$folder.log" 2>&1 || { cat "$work/$folder.log"; fail "build failed"; }
}

# Builds an outside project and runs its programs on a plan that they make themselves. Takes the same arguments.
outside() {
    build_outside "$@"
    run_programs "$2"
}

run_programs() {
    "$1/inspect_only" gen:lap27:9 "$1/lap.plan"
    "$1/run_only" "$1/lap.plan"
    "$1/both" gen:rmat:9:7
    [ ! -x "$1/both_cxx" ] || "$1/both_cxx" gen:band:300:5
}

with_pkgconfig() { # OUT PC_DIR [--static]
    local out=$1 program module flags
    export PKG_CONFIG_PATH=$2
    mkdir -p "$out"
    for program in inspect_only:spmm-inspector run_only:spmm-executor both:spmm-inspector,spmm-executor; do
        module=${program#*:} program=${program%%:*}
        read -r -a flags <<<"$(pkg-config "${@:3}" --cflags --libs "${module//,/ }" | tr '\n' ' ')"
        "$cc" -std=c99 "${warnings[@]}" "$here/package/$program.c" -o "$out/$program" "${flags[@]}"
    done
    run_programs "$out"
}

exported() { nm -D --defined-only "$1" | awk '$2 != "A" {print $3}'; }

case $step in
install)
    rm -rf "$work"
    mkdir -p "$work"
    cmake --install "$build" --prefix "$prefix" >"$work/install.log"
    ;;
package)
    outside package "$work/package" "$prefix"
    rm -rf "$work/unknown"
    mkdir "$work/unknown"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(outside C)' \
        'find_package(spmm CONFIG REQUIRED COMPONENTS solver)' >"$work/unknown/CMakeLists.txt"
    said=$(cmake -S "$work/unknown" -B "$work/unknown/build" -DCMAKE_PREFIX_PATH="$prefix" 2>&1) &&
        fail 'component solver is found'
    echo "$said" | grep 'There is no component solver' >/dev/null || fail "cmake said: $said"
    ;;
pkgconfig) with_pkgconfig "$work/pkgconfig" "$(pc_dir "$prefix")" "${static[@]}" ;;
headers)
    for header in "$prefix"/include/spmm/*.h; do
        [ "${header##*/}" != petsc.h ] || continue # not without PETSc's headers, which step petsc has
        for language in "c -std=c99" "c -std=c11" "c++ -std=c++11" "c++ -std=c++17"; do
            read -r -a flags <<<"$language"
            "$cc" -x "${flags[@]}" "${warnings[@]}" -Wconversion -Wshadow -I "$prefix/include" -fsyntax-only \
                -include "$header" /dev/null || fail "$header is not clean in $language"
        done
    done
    ;;
symbols)
    [ "${#static[@]}" -eq 0 ] || exit 0
    libraries=(format inspector executor)
    [ "${SPMM_PETSC:-OFF}" = OFF ] || libraries+=(petsc)
    for library in "${libraries[@]}"; do
        file=$(find "$prefix" -name "libspmm_$library.so.1" -print -quit)
        [ -n "$file" ] || fail "libspmm_$library.so.1 is not installed"
        allowed='^spmm_[a-z0-9_]*@@SPMM_1$'
        [ "$library" != petsc ] || allowed+='|^PetscDLLibraryRegister_spmm_petsc@@SPMM_1$'
        [ "$library" != format ] || allowed+='|^spmmi_[a-z0-9_]*@@SPMM_PRIVATE_[0-9.]*$'
        [ "$(exported "$file" | grep -c '^spmm_')" -ge 3 ] || fail "libspmm_$library exports too little"
        exported "$file" | grep -vE "$allowed" && fail "libspmm_$library exports the names above"
        needed=$(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
        echo "$needed" | grep -E 'libcuda|libcudart' && fail "libspmm_$library needs the library above"
        case $library in
        format) forbidden='libspmm_' ;;
        inspector) forbidden='libspmm_executor' ;;
        executor) forbidden='libspmm_inspector' ;;
        petsc) forbidden='libslepc' ;;
        esac
        echo "$needed" | grep "$forbidden" && fail "libspmm_$library needs the library above"
        objdump -p "$file" | grep "SONAME *libspmm_$library.so.1$" >/dev/null || fail "wrong SONAME"
    done
    ;;
petsc)
    build_outside petsc "$work/petsc" "$prefix"
    [ "$("$work/petsc/petsc_product")" = '3 5' ] || fail 'the program of the CMake package is wrong'
    export PKG_CONFIG_PATH
    PKG_CONFIG_PATH=$(pc_dir "$prefix")
    read -r -a flags <<<"$(pkg-config "${static[@]}" --cflags --libs spmm-petsc | tr '\n' ' ')"
    OMPI_CC=$cc mpicc -std=c99 "$here/petsc/petsc_product.c" -o "$work/petsc/with_pkgconfig" "${flags[@]}"
    [ "$("$work/petsc/with_pkgconfig")" = '3 5' ] || fail 'the program of pkg-config is wrong'
    read -r -a flags <<<"$(pkg-config --cflags --libs PETSc | tr '\n' ' ')"
    OMPI_CC=$cc mpicc -std=c99 -DLOADED_BY_PETSC "$here/petsc/petsc_product.c" -o "$work/petsc/loaded" "${flags[@]}"
    [ "$("$work/petsc/loaded" -dll_append "$(find "$prefix" -name libspmm_petsc.so)")" = '3 5' ] ||
        fail 'the program that loads the library is wrong'
    ! "$work/petsc/loaded" >"$work/petsc/log" 2>&1 || fail 'the program that loads the library has it without'
    rm -rf "$work/without"
    cp -r "$prefix" "$work/without"
    rm "$(find "$work/without" -name spmmPetscTargets.cmake)"
    said=$(cmake -S "$here/petsc" -B "$work/without/build" -DCMAKE_PREFIX_PATH="$work/without" 2>&1) &&
        fail 'component petsc is found where there is none'
    echo "$said" | grep 'This spmm was built without PETSc' >/dev/null || fail "cmake said: $said"
    ;;
readme)
    mkdir -p "$work/readme"
    awk '/^```c$/ {inside = 1; next} /^```$/ {inside = 0} inside' "$source/README.md" >"$work/readme/example.c"
    lines=$(grep -c . "$work/readme/example.c")
    [ "$lines" -ge 10 ] || fail "README.md holds no example in C"
    PKG_CONFIG_PATH=$(pc_dir "$prefix")
    export PKG_CONFIG_PATH
    read -r -a flags <<<"$(pkg-config --static --cflags --libs spmm-inspector spmm-executor)"
    "$cc" -std=c11 "${warnings[@]}" "$work/readme/example.c" -o "$work/readme/example" "${flags[@]}"
    # The commands of the README must run in any folder.
    sed -n 's/^    \(spmm-.*\)/\1/p' "$source/README.md" >"$work/readme/commands"
    [ "$(grep -c . "$work/readme/commands")" -ge 2 ] || fail "README.md holds no commands"
    (cd "$work/readme" && bash -eu commands) >"$work/readme/log" || fail "README's commands do not run in $work/readme"
    grep 'check .*right' "$work/readme/log" >/dev/null || fail "README's commands check no product"
    (cd / && "$work/readme/example") | grep '6 60 19 190$' >/dev/null || fail "README's example is wrong"
    ;;
examples)
    mkdir -p "$work/examples"
    PKG_CONFIG_PATH=$(pc_dir "$prefix")
    export PKG_CONFIG_PATH
    for program in inspect_in_memory:spmm-inspector,spmm-executor load_and_run:spmm-executor; do
        module=${program#*:} program=${program%%:*}
        read -r -a flags <<<"$(pkg-config "${static[@]}" --cflags --libs "${module//,/ }" | tr '\n' ' ')"
        "$cc" -std=c11 "${warnings[@]}" "$source/docs/examples/$program.c" -o "$work/examples/$program" "${flags[@]}"
    done
    for file in "$source"/docs/examples/*.c; do
        name=$(basename "$file" .c)
        [ -x "$work/examples/$name" ] || grep -qw "$name" "$source"/tests/{examples,petsc}/CMakeLists.txt ||
            fail "$file is compiled by no test"
    done
    [ "$("$work/examples/inspect_in_memory" | tail -n 1)" = '19 190' ] || fail "inspect_in_memory is wrong"
    printf '%%%%MatrixMarket matrix coordinate real general\n3 4 3\n1 1 0.5\n2 4 2\n3 2 -7\n' >"$work/examples/a.mtx"
    "$prefix/bin/spmm-inspect" -q --dtype f64 "$work/examples/a.mtx" -o "$work/examples/a.plan"
    [ "$("$work/examples/load_and_run" "$work/examples/a.plan" 6)" = -27 ] || fail "load_and_run is wrong"
    ! "$work/examples/load_and_run" "$work/examples/a.mtx" 2>/dev/null || fail "load_and_run takes a matrix for a plan"
    [ "${#static[@]}" -eq 0 ] || exit 0 # ctypes loads shared libraries
    for type in f64 f32; do
        "$prefix/bin/spmm-inspect" -q --dtype "$type" "$work/examples/a.mtx" -o "$work/examples/a.plan"
        [ "$("${SPMM_PYTHON:-python3}" "$source/docs/examples/python_ctypes.py" "$work/examples/a.plan" 6)" = -27 ] ||
            fail "python_ctypes.py is wrong for $type"
    done
    ;;
previous)
    # Programs of the last release, compiled with its headers, must run with the present libraries. So must the present
    # programs, compiled with headers whose structs lack their last members.
    export PKG_CONFIG_PATH
    PKG_CONFIG_PATH=$(pc_dir "$prefix")
    read -r -a flags <<<"$(pkg-config "${static[@]}" --libs spmm-inspector spmm-executor | tr '\n' ' ')"
    # with_headers FOLDER HEADERS SOURCES
    with_headers() {
        mkdir -p "$1"
        for program in inspect_only run_only both; do
            "$cc" -std=c99 "${warnings[@]}" -I "$2" "$3/$program.c" -o "$1/$program" "${flags[@]}"
        done
        run_programs "$1"
    }
    with_headers "$work/previous" "$source/tests/abi/previous/include" "$source/tests/abi/previous/consumer"
    "${SPMM_PYTHON:-python3}" "$source/tests/abi/older_headers.py" "$work/older/include"
    ! cmp -s "$work/older/include/spmm/plan.h" "$source/include/spmm/plan.h" || fail "no struct was cut"
    with_headers "$work/older" "$work/older/include" "$source/tests/consumer/package"
    ;;
tools)
    # The programs must start from any prefix: the folder is moved, and no variable tells the loader where the
    # libraries are.
    rm -rf "$work/moved"
    cp -r "$prefix" "$work/moved"
    for folder in "$prefix" "$work/moved"; do
        for tool in spmm-inspect spmm-info spmm-run spmm-export spmm-update spmm-bench spmm-jit; do
            env -u LD_LIBRARY_PATH "$folder/bin/$tool" --version | grep '^spmm-.* [0-9]' >/dev/null ||
                fail "$folder/bin/$tool does not run after install"
        done
    done
    for tool in spmm-inspect spmm-info spmm-run spmm-export spmm-update spmm-bench spmm-jit; do
        for file in "bash-completion/completions/$tool" "zsh/site-functions/_$tool" "fish/vendor_completions.d/$tool.fish"; do
            [ -s "$prefix/share/$file" ] || fail "share/$file is not installed"
        done
    done
    ;;
man)
    for page in spmm-bench.1 spmm-export.1 spmm-info.1 spmm-inspect.1 spmm-jit.1 spmm-run.1 spmm-update.1 spmm.7; do
        found=$(man -M "$prefix/share/man" -w "${page#*.}" "${page%.*}") || fail "man does not find $page"
        [ "$found" = "$prefix/share/man/man${page#*.}/$page" ] || fail "man finds $found for $page"
        said=$(groff -ww -mdoc -Tutf8 -z "$found" 2>&1) || said+=" (it failed)"
        [ -z "$said" ] || fail "groff on $page: $said"
    done
    ;;
subdirectory)
    mkdir -p "$work"
    outside subdirectory "$work/subdirectory" / -DSPMM_ROOT="$source" "${plain[@]}"
    # A project that adds the folder gets only the libraries: no tools, no tests, and no GPU kernels even if a CUDA
    # compiler exists.
    extra=$(find "$work/subdirectory" -name 'spmm-*' -type f -perm -u+x -o -name 'test_*' -o -name '*.cu.o')
    [ -z "$extra" ] || fail "a subproject builds $extra"
    ! grep '^CMAKE_CUDA_COMPILER' "$work/subdirectory/CMakeCache.txt" || fail "a subproject asks for CUDA"
    [ "${SPMM_CUDA:-OFF}" = ON ] || exit 0
    cmake -S "$here/subdirectory" -B "$work/subdirectory-cuda" -G Ninja -DSPMM_ROOT="$source" -DSPMM_CUDA=ON \
        -DCMAKE_C_COMPILER="$cc" >"$work/subdirectory-cuda.log" || fail "a subproject cannot ask for CUDA"
    grep '^CMAKE_CUDA_COMPILER' "$work/subdirectory-cuda/CMakeCache.txt" >/dev/null || fail "SPMM_CUDA=ON is passed over"
    ;;
static)
    mkdir -p "$work"
    architectures=${SPMM_CUDA_ARCHITECTURES:-90-real}
    # Kernels have the options of the build that is tested, so that ccache has them.
    cmake -S "$source" -B "$work/static-build" -G Ninja -DBUILD_SHARED_LIBS=OFF -DSPMM_TESTS=OFF -DSPMM_TOOLS=OFF \
        -DSPMM_CUDA="${SPMM_CUDA:-OFF}" -DSPMM_CUDA_ARCHITECTURES="${architectures//,/;}" \
        -DCMAKE_CUDA_FLAGS="${SPMM_CUDA_FLAGS:-}" -DCMAKE_C_COMPILER="$cc" "${plain[@]}" >"$work/static.log"
    cmake --build "$work/static-build" -j 2 >>"$work/static.log" 2>&1 || { cat "$work/static.log"; fail "build failed"; }
    cmake --install "$work/static-build" --prefix "$work/static-prefix" >>"$work/static.log"
    outside package "$work/static-package" "$work/static-prefix"
    with_pkgconfig "$work/static-pkgconfig" "$(pc_dir "$work/static-prefix")" --static
    ;;
debian)
    # The packages must satisfy lintian. They are installed, used and removed again in a separate folder.
    if ! command -v lintian >/dev/null && [ -z "${SPMM_TESTS_RUN:-}" ]; then
        exit 77
    fi
    export DEBFULLNAME='The spmm authors' DEBEMAIL=spmm@example.org
    root=$work/debian-root admin=$work/debian-admin packages=(libspmm1 libspmm-dev spmm-tools)
    rm -rf "$root" "$admin" "$work"/debian/*.deb
    # Nothing is measured: with -O1, the least that _FORTIFY_SOURCE needs, the build takes half the time.
    { (cd "$source" && cmake --preset debian -B "$work/debian" -DCMAKE_C_COMPILER="$cc" \
        -DCMAKE_C_FLAGS_RELEASE='-O1 -DNDEBUG') && cmake --build "$work/debian" -j 2 &&
        (cd "$work/debian" && cpack); } >"$work/debian.log" 2>&1 || { tail -n 40 "$work/debian.log"; fail "no packages"; }
    lintian --no-user-dirs --allow-root --fail-on error,warning "$work"/debian/*.deb || fail "lintian refuses the packages"
    mkdir -p "$root" "$admin/info" "$admin/updates"
    : >"$admin/status"
    debian=(dpkg --instdir="$root" --admindir="$admin" --log=/dev/null
        --no-triggers
        --force-not-root --force-depends --force-script-chrootless --force-bad-path)
    "${debian[@]}" -i "$work"/debian/*.deb >"$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log"; fail "dpkg -i failed"; }
    multiarch=$("$cc" -print-multiarch) version=$(dpkg-deb -f "$work"/debian/libspmm1_*.deb Version)
    library=$root/usr/lib/$multiarch
    for file in format inspector executor; do
        [ -f "$library/libspmm_$file.so.1" ] || fail "libspmm_$file.so.1 is not in lib/$multiarch"
        readelf -d "$library/libspmm_$file.so.1" | grep -E 'RUNPATH|RPATH' && fail "libspmm_$file has the path above"
    done
    for package in libspmm-dev spmm-tools; do
        dpkg-deb -f "$work/debian/${package}_"*.deb Depends | grep -F "libspmm1 (= $version)" >/dev/null ||
            fail "$package does not depend on libspmm1 of its version"
    done
    dpkg-deb -f "$work"/debian/libspmm1_*.deb Depends | grep -E '^(lib|zlib)[a-z0-9.+-]*.*libzstd1 ' >/dev/null ||
        fail "libspmm1 does not depend on libzstd1"
    dpkg-deb -f "$work"/debian/libspmm1_*.deb Multi-Arch | grep -x same >/dev/null || fail "libspmm1 is not Multi-Arch: same"
    export PATH=$root/usr/bin:$PATH LD_LIBRARY_PATH=$library
    spmm-inspect -q gen:band:500:7 -o "$work/debian.plan"
    spmm-run -q --device cpu --repeat 0 "$work/debian.plan" --check gen:band:500:7
    with_pkgconfig "$work/debian-pkgconfig" "$library/pkgconfig"
    outside package "$work/debian-package" "$root/usr"
    man --warnings -l "$root/usr/share/man/man1/spmm-info.1.gz" >/dev/null
    [ -s "$root/usr/share/zsh/vendor-completions/_spmm-info" ] || fail "zsh on Debian does not find the completions"
    "${debian[@]}" -P "${packages[@]}" >"$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log"; fail "dpkg -P failed"; }
    left=$(find "$root" -type f)
    [ -z "$left" ] || fail "the packages leave $left"
    ;;
*) fail "unknown step" ;;
esac
