/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of the rows of C that are cut. Their pieces are added after all items. */
#ifndef SPMMI_SPGEMM_JOINS_H
#define SPMMI_SPGEMM_JOINS_H

#include "spgemm_items.h"
#include "spgemm_soles.h"

/* Returns the number of slices of all rows that are cut, without rows that are pulled (NULL: none) and
 * without soles. It is below 2^31: a cut row has at least 5 entries of the left factor, and a slice has at
 * least 4 entries of C and 2,048 partial sums, or 256 entries. */
uint64_t spmmi_spgemm_joins_count(const struct spmmi_spgemm_stage *stage, const uint8_t *is_pulled,
                                  const struct spmmi_spgemm_soles *soles);

/* Makes these slices in items->joins. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_joins_make(const struct spmmi_spgemm_stage *stage, const uint8_t *is_pulled,
                                      const struct spmmi_spgemm_soles *soles,
                                      struct spmmi_spgemm_items *items, spmm_diag_t *diag);

#endif
