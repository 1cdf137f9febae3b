/* SPDX-License-Identifier: Apache-2.0 */
/* The common interface of all permutations of units. A unit is a row or a segment of a row. The table is
 * generated from format/permutation_list.def. */
#ifndef SPMMI_PERMUTATION_UNITS_H
#define SPMMI_PERMUTATION_UNITS_H

#include <spmm/inspector.h>

#include "format/permutation.h"

struct spmmi_permutation_input {
    int64_t rows, cols;
    const int64_t *row_ptr; /* rows + 1 */
    const int32_t *col_ind; /* ascending in each row */
    uint64_t units;
    const int64_t *unit_ptr;  /* units + 1 values: whole rows, or as spmmi_units_cut makes them */
    const uint32_t *unit_row; /* the row of each unit; NULL: units are rows */
    int threads;              /* at least 1; does not change the permutation */
};

/* Writes the permutation to permutation[units]. The input must be within the limits of the kind. Errors:
 * MEMORY. */
typedef spmm_status_t spmmi_reorder_fn(const struct spmmi_permutation_input *in, uint32_t *permutation);

struct spmmi_reorder_ops {
    spmm_reorder_t id;
    const char *name;
    struct {
        int is_square;
        int64_t units;       /* maximum number of units; 0: no limit */
        const char *instead; /* the kind that the error message recommends instead */
    } limits;
    spmmi_reorder_fn *make;
};

/* spmmi_permutation_radix and so on; each is defined in reorder_NAME.c. */
#define WORD(...)
#define PERMUTATION(name, ...) spmmi_reorder_fn spmmi_permutation_##name;
#include "format/permutation_list.def"
#undef WORD
#undef PERMUTATION

/* Tau of jaccard over single columns; docs/reordering.md gives the reason. */
#define SPMMI_PERMUTATION_TAU 0.8

/* Computes a permutation of units with of_rows, which permutes whole rows. The segments of a row stay
 * together, in ascending order. */
spmm_status_t spmmi_permutation_by_rows(const struct spmmi_permutation_input *in, spmmi_reorder_fn *of_rows,
                                        uint32_t *permutation);

/* Returns NULL for auto, none and unknown kinds. */
const struct spmmi_reorder_ops *spmmi_reorder_of(spmm_reorder_t kind);

/* Checks that a matrix and its units are within the limits of the kind. Errors: ARGUMENT with a message. */
spmm_status_t spmmi_permutation_check(spmm_reorder_t kind, int64_t rows, int64_t cols, uint64_t units,
                                      spmm_diag_t *diag);

/* Writes the permutation of this kind to permutation[units]. kind is neither AUTO nor NONE. rcm and growing
 * permute whole rows: they keep the segments of a row together, in ascending order. Errors: as
 * spmmi_permutation_check; MEMORY. */
spmm_status_t spmmi_permutation_units(const struct spmmi_permutation_input *in, spmm_reorder_t kind,
                                      uint32_t *permutation, spmm_diag_t *diag);

#endif
