# SPDX-License-Identifier: Apache-2.0
# NVIDIA H200 SXM. The rates were measured on one device by spmm-bench --calibrate. The driver reported the
# sizes and the clock. docs/model.md describes the keys.
name = h200
target = 90                # compute capability 9.0
multiprocessors = 132
clock_ghz = 1.98
l2_mib = 60
l1_kib = 256
shared_sm_kib = 228
shared_block_kib = 227
registers_sm = 65536
launch_us = 5.312    # measured
copy_gbs = 4149.2    # bytes read and written
peak_gbs = 4814.3
peak_gflops = 66908    # derived of clock and lanes
shared_gbs = 34818    # measured
l1_gbs = 16820    # measured
fma_f32_gflops = 61328    # measured
fma_f64_gflops = 32061    # measured
mma_tf32_gflops = 3.1471e+05    # measured, mma.sync
mma_f16_gflops = 6.3071e+05    # measured, mma.sync
mma_f64_gflops = 33077    # measured, mma.sync

# measured: gathers of rows in random order, one line for each working set
gather_row_bytes = 4 8 16 32 64 128 256 512
gather_set_mib = 4 8 16 32 64 128 256 1024
gather_gbs =
    632.1 1246 2418 4479 7677 8027 8044 7436
    628.5 1236 2399 4479 7685 7740 7654 7188
    630.8 1238 2395 4487 7472 7615 7630 7237
    554.2 1091 2120 3986 7015 7264 7502 7285
    303.2 601.1 1178 2262 4219 6388 6404 6124
    209 415.2 817 1587 3070 5163 4980 4821
    178.6 354.5 700.9 1355 2669 4409 4538 4340
    160.2 318.4 630.9 1237 2405 3868 4035 3949

# measured: stores of rows in random order
scatter_row_bytes = 4 8 16 32 64 128 256 512
scatter_gbs = 63.83 127.2 252 864.6 1567 2633 3218 3270

# measured: single values of a column-major matrix in random order, useful bytes
strided_bytes = 2 4 8
strided_gbs = 272.8 545.4 1095

# Constants of the cost model: start_us, launch_us, the factors of DRAM, L2, L1, arithmetic, issue, waves,
# longest walk and conversions, and optionally the norm of the terms. They were fitted to 14,529 products on
# an H200 and judged on 7,723 products of other matrices (docs/model.md, "How good it is"). Exceptions
# (numbers of docs/decisions): some are older, and row-split.f16 was fitted to 60 products (0094); some were
# also fitted to an H100 (0100); row-split.f32 and row-split.f64 are those of 0108. The factors of conversions
# in rows (f32, f16) were fitted later to 153 column-major products (0083). window, panel and bcsr of f16, tf32
# and 3xtf32, and tiled of f32 and f16, were fitted to 10,689 products of 79 matrices, most of them small (0151).
# window, panel, bcsr and gemm of f64 were fitted to 6,376 products of such matrices (0152).
model.row-split.f32 = 0.1794 0.8131 1.21 0.4631 0.6329 1.003 1.1 2.491 1.396 1.179
model.row-split.f64 = 0.1777 0.6857 1.241 0.5552 0.9417 1.001 1.017 1.901 1.554 1.136
model.row-split.f16 = 1.707 2.413 1.549 0.485 0.813 0.996 1.004 2.007 1.129 1.728
# shared: row splits in which several lane groups share a row (0127). shared, nonzero splits, window.f16 and
# panel.f16 have a norm of 2 (0119).
model.shared.f32 = 0.3522 1.868 1.628 0.3373 0.4438 0.9373 0.7719 1.017 1.09 1.029 2
model.shared.f64 = 0.4348 2.325 1.604 0.3185 0.3828 0.9159 0.8034 0.8719 1.076 0.9497 2
model.shared.f16 = 0.3072 1.947 1.3 0.6109 0.691 0.9914 0.897 1.04 1.34 1.437 2
model.nonzero-split.f32 = 0.7 0.9108 1.057 0.2259 1.051 0.9838 0.9259 2.041 0.7867 1.298 2
model.nonzero-split.f64 = 0.592 0.8974 1.101 0.2619 1.199 0.997 0.9801 1.576 0.7512 1.197 2
model.nonzero-split.f16 = 0.4273 1.61 1.372 0.2772 0.9941 1.103 1.607 1.325 1.21 1.546 2
model.tiled.f32 = 0.5458 1.263 2.876 1.01 1.625 1 1.005 0.758 0.9129 1.263
model.tiled.f64 = 0.3244 1 1.539 1.124 2.003 0.9989 0.9961 0.7455 1.637 1
model.tiled.f16 = 0.4102 1.173 3.776 1.128 1.561 1.002 1.057 1.657 1.04 1.143
model.window.tf32 = 0.828 1.151 1.994 1.292 2.775 1 0.9872 0.9151 1.284 0.9921
model.window.3xtf32 = 1.126 1.29 1.907 1.2 2.813 1.001 1.001 0.8692 1.396 1.004
model.window.f64 = 1.223 1.664 1.763 0.9362 2.479 1.003 1.009 0.8284 1.224 0.9804
model.window.f16 = 1.032 1.43 1.975 0.9001 3.099 0.9916 1.469 0.6723 1.194 1.089 2
model.panel.tf32 = 0.3443 1.264 1.725 1.161 1.067 0.9936 1.734 0.4808 0.6302 0.8448
model.panel.3xtf32 = 0.3509 1.449 1.821 1.278 1.029 0.8972 1.619 0.5182 0.7309 0.8967
model.panel.f64 = 0.6175 2.411 1.714 0.9371 1.316 0.6655 1.535 0.4535 0.5486 0.8943
model.panel.f16 = 0.3181 1.002 1.46 0.9807 0.8741 0.9283 1.448 0.4133 0.5906 0.8378 2
model.bcsr.tf32 = 0.4714 1.056 1.518 0.6232 0.7611 0.9464 2.311 1.064 1.508 0.8016
model.bcsr.3xtf32 = 0.4676 1.166 1.595 0.7353 1.131 0.9031 2.292 1.282 1.89 0.759
model.bcsr.f64 = 0.5662 0.7765 1.629 0.6709 0.7058 0.6121 2.923 0.7286 1.412 1.016
model.bcsr.f16 = 0.6017 1.233 1.558 0.6749 0.8827 1.829 3.074 0.6341 1.41 0.8579

