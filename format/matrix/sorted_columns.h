/* SPDX-License-Identifier: Apache-2.0 */
/* Ascending lists of columns without duplicates. */
#ifndef SPMMI_SORTED_COLUMNS_H
#define SPMMI_SORTED_COLUMNS_H

#include <stdint.h>

/* Sorts columns in ascending order and removes duplicates, in place. Returns the new count. */
int64_t spmmi_sort_unique(int32_t *columns, int64_t count);

/* Returns the position of a column in an ascending list that contains it. */
static inline int32_t spmmi_sorted_position(const int32_t *list, int64_t count, int32_t column)
{
    const int32_t *base = list;
    while (count > 1) {
        const int64_t half = count / 2;
        base += base[half] <= column ? half : 0;
        count -= half;
    }
    return (int32_t)(base - list);
}

#endif
