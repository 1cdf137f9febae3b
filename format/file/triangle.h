/* SPDX-License-Identifier: Apache-2.0 */
/* One triangle of a square matrix whose pattern is symmetric, as plan files keep it: the entries (i, j) with j >= i.
 * The values of the others are those of the triangle, bit by bit, with the other sign if it is skew; or the file has
 * them all (docs/plan-format.md 6.16). */
#ifndef SPMMI_TRIANGLE_H
#define SPMMI_TRIANGLE_H

#include "format/plan.h"

#include <stdbool.h>

#define SPMMI_TRIANGLE_STRETCHES 512

struct spmmi_triangle {
    int64_t rows, nnz; /* entries of the triangle */
    int64_t *row_ptr;  /* rows + 1, owned, as what follows */
    int32_t *col_ind;  /* nnz */
    void *values;      /* nnz of value_bytes; NULL: they are not mirrored */
    uint32_t value_bytes;
    bool is_skew;
    /* Of a triangle that was checked: rows of a stretch, as a power of 2, and the last column of each, or -1. */
    int stretch_log2;
    int32_t reach[SPMMI_TRIANGLE_STRETCHES];
};

/* Of a plan: the triangle, with rows 0 where the pattern is not symmetric or too few entries are saved. MEMORY. */
spmm_status_t spmmi_triangle_of(const spmm_plan_t *plan, bool with_values, struct spmmi_triangle *triangle,
                                spmm_diag_t *diag);

/* Row pointers and then columns of a file: ROW_PTR, COL_IND unless they are a triangle of a matrix of nnz entries. */
spmm_status_t spmmi_triangle_check_rows(const struct spmmi_triangle *triangle, spmm_diag_t *diag);
spmm_status_t spmmi_triangle_check(int threads, struct spmmi_triangle *triangle, int64_t nnz,
                                   spmm_diag_t *diag);

/* Row pointers, columns and, where they are mirrored, values of the plan, whose sizes are set, from a triangle that was
 * checked. MEMORY. */
spmm_status_t spmmi_triangle_expand(int threads, const struct spmmi_triangle *triangle, spmm_plan_t *plan,
                                    spmm_diag_t *diag);

void spmmi_triangle_free(struct spmmi_triangle *triangle);

#endif