# gemm: f32 was fitted to 238 dense products of our kernels and of cuBLAS on an H100 and an H200
# (docs/model.md), f64 as above. f16: decision 0100. 3xtf32: fitted to 47 products on an H100, whose DRAM is
# slower, for n = 32 to 4,096, with an error of 6.3 %. tf32 uses the same constants.
model.gemm.f32 = 3.853 2.722 2.119 4.18 1 0.7288 1 1 0.5068 1
model.gemm.f64 = 0.7495 0.7495 2.171 1.515 1 0.4234 1 1 1.005 1
model.gemm.f16 = 1.018 1.571 1.103 0.4672 1 0.4316 1 1 0.5129 1.212
model.gemm.3xtf32 = 7.693 0.7 2.581 0.5563 1 0.05 1 1 1.39 1.47
model.gemm.tf32 = 7.693 0.7 2.581 0.5563 1 0.05 1 1 1.39 1.47
# wide: the same model, fitted to 34 products of this family. The median error is 4.4 %; no product was held
# out.
model.wide.f32 = 1.211 1.9 4.678 1.008 0.969 0.996 2.334 1.012 3.615 1

# Risks: predictions are multiplied by them before candidates are compared (docs/model.md, "Risks"). Four
# numbers are for one column, narrow, wide and column-major products; a single number is for all. They were
# set with the same products, the f64 risks of rows with products on an H100 only (decision 0112), those of
# 3xtf32 and of tensor cores in f64 with the products of decisions 0151 and 0152.
risk.row-split.f32 = 0.97 1.1 1.04 1.06
risk.row-split.f64 = 0.96 1.17 1.14 1.06
risk.row-split.f16 = 0.88 1 1 1
risk.nonzero-split.f64 = 1 1.06 1.12 1
risk.window.f64 = 1 1.04 1.2 1.04
risk.window.3xtf32 = 1 1.04 1 1
risk.panel.3xtf32 = 1 1 1 1.04
risk.panel.f64 = 1 1 1.12 1.06
risk.bcsr.3xtf32 = 1 1 1.12 1.04
risk.bcsr.f64 = 1 1 1 1.1
risk.wide = 1.1
risk.packed = 1.05
risk.packed.f64 = 1.12
risk.shared.f32 = 1 1 0.92 1
risk.shared.f64 = 1 0.95 0.92 0.9
risk.gemm.f64 = 1 1.05 1 1
risk.gemm.3xtf32 = 1 1.12 1 1.12
risk.order = 1.02
risk.long-rows = 1.03
risk.against-chart = 1.03
