/* SPDX-License-Identifier: Apache-2.0 */
/* All GPU memory comes from a caller's device allocator. Results have the same bits as with the library's
 * own memory, whatever fresh memory contains. The library releases all memory, reports a refusal of any
 * call as DEVICE_MEMORY, and allocates nothing in spmm_execute. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spmm/product.h>

#include "cuda_product.h"
#include "device_allocator.h"
#include "executor/cuda/cuda_pool.h"
#include "tests/support/family_cases.h"
#include "tests/support/plan_seal.h"
#include "tests/support/sparse_products.h"

#define CALLS_MAX 100 /* upper limit of allocations in one library call of this test */
#define COLUMNS 33

/* A library call under test. refuse_each makes each of its allocations fail in turn, then lets it succeed. */
typedef spmm_status_t (*attempt)(void *scene, const spmm_device_allocator_t *allocator, spmm_diag_t *diag);

/* Refuses each allocation of `run` in turn. Returns the number of allocations. */
static long refuse_each(attempt run, void *scene)
{
    for (long k = 1; k < CALLS_MAX; k++) {
        struct test_device_user user = {.fail_at = k};
        const spmm_device_allocator_t allocator = test_device_allocator(&user);
        spmm_diag_t diag = {.text = ""};
        const spmm_status_t status = run(scene, &allocator, &diag);
        const long takes = user.takes;
        test_device_user_close(&user);
        if (status == SPMM_OK && takes < k)
            return takes;
        assert_int_equal(status, SPMM_ERR_DEVICE_MEMORY);
        assert_int_equal(takes, k);
        assert_non_null(strstr(diag.text, "the caller's device allocator refused"));
    }
    fail_msg("more than %d calls of allocate", CALLS_MAX);
    return 0;
}

static void refuse_misaligned(attempt run, void *scene)
{
    struct test_device_user user = {.shift = 128};
    const spmm_device_allocator_t allocator = test_device_allocator(&user);
    spmm_diag_t diag = {.text = ""};
    assert_int_equal(run(scene, &allocator, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "expected a multiple of 256"));
    assert_int_equal(user.takes, 1);
    test_device_user_close(&user);
}

/* ---- Executors ---- */

static spmm_status_t try_executor(void *plan, const spmm_device_allocator_t *allocator, spmm_diag_t *diag)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    options.allocator = allocator;
    spmm_status_t status = spmm_executor_create(plan, 0, &options, &executor, diag);
    assert_int_equal(executor != NULL, status == SPMM_OK);
    if (executor != NULL)
        status = spmm_executor_set_values(executor, ((const spmm_plan_t *)plan)->values, NULL, diag);
    spmm_executor_destroy(executor);
    return status;
}

static spmm_executor_t *executor_of(const spmm_plan_t *plan, const spmm_device_allocator_t *allocator)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag = {.text = ""};
    options.allocator = allocator;
    if (spmm_executor_create(plan, 0, &options, &executor, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    return executor;
}

static void expect_same_product(spmm_executor_t *const executors[2], const struct test_matrix *a,
                                spmm_dtype_t dtype, const struct test_product *product)
{
    struct test_dense b = test_product_b(a, dtype, product);
    struct test_dense c[] = {test_product_c(a, dtype, product), test_product_c(a, dtype, product)};
    for (int i = 0; i < 2; i++)
        test_cuda_product_run(executors[i], product, &b, &c[i]);
    assert_memory_equal(c[0].block, c[1].block, c[0].block_bytes);
    test_dense_free(&c[1]);
    test_dense_free(&c[0]);
    test_dense_free(&b);
}

static void expect_same_products(spmm_executor_t *const executors[2], const struct test_matrix *a,
                                 spmm_dtype_t dtype)
{
    static const int64_t widths[] = {1, 2, 8, COLUMNS, 130};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        for (int turn = 0; turn < 8; turn++) {
            const struct test_product product = {.op = (spmm_op_t)(turn / 4),
                                                 .n = widths[i],
                                                 .b_layout = (spmm_layout_t)(turn % 2),
                                                 .c_layout = (spmm_layout_t)(turn / 2 % 2),
                                                 .alpha = 1.5,
                                                 .beta = turn % 3 == 0 ? 0 : -0.5,
                                                 .values = TEST_VALUES_REAL};
            expect_same_product(executors, a, dtype, &product);
        }
}

static void set_new_values(spmm_executor_t *const executors[2], const struct test_matrix *a,
                           spmm_dtype_t dtype)
{
    void *values = calloc((size_t)a->nnz + 1, sizeof(double));
    assert_non_null(values);
    for (int64_t q = 0; q < a->nnz; q++)
        test_value_set(dtype, values, q, test_real((uint64_t)q, 77));
    for (int i = 0; i < 2; i++)
        assert_int_equal(spmm_executor_set_values(executors[i], values, NULL, NULL), SPMM_OK);
    TEST_CUDA(cudaDeviceSynchronize());
    free(values);
}

static uint64_t bytes_with_new_values(const spmm_plan_t *plan)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    uint64_t bytes = 0;
    options.new_values = 1;
    assert_int_equal(spmm_executor_memory_bytes(plan, 0, &options, NULL, &bytes, NULL), SPMM_OK);
    return bytes;
}

