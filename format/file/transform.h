/* SPDX-License-Identifier: Apache-2.0 */
/* The transforms of the elements of a frame before zstd compression (docs/plan-format.md section 5.3). The
 * result is called the content of the frame. Each frame is independent of the others. */
#ifndef SPMMI_TRANSFORM_H
#define SPMMI_TRANSFORM_H

#include <stdbool.h>
#include <stdint.h>

enum spmmi_transform {
    SPMMI_TRANSFORM_NONE = 0,
    SPMMI_TRANSFORM_PLANES = 1,     /* byte planes of 2-, 4- or 8-byte elements */
    SPMMI_TRANSFORM_ROW_DELTA = 2,  /* columns: distance to the left neighbour in the row, then planes */
    SPMMI_TRANSFORM_DIFFERENCE = 3, /* 4-byte elements: difference to the previous element, then planes */
    SPMMI_TRANSFORM_DICTIONARY = 4, /* distinct elements, then one byte per element */
    SPMMI_TRANSFORM_DECIMAL = 5,    /* f64: a whole number and a power of ten, then planes */
    SPMMI_TRANSFORM_COUNT
};

#define SPMMI_DICTIONARY_MAX 256u
#define SPMMI_CONTENT_MAX \
    ((UINT64_C(2) << 20) + SPMMI_DICTIONARY_MAX * 8) /* maximum bytes of the content of a frame */

/* A run: the elements of one frame of a section. Only ROW_DELTA uses row_ptr and rows. */
struct spmmi_run {
    uint32_t element_bytes;
    uint64_t first, count; /* first element and number of elements */
    const int64_t *row_ptr;
    int64_t rows;
};

/* Returns the row that holds the first nonzero of the run. */
int64_t spmmi_run_row(const struct spmmi_run *run);
/* Returns the end of the row of nonzero p, or the end of the run if that is earlier. On entry, *row is the
 * row of p or an earlier one. Sets *row to the row of p. */
int64_t spmmi_run_row_end(const struct spmmi_run *run, int64_t *row, int64_t p);

/* Converts the elements of a frame to its content. scratch, aligned to 8 bytes, can hold the run, and content
 * can hold SPMMI_CONTENT_MAX bytes. Returns the bytes of the content, or 0 if the transform is not possible:
 * a dictionary would not be smaller than the elements, or an element is not a decimal. */
uint64_t spmmi_transform_pack(enum spmmi_transform transform, const struct spmmi_run *run,
                              const void *elements, void *scratch, uint8_t *content);

/* Returns true if the content of this run can have content_bytes bytes. */
bool spmmi_transform_fits(enum spmmi_transform transform, const struct spmmi_run *run,
                          uint64_t content_bytes);

/* Converts the content of a frame to its elements. The transform must not be
 * NONE, and spmmi_transform_fits must be true; the bytes may be anything.
 * Returns false if a code of a dictionary or of a decimal is out of range. */
bool spmmi_transform_unpack(enum spmmi_transform transform, const struct spmmi_run *run,
                            const uint8_t *content, uint64_t content_bytes, void *elements);

#endif
