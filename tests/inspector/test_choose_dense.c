/* SPDX-License-Identifier: Apache-2.0 */
/* Nearly dense matrices: when the default choice takes the dense family, which other parts such a plan keeps,
 * and how the other families cut block-row groups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "format/plan.h"
#include "inspect_support.h"
#include "kernels/bcsr/bcsr_shape.h"
#include "kernels/dense/dense_narrow_shape.h"
#include "kernels/dense/dense_tile_shape.h"

static const int64_t n_1_512[] = {1, 512}, n_512[] = {512};

/* Matrices with one in ten and one in 683 possible entries. */
#define TENTH "gen:rand:1024:102"
#define SPARSE "gen:rand:8192:12"
/* The length of a row of 16-bit values is not a multiple of 16 bytes. */
#define UNEVEN "gen:rand:1020:204"

#define GROUPS(rows, cols) "gen:dense:" #rows ":" #cols

static spmm_plan_t *plan_of(const char *spec, spmm_inspect_options_t options)
{
    spmm_matrix_t *m = inspect_generate(spec);
    spmm_plan_t *plan = inspect_plan(m, &options);
    spmm_matrix_destroy(m);
    return plan;
}

static uint32_t parts_of(const spmm_plan_t *plan, spmm_family_t family, spmm_op_t op)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->part_count; i++)
        count += plan->parts[i].family == family && plan->parts[i].op == op;
    return count;
}

static spmm_family_t family_of(const spmm_plan_t *plan, uint32_t variant)
{
    return plan->parts[plan->variants[variant].part_first].family;
}

static void wide_products_of_nearly_dense_matrices_are_dense(void **state)
{
    static const spmm_dtype_t types[] = {SPMM_F16, SPMM_BF16};
    (void)state;
    for (int i = 0; i < 2; i++) {
        spmm_plan_t *plan =
            plan_of(TENTH, (spmm_inspect_options_t)OPTIONS(.device = "h200", .a_type = types[i], .n = n_1_512,
                                                           .n_count = 2, .layouts = SPMM_LAYOUTS_ROW_MAJOR));
        assert_int_equal(family_of(plan, 0), SPMM_FAMILY_ROWS);
        assert_int_equal(family_of(plan, 1), SPMMI_DENSE);
        assert_int_equal(plan->variants[1].compute, types[i]);
        assert_int_equal(parts_of(plan, SPMM_FAMILY_ROWS, SPMM_OP_N), 2); /* one for n = 1, one for the CPU */
        spmm_plan_destroy(plan);
    }
}

/* The matrix has many ranges of n, because wide n is split into three ranges. */
static void many_types_and_devices_have_room(void **state)
{
    static const char *const targets[] = {"a100", "h100", "any", "cpu"};
    static const spmm_dtype_t types[] = {SPMM_F32, SPMM_F64, SPMM_F16, SPMM_BF16};
    static const size_t devices[] = {2, 2, 4, 4}, kinds[] = {2, 3, 3, 4};
    (void)state;
    for (int i = 0; i < 4; i++) {
        const spmm_inspect_options_t options =
            OPTIONS(.targets = targets, .target_count = devices[i], .a_types = types,
                    .a_type_count = kinds[i], .ops = (SPMM_OPS_N | SPMM_OPS_T));
        spmm_plan_t *plan = plan_of("gen:uniform:1024:512:128", options);
        spmm_diag_t diag = {0};
        uint32_t wide = 0;
        assert_int_equal(spmmi_plan_check(plan, &diag), SPMM_OK);
        for (uint32_t k = 0; k < plan->variant_count; k++)
            wide += plan->variants[k].n_min >= 384;
        assert_true(wide > 0);
        spmm_plan_destroy(plan);
    }
}

/* A quarter of the entries is stored. For 256 columns f32 runs in tensor-core blocks, from 1,024 columns on
 * as a dense matrix with all zeros. */
