/* SPDX-License-Identifier: Apache-2.0 */
/* See content_check.h. */
#include "content_check.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <omp.h>

#include <spmm/executor.h>

#include "executor/typed_plan.h"
#include "format/base/alloc.h"
#include "format/family.h"
#include "format/matrix/round_values.h"
#include "op_matrix.h"
#include "plan_seal.h"
#include "products.h"

#define CPU_TARGET 1u
#define ROUNDING 8192u /* extra bytes of arrays that are rounded up to cache lines */
#define BUDGET (UINT64_C(64) << 20)
/* The hooks count with malloc_usable_size, which may exceed the size of a large block by a huge page. */
#define COUNTED_TOO_MUCH (UINT64_C(32) << 20)
#define SMALL_BUDGET 65536 /* memory budget of some executors */
#define ASKED_BYTES \
    (4 * 65536) /* per thread: counters of columns, even without nonzeros, see many_columns.h */
#define ASKED_BYTES_A_PART 16384
#define ASKED_BYTES_A_ROW 64
#define ASKED_BYTES_A_NONZERO 64
#define SECONDS_MAX 10.0 /* CPU time for one file */
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

void test_content_fail(const char *condition, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "plan content: %s: ", condition);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

/* ---- Products ---- */

/* Returns the order in which this product stores the rows of C, or NULL for the order of op(A). */
static const uint32_t *order_of(const spmm_plan_t *plan, const struct test_product *product)
{
    int fits = 0;
    const uint32_t layout =
        product->b_layout == SPMM_ROW_MAJOR ? SPMM_LAYOUTS_ROW_MAJOR : SPMM_LAYOUTS_COL_MAJOR;
    const int variant = spmmi_variant_pick(plan, product->op, CPU_TARGET, product->n, layout, &fits);
    const struct spmmi_part *part = &plan->parts[plan->variants[variant].part_first];
    return (part->flags & SPMMI_PART_PERMUTES_OUTPUT) != 0 ? part->items : NULL;
}

/* Returns 1 if NaN may replace an expected infinity, because finite terms of the row may overflow to the
 * other sign. */
static int is_overflow(const struct test_matrix *a, const struct test_product *product,
                       const struct test_judgement *j, spmm_dtype_t dtype)
{
    const double b_max = 4, largest = dtype == SPMM_F64 ? DBL_MAX : (double)FLT_MAX;
    double sum = 0;
    for (int64_t p = a->row_ptr[j->row]; p < a->row_ptr[j->row + 1]; p++)
        sum += isfinite(a->values[p]) ? fabs(a->values[p] / largest) : 0;
    return isnan(j->got) && isinf(j->want) && sum * b_max * (1 + fabs(product->alpha)) > 0.5;
}

static void product_check(const spmm_plan_t *plan, const void *values, spmm_executor_t *executor,
                          const struct test_product *product)
{
    const struct test_matrix shape = {"", plan->rows, plan->cols, plan->nnz, NULL, NULL, NULL};
    struct test_matrix *a = test_op_matrix(plan, product->op, order_of(plan, product), values);
    struct test_dense b = test_product_b(&shape, plan->dtype, product);
    struct test_dense c = test_product_c(&shape, plan->dtype, product), before = test_dense_copy(&c);
    spmmi_alloc_peak_reset();
    test_product_run(executor, product, &b, &c);
    TEST_CONTENT_MUST(spmmi_alloc_peak_bytes() == 0, "a product takes memory");
    const struct test_accuracy accuracy = test_product_accuracy(executor, product, &b, &c);
    const struct test_judgement j =
        test_judge_of(&accuracy, a, SPMM_OP_N, product->alpha, &b, product->beta, &before, &c);
    TEST_CONTENT_MUST(j.ratio <= 1 || is_overflow(a, product, &j, plan->dtype),
                      "op %s n %lld element (%lld, %lld) is %.17g, expected %.17g, ratio %g",
                      spmm_op_name(product->op), (long long)product->n, (long long)j.row, (long long)j.col,
                      j.got, j.want, j.ratio);
    test_dense_free(&b);
    test_dense_free(&c);
    test_dense_free(&before);
    test_matrix_free(a);
}

