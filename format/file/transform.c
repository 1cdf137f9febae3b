/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of content to elements, for readers (transform.h). Arithmetic is modulo 2^32, so hostile content
 * gives wrong values but no undefined behaviour. */
#include "transform.h"

#include <string.h>

#include "format/base/bytes.h"
#include "transform_decimal.h"

static void planes_unpack_2(uint64_t count, const uint8_t *restrict planes, uint16_t *restrict elements)
{
    const uint8_t *restrict p1 = planes + count;
    for (uint64_t i = 0; i < count; i++)
        elements[i] = (uint16_t)(planes[i] | p1[i] << 8);
}

static void planes_unpack_4(uint64_t count, const uint8_t *restrict planes, uint32_t *restrict elements)
{
    const uint8_t *restrict p1 = planes + count, *restrict p2 = p1 + count, *restrict p3 = p2 + count;
    for (uint64_t i = 0; i < count; i++) {
        elements[i] =
            (uint32_t)planes[i] | (uint32_t)p1[i] << 8 | (uint32_t)p2[i] << 16 | (uint32_t)p3[i] << 24;
    }
}

static void planes_unpack_8(uint64_t count, const uint8_t *restrict planes, uint64_t *restrict elements)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value = 0;
        for (uint32_t b = 0; b < 8; b++)
            value |= (uint64_t)planes[b * count + i] << (8 * b);
        elements[i] = value;
    }
}

static uint32_t unzigzag(uint32_t code)
{
    return (code >> 1) ^ (0u - (code & 1u));
}

int64_t spmmi_run_row(const struct spmmi_run *run)
{
    const int64_t p = (int64_t)run->first;
    int64_t low = 0, high = run->rows;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (run->row_ptr[middle] <= p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int64_t spmmi_run_row_end(const struct spmmi_run *run, int64_t *row, int64_t p)
{
    const int64_t end = (int64_t)(run->first + run->count);
    while (run->row_ptr[*row + 1] <= p)
        ++*row;
    return run->row_ptr[*row + 1] < end ? run->row_ptr[*row + 1] : end;
}

static void row_delta_unpack(const struct spmmi_run *run, uint32_t *columns)
{
    const int64_t first = (int64_t)run->first, end = first + (int64_t)run->count;
    uint32_t row_start = 0;
    int64_t row = spmmi_run_row(run);
    for (int64_t p = first; p < end;) {
        const int64_t row_end = spmmi_run_row_end(run, &row, p);
        uint32_t column = row_start + unzigzag(columns[p - first]);
        row_start = column;
        columns[p - first] = column;
        for (p++; p < row_end; p++) {
            column += columns[p - first] + 1u;
            columns[p - first] = column;
        }
    }
}

/* Inlined with a constant `bytes`, so that each copy is one load and one store. */
static inline void dictionary_copy(uint64_t count, uint32_t bytes, const uint8_t *table, const uint8_t *codes,
                                   uint8_t *elements)
{
    for (uint64_t i = 0; i < count; i++)
        memcpy(elements + i * bytes, table + codes[i] * bytes, bytes);
}

static bool dictionary_unpack(const struct spmmi_run *run, const uint8_t *content, uint64_t content_bytes,
                              uint8_t *elements)
{
    const uint32_t bytes = run->element_bytes;
    const uint64_t distinct = (content_bytes - run->count) / bytes;
    const uint8_t *codes = content + distinct * bytes;
    uint8_t code_max = 0;
    for (uint64_t i = 0; i < run->count; i++)
        code_max = codes[i] > code_max ? codes[i] : code_max;
    if (code_max >= distinct)
        return false;
    if (bytes == 2)
        dictionary_copy(run->count, 2, content, codes, elements);
    else if (bytes == 4)
        dictionary_copy(run->count, 4, content, codes, elements);
    else
        dictionary_copy(run->count, 8, content, codes, elements);
    return true;
}

static void difference_unpack(uint64_t count, uint32_t *elements)
{
    for (uint64_t i = 1; i < count; i++)
        elements[i] += elements[i - 1];
}

bool spmmi_transform_fits(enum spmmi_transform transform, const struct spmmi_run *run, uint64_t content_bytes)
{
    if (transform == SPMMI_TRANSFORM_DECIMAL && run->element_bytes != sizeof(double))
        return false;
    if (transform != SPMMI_TRANSFORM_DICTIONARY)
        return content_bytes == run->count * run->element_bytes;
    if (content_bytes <= run->count || (content_bytes - run->count) % run->element_bytes != 0)
        return false;
    return (content_bytes - run->count) / run->element_bytes <= SPMMI_DICTIONARY_MAX;
}

bool spmmi_transform_unpack(enum spmmi_transform transform, const struct spmmi_run *run,
                            const uint8_t *content, uint64_t content_bytes, void *elements)
{
    if (transform == SPMMI_TRANSFORM_DICTIONARY)
        return dictionary_unpack(run, content, content_bytes, elements);
    if (run->element_bytes == 2)
        planes_unpack_2(run->count, content, elements);
    else if (run->element_bytes == 4)
        planes_unpack_4(run->count, content, elements);
    else
        planes_unpack_8(run->count, content, elements);
    if (transform == SPMMI_TRANSFORM_ROW_DELTA)
        row_delta_unpack(run, elements);
    if (transform == SPMMI_TRANSFORM_DIFFERENCE)
        difference_unpack(run->count, elements);
    return transform != SPMMI_TRANSFORM_DECIMAL || spmmi_decimals_unpack(run->count, elements);
}
