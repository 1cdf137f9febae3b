/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of elements to content, for writers (transform.h). */
#include "transform.h"

#include <string.h>

#include "transform_decimal.h"

static void planes_pack(uint32_t element_bytes, uint64_t count, const uint8_t *elements, uint8_t *planes)
{
    for (uint32_t b = 0; b < element_bytes; b++) {
        for (uint64_t i = 0; i < count; i++)
            planes[b * count + i] = elements[i * element_bytes + b];
    }
}

static uint32_t zigzag(uint32_t difference)
{
    return (difference << 1) ^ (0u - (difference >> 31));
}

/* Codes the columns of a run row by row. The first column of a row is coded as
 * the difference to the first column of the previous row (0 at the start of
 * the run). Each other column is coded as the gap to its left neighbour. */
static void row_delta_pack(const struct spmmi_run *run, const uint32_t *columns, uint32_t *codes)
{
    const int64_t first = (int64_t)run->first, end = first + (int64_t)run->count;
    uint32_t row_start = 0;
    int64_t row = spmmi_run_row(run);
    for (int64_t p = first; p < end;) {
        const int64_t row_end = spmmi_run_row_end(run, &row, p);
        codes[p - first] = zigzag(columns[p - first] - row_start);
        row_start = columns[p - first];
        for (p++; p < row_end; p++)
            codes[p - first] = columns[p - first] - columns[p - first - 1] - 1u;
    }
}

#define SLOTS 1024u /* of the hash table: four times the dictionary, so that probe sequences are short */

/* Writes the content: the distinct elements in order of appearance, then one code per element. Returns its
 * bytes, or 0 if there are too many distinct elements or the content is not smaller than the elements. */
static uint64_t dictionary_pack(const struct spmmi_run *run, const uint8_t *elements, uint8_t *content)
{
    uint64_t keys[SPMMI_DICTIONARY_MAX];
    uint16_t slots[SLOTS]; /* code + 1; 0 = free */
    uint32_t distinct = 0;
    const uint32_t bytes = run->element_bytes;
    uint8_t *const codes =
        content + SPMMI_DICTIONARY_MAX * 8; /* moved to the end of the dictionary when it is complete */
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

static void difference_pack(uint64_t count, const uint32_t *elements, uint32_t *codes)
{
    for (uint64_t i = 0; i < count; i++)
        codes[i] = elements[i] - (i == 0 ? 0 : elements[i - 1]);
}

uint64_t spmmi_transform_pack(enum spmmi_transform transform, const struct spmmi_run *run,
                              const void *elements, void *scratch, uint8_t *content)
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
        planes_pack(4, run->count, scratch, content);
        return bytes;
    case SPMMI_TRANSFORM_DIFFERENCE:
        difference_pack(run->count, elements, scratch);
        planes_pack(4, run->count, scratch, content);
        return bytes;
    case SPMMI_TRANSFORM_DICTIONARY:
        return dictionary_pack(run, elements, content);
    case SPMMI_TRANSFORM_DECIMAL:
        if (run->element_bytes != sizeof(double) || !spmmi_decimals_pack(run->count, elements, scratch))
            return 0;
        planes_pack(sizeof(double), run->count, scratch, content);
        return bytes;
    case SPMMI_TRANSFORM_COUNT:
        break;
    }
    return 0;
}