/* Draws a width: one for which the plan has a variant, or any small width. */
static int64_t width_draw(struct test_stream *stream, const spmm_plan_t *plan)
{
    static const int64_t widths[] = {1, 3, 8, 17, 2, 33};
    const struct spmmi_variant *v = &plan->variants[test_stream_below(stream, plan->variant_count)];
    const int64_t n = widths[test_stream_below(stream, COUNT(widths))];
    return n < v->n_min && v->n_min <= 300 && test_stream_chance(stream, 50) ? v->n_min : n;
}

static struct test_product product_draw(struct test_stream *stream, const spmm_plan_t *plan, spmm_op_t op)
{
    static const double factors[][2] = {{1, 0}, {1, 0}, {1, 1}, {-2, 3}, {0, 2}};
    struct test_product product = {.op = op, .values = TEST_VALUES_INTEGER};
    const double *factor = factors[test_stream_below(stream, COUNT(factors))];
    product.alpha = factor[0];
    product.beta = factor[1];
    product.n = width_draw(stream, plan);
    product.b_layout = (spmm_layout_t)test_stream_below(stream, 2);
    product.c_layout = (spmm_layout_t)test_stream_below(stream, 2);
    product.b_gap = (int64_t)test_stream_below(stream, 3);
    product.c_gap = (int64_t)test_stream_below(stream, 3);
    product.shift = (int64_t)test_stream_below(stream, 2);
    return product;
}

/* Returns the bytes of B, C, a copy of C, and the row pointers of op(A). */
static uint64_t product_bytes(const spmm_plan_t *plan, const struct test_product *product)
{
    const uint64_t m = (uint64_t)(product->op == SPMM_OP_N ? plan->rows : plan->cols);
    const uint64_t k = (uint64_t)(product->op == SPMM_OP_N ? plan->cols : plan->rows);
    const uint64_t width = (uint64_t)product->n + 2; /* the largest gap */
    return (2 * m + k) * width * spmm_dtype_size(plan->dtype) + 2 * m * sizeof(int64_t);
}

static int has_variant(const spmm_plan_t *plan, spmm_op_t op)
{
    for (uint32_t i = 0; i < plan->variant_count; i++)
        if (plan->variants[i].op == op)
            return 1;
    return 0;
}

/* Checks that the executor reports NO_VARIANT for an op without variants. */
static void no_variant_check(const spmm_plan_t *plan, const spmm_executor_t *executor, spmm_op_t op)
{
    const int64_t m = op == SPMM_OP_N ? plan->rows : plan->cols;
    const int64_t k = op == SPMM_OP_N ? plan->cols : plan->rows;
    const spmm_dense_t b = {NULL, k, 1, k, SPMM_COL_MAJOR, plan->dtype};
    const spmm_dense_t c = {NULL, m, 1, m, SPMM_COL_MAJOR, plan->dtype};
    uint64_t bytes = 1;
    const spmm_status_t status = spmm_executor_workspace_bytes(executor, op, &b, &c, &bytes, NULL);
    TEST_CONTENT_MUST(status == SPMM_ERR_NO_VARIANT, "op %s: %s", spmm_op_name(op), spmm_status_name(status));
}

void test_content_products(struct test_stream *stream, const spmm_plan_t *plan, const void *values,
                           spmm_executor_t *executor, struct test_content_tally *tally)
{
    for (int op = 0; op < 2; op++) {
        if (!has_variant(plan, (spmm_op_t)op)) {
            no_variant_check(plan, executor, (spmm_op_t)op);
            continue;
        }
        struct test_product product = product_draw(stream, plan, (spmm_op_t)op);
        if (product_bytes(plan, &product) > TEST_CONTENT_DENSE_MAX)
            product.n = 1;
        if (product_bytes(plan, &product) > TEST_CONTENT_DENSE_MAX) {
            tally->too_large++;
            continue;
        }
        product_check(plan, values, executor, &product);
        tally->products++;
    }
}

/* ---- Executors ---- */

