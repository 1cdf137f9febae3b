/* SPDX-License-Identifier: Apache-2.0 */
/* Good golden plans: see golden_cases.h. */
#include "golden_cases.h"
#include "golden_triangle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/metadata.h"
#include "kernels/dense/dense_shape.h"
#include "kernels/wide/wide_shape.h"
#include "tests/support/forge.h"
#include "tests/support/decimal_values.h"
#include "tests/support/plan_seal.h"
#include "tests/support/sparse_products.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static uint8_t *copy_of(const void *bytes, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    if (copy == NULL)
        abort();
    memcpy(copy, bytes, size);
    return copy;
}

uint8_t *golden_written(spmm_plan_t *plan, size_t *size)
{
    void *bytes = NULL;
    if (spmm_plan_write(plan, NULL, &bytes, size, NULL) != SPMM_OK)
        abort();
    uint8_t *copy = copy_of(bytes, *size);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(plan);
    return copy;
}

static spmm_plan_t *plan_of(const char *matrix, enum test_values values, struct test_plan_options options,
                            const char *source)
{
    struct test_matrix *a = test_matrix_named(matrix, values);
    spmm_plan_t *plan = test_plan_whole(a, options, source);
    test_matrix_free(a);
    return plan;
}

#define GOOD(function, matrix, values, dtype, schedule, item_size, transpose, no_values)             \
    static uint8_t *function(size_t *size)                                                           \
    {                                                                                                \
        const struct test_plan_options options = {dtype, schedule, item_size, transpose, no_values}; \
        return golden_written(plan_of(matrix, values, options, #function), size);                    \
    }
GOOD(empty_0x0, "0 x 0", TEST_VALUES_REAL, SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 1, 0)
GOOD(no_nonzeros, "7 x 5 without nonzeros", TEST_VALUES_REAL, SPMM_F64, SPMM_SCHEDULE_NONZERO_SPLIT, 64, 0, 0)
GOOD(no_rows, "0 x 5", TEST_VALUES_REAL, SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 1, 0)
GOOD(one_by_one, "1 x 1", TEST_VALUES_REAL, SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0)
GOOD(f32_row_split, "odd rows empty", TEST_VALUES_REAL, SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0)
GOOD(f64_nonzero_split, "first rows empty", TEST_VALUES_REAL, SPMM_F64, SPMM_SCHEDULE_NONZERO_SPLIT, 32, 0, 0)
GOOD(f64_dictionary, "rows of 0 to 8", TEST_VALUES_INTEGER, SPMM_F64, SPMM_SCHEDULE_ROW_SPLIT, 64, 0, 0)
GOOD(both_ops, "rows of 0 to 8", TEST_VALUES_REAL, SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 16, 1, 0)
GOOD(both_ops_row_split, "last rows empty", TEST_VALUES_INTEGER, SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 1, 0)
GOOD(dense_bf16, "power law", TEST_VALUES_REAL, SPMM_BF16, SPMMI_DENSE_GEMM, 0, 1, 0)
GOOD(wide_f32, "power law", TEST_VALUES_REAL, SPMM_F32, SPMMI_WIDE_COLUMN_PANELS, 0, 1, 0)
GOOD(pattern_only, "diagonal", TEST_VALUES_REAL, SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 16, 1, 1)

GOOD(tiled_whole, "odd rows empty", TEST_VALUES_REAL, SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 0, 0)
GOOD(tiled_segmented, "first rows empty", TEST_VALUES_REAL, SPMM_F32, SPMM_SCHEDULE_SEGMENTED, 5, 0, 0)
GOOD(tiled_empty, "0 x 5", TEST_VALUES_REAL, SPMM_F64, SPMM_SCHEDULE_SEGMENTED, 1, 1, 0)
GOOD(f16_values, "odd rows empty", TEST_VALUES_REAL, SPMM_F16, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0)
GOOD(bf16_dictionary, "rows of 0 to 8", TEST_VALUES_INTEGER, SPMM_BF16, SPMM_SCHEDULE_NONZERO_SPLIT, 16, 0, 0)

static uint8_t *reordered(const char *matrix, struct test_plan_options options, int permutes_output,
                          const char *source, size_t *size)
{
    spmm_plan_t *plan = plan_of(matrix, TEST_VALUES_INTEGER, options, source);
    test_plan_reorder(plan, 1, permutes_output);
    return golden_written(plan, size);
}

static uint8_t *tiled_reordered(size_t *size)
{
    const struct test_plan_options options = {SPMM_F64, SPMM_SCHEDULE_SEGMENTED, 3, 1, 0};
    return reordered("rows of 0 to 8", options, 0, __func__, size);
}

static uint8_t *tiled_permuted(size_t *size)
{
    const struct test_plan_options options = {SPMM_F16, SPMM_SCHEDULE_WHOLE, 0, 1, 0};
    return reordered("last rows empty", options, 1, __func__, size);
}

GOOD(window_packed, "odd rows empty", TEST_VALUES_REAL, SPMM_F32, SPMM_SCHEDULE_PACKED, 64, 0, 0)
GOOD(window_empty, "0 x 5", TEST_VALUES_REAL, SPMM_F16, SPMM_SCHEDULE_DENSE, 1, 1, 0)

static uint8_t *window_reordered(size_t *size)
{
    const struct test_plan_options options = {SPMM_F64, SPMM_SCHEDULE_DENSE, SPMMI_STEPS_MAX, 1, 0};
    return reordered("rows of 0 to 8", options, 0, __func__, size);
}

static uint8_t *panel_permuted(size_t *size)
{
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_PACKED, 3, 1, 0};
    spmm_plan_t *plan = plan_of("last rows empty", TEST_VALUES_INTEGER, options, __func__);
    test_plan_units(plan, 64, SPMM_COMPUTE_TF32);
    test_plan_reorder(plan, 1, 1);
    return golden_written(plan, size);
}

static uint8_t *dense_tf32(size_t *size)
{
    const struct test_plan_options options = {SPMM_F32, SPMMI_DENSE_GEMM, 0, 1, 0};
    spmm_plan_t *plan = plan_of("power law", TEST_VALUES_REAL, options, __func__);
    plan->variants[0].compute = plan->trace[0].compute = SPMM_COMPUTE_3XTF32;
    plan->variants[1].compute = SPMM_COMPUTE_TF32;
    return golden_written(plan, size);
}

static uint8_t *panel_bf16(size_t *size)
{
    const struct test_plan_options options = {SPMM_BF16, SPMM_SCHEDULE_DENSE, 256, 0, 1};
    spmm_plan_t *plan = plan_of("diagonal", TEST_VALUES_REAL, options, __func__);
    test_plan_units(plan, SPMMI_BLOCK_ROWS_MAX, SPMM_COMPUTE_BF16);
    return golden_written(plan, size);
}

static uint8_t *bcsr_permuted(size_t *size)
{
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_DENSE, 2, 1, 0};
    spmm_plan_t *plan = plan_of("last rows empty", TEST_VALUES_INTEGER, options, __func__);
    test_plan_groups(plan, 64, SPMM_COMPUTE_TF32);
    test_plan_reorder(plan, 1, 1);
    return golden_written(plan, size);
}

