/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the plan of a product of sparse matrices from its factors: the symbolic phase. */
#include <assert.h>
#include <spmm/product.h>
#include <stdio.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/log.h"
#include "format/base/options.h"
#include "format/check/plan_check.h"
#include "format/spgemm/spgemm_repeats.h"
#include "format/spgemm/spgemm_tasks.h"
#include "inspector/matrix/matrix.h"
#include "inspector/matrix/source_name.h"
#include "inspector/thread_count.h"

/* State of one inspection. */
struct inspection {
    const spmm_product_factor_t *factors;
    uint32_t count;
    spmm_product_options_t options;
    int threads;
    uint64_t used;      /* bytes allocated for the plan so far */
    int64_t heavy_rows; /* of T or of the last product, whichever has more */
    int has_stretches;  /* there may be long entries */
    spmm_plan_t *plan;
    spmm_diag_t *diag;
};

static spmm_status_t options_read(struct inspection *in, const spmm_product_options_t *given)
{
    spmm_status_t status = SPMM_OK;
    spmm_product_options_t *o = &in->options;
    *o = (spmm_product_options_t)SPMM_PRODUCT_OPTIONS_INIT;
    SPMM_TRY(spmmi_options_read(o, sizeof *o, given, "product options", in->diag));
    o->dtype = o->dtype == 0 ? SPMM_F32 : o->dtype;
    SPMM_REQUIRE(o->dtype == SPMM_F32 || o->dtype == SPMM_F64, SPMM_ERR_ARGUMENT, in->diag,
                 "values of %s (type %d), expected f32 or f64", spmm_dtype_name(o->dtype), (int)o->dtype);
    SPMM_REQUIRE((o->lower & ~1) == 0 && (o->diagonal & ~1) == 0, SPMM_ERR_ARGUMENT, in->diag,
                 "lower is %d and diagonal %d, expected 0 or 1", o->lower, o->diagonal);
    SPMM_REQUIRE(o->piece_products >= 0 && o->threads >= 0, SPMM_ERR_ARGUMENT, in->diag,
                 "piece_products is %lld and threads %d, expected 0 or more", (long long)o->piece_products,
                 o->threads);
    SPMM_REQUIRE(!o->diagonal || in->count == 2, SPMM_ERR_ARGUMENT, in->diag,
                 "a diagonal stands between two factors, there are %u", in->count);
    in->threads = spmmi_thread_count(o->threads);
cleanup:
    return status;
}

/* Checks that the budget allows `bytes` more, and records the `kept` bytes that stay allocated. */
static spmm_status_t take(struct inspection *in, uint64_t bytes, uint64_t kept)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(spmmi_spgemm_require_bytes(in->used, bytes, in->options.budget_bytes, in->diag));
    in->used += kept;
cleanup:
    return status;
}

/* Copies the pattern of an operand into the plan. */
static spmm_status_t add_operand(struct inspection *in, const spmm_matrix_t *a)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_spgemm *g = in->plan->product;
    struct spmmi_spgemm_matrix *m = &g->matrices[g->operand_count];
    const uint64_t rows = (uint64_t)a->rows + 1, nnz = (uint64_t)a->nnz;
    const uint64_t bytes = rows * sizeof *m->row_ptr + nnz * sizeof *m->col_ind;
    SPMM_TRY(take(in, bytes, bytes));
    m->rows = a->rows;
    m->cols = a->cols;
    m->nnz = a->nnz;
    SPMM_TRY_ALLOC(m->row_ptr = spmmi_alloc(rows, sizeof *m->row_ptr), in->diag);
    SPMM_TRY_ALLOC(m->col_ind = spmmi_alloc(nnz, sizeof *m->col_ind), in->diag);
    memcpy(m->row_ptr, a->row_ptr, rows * sizeof *m->row_ptr);
    memcpy(m->col_ind, a->col_ind, nnz * sizeof *m->col_ind);
    spmmi_digest_pattern(m->rows, m->cols, m->row_ptr, m->col_ind, m->digest);
    g->operand_count++;
cleanup:
    return status;
}

/* Numbers the operands in the order in which the factors first name them, and checks that the factors fit
 * together. */
