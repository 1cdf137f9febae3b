// SPDX-License-Identifier: Apache-2.0
// rows: adds the pieces of each row that was cut (rows_pieces.h).
//
// block     8 warps that own one row and 128 columns of C; a lane owns 4 columns of every eighth piece
// in flight 4 pieces per warp
// sums      each warp adds its pieces in order, then the sums of the warps are added: bitwise repeatable
// bounds    pieces and rows read from tables are clamped to what there is (docs/decisions/0037)
#include "kernels/shared/launch.cuh"
#include "kernels/shared/value.cuh"
#include "kernels/shared/vector.cuh"
#include "rows_pieces_kernel.h"
#include "rows_shape.h"

namespace spmmi {

constexpr uint32_t LANE_COLUMNS = 4, WARP_COLUMNS = 32 * LANE_COLUMNS, IN_FLIGHT = 4;
constexpr uint32_t WARPS = SPMMI_ROWS_THREADS / 32;

template <typename C>
__global__ void __launch_bounds__(SPMMI_ROWS_THREADS) pieces_kernel(const struct spmmi_rows_pieces_cuda a)
{
    using Sum = typename Value<C>::Sum;
    __shared__ Vector<Sum, LANE_COLUMNS> shared[WARPS][32];
    const uint32_t i = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t column = blockIdx.y * WARP_COLUMNS + lane * LANE_COLUMNS;
    const uint32_t end = min(__ldg(a.pieces.first + i + 1), a.pieces.count);
    const uint32_t row = min(__ldg(a.pieces.row + i), a.rows_of_c - 1);
    const Sum *sums = static_cast<const Sum *>(a.sums) + column;
    Vector<Sum, LANE_COLUMNS> sum{};
    wait_for_previous();
    for (uint32_t p = __ldg(a.pieces.first + i) + warp; p < end && column < a.n; p += IN_FLIGHT * WARPS) {
        Vector<Sum, LANE_COLUMNS> x[IN_FLIGHT];
#pragma unroll
        for (uint32_t e = 0; e < IN_FLIGHT; e++)
            x[e] = load_vector<Sum, LANE_COLUMNS>(sums + (uint64_t)min(p + e * WARPS, end - 1) * a.pitch);
#pragma unroll
        for (uint32_t e = 0; e < IN_FLIGHT; e++)
            if (p + e * WARPS < end)
                sum.add(x[e]);
    }
    shared[warp][lane] = sum;
    __syncthreads();
    if (warp != 0)
        return;
#pragma unroll
    for (uint32_t w = 1; w < WARPS; w++)
        sum.add(shared[w][lane]);
    C *c = static_cast<C *>(a.c) + row * a.ldc + column;
    const Sum alpha = static_cast<Sum>(a.alpha), beta = static_cast<Sum>(a.beta);
#pragma unroll
    for (uint32_t e = 0; e < LANE_COLUMNS; e++)
        if (column + e < a.n)
            c[e] = Value<C>::round(beta != Sum(0) ? fma(alpha, sum.x[e], beta * Value<C>::widen(c[e]))
                                                  : alpha * sum.x[e]);
}

template <typename C> int launch_pieces(const struct spmmi_rows_pieces_cuda *a)
{
    const dim3 grid(a->pieces.cut_rows, (a->n + WARP_COLUMNS - 1) / WARP_COLUMNS);
    return launch_kernel(pieces_kernel<C>, grid, SPMMI_ROWS_THREADS, 0, a->cuda_stream, a->is_dependent != 0,
                         *a);
}

} // namespace spmmi

int spmmi_rows_pieces_sum(const struct spmmi_rows_pieces_cuda *args, int type)
{
    switch (type) {
    case SPMM_F32:
        return spmmi::launch_pieces<float>(args);
    case SPMM_F64:
        return spmmi::launch_pieces<double>(args);
    case SPMM_F16:
        return spmmi::launch_pieces<__half>(args);
    case SPMM_BF16:
        return spmmi::launch_pieces<__nv_bfloat16>(args);
    default:
        return cudaErrorInvalidValue;
    }
}
