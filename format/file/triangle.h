/* SPDX-License-Identifier: Apache-2.0 */
/* The triangle that plan files store of a square matrix with a symmetric pattern:
 * the entries (i, j) with j >= i. If the values are mirrored, the value at (j, i)
 * has the bits of the value at (i, j), with the opposite sign if the matrix is
 * skew. Otherwise the file has all values (docs/plan-format.md section 6.16). */
#ifndef SPMMI_TRIANGLE_H
#define SPMMI_TRIANGLE_H

#include "format/plan.h"

#include <stdbool.h>

#define SPMMI_TRIANGLE_STRETCHES 512

struct spmmi_triangle {
    int64_t rows, nnz; /* nnz: entries of the triangle */
    int64_t *row_ptr;  /* rows + 1; this and the next two arrays are owned */
    int32_t *col_ind;  /* nnz */
    void *values;      /* nnz x value_bytes; NULL: values are not mirrored */
    uint32_t value_bytes;
    bool is_skew;
    /* Set by spmmi_triangle_check:
     * log2 of the rows of a stretch, and the largest column in each stretch (-1: none). */
    int stretch_log2;
    int32_t reach[SPMMI_TRIANGLE_STRETCHES];
};

/* Extracts the triangle of a plan. Sets rows to 0 if the pattern is not symmetric or a triangle saves too few
 * entries. with_values: also tests whether the values are mirrored. Errors: MEMORY. */
spmm_status_t spmmi_triangle_of(const spmm_plan_t *plan, bool with_values, struct spmmi_triangle *triangle,
                                spmm_diag_t *diag);

/* Check the row pointers, and then the columns, of a triangle from a file. Errors: ROW_PTR, or COL_IND if
 * they are not the triangle of a matrix with nnz entries. */
spmm_status_t spmmi_triangle_check_rows(const struct spmmi_triangle *triangle, spmm_diag_t *diag);
spmm_status_t spmmi_triangle_check(int threads, struct spmmi_triangle *triangle, int64_t nnz,
                                   spmm_diag_t *diag);

/* Allocates the row pointers, the columns and, if they are mirrored, the values of the plan and fills them
 * from a checked triangle. The dimensions of the plan are set. Errors: MEMORY. */
spmm_status_t spmmi_triangle_expand(int threads, const struct spmmi_triangle *triangle, spmm_plan_t *plan,
                                    spmm_diag_t *diag);

void spmmi_triangle_free(struct spmmi_triangle *triangle);

#endif
