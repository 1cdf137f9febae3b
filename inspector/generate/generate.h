/* SPDX-License-Identifier: Apache-2.0 */
/* What the generators of synthetic matrices share, and the rows of generator_list.def as a table. */
#ifndef SPMMI_GENERATE_H
#define SPMMI_GENERATE_H

#include "inspector/matrix/matrix.h"
#include "inspector/analysis/random.h"

#define SPMMI_GENERATE_NNZ_MAX (INT64_C(1) << 31)

/* A matrix described row by row. */
struct spmmi_row_source {
    int64_t rows, cols;
    int64_t nnz_bound; /* at least the number of nonzeros */
    int64_t row_bound; /* most columns that fill() writes */
    /* Write the columns of a row, ascending and unique, into out and return how many. Always the same
     * for the same row: it is called from several threads, and once more when length is NULL. */
    int64_t (*fill)(const void *context, int64_t row, int32_t *out);
    int64_t (*length)(const void *context, int64_t row); /* what fill() will return; may be NULL */
    const void *context;
};

/* Build the CSR pattern of a row source into an empty matrix: row_ptr and col_ind. */
spmm_status_t spmmi_generate_rows(const struct spmmi_row_source *source, spmm_matrix_t *matrix,
                                  spmm_diag_t *diag);

/* Refuse sizes that spmm or the generators cannot hold. */
spmm_status_t spmmi_generate_check_size(int64_t rows, int64_t cols, int64_t nnz_bound, spmm_diag_t *diag);

/* A random permutation of 0..count-1, owned by the caller; NULL when memory is short. */
int32_t *spmmi_random_permutation(int64_t count, uint64_t seed);

/* d different numbers in [0, k), ascending. */
void spmmi_random_sample(struct spmmi_random *r, int64_t k, int64_t d, int32_t *out);

/* One function per generator, with the numbers of its string; they fill row_ptr and col_ind, and values where they have
 * a meaning: else those are random. */
typedef spmm_status_t spmmi_generator_fn(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag);
#define GENERATOR(name, ...) spmmi_generator_fn spmmi_generate_##name;
#include "generator_list.def"
#undef GENERATOR

#define SPMMI_GENERATOR_ARGS_MAX 4

struct spmmi_generator {
    const char *name, *parameters, *text;
    int args;
    struct spmmi_generator_limit {
        int64_t min, max;
    } limits[SPMMI_GENERATOR_ARGS_MAX];
    spmmi_generator_fn *build;
};

/* NULL past the last row. */
const struct spmmi_generator *spmmi_generator_at(int index);

#endif