static void f32_of_a_nearly_dense_matrix_changes_with_wide_n(void **state)
{
    (void)state;
    spmm_plan_t *plan =
        plan_of("gen:uniform:1024:768:192",
                (spmm_inspect_options_t)OPTIONS(.device = "h200", .layouts = SPMM_LAYOUTS_ROW_MAJOR));
    int found = 0;
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        const struct spmmi_variant *const v = &plan->variants[i];
        if (v->target == SPMMI_TARGET_CPU || v->n_max < 256)
            continue;
        assert_int_equal(v->compute, SPMM_COMPUTE_3XTF32);
        if (v->n_min <= 256) {
            assert_int_equal(v->n_max, 1023);
            assert_int_equal(family_of(plan, i), SPMM_FAMILY_BCSR);
        } else {
            assert_int_equal(v->n_min, 1024);
            assert_int_equal(family_of(plan, i), SPMMI_DENSE);
        }
        found++;
    }
    assert_int_equal(found, 2);
    spmm_plan_destroy(plan);
}

/* With 399 columns k is odd, and the library can only load single values of f64, which is slow. */
static void f64_of_an_odd_k_is_left_to_others(void **state)
{
    static const char *const specs[] = {"gen:uniform:4096:400:32", "gen:uniform:4096:399:32"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        spmm_plan_t *plan = plan_of(
            specs[i], (spmm_inspect_options_t)OPTIONS(.device = "h100", .a_type = SPMM_F64, .n = n_512,
                                                      .n_count = 1, .layouts = SPMM_LAYOUTS_ROW_MAJOR));
        assert_int_equal(family_of(plan, 0) == SPMMI_DENSE, i == 0);
        spmm_plan_destroy(plan);
    }
}

/* Each value type may be dense; f32 runs on tensor cores only if the caller allows it. */
static void every_type_may_be_dense(void **state)
{
    static const spmm_compute_t computes[] = {SPMM_COMPUTE_F16, SPMM_COMPUTE_F32, SPMM_COMPUTE_F64,
                                              SPMM_COMPUTE_TF32, SPMM_COMPUTE_3XTF32};
    (void)state;
    for (int i = 0; i < 5; i++) {
        const spmm_dtype_t type = i < 3 ? (spmm_dtype_t)computes[i] : SPMM_F32;
        spmm_plan_t *plan =
            plan_of(UNEVEN, (spmm_inspect_options_t)OPTIONS(.device = "h200", .a_type = type,
                                                            .compute = computes[i], .n = n_512, .n_count = 1,
                                                            .layouts = SPMM_LAYOUTS_ROW_MAJOR));
        if (family_of(plan, 0) == SPMMI_DENSE)
            assert_int_equal(plan->variants[0].compute, computes[i]);
        else
            assert_int_equal(computes[i], SPMM_COMPUTE_3XTF32); /* tensor-core blocks are faster */
        spmm_plan_destroy(plan);
    }
}

/* Groups of 72 or 128 steps stay whole if clusters of 8 or 6 thread blocks share their steps, or if one thread
 * block per tile fills the device. They are cut to 32 steps if the device has no clusters, if the compute type
 * or n has no such kernel, if some multiprocessors would have no work, or if the shares would be too long. */