static spmm_status_t add_factors(struct inspection *in)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_spgemm *g = in->plan->product;
    g->factor_count = in->count;
    for (uint32_t f = 0; f < in->count; f++) {
        uint32_t same = 0;
        SPMM_REQUIRE(in->factors[f].matrix != NULL, SPMM_ERR_ARGUMENT, in->diag, "factor %u is NULL", f);
        SPMM_REQUIRE(spmmi_is_op(in->factors[f].op), SPMM_ERR_ARGUMENT, in->diag, "factor %u has op %d", f,
                     (int)in->factors[f].op);
        while (in->factors[same].matrix != in->factors[f].matrix)
            same++;
        g->factor_op[f] = in->factors[f].op;
        g->factor_operand[f] = same < f ? g->factor_operand[same] : g->operand_count;
        if (same == f)
            SPMM_TRY(add_operand(in, in->factors[f].matrix));
    }
    for (uint32_t f = 0; f + 1 < in->count; f++)
        SPMM_REQUIRE(spmmi_spgemm_cols(g, f) == spmmi_spgemm_rows(g, f + 1), SPMM_ERR_SHAPE, in->diag,
                     "factor %u has %lld columns, factor %u has %lld rows", f + 1,
                     (long long)spmmi_spgemm_cols(g, f), f + 2, (long long)spmmi_spgemm_rows(g, f + 1));
    SPMM_REQUIRE(!in->options.lower || spmmi_spgemm_rows(g, 0) == spmmi_spgemm_cols(g, in->count - 1),
                 SPMM_ERR_SHAPE, in->diag, "the product is %lld x %lld, but lower needs a square one",
                 (long long)spmmi_spgemm_rows(g, 0), (long long)spmmi_spgemm_cols(g, in->count - 1));
cleanup:
    return status;
}

/* Finds the pattern of left * right. The arrays belong to the plan. */
static spmm_status_t multiply(struct inspection *in, const struct spmmi_spgemm_factor *left,
                              const struct spmmi_spgemm_factor *right, int is_lower, int64_t **row_ptr,
                              int32_t **col_ind)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_spgemm_task task = {left->pattern, right->pattern, is_lower};
    const uint64_t rows = (uint64_t)left->pattern.rows + 1, repeated = spmmi_spgemm_repeats_bytes(&task),
                   marks = spmmi_spgemm_scratch_bytes(right->pattern.cols, in->threads, SPMMI_NO_LISTS);
    struct spmmi_spgemm_repeats repeats = {NULL, NULL};
    SPMM_TRY(take(in, rows * sizeof **row_ptr + marks + repeated, rows * sizeof **row_ptr));
    SPMM_TRY_ALLOC(*row_ptr = spmmi_alloc(rows, sizeof **row_ptr), in->diag);
    SPMM_TRY(spmmi_spgemm_repeats_make(&task, in->threads, &repeats, in->diag));
    SPMM_TRY(spmmi_spgemm_row_ptr(&task, &repeats, in->threads, *row_ptr, NULL, in->diag));
    const int64_t nnz = (*row_ptr)[rows - 1];
    SPMM_REQUIRE(nnz <= SPMMI_NNZ_MAX, SPMM_ERR_MATRIX_TOO_LARGE, in->diag,
                 "the product has %lld entries, a plan at most %lld", (long long)nnz,
                 (long long)SPMMI_NNZ_MAX);
    const uint64_t lists = spmmi_spgemm_scratch_bytes(right->pattern.cols, in->threads,
                                                      spmmi_spgemm_longest_row(task.left.rows, *row_ptr));
    SPMM_TRY(take(in, (uint64_t)nnz * sizeof **col_ind + lists + repeated, (uint64_t)nnz * sizeof **col_ind));
    SPMM_TRY_ALLOC(*col_ind = spmmi_alloc((uint64_t)nnz, sizeof **col_ind), in->diag);
    SPMM_TRY(spmmi_spgemm_columns(&task, &repeats, in->threads, *row_ptr, *col_ind, in->diag));
    for (int64_t q = 0; right->numbers.group != NULL && q < nnz; q++)
        (*col_ind)[q] = right->numbers.group[(*col_ind)[q]];
cleanup:
    spmmi_spgemm_repeats_free(&repeats);
    return status;
}

static spmm_status_t count_products(struct inspection *in, const struct spmmi_spgemm_factor *left,
                                    const struct spmmi_spgemm_factor *right, uint64_t *products)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(take(in, 8 * (uint64_t)left->pattern.cols, 0));
    status = spmmi_spgemm_count(&left->pattern, SPMM_OP_N, &right->pattern, SPMM_OP_N, products);
    SPMM_REQUIRE(status == SPMM_OK, status, in->diag, "out of memory in %s", __func__);
    SPMM_REQUIRE(*products != UINT64_MAX, SPMM_ERR_MATRIX_TOO_LARGE, in->diag,
                 "2^64 multiplications or more");
