# SPDX-License-Identifier: Apache-2.0
# NVIDIA H200 SXM: measured on one by spmm-bench --calibrate; sizes and the clock as the driver tells them.
# docs/model.md has the keys.
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

# measured: single numbers of a column-major matrix in random order, useful bytes
strided_bytes = 2 4 8
strided_gbs = 272.8 545.4 1095

# Constants of the refined model: start_us launch_us, then the factors of DRAM, L2, L1, arithmetic, issue, waves,
# longest walk and conversions; fitted to an H200, docs/model.md ("How good it is")
model.row-split.f32 = 1.281 1.253 1.28 0.3526 0.9608 0.9989 0.9749 1.44 1.071 1.455
model.row-split.f64 = 1.026 1.036 1.661 0.4821 1.09 0.9994 0.9929 1.283 1.101 1.335
model.nonzero-split.f32 = 1.039 1.472 1.477 0.2962 1.404 1 1.001 1.513 1.444 1.339
model.nonzero-split.f64 = 1.17 1.09 1.548 0.264 1.354 1 0.9999 1.684 1.315 1.191
model.tiled.f32 = 0.5353 1.027 2.316 1.103 1.765 0.9999 0.9995 1.042 1 1.082
model.tiled.f64 = 0.478 1 2.167 1.093 1.982 0.9997 0.9989 0.672 1.636 1
model.window.tf32 = 0.8111 1.01 1.829 1.135 2.654 1 0.9725 0.9281 1.731 1.166
model.window.3xtf32 = 0.9019 1.096 1.871 1.31 2.723 1.003 1.024 0.9793 2.097 1.181
model.window.f64 = 5.343 1.42 1.441 0.8493 2.133 0.9974 1.014 0.7461 0.7879 1.109
model.panel.tf32 = 1.122 1.124 1.852 0.9953 1.651 1.003 4.18 0.8025 1.319 0.9826
model.panel.3xtf32 = 1.093 1.268 1.996 1.104 0.9773 1.005 3.499 0.8551 1.59 1.088
model.panel.f64 = 1.263 1.107 1.507 1.362 0.9856 1.33 1.009 1.851 1.135 1.052
# Products of 16 bits, and strips: fitted to all 20 matrices that were measured, judged by leaving one out
model.window.f16 = 0.7547 2.168 2.785 0.6686 3.013 1 4.296 1.023 1.301 1.564
model.panel.f16 = 0.8394 1.042 2.074 0.7848 2.28 1.002 3.262 1.138 0.7761 1.09
model.bcsr.3xtf32 = 0.6376 0.9586 1.338 0.7276 0.9782 1.105 2.013 1.048 1.409 0.7329
model.bcsr.f16 = 0.795 0.9507 1.383 0.9437 1.114 0.8949 2.643 1.049 1.154 0.59
model.bcsr.f64 = 1.065 0.9296 1.272 0.7332 0.6905 0.4975 2.984 0.6906 1.189 0.8223
model.bcsr.tf32 = 0.7651 0.9486 1.332 0.7127 0.7256 0.948 2.064 0.7354 1.317 0.7842

# What predictions are multiplied by before they are compared, docs/model.md ("Risks"): one column, row-major up to 64
# columns, row-major beyond, column-major. Those of row split and tiled are fitted to 68 matrices (tools/dev/choice_table).
risk.row-split.f32 = 1.26 1.06 1.1 1.06
risk.row-split.f64 = 1.12 1 1 1.03
risk.tiled = 1.08 1.08 1 1
risk.window = 1.0526 1.0526 1.1765 1.1765
risk.window.f64 = 1.03 1.03 1.1765 1.1765
risk.panel = 1.0526 1.0526 1.1765 1.1765
risk.bcsr = 1.0526 1.0526 1.1765 1.1765
risk.packed = 1.0526
risk.packed.f64 = 1
risk.order = 1.0101
risk.long-rows = 1.0309
risk.against-chart = 1.1111
