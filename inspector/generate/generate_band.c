/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices whose rows are one run of columns each: bands, diagonal, dense and empty matrices. Also bands with
 * some full rows. */
#include "generate.h"

struct band {
    int64_t rows, cols, lower, upper;
};

static int64_t band_first(const struct band *b, int64_t row)
{
    return row > b->lower ? row - b->lower : 0;
}

static int64_t band_length(const void *context, int64_t row)
{
    const struct band *b = context;
    const int64_t end = row + b->upper + 1 < b->cols ? row + b->upper + 1 : b->cols;
    const int64_t first = band_first(b, row);
    return end > first ? end - first : 0;
}

static int64_t band_row(const void *context, int64_t row, int32_t *out)
{
    const struct band *b = context;
    const int64_t first = band_first(b, row);
    const int64_t length = band_length(context, row);
    for (int64_t j = 0; j < length; j++)
        out[j] = (int32_t)(first + j);
    return length;
}

static spmm_status_t build_band(struct band b, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    const int64_t width = b.lower + b.upper + 1 < b.cols ? b.lower + b.upper + 1 : b.cols;
    const struct spmmi_row_source source = {
        .rows = b.rows,
        .cols = b.cols,
        .nnz_bound = width > 0 ? b.rows * width : 0, /* both factors are below 2^31 */
        .row_bound = width > 0 ? width : 0,
        .fill = band_row,
        .length = band_length,
        .context = &b,
    };
    return spmmi_generate_rows(&source, matrix, diag);
}

spmm_status_t spmmi_generate_band(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    return build_band((struct band){args[0], args[0], args[1], args[1]}, matrix, diag);
}

spmm_status_t spmmi_generate_diag(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    return build_band((struct band){args[0], args[0], 0, 0}, matrix, diag);
}

spmm_status_t spmmi_generate_dense(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    return build_band((struct band){args[0], args[1], args[0], args[1]}, matrix, diag);
}

spmm_status_t spmmi_generate_empty(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    /* An empty matrix is a band that ends before it begins. */
    return build_band((struct band){args[0], args[1], 0, -1}, matrix, diag);
}

/* ---- Hubs: a band with evenly spaced full rows ---- */

struct hubs {
    struct band band;
    int64_t count;
};

/* Returns true for the row in the middle of each of `count` equal ranges of rows. */
static int is_hub(const struct hubs *h, int64_t row)
{
    const int64_t k = row * h->count / h->band.rows;
    return row == (2 * k + 1) * h->band.rows / (2 * h->count);
}

static int64_t hubs_length(const void *context, int64_t row)
{
    const struct hubs *h = context;
    return is_hub(h, row) ? h->band.cols : band_length(&h->band, row);
}

static int64_t hubs_row(const void *context, int64_t row, int32_t *out)
{
    const struct hubs *h = context;
    if (!is_hub(h, row))
        return band_row(&h->band, row, out);
    for (int64_t j = 0; j < h->band.cols; j++)
        out[j] = (int32_t)j;
    return h->band.cols;
}

spmm_status_t spmmi_generate_hubs(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    const struct hubs h = {{args[0], args[0], args[1], args[1]}, args[2]};
    const int64_t width = 2 * args[1] + 1 < args[0] ? 2 * args[1] + 1 : args[0];
    const struct spmmi_row_source source = {
        .rows = args[0],
        .cols = args[0],
        .nnz_bound = args[0] * width + args[2] * args[0],
        .row_bound = args[0],
        .fill = hubs_row,
        .length = hubs_length,
        .context = &h,
    };
    return spmmi_generate_rows(&source, matrix, diag);
}