/* Its trace needs no feature of the other tensor-core families. */
static uint8_t *bcsr_f16(size_t *size)
{
    const struct test_plan_options options = {SPMM_F16, SPMM_SCHEDULE_DENSE, SPMMI_STEPS_MAX, 0, 1};
    spmm_plan_t *plan = plan_of("odd rows empty", TEST_VALUES_REAL, options, __func__);
    test_plan_groups(plan, 128, SPMM_COMPUTE_F16);
    return golden_written(plan, size);
}

static uint8_t *window_peeled(size_t *size)
{
    const struct test_plan_options options = {SPMM_F64, SPMM_SCHEDULE_DENSE, 4, 0, 0};
    spmm_plan_t *plan = plan_of("rows of 0 to 8", TEST_VALUES_INTEGER, options, __func__);
    if (test_plan_split_long_rows(plan, 7) != 1)
        abort();
    return golden_written(plan, size);
}

static uint8_t *long_rows_bf16(size_t *size)
{
    const struct test_plan_options options = {SPMM_BF16, SPMM_SCHEDULE_PACKED, 4, 0, 0};
    spmm_plan_t *plan = plan_of("rows of 0 to 8", TEST_VALUES_INTEGER, options, __func__);
    test_plan_units(plan, 64, SPMM_COMPUTE_BF16);
    if (test_plan_split_long_rows(plan, 7) != 1)
        abort();
    return golden_written(plan, size);
}

