/* SPDX-License-Identifier: Apache-2.0 */
/* The interface to all permutations of units, rows or segments of rows: the rows of format/permutation_list.def with
 * what makes them. */
#ifndef SPMMI_PERMUTATION_UNITS_H
#define SPMMI_PERMUTATION_UNITS_H

#include <spmm/inspector.h>

#include "format/permutation.h"

struct spmmi_permutation_input {
    int64_t rows, cols;
    const int64_t *row_ptr; /* rows + 1 */
    const int32_t *col_ind; /* ascending in each row */
    uint64_t units;
    const int64_t *unit_ptr;  /* units + 1: whole rows, or as spmmi_units_cut makes it */
    const uint32_t *unit_row; /* the row of each unit; NULL: units are rows */
    int threads;              /* at least 1; never changes the permutation */
};

/* order[units]: the permutation. The input is within the limits of its row in the list. Errors: MEMORY. */
typedef spmm_status_t spmmi_reorder_fn(const struct spmmi_permutation_input *in, uint32_t *permutation);

struct spmmi_reorder_ops {
    spmm_reorder_t id;
    const char *name;
    struct {
        int is_square;
        int64_t units;       /* at most; 0: any number */
        const char *instead; /* the kind that a refusal recommends */
    } limits;
    spmmi_reorder_fn *make;
};

/* spmmi_permutation_radix and so on: each is in reorder_NAME.c. */
#define WORD(...)
#define PERMUTATION(name, ...) spmmi_reorder_fn spmmi_permutation_##name;
#include "format/permutation_list.def"
#undef WORD
#undef PERMUTATION

#define SPMMI_PERMUTATION_TAU 0.8 /* jaccard, over single columns: docs/reordering.md says why */

/* For kinds that permute rows, of_rows, and keep the segments of one together, ascending. */
spmm_status_t spmmi_permutation_by_rows(const struct spmmi_permutation_input *in, spmmi_reorder_fn *of_rows,
                                        uint32_t *permutation);

/* NULL for auto, none and unknown kinds. */
const struct spmmi_reorder_ops *spmmi_reorder_of(spmm_reorder_t kind);

/* Does the kind fit? ARGUMENT, with a sentence, where the matrix or its units are beyond the limits of its row. */
spmm_status_t spmmi_permutation_check(spmm_reorder_t kind, int64_t rows, int64_t cols, uint64_t units,
                                      spmm_diag_t *diag);

/* order[units]: the permutation of this kind, neither AUTO nor NONE; kinds that permute rows, rcm and
 * growing, keep the segments of one together, ascending. Errors: as spmmi_permutation_check; MEMORY. */
spmm_status_t spmmi_permutation_units(const struct spmmi_permutation_input *in, spmm_reorder_t kind,
                                      uint32_t *permutation, spmm_diag_t *diag);

#endif