cleanup:
    return status;
}

/* Updates heavy_rows to the maximum over the products so far, if the default of piece_products needs it. */
static void count_heavy_rows(struct inspection *in, const struct spmmi_spgemm_factor *left,
                             const struct spmmi_spgemm_factor *right)
{
    if (in->options.piece_products != 0)
        return;
    const int64_t rows = spmmi_spgemm_work_of(&left->pattern, &right->pattern).heavy_rows;
    in->heavy_rows = rows > in->heavy_rows ? rows : in->heavy_rows;
}

static spmm_status_t find_stretches(struct inspection *in, const struct spmmi_spgemm_factor *left,
                                    const struct spmmi_spgemm_factor *right)
{
    spmm_status_t status = SPMM_OK;
    int may = 0;
    SPMM_TRY(take(in, sizeof(uint32_t) * (uint64_t)right->pattern.cols, 0));
    SPMM_TRY(spmmi_spgemm_may_be_long(&left->pattern, &right->pattern, &may, in->diag));
    in->has_stretches |= may;
cleanup:
    return status;
}

/* Makes T = F1 F2, which the plan stores after the operands. */
static spmm_status_t inner_product(struct inspection *in, const struct spmmi_spgemm_factor *factors)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_spgemm *g = in->plan->product;
    struct spmmi_spgemm_matrix *t = &g->matrices[g->operand_count];
    t->rows = factors[1].pattern.rows;
    t->cols = spmmi_spgemm_cols(g, 2);
    SPMM_TRY(count_products(in, &factors[1], &factors[2], &g->products[1]));
    count_heavy_rows(in, &factors[1], &factors[2]);
    SPMM_TRY(find_stretches(in, &factors[1], &factors[2]));
    SPMM_TRY(multiply(in, &factors[1], &factors[2], 0, &t->row_ptr, &t->col_ind));
    t->nnz = t->row_ptr[t->rows];
    spmmi_digest_pattern(t->rows, t->cols, t->row_ptr, t->col_ind, t->digest);
cleanup:
    return status;
}

static spmm_status_t make_factor(struct inspection *in, const struct spmmi_spgemm_matrix *m, spmm_op_t op,
                                 int is_right, struct spmmi_spgemm_factor *factor)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_csr_pattern operand = spmmi_spgemm_pattern_of(m);
    const int keeps_columns = in->options.lower;
    const uint64_t bytes = spmmi_spgemm_factor_bytes(&operand, op, is_right, keeps_columns);
    SPMM_TRY(take(in, bytes, bytes));
    SPMM_TRY(spmmi_spgemm_factor_make(&operand, op, is_right, keeps_columns, in->threads, factor, in->diag));
cleanup:
    return status;
}

static spmm_status_t symbolic_phase(struct inspection *in)
{
    spmm_status_t status = SPMM_OK;
    spmm_plan_t *p = in->plan;
    struct spmmi_spgemm *g = p->product;
    struct spmmi_spgemm_factor factors[SPMMI_SPGEMM_FACTORS] = {{.row_ptr = NULL}}, inner = {.row_ptr = NULL};
    const struct spmmi_spgemm_factor *right = &factors[1];
    for (uint32_t f = 0; f < g->factor_count; f++)
        SPMM_TRY(make_factor(in, &g->matrices[g->factor_operand[f]], (spmm_op_t)g->factor_op[f],
                             f + 1 == g->factor_count, &factors[f]));
    if (g->factor_count == SPMMI_SPGEMM_FACTORS) {
        SPMM_TRY(inner_product(in, factors));
        SPMM_TRY(make_factor(in, &g->matrices[g->operand_count], SPMM_OP_N, 1, &inner));
        right = &inner;
    }
    p->rows = spmmi_spgemm_rows(g, 0);
    p->cols = spmmi_spgemm_cols(g, g->factor_count - 1);
    SPMM_TRY(count_products(in, &factors[0], right, &g->products[0]));
    count_heavy_rows(in, &factors[0], right);
    SPMM_TRY(find_stretches(in, &factors[0], right));
    SPMM_TRY(multiply(in, &factors[0], right, in->options.lower, &p->row_ptr, &p->col_ind));
    p->nnz = p->row_ptr[p->rows];
cleanup:
    spmmi_spgemm_factor_free(&inner);
    for (uint32_t f = 0; f < SPMMI_SPGEMM_FACTORS; f++)
        spmmi_spgemm_factor_free(&factors[f]);
    return status;
}

