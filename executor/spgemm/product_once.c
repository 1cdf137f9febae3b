/* SPDX-License-Identifier: Apache-2.0 */
/* One product without a plan, in two phases: the entries of C are counted and exactly as much memory is
 * allocated; then columns and values are computed together, row by row. */
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/options.h"
#include "format/base/team.h"
#include "format/plan.h"
#include "product_state.h"

/* Products per thread: each further thread needs this many, because it allocates arrays over all columns.
 * With fewer products in total, kernels use one thread (kernels/shared/level_cpu.c). */
#define PRODUCTS_A_THREAD (1 << 15)

static const char *const method_names[SPMMI_ONCE_METHODS] = {"hash", "bitmap", "merge"};

struct once {
    spmm_csr_t a, b;
    int threads;
    uint64_t budget, used;
    /* Checked patterns with 64-bit row pointers and 32-bit columns; owned. [1] is NULL if B has the pattern
     * of A. */
    int64_t *row_ptr[2];
    int32_t *col_ind[2];
    struct spmmi_spgemm_factor right;
    struct spmmi_spgemm_task task;
    struct spmmi_spgemm_repeats repeats;
    int64_t *row_products; /* one per row of C */
    int64_t *c_row_ptr;
    int32_t *c_col_ind;
    void *c_values;
    spmm_diag_t *diag;
};

/* Checks that the budget allows `bytes` more, and records the `kept` bytes that stay allocated. */
static spmm_status_t take(struct once *o, uint64_t bytes, uint64_t kept)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(spmmi_spgemm_require_bytes(o->used, bytes, o->budget, o->diag));
    o->used += kept;
cleanup:
    return status;
}

static int64_t index_at(const void *array, spmm_itype_t type, int64_t i)
{
    return type == SPMM_I32 ? ((const int32_t *)array)[i] : ((const int64_t *)array)[i];
}

static spmm_status_t check_view(const spmm_csr_t *a, const char *name, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(a != NULL, SPMM_ERR_ARGUMENT, diag, "%s is NULL", name);
    SPMM_REQUIRE(a->rows >= 0 && a->rows <= SPMMI_DIM_MAX && a->cols >= 0 && a->cols <= SPMMI_DIM_MAX &&
                     a->nnz >= 0 && a->nnz <= SPMMI_NNZ_MAX,
                 SPMM_ERR_CSR, diag, "%s is %lld x %lld with %lld entries", name, (long long)a->rows,
                 (long long)a->cols, (long long)a->nnz);
    SPMM_REQUIRE((a->row_ptr_type == SPMM_I32 || a->row_ptr_type == SPMM_I64) &&
                     (a->col_ind_type == SPMM_I32 || a->col_ind_type == SPMM_I64),
                 SPMM_ERR_ARGUMENT, diag, "an index type of %s is not known", name);
    SPMM_REQUIRE(a->row_ptr != NULL && ((a->col_ind != NULL && a->values != NULL) || a->nnz == 0),
                 SPMM_ERR_ARGUMENT, diag, "row pointers, columns or values of %s are NULL", name);
cleanup:
    return status;
}

/* Copies the columns of one row, the entries [first, end). Returns true if they ascend and are below cols.
 * The loop has no branch per entry. */
static int take_row(const spmm_csr_t *a, int64_t first, int64_t end, int32_t *col_ind)
{
    int is_wrong = 0;
    int64_t before = -1;
    for (int64_t p = first; p < end; p++) {
        const int64_t column = index_at(a->col_ind, a->col_ind_type, p);
        is_wrong |= (column <= before) | (column >= a->cols);
        col_ind[p] = (int32_t)column;
        before = column;
    }
    return !is_wrong;
}