/* A plan of both ops, with the trace reasons for long rows. */
static uint8_t *panel_peeled(size_t *size)
{
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_PACKED, 2, 1, 0};
    spmm_plan_t *plan = plan_of("arrow", TEST_VALUES_REAL, options, __func__);
    test_plan_units(plan, 64, SPMM_COMPUTE_3XTF32);
    test_plan_reorder(plan, 1, 0);
    if (test_plan_split_long_rows(plan, 100) != 2)
        abort();
    for (uint32_t i = 0; i < plan->trace_count; i++) {
        plan->trace[i].reason = i == 0 ? SPMMI_REASON_LONG_ROWS : SPMMI_REASON_LONG_ROWS_BLOCKS;
        plan->trace[i].value = i == 0 ? 1 : 40;
        plan->trace[i].threshold = i == 0 ? 130 : 56;
    }
    return golden_written(plan, size);
}

/* A trace of candidates that were measured and refused. Only the trace needs its feature. */
static uint8_t *search_traced(size_t *size)
{
    spmm_plan_t *plan =
        plan_of("1 x 1", TEST_VALUES_REAL,
                (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0}, __func__);
    const struct spmmi_trace told[] = {
        {.family = SPMM_FAMILY_ROWS,
         .schedule = SPMM_SCHEDULE_ROW_SPLIT,
         .chosen = 1,
         .reason = SPMMI_REASON_MEASURED,
         .predicted_us = 10,
         .measured_us = 12.5,
         .value = 12.5,
         .threshold = 15},
        {.family = SPMM_FAMILY_ROWS,
         .schedule = SPMM_SCHEDULE_NONZERO_SPLIT,
         .reason = SPMMI_REASON_NOT_MEASURED,
         .predicted_us = 11,
         .value = SPMM_ERR_UNSUPPORTED},
    };
    spmmi_free(plan->trace);
    plan->trace_count = COUNT(told);
    plan->trace = spmmi_alloc(COUNT(told), sizeof *told);
    if (plan->trace == NULL)
        abort();
    memcpy(plan->trace, told, sizeof told);
    return golden_written(plan, size);
}

/* Rows won against candidates on tensor cores. Only the trace needs their feature. */
static uint8_t *fragments_traced(size_t *size)
{
    spmm_plan_t *plan =
        plan_of("1 x 1", TEST_VALUES_REAL,
                (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0}, __func__);
    const struct spmmi_trace lost[] = {
        plan->trace[0],
        {.family = SPMM_FAMILY_WINDOW,
         .schedule = SPMM_SCHEDULE_PACKED,
         .reason = SPMMI_REASON_PREDICTED,
         .compute = SPMM_COMPUTE_3XTF32,
         .predicted_us = 15,
         .value = 15,
         .threshold = 12.5},
        {.family = SPMM_FAMILY_PANEL,
         .schedule = SPMM_SCHEDULE_DENSE,
         .reason = SPMMI_REASON_BLOCKS,
         .compute = SPMM_COMPUTE_TF32,
         .permutation = SPMM_REORDER_MINHASH,
         .value = 8,
         .threshold = 8},
    };
    spmmi_free(plan->trace);
    plan->trace_count = COUNT(lost);
    plan->trace = spmmi_alloc(COUNT(lost), sizeof *lost);
    if (plan->trace == NULL)
        abort();
    memcpy(plan->trace, lost, sizeof lost);
    return golden_written(plan, size);
}

static uint8_t *panel_stats(size_t *size)
{
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_SEGMENTED, 4, 0, 1};
    spmm_plan_t *plan = plan_of("diagonal", TEST_VALUES_REAL, options, __func__);
    test_plan_row_block_metrics(plan);
    return golden_written(plan, size);
}

static uint8_t *order_stats(size_t *size)
{
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 1};
    spmm_plan_t *plan = plan_of("diagonal", TEST_VALUES_REAL, options, __func__);
    test_plan_permutation_metrics(plan);
    return golden_written(plan, size);
}

