/* SPDX-License-Identifier: Apache-2.0 */
/* Permutations of the rows of a pattern, each made at the first call. */
#ifndef SPMMI_ROW_PERMUTATION_H
#define SPMMI_ROW_PERMUTATION_H

#include <spmm/inspector.h>

#include "format/permutation.h"

struct spmmi_row_permutation {
    spmm_reorder_t kind;   /* SPMM_REORDER_NONE: the order of A */
    uint32_t *permutation; /* of the rows, owned by the cache; NULL: the identity, whatever the kind */
    double seconds;        /* that it took to make */
};

/* A pattern, borrowed, and its permutations. Set pattern and threads, all else zero; free with
 * spmmi_row_permutations_free. */
struct spmmi_row_permutations {
    int64_t rows, cols;
    const int64_t *row_ptr;
    const int32_t *col_ind; /* ascending in each row */
    int threads;            /* at least 1; never changes a permutation */
    struct spmmi_row_permutation list[SPMMI_PERMUTATION_KINDS];
    int count;
};

/* The permutation of this kind, which is not AUTO; valid until the cache is freed. Errors: ARGUMENT with a sentence
 * where the kind does not fit the pattern (format/permutation_list.def), MEMORY. */
spmm_status_t spmmi_row_permutation_of(struct spmmi_row_permutations *permutations, spmm_reorder_t kind,
                                       const struct spmmi_row_permutation **permutation, spmm_diag_t *diag);
void spmmi_row_permutations_free(struct spmmi_row_permutations *permutations);

#endif