static void check_family(const struct test_family_case *of)
{
    struct test_matrix *a = test_matrix_named(of->matrix, TEST_VALUES_REAL);
    spmm_plan_t *plan = test_family_plan(of, a);
    struct test_device_user user = {.fail_at = 0};
    spmm_executor_info_t info = {.struct_size = sizeof info};
    spmm_device_allocator_t allocator = test_device_allocator(&user);
    spmm_executor_t *executors[2] = {executor_of(plan, NULL), NULL};
    test_runtime_calls.takes = 0;
    executors[1] = executor_of(plan, &allocator);
    memset(&allocator, 0xff, sizeof allocator); /* the executor has its own copy of the struct */
    assert_int_equal(test_runtime_calls.takes, 0);
    assert_int_equal(spmm_executor_info(executors[1], SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
    assert_int_equal(user.held_bytes, info.device_bytes);
    assert_true(info.peak_device_bytes >= info.device_bytes);
    long takes = user.takes;
    expect_same_products(executors, a, of->options.dtype);
    assert_int_equal(user.takes, takes);
    set_new_values(executors, a, of->options.dtype);
    takes = user.takes; /* only the first new values may allocate memory */
    expect_same_products(executors, a, of->options.dtype);
    set_new_values(executors, a, of->options.dtype);
    assert_int_equal(user.takes, takes);
    assert_int_equal(spmm_executor_info(executors[1], SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
    assert_int_equal(user.held_bytes, info.device_bytes);
    assert_int_equal(info.device_bytes, bytes_with_new_values(plan));
    spmm_executor_destroy(executors[1]);
    test_device_user_close(&user);
    spmm_executor_destroy(executors[0]);
    assert_int_equal(refuse_each(try_executor, plan), takes);
    refuse_misaligned(try_executor, plan);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void executors_of_every_family(void **state)
{
    (void)state;
    for (int i = 0; i < TEST_FAMILY_CASES; i++)
        check_family(&test_family_cases[i]);
}

/* Equal values are kernel arguments: executors hold no array of values until new values are set. */
static void values_that_are_all_the_same_are_not_read(void **state)
{
    static const int64_t widths[] = {1, 2, 5, 8, COLUMNS, 130};
    (void)state;
    for (int s = 0; s < 4; s++) {
        const spmm_dtype_t dtype = s / 2 == 0 ? SPMM_F32 : SPMM_F64;
        const struct test_plan_options options = {dtype, (spmm_schedule_t)(SPMM_SCHEDULE_ROW_SPLIT + s % 2),
                                                  8, 1, 0};
        struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
        for (int64_t q = 0; q < a->nnz; q++)
            a->values[q] = -0.3125;
        spmm_plan_t *plan = test_plan_whole(a, options, a->name);
        struct test_device_user user = {.fail_at = 0};
        const spmm_device_allocator_t allocator = test_device_allocator(&user);
        spmm_executor_t *executor = executor_of(plan, &allocator);
        assert_true(user.held_bytes + (size_t)a->nnz * spmm_dtype_size(dtype) <= bytes_with_new_values(plan));
        for (int turn = 0; turn < 24; turn++) {
            const struct test_product product =
                test_cuda_turn(widths[turn % 6], turn / 6, turn, TEST_VALUES_REAL);
            test_cuda_product_check(executor, NULL, a, dtype, &product);
        }
        for (int64_t q = 0; q < a->nnz; q++)
            a->values[q] = test_real((uint64_t)q, 78);
        void *values = test_values_of(a, dtype);
        assert_int_equal(spmm_executor_set_values(executor, values, NULL, NULL), SPMM_OK);
        assert_int_equal(user.held_bytes, bytes_with_new_values(plan));
        for (int turn = 0; turn < 6; turn++) {
            const struct test_product product = test_cuda_turn(widths[turn], turn, turn, TEST_VALUES_REAL);
            test_cuda_product_check(executor, NULL, a, dtype, &product);
        }
        free(values);
        spmm_executor_destroy(executor);
        test_device_user_close(&user);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
}

/* ---- Certifiers ---- */

struct certified {
    spmm_plan_t *plan;
    spmm_executor_t *executor;
    struct test_product product;
    struct test_cuda_dense b, before, c;
    int has_own; /* whether the certifier's options name the allocator; else the executor's options do */
};

static spmm_status_t try_certifier(void *scene, const spmm_device_allocator_t *allocator, spmm_diag_t *diag)
{
    const struct certified *s = scene;
    spmm_certifier_options_t options = SPMM_CERTIFIER_OPTIONS_INIT;
    spmm_certificate_t found = {.struct_size = sizeof found};
    spmm_certifier_t *certifier = NULL;
    spmm_executor_t *executor = s->executor;
    cudaStream_t stream = NULL;
    spmm_status_t status = SPMM_OK;
    if (s->has_own)
        options.allocator = allocator;
    else {
        spmm_executor_options_t of_executor = SPMM_EXECUTOR_OPTIONS_INIT;
        of_executor.allocator = allocator;
        status = spmm_executor_create(s->plan, 0, &of_executor, &executor, diag);
    }
    TEST_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    if (status == SPMM_OK)
        status = spmm_certifier_create(s->plan, executor, &options, &certifier, diag);
    if (status == SPMM_OK)
        status = spmm_certify(certifier, s->product.op, spmm_real(s->product.alpha), &s->b.view,
                              spmm_real(s->product.beta), &s->before.view, &s->c.view, stream, &found, diag);
    assert_int_equal(found.passed, status == SPMM_OK);
    TEST_CUDA(cudaStreamSynchronize(stream)); /* release wrote to the blocks in this stream */
    TEST_CUDA(cudaStreamDestroy(stream));
    spmm_certifier_destroy(certifier);
    if (!s->has_own)
        spmm_executor_destroy(executor);
    return status;
}

static void certifiers(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    struct certified s = {.product = {.n = COLUMNS, .alpha = 2, .beta = -0.5, .values = TEST_VALUES_REAL}};
    s.plan = test_family_plan(&test_family_cases[2], a);
    s.executor = executor_of(s.plan, NULL);
    struct test_dense b = test_product_b(a, SPMM_F32, &s.product),
                      c = test_product_c(a, SPMM_F32, &s.product);
    s.b = test_cuda_dense_make(&b);
    s.before = test_cuda_dense_make(&c);
    test_cuda_product_run(s.executor, &s.product, &b, &c);
    s.c = test_cuda_dense_make(&c);
    for (s.has_own = 0; s.has_own < 2; s.has_own++) {
        struct test_device_user user = {.fail_at = 0};
        const spmm_device_allocator_t allocator = test_device_allocator(&user);
        test_runtime_calls.takes = 0;
        assert_int_equal(try_certifier(&s, &allocator, NULL), SPMM_OK);
        assert_int_equal(test_runtime_calls.takes, 0);
        test_device_user_close(&user);
        /* At least A, its transpose and the buffers of a check. */
        assert_true(refuse_each(try_certifier, &s) >= 3);
        refuse_misaligned(try_certifier, &s);
    }
    test_cuda_dense_free(&s.c);
    test_cuda_dense_free(&s.before);
    test_cuda_dense_free(&s.b);
    test_dense_free(&c);
    test_dense_free(&b);
    spmm_executor_destroy(s.executor);
    spmm_plan_destroy(s.plan);
    test_matrix_free(a);
}

/* ---- Sparse products by a plan ---- */

static spmm_status_t try_product(void *plan, const spmm_device_allocator_t *allocator, spmm_diag_t *diag)
{
    spmm_product_executor_options_t options = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    spmm_product_t *product = NULL;
    options.allocator = allocator;
    const spmm_status_t status = spmm_product_create(plan, 0, &options, &product, diag);
    assert_int_equal(product != NULL, status == SPMM_OK);
    spmm_product_destroy(product);
    return status;
}

static void *upload(const void *host, size_t bytes)
{
    void *data = NULL;
    TEST_CUDA(cudaMalloc(&data, bytes + 1));
    TEST_CUDA(cudaMemcpy(data, host, bytes, cudaMemcpyHostToDevice));
    return data;
}

/* Computes P^T A P or A^T D A from values on the GPU and copies C to the host. */
static void run_product(spmm_product_t *product, const struct test_sparse_product *p, int64_t nnz, void *c)
{
    struct test_sparse_values values = test_sparse_values(p);
    void *operands[SPMM_PRODUCT_FACTORS] = {NULL}, *diagonal = NULL;
    const size_t size = spmm_dtype_size(p->dtype);
    uint64_t bytes = 0;
    assert_int_equal(spmm_product_workspace_bytes(product, &bytes), SPMM_OK);
    struct test_cuda_workspace workspace = test_cuda_workspace_make(bytes),
                               result = test_cuda_workspace_make((uint64_t)nnz * size);
    for (int f = 0, m = 0; f < p->count; f++)
        if (f == 0 || p->factor[f] != p->factor[0]) {
            if (values.operand[m] != NULL)
                operands[m] = upload(values.operand[m], (size_t)p->factor[f]->nnz * size);
            m++;
        }
    if (p->diagonal)
        diagonal = upload(values.diagonal, (size_t)p->factor[0]->rows * size);
    assert_int_equal(spmm_product_execute(product, spmm_real(1), (const void *const *)operands, diagonal,
                                          spmm_real(0), result.data, workspace.data, bytes, NULL, NULL),
                     SPMM_OK);
    TEST_CUDA(cudaDeviceSynchronize());
    TEST_CUDA(cudaMemcpy(c, result.data, (size_t)nnz * size, cudaMemcpyDeviceToHost));
    for (int m = 0; m < SPMM_PRODUCT_FACTORS; m++)
        TEST_CUDA(cudaFree(operands[m]));
    TEST_CUDA(cudaFree(diagonal));
    test_cuda_workspace_free(&workspace);
    test_cuda_workspace_free(&result);
    test_sparse_values_free(&values);
}

static void check_product(const struct test_sparse_product *p)
{
    spmm_plan_t *plan = test_sparse_plan(p);
    struct test_device_user user = {.fail_at = 0};
    const spmm_device_allocator_t allocator = test_device_allocator(&user);
    spmm_product_executor_options_t options = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    spmm_product_t *products[2] = {NULL, NULL};
    spmm_product_info_t info = {.struct_size = sizeof info};
    void *c[2];
    for (int i = 0; i < 2; i++) {
        options.allocator = i == 0 ? NULL : &allocator;
        test_runtime_calls.takes = 0;
        assert_int_equal(spmm_product_create(plan, 0, &options, &products[i], NULL), SPMM_OK);
        assert_int_equal(test_runtime_calls.takes > 0, i == 0);
        assert_int_equal(spmm_product_info(products[i], &info), SPMM_OK);
        c[i] = calloc((size_t)info.nnz + 1, sizeof(double));
        assert_non_null(c[i]);
    }
    /* Scratch memory has been released. */
    assert_in_range(user.held_bytes, info.device_bytes, info.device_bytes + 2);
    const long takes = user.takes;
    for (int i = 0; i < 2; i++)
        run_product(products[i], p, info.nnz, c[i]);
    assert_int_equal(user.takes, takes);
    assert_memory_equal(c[0], c[1], (size_t)info.nnz * spmm_dtype_size(p->dtype));
    spmm_product_destroy(products[1]);
    test_device_user_close(&user);
    spmm_product_destroy(products[0]);
    assert_int_equal(refuse_each(try_product, plan), takes);
    refuse_misaligned(try_product, plan);
    free(c[0]);
    free(c[1]);
    spmm_plan_destroy(plan);
}

TEST_PATTERN(blocks, i / 6 == j / 6 || i / 6 == j / 6 + 1)

static void sparse_products_by_plan(void **state)
{
    (void)state;
    static const struct test_pattern alike = {"blocks", 420, 420, blocks};
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL),
                       *b = test_matrix_named("lower triangle", TEST_VALUES_REAL),
                       *grouped = test_matrix_of(&alike, TEST_VALUES_REAL);
    check_product(&(struct test_sparse_product){.count = 3,
                                                .factor = {b, a, b},
                                                .op = {SPMM_OP_T, SPMM_OP_N, SPMM_OP_N},
                                                .piece_products = 60,
                                                .dtype = SPMM_F64});
    check_product(&(struct test_sparse_product){
        .count = 2, .factor = {a, a}, .op = {SPMM_OP_T, SPMM_OP_N}, .diagonal = 1, .dtype = SPMM_F32});
    check_product(&(struct test_sparse_product){.count = 2, .factor = {grouped, grouped}, .dtype = SPMM_F32});
    test_matrix_free(grouped);
    test_matrix_free(b);
    test_matrix_free(a);
}

/* ---- Sparse products without a plan ---- */

struct once {
    spmm_csr_t a, b; /* on the GPU */
    const char *method;
    cudaStream_t stream;
    char *kept; /* C computed with the library's own memory, on the host: row pointers, columns, values */
    size_t kept_bytes;
};

static spmm_csr_t csr_of(const struct test_matrix *a, spmm_itype_t column_type)
{
    int64_t *wide = calloc((size_t)a->nnz + 1, sizeof *wide);
    assert_non_null(wide);
    for (int64_t q = 0; q < a->nnz; q++)
        wide[q] = a->col_ind[q];
    const spmm_csr_t made = {a->rows,
                             a->cols,
                             a->nnz,
                             SPMM_I64,
                             column_type,
                             upload(a->row_ptr, ((size_t)a->rows + 1) * sizeof *a->row_ptr),
                             column_type == SPMM_I64
                                 ? upload(wide, (size_t)a->nnz * sizeof *wide)
                                 : upload(a->col_ind, (size_t)a->nnz * sizeof *a->col_ind),
                             SPMM_F64,
                             upload(a->values, (size_t)a->nnz * sizeof *a->values)};
    free(wide);
    return made;
}

static void csr_free(const spmm_csr_t *a)
{
    const void *const arrays[] = {a->row_ptr, a->col_ind, a->values};
    for (size_t i = 0; i < 3; i++)
        TEST_CUDA(cudaFree((void *)(uintptr_t)arrays[i]));
}

/* Keeps the bytes of C at the first call. Later calls check that C has the same bytes. */
static void keep_or_compare(struct once *s, const spmm_csr_t *c)
{
    const size_t rows = ((size_t)c->rows + 1) * sizeof(int64_t), columns = (size_t)c->nnz * sizeof(int32_t),
                 bytes = rows + columns + (size_t)c->nnz * sizeof(double);
    char *found = malloc(bytes);
    assert_non_null(found);
    TEST_CUDA(cudaMemcpy(found, c->row_ptr, rows, cudaMemcpyDeviceToHost));
    TEST_CUDA(cudaMemcpy(found + rows, c->col_ind, columns, cudaMemcpyDeviceToHost));
    TEST_CUDA(cudaMemcpy(found + rows + columns, c->values, bytes - rows - columns, cudaMemcpyDeviceToHost));
    if (s->kept == NULL) {
        s->kept = found;
        s->kept_bytes = bytes;
        return;
    }
    assert_int_equal(bytes, s->kept_bytes);
    assert_memory_equal(found, s->kept, bytes);
    free(found);
}

static spmm_status_t try_once(void *scene, const spmm_device_allocator_t *allocator, spmm_diag_t *diag)
{
    struct once *s = scene;
    spmm_product_once_options_t options = SPMM_PRODUCT_ONCE_OPTIONS_INIT;
    spmm_csr_t c;
    options.force_method = s->method;
    options.stream = s->stream;
    options.allocator = allocator;
    const spmm_status_t status = spmm_product_once(&s->a, &s->b, 0, &options, &c, diag);
    if (status == SPMM_OK) {
        keep_or_compare(s, &c);
        if (allocator == NULL)
            spmm_product_once_free(&c);
        else
            assert_int_equal(spmm_product_once_give_back(&c, allocator, 0, s->stream, NULL), SPMM_OK);
    }
    assert_null(c.row_ptr);
    TEST_CUDA(cudaStreamSynchronize(s->stream));
    return status;
}

TEST_PATTERN(far_columns, test_chance(i, j, 1000))
TEST_PATTERN(half, (i + j) % 2 == 0)

static const struct test_device_block *held_of(const struct test_device_user *user)
{
    for (int i = 0; i < user->count; i++)
        if (user->blocks[i].is_held)
            return &user->blocks[i];
    return NULL;
}

/* Checks that only C is held after the call: one block, which begins with the row pointers. */
static void check_result(struct once *s)
{
    struct test_device_user user = {.any_stream = 1};
    const spmm_device_allocator_t allocator = test_device_allocator(&user);
    spmm_product_once_options_t options = SPMM_PRODUCT_ONCE_OPTIONS_INIT;
    spmm_csr_t c;
    options.stream = s->stream;
    options.allocator = &allocator;
    test_runtime_calls.takes = 0;
    assert_int_equal(spmm_product_once(&s->a, &s->b, 0, &options, &c, NULL), SPMM_OK);
    assert_int_equal(test_runtime_calls.takes, 0);
    assert_int_equal(user.held, 1);
    assert_ptr_equal(c.row_ptr, held_of(&user)->memory);
    assert_true((const char *)c.col_ind + (size_t)c.nnz * sizeof(int32_t) <=
                (const char *)c.row_ptr + user.held_bytes);
    assert_int_equal(spmm_product_once_give_back(&c, NULL, 0, NULL, NULL), SPMM_ERR_ARGUMENT);
    assert_non_null(c.row_ptr);
    assert_int_equal(spmm_product_once_give_back(&c, &allocator, 0, NULL, NULL), SPMM_OK);
    assert_int_equal(spmm_product_once_give_back(&c, &allocator, 0, NULL, NULL),
                     SPMM_OK); /* nothing is left */
    test_device_user_close(&user);
}

static void sparse_products_without_a_plan(void **state)
{
    (void)state;
    static const char *const methods[] = {"hash", "bitmap", "merge"};
    static const struct test_pattern patterns[] = {{"half", 9, 40, half},
                                                   {"far columns", 40, 1200000, far_columns}};
    struct test_matrix *a[] = {test_matrix_named("arrow", TEST_VALUES_REAL),
                               test_matrix_of(&patterns[0], TEST_VALUES_REAL),
                               test_matrix_of(&patterns[1], TEST_VALUES_REAL)};
    /* A square matrix, and a wide one, whose bitmaps are in device memory. */
    for (int pair = 0; pair < 2; pair++) {
        struct once s = {.a = csr_of(a[pair], pair == 0 ? SPMM_I32 : SPMM_I64)};
        s.b = csr_of(a[2 * pair], pair == 0 ? SPMM_I64 : SPMM_I32);
        TEST_CUDA(cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking));
        for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
            s.method = methods[m];
            assert_int_equal(try_once(&s, NULL, NULL), SPMM_OK);
            assert_true(refuse_each(try_once, &s) >= 3);
            refuse_misaligned(try_once, &s);
        }
        check_result(&s);
        TEST_CUDA(cudaStreamDestroy(s.stream));
        free(s.kept);
        csr_free(&s.a);
        csr_free(&s.b);
    }
    for (int i = 0; i < 3; i++)
        test_matrix_free(a[i]);
}

/* ---- The library's own memory ---- */

/* Checks that the library releases the memory of its pool and tries once more if cudaMalloc fails. */
static void memory_of_the_pool_is_given_back_before_a_refusal(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    struct once s = {.a = csr_of(a, SPMM_I32), .b = csr_of(a, SPMM_I32)};
    spmm_plan_t *plan = test_family_plan(&test_family_cases[4], a);
    spmm_diag_t diag = {.text = ""};
    /* The pool keeps the scratch memory of this product. */
    assert_int_equal(try_once(&s, NULL, NULL), SPMM_OK);
    assert_true(spmmi_pool_bytes(0) > 0);
    for (long failures = 1; failures < 3; failures++) {
        test_runtime_calls = (struct test_runtime_calls){.fail_mallocs = failures};
        assert_int_equal(try_executor(plan, NULL, &diag), failures == 1 ? SPMM_OK : SPMM_ERR_DEVICE_MEMORY);
        assert_int_equal(test_runtime_calls.fail_mallocs, 0);
        assert_int_equal(test_runtime_calls.trims, 1);
        assert_int_equal(spmmi_pool_bytes(0), 0);
    }
    test_runtime_calls = (struct test_runtime_calls){.takes = 0};
    TEST_CUDA(cudaGetLastError());
    free(s.kept);
    csr_free(&s.a);
    csr_free(&s.b);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(executors_of_every_family),
        cmocka_unit_test(values_that_are_all_the_same_are_not_read),
        cmocka_unit_test(certifiers),
        cmocka_unit_test(sparse_products_by_plan),
        cmocka_unit_test(sparse_products_without_a_plan),
        cmocka_unit_test(memory_of_the_pool_is_given_back_before_a_refusal),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
