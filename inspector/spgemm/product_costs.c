/* SPDX-License-Identifier: Apache-2.0 */
/* Predicts what executors of a product hold and how long an execution takes, as far as the plan determines
 * it: see spmm_plan_product_costs and docs/decisions/0131. */
#include <spmm/product.h>
#include <string.h>

#include "format/base/diag.h"
#include "format/base/options.h"
#include "format/plan.h"
#include "format/spgemm/spgemm_bytes.h"
#include "format/spgemm/spgemm_tasks.h"

/* Allowance per stage on a GPU: tables begin at multiples of 256 bytes. */
#define TABLES_BYTES UINT64_C(4096)

/* Milliseconds for f64: per stage, per million products, per million entries of C and, on the CPU, per
 * million entries of the left factor. Fitted to docs/product_gpu_results.csv (one H100, cold, kernel chosen
 * by rule, 27 products) and docs/product_results.csv (one thread, kernel masks, 14 products). Decision 0131
 * has the errors. */
static const struct {
    double stage, products, entries, left;
} h100 = {14.3e-3, 1.36e-3, 6.4e-3, 0}, thread = {0, 0.033, 0.78, 4.17};

/* Counts over the rows of one stage, a product of two factors. */
struct stage_count {
    const struct spmmi_spgemm *plan;
    const struct spmmi_spgemm_task *task;
    const struct spmmi_csr_pattern *c;
    uint64_t longest; /* maximum entries of a row of the right factor */
    uint64_t products;
    uint64_t cuts;       /* rows that are cut */
    uint64_t pieces;     /* of cut rows, upper bound */
    uint64_t ranges;     /* GPU: bytes of ranges and of ends of pieces, upper bound */
    uint64_t long_words; /* GPU: bytes of long entries, upper bound */
};

/* Counts of one row of C. */
struct row_count {
    int64_t first, end; /* entries of C */
    uint64_t products, pieces, left;
    uint64_t piece; /* products that end a piece; UINT64_MAX: the row is not cut */
};

static uint64_t products_of(const struct stage_count *s, int64_t row)
{
    const struct spmmi_csr_pattern *left = &s->task->left;
    uint64_t products = 0;
    for (int64_t p = left->row_ptr[row]; p < left->row_ptr[row + 1]; p++)
        products += (uint64_t)spmmi_spgemm_taken(s->task, row, left->col_ind[p]);
    return products;
}

/* Returns the bytes of the columns of the entries [q, end) of a range, rounded up to words of 4 bytes. */
static uint64_t columns_bytes(const struct stage_count *s, int64_t q, int64_t end)
{
    const int32_t *const columns = s->c->col_ind;
    const uint64_t entries = (uint64_t)(end - q);
    return columns[end - 1] - columns[q] >= SPMMI_SPGEMM_RANGE_NARROW ? 4 * entries : (entries + 1) / 2 * 4;
}

/* Adds the bytes of the ranges of a row, all with about the same number of entries, and of the ends of its
 * pieces. */
static void add_ranges(struct stage_count *s, const struct row_count *row)
{
    const int64_t entries = row->end - row->first,
                  parts = (entries + SPMMI_SPGEMM_RANGE_MOST - 1) / SPMMI_SPGEMM_RANGE_MOST,
                  most = parts > 0 ? (entries + parts - 1) / parts : 0;
    s->ranges += 4 * row->pieces;
    for (int64_t q = row->first, end; q < row->end; q = end) {
        end = q + most < row->end ? q + most : row->end;
        s->ranges += SPMMI_SPGEMM_RANGE_BYTES + columns_bytes(s, q, end);
    }
}

/* Returns true if an entry of the row may have more products than a stretch, in the row or in a piece. The
 * last entry of the left factor in a piece may bring a whole row of the right factor, so a piece may have up
 * to s->longest more products than the limit that ends it. */
static int may_be_long(const struct stage_count *s, const struct row_count *row)
{
    return (s->plan->flags & SPMMI_SPGEMM_STRETCHES) != 0 && row->left > SPMMI_SPGEMM_STRETCH &&
           (row->piece > SPMMI_SPGEMM_STRETCH || row->piece + s->longest > SPMMI_SPGEMM_STRETCH);
}

/* Adds the bytes of the lists of products of long entries. Each long entry splits a range, and begins a new
 * stretch in each piece. */
static void add_longs(struct stage_count *s, const struct row_count *row)
{
    const uint64_t flags = s->plan->flags, longs = row->products / SPMMI_SPGEMM_STRETCH;
    if (!may_be_long(s, row))
        return;
    s->long_words += row->products * ((flags & SPMMI_SPGEMM_DIAGONAL) != 0 ? 12 : 8);
    s->long_words += longs * (SPMMI_SPGEMM_LONG_BYTES + 12 * row->pieces);
}

static void count_row(struct stage_count *s, int64_t i)
{
    const int64_t *const left = s->task->left.row_ptr, *const c = s->c->row_ptr;
    struct row_count row = {c[i],      c[i + 1], products_of(s, i), 1, (uint64_t)(left[i + 1] - left[i]),
                            UINT64_MAX};
    const int64_t entries = row.end - row.first, piece = spmmi_spgemm_piece(s->plan->piece_products, entries);
    if (row.products > (uint64_t)piece) {
        row.piece = (uint64_t)piece;
        row.pieces = row.products / row.piece + 1;
        /* Every piece has an entry of the left factor. */
        row.pieces = row.pieces < row.left ? row.pieces : row.left;
        s->pieces += row.pieces;
        s->cuts++;
    }
    s->products += row.products;
    add_ranges(s, &row);
    add_longs(s, &row);
}

