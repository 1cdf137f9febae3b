/* SPDX-License-Identifier: Apache-2.0 */
/* How many columns of B the rows family takes at once on the CPU, and whether column-major B is packed. */
#ifndef SPMMI_ROWS_CPU_WIDTHS_H
#define SPMMI_ROWS_CPU_WIDTHS_H

#include <stdbool.h>
#include <stdint.h>

#define ROWS_LINE_BYTES 64               /* of a cache */
#define PANEL_BYTES_MAX 2048             /* of one row of B */
#define SCRATCH_BYTES (INT64_C(8) << 20) /* packed B should stay in the shared cache */

static inline int64_t round_up(int64_t x, int64_t unit)
{
    return (x + unit - 1) / unit * unit;
}

static inline int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* With fewer nonzeros than these, packing all of B would cost more than columns as they are. Pairs of columns took 0.4
 * to 1.0 of the time with 5 to 7 nonzeros a column of A, 0.9 to 1.1 with 9 to 24, 1.1 to 1.3 in meshes (0107). */
static inline int64_t nonzeros_to_pack(int64_t cols, int64_t n)
{
    return n == 2 ? 8 * cols : cols / 2;
}

/* Columns of a panel of packed or row-major B: as many as keep the packed B in the cache, in whole cache lines. */
static inline int64_t panel_width(int64_t cols, int64_t n, int64_t b_size, bool is_packed)
{
    int64_t bytes = PANEL_BYTES_MAX;
    if (is_packed) {
        const int64_t fit = SCRATCH_BYTES / (cols + 1) / ROWS_LINE_BYTES * ROWS_LINE_BYTES;
        bytes = fit < ROWS_LINE_BYTES ? ROWS_LINE_BYTES : smaller(fit, bytes);
    }
    return smaller(n, bytes / b_size);
}

#endif
