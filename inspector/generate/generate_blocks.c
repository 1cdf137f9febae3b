/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of dense blocks at random positions. Blocks of one entry give a uniform random matrix. */
#include "format/base/diag.h"
#include "generate.h"

enum { SEED_RAND = 21, SEED_BLOCK = 22, SEED_UNIFORM = 28 };

struct blocks {
    int64_t block_cols, side, per_row;
    uint64_t seed;
};

static int64_t block_length(const void *context, int64_t row)
{
    const struct blocks *b = context;
    (void)row;
    return b->per_row * b->side;
}

static int64_t block_row(const void *context, int64_t row, int32_t *out)
{
    const struct blocks *b = context;
    struct spmmi_random r = spmmi_random_stream(b->seed, (uint64_t)(row / b->side));
    spmmi_random_sample(&r, b->block_cols, b->per_row, out);
    /* Expand block indices to columns in place, from last to first. */
    for (int64_t i = b->per_row - 1; i >= 0; i--) {
        const int64_t first = out[i] * b->side;
        for (int64_t j = b->side - 1; j >= 0; j--)
            out[i * b->side + j] = (int32_t)(first + j);
    }
    return b->per_row * b->side;
}

static spmm_status_t build_blocks(int64_t rows, struct blocks b, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    const struct spmmi_row_source source = {
        .rows = rows,
        .cols = b.block_cols * b.side,
        /* per_row * side is at most the number of columns, which is below 2^31. */
        .nnz_bound = rows * b.per_row * b.side,
        .row_bound = b.per_row * b.side,
        .fill = block_row,
        .length = block_length,
        .context = &b,
    };
    return spmmi_generate_rows(&source, matrix, diag);
}

/* Builds a matrix with d random columns out of cols in each row. form and limit are names of the generator
 * string for messages. */
static spmm_status_t build_even(int64_t rows, int64_t cols, int64_t d, uint64_t seed, const char *form,
                                char limit, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(d <= cols, SPMM_ERR_ARGUMENT, diag, "%s needs d <= %c, found d = %lld and %c = %lld", form,
                 limit, (long long)d, limit, (long long)cols);
    SPMM_TRY(build_blocks(rows, (struct blocks){cols, 1, d, seed}, matrix, diag));
cleanup:
    return status;
}

spmm_status_t spmmi_generate_rand(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    return build_even(args[0], args[0], args[1], SEED_RAND, "gen:rand:m:d", 'm', matrix, diag);
}

spmm_status_t spmmi_generate_uniform(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    return build_even(args[0], args[1], args[2], SEED_UNIFORM, "gen:uniform:m:k:d", 'k', matrix, diag);
}

spmm_status_t spmmi_generate_block(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int64_t side = args[1];
    SPMM_REQUIRE(args[0] % side == 0, SPMM_ERR_ARGUMENT, diag,
                 "gen:block:m:b:d needs m to be a multiple of b, found m = %lld and b = %lld",
                 (long long)args[0], (long long)side);
    SPMM_REQUIRE(args[2] <= args[0] / side, SPMM_ERR_ARGUMENT, diag,
                 "gen:block:m:b:d needs d <= m / b, found d = %lld and m / b = %lld", (long long)args[2],
                 (long long)(args[0] / side));
    SPMM_TRY(build_blocks(args[0], (struct blocks){args[0] / side, side, args[2], SEED_BLOCK}, matrix, diag));
cleanup:
    return status;
}
