/* SPDX-License-Identifier: Apache-2.0 */
/* See transform.h. Arithmetic is modulo 2^32, so hostile content gives wrong values, never undefined behaviour. */
#include "transform.h"

#include <string.h>

#include "format/base/bytes.h"

static void planes_pack(uint32_t element_bytes, uint64_t count, const uint8_t *elements, uint8_t *planes)
{
    for (uint32_t b = 0; b < element_bytes; b++) {
        for (uint64_t i = 0; i < count; i++)
            planes[b * count + i] = elements[i * element_bytes + b];
    }
}

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

static uint32_t zigzag(uint32_t difference)
{
    return (difference << 1) ^ (0u - (difference >> 31));
}

static uint32_t unzigzag(uint32_t code)
{
    return (code >> 1) ^ (0u - (code & 1u));
}

/* The row that holds nonzero p: row_ptr[row] <= p < row_ptr[row + 1]. */
static int64_t row_of(const int64_t *row_ptr, int64_t rows, int64_t p)
{
    int64_t low = 0, high = rows;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (row_ptr[middle] <= p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Where the row of nonzero p ends, within the run; *row is that row or one before it. */
static int64_t row_end_of(const struct spmmi_run *run, int64_t *row, int64_t p)
{
    const int64_t end = (int64_t)(run->first + run->count);
    while (run->row_ptr[*row + 1] <= p)
        ++*row;
    return run->row_ptr[*row + 1] < end ? run->row_ptr[*row + 1] : end;
}

/* Walks the rows of a run. The first nonzero of each row, and of the run, is coded against the one before it,
 * the others as the gap to their left neighbour. */
static void row_delta_pack(const struct spmmi_run *run, const uint32_t *columns, uint32_t *codes)
{
    const int64_t first = (int64_t)run->first, end = first + (int64_t)run->count;
    uint32_t row_start = 0;
    int64_t row = row_of(run->row_ptr, run->rows, first);
    for (int64_t p = first; p < end;) {
        const int64_t row_end = row_end_of(run, &row, p);
        codes[p - first] = zigzag(columns[p - first] - row_start);
        row_start = columns[p - first];
        for (p++; p < row_end; p++)
            codes[p - first] = columns[p - first] - columns[p - first - 1] - 1u;
    }
}

static void row_delta_unpack(const struct spmmi_run *run, uint32_t *columns)
{
    const int64_t first = (int64_t)run->first, end = first + (int64_t)run->count;
    uint32_t row_start = 0;
    int64_t row = row_of(run->row_ptr, run->rows, first);
    for (int64_t p = first; p < end;) {
        const int64_t row_end = row_end_of(run, &row, p);
        uint32_t column = row_start + unzigzag(columns[p - first]);
        row_start = column;
        columns[p - first] = column;
        for (p++; p < row_end; p++) {
            column += columns[p - first] + 1u;
            columns[p - first] = column;
        }
    }
}

#define SLOTS 1024u /* four times the dictionary: short probes */

/* Content: the distinct elements in order of appearance, then one code for each element. */
static uint64_t dictionary_pack(const struct spmmi_run *run, const uint8_t *elements, uint8_t *content)
{
    uint64_t keys[SPMMI_DICTIONARY_MAX];
    uint16_t slots[SLOTS]; /* code + 1; 0 = free */
    uint32_t distinct = 0;
    const uint32_t bytes = run->element_bytes;
    uint8_t *const codes =
        content + SPMMI_DICTIONARY_MAX * 8; /* moved down when the dictionary is complete */
    memset(slots, 0, sizeof slots);
    for (uint64_t i = 0; i < run->count; i++) {
        uint64_t key = 0;
        memcpy(&key, elements + i * bytes, bytes);
        uint32_t slot = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 54);
        while (slots[slot] != 0 && keys[slots[slot] - 1u] != key)
            slot = (slot + 1) % SLOTS;
        if (slots[slot] == 0) {
            if (distinct == SPMMI_DICTIONARY_MAX)
                return 0;
            keys[distinct++] = key;
            slots[slot] = (uint16_t)distinct;
        }
        codes[i] = (uint8_t)(slots[slot] - 1u);
    }
    for (uint32_t d = 0; d < distinct; d++)
        memcpy(content + d * bytes, &keys[d], bytes);
    memmove(content + distinct * bytes, codes, run->count);
    const uint64_t content_bytes = distinct * bytes + run->count;
    return content_bytes < run->count * bytes ? content_bytes : 0;
}

/* Inlined with a constant width, so that each copy is one load and one store. */
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
    switch (bytes) {
    case 2:
        dictionary_copy(run->count, 2, content, codes, elements);
        break;
    case 4:
        dictionary_copy(run->count, 4, content, codes, elements);
        break;
    default:
        dictionary_copy(run->count, 8, content, codes, elements);
        break;
    }
    return true;
}