/* Draws values for a plan, which may have none. */
static void *values_draw(const spmm_plan_t *plan, uint64_t seed)
{
    void *values = calloc((size_t)plan->nnz + 1, spmm_dtype_size(plan->dtype));
    if (values == NULL)
        abort();
    for (int64_t p = 0; p < plan->nnz; p++)
        test_value_set(plan->dtype, values, p, test_integer((uint64_t)p, seed));
    return values;
}

static void executor_run(struct test_stream *stream, const spmm_plan_t *plan, spmm_executor_t *executor,
                         struct test_content_tally *tally)
{
    const int is_new = plan->values == NULL || test_stream_chance(stream, 20);
    void *values = is_new ? values_draw(plan, test_stream_bits(stream)) : NULL;
    if (is_new)
        TEST_CONTENT_MUST(spmm_executor_set_values(executor, values, NULL, NULL) == SPMM_OK, "new values");
    test_content_products(stream, plan, values, executor, tally);
    free(values);
}

/* Returns what the hooks may count if this many bytes are allowed. */
static uint64_t counted(uint64_t bytes)
{
    return bytes + (bytes < COUNTED_TOO_MUCH ? ROUNDING : COUNTED_TOO_MUCH);
}

/* Returns the memory that executor_ask may use if the budget refuses the executor. It depends on the parts,
 * the nonzeros and the rows of op(A). */
static uint64_t asking_max(const spmm_plan_t *plan)
{
    const uint64_t rows = (uint64_t)(plan->rows + (has_variant(plan, SPMM_OP_T) ? plan->cols : 0));
    return counted(ASKED_BYTES * (uint64_t)omp_get_max_threads() + ASKED_BYTES_A_PART * plan->part_count +
                   ASKED_BYTES_A_ROW * rows + ASKED_BYTES_A_NONZERO * (uint64_t)plan->nnz);
}

/* Asks for the memory of an executor before the executor is made. *host becomes the predicted bytes. */
static spmm_status_t executor_ask(const spmm_plan_t *plan, const spmm_executor_options_t *options,
                                  uint64_t *host)
{
    spmm_diag_t diag;
    spmmi_alloc_peak_reset();
    const spmm_status_t status =
        spmm_executor_memory_bytes(plan, SPMM_DEVICE_CPU, options, host, NULL, &diag);
    const uint64_t most = status == SPMM_ERR_PLAN_BUDGET ? asking_max(plan) : counted(*host);
    TEST_CONTENT_MUST(status == SPMM_OK || diag.text[0] != '\0', "%s", spmm_status_name(status));
    TEST_CONTENT_MUST(*host <= options->host_budget_bytes, "%llu bytes are foretold, %llu allowed",
                      (unsigned long long)*host, (unsigned long long)options->host_budget_bytes);
    TEST_CONTENT_MUST(spmmi_alloc_peak_bytes() <= most, "%s: asking takes %llu bytes, not %llu",
                      spmm_status_name(status), (unsigned long long)spmmi_alloc_peak_bytes(),
                      (unsigned long long)most);
    return status;
}

/* Draws the plan's value type, or another type for which the plan has variants. */
static spmm_dtype_t type_draw(struct test_stream *stream, const spmm_plan_t *plan)
{
    const struct spmmi_dtype *const row = spmmi_dtype_at((int)test_stream_below(stream, 4));
    return (spmmi_plan_types(plan) & SPMMI_TYPE_BIT(row->id)) != 0 ? row->id : plan->dtype;
}

/* Makes the plan that an executor for this type sees. The caller frees *rounded, which is NULL unless the
 * values were rounded. */
static spmm_plan_t *typed_make(const spmm_plan_t *plan, spmm_dtype_t type, struct spmmi_typed_plan *typed,
                               void **rounded)
{
    if (spmmi_typed_plan(plan, type, typed, NULL) != SPMM_OK ||
        spmmi_typed_values(plan, type, 1, rounded, NULL) != SPMM_OK)
        abort();
    if (*rounded != NULL)
        typed->plan.values = *rounded;
    return &typed->plan;
}

