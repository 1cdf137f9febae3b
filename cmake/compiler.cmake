# SPDX-License-Identifier: Apache-2.0
# Sets language standard, warnings and sanitizers for all targets.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# -ffp-contract=off: CPU kernels call fma explicitly, so products have the same bits with every compiler.
add_library(spmm_compile_options INTERFACE)
target_compile_options(spmm_compile_options INTERFACE
  $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wconversion -Wshadow -ffp-contract=off>)
# nvcc passes host code to the C++ compiler. Its generated wrappers contain conversions, hence no -Wconversion here.
target_compile_options(spmm_compile_options INTERFACE
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-unused-parameter>)
# Compressed GPU code has a quarter of the size (decision 0076). Drivers older than CUDA 12.4 cannot read it, but code
# compiled with CUDA 13 needs newer drivers anyway.
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
# ThreadSanitizer does not check loads and stores of more than 16 bytes, so all products run the portable kernels.
if(SPMM_SANITIZE STREQUAL thread)
  target_compile_definitions(spmm_compile_options INTERFACE SPMM_PORTABLE_CPU)
endif()
if(SPMM_FUZZ)
  target_compile_options(spmm_compile_options INTERFACE $<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link>)
endif()
