# SPDX-License-Identifier: Apache-2.0
# NVIDIA H200 SXM. measured: on one H200; published: data sheet; derived: from the two. docs/model.md has the keys.
name = h200
target = 90                # compute capability 9.0
multiprocessors = 132      # published
clock_ghz = 1.755          # published
l2_mib = 50                # published
l1_kib = 256               # published, shared memory included
shared_sm_kib = 228        # published
shared_block_kib = 227     # published
registers_sm = 65536       # published
launch_us = 4.6            # measured, empty kernel, event to event
copy_gbs = 4250            # measured, bytes read and written
peak_gbs = 4800            # published
peak_gflops = 66900        # published, FP32
shared_gbs = 32800         # measured, 16-byte loads
l1_gbs = 16000             # measured: 22000 with 0.1 MB, 11000 with 2 MB; between
fma_f32_gflops = 58000     # measured: 56600 to 59500
fma_f64_gflops = 29000     # derived: half of f32
mma_tf32_gflops = 312000   # measured, mma.sync
mma_f16_gflops = 625000    # measured, mma.sync
mma_f64_gflops = 33000     # measured, mma.sync

# Gathers of rows that miss the L1 cache: one line for each working set. measured, ranges of 64..512 bytes;
# narrower than 32 bytes derived: a sector of 32 bytes is fetched.
gather_row_bytes = 4 8 16 32 64 128 256 512
gather_set_mib = 8 32 64 128 256 1024
gather_gbs =
    525 1050 2100 4200 8000 8500 8700 9000
    525 1050 2100 4200 8000 8400 8600 8800
    480 960 1900 3800 7100 7200 7300 7500
    400 800 1600 3200 4800 5200 5400 5600
    360 720 1450 2900 4800 4800 4800 4900
    300 600 1200 2400 3900 4300 4500 4700

# Stores of rows in random order. measured from 32 bytes on, 4..16 derived: useful part of a sector.
scatter_row_bytes = 4 8 16 32 128 512
scatter_gbs = 150 300 600 1200 2700 3600

# Single numbers of a column-major matrix, useful bytes. derived: a sector of 32 bytes each, at 4200 GB/s.
strided_bytes = 2 4 8
strided_gbs = 262 525 1050

# Constants of the refined model: start_us launch_us, then the factors of DRAM, L2, L1, arithmetic, issue, waves,
# longest walk and conversions. rows: fitted to an H200, docs/model.md; tiled: not fitted yet
model.row-split.f32 = 1.188 1.391 1.43 0.6043 0.8319 0.9982 0.9459 1.436 0.9332 1.569
model.row-split.f64 = 1.776 1.288 1.647 0.631 1.013 0.999 0.9869 1.134 0.9756 1.342
model.nonzero-split.f32 = 1.812 1.402 1.428 0.6819 1.128 1 0.9998 1.614 1.364 1.44
model.nonzero-split.f64 = 2.23 1.286 1.503 0.7544 1.207 0.9999 0.999 1.342 1.278 1.224
model.tiled.f32 = 2 2  1 1 1 1 1 1 1 1
model.tiled.f64 = 2 2  1 1 1 1 1 1 1 1
