# SPDX-License-Identifier: Apache-2.0
# NVIDIA H100 SXM (80GB HBM3): measured on one by spmm-bench --calibrate; sizes and the clock as the driver tells them.
# docs/model.md has the keys.
name = h100
target = 90                # compute capability 9.0
multiprocessors = 132
clock_ghz = 1.98
l2_mib = 50
l1_kib = 256
shared_sm_kib = 228
shared_block_kib = 227
registers_sm = 65536
launch_us = 7.232    # measured
copy_gbs = 2940.8    # bytes read and written
peak_gbs = 3352.3
peak_gflops = 66908    # derived of clock and lanes
shared_gbs = 34710    # measured
l1_gbs = 16288    # measured
fma_f32_gflops = 59650    # measured
fma_f64_gflops = 31500    # measured
mma_tf32_gflops = 3.1122e+05    # measured, mma.sync
mma_f16_gflops = 6.2236e+05    # measured, mma.sync
mma_f64_gflops = 32870    # measured, mma.sync

# measured: gathers of rows in random order, one line for each working set
gather_row_bytes = 4 8 16 32 64 128 256 512
gather_set_mib = 4 8 16 32 64 128 256 1024
gather_gbs =
    534.8 1053 2039 3785 6382 6617 6652 6663
    537 1054 2046 3796 6297 6409 6431 6329
    536.9 1054 2034 3836 6377 6297 6340 6240
    393.9 775.6 1513 2855 5210 6308 6235 6159
    214.4 425.1 836 1632 3088 4803 5020 4970
    160.1 318.1 627 1230 2357 3483 3587 3617
    141.5 281.4 555.6 1090 2107 2991 3132 3153
    129.8 258.3 510.1 1002 1942 2712 2818 2847

# measured: stores of rows in random order
scatter_row_bytes = 4 8 16 32 64 128 256 512
scatter_gbs = 54.2 107.6 211.9 769.7 1349 2139 2253 2307

# measured: single values of a column-major matrix in random order, useful bytes
strided_bytes = 2 4 8
strided_gbs = 203.4 405.9 814

# Constants of the cost model: none are fitted to an H100, so that those of h200 are used.