/* Returns 1 if a value of the plan is too large for the executor's type. */
static int is_too_large(const spmm_plan_t *plan, spmm_dtype_t type)
{
    return spmmi_values_fit(plan, SPMMI_TYPE_BIT(type), 1, NULL) != SPMM_OK;
}

/* Makes an executor and checks that it needs no more memory than predicted. A forced kernel may be refused
 * with a sentence, and any executor because of its budget. */
static void executor_check(struct test_stream *stream, const spmm_plan_t *plan, const char *kernel,
                           struct test_content_tally *tally)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_info_t info = {.struct_size = sizeof info};
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag;
    uint64_t host = 0;
    struct spmmi_typed_plan typed;
    void *rounded = NULL;
    options.a_type = type_draw(stream, plan);
    options.threads = test_stream_chance(stream, 3) ? 2 : 1;
    options.force_kernel = kernel;
    options.host_budget_bytes = test_stream_chance(stream, 10) ? SMALL_BUDGET : TEST_CONTENT_EXECUTOR_BUDGET;
    const spmm_status_t foretold = executor_ask(plan, &options, &host);
    const uint64_t most = foretold == SPMM_ERR_PLAN_BUDGET ? asking_max(plan) : counted(host);
    spmmi_alloc_peak_reset();
    const spmm_status_t status = spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, &diag);
    const int is_refused = foretold == SPMM_OK && is_too_large(plan, options.a_type);
    TEST_CONTENT_MUST(status == (is_refused ? SPMM_ERR_ARGUMENT : foretold), "%s: %s, foretold %s", kernel,
                      diag.text, spmm_status_name(foretold));
    TEST_CONTENT_MUST(status == SPMM_OK || status == SPMM_ERR_PLAN_BUDGET || kernel != NULL || is_refused,
                      "a plan that loads does not run: %s", diag.text);
    TEST_CONTENT_MUST(spmmi_alloc_peak_bytes() <= most, "making it takes %llu bytes, not %llu",
                      (unsigned long long)spmmi_alloc_peak_bytes(), (unsigned long long)most);
    tally->over_budget += status == SPMM_ERR_PLAN_BUDGET;
    if (status != SPMM_OK)
        return;
    tally->executors++;
    tally->host_max = host > tally->host_max ? host : tally->host_max;
    (void)spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL);
    TEST_CONTENT_MUST(info.host_bytes <= host, "it holds %llu bytes, foretold %llu",
                      (unsigned long long)info.host_bytes, (unsigned long long)host);
    executor_run(stream, typed_make(plan, options.a_type, &typed, &rounded), executor, tally);
    spmmi_free(rounded);
    spmm_executor_destroy(executor);
}

static int has_kernel(const spmm_plan_t *plan, const spmm_kernel_info_t *kernel)
{
    for (uint32_t i = 0; i < plan->part_count; i++)
        if (plan->parts[i].family == kernel->family && plan->parts[i].schedule == kernel->schedule)
            return 1;
    return 0;
}

static void executors_check(struct test_stream *stream, const spmm_plan_t *plan,
                            struct test_content_tally *tally)
{
    spmm_kernel_info_t kernel = {.struct_size = sizeof kernel};
    executor_check(stream, plan, NULL, tally);
    for (int i = 0; spmm_kernel_at(i, &kernel) == SPMM_OK && kernel.name[1] == 'p'; i++)
        if (has_kernel(plan, &kernel))
            executor_check(stream, plan, kernel.name, tally);
}

/* ---- Files ---- */

/* Checks that a saved plan loads again and is the same plan. */
static void saved_check(const spmm_plan_t *plan)
{
    spmm_plan_t *again = NULL;
    void *bytes = NULL;
    size_t size = 0;
    TEST_CONTENT_MUST(spmm_plan_write(plan, NULL, &bytes, &size, NULL) == SPMM_OK,
                      "a loaded plan is not saved");
    TEST_CONTENT_MUST(spmm_plan_read(bytes, size, NULL, &again, NULL) == SPMM_OK,
                      "a saved plan does not load");
    TEST_CONTENT_MUST(test_plans_equal(plan, again), "a saved plan is another one");
    spmm_plan_destroy(again);
    spmm_plan_bytes_free(bytes);
}

