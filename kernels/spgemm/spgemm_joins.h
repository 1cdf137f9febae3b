/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of the rows of C that are cut, whose pieces are added behind all items. */
#ifndef SPMMI_SPGEMM_JOINS_H
#define SPMMI_SPGEMM_JOINS_H

#include "spgemm_items.h"
#include "spgemm_soles.h"

/* Slices of all rows that are cut, but for those that are pulled (NULL: none is) and soles: less than 2^31, as a cut
 * row has 5 entries of the left factor at least, and a slice 4 of C and 2,048 partial sums, or 256. */
uint64_t spmmi_spgemm_joins_count(const struct spmmi_spgemm_stage *stage, const uint8_t *is_pulled,
                                  const struct spmmi_spgemm_soles *soles);

/* All of them into items->joins. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_joins_make(const struct spmmi_spgemm_stage *stage, const uint8_t *is_pulled,
                                      const struct spmmi_spgemm_soles *soles,
                                      struct spmmi_spgemm_items *items, spmm_diag_t *diag);

#endif