/* Copies and checks all columns. Reports the first row that is wrong. */
static spmm_status_t take_columns(struct once *o, const spmm_csr_t *a, char name, const int64_t *row_ptr,
                                  int32_t *col_ind)
{
    spmm_status_t status = SPMM_OK;
    int64_t wrong = a->rows;
#pragma omp parallel for schedule(static) num_threads(spmmi_team(o->threads)) reduction(min : wrong)
    for (int64_t i = 0; i < a->rows; i++)
        if (!take_row(a, row_ptr[i], row_ptr[i + 1], col_ind))
            wrong = i < wrong ? i : wrong;
    if (wrong == a->rows)
        return SPMM_OK;
    int64_t p = row_ptr[wrong], before = -1, column = index_at(a->col_ind, a->col_ind_type, p);
    while (column > before && column < a->cols) {
        before = column;
        column = index_at(a->col_ind, a->col_ind_type, ++p);
    }
    SPMM_REQUIRE_AT(0, SPMM_ERR_CSR, o->diag, (uint64_t)wrong,
                    "row %lld of %c has column %lld after column %lld: columns must ascend and be in range",
                    (long long)wrong, name, (long long)column, (long long)before);
cleanup:
    return status;
}

/* Copies and checks a pattern; index: 0 for A, 1 for B. */
static spmm_status_t take_pattern(struct once *o, const spmm_csr_t *a, int index)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t rows = (uint64_t)a->rows + 1, nnz = (uint64_t)a->nnz;
    const uint64_t bytes = rows * sizeof(int64_t) + nnz * sizeof(int32_t);
    const char name = index == 0 ? 'A' : 'B';
    SPMM_TRY(take(o, bytes, bytes));
    int64_t *const row_ptr = o->row_ptr[index] = spmmi_alloc(rows, sizeof *row_ptr);
    int32_t *const col_ind = o->col_ind[index] = spmmi_alloc(nnz, sizeof *col_ind);
    SPMM_TRY_ALLOC(row_ptr, o->diag);
    SPMM_TRY_ALLOC(col_ind, o->diag);
    for (int64_t i = 0; i <= a->rows; i++) {
        row_ptr[i] = index_at(a->row_ptr, a->row_ptr_type, i);
        SPMM_REQUIRE_AT(i == 0 ? row_ptr[0] == 0 : row_ptr[i] >= row_ptr[i - 1] && row_ptr[i] <= a->nnz,
                        SPMM_ERR_CSR, o->diag, (uint64_t)i, "row pointer %lld of %c is %lld", (long long)i,
                        name, (long long)row_ptr[i]);
    }
    SPMM_REQUIRE(row_ptr[a->rows] == a->nnz, SPMM_ERR_CSR, o->diag,
                 "the last row pointer of %c is %lld, expected %lld", name, (long long)row_ptr[a->rows],
                 (long long)a->nnz);
    SPMM_TRY(take_columns(o, a, name, row_ptr, col_ind));
cleanup:
    return status;
}

/* Copies and checks the patterns of A and B, and makes the task. */
static spmm_status_t open_factors(struct once *o)
{
    spmm_status_t status = SPMM_OK;
    const int is_square = spmmi_once_is_square(&o->a, &o->b);
    SPMM_TRY(take_pattern(o, &o->a, 0));
    if (!is_square)
        SPMM_TRY(take_pattern(o, &o->b, 1));
    const struct spmmi_csr_pattern b = {o->b.rows, o->b.cols, o->row_ptr[!is_square], o->col_ind[!is_square]};
    const uint64_t bytes = spmmi_spgemm_factor_bytes(&b, SPMM_OP_N, 1, 0);
    SPMM_TRY(take(o, bytes, bytes));
    SPMM_TRY(spmmi_spgemm_factor_make(&b, SPMM_OP_N, 1, 0, o->threads, &o->right, o->diag));
    o->task =
        (struct spmmi_spgemm_task){{o->a.rows, o->a.cols, o->row_ptr[0], o->col_ind[0]}, o->right.pattern, 0};
cleanup:
    return status;
}

/* Returns the number of threads that the products can use, at most o->threads. */
static int threads_of(const struct once *o)
{
    if (o->a.nnz / PRODUCTS_A_THREAD >= o->threads)
        return o->threads;
    const uint64_t most =
        1 + spmmi_spgemm_work_of(&o->task.left, &o->task.right).products / PRODUCTS_A_THREAD;
    return most < (uint64_t)o->threads ? (int)most : o->threads;
}

