/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of slices of consecutive rows, as in the sliced ELL format, which pads each slice to its longest
 * row. Rows without nonzeros are left out. */
#ifndef SPMMI_ROW_SLICES_H
#define SPMMI_ROW_SLICES_H

#include <stdint.h>

#define SPMMI_SLICE_ROWS 32u
#define SPMMI_SLICE_BATCH 8u /* entries of a row that a lane loads at a time */
#define SPMMI_SLICE_RUN 3u   /* neighbouring columns, such as the three unknowns at a node of a mesh */

/* The metrics of one slice. */
struct spmmi_row_slice {
    int64_t rows, shortest, longest; /* number of rows; nonzeros of the shortest and the longest */
    int32_t first, last;             /* first and last column */
    int is_broken;                   /* whether a row does not consist of runs (spmmi_row_has_runs) */
};
static const struct spmmi_row_slice spmmi_row_slice_empty = {0, INT64_MAX, 0, INT32_MAX, 0, 0};

/* Returns true if the columns are runs of SPMMI_SLICE_RUN neighbours. The last run may be shorter. */
static inline int spmmi_row_has_runs(const int32_t *columns, int64_t length)
{
    const int64_t run = (int64_t)SPMMI_SLICE_RUN;
    for (int64_t first = 0; first < length; first += run) {
        const int64_t last = first + run < length ? first + run - 1 : length - 1;
        if (columns[last] - columns[first] != last - first)
            return 0;
    }
    return 1;
}

/* Adds a row to a slice: its columns, ascending. length is not 0. */
static inline void spmmi_row_slice_add(struct spmmi_row_slice *slice, const int32_t *columns, int64_t length)
{
    slice->is_broken = slice->is_broken || !spmmi_row_has_runs(columns, length);
    slice->rows++;
    slice->shortest = length < slice->shortest ? length : slice->shortest;
    slice->longest = length > slice->longest ? length : slice->longest;
    slice->first = columns[0] < slice->first ? columns[0] : slice->first;
    slice->last = columns[length - 1] > slice->last ? columns[length - 1] : slice->last;
}

/* Metrics of all slices of a pattern. A last slice of fewer than SPMMI_SLICE_ROWS rows is padded like a whole
 * one. */
struct spmmi_row_slices {
    int64_t rows;        /* number of rows with nonzeros */
    int64_t entries;     /* nonzeros and padding of all slices */
    int64_t batches;     /* batches of all slices */
    int64_t padding_max; /* most padding of a row: the longest row of a slice less the shortest */
    int64_t span;        /* maximum number of columns from the first to the last column of a slice */
    int64_t breaks;      /* 0 if all rows consist of runs of columns, else 1 */
};

/* Adds the metrics of other rows to all. */
static inline void spmmi_row_slices_add(struct spmmi_row_slices *all, const struct spmmi_row_slices *more)
{
    all->rows += more->rows;
    all->entries += more->entries;
    all->batches += more->batches;
    all->padding_max = more->padding_max > all->padding_max ? more->padding_max : all->padding_max;
    all->span = more->span > all->span ? more->span : all->span;
    all->breaks |= more->breaks;
}

/* Adds the metrics of a slice to all, unless the slice is empty. */
static inline void spmmi_row_slices_close(struct spmmi_row_slices *all, const struct spmmi_row_slice *slice)
{
    const struct spmmi_row_slices one = {slice->rows,
                                         slice->longest * SPMMI_SLICE_ROWS,
                                         (slice->longest + SPMMI_SLICE_BATCH - 1) / SPMMI_SLICE_BATCH,
                                         slice->longest - slice->shortest,
                                         (int64_t)slice->last - slice->first + 1,
                                         slice->is_broken};
    if (slice->rows > 0)
        spmmi_row_slices_add(all, &one);
}

/* Computes the metrics of all slices of a pattern in CSR form. */
static inline struct spmmi_row_slices spmmi_row_slices_of(int64_t rows, const int64_t *row_ptr,
                                                          const int32_t *col_ind)
{
    struct spmmi_row_slices all = {0, 0, 0, 0, 0, 0};
    struct spmmi_row_slice slice = spmmi_row_slice_empty;
    for (int64_t row = 0; row < rows; row++) {
        if (row_ptr[row] < row_ptr[row + 1])
            spmmi_row_slice_add(&slice, col_ind + row_ptr[row], row_ptr[row + 1] - row_ptr[row]);
        if (slice.rows == SPMMI_SLICE_ROWS) {
            spmmi_row_slices_close(&all, &slice);
            slice = spmmi_row_slice_empty;
            slice.is_broken = (int)all.breaks; /* once true, later rows need no test */
        }
    }
    spmmi_row_slices_close(&all, &slice);
    return all;
}

#endif
