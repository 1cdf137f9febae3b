/* SPDX-License-Identifier: Apache-2.0 */
/* Permutations of the rows of a pattern. Each is computed at the first request and then cached. */
#ifndef SPMMI_ROW_PERMUTATION_H
#define SPMMI_ROW_PERMUTATION_H

#include <spmm/inspector.h>

#include "format/permutation.h"

struct spmmi_row_permutation {
    spmm_reorder_t kind;   /* SPMM_REORDER_NONE: the order of A */
    uint32_t *permutation; /* of the rows, owned by the cache; NULL: the identity, for any kind */
    double seconds;        /* time that the computation took */
};

/* A borrowed pattern and its permutations. Set the pattern and threads, and zero all other fields; free with
 * spmmi_row_permutations_free. */
struct spmmi_row_permutations {
    int64_t rows, cols;
    const int64_t *row_ptr;
    const int32_t *col_ind; /* ascending in each row */
    int threads;            /* at least 1; does not change the permutations */
    struct spmmi_row_permutation list[SPMMI_PERMUTATION_KINDS];
    int count;
};

/* Sets *permutation to the permutation of this kind, which must not be AUTO. It is valid until the cache is
 * freed. Errors: ARGUMENT with a message if the pattern violates the limits of the kind
 * (format/permutation_list.def), MEMORY. */
spmm_status_t spmmi_row_permutation_of(struct spmmi_row_permutations *permutations, spmm_reorder_t kind,
                                       const struct spmmi_row_permutation **permutation, spmm_diag_t *diag);
void spmmi_row_permutations_free(struct spmmi_row_permutations *permutations);

#endif