static void long_block_row_groups_of_clusters_are_not_cut(void **state)
{
    static const struct {
        const char *spec, *device;
        spmm_compute_t compute;
        uint32_t layouts;
        int64_t n;
        uint32_t item_size;
    } cases[] = {{GROUPS(128, 2304), "h100", SPMM_COMPUTE_3XTF32, SPMM_LAYOUTS_ROW_MAJOR, 512, 72},
                 {GROUPS(256, 4096), "h200", SPMM_COMPUTE_3XTF32, SPMM_LAYOUTS_ROW_MAJOR, 512, 128},
                 {GROUPS(128, 2304), "h100", SPMM_COMPUTE_TF32, SPMM_LAYOUTS_ROW_MAJOR, 512, 32},
                 {GROUPS(128, 2304), "a100", SPMM_COMPUTE_3XTF32, SPMM_LAYOUTS_ROW_MAJOR, 512, 32},
                 {GROUPS(128, 2304), "any", SPMM_COMPUTE_3XTF32, SPMM_LAYOUTS_ROW_MAJOR, 512, 72},
                 {GROUPS(128, 2304), "h200", SPMM_COMPUTE_3XTF32, SPMM_LAYOUTS_COL_MAJOR, 510, 72},
                 {GROUPS(512, 4096), "any", SPMM_COMPUTE_3XTF32, SPMM_LAYOUTS_COL_MAJOR, 4096, 128},
                 {GROUPS(256, 2304), "any", SPMM_COMPUTE_3XTF32, SPMM_LAYOUTS_ROW_MAJOR, 2048, 72},
                 {GROUPS(256, 2304), "h200", SPMM_COMPUTE_3XTF32, SPMM_LAYOUTS_COL_MAJOR, 1536, 72},
                 {GROUPS(128, 2304), "h200", SPMM_COMPUTE_3XTF32, SPMM_LAYOUTS_ROW_MAJOR, 32, 32},
                 {GROUPS(128, 2304), "h200", SPMM_COMPUTE_3XTF32, SPMM_LAYOUTS_ROW_MAJOR, 510, 32},
                 {GROUPS(512, 4096), "h200", SPMM_COMPUTE_3XTF32, SPMM_LAYOUTS_ROW_MAJOR, 1536, 32},
                 {GROUPS(64, 16384), "h200", SPMM_COMPUTE_3XTF32, SPMM_LAYOUTS_ROW_MAJOR, 128, 32}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        spmm_plan_t *plan =
            plan_of(cases[i].spec,
                    (spmm_inspect_options_t)OPTIONS(.device = cases[i].device, .compute = cases[i].compute,
                                                    .n = &cases[i].n, .n_count = 1,
                                                    .layouts = cases[i].layouts, .force_kernel = "bcsr",
                                                    .reorder = SPMM_REORDER_NONE, TCBLOCK(.block_rows = 64)));
        assert_int_equal(family_of(plan, 0), SPMM_FAMILY_BCSR);
        assert_int_equal(plan->parts[plan->variants[0].part_first].item_size, cases[i].item_size);
        spmm_plan_destroy(plan);
    }
    /* Plans for any device may run on one without these warpgroups. */
    assert_int_equal(spmmi_bcsr_item_size(72, 4, 108, 90), 72);
    assert_int_equal(spmmi_bcsr_item_size(72, 4, 108, 80), 64);
    assert_int_equal(spmmi_bcsr_item_size(72, 108, 108, 80), 72);
    assert_int_equal(spmmi_bcsr_item_size(32, 4, 108, 80), 32);
}

#define FEW_GROUPS 60
#define LONG_GROUP 8192 /* columns of the first group; the other groups have 32 */

/* Returns a matrix whose groups have 5 steps on average, so that clusters of two would share their steps. But
 * the first group has 256 steps. */
static spmm_matrix_t *one_long_group(void)
{
    static int32_t row_ptr[64 * FEW_GROUPS + 1], col_ind[64 * (LONG_GROUP + 32 * FEW_GROUPS)];
    spmm_matrix_t *m = NULL;
    int32_t nnz = 0;
    for (int i = 0; i < 64 * FEW_GROUPS; i++) {
        for (int j = 0; j < (i < 64 ? LONG_GROUP : 32); j++)
            col_ind[nnz++] = j;
        row_ptr[i + 1] = nnz;
    }
    const spmm_csr_t csr = {.rows = 64 * FEW_GROUPS,
                            .cols = LONG_GROUP,
                            .nnz = nnz,
                            .row_ptr = row_ptr,
                            .col_ind = col_ind,
                            .row_ptr_type = SPMM_I32,
                            .col_ind_type = SPMM_I32,
                            .value_type = SPMM_F32};
    assert_int_equal(spmm_matrix_from_csr(&csr, &m, NULL), SPMM_OK);
    return m;
}