/* Counts the entries of the rows of C and allocates memory for exactly as many. */
static spmm_status_t count_entries(struct once *o)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t rows = (uint64_t)o->a.rows + 1, size = spmm_dtype_size(o->a.value_type),
                   scratch = spmmi_spgemm_scratch_bytes(o->task.right.cols, o->threads, SPMMI_NO_LISTS),
                   bytes = spmmi_spgemm_repeats_bytes(&o->task) + rows * sizeof *o->row_products;
    SPMM_TRY(take(o, bytes, bytes));
    SPMM_TRY_ALLOC(o->row_products = spmmi_alloc(rows, sizeof *o->row_products), o->diag);
    SPMM_TRY(spmmi_spgemm_repeats_make(&o->task, o->threads, &o->repeats, o->diag));
    SPMM_TRY(take(o, rows * sizeof *o->c_row_ptr + scratch, rows * sizeof *o->c_row_ptr));
    SPMM_TRY_ALLOC(o->c_row_ptr = spmmi_alloc(rows, sizeof *o->c_row_ptr), o->diag);
    SPMM_TRY(spmmi_spgemm_row_ptr(&o->task, &o->repeats, o->threads, o->c_row_ptr, o->row_products, o->diag));
    const uint64_t nnz = (uint64_t)o->c_row_ptr[rows - 1];
    SPMM_REQUIRE(nnz <= (uint64_t)SPMMI_NNZ_MAX, SPMM_ERR_TOO_LARGE, o->diag,
                 "the product has %llu entries, more than %lld", (unsigned long long)nnz,
                 (long long)SPMMI_NNZ_MAX);
    SPMM_TRY(take(o, nnz * (sizeof *o->c_col_ind + size), nnz * (sizeof *o->c_col_ind + size)));
    SPMM_TRY_ALLOC(o->c_col_ind = spmmi_alloc(nnz, sizeof *o->c_col_ind), o->diag);
    SPMM_TRY_ALLOC(o->c_values = spmmi_alloc(nnz, size), o->diag);
cleanup:
    return status;
}

/* Sets *flags to SPMMI_SPGEMM_STRETCHES if a plan with default options would have this flag, else to 0. */
static spmm_status_t find_flags(struct once *o, uint64_t products, uint32_t *flags)
{
    spmm_status_t status = SPMM_OK;
    int may = 0;
    *flags = 0;
    if (products > SPMMI_SPGEMM_STRETCHED_MAX)
        return SPMM_OK;
    SPMM_TRY(take(o, sizeof(uint32_t) * (uint64_t)o->task.right.cols, 0));
    SPMM_TRY(spmmi_spgemm_may_be_long(&o->task.left, &o->task.right, &may, o->diag));
    *flags = may ? SPMMI_SPGEMM_STRETCHES : 0;
cleanup:
    return status;
}

/* Returns true if neighbouring rows of C with equal columns are computed together. That needs sums with one
 * lane per row. They are refused if the additional memory is above the budget, or above all that is already
 * held. needed: bytes without the additional lanes; sums: bytes of one lane. */
static int is_grouped(const struct once *o, uint64_t needed, uint64_t sums)
{
    const uint64_t more = (SPMMI_SPGEMM_LANES - 1) * sums;
    int64_t alike = 0;
    if (more > o->used ||
        spmmi_spgemm_require_bytes(o->used, needed + more, o->budget, &spmmi_diag_unheard) != SPMM_OK)
        return 0;
    for (int64_t i = 0; i < o->a.rows; i++)
        alike += o->repeats.rows[i] == 1 && o->c_row_ptr[i + 1] > o->c_row_ptr[i];
    return alike > o->a.rows / SPMMI_SPGEMM_GROUPED_SHARE;
}

static struct spmmi_spgemm_work work_of(const struct once *o)
{
    struct spmmi_spgemm_work work = {0, 0};
    for (int64_t i = 0; i < o->a.rows; i++)
        spmmi_spgemm_work_add(&work, (uint64_t)o->row_products[i]);
    return work;
}

