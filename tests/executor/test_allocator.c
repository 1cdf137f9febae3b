/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries allocate all memory with the allocator that the caller sets, and release it there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

#include <spmm/spmm.h>

#include "format/base/alloc.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define HEAD 64 /* bytes in front of each block; they hold its owner */

/* An allocator that counts and can run out of memory. It is not thread-safe: the calls below use one
 * thread. */
struct pool {
    size_t taken, held, bytes_held;
    size_t fail_from; /* this allocation and all later ones fail */
    int is_aligned;
};

static void *pool_allocate(void *context, size_t bytes, size_t alignment)
{
    struct pool *pool = context;
    if (pool->taken >= pool->fail_from)
        return NULL;
    char *block = aligned_alloc(alignment, HEAD + (bytes + alignment - 1) / alignment * alignment);
    assert_non_null(block);
    memcpy(block, &pool, sizeof pool);
    memcpy(block + sizeof pool, &bytes, sizeof bytes);
    pool->taken++;
    pool->held++;
    pool->bytes_held += bytes;
    pool->is_aligned &= alignment <= HEAD;
    return block + HEAD;
}

static void pool_release(void *context, void *memory)
{
    struct pool *pool = context;
    struct pool *owner = NULL;
    size_t bytes = 0;
    char *block = (char *)memory - HEAD;
    memcpy(&owner, block, sizeof owner);
    memcpy(&bytes, block + sizeof owner, sizeof bytes);
    assert_ptr_equal(owner, pool);
    pool->held--;
    pool->bytes_held -= bytes;
    free(block);
}

static struct pool make_pool(size_t fail_from)
{
    return (struct pool){.fail_from = fail_from, .is_aligned = 1};
}

static spmm_allocator_t allocator_of(struct pool *pool)
{
    return (spmm_allocator_t){sizeof(spmm_allocator_t), pool_allocate, pool_release, pool};
}

/* All objects that one run through the libraries makes. */
struct work {
    char packed[512];
    size_t packed_bytes;
    spmm_matrix_t *matrix;
    spmm_plan_t *plan, *loaded;
    void *bytes;
    size_t size;
    spmm_executor_t *executor;
};

static _Alignas(256) char workspace[4096];

static spmm_status_t run_product(spmm_executor_t *executor)
{
    float b_data[3] = {1, 1, 1};
    float c_data[3] = {0, 0, 0};
    const spmm_dense_t b = {.data = b_data, .rows = 3, .cols = 1, .ld = 1, .type = SPMM_F32};
    const spmm_dense_t c = {.data = c_data, .rows = 3, .cols = 1, .ld = 1, .type = SPMM_F32};
    const spmm_status_t status = spmm_execute(executor, SPMM_OP_N, spmm_real(1), &b, spmm_real(0), &c,
                                              workspace, sizeof workspace, NULL, NULL);
    if (status == SPMM_OK)
        assert_true(c_data[0] == 2 && c_data[1] == 0 && c_data[2] == 7);
    return status;
}

static spmm_status_t make_all(struct work *w)
{
    spmm_read_options_t read = SPMM_READ_OPTIONS_INIT;
    spmm_inspect_options_t inspect = SPMM_INSPECT_OPTIONS_INIT;
    spmm_save_options_t save = SPMM_SAVE_OPTIONS_INIT;
    spmm_load_options_t load = SPMM_LOAD_OPTIONS_INIT;
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    read.threads = inspect.threads = save.threads = load.threads = options.threads = 1;
    spmm_status_t status = spmm_matrix_read(w->packed, w->packed_bytes, NULL, &read, &w->matrix, NULL);
    if (status == SPMM_OK)
        status = spmm_inspect(w->matrix, &inspect, &w->plan, NULL);
    if (status == SPMM_OK)
        status = spmm_plan_write(w->plan, &save, &w->bytes, &w->size, NULL);
    if (status == SPMM_OK)
        status = spmm_plan_read(w->bytes, w->size, &load, &w->loaded, NULL);
    if (status == SPMM_OK)
        status = spmm_executor_create(w->loaded, SPMM_DEVICE_CPU, &options, &w->executor, NULL);
    return status == SPMM_OK ? run_product(w->executor) : status;
}