/* A permutation with its own feature bit, in the trace and in the metrics. */
static uint8_t *permutation_traced(spmm_reorder_t kind, size_t *size)
{
    const struct spmmi_trace lost = {.family = SPMM_FAMILY_WINDOW,
                                     .schedule = SPMM_SCHEDULE_DENSE,
                                     .reason = SPMMI_REASON_BLOCKS,
                                     .compute = SPMM_COMPUTE_3XTF32,
                                     .permutation = kind,
                                     .value = 9,
                                     .threshold = 8};
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 1};
    spmm_plan_t *plan = plan_of("diagonal", TEST_VALUES_REAL, options, __func__);
    test_plan_permutation_metrics(plan);
    plan->permutation_metrics[1].kind = kind;
    spmmi_free(plan->trace);
    plan->trace_count = 1;
    plan->trace = spmmi_alloc(1, sizeof lost);
    if (plan->trace == NULL)
        abort();
    plan->trace[0] = lost;
    return golden_written(plan, size);
}

static uint8_t *communities_traced(size_t *size)
{
    return permutation_traced(SPMMI_REORDER_COMMUNITIES, size);
}

static uint8_t *growing_traced(size_t *size)
{
    return permutation_traced(SPMMI_REORDER_GROWING, size);
}

static uint8_t *symmetric_order(size_t *size)
{
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 1, 0};
    spmm_plan_t *plan = plan_of("diagonal", TEST_VALUES_REAL, options, __func__);
    test_plan_symmetric_permutation(plan, 3);
    return golden_written(plan, size);
}

static uint8_t *writer(size_t *size)
{
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 1};
    spmm_plan_t *plan = plan_of("diagonal", TEST_VALUES_REAL, options, __func__);
    (void)snprintf(plan->writer, sizeof plan->writer, "spmm-inspector 0.2.0");
    return golden_written(plan, size);
}

static uint8_t *metadata(size_t *size)
{
    static const spmm_metadata_t pairs[] = {{"title", "\xc3\x9c"
                                                      "bung = A"},
                                            {"license", "CC-BY-4.0"},
                                            {"source-sha256", "00"},
                                            {"a.b_c-9", " "}};
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 1};
    spmm_plan_t *plan = plan_of("diagonal", TEST_VALUES_REAL, options, __func__);
    if (spmmi_metadata_pack(pairs, COUNT(pairs), &plan->metadata, &plan->metadata_bytes, NULL) != SPMM_OK)
        abort();
    return golden_written(plan, size);
}

/* So much metadata that the texts are stored in front of all other sections. */
static uint8_t *texts_first(size_t *size)
{
    static char notes[65000];
    const spmm_metadata_t pairs[] = {{"license", "CC0-1.0"}, {"notes", notes}};
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
    spmm_plan_t *plan = plan_of("odd rows empty", TEST_VALUES_REAL, options, __func__);
    (void)snprintf(plan->writer, sizeof plan->writer, "spmm-inspector 0.2.0");
    memset(notes, '=', sizeof notes - 1);
    if (spmmi_metadata_pack(pairs, COUNT(pairs), &plan->metadata, &plan->metadata_bytes, NULL) != SPMM_OK)
        abort();
    return golden_written(plan, size);
}

/* NaN of both signs, infinities, both zeros, subnormals, an empty source and no trace. */
static uint8_t *special_values(size_t *size)
{
    static const uint32_t bits[] = {0x7fc00000, 0xffc12345, 0x7f800000, 0xff800000,
                                    0x00000000, 0x80000000, 0x00000001, 0x807fffff};
    spmm_plan_t *plan = plan_of("diagonal", TEST_VALUES_REAL,
                                (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 64, 0, 0}, "");
    memcpy(plan->values, bits, sizeof bits);
    plan->trace_count = 0;
    test_plan_seal(plan);
    return golden_written(plan, size);
}

