/* SPDX-License-Identifier: Apache-2.0 */
/* See product_bins.h. */
#include "product_bins.h"

#include <stdlib.h>

#include "tools/cli/print_text.h"

#define BINS 8
#define CELL 10

struct bins {
    int64_t entries[BINS], products[BINS]; /* numbers of rows */
};

/* Largest count of each bin; -1: the last bin has all larger ones. The first five are those of hash tables
 * (kernels/spgemm). */
static const int64_t ends[BINS] = {8, 32, 128, 256, 512, 4096, 32768, -1};

static void add_row(int64_t *rows, uint64_t count)
{
    int bin = 0;
    while (bin + 1 < BINS && count > (uint64_t)ends[bin])
        bin++;
    rows[bin]++;
}

static int64_t rows_of(const spmm_csr_t *a, spmm_op_t op)
{
    return op == SPMM_OP_T ? a->cols : a->rows;
}

/* Sums the weights of the columns of each row of op(A); weights NULL: each counts as 1. Returns NULL if
 * memory is short. */
static uint64_t *sum_rows(const spmm_csr_t *a, spmm_op_t op, const uint64_t *weights)
{
    const int64_t *row_ptr = a->row_ptr;
    const int32_t *col_ind = a->col_ind;
    uint64_t *sums = calloc((size_t)rows_of(a, op) + 1, sizeof *sums);
    for (int64_t i = 0; sums != NULL && i < a->rows; i++)
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++) {
            const int64_t row = op == SPMM_OP_T ? col_ind[p] : i, column = op == SPMM_OP_T ? i : col_ind[p];
            sums[row] += weights != NULL ? weights[column] : 1;
        }
    return sums;
}

/* Fills the bins. Returns 0 if the plan is not of a product or if memory is short. */
static int count_rows(const spmm_plan_t *plan, struct bins *bins)
{
    spmm_product_plan_info_t info = {.struct_size = sizeof info};
    spmm_csr_t left, right, c;
    *bins = (struct bins){.entries = {0}};
    (void)spmm_plan_product(plan, &info); /* fails only for NULL */
    if (info.factor_count == 0)
        return 0;
    const int has_inner = info.factor_count == SPMM_PRODUCT_FACTORS;
    (void)spmm_plan_csr(plan, &c);
    (void)spmm_plan_operand(plan, info.factor_operand[0], &left, NULL);
    (void)spmm_plan_operand(plan, has_inner ? info.operand_count : info.factor_operand[1], &right, NULL);
    uint64_t *const lengths = sum_rows(&right, has_inner ? SPMM_OP_N : info.factor_op[1], NULL),
                    *const products = lengths != NULL ? sum_rows(&left, info.factor_op[0], lengths) : NULL;
    const int64_t *row_ptr = c.row_ptr;
    for (int64_t i = 0; products != NULL && i < c.rows; i++) {
        add_row(bins->entries, (uint64_t)(row_ptr[i + 1] - row_ptr[i]));
        add_row(bins->products, products[i]);
    }
    free(products);
    free(lengths);
    return products != NULL;
}

static void text_rows(FILE *out, const char *name, const int64_t *rows, int label)
{
    char count[PRINT_UNITS_BYTES];
    fprintf(out, "%-*s%-12s", label, "", name);
    for (int bin = 0; bin < BINS; bin++)
        fprintf(out, "%*s", CELL, print_count(count, rows[bin]));
    fputc('\n', out);
}

void product_bins_text(FILE *out, const spmm_plan_t *plan, int label)
{
    struct bins bins;
    char end[PRINT_UNITS_BYTES];
    if (!count_rows(plan, &bins))
        return;
    fprintf(out, "%-*s%-12s", label, "bins", "rows up to");
    for (int bin = 0; bin < BINS; bin++)
        fprintf(out, "%*s", CELL, ends[bin] < 0 ? "more" : print_count(end, ends[bin]));
    fputc('\n', out);
    text_rows(out, "nonzeros", bins.entries, label);
    text_rows(out, "products", bins.products, label);
}

void product_bins_json(struct json *j, const spmm_plan_t *plan)
{
    struct bins bins;
    if (!count_rows(plan, &bins)) {
        json_null(j, "product_rows");
        return;
    }
    json_array(j, "product_rows");
    for (int bin = 0; bin < BINS; bin++) {
        json_object(j, NULL);
        if (ends[bin] < 0)
            json_null(j, "up_to");
        else
            json_int(j, "up_to", ends[bin]);
        json_int(j, "by_nonzeros", bins.entries[bin]);
        json_int(j, "by_products", bins.products[bin]);
        json_end(j);
    }
    json_end(j);
}