/* Computes the columns and values of C. The values have the bits that a plan with default options gives. */
static spmm_status_t find_entries(struct once *o)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_spgemm_work work = work_of(o);
    struct spmmi_spgemm plan = {.piece_products = spmmi_spgemm_share(work.products, work.heavy_rows)};
    struct spmmi_spgemm_once once = {.repeats = &o->repeats, .col_ind = o->c_col_ind};
    struct spmmi_spgemm_stage stage = {.task = o->task,
                                       .c = {o->a.rows, o->task.right.cols, o->c_row_ptr, o->c_col_ind},
                                       .row_products = o->row_products};
    uint64_t bytes = 0;
    void *sums = NULL, *partials = NULL;
    const int64_t longest = spmmi_spgemm_longest_row(o->a.rows, o->c_row_ptr);
    SPMM_TRY(find_flags(o, work.products, &plan.flags));
    SPMM_TRY(spmmi_spgemm_units(&stage, &plan, o->used, o->budget, &bytes, o->diag));
    const uint64_t threads = (uint64_t)o->threads, size = spmm_dtype_size(o->a.value_type),
                   pieces = (uint64_t)stage.partials;
    bytes += spmmi_spgemm_scratch_bytes(o->task.right.cols, o->threads, longest) + pieces * size;
    once.is_grouped = is_grouped(o, bytes + threads * (uint64_t)spmmi_spgemm_sums(&stage) * size,
                                 threads * (uint64_t)stage.sums * size);
    stage.sums *= once.is_grouped ? SPMMI_SPGEMM_LANES : 1;
    const uint64_t elements = threads * (uint64_t)spmmi_spgemm_sums(&stage);
    SPMM_TRY(take(o, bytes + elements * size, 0));
    SPMM_TRY_ALLOC(once.scratch = spmmi_spgemm_scratch_new(o->task.right.cols, o->threads, longest), o->diag);
    SPMM_TRY_ALLOC(sums = spmmi_alloc(elements, size), o->diag);
    SPMM_TRY_ALLOC(partials = spmmi_alloc(pieces, size), o->diag);
    const struct spmmi_spgemm_values values = {.left = o->a.values,
                                               .right = o->b.values,
                                               .alpha = 1,
                                               .beta = 0,
                                               .c = o->c_values,
                                               .partials = partials,
                                               .sums = sums};
    stage.follows = o->repeats.right;
    spmmi_spgemm_run_once(&stage, o->a.value_type, &values, &once, o->threads);
    for (int64_t q = 0; o->right.numbers.group != NULL && q < o->c_row_ptr[o->a.rows]; q++)
        o->c_col_ind[q] = o->right.numbers.group[o->c_col_ind[q]];
cleanup:
    spmmi_free(partials);
    spmmi_free(sums);
    spmmi_spgemm_scratch_free(once.scratch, o->threads);
    stage.follows = NULL; /* repeats owns it */
    spmmi_spgemm_stage_free(&stage);
    return status;
}

static spmm_status_t check_arguments(const spmm_csr_t *a, const spmm_csr_t *b, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(check_view(a, "A", diag));
    SPMM_TRY(check_view(b, "B", diag));
    SPMM_REQUIRE(a->cols == b->rows, SPMM_ERR_SHAPE, diag, "A has %lld columns, B has %lld rows",
                 (long long)a->cols, (long long)b->rows);
    SPMM_REQUIRE(a->value_type == b->value_type && (a->value_type == SPMM_F32 || a->value_type == SPMM_F64),
                 SPMM_ERR_TYPE, diag, "values of type %s and %s, expected f32 or f64 of both",
                 spmm_dtype_name(a->value_type), spmm_dtype_name(b->value_type));
cleanup:
    return status;
}

static void close_once(struct once *o)
{
    spmmi_free(o->row_products);
    spmmi_spgemm_repeats_free(&o->repeats);
    spmmi_spgemm_factor_free(&o->right);
    for (int i = 0; i < 2; i++) {
        spmmi_free(o->row_ptr[i]);
        spmmi_free(o->col_ind[i]);
    }
    spmmi_free(o->c_row_ptr);
    spmmi_free(o->c_col_ind);
    spmmi_free(o->c_values);
}

/* Finds the method with this name; NULL selects by rule. The CPU has only one method, so it takes no name. */
static spmm_status_t find_method(const char *name, int device, enum spmmi_once_method *method,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int found = name == NULL ? SPMMI_ONCE_MERGE : 0;
    while (name != NULL && found < SPMMI_ONCE_METHODS && strcmp(name, method_names[found]) != 0)
        found++;
    SPMM_REQUIRE(name == NULL || (device >= 0 && found < SPMMI_ONCE_METHODS), SPMM_ERR_ARGUMENT, diag,
                 "unknown method \"%s\": %s", name,
                 device >= 0 ? "a GPU has hash, bitmap and merge" : "the CPU has one method, without a name");
    *method = (enum spmmi_once_method)found;
cleanup:
    return status;
}