/* An f64 plan with variants for f32, f16 and bf16, which all use one part. */
static uint8_t *types_f64(size_t *size)
{
    static const spmm_compute_t computes[] = {SPMM_COMPUTE_F64, SPMM_COMPUTE_3XTF32, SPMM_COMPUTE_TF32,
                                              SPMM_COMPUTE_F16, SPMM_COMPUTE_BF16};
    const struct test_plan_options options = {SPMM_F64, SPMM_SCHEDULE_DENSE, 64, 0, 0};
    spmm_plan_t *plan = plan_of("odd rows empty", TEST_VALUES_REAL, options, __func__);
    const struct spmmi_variant first = plan->variants[0];
    spmmi_free(plan->trace);
    plan->trace = spmmi_alloc_zero(COUNT(computes), sizeof *plan->trace);
    if (plan->trace == NULL)
        abort();
    for (uint32_t i = 0; i < COUNT(computes); i++) {
        plan->variants[i] = first;
        plan->variants[i].compute = computes[i];
        plan->trace[i] = (struct spmmi_trace){.variant = i,
                                              .family = SPMM_FAMILY_WINDOW,
                                              .schedule = SPMM_SCHEDULE_DENSE,
                                              .chosen = 1,
                                              .reason = SPMMI_REASON_FORCED};
        if (spmmi_variant_type(&plan->variants[i]) == SPMM_F32)
            plan->trace[i].compute = computes[i];
    }
    plan->variant_count = plan->trace_count = COUNT(computes);
    return golden_written(plan, size);
}

/* Additions of a later 1.x writer: a higher minor version, a compat feature and an optional section. */
static uint8_t *later_minor(size_t *size)
{
    uint8_t *bytes = one_by_one(size);
    struct forge *f = forge_open(bytes, *size);
    f->header.format_minor = 7;
    f->header.features_compat = UINT64_C(1) << 63;
    (void)forge_append(f, 1000, "from the future", 15);
    free(bytes);
    bytes = forge_build(f, size);
    forge_free(f);
    return bytes;
}

static uint8_t *exec_feature(size_t *size)
{
    uint8_t *bytes = one_by_one(size);
    struct forge *f = forge_open(bytes, *size);
    f->header.features_exec = 4;
    free(bytes);
    bytes = forge_build(f, size);
    forge_free(f);
    return bytes;
}

#define ROW(function, canonical)       \
    {                                  \
#function, function, canonical \
    }
/* Returns the file of the plan of a sparse product. */
static uint8_t *product_of(struct test_sparse_product product, size_t *size)
{
    spmm_plan_t *plan = test_sparse_plan(&product);
    plan->writer[0] = '\0'; /* golden plans do not depend on the version */
    return golden_written(plan, size);
}

static uint8_t *product_square(size_t *size)
{
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    uint8_t *bytes = product_of(
        (struct test_sparse_product){
            .count = 2, .factor = {a, a}, .op = {SPMM_OP_T, SPMM_OP_N}, .diagonal = 1, .dtype = SPMM_F32},
        size);
    test_matrix_free(a);
    return bytes;
}

static uint8_t *product_triple(size_t *size)
{
    struct test_matrix *p = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL),
                       *r = test_matrix_named("2 x 6000 short-fat", TEST_VALUES_REAL);
    r->cols = 100; /* keeps the first 100 columns */
    r->nnz = r->row_ptr[2] = 150;
    r->row_ptr[1] = 75;
    for (int64_t q = 75; q < 150; q++)
        r->col_ind[q] = (int32_t)q - 75;
    uint8_t *bytes = product_of((struct test_sparse_product){.count = 3,
                                                             .factor = {p, r, r},
                                                             .op = {SPMM_OP_T, SPMM_OP_T, SPMM_OP_N},
                                                             .piece_products = 20,
                                                             .dtype = SPMM_F64},
                                size);
    test_matrix_free(p);
    test_matrix_free(r);
    return bytes;
}

/* A plan with long entries. */
static uint8_t *product_stretches(size_t *size)
{
    struct test_matrix *a = test_matrix_named("2 x 6000 short-fat", TEST_VALUES_REAL);
    uint8_t *bytes = product_of((struct test_sparse_product){.count = 2,
                                                             .factor = {a, a},
                                                             .op = {SPMM_OP_N, SPMM_OP_T},
                                                             .piece_products = INT64_MAX,
                                                             .dtype = SPMM_F64},
                                size);
    test_matrix_free(a);
    return bytes;
}

