# SPDX-License-Identifier: Apache-2.0
# NVIDIA H100 SXM (80 GB HBM3). The rates were measured on one device by spmm-bench --calibrate. The driver
# reported the sizes and the clock. docs/model.md describes the keys.
name = h100
target = 90                # compute capability 9.0
multiprocessors = 132
clock_ghz = 1.98
l2_mib = 50
l1_kib = 256
shared_sm_kib = 228
shared_block_kib = 227
registers_sm = 65536
launch_us = 6.016    # measured
copy_gbs = 2955.3    # bytes read and written
peak_gbs = 3352.3
peak_gflops = 66908    # derived of clock and lanes
shared_gbs = 34990    # measured
l1_gbs = 16424    # measured
fma_f32_gflops = 60451    # measured
fma_f64_gflops = 31932    # measured
mma_tf32_gflops = 3.1494e+05    # measured, mma.sync
mma_f16_gflops = 6.308e+05    # measured, mma.sync
mma_f64_gflops = 33201    # measured, mma.sync

# measured: gathers of rows in random order, one line for each working set
gather_row_bytes = 4 8 16 32 64 128 256 512
gather_set_mib = 4 8 16 32 64 128 256 1024
gather_gbs =
    519.2 1023 2005 3727 6372 6669 6681 6716
    522.5 1029 2001 3785 6492 6514 6393 6554
    522.4 1029 2009 3758 6356 6388 6415 6481
    388.4 767 1496 2853 5279 6329 6308 6350
    213 422.5 833.1 1616 3037 4893 4909 5070
    159.6 316.6 626.7 1225 2364 3399 3596 3658
    141 280.5 557.4 1088 2110 2984 3130 3191
    128.5 256 509.6 1002 1949 2720 2838 2885

# measured: stores of rows in random order
scatter_row_bytes = 4 8 16 32 64 128 256 512
scatter_gbs = 54.19 107.5 212.7 779.2 1376 2157 2322 2363

# measured: single values of a column-major matrix in random order, useful bytes
strided_bytes = 2 4 8
strided_gbs = 199.1 399 798

# The constants of the cost model are those of h200.profile, some of which were fitted on both devices
# (docs/decisions/0100).