static spmm_status_t once_on_gpu(const spmm_csr_t *a, const spmm_csr_t *b, int device,
                                 const spmm_product_once_options_t *options, enum spmmi_once_method method,
                                 spmm_csr_t *c, spmm_diag_t *diag)
{
    const uint64_t budget = options->device_budget_bytes;
    const struct spmmi_spgemm_gpu_once in = {.device = device,
                                             .a = a,
                                             .b = b,
                                             .method = method,
                                             .device_left = budget > 0 ? budget : UINT64_MAX,
                                             .stream = options->stream,
                                             .allocator = options->allocator};
    return spmmi_spgemm_gpu_once(&in, c, diag);
}

spmm_status_t spmm_product_once(const spmm_csr_t *a, const spmm_csr_t *b, int device,
                                const spmm_product_once_options_t *options, spmm_csr_t *c, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_product_once_options_t known = SPMM_PRODUCT_ONCE_OPTIONS_INIT;
    struct spmmi_device_memory memory;
    struct once o = {.diag = diag};
    int settled = device;
    enum spmmi_once_method method = SPMMI_ONCE_MERGE;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(c != NULL, SPMM_ERR_ARGUMENT, diag, "c is NULL");
    memset(c, 0, sizeof *c);
    SPMM_TRY(spmmi_options_read(&known, sizeof known, options, "product once options", diag));
    SPMM_REQUIRE(known.threads >= 0, SPMM_ERR_ARGUMENT, diag, "threads is %d, expected 0 or more",
                 known.threads);
    SPMM_TRY(spmmi_device_memory_open(known.allocator, device, &memory, diag));
    SPMM_TRY(spmmi_product_device(&settled, diag));
    SPMM_TRY(find_method(known.force_method, device, &method, diag));
    SPMM_TRY(check_arguments(a, b, diag));
    if (device >= 0)
        return once_on_gpu(a, b, device, &known, method, c, diag);
    o.a = *a;
    o.b = *b;
    o.threads = spmmi_spgemm_threads(known.threads);
    o.budget = known.host_budget_bytes;
    SPMM_TRY(open_factors(&o));
    o.threads = threads_of(&o);
    SPMM_TRY(count_entries(&o));
    SPMM_TRY(find_entries(&o));
    *c = (spmm_csr_t){a->rows,     b->cols,     o.c_row_ptr[a->rows], SPMM_I64,  SPMM_I32,
                      o.c_row_ptr, o.c_col_ind, a->value_type,        o.c_values};
    o.c_row_ptr = NULL;
    o.c_col_ind = NULL;
    o.c_values = NULL;
cleanup:
    close_once(&o);
    return status;
}

void spmm_product_once_free(spmm_csr_t *c)
{
    if (c == NULL)
        return;
    const void *const arrays[] = {c->row_ptr, c->col_ind, c->values};
    const int is_of_gpu = spmmi_spgemm_gpu_owns(c->row_ptr);
    if (is_of_gpu > 0)
        spmmi_spgemm_gpu_release(c->row_ptr); /* one block for all three */
    for (size_t i = 0; is_of_gpu == 0 && i < sizeof arrays / sizeof arrays[0]; i++)
        spmmi_free((void *)(uintptr_t)arrays[i]);
    memset(c, 0, sizeof *c);
}

spmm_status_t spmm_product_once_give_back(spmm_csr_t *c, const spmm_device_allocator_t *allocator, int device,
                                          void *stream, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(c != NULL, SPMM_ERR_ARGUMENT, diag, "c is NULL");
    SPMM_REQUIRE(allocator != NULL, SPMM_ERR_ARGUMENT, diag, "the device allocator is NULL");
    SPMM_TRY(spmmi_product_device(&device, diag));
    if (device >= 0 && c->row_ptr != NULL)
        SPMM_TRY(spmmi_spgemm_gpu_give_back(c, allocator, device, stream, diag));
    else
        spmm_product_once_free(c);
    memset(c, 0, sizeof *c);
cleanup:
    return status;
}