static uint64_t entries_of(const struct spmmi_csr_pattern *a)
{
    return (uint64_t)a->row_ptr[a->rows];
}

static struct stage_count count_stage(const struct spmmi_spgemm *plan, const struct spmmi_spgemm_tasks *tasks,
                                      int stage)
{
    const struct spmmi_csr_pattern *const right = &tasks->task[stage].right;
    struct stage_count s = {.plan = plan,
                            .task = &tasks->task[stage],
                            .c = &tasks->result[stage],
                            .longest = (uint64_t)spmmi_spgemm_longest_row(right->rows, right->row_ptr)};
    for (int64_t i = 0; i < s.task->left.rows; i++)
        count_row(&s, i);
    return s;
}

/* Returns an upper bound of the bytes of units and cuts. */
static uint64_t units_bytes(const struct stage_count *s)
{
    const uint64_t cost = s->products + entries_of(s->c) + (uint64_t)s->task->left.rows,
                   units = cost / spmmi_spgemm_unit_cost(s->products) + s->cuts + 1 + s->pieces;
    return units * SPMMI_SPGEMM_UNIT_BYTES + s->cuts * SPMMI_SPGEMM_CUT_BYTES;
}

/* Adds the memory of the host. By rule, masks or positions are kept if they take at most as much as
 * everything before them, so the maximum doubles. Groups take a byte per row. */
static void add_host(const struct stage_count *s, spmm_product_costs_t *costs)
{
    const struct spmmi_spgemm_task *const task = s->task;
    const uint64_t left = (uint64_t)task->left.rows, right = (uint64_t)task->right.rows;
    const uint64_t taken = task->is_lower ? entries_of(&task->left) * sizeof(int32_t) : 0;
    costs->host_bytes += taken;
    costs->host_bytes_max += taken + units_bytes(s);
    costs->host_bytes_max += costs->host_bytes_max;
    costs->host_bytes_max += left + right;
}

static void add_device(const struct stage_count *s, spmm_product_costs_t *costs)
{
    const struct spmmi_spgemm_task *const task = s->task;
    const uint64_t left = task->left.col_ind == task->right.col_ind ? 0 : entries_of(&task->left);
    costs->device_columns_bytes +=
        s->ranges + s->long_words + TABLES_BYTES +
        ((uint64_t)task->right.rows + 1 + entries_of(&task->right) + left) * sizeof(uint32_t);
}

static void add_times(const struct stage_count *s, spmm_product_costs_t *costs)
{
    const double products = 1e-6 * (double)s->products, entries = 1e-6 * (double)entries_of(s->c),
                 left = 1e-6 * (double)entries_of(&s->task->left);
    costs->gpu_ms += h100.stage + h100.products * products + h100.entries * entries;
    costs->cpu_thread_ms += thread.products * products + thread.entries * entries + thread.left * left;
}

/* Adds what does not depend on rows: patterns, values, and maps of transposed factors. */
static void add_patterns(const spmm_plan_t *plan, const struct spmmi_spgemm_tasks *tasks,
                         spmm_product_costs_t *costs)
{
    const struct spmmi_spgemm *const g = plan->product;
    uint64_t values = (uint64_t)plan->nnz;
    costs->host_bytes = sizeof *g + ((uint64_t)plan->rows + 1) * sizeof *plan->row_ptr +
                        (uint64_t)plan->nnz * sizeof *plan->col_ind + spmmi_spgemm_pattern_bytes(g) +
                        spmmi_spgemm_tasks_bytes(g, plan->nnz);
    costs->host_bytes_max = costs->host_bytes + SPMMI_SPGEMM_STATE_BYTES;
    for (uint32_t m = 0; m < g->operand_count; m++)
        values += (uint64_t)g->matrices[m].nnz;
    costs->value_bytes = values * spmm_dtype_size(plan->dtype);
    for (uint32_t f = 0; f < g->factor_count; f++)
        if (tasks->factors[f].map != NULL)
            costs->device_columns_bytes += entries_of(&tasks->factors[f].pattern) * sizeof(uint32_t);
}

static void fill(const spmm_plan_t *plan, const struct spmmi_spgemm_tasks *tasks, spmm_product_costs_t *costs)
{
    add_patterns(plan, tasks, costs);
    for (int i = 0; i < tasks->count; i++) {
        const struct stage_count s = count_stage(plan->product, tasks, i);
        costs->products += s.products;
        add_host(&s, costs);
        add_device(&s, costs);
        add_times(&s, costs);
    }
}

spmm_status_t spmm_plan_product_costs(const spmm_plan_t *plan, uint64_t budget_bytes,
                                      spmm_product_costs_t *costs, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_spgemm_tasks tasks = {.count = 0};
    spmm_product_costs_t full;
    memset(&full, 0, sizeof full);
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(spmmi_info_write(costs, &full, sizeof full) == SPMM_OK, SPMM_ERR_ARGUMENT, diag,
                 "costs is NULL or without struct_size");
    SPMM_REQUIRE(plan != NULL && plan->product != NULL, SPMM_ERR_ARGUMENT, diag,
                 "the plan is NULL or of a matrix");
    const struct spmmi_csr_pattern c = {plan->rows, plan->cols, plan->row_ptr, plan->col_ind};
    SPMM_TRY(spmmi_spgemm_require_bytes(0, spmmi_spgemm_tasks_bytes(plan->product, plan->nnz), budget_bytes,
                                        diag));
    SPMM_TRY(spmmi_spgemm_tasks_make(plan->product, &c, 1, &tasks, diag));
    fill(plan, &tasks, &full);
    SPMM_TRY(spmmi_info_write(costs, &full, sizeof full));
cleanup:
    spmmi_spgemm_tasks_free(&tasks);
    return status;
}