static void one_long_block_row_group_of_many_is_cut(void **state)
{
    (void)state;
    spmm_matrix_t *m = one_long_group();
    const int64_t n[] = {128};
    const spmm_inspect_options_t options =
        OPTIONS(.device = "h200", .compute = SPMM_COMPUTE_3XTF32, .n = n, .n_count = 1,
                .layouts = SPMM_LAYOUTS_ROW_MAJOR, .force_kernel = "bcsr", .reorder = SPMM_REORDER_NONE,
                TCBLOCK(.block_rows = 64, .long_rows = SPMM_LONG_ROWS_KEEP));
    spmm_plan_t *plan = inspect_plan(m, &options);
    assert_int_equal(plan->parts[plan->variants[0].part_first].item_size, 32);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
}

static void sparse_matrices_are_too_large(void **state)
{
    (void)state;
    spmm_plan_t *plan =
        plan_of(SPARSE, (spmm_inspect_options_t)OPTIONS(.device = "h200", .a_type = SPMM_F16, .n = n_512,
                                                        .n_count = 1, .layouts = SPMM_LAYOUTS_ROW_MAJOR));
    int refused = 0;
    for (uint32_t i = 0; i < plan->trace_count; i++)
        refused += plan->trace[i].family == SPMMI_DENSE && plan->trace[i].reason == SPMMI_REASON_TOO_LARGE &&
                   plan->trace[i].variant == 0;
    assert_int_equal(refused, 1);
    assert_int_equal(parts_of(plan, SPMMI_DENSE, SPMM_OP_N), 0);
    spmm_plan_destroy(plan);
}

/* No variant names these parts. The executor runs them if the library of dense products is missing. */
static void a_plan_of_dense_parts_keeps_one_of_rows_for_each_op(void **state)
{
    (void)state;
    spmm_plan_t *plan = plan_of(
        TENTH, (spmm_inspect_options_t)OPTIONS(.device = "h200", .a_type = SPMM_F16, .n = n_512, .n_count = 1,
                                               .layouts = SPMM_LAYOUTS_ROW_MAJOR,
                                               .ops = (SPMM_OPS_N | SPMM_OPS_T), .force_kernel = "dense"));
    spmm_diag_t diag = {0};
    for (uint32_t i = 0; i < plan->variant_count; i++)
        assert_int_equal(family_of(plan, i), SPMMI_DENSE);
    assert_int_equal(parts_of(plan, SPMM_FAMILY_ROWS, SPMM_OP_N), 1);
    assert_int_equal(parts_of(plan, SPMM_FAMILY_ROWS, SPMM_OP_T), 1);
    assert_int_equal(spmmi_plan_check(plan, &diag), SPMM_OK);
    spmm_plan_destroy(plan);
}

/* The part that the CPU runs is no reserve for a GPU without the library of dense products: one long row
 * makes a row split slow there. So the plan keeps a second part of rows. It must be the first one, because
 * that is what runs then. */
static void a_plan_of_dense_parts_keeps_rows_for_the_gpu(void **state)
{
    static const char *const orders[][3] = {
        {"h200"}, {"h200", "cpu"}, {"cpu", "h200"}, {"cpu", "a100", "h200"}};
    static const size_t counts[] = {1, 2, 2, 3};
    static const int64_t n = 64;
    (void)state;
    for (size_t o = 0; o < sizeof counts / sizeof *counts; o++) {
        spmm_plan_t *plan =
            plan_of("gen:arrow:3000",
                    (spmm_inspect_options_t)OPTIONS(.targets = orders[o], .target_count = counts[o], .n = &n,
                                                    .n_count = 1, .force_kernel = "cuda/dense"));
        uint32_t first = 0;
        assert_int_equal(parts_of(plan, SPMM_FAMILY_ROWS, SPMM_OP_N), 2);
        while (plan->parts[first].family != SPMM_FAMILY_ROWS)
            first++;
        assert_int_equal(plan->parts[first].schedule, SPMM_SCHEDULE_NONZERO_SPLIT);
        spmm_plan_destroy(plan);
    }
}

/* f64 comes first and has only the CPU's part of rows. f16 then needs a part for the GPU, which must be the
 * first one. */
