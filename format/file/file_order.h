/* SPDX-License-Identifier: Apache-2.0 */
/* The order of sections in a file: the order of the table, or texts first (docs/plan-format.md section 4). */
#ifndef SPMMI_FILE_ORDER_H
#define SPMMI_FILE_ORDER_H

#include "plan_records.h"

/* Writes the order of the sections in the file to order[0 .. count - 1], as indices of the table. */
void spmmi_file_order(const struct spmmi_entry *entries, uint32_t count, bool texts_first,
                      uint32_t order[SPMMI_SECTION_LIMIT]);
/* Returns true if the first section of the file is a text. begin is the offset of the first section. */
bool spmmi_texts_first(const struct spmmi_entry *entries, uint32_t count, uint64_t begin);

#endif
