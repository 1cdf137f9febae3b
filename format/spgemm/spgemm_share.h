/* SPDX-License-Identifier: Apache-2.0 */
/* Constants that decide which rows of sparse products are cut in k, and into how many pieces. */
#ifndef SPMMI_SPGEMM_SHARE_H
#define SPMMI_SPGEMM_SHARE_H

#include <stdint.h>

/* A row of C is cut in k only if its products are more than this many times its entries, so that adding
 * partial sums stays cheap. Part of the format. */
#define SPMMI_SPGEMM_PIECE_ENTRIES 4

/* Number of products in a stretch. An entry with more products in its row, or in one piece of it, is long:
 * each of its stretches is summed from 0, and then these sums are added in order. Part of the format; applies
 * to plans with the flag STRETCHES. */
#define SPMMI_SPGEMM_STRETCH 4096
/* The flag is only set for products of at most this many multiplications, with or without a plan. The limit
 * bounds the memory of a GPU, which keeps 8 bytes per product of a long entry (12 with a diagonal): at most 1
 * GiB (1.5 GiB) per stage. Three factors make two stages. */
#define SPMMI_SPGEMM_STRETCHED_MAX (UINT64_C(1) << 27)

/* Constants for the default of piece_products. Usually the products are shared by 132 multiprocessors x 64
 * work items, each large enough to pay for itself.
 *
 * If only few rows are heavy enough to be cut, they are cut into more and smaller pieces: one warp processes
 * an item, so few large items would leave most of the GPU idle. On an H100 the lower triangles of A D A^T
 * with 36, 18 and 507 heavy rows took 124, 126 and 106 us with pieces of 1,024 products, but 97, 75 and 60 us
 * with pieces of 256. On an H200 3,136 rows of 2,000 took 27 us with pieces of 4,096 and 34 us with pieces of
 * 1,024. */
#define SPMMI_SPGEMM_SHARES 8448
#define SPMMI_SPGEMM_SHARE_MIN 4096
#define SPMMI_SPGEMM_HEAVY_ROWS_FEW 2112 /* 16 per multiprocessor */
#define SPMMI_SPGEMM_SHARES_FEW 16896
#define SPMMI_SPGEMM_SHARE_MIN_FEW 256
/* Minimum products of a heavy row, that is a row that small pieces may cut. */
#define SPMMI_SPGEMM_HEAVY_PRODUCTS (SPMMI_SPGEMM_SHARE_MIN_FEW + 1)

static inline uint64_t spmmi_spgemm_share(uint64_t products, int64_t heavy_rows)
{
    const int is_few = heavy_rows < SPMMI_SPGEMM_HEAVY_ROWS_FEW;
    const uint64_t share = products / (is_few ? SPMMI_SPGEMM_SHARES_FEW : SPMMI_SPGEMM_SHARES),
                   least = is_few ? SPMMI_SPGEMM_SHARE_MIN_FEW : SPMMI_SPGEMM_SHARE_MIN;
    return share > least ? share : least;
}

#endif
