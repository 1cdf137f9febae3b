// SPDX-License-Identifier: Apache-2.0
// Instances: dense products of 16-bit types by warpgroups. Compiled for sm_90a alone.
#include "dense_tile_launch.cuh"

namespace spmmi {

template <typename T, bool IS_ROWS>
int launch_dense_tiles(const spmmi_dense_exact &p, const struct spmmi_dense_tile_launch &l)
{
    const struct spmmi_dense_tile_shape &s = *l.shape;
    if (s.columns == 32)
        return launch_dense_tile<DenseTile<T, 64, 32, 8, IS_ROWS>>(p, l);
    if (s.columns == 64)
        return launch_dense_tile<DenseTile<T, 64, 64, 6, IS_ROWS>>(p, l);
    return s.stages == 6 ? launch_dense_tile<DenseTile<T, 128, 128, 6, IS_ROWS>>(p, l)
                         : launch_dense_tile<DenseTile<T, 128, 128, 3, IS_ROWS>>(p, l);
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