static void destroy_all(struct work *w)
{
    spmm_executor_destroy(w->executor);
    spmm_plan_destroy(w->loaded);
    spmm_plan_bytes_free(w->bytes);
    spmm_plan_destroy(w->plan);
    spmm_matrix_destroy(w->matrix);
}

static struct work make_work(void)
{
    static const char text[] = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 2\n3 2 7\n";
    struct work w = {.matrix = NULL};
    w.packed_bytes = ZSTD_compress(w.packed, sizeof w.packed, text, sizeof text - 1, 3);
    assert_false(ZSTD_isError(w.packed_bytes));
    return w;
}

static void all_memory_comes_from_it_and_goes_back(void **state)
{
    struct pool pool = make_pool(SIZE_MAX);
    const spmm_allocator_t allocator = allocator_of(&pool);
    struct work w = make_work();
    (void)state;
    assert_int_equal(spmm_allocator_set(&allocator, NULL), SPMM_OK);
    assert_int_equal(make_all(&w), SPMM_OK);
    assert_int_equal(pool.held, (size_t)spmmi_alloc_live());
    assert_true(pool.taken > 20 && pool.held > 5 && pool.bytes_held > 1000);
    assert_true(pool.is_aligned);
    destroy_all(&w);
    assert_int_equal(pool.held, 0);
    assert_int_equal(pool.bytes_held, 0);
    assert_int_equal(spmm_allocator_set(NULL, NULL), SPMM_OK);
    const size_t taken = pool.taken;
    w = make_work();
    assert_int_equal(make_all(&w), SPMM_OK);
    destroy_all(&w);
    assert_int_equal(pool.taken, taken);
}

static void one_that_has_nothing_left_is_survived(void **state)
{
    spmm_status_t status = SPMM_ERR_MEMORY;
    (void)state;
    for (size_t k = 0; status != SPMM_OK; k++) {
        struct pool pool = make_pool(k);
        const spmm_allocator_t allocator = allocator_of(&pool);
        struct work w = make_work();
        assert_int_equal(spmm_allocator_set(&allocator, NULL), SPMM_OK);
        status = make_all(&w);
        assert_true(status == SPMM_OK || status == SPMM_ERR_MEMORY);
        destroy_all(&w);
        assert_int_equal(pool.held, 0);
        assert_int_equal(spmm_allocator_set(NULL, NULL), SPMM_OK);
    }
}

static void none_is_exchanged_while_its_memory_is_held(void **state)
{
    struct pool pool = make_pool(SIZE_MAX);
    const spmm_allocator_t allocator = allocator_of(&pool);
    struct work w = make_work();
    spmm_diag_t diag;
    (void)state;
    assert_int_equal(make_all(&w), SPMM_OK);
    assert_int_equal(spmm_allocator_set(&allocator, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "blocks of the present allocator are held"));
    destroy_all(&w);
    assert_int_equal(spmm_allocator_set(&allocator, &diag), SPMM_OK);
    w = make_work();
    assert_int_equal(make_all(&w), SPMM_OK);
    assert_int_equal(spmm_allocator_set(NULL, &diag), SPMM_ERR_ARGUMENT);
    destroy_all(&w);
    assert_int_equal(spmm_allocator_set(NULL, &diag), SPMM_OK);
    assert_int_equal(diag.status, SPMM_OK);
}

static void half_of_one_is_refused(void **state)
{
    spmm_diag_t diag;
    const struct {
        spmm_allocator_t allocator;
        const char *tcblock;
    } cases[] = {
        {{0, pool_allocate, pool_release, NULL}, "struct_size"},
        {{sizeof(spmm_allocator_t), NULL, pool_release, NULL}, "lacks allocate"},
        {{sizeof(spmm_allocator_t), pool_allocate, NULL, NULL}, "lacks release"},
        {{offsetof(spmm_allocator_t, release), pool_allocate, pool_release, NULL}, "lacks release"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(spmm_allocator_set(&cases[i].allocator, &diag), SPMM_ERR_ARGUMENT);
        assert_non_null(strstr(diag.text, cases[i].tcblock));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_memory_comes_from_it_and_goes_back),
        cmocka_unit_test(one_that_has_nothing_left_is_survived),
        cmocka_unit_test(none_is_exchanged_while_its_memory_is_held),
        cmocka_unit_test(half_of_one_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
