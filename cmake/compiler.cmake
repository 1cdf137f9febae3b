# SPDX-License-Identifier: Apache-2.0
# Language level, warnings and sanitizers: one place for every C target.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# -ffp-contract=off: the CPU kernels say fma where they mean it, so every compiler gives the same bits.
add_library(spmm_compile_options INTERFACE)
target_compile_options(spmm_compile_options INTERFACE
  $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wconversion -Wshadow -ffp-contract=off>)
# nvcc's host code passes through the same compiler; its own wrappers are not free of conversions.
target_compile_options(spmm_compile_options INTERFACE
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-unused-parameter>)
# A quarter of the size (decision 0076). Drivers before those of CUDA 12.4 cannot read it; code of CUDA 13 needs newer ones.
target_compile_options(spmm_compile_options INTERFACE
  $<$<AND:$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>,$<VERSION_GREATER_EQUAL:$<CUDA_COMPILER_VERSION>,13.0>>:--compress-mode=size>)
target_compile_definitions(spmm_compile_options INTERFACE _GNU_SOURCE)
if(SPMM_WERROR)
  target_compile_options(spmm_compile_options INTERFACE
    $<$<COMPILE_LANGUAGE:C>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()
if(SPMM_SANITIZE)
  target_compile_options(spmm_compile_options INTERFACE
    $<$<COMPILE_LANGUAGE:C>:-fsanitize=${SPMM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g>)
  target_link_options(spmm_compile_options INTERFACE -fsanitize=${SPMM_SANITIZE})
endif()
# ThreadSanitizer does not see loads and stores of more than 16 bytes, so that all products run the portable code.
if(SPMM_SANITIZE STREQUAL thread)
  target_compile_definitions(spmm_compile_options INTERFACE SPMM_PORTABLE_CPU)
endif()
if(SPMM_FUZZ)
  target_compile_options(spmm_compile_options INTERFACE $<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link>)
endif()
