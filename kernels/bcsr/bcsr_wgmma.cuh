// SPDX-License-Identifier: Apache-2.0
// bcsr with warpgroups (wgmma, sm_90a) for 16-bit types. Four warps, which are 64 rows of a block-row
// group, multiply by the same rows of B directly from shared memory; in the other kernels each warp reads
// them separately. B is stored there in the layout that the instruction defines for a row-major second
// operand, "MN-major" with a swizzle of 128 bytes: pieces of 64 columns, each with rows 128 bytes apart,
// whose eight words of 16 bytes are permuted by XOR with the row number modulo 8. Column-major B is
// stored as "K-major": columns 128 bytes apart, permuted in the same way. The instruction has no MN-major
// layout for values of 4 bytes.
#pragma once
#include "bcsr_launch.cuh"

namespace spmmi {

template <typename Half, int DOWN_, int TILES_, int STAGES_, bool IS_COLUMNS_> struct BcsrGroupShape {
    using Block = BlockHalf<Half>;
    using T = Half;
    static constexpr int DOWN = DOWN_, HEIGHT = 1, TILES = TILES_, STAGES = STAGES_;
    static constexpr bool HAS_MAP = spmmi_bcsr_has_map(TILES_, IS_COLUMNS_) != 0; // the TMA copies boxes of B
    static constexpr int WARPS = DOWN, ACROSS = 1, COPIERS = (int)spmmi_bcsr_copiers(HAS_MAP);
    static constexpr int COPY_THREADS = 32 * COPIERS, THREADS = 32 * WARPS + COPY_THREADS;
    static constexpr bool IS_WIDE = true, IS_WARPGROUP = true, IS_COLUMNS = IS_COLUMNS_;
    static constexpr int WARP_COLUMNS = 8 * TILES, COLUMNS = WARP_COLUMNS;
    // Persistent thread blocks per multiprocessor. Column-major sums overwrite the stages, so these thread
    // blocks are not persistent and end after their item.
    static constexpr unsigned RESIDENT = IS_COLUMNS ? 0 : spmmi_bcsr_resident(DOWN, COLUMNS);
    // Sums of row-major tiles of 64 columns do not stay in registers: otherwise the rows of C would be in
    // local memory. Sums of column-major tiles do; BLOCKS leaves registers for as many thread blocks per
    // multiprocessor as fit into shared memory (docs/decisions/0116).
    static constexpr bool SUMS_STAY = IS_COLUMNS || TILES == 16;
    static constexpr unsigned BLOCKS = IS_COLUMNS && TILES == 8 && DOWN == 4 ? 4 : RESIDENT;
    static constexpr int VALUES = (int)SPMMI_BCSR_ROWS * Block::COLUMNS, BLOCK_BYTES = 2 * VALUES;
    static constexpr int ROWS = (int)SPMMI_BCSR_STEP * Block::COLUMNS;
    static constexpr int PIECE = 8,
                         PIECES = (IS_COLUMNS ? (int)SPMMI_BCSR_COLUMN_BYTES(2) / 2 : COLUMNS) / PIECE;
    static constexpr int AT_ONCE = COPY_THREADS / PIECES;
    static constexpr int BOX_COLUMNS = 64;
    static constexpr int GROUP_BYTES = 1024;                  // 8 rows, or columns, of 128 bytes
    static constexpr int ATOM_BYTES = ROWS / 8 * GROUP_BYTES; // 64 columns of all rows
    static constexpr int B_BYTES = (int)spmmi_bcsr_b_bytes(COLUMNS, 2, 1, IS_COLUMNS);
    static constexpr int STAGE_ALIGN = (int)spmmi_bcsr_align(1); // the swizzle depends on the address
    static constexpr int PITCH = COLUMNS, VEC = 1, GROUP = 2, GROUPS = TILES;
    static_assert(DOWN % 4 == 0 && COLUMNS % 64 == 0, "warpgroups, whole pieces");
    // Distance between block columns, in units of 16 bytes.
    static constexpr int BLOCK_WORDS = IS_COLUMNS ? 2 * Block::COLUMNS / 16 : 2 * GROUP_BYTES / 16;
    static_assert(B_BYTES == COLUMNS / 64 * ATOM_BYTES, "pieces without padding");
    // Not used: the descriptor of the instruction has the address.
    static __device__ __forceinline__ int first_of_b(int, int)
    {
        return 0;
    }
    static __device__ __forceinline__ uint32_t position(uint32_t line, uint32_t piece)
    {
        return piece / 8 * ATOM_BYTES + line * 128 + (piece % 8 ^ line % 8) * 16;
    }
};

// Multiplies 64 x 16 by 16 x 8 TILES. b: the descriptor of B.
#define SPMMI_WGMMA_64(type)                                                                                 \
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32." type "." type " {"                            \
                 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"                                    \
                 "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"                           \
                 "}, {%32,%33,%34,%35}, %36, 1, 1, 1, %37;"                                                  \
                 : SPMMI_SUMS(0), SPMMI_SUMS(1), SPMMI_SUMS(2), SPMMI_SUMS(3), SPMMI_SUMS(4), SPMMI_SUMS(5), \
                   SPMMI_SUMS(6), SPMMI_SUMS(7)                                                              \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(IS_ROWS))
#define SPMMI_WGMMA_128(type)                                                                                \
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32." type "." type " {"                           \
                 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"                                    \
                 "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"                          \
                 "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"                          \
                 "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"                           \
                 "}, {%64,%65,%66,%67}, %68, 1, 1, 1, %69;"                                                  \
                 : SPMMI_SUMS(0), SPMMI_SUMS(1), SPMMI_SUMS(2), SPMMI_SUMS(3), SPMMI_SUMS(4), SPMMI_SUMS(5), \
                   SPMMI_SUMS(6), SPMMI_SUMS(7), SPMMI_SUMS(8), SPMMI_SUMS(9), SPMMI_SUMS(10),               \
                   SPMMI_SUMS(11), SPMMI_SUMS(12), SPMMI_SUMS(13), SPMMI_SUMS(14), SPMMI_SUMS(15)            \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(IS_ROWS))
#define SPMMI_SUMS(j) "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])

// IS_ROWS: B is "MN-major".
template <typename Half, int IS_ROWS, int TILES>
__device__ __forceinline__ void wgmma(float (&d)[TILES][4], const uint32_t (&a)[4], uint64_t b)
{
    constexpr bool IS_BF16 = std::is_same<Half, __nv_bfloat16>::value;
    if constexpr (TILES == 8 && IS_BF16)
        SPMMI_WGMMA_64("bf16");
    else if constexpr (TILES == 8)
        SPMMI_WGMMA_64("f16");
    else if constexpr (IS_BF16)
        SPMMI_WGMMA_128("bf16");
    else
        SPMMI_WGMMA_128("f16");
}

// Multiplies a step's blocks. All warps of a warpgroup take part whether they have blocks or not; an
// absent block counts as zero.
template <typename Shape>
__device__ __forceinline__ void multiply_together(float (&sums)[Shape::TILES][4], uint32_t mask,
                                                  const unsigned char *rows, const typename Shape::T *values)
{
    constexpr int STEP = (int)SPMMI_BCSR_STEP;
    typename Shape::Block blocks[STEP];
#pragma unroll
    for (int q = 0; q < STEP; q++) {
        if ((mask >> q & 1) != 0) {
            blocks[q].load(values);
            values += Shape::VALUES;
        } else {
            blocks[q].clear();
        }
    }
    const uint64_t b = swizzled_descriptor<128>(rows, Shape::ATOM_BYTES);
    publish_writes(); // makes the copies of other threads visible to wgmma
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int q = 0; q < STEP; q++)
        wgmma<typename Shape::T, !Shape::IS_COLUMNS>(sums, blocks[q].x, b + q * Shape::BLOCK_WORDS);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

template <typename Shape>
__global__ void __launch_bounds__(Shape::THREADS, Shape::RESIDENT)
    bcsr_mapped_kernel(const __grid_constant__ TcblockArgs<typename Shape::T> a,
                       struct spmmi_bcsr_order order, const __grid_constant__ CUtensorMap map)
{
    bcsr_product<Shape>(a, order, &map);
}

// Launches a kernel with a tensor map of B. Without steps, or with alpha = 0, B is not
// read and may have no rows.
template <typename Shape>
cudaError_t launch_bcsr_mapped(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape &shape)
{
    constexpr bool IS_BF16 = std::is_same<typename Shape::T, __nv_bfloat16>::value;
    const MappedRows rows = {args->b,       args->layout.cols,     args->n,
                             2 * args->ldb, Shape::Block::COLUMNS, Shape::BOX_COLUMNS};
    CUtensorMap map = {};
    if (args->layout.step_count > 0 && args->alpha != 0 &&
        !map_rows(rows, IS_BF16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                  CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, &map))
        return cudaErrorNotSupported;
    return launch_bcsr_kernel<Shape, CUtensorMap>(args, shape, bcsr_mapped_kernel<Shape>, 1, map);
}

template <typename Half, int DOWN>
cudaError_t launch_bcsr_groups(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape &shape)
{
    if (shape.is_columns)
        return shape.tiles == 16 ? launch_bcsr_shape<BcsrGroupShape<Half, DOWN, 16, 3, true>>(args, shape)
                                 : launch_bcsr_shape<BcsrGroupShape<Half, DOWN, 8, 3, true>>(args, shape);
    return shape.tiles == 16 ? launch_bcsr_mapped<BcsrGroupShape<Half, DOWN, 16, 4, false>>(args, shape)
                             : launch_bcsr_shape<BcsrGroupShape<Half, DOWN, 8, 3, false>>(args, shape);
}

template <typename Half>
int launch_bcsr_wgmma(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape &shape)
{
    return shape.down == 8 ? launch_bcsr_groups<Half, 8>(args, shape)
                           : launch_bcsr_groups<Half, 4>(args, shape);
}

} // namespace spmmi