static uint8_t *product_lower(size_t *size)
{
    struct test_matrix *a = test_matrix_named("odd rows empty", TEST_VALUES_REAL);
    uint8_t *bytes = product_of((struct test_sparse_product){.count = 2,
                                                             .factor = {a, a},
                                                             .op = {SPMM_OP_N, SPMM_OP_T},
                                                             .lower = 1,
                                                             .piece_products = INT64_MAX,
                                                             .dtype = SPMM_F64},
                                size);
    test_matrix_free(a);
    return bytes;
}

static uint8_t *product_empty(size_t *size)
{
    struct test_matrix *a = test_matrix_named("0 x 5", TEST_VALUES_REAL);
    uint8_t *bytes = product_of(
        (struct test_sparse_product){
            .count = 2, .factor = {a, a}, .op = {SPMM_OP_N, SPMM_OP_T}, .dtype = SPMM_F32},
        size);
    test_matrix_free(a);
    return bytes;
}

static uint8_t *decimal(size_t *size)
{
    const struct test_plan_options options = {SPMM_F64, SPMM_SCHEDULE_ROW_SPLIT, 64, 0, 0};
    spmm_plan_t *plan = plan_of("band", TEST_VALUES_REAL, options, "decimal");
    test_decimal_values(plan);
    return golden_written(plan, size);
}

const struct golden_good golden_good_cases[] = {
    ROW(empty_0x0, 1),
    ROW(no_nonzeros, 1),
    ROW(no_rows, 1),
    ROW(one_by_one, 1),
    ROW(f32_row_split, 1),
    ROW(f64_nonzero_split, 1),
    ROW(f64_dictionary, 1),
    ROW(both_ops, 1),
    ROW(both_ops_row_split, 1),
    ROW(pattern_only, 1),
    ROW(special_values, 1),
    ROW(later_minor, 0),
    ROW(exec_feature, 1),
    ROW(tiled_whole, 1),
    ROW(tiled_segmented, 1),
    ROW(tiled_empty, 1),
    ROW(tiled_reordered, 1),
    ROW(tiled_permuted, 1),
    ROW(panel_stats, 1),
    ROW(f16_values, 1),
    ROW(bf16_dictionary, 1),
    ROW(window_packed, 1),
    ROW(window_empty, 1),
    ROW(window_reordered, 1),
    ROW(long_rows_bf16, 1),
    ROW(panel_permuted, 1),
    ROW(panel_bf16, 1),
    ROW(fragments_traced, 1),
    ROW(symmetric_order, 1),
    ROW(bcsr_permuted, 1),
    ROW(bcsr_f16, 1),
    ROW(order_stats, 1),
    ROW(dense_bf16, 1),
    ROW(dense_tf32, 1),
    ROW(window_peeled, 1),
    ROW(panel_peeled, 1),
    ROW(search_traced, 1),
    ROW(writer, 1),
    ROW(wide_f32, 1),
    ROW(communities_traced, 1),
    ROW(growing_traced, 1),
    ROW(metadata, 1),
    ROW(texts_first, 1),
    ROW(types_f64, 1),
    ROW(product_square, 1),
    ROW(product_triple, 1),
    ROW(product_stretches, 1),
    ROW(product_lower, 1),
    ROW(product_empty, 1),
    ROW(decimal, 1),
    {"triangle", golden_triangle, 1},
    {"triangle_skew", golden_triangle_skew, 1},
    {"triangle_values", golden_triangle_values, 1},
    {"triangle_pattern", golden_triangle_pattern, 1},
};
const size_t golden_good_count = COUNT(golden_good_cases);

uint8_t *golden_good_make(const char *name, size_t *size)
{
    for (size_t i = 0; i < golden_good_count; i++) {
        if (strcmp(golden_good_cases[i].name, name) == 0)
            return golden_good_cases[i].make(size);
    }
    abort();
}

uint8_t *golden_read(const char *folder, const char *name, const char *suffix, size_t *size)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/tests/golden/%s/%s.%s", SPMM_SOURCE_DIR, folder, name, suffix);
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(1 << 20);
    if (file == NULL || bytes == NULL) {
        free(bytes);
        if (file != NULL)
            (void)fclose(file);
        return NULL;
    }
    *size = fread(bytes, 1, (1 << 20) - 1, file);
    bytes[*size] = 0;
    (void)fclose(file);
    return bytes;
}
