/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that write the values of A into tensor-core blocks on the GPU. They write exactly where the
 * value map of the host puts values, and nowhere outside, even if tables are damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "hostile_tables.h"
#include "kernels/tcblock/tcblock_scatter.h"
#include "tests/support/tcblock_kind_of.h"

static const struct shape {
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t block_rows, item_size;
    spmm_dtype_t dtype;
    int is_reordered, has_order;
} shapes[] = {
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE, 8, SPMMI_STEPS_MAX, SPMM_F32, 0, 0},
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8, 1, SPMM_F64, 1, 1},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE, 64, SPMMI_STEPS_MAX, SPMM_F64, 0, 1},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 128, 1, SPMM_BF16, 1, 0},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 256, 3, SPMM_F32, 1, 1},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, 2, SPMM_F32, 1, 0},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 128, SPMMI_STEPS_MAX, SPMM_F16, 0, 1},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 128, 5, SPMM_F64, 1, 0},
};
#define SHAPE_COUNT (sizeof shapes / sizeof shapes[0])

#define UNTOUCHED 0xa5
#define TABLES 8 /* tables of the layout that the kernel may read, row starts and the order */
#define ITEMS 5  /* index of the table of items, which are structs */

/* Bytes of a word of each table: locals, .., row starts, the order. */
static const uint32_t words[TABLES] = {1, 4, 4, 8, 4, 4, 4, 4};

/* A layout on the host, and its tables on the device. */
struct scene {
    struct test_matrix *a;
    struct spmmi_part part;
    struct spmmi_tcblock_layout host;
    struct spmmi_tcblock_scatter args;
    void *tables[TABLES];
    uint64_t bytes[TABLES], out_bytes; /* out_bytes: including the pad after the values */
    char *in, *want;
};

static void *device_copy(const void *host, uint64_t bytes)
{
    void *device = NULL;
    TEST_CUDA(cudaMalloc(&device, (size_t)bytes + 1));
    TEST_CUDA(cudaMemcpy(device, host, (size_t)bytes, cudaMemcpyHostToDevice));
    return device;
}

static void *filled(uint64_t bytes, int byte)
{
    void *memory = malloc((size_t)bytes + 1);
    assert_non_null(memory);
    return memset(memory, byte, (size_t)bytes);
}

/* Makes the part. If it is reordered, its last rows are first. */
static void part_make(struct scene *s, const struct shape *shape)
{
    const uint32_t rows = (uint32_t)s->a->rows;
    s->part = (struct spmmi_part){.op = SPMM_OP_N,
                                  .family = shape->family,
                                  .schedule = shape->schedule,
                                  .item_size = shape->item_size,
                                  .item_count = rows,
                                  .block_rows = shape->block_rows,
                                  .flags = shape->is_reordered ? SPMMI_PART_REORDERED : 0};
    s->part.items = filled(rows * sizeof *s->part.items, 0);
    for (uint32_t i = 0; i < rows; i++)
        s->part.items[i] = shape->is_reordered ? rows - 1 - i : i;
}

/* Makes distinct values, and the array that results from the value map of the host. */
static void values_make(struct scene *s)
{
    const uint64_t nnz = (uint64_t)s->a->nnz, size = s->args.value_bytes;
    s->out_bytes = (s->host.view.value_count + SPMMI_TCBLOCK_PAD) * size;
    s->in = filled(nnz * size, 0);
    s->want = filled(s->out_bytes, UNTOUCHED);
    for (uint64_t q = 0; q < nnz; q++) {
        const uint64_t value = test_hash(q, 5);
        memcpy(s->in + q * size, &value, size);
    }
    for (uint64_t q = 0; q < nnz; q++)
        memcpy(s->want + s->host.value_map[q] * size,
               s->in + (s->args.order != NULL ? nnz - 1 - q : q) * size, size);
    s->args.in = device_copy(s->in, nnz * size);
    TEST_CUDA(cudaMalloc(&s->args.out, (size_t)s->out_bytes));
}

static const void *table_add(struct scene *s, int at, const void *host, uint64_t bytes)
{
    s->bytes[at] = host != NULL ? bytes : 0;
    s->tables[at] = host != NULL ? device_copy(host, bytes) : NULL;
    return s->tables[at];
}

