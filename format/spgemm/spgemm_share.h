/* SPDX-License-Identifier: Apache-2.0 */
/* Where rows of sparse products are cut in k, for kernels too. */
#ifndef SPMMI_SPGEMM_SHARE_H
#define SPMMI_SPGEMM_SHARE_H

#include <stdint.h>

/* A row of C is cut in k if its products are more than so many times its entries: partial sums stay cheap. Part of the
 * format. */
#define SPMMI_SPGEMM_PIECE_ENTRIES 4

/* The default of piece_products: 132 multiprocessors, 64 items of work each, and no item that is too small to pay. */
#define SPMMI_SPGEMM_SHARES 8448
#define SPMMI_SPGEMM_SHARE_MIN 4096

static inline uint64_t spmmi_spgemm_share(uint64_t products)
{
    const uint64_t share = products / SPMMI_SPGEMM_SHARES;
    return share > SPMMI_SPGEMM_SHARE_MIN ? share : SPMMI_SPGEMM_SHARE_MIN;
}

#endif
