/* SPDX-License-Identifier: Apache-2.0 */
/* The members of spmm_row_block_metrics_t and their offsets in the record of a plan file (docs/plan-format.md
 * section 6.10). The list expands to X(R, member, offset). R is the name of the struct. */
#ifndef SPMMI_ROW_BLOCK_METRICS_FIELDS_H
#define SPMMI_ROW_BLOCK_METRICS_FIELDS_H

#define SPMMI_ROW_BLOCK_METRICS_FIELDS(X, R) \
    X(R, block_rows, 0)                      \
    X(R, stage_slots, 8)                     \
    X(R, segment, 16)                        \
    X(R, is_reordered, 24)                   \
    X(R, value_bytes, 32)                    \
    X(R, register_tile, 40)                  \
    X(R, n, 48)                              \
    X(R, multiprocessors, 56)                \
    X(R, units, 64)                          \
    X(R, row_blocks, 72)                     \
    X(R, thread_blocks, 80)                  \
    X(R, utilization, 88)                    \
    X(R, unit_mean, 96)                      \
    X(R, unit_stddev, 104)                   \
    X(R, unit_max, 112)                      \
    X(R, working_set_sum, 120)               \
    X(R, working_set_max, 128)               \
    X(R, working_set_mean, 136)              \
    X(R, rho, 144)                           \
    X(R, working_set, 152)                   \
    X(R, reuse, 200)                         \
    X(R, stages, 248)                        \
    X(R, stages_max, 256)                    \
    X(R, slices, 264)                        \
    X(R, padding, 272)                       \
    X(R, runs, 280)                          \
    X(R, run_mean, 288)                      \
    X(R, lines, 296)                         \
    X(R, sectors, 304)                       \
    X(R, line_cost, 312)                     \
    X(R, sector_cost, 320)                   \
    X(R, columns_used, 328)                  \
    X(R, l2_reuse, 336)                      \
    X(R, line_gamma, 344)                    \
    X(R, sector_gamma, 352)                  \
    X(R, column_count, 360)                  \
    X(R, column_sum, 616)

#endif
