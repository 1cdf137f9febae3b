/* SPDX-License-Identifier: Apache-2.0 */
/* In which order sections lie in a file: that of the table, or texts first (docs/plan-format.md section 4). */
#ifndef SPMMI_FILE_ORDER_H
#define SPMMI_FILE_ORDER_H

#include "plan_records.h"

/* order[0], .. count: indices of the table. */
void spmmi_file_order(const struct spmmi_entry *entries, uint32_t count, bool texts_first,
                      uint32_t order[SPMMI_SECTION_LIMIT]);
/* Of a file whose sections begin here: does a text lie there? */
bool spmmi_texts_first(const struct spmmi_entry *entries, uint32_t count, uint64_t begin);

#endif
