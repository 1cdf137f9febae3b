// SPDX-License-Identifier: Apache-2.0
// Instances: dense products of 16-bit types by warpgroups. Compiled for sm_90a alone.
#include "dense_tile_launch.cuh"

namespace spmmi {

template <typename T, bool IS_ROWS>
int launch_dense_tiles(const spmmi_dense_exact &p, const struct spmmi_dense_tile_launch &l)
{
#define X(rows, columns, stages, shares, ...)                                     \
    if (is_shape<DenseTile<T, IS_ROWS, rows, columns, stages, shares>>(*l.shape)) \
        return launch_dense_tile<DenseTile<T, IS_ROWS, rows, columns, stages, shares>>(p, l);
    SPMMI_DENSE_TILE_KINDS(X)
#undef X
    return cudaErrorInvalidConfiguration;
}

template <typename T>
int launch_dense_layout(const spmmi_dense_exact &p, const struct spmmi_dense_tile_launch &l)
{
    return l.is_columns ? launch_dense_tiles<T, false>(p, l) : launch_dense_tiles<T, true>(p, l);
}

} // namespace spmmi

int spmmi_dense_tile_cuda(const struct spmmi_dense_exact *args, const struct spmmi_dense_tile_launch *launch)
{
    return args->dtype == 3 ? spmmi::launch_dense_layout<__half>(*args, *launch)
                            : spmmi::launch_dense_layout<__nv_bfloat16>(*args, *launch);
}
