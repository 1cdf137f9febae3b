/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of consecutive rows, as sliced ELL pads each to its longest row. Rows without nonzeros are left out. */
#ifndef SPMMI_ROW_SLICES_H
#define SPMMI_ROW_SLICES_H

#include <stdint.h>

#define SPMMI_SLICE_ROWS 32u
#define SPMMI_SLICE_BATCH 8u /* entries of a row that a lane has in flight */
#define SPMMI_SLICE_RUN 3u   /* columns side by side, as those of the unknowns of a node of a mesh */

/* One slice. */
struct spmmi_row_slice {
    int64_t rows, shortest, longest; /* rows, and nonzeros of two of them */
    int32_t first, last;             /* columns */
    int is_broken;                   /* some row is not one of runs */
};
static const struct spmmi_row_slice spmmi_row_slice_empty = {0, INT64_MAX, 0, INT32_MAX, 0, 0};

/* Do the columns come in runs of SPMMI_SLICE_RUN neighbours, but for the last? */
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

/* columns: of a row, ascending; length is not 0. */
static inline void spmmi_row_slice_add(struct spmmi_row_slice *slice, const int32_t *columns, int64_t length)
{
    slice->is_broken = slice->is_broken || !spmmi_row_has_runs(columns, length);
    slice->rows++;
    slice->shortest = length < slice->shortest ? length : slice->shortest;
    slice->longest = length > slice->longest ? length : slice->longest;
    slice->first = columns[0] < slice->first ? columns[0] : slice->first;
    slice->last = columns[length - 1] > slice->last ? columns[length - 1] : slice->last;
}

/* All slices of a pattern. */
struct spmmi_row_slices {
    int64_t rows;    /* that have nonzeros */
    int64_t entries; /* nonzeros and padding, of whole slices */
    int64_t batches; /* of whole slices */
    int64_t lacks;   /* most that a row is shorter than the longest of its slice */
    int64_t span;    /* most columns from the first to the last of a slice */
    int64_t breaks;  /* 0: all rows have runs of columns, else 1 */
};

/* Those of other rows. */
static inline void spmmi_row_slices_add(struct spmmi_row_slices *all, const struct spmmi_row_slices *more)
{
    all->rows += more->rows;
    all->entries += more->entries;
    all->batches += more->batches;
    all->lacks = more->lacks > all->lacks ? more->lacks : all->lacks;
    all->span = more->span > all->span ? more->span : all->span;
    all->breaks |= more->breaks;
}

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
            slice.is_broken = (int)all.breaks; /* then nobody asks any more */
        }
    }
    spmmi_row_slices_close(&all, &slice);
    return all;
}

#endif