static void a_reserve_of_a_later_type_is_the_first_of_rows(void **state)
{
    static const spmm_dtype_t types[] = {SPMM_F64, SPMM_F16};
    static const int64_t n = 128;
    (void)state;
    spmm_plan_t *plan = plan_of("gen:block:2048:64:10",
                                (spmm_inspect_options_t)OPTIONS(.device = "h200", .a_types = types,
                                                                .a_type_count = 2, .n = &n, .n_count = 1));
    spmm_diag_t diag = {0};
    uint32_t first = 0;
    while (plan->parts[first].family != SPMM_FAMILY_ROWS)
        first++;
    assert_int_equal(parts_of(plan, SPMM_FAMILY_ROWS, SPMM_OP_N), 2);
    assert_int_equal(plan->parts[first].schedule, SPMM_SCHEDULE_ROW_SPLIT);
    assert_int_equal(plan->variants[1].target, SPMMI_TARGET_CPU);
    assert_int_equal(plan->parts[plan->variants[1].part_first].schedule, SPMM_SCHEDULE_NONZERO_SPLIT);
    assert_int_equal(spmmi_plan_check(plan, &diag), SPMM_OK);
    spmm_plan_destroy(plan);
}

static void rows_of_a_are_whole_words(void **state)
{
    (void)state;
    assert_int_equal(spmmi_dense_lda(0, SPMM_F32), 0);
    assert_int_equal(spmmi_dense_lda(1, SPMM_F16), 8);
    assert_int_equal(spmmi_dense_lda(8, SPMM_BF16), 8);
    assert_int_equal(spmmi_dense_lda(9, SPMM_F32), 12);
    assert_int_equal(spmmi_dense_lda(9, SPMM_F64), 10);
}

/* Checks which products of few columns the kernels of the dense family compute instead of the library, and
 * how these are cut into thread blocks. `of`: rows, value bytes, multiprocessors, column-major B, lda, n. */
