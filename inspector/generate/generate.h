/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that generators of synthetic matrices share, and the table of the rows of generator_list.def. */
#ifndef SPMMI_GENERATE_H
#define SPMMI_GENERATE_H

#include "inspector/matrix/matrix.h"
#include "inspector/analysis/random.h"

#define SPMMI_GENERATE_NNZ_MAX (INT64_C(1) << 31)

/* A matrix that is described row by row. */
struct spmmi_row_source {
    int64_t rows, cols;
    int64_t nnz_bound; /* upper bound of the number of nonzeros */
    int64_t row_bound; /* maximum number of columns that fill() writes */
    /* Writes the columns of a row, ascending and unique, into out and returns their number. The result must
     * depend only on the row: several threads call it, and it is called twice per row if length is NULL. */
    int64_t (*fill)(const void *context, int64_t row, int32_t *out);
    int64_t (*length)(const void *context, int64_t row); /* the number that fill() returns; may be NULL */
    const void *context;
};

/* Builds row_ptr and col_ind of an empty matrix from a row source. */
spmm_status_t spmmi_generate_rows(const struct spmmi_row_source *source, spmm_matrix_t *matrix,
                                  spmm_diag_t *diag);

/* Checks that the sizes are within the limits of the library and of the generators. */
spmm_status_t spmmi_generate_check_size(int64_t rows, int64_t cols, int64_t nnz_bound, spmm_diag_t *diag);

/* Returns a random permutation of 0 .. count - 1, owned by the caller; NULL: out of memory. */
int32_t *spmmi_random_permutation(int64_t count, uint64_t seed);

/* Writes d distinct random numbers from [0, k) to out, ascending. */
void spmmi_random_sample(struct spmmi_random *r, int64_t k, int64_t d, int32_t *out);

/* One function per generator, called with the numbers of the generator string. It fills in row_ptr and
 * col_ind. It sets values only if they have a meaning; otherwise they become random. */
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

/* Returns NULL after the last row. */
const struct spmmi_generator *spmmi_generator_at(int index);

#endif
