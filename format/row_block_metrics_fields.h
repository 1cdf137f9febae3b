/* SPDX-License-Identifier: Apache-2.0 */
/* The members of spmm_row_block_metrics_t and where plan files have them: docs/plan-format.md section 6.10. */
#ifndef SPMMI_ROW_BLOCK_METRICS_FIELDS_H
#define SPMMI_ROW_BLOCK_METRICS_FIELDS_H

#define SPMMI_ROW_BLOCK_METRICS_FIELDS(X) \
    X(block_rows, 0)                      \
    X(stage_slots, 8)                     \
    X(segment, 16)                        \
    X(is_reordered, 24)                   \
    X(value_bytes, 32)                    \
    X(register_tile, 40)                  \
    X(n, 48)                              \
    X(multiprocessors, 56)                \
    X(units, 64)                          \
    X(row_blocks, 72)                     \
    X(thread_blocks, 80)                  \
    X(utilization, 88)                    \
    X(unit_mean, 96)                      \
    X(unit_stddev, 104)                   \
    X(unit_max, 112)                      \
    X(working_set_sum, 120)               \
    X(working_set_max, 128)               \
    X(working_set_mean, 136)              \
    X(rho, 144)                           \
    X(working_set, 152)                   \
    X(reuse, 200)                         \
    X(stages, 248)                        \
    X(stages_max, 256)                    \
    X(slices, 264)                        \
    X(padding, 272)                       \
    X(runs, 280)                          \
    X(run_mean, 288)                      \
    X(lines, 296)                         \
    X(sectors, 304)                       \
    X(line_cost, 312)                     \
    X(sector_cost, 320)                   \
    X(columns_used, 328)                  \
    X(l2_reuse, 336)                      \
    X(line_gamma, 344)                    \
    X(sector_gamma, 352)                  \
    X(column_count, 360)                  \
    X(column_sum, 616)

#endif
