// SPDX-License-Identifier: Apache-2.0
// Boxes of a matrix that the TMA copies to shared memory (sm_90). One instruction of one lane copies a whole
// box; values past the ends of the matrix become 0.
#pragma once
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>

#include "barrier.cuh"

namespace spmmi {

using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

// Returns the driver's function, or nullptr if it has none.
inline EncodeTiled find_encode_tiled()
{
    void *function = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                               cudaEnableDefault, &result);
#else
    const cudaError_t error =
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &result);
#endif
    return error == cudaSuccess && result == cudaDriverEntryPointSuccess
               ? reinterpret_cast<EncodeTiled>(function)
               : nullptr;
}

// A row-major matrix whose rows are `bytes` bytes apart, and the size of a box of it.
struct MappedRows {
    const void *first;
    uint64_t rows, columns, bytes;
    uint32_t box_rows, box_columns;
};

// Makes the map. Returns false if this driver, or this matrix, does not allow it.
inline bool map_rows(const MappedRows &m, CUtensorMapDataType type, CUtensorMapSwizzle swizzle,
                     CUtensorMapL2promotion promotion, CUtensorMap *map)
{
    static const EncodeTiled encode = find_encode_tiled();
    const cuuint64_t sizes[2] = {m.columns, m.rows}, strides[1] = {m.bytes};
    const cuuint32_t box[2] = {m.box_columns, m.box_rows}, steps[2] = {1, 1};
    return encode != nullptr && (uintptr_t)m.first % 16 == 0 && m.bytes % 16 == 0 &&
           encode(map, type, 2, const_cast<void *>(m.first), sizes, strides, box, steps,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, promotion,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

// Copies the box whose first value is at `row` and `column`; its bytes count at the barrier.
__device__ __forceinline__ void copy_box(void *to, const CUtensorMap *map, uint32_t column, uint32_t row,
                                         Barrier *barrier)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier))
                 : "memory");
#endif
}

// Returns the descriptor for wgmma of lines that are stored as such boxes: start, distance of pieces of 64
// columns of an MN-major operand, distance of groups of 8 lines, all in units of 16 bytes; bits 62 and 63: a
// swizzle as wide as a line, 128 or 64 bytes.
template <uint32_t LINE_BYTES>
__device__ __forceinline__ uint64_t swizzled_descriptor(const unsigned char *lines, uint32_t piece_bytes)
{
    static_assert(LINE_BYTES == 128 || LINE_BYTES == 64, "a swizzle");
    return uint64_t((shared_address(lines) & 0x3ffff) >> 4) | uint64_t(piece_bytes >> 4) << 16 |
           uint64_t(8 * LINE_BYTES >> 4) << 32 | uint64_t(128 / LINE_BYTES) << 62;
}

} // namespace spmmi
