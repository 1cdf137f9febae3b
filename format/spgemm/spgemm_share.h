/* SPDX-License-Identifier: Apache-2.0 */
/* Where rows of sparse products are cut in k. */
#ifndef SPMMI_SPGEMM_SHARE_H
#define SPMMI_SPGEMM_SHARE_H

#include <stdint.h>

/* A row of C is cut in k if its products are more than so many times its entries: partial sums stay cheap. Part of the
 * format. */
#define SPMMI_SPGEMM_PIECE_ENTRIES 4

/* Products of an entry that are added one after the other, in a row or a piece of one: a long entry has more, and the
 * sums of its stretches of so many are added in order. Part of the format, where a plan has the flag stretches. */
#define SPMMI_SPGEMM_STRETCH 4096
/* The flag is for products of at most so many multiplications, with a plan or without: a GPU keeps 8 bytes for each of
 * a long entry, 12 with a diagonal: at most 1 or 1.5 GiB for each of its stages, which are two of three factors. */
#define SPMMI_SPGEMM_STRETCHED_MAX (UINT64_C(1) << 27)

/* The default of piece_products: 132 multiprocessors, 64 items of work each, and no item that is too small to pay.
 * Where only few rows have work enough to be cut, they are cut into more and smaller pieces: an item is done by one
 * warp, and nothing else is left to do. On an H100 the lower triangles of A D A^T of 36, 18 and 507 such rows took 124,
 * 126 and 106 us in pieces of 1,024 and 97, 75 and 60 in pieces of 256; on an H200 3,136 rows of 2,000 took 27 us in
 * pieces of 4,096 and 34 of 1,024. */
#define SPMMI_SPGEMM_SHARES 8448
#define SPMMI_SPGEMM_SHARE_MIN 4096
#define SPMMI_SPGEMM_HEAVY_ROWS_FEW 2112 /* 16 a multiprocessor */
#define SPMMI_SPGEMM_SHARES_FEW 16896
#define SPMMI_SPGEMM_SHARE_MIN_FEW 256
#define SPMMI_SPGEMM_HEAVY_PRODUCTS (SPMMI_SPGEMM_SHARE_MIN_FEW + 1) /* of a row that small pieces may cut */

static inline uint64_t spmmi_spgemm_share(uint64_t products, int64_t heavy_rows)
{
    const int is_few = heavy_rows < SPMMI_SPGEMM_HEAVY_ROWS_FEW;
    const uint64_t share = products / (is_few ? SPMMI_SPGEMM_SHARES_FEW : SPMMI_SPGEMM_SHARES),
                   least = is_few ? SPMMI_SPGEMM_SHARE_MIN_FEW : SPMMI_SPGEMM_SHARE_MIN;
    return share > least ? share : least;
}

#endif
