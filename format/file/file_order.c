/* SPDX-License-Identifier: Apache-2.0 */
/* See file_order.h. */
#include "file_order.h"

/* Returns true for sections with names and metadata, which people may read before a file is complete. */
static bool is_text(uint32_t type)
{
    return type == SPMMI_SECTION_META || type == SPMMI_SECTION_WRITER || type == SPMMI_SECTION_METADATA;
}

void spmmi_file_order(const struct spmmi_entry *entries, uint32_t count, bool texts_first,
                      uint32_t order[SPMMI_SECTION_LIMIT])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        if (texts_first && is_text(entries[i].type))
            order[n++] = i;
    for (uint32_t i = 0; i < count; i++)
        if (!texts_first || !is_text(entries[i].type))
            order[n++] = i;
}

bool spmmi_texts_first(const struct spmmi_entry *entries, uint32_t count, uint64_t begin)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_text(entries[i].type) && entries[i].offset == begin)
            return true;
    return false;
}