static void tables_make(struct scene *s, int has_order)
{
    struct spmmi_tcblocks *l = &s->args.layout;
    const uint64_t positions = (uint64_t)l->unit_count * l->unit_rows, nnz = (uint64_t)s->a->nnz;
    const struct spmmi_tcblock_sizes sizes = spmmi_tcblock_sizes_of(l);
    uint32_t *starts = filled(positions * sizeof *starts, 0), *order = filled(nnz * sizeof *order, 0);
    for (uint64_t i = 0; i < s->part.item_count; i++)
        starts[i] = (uint32_t)s->a->row_ptr[s->part.items[i]];
    for (uint32_t q = 0; q < nnz; q++)
        order[q] = (uint32_t)nnz - 1 - q;
    l->locals = table_add(s, 0, s->host.locals, 8 * sizes.locals);
    l->block_first = table_add(s, 1, s->host.block_first, sizes.block_first * sizeof *l->block_first);
    l->masks = table_add(s, 2, s->host.masks, sizes.masks * sizeof *l->masks);
    l->bitmaps = table_add(s, 3, s->host.bitmaps, sizes.bitmaps * sizeof *l->bitmaps);
    l->value_first = table_add(s, 4, s->host.value_first, sizes.value_first * sizeof *l->value_first);
    l->items = table_add(s, 5, s->host.items, l->item_count * sizeof *l->items);
    s->args.row_start = table_add(s, 6, starts, positions * sizeof *starts);
    s->args.order = table_add(s, 7, has_order ? order : NULL, nnz * sizeof *order);
    l->row_of = l->columns = NULL;
    l->splits = NULL;
    free(starts);
    free(order);
}

static struct scene scene_make(struct test_matrix *a, const struct shape *shape)
{
    struct scene s = {.a = a};
    part_make(&s, shape);
    assert_int_equal(spmmi_tcblocks_build(test_tcblock_kind_of(&s.part), a->rows, a->cols, a->row_ptr,
                                          a->col_ind, &s.part, shape->dtype, &s.host, NULL),
                     SPMM_OK);
    s.args = (struct spmmi_tcblock_scatter){.layout = s.host.view,
                                            .nnz = (uint32_t)a->nnz,
                                            .value_bytes = (uint32_t)spmm_dtype_size(shape->dtype)};
    tables_make(&s, shape->has_order);
    values_make(&s);
    return s;
}

static void scene_free(struct scene *s)
{
    for (int i = 0; i < TABLES; i++)
        TEST_CUDA(cudaFree(s->tables[i]));
    TEST_CUDA(cudaFree((void *)(uintptr_t)s->args.in));
    TEST_CUDA(cudaFree(s->args.out));
    free(s->in);
    free(s->want);
    spmmi_tcblocks_free(&s->host);
    free(s->part.items);
    test_matrix_free(s->a);
}

/* Runs the kernel on an array of UNTOUCHED bytes and returns the array. The caller frees it with free(). */
static char *scatter(const struct scene *s)
{
    char *got = filled(s->out_bytes, UNTOUCHED);
    TEST_CUDA(cudaMemcpy(s->args.out, got, (size_t)s->out_bytes, cudaMemcpyHostToDevice));
    TEST_CUDA((cudaError_t)spmmi_tcblock_scatter_cuda(&s->args));
    TEST_CUDA(cudaDeviceSynchronize());
    TEST_CUDA(cudaMemcpy(got, s->args.out, (size_t)s->out_bytes, cudaMemcpyDeviceToHost));
    return got;
}

static void values_are_where_the_map_puts_them(void **state)
{
    (void)state;
    for (int m = 0; m < test_matrix_count(); m++)
        for (size_t i = 0; i < SHAPE_COUNT; i++) {
            struct scene s = scene_make(test_matrix_make(m, TEST_VALUES_INTEGER), &shapes[i]);
            char *got = scatter(&s);
            if (memcmp(got, s.want, (size_t)s.out_bytes) != 0)
                fail_msg("%s, shape %zu: values are elsewhere", s.a->name, i);
            free(got);
            scene_free(&s);
        }
}

/* Damages all words of table t. The kernel must write nothing after the values; memcheck checks its reads. */
static void damaged_table_check(const struct shape *shape, int t, enum test_damage damage)
{
    struct scene s = scene_make(test_matrix_named("power law", TEST_VALUES_INTEGER), shape);
    const uint32_t word = words[t], fields = t == ITEMS ? sizeof *s.args.layout.items / word : 1;
    const struct test_table table = {
        .device = s.tables[t], .count = s.bytes[t] / word / fields, .fields = fields, .word = word};
    for (uint32_t field = 0; s.tables[t] != NULL && field < fields; field++)
        test_table_damage(&table, field, damage);
    char *got = scatter(&s);
    const uint64_t pad = SPMMI_TCBLOCK_PAD * (uint64_t)s.args.value_bytes;
    for (uint64_t at = s.out_bytes - pad; at < s.out_bytes; at++)
        if ((uint8_t)got[at] != UNTOUCHED)
            fail_msg("table %d, %s: byte %llu is written", t, test_damage_names[damage],
                     (unsigned long long)at);
    free(got);
    scene_free(&s);
}

static void damaged_tables_keep_values_in_their_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPE_COUNT; i++)
        for (int t = 0; t < TABLES; t++)
            for (int damage = 0; damage < TEST_DAMAGES; damage++)
                damaged_table_check(&shapes[i], t, (enum test_damage)damage);
}

int main(int argc, char **argv)
{
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_where_the_map_puts_them),
        cmocka_unit_test(damaged_tables_keep_values_in_their_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
