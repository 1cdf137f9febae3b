# SPDX-License-Identifier: Apache-2.0
# NVIDIA A100 SXM, 40 GB, the device of paper 000. No value was measured. "published": from the data sheet or
# the paper. "derived": from published values and the fractions of them that an H200 reaches, in a profile of
# the H200 older than h200.profile (1.755 GHz, copy rate 4250 GB/s). docs/model.md describes the keys.
name = a100
target = 80                # compute capability 8.0
multiprocessors = 108      # published
clock_ghz = 1.41           # published
l2_mib = 40                # published
l1_kib = 192               # published, shared memory included
shared_sm_kib = 164        # published
shared_block_kib = 163     # published
registers_sm = 65536       # published
launch_us = 4.6            # derived: as on an H200
copy_gbs = 1377            # derived: 0.885 of the peak, as on an H200
peak_gbs = 1555            # published: beta of the paper
peak_gflops = 19500        # published, FP32
shared_gbs = 19490         # derived: 128 bytes a clock and multiprocessor
l1_gbs = 9700              # derived: half of it, as on an H200
fma_f32_gflops = 17000     # derived: 0.87 of the peak
fma_f64_gflops = 8500      # derived: half of f32
mma_tf32_gflops = 140000   # derived: 0.9 of the published 156000
mma_f16_gflops = 280000    # derived: 0.9 of the published 312000
mma_f64_gflops = 17500     # derived: 0.9 of the published 19500

# Gathers of rows that miss the L1 cache, one line per working set. derived: for rows of up to 32 bytes, the
# rates of the H200 times 0.657 (ratio of clocks and multiprocessors) in the L2 cache, and times 0.324 (ratio
# of the copy rates) beyond it. Wider rows in the L2 cache are limited to 4600, an estimate.
gather_row_bytes = 4 8 16 32 64 128 256 512
gather_set_mib = 8 32 64 256
gather_gbs =
    345 690 1380 2760 4600 4600 4600 4600
    300 600 1200 2400 4100 4100 4100 4100
    180 360 720 1440 2200 2300 2400 2400
    97 195 390 780 1260 1400 1450 1500

# derived: the rates of the H200, scaled by the ratio of the copy rates
scatter_row_bytes = 4 8 16 32 128 512
scatter_gbs = 48 97 194 389 875 1170
strided_bytes = 2 4 8
strided_gbs = 172 345 690