static void narrow_products_are_divided_as_counted(void **state)
{
    static const struct {
        struct spmmi_dense_narrow of;
        struct spmmi_dense_narrow_shape wanted;
    } cases[] = {
        {{256, 8, 132, 0, 2304, 8}, {8, 1, 16, 1, 8}},    /* a cluster has at most 8 shares */
        {{2048, 4, 132, 0, 512, 8}, {8, 1, 128, 1, 1}},   /* multiprocessors are busy, and steps are few */
        {{2048, 4, 132, 0, 1024, 8}, {8, 1, 128, 1, 2}},  /* the same with more steps */
        {{1000, 4, 132, 0, 2048, 32}, {32, 1, 63, 1, 2}}, /* wide tiles need more steps for 4 shares */
        {{1000, 4, 132, 1, 2048, 32}, {16, 1, 63, 2, 2}}, /* column-major B: two tiles of 16 columns */
        {{512, 2, 132, 0, 2048, 8}, {8, 1, 32, 1, 2}},    /* a warp keeps more than two steps */
        {{512, 8, 132, 0, 2048, 32}, {16, 1, 32, 2, 4}},  /* f64 has tiles of 16 columns */
        {{2048, 4, 132, 0, 512, 128}, {32, 2, 64, 4, 1}}, /* 32 rows per warp */
        {{512, 4, 132, 1, 2048, 128}, {32, 2, 16, 4, 2}},
        {{512, 2, 132, 1, 2048, 8}, {0, 1, 0, 0, 1}}, /* column-major B of types other than f32 */
        {{512, 8, 132, 1, 2048, 8}, {0, 1, 0, 0, 1}},
        {{512, 2, 132, 0, 2048, 9}, {0, 1, 0, 0, 1}}, /* too many columns for each type */
        {{512, 8, 132, 0, 2048, 33}, {0, 1, 0, 0, 1}},
        {{512, 4, 132, 0, 2048, 193}, {0, 1, 0, 0, 1}},
        {{513, 8, 132, 0, 2048, 32}, {0, 1, 0, 0, 1}}, /* too many rows for f64 */
        {{36, 4, 132, 0, 87484, 32}, {0, 1, 0, 0, 1}}, /* rows too long, too many rows, no rows, no columns */
        {{8192, 4, 132, 0, 512, 8}, {0, 1, 0, 0, 1}},
        {{0, 4, 132, 0, 512, 8}, {0, 1, 0, 0, 1}},
        {{8, 4, 132, 0, 0, 8}, {0, 1, 0, 0, 1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct spmmi_dense_narrow_shape s = spmmi_dense_narrow(&cases[i].of);
        assert_memory_equal(&s, &cases[i].wanted, sizeof s);
    }
}

static void tiles_check(const struct spmmi_dense_tile *of, uint32_t rows, uint32_t columns, uint32_t stages,
                        uint32_t shares)
{
    const struct spmmi_dense_tile_shape s = spmmi_dense_tile(of);
    assert_int_equal(s.rows, rows);
    assert_int_equal(s.columns, columns);
    assert_int_equal(s.stages, stages);
    assert_int_equal(s.shares, shares);
    if (rows > 0) {
        assert_int_equal(s.down, (of->rows + rows - 1) / rows);
        assert_int_equal(s.across, (of->columns + columns - 1) / columns);
    }
}

/* Checks which products of 16-bit types warpgroups compute and how these are cut into tiles. Zeros: the
 * library computes them. `of`: multiprocessors, column-major B, column-major C, whether the library would
 * copy C, rows, columns, k. */
static void products_of_warpgroups_are_divided_as_counted(void **state)
{
    static const struct {
        struct spmmi_dense_tile of;
        uint32_t rows, columns, stages, shares;
    } cases[] = {
        {{132, 0, 0, 0, 2048, 128, 512}, 64, 32, 8, 1},
        {{132, 0, 0, 0, 2048, 512, 512}, 64, 128, 8, 1},
        {{132, 0, 0, 0, 2048, 1024, 1024}, 128, 128, 6, 1},
        {{132, 0, 0, 0, 32561, 128, 123}, 128, 128, 3, 1}, /* two thread blocks per multiprocessor */
        {{132, 0, 0, 0, 256, 64, 2304}, 64, 32, 8, 8},
        {{132, 1, 1, 0, 64, 256, 2304}, 64, 32, 8, 8},
        {{132, 0, 0, 0, 500, 136, 2040}, 64, 32, 8, 2},
        {{132, 0, 0, 0, 512, 128, 2048}, 64, 32, 8, 4},
        {{132, 0, 0, 0, 512, 512, 2048}, 64, 64, 6, 2},
        {{132, 0, 0, 0, 512, 1024, 2048}, 0, 0, 0, 0}, /* long k, and many columns */
        {{132, 0, 0, 0, 123, 128, 32561}, 64, 32, 8, 8},
        {{132, 0, 1, 0, 256, 128, 2304}, 0, 0, 0, 0}, /* C is column-major, but B is not */
        {{132, 0, 0, 0, 512, 2048, 2048}, 0, 0, 0, 0},
        {{132, 0, 0, 0, 36, 64, 87482}, 0, 0, 0, 0},   /* k is too long */
        {{132, 0, 0, 0, 32561, 512, 123}, 0, 0, 0, 0}, /* more than one wave */
        {{132, 1, 1, 0, 512, 32561, 123}, 0, 0, 0, 0},
        {{132, 1, 1, 1, 512, 32561, 123},
         128,
         128,
         3,
         1}, /* several waves: the library would have to copy C */
        {{132, 1, 1, 1, 2048, 32561, 123}, 0, 0, 0, 0},
        {{132, 0, 0, 0, 32561, 16, 120}, 0, 0, 0, 0}, /* more tiles than can run at once */
        {{132, 0, 0, 0, 64, 64, 0}, 0, 0, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tiles_check(&cases[i].of, cases[i].rows, cases[i].columns, cases[i].stages, cases[i].shares);
}

/* The thread blocks that are expected to run at once must fit a multiprocessor. An H100 has 228 KB of shared
 * memory per multiprocessor, at most 227 KB per thread block, and reserves 1 KB for each. The sums of a tile
 * reuse the memory of its stages. */
static void tiles_fit_their_multiprocessors(void **state)
{
#define X(rows, columns, stages, shares, counted, start, step, block, shared_step) \
    {rows, columns, stages, shares, counted, start, step, block, shared_step},
    static const struct spmmi_dense_tile_kind kinds[] = {SPMMI_DENSE_TILE_KINDS(X)};
#undef X
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct spmmi_dense_tile_kind *const k = &kinds[i];
        const uint32_t bytes = spmmi_dense_tile_shared(k->rows, k->columns, k->stages, k->shares);
        assert_true(bytes <= 227 * 1024 && k->counted * (bytes + 1024) <= 228 * 1024);
        assert_true(4 * k->rows * k->columns <= k->stages * 128 * (k->rows + k->columns));
    }
    assert_int_equal(SPMMI_DENSE_TILE_SHARED_MAX, 227 * 1024);
    /* By hand: 1,536 bytes, stages with 128-byte rows of both operands, and seven eighths of the sums. */
    assert_int_equal(spmmi_dense_tile_shared(128, 64, 6, 1), 1536 + 6 * 128 * 192);
    assert_int_equal(spmmi_dense_tile_shared(64, 32, 8, 8), 1536 + 8 * 128 * 96 + 7 * 1024);
}

/* 100 multiprocessors with two thread blocks each. The model: 1,000 ns and 10 ns per step of a thread block.
 * Each 100 thread blocks add 100 ns, 1 ns per step (at least 100 count here), and 3,050 ns if they start
 * later. */
static void times_of_tiles_are_as_counted(void **state)
{
    static const struct {
        struct spmmi_dense_tile of;
        uint32_t shares;
        uint64_t ns; /* without the time for the bytes; 0: not possible */
    } cases[] = {
        {{100, 0, 0, 0, 640, 320, 640}, 1, 1000 + 10 * 10 + 100 + 10},     /* 100 tiles of 10 steps */
        {{100, 0, 0, 0, 64, 32, 640}, 1, 1000 + 10 * 10 + 1 + 10},         /* one loads as slowly as 100 */
        {{100, 0, 0, 0, 64, 6400, 1}, 1, 1000 + 10 + 200 + 2},             /* 200 thread blocks run at once */
        {{100, 0, 0, 0, 64, 6401, 1}, 1, 0},                               /* one too many */
        {{100, 0, 0, 1, 64, 6432, 1}, 1, 1000 + 10 + 201 + 2 + 30},        /* one of 201 starts later */
        {{100, 0, 0, 1, 64, 25600, 1}, 1, 1000 + 10 + 800 + 8 + 6 * 3050}, /* four waves */
        {{100, 0, 0, 1, 64, 25601, 1}, 1, 0},
        {{100, 0, 0, 0, 640, 320, 640}, 2, 1000 + 5 * 10 + 200 + 10}, /* shares of 5 steps each */
        {{100, 0, 0, 0, 640, 320, 641}, 2, 1000 + 6 * 10 + 200 + 12}, /* 11 steps: one share has 6 */
        {{100, 0, 0, 0, 640, 321, 640}, 2, 0},                        /* 110 clusters, more than 100 */
        {{100, 0, 0, 1, 640, 321, 640}, 2, 0},                        /* even if C would be copied */
        {{100, 0, 0, 0, 640, 320, 193}, 2, 1000 + 2 * 10 + 200 + 4},  /* two steps each, the minimum */
        {{100, 0, 0, 0, 640, 320, 192}, 2, 0},
        {{100, 0, 0, 0, 64, 32 * 44, 1024}, 4, 1000 + 4 * 10 + 176 + 7}, /* 200 * 10 / 45 = 44 clusters */
        {{100, 0, 0, 0, 64, 32 * 45, 1024}, 4, 0},
        {{100, 0, 0, 0, 64, 32, 4096}, 1, 1000 + 64 * 10 + 1 + 64}, /* the most steps */
        {{100, 0, 0, 0, 64, 32, 4097}, 1, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct spmmi_dense_tile *const p = &cases[i].of;
        const struct spmmi_dense_tile_kind kind = {64, 32, 8, cases[i].shares, 2, 1000, 10, 100, 1};
        const uint64_t of_bytes =
            2 * (uint64_t)(p->rows * p->k + p->k * p->columns + p->rows * p->columns) / 5000; /* 200 per MB */
        const uint64_t ns = spmmi_dense_tile_ns(p, &kind);
        assert_in_range(ns, cases[i].ns > 0 ? cases[i].ns + of_bytes : 0,
                        cases[i].ns > 0 ? cases[i].ns + of_bytes + 1 : 0); /* the parts are rounded down */
    }
}

/* The kernels of the family compute at most one wave of tiles of 128 x 128 if k is short, two if k is not a
 * multiple of 8, and eight if the library would copy C. If k is long, they compute at most 20 steps of 64 x
 * 64 tiles per multiprocessor. */
static void many_tiles_are_left_to_the_library(void **state)
{
    static const struct {
        struct spmmi_dense_tile of;
        int may;
    } cases[] = {{{132, 0, 0, 0, 128, 128 * 132, 512}, 1},
                 {{132, 0, 0, 0, 128, 128 * 132 + 1, 512}, 0},
                 {{132, 0, 0, 0, 128 * 132, 128, 512}, 1},
                 {{132, 0, 0, 0, 128 * 132 + 1, 128, 512}, 0},
                 {{132, 0, 0, 0, 128, 128 * 264, 511}, 1},
                 {{132, 0, 0, 0, 128, 128 * 264 + 1, 511}, 0},
                 {{132, 0, 0, 1, 128, 128 * 1056, 511}, 1},
                 {{132, 0, 0, 1, 128, 128 * 1056 + 1, 511}, 0},
                 {{132, 0, 0, 1, 128, 128 * 1056, 512}, 1},
                 {{132, 0, 0, 0, 1000, 1000, 1024}, 1},
                 {{132, 0, 0, 0, 64, 64 * 155, 1025}, 1}, /* 155 tiles of 17 steps: 2,635 of at most 2,640 */
                 {{132, 0, 0, 0, 64, 64 * 155 + 1, 1025}, 0},
                 {{132, 0, 0, 0, 64 * 155, 64, 1025}, 1},
                 {{132, 0, 0, 0, 64 * 155 + 1, 64, 1025}, 0},
                 {{132, 0, 0, 0, 64 * 10, 64 * 11, 64 * 24}, 1},
                 {{132, 0, 0, 0, 64 * 10, 64 * 11, 64 * 24 + 1}, 0},
                 {{132, 0, 0, 0, 1, 1, 1}, 1},
                 {{132, 0, 0, 0, 0, 1, 1}, 0},
                 {{132, 0, 0, 0, 1, 0, 1}, 0},
                 {{132, 0, 0, 0, 1, 1, 0}, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(spmmi_dense_tile_may(&cases[i].of), cases[i].may);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_products_of_nearly_dense_matrices_are_dense),
        cmocka_unit_test(many_types_and_devices_have_room),
        cmocka_unit_test(f32_of_a_nearly_dense_matrix_changes_with_wide_n),
        cmocka_unit_test(f64_of_an_odd_k_is_left_to_others),
        cmocka_unit_test(every_type_may_be_dense),
        cmocka_unit_test(long_block_row_groups_of_clusters_are_not_cut),
        cmocka_unit_test(one_long_block_row_group_of_many_is_cut),
        cmocka_unit_test(sparse_matrices_are_too_large),
        cmocka_unit_test(a_plan_of_dense_parts_keeps_one_of_rows_for_each_op),
        cmocka_unit_test(a_plan_of_dense_parts_keeps_rows_for_the_gpu),
        cmocka_unit_test(a_reserve_of_a_later_type_is_the_first_of_rows),
        cmocka_unit_test(rows_of_a_are_whole_words),
        cmocka_unit_test(narrow_products_are_divided_as_counted),
        cmocka_unit_test(products_of_warpgroups_are_divided_as_counted),
        cmocka_unit_test(tiles_fit_their_multiprocessors),
        cmocka_unit_test(times_of_tiles_are_as_counted),
        cmocka_unit_test(many_tiles_are_left_to_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
