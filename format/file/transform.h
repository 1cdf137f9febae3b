/* SPDX-License-Identifier: Apache-2.0 */
/* What is done to a frame's elements before zstd: docs/plan-format.md section 5.3. Each frame stands alone. */
#ifndef SPMMI_TRANSFORM_H
#define SPMMI_TRANSFORM_H

#include <stdbool.h>
#include <stdint.h>

enum spmmi_transform {
    SPMMI_TRANSFORM_NONE = 0,
    SPMMI_TRANSFORM_PLANES = 1,     /* byte planes of 2-, 4- or 8-byte elements */
    SPMMI_TRANSFORM_ROW_DELTA = 2,  /* columns: distance within the row, then planes */
    SPMMI_TRANSFORM_DIFFERENCE = 3, /* 4-byte elements: difference to the one before, then planes */
    SPMMI_TRANSFORM_DICTIONARY = 4, /* distinct elements, then a byte for each element */
    SPMMI_TRANSFORM_DECIMAL = 5,    /* f64: a whole number and a power of ten, then planes */
    SPMMI_TRANSFORM_COUNT
};

#define SPMMI_DICTIONARY_MAX 256u
#define SPMMI_CONTENT_MAX \
    ((UINT64_C(2) << 20) + SPMMI_DICTIONARY_MAX * 8) /* content of a frame never exceeds it */

/* A run of a section's elements: those of one frame. row_ptr and rows are used by ROW_DELTA only. */
struct spmmi_run {
    uint32_t element_bytes;
    uint64_t first, count; /* elements */
    const int64_t *row_ptr;
    int64_t rows;
};

/* The row that holds the run's first nonzero. */
int64_t spmmi_run_row(const struct spmmi_run *run);
/* Where the row of nonzero p ends, within the run; *row is that row or one before it, and becomes that row. */
int64_t spmmi_run_row_end(const struct spmmi_run *run, int64_t *row, int64_t p);

/* Content of a frame from its elements. scratch, aligned to 8 bytes, has room for the run, content for
 * SPMMI_CONTENT_MAX bytes. Returns the content's bytes, or 0 when a dictionary would not be smaller than the elements,
 * or one of them is no decimal. */
uint64_t spmmi_transform_pack(enum spmmi_transform transform, const struct spmmi_run *run,
                              const void *elements, void *scratch, uint8_t *content);

/* Can a frame of this run have so many content bytes? */
bool spmmi_transform_fits(enum spmmi_transform transform, const struct spmmi_run *run,
                          uint64_t content_bytes);

/* Elements of a frame from content of any bytes whose number fits, unless the transform is NONE. False when a
 * code of a dictionary or a decimal is out of range. */
bool spmmi_transform_unpack(enum spmmi_transform transform, const struct spmmi_run *run,
                            const uint8_t *content, uint64_t content_bytes, void *elements);

#endif
