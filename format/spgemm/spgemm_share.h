/* SPDX-License-Identifier: Apache-2.0 */
/* Where rows of sparse products are cut in k. */
#ifndef SPMMI_SPGEMM_SHARE_H
#define SPMMI_SPGEMM_SHARE_H

#include <stdint.h>

/* A row of C is cut in k if its products are more than so many times its entries: partial sums stay cheap. Part of the
 * format. */
#define SPMMI_SPGEMM_PIECE_ENTRIES 4

/* The default of piece_products: 132 multiprocessors, 64 items of work each, and no item that is too small to pay.
 * Where rows alone do not give each multiprocessor 16 items, pieces may be smaller: on an H200 507 rows of 5,500
 * products took 126 us in pieces of 4,096 and 45 in pieces of 1,024, but 3,136 rows of 2,000 took 27 and 34. */
#define SPMMI_SPGEMM_SHARES 8448
#define SPMMI_SPGEMM_ROWS_FEW 2112
#define SPMMI_SPGEMM_SHARE_MIN 4096
#define SPMMI_SPGEMM_SHARE_MIN_FEW 1024

static inline uint64_t spmmi_spgemm_share(uint64_t products, int64_t rows)
{
    const uint64_t share = products / SPMMI_SPGEMM_SHARES,
                   least = rows < SPMMI_SPGEMM_ROWS_FEW ? SPMMI_SPGEMM_SHARE_MIN_FEW : SPMMI_SPGEMM_SHARE_MIN;
    return share > least ? share : least;
}

#endif
