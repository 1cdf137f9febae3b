# SPDX-License-Identifier: Apache-2.0
# CPU: two cores of an AMD EPYC (Zen 4) in a virtual machine, measured by spmm-bench --calibrate while other
# programs used the machine. docs/model.md describes the keys.
name = cpu
target = 1
multiprocessors = 2
clock_ghz = 2.5962    # told by the machine
l2_mib = 16    # derived: where the gather rates below fall; the machine tells 320, which it shares
l1_kib = 1024    # told by the machine
launch_us = 0.58    # measured
copy_gbs = 16.775    # measured, bytes read and written
peak_gbs = 16.775    # the copy rate
peak_gflops = 106.59    # the FMA rate
l1_gbs = 55.795    # measured
fma_f32_gflops = 106.59    # measured
fma_f64_gflops = 47.851    # measured

# measured: gathers of rows in random order, one line for each working set
gather_row_bytes = 4 8 16 32 64 128 256 512
gather_set_mib = 0.25 1 4 16 64 256
gather_gbs =
    3.051 6.712 8.119 24.77 40.97 48.52 36.42 60.44
    1.709 4.046 5.701 14.83 30.12 44.75 48.36 51.16
    2.207 3.43 5.159 16.78 26.86 33.56 34.51 35.09
    0.4194 1.052 1.677 8.425 17.53 26.83 20.39 34.65
    0.2999 0.8847 1.82 5.596 11.43 14.75 16.28 26.84
    0.2104 0.5247 0.631 3.355 6.546 11.19 14.33 24.38

# measured: stores of rows in random order
scatter_row_bytes = 4 8 16 32 64 128 256 512
scatter_gbs = 0.2145 0.4156 0.9321 2.319 2.873 7.748 11.18 26.85

# measured: single values of a column-major matrix in random order, useful bytes
strided_bytes = 4 8
strided_gbs = 0.2619 0.5545

# Constants of the cost model, in the order of h200.profile. They were fitted to 112 products on these cores
# (docs/model.md); those of tiled were not fitted.
model.row-split.f32 = 0.9454 1 0.7533 1.642 0.3658 0.8636 1.245 0.8012 1 0.6729
model.row-split.f64 = 0.9663 1 0.7372 1.072 0.4988 0.9389 0.8609 2.606 1 0.4139
model.nonzero-split.f32 = 0.9039 1 0.8477 0.215 0.252 0.6927 2.342 1.003 1 0.9186
model.nonzero-split.f64 = 0.9644 1 0.6898 0.2348 0.2345 0.6095 2.74 1.162 1 0.6548
model.tiled.f32 = 2 2  1 1 1 1 1 1 1 1
model.tiled.f64 = 2 2  1 1 1 1 1 1 1 1
