/* SPDX-License-Identifier: Apache-2.0 */
/* Power-law matrices: row lengths decrease as 1 / rank, and the probability of a column decreases as 1 / rank
 * by octaves. */
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "generate.h"
#include "format/matrix/sorted_columns.h"

enum { SEED_ZIPF_ROWS = 25, SEED_ZIPF_COLS = 26, SEED_ZIPF = 27 };

struct zipf {
    int64_t cols;
    const int64_t *length; /* per row */
    const int32_t *column; /* the column that has a rank */
};

static int64_t zipf_length(const void *context, int64_t row)
{
    const struct zipf *z = context;
    return z->length[row];
}

/* Octave e has the 2^e ranks from 2^e - 1; the last octave has all remaining ranks. Each octave contributes
 * the same share of a row, or all its columns if it has fewer. This gives a density that decreases as 1 /
 * rank, using only integers. */
static int64_t zipf_row(const void *context, int64_t row, int32_t *out)
{
    const struct zipf *z = context;
    struct spmmi_random r = spmmi_random_stream(SEED_ZIPF, (uint64_t)row);
    /* The last octave has at least half of the columns, and a row uses at most a quarter of all columns. */
    int64_t octaves = 1;
    while ((INT64_C(2) << octaves) <= z->cols)
        octaves++;
    int64_t have = 0;
    for (int64_t e = 0; e < octaves; e++) {
        const int64_t first = (INT64_C(1) << e) - 1;
        const int64_t width = e + 1 < octaves ? first + 1 : z->cols - first;
        const int64_t left = z->length[row] - have;
        const int64_t share =
            left / (octaves - e) + (spmmi_random_below(&r, octaves - e) < left % (octaves - e));
        const int64_t take = share < width ? share : width;
        spmmi_random_sample(&r, width, take, out + have);
        for (int64_t i = 0; i < take; i++, have++)
            out[have] = z->column[first + out[have]];
    }
    return spmmi_sort_unique(out, have);
}

/* Sets lengths that decrease as 1 / rank, are at most `cap` and sum to `total`. rank_row[rank] is the row
 * that has the rank. */
static void zipf_lengths(int64_t rows, int64_t total, int64_t cap, const int32_t *rank_row, int64_t *length)
{
    double weight = 0;
    for (int64_t rank = rows; rank >= 1; rank--)
        weight += 1.0 / (double)rank;
    /* The first ranks may reach the cap; the entries that they cannot hold go to the other ranks. */
    int64_t full = 0;
    int64_t left = total;
    while (full < rows && (double)left / weight / (double)(full + 1) > (double)cap) {
        length[rank_row[full]] = cap;
        left -= cap;
        full++;
        weight -= 1.0 / (double)full;
    }
    const double scale = full < rows ? (double)left / weight : 0;
    double sum = 0;
    int64_t given = 0;
    for (int64_t rank = full; rank < rows; rank++) {
        sum += scale / (double)(rank + 1);
        int64_t upto = (int64_t)(sum + 0.5);
        upto = upto > given + cap ? given + cap : upto;
        length[rank_row[rank]] = upto - given;
        given = upto;
    }
}

spmm_status_t spmmi_generate_powerlaw(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int64_t rows = args[0];
    const int64_t cols = args[1];
    const int64_t cap = cols >= 4 ? cols / 4 : 1;
    int32_t *rank_row = NULL;
    int32_t *column = NULL;
    int64_t *length = NULL;

    SPMM_REQUIRE(args[2] <= cap, SPMM_ERR_ARGUMENT, diag,
                 "gen:powerlaw:m:k:d needs d <= k / 4, found d = %lld and k = %lld", (long long)args[2],
                 (long long)cols);
    SPMM_TRY(spmmi_generate_check_size(rows, cols, rows * args[2], diag));
    rank_row = spmmi_random_permutation(rows, SEED_ZIPF_ROWS);
    SPMM_TRY_ALLOC(rank_row, diag);
    column = spmmi_random_permutation(cols, SEED_ZIPF_COLS);
    SPMM_TRY_ALLOC(column, diag);
    length = spmmi_alloc_zero((uint64_t)rows, sizeof *length);
    SPMM_TRY_ALLOC(length, diag);
    zipf_lengths(rows, rows * args[2], cap, rank_row, length);
    int64_t longest = 0;
    for (int64_t i = 0; i < rows; i++)
        longest = length[i] > longest ? length[i] : longest;

    const struct zipf z = {cols, length, column};
    const struct spmmi_row_source source = {
        .rows = rows,
        .cols = cols,
        .nnz_bound = rows * args[2] + 1, /* + 1 for the last rounding */
        .row_bound = longest,
        .fill = zipf_row,
        .length = zipf_length,
        .context = &z,
    };
    SPMM_TRY(spmmi_generate_rows(&source, matrix, diag));
cleanup:
    spmmi_free(length);
    spmmi_free(column);
    spmmi_free(rank_row);
    return status;
}
