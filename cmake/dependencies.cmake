# SPDX-License-Identifier: Apache-2.0
# Everything spmm links. Each missing package is named with its Debian package.
# Targets are global, so that a project that adds this one as a subdirectory can link it statically.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
include(${CMAKE_CURRENT_LIST_DIR}/require_library.cmake)
find_package(Threads REQUIRED)

option(SPMM_LINK_STATIC "Link zstd, libdeflate, minizip, zlib and the CUDA runtime statically, for builds that travel" OFF)
if(SPMM_LINK_STATIC)
  spmm_require_library(spmm_zstd zstd.h libzstd.a libzstd-dev)
  spmm_require_library(spmm_deflate libdeflate.h libdeflate.a libdeflate-dev)
  spmm_require_library(spmm_zlib zlib.h libz.a zlib1g-dev)
  spmm_require_library(spmm_minizip minizip/unzip.h libminizip.a libminizip-dev)
else()
  spmm_require_library(spmm_zstd zstd.h zstd libzstd-dev)
  spmm_require_library(spmm_deflate libdeflate.h deflate libdeflate-dev)
  spmm_require_library(spmm_zlib zlib.h z zlib1g-dev)
  spmm_require_library(spmm_minizip minizip/unzip.h minizip libminizip-dev)
endif()
target_link_libraries(spmm_minizip INTERFACE spmm_zlib)

# xxHash is used as a header: XXH_INLINE_ALL.
find_path(SPMM_XXHASH_INCLUDE_DIR xxhash.h)
if(NOT SPMM_XXHASH_INCLUDE_DIR)
  message(FATAL_ERROR "spmm needs xxhash.h (Debian: libxxhash-dev)")
endif()

find_package(OpenMP COMPONENTS C)
if(NOT OpenMP_C_FOUND)
  message(FATAL_ERROR "spmm needs a C compiler with OpenMP (Debian, for clang: libomp-dev)")
endif()

# CUDA: AUTO looks for a toolkit and does without, ON insists.
set(SPMM_HAVE_CUDA OFF)
if(NOT SPMM_CUDA STREQUAL "OFF")
  find_program(SPMM_NVCC nvcc HINTS /usr/local/cuda/bin)
  if(SPMM_NVCC)
    set(CMAKE_CUDA_COMPILER "${SPMM_NVCC}" CACHE FILEPATH "CUDA compiler")
    set(CMAKE_CUDA_ARCHITECTURES "${SPMM_CUDA_ARCHITECTURES}")
    set(CMAKE_CUDA_STANDARD 17)
    set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(SPMM_HAVE_CUDA ON)
  elseif(SPMM_CUDA STREQUAL "ON")
    message(FATAL_ERROR "SPMM_CUDA=ON, but no nvcc was found (CUDA Toolkit 12 or newer)")
  endif()
endif()
message(STATUS "spmm: GPU kernels ${SPMM_HAVE_CUDA}")
