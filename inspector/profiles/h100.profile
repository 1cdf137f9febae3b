# SPDX-License-Identifier: Apache-2.0
# NVIDIA H100 SXM. measured: on an H200, which has the same multiprocessors and L2 cache; published: data sheet;
# derived: from the two. docs/model.md has the keys.
name = h100
target = 90                # compute capability 9.0
multiprocessors = 132      # published
clock_ghz = 1.755          # published
l2_mib = 50                # published
l1_kib = 256               # published, shared memory included
shared_sm_kib = 228        # published
shared_block_kib = 227     # published
registers_sm = 65536       # published
launch_us = 4.6            # measured, empty kernel, event to event
copy_gbs = 2970            # derived: the share of the peak that a copy reaches on an H200
peak_gbs = 3350            # published
peak_gflops = 66900        # published, FP32
shared_gbs = 32800         # measured, 16-byte loads
l1_gbs = 16000             # measured: 22000 with 0.1 MB, 11000 with 2 MB; between
fma_f32_gflops = 58000     # measured: 56600 to 59500
fma_f64_gflops = 29000     # derived: half of f32
mma_tf32_gflops = 312000   # measured, mma.sync
mma_f16_gflops = 625000    # measured, mma.sync
mma_f64_gflops = 33000     # measured, mma.sync

# Gathers of rows that miss the L1 cache: one line for each working set. measured, ranges of 64..512 bytes;
# narrower than 32 bytes derived: a sector of 32 bytes is fetched; beyond 64 MiB derived with the copy rate.
gather_row_bytes = 4 8 16 32 64 128 256 512
gather_set_mib = 8 32 64 128 256 1024
gather_gbs =
    525 1050 2100 4200 8000 8500 8700 9000
    525 1050 2100 4200 8000 8400 8600 8800
    480 960 1900 3800 7100 7200 7300 7500
    340 680 1350 2700 4000 4400 4500 4700
    280 560 1120 2250 3700 3700 3700 3800
    210 420 840 1680 2730 3000 3150 3290

# Stores of rows in random order. measured from 32 bytes on, 4..16 derived: useful part of a sector.
scatter_row_bytes = 4 8 16 32 128 512
scatter_gbs = 150 300 600 1200 2700 3600

# Single numbers of a column-major matrix, useful bytes. derived: a sector of 32 bytes each, at 4200 GB/s.
strided_bytes = 2 4 8
strided_gbs = 262 525 1050