static void set_parameters(struct inspection *in)
{
    struct spmmi_spgemm *g = in->plan->product;
    const spmm_product_options_t *o = &in->options;
    const uint64_t most = g->products[0] > g->products[1] ? g->products[0] : g->products[1];
    g->flags = (o->lower ? SPMMI_SPGEMM_LOWER : 0) | (o->diagonal ? SPMMI_SPGEMM_DIAGONAL : 0) |
               (in->has_stretches && most <= SPMMI_SPGEMM_STRETCHED_MAX ? SPMMI_SPGEMM_STRETCHES : 0);
    g->piece_products = o->piece_products == 0           ? spmmi_spgemm_share(most, in->heavy_rows)
                        : o->piece_products == INT64_MAX ? 0
                                                         : (uint64_t)o->piece_products;
}

/* Writes a name such as "A.mtx * B.mtx", with ' after a transposed factor. It stays empty if a matrix has no
 * name. */
static void name_source(const struct inspection *in, char *text, size_t size)
{
    char joined[2 * SPMMI_SOURCE_BYTES];
    int used = 0;
    joined[0] = '\0';
    for (uint32_t f = 0; f < in->count; f++)
        if (in->factors[f].matrix->info.name[0] == '\0')
            return;
    for (uint32_t f = 0; f < in->count && used >= 0 && (size_t)used < sizeof joined; f++)
        used += snprintf(joined + used, sizeof joined - (size_t)used, "%s%.60s%s", f == 0 ? "" : " * ",
                         in->factors[f].matrix->info.name, in->factors[f].op == SPMM_OP_T ? "'" : "");
    spmmi_source_name(joined, text, size);
}

static spmm_status_t finish(struct inspection *in)
{
    spmm_status_t status = SPMM_OK;
    spmm_plan_t *p = in->plan;
    p->dtype = in->options.dtype;
    set_parameters(in);
    name_source(in, p->source, sizeof p->source);
    (void)snprintf(p->writer, sizeof p->writer, "spmm-inspector %s", spmm_version_string());
    status = spmmi_stats_compute(p->rows, p->cols, p->row_ptr, p->col_ind, NULL, p->dtype, &p->stats);
    SPMM_REQUIRE(status == SPMM_OK, status, in->diag, "out of memory for the statistics of %lld columns",
                 (long long)p->cols);
    spmmi_digest_pattern(p->rows, p->cols, p->row_ptr, p->col_ind, p->pattern_digest);
#ifndef NDEBUG
    SPMM_TRY(spmmi_plan_check(p, in->diag));
#endif
    spmmi_log(SPMM_LOG_INFO, "%s: %lld x %lld, %lld entries of %llu products", p->source, (long long)p->rows,
              (long long)p->cols, (long long)p->nnz, (unsigned long long)p->product->products[0]);
cleanup:
    return status;
}

spmm_status_t spmm_product_inspect(const spmm_product_factor_t *factors, int count,
                                   const spmm_product_options_t *options, spmm_plan_t **plan,
                                   spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct inspection in = {.factors = factors, .count = (uint32_t)count, .diag = diag};
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(plan != NULL, SPMM_ERR_ARGUMENT, diag, "plan is NULL");
    *plan = NULL;
    SPMM_REQUIRE(factors != NULL && (count == 2 || count == SPMM_PRODUCT_FACTORS), SPMM_ERR_ARGUMENT, diag,
                 "%d factors, expected 2 or 3", count);
    SPMM_TRY(options_read(&in, options));
    const uint64_t bytes = sizeof *in.plan + sizeof *in.plan->product;
    SPMM_TRY(take(&in, bytes, bytes));
    SPMM_TRY_ALLOC(in.plan = spmmi_plan_new(), diag);
    SPMM_TRY_ALLOC(in.plan->product = spmmi_alloc_zero(1, sizeof *in.plan->product), diag);
    SPMM_TRY(add_factors(&in));
    SPMM_TRY(symbolic_phase(&in));
    SPMM_TRY(finish(&in));
    *plan = in.plan;
    in.plan = NULL;
cleanup:
    spmm_plan_destroy(in.plan);
    return status;
}