static double cpu_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Checks that information about every variant, part and trace entry is available. */
static void infos_check(const spmm_plan_t *plan)
{
    spmm_variant_info_t variant = {.struct_size = sizeof variant};
    spmm_part_info_t part = {.struct_size = sizeof part};
    spmm_trace_info_t trace = {.struct_size = sizeof trace};
    for (int i = 0; i < (int)plan->variant_count; i++)
        TEST_CONTENT_MUST(spmm_plan_variant(plan, i, &variant) == SPMM_OK, "variant %d", i);
    for (int i = 0; i < (int)plan->part_count; i++)
        TEST_CONTENT_MUST(spmm_plan_part(plan, i, &part) == SPMM_OK, "part %d", i);
    for (int i = 0; i < (int)plan->trace_count; i++)
        TEST_CONTENT_MUST(spmm_plan_trace(plan, i, &trace) == SPMM_OK, "trace %d", i);
}

/* Loads the file with a small budget or the default one, and checks that the load stays within it. */
static spmm_status_t load(struct test_stream *stream, const uint8_t *bytes, size_t size, spmm_plan_t **plan,
                          spmm_diag_t *diag)
{
    const uint64_t most = (UINT64_C(1) << 30) + 2048 * (uint64_t)size;
    spmm_load_options_t options = SPMM_LOAD_OPTIONS_INIT;
    options.budget_bytes = test_stream_chance(stream, 50) ? BUDGET : 0;
    spmmi_alloc_peak_reset();
    const spmm_status_t status = spmm_plan_read(bytes, size, &options, plan, diag);
    TEST_CONTENT_MUST(spmmi_alloc_peak_bytes() <=
                          (options.budget_bytes != 0 ? BUDGET : most) + COUNTED_TOO_MUCH,
                      "the load takes %llu bytes", (unsigned long long)spmmi_alloc_peak_bytes());
    return status;
}

static void loaded_check(struct test_stream *stream, const spmm_plan_t *plan,
                         struct test_content_tally *tally)
{
    TEST_CONTENT_MUST(spmmi_plan_check(plan, NULL) == SPMM_OK, "a loaded plan is not valid");
    infos_check(plan);
    if (test_stream_chance(stream, 20))
        saved_check(plan);
    executors_check(stream, plan, tally);
}

int test_content_may_be(spmm_status_t status, const uint8_t *bytes, size_t size)
{
    spmm_plan_t *plan = NULL;
    if (status == SPMM_ERR_PLAN_BUDGET)
        status = spmm_plan_read(bytes, size, NULL, &plan, NULL);
    spmm_plan_destroy(plan);
    return status == SPMM_OK;
}

spmm_status_t test_content_check(struct test_stream *stream, const uint8_t *bytes, size_t size,
                                 struct test_content_tally *tally, spmm_diag_t *diag)
{
    const double start = cpu_seconds();
    const int64_t live = spmmi_alloc_live();
    spmm_plan_t *plan = NULL;
    const spmm_status_t status = load(stream, bytes, size, &plan, diag);
    TEST_CONTENT_MUST((status == SPMM_OK) == (plan != NULL) && diag->status == status, "%s",
                      spmm_status_name(status));
    TEST_CONTENT_MUST((status == SPMM_OK) == (diag->text[0] == '\0') && status != SPMM_ERR_INTERNAL, "%s: %s",
                      spmm_status_name(status), diag->text);
    tally->files++;
    tally->refused += plan == NULL;
    if (plan != NULL)
        loaded_check(stream, plan, tally);
    spmm_plan_destroy(plan);
    TEST_CONTENT_MUST(spmmi_alloc_live() == live, "%lld blocks are not given back",
                      (long long)(spmmi_alloc_live() - live));
    const double seconds = cpu_seconds() - start;
    TEST_CONTENT_MUST(seconds <= SECONDS_MAX, "the file takes %g s", seconds);
    tally->seconds_max = seconds > tally->seconds_max ? seconds : tally->seconds_max;
    return status;
}