static void difference_pack(uint64_t count, const uint32_t *elements, uint32_t *codes)
{
    for (uint64_t i = 0; i < count; i++)
        codes[i] = elements[i] - (i == 0 ? 0 : elements[i - 1]);
}

static void difference_unpack(uint64_t count, uint32_t *elements)
{
    for (uint64_t i = 1; i < count; i++)
        elements[i] += elements[i - 1];
}

uint64_t spmmi_transform_pack(enum spmmi_transform transform, const struct spmmi_run *run,
                              const void *elements, uint32_t *scratch, uint8_t *content)
{
    const uint64_t bytes = run->count * run->element_bytes;
    switch (transform) {
    case SPMMI_TRANSFORM_NONE:
        memcpy(content, elements, bytes);
        return bytes;
    case SPMMI_TRANSFORM_PLANES:
        planes_pack(run->element_bytes, run->count, elements, content);
        return bytes;
    case SPMMI_TRANSFORM_ROW_DELTA:
        row_delta_pack(run, elements, scratch);
        planes_pack(4, run->count, (const uint8_t *)scratch, content);
        return bytes;
    case SPMMI_TRANSFORM_DIFFERENCE:
        difference_pack(run->count, elements, scratch);
        planes_pack(4, run->count, (const uint8_t *)scratch, content);
        return bytes;
    case SPMMI_TRANSFORM_DICTIONARY:
        return dictionary_pack(run, elements, content);
    case SPMMI_TRANSFORM_COUNT:
        break;
    }
    return 0;
}

bool spmmi_transform_fits(enum spmmi_transform transform, const struct spmmi_run *run, uint64_t content_bytes)
{
    if (transform != SPMMI_TRANSFORM_DICTIONARY)
        return content_bytes == run->count * run->element_bytes;
    if (content_bytes <= run->count || (content_bytes - run->count) % run->element_bytes != 0)
        return false;
    return (content_bytes - run->count) / run->element_bytes <= SPMMI_DICTIONARY_MAX;
}

bool spmmi_transform_unpack(enum spmmi_transform transform, const struct spmmi_run *run,
                            const uint8_t *content, uint64_t content_bytes, void *elements)
{
    switch (transform) {
    case SPMMI_TRANSFORM_NONE:
        memcpy(elements, content, content_bytes);
        return true;
    case SPMMI_TRANSFORM_DICTIONARY:
        return dictionary_unpack(run, content, content_bytes, elements);
    case SPMMI_TRANSFORM_PLANES:
    case SPMMI_TRANSFORM_ROW_DELTA:
    case SPMMI_TRANSFORM_DIFFERENCE:
    case SPMMI_TRANSFORM_COUNT:
        break;
    }
    if (run->element_bytes == 2) {
        planes_unpack_2(run->count, content, elements);
        return true;
    }
    if (run->element_bytes == 8) {
        planes_unpack_8(run->count, content, elements);
        return true;
    }
    planes_unpack_4(run->count, content, elements);
    if (transform == SPMMI_TRANSFORM_ROW_DELTA)
        row_delta_unpack(run, elements);
    else if (transform == SPMMI_TRANSFORM_DIFFERENCE)
        difference_unpack(run->count, elements);
    return true;
}
