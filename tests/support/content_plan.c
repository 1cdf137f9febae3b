/* SPDX-License-Identifier: Apache-2.0 */
/* See content_plan.h. */
#include "content_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spmm/executor.h>
#include <spmm/inspector.h>

#include "content_matrix.h"
#include "format/base/alloc.h"
#include "format/permutation.h"
#include "plan_build.h"
#include "plan_seal.h"

#define KEPT 256
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- Plans of the inspector ---- */

static const char *kernel_draw(struct test_stream *stream)
{
    spmm_kernel_info_t info = {.struct_size = sizeof info};
    int count = 0;
    while (spmm_kernel_at(count, &info) == SPMM_OK)
        count++;
    (void)spmm_kernel_at((int)test_stream_below(stream, (uint64_t)count), &info);
    return test_stream_chance(stream, 30) ? NULL : strchr(info.name, '/') + 1;
}

static const spmm_metadata_t pairs[] = {{"title", "n\xc3\xa4me"}, {"license", "CC0-1.0"}};

static spmm_inspect_options_t options_draw(struct test_stream *stream, const int64_t *widths, int width_max)
{
    static const char *const devices[] = {"any", "cpu", "a100", "h100", "h200"};
    spmm_inspect_options_t o = SPMM_INSPECT_OPTIONS_INIT;
    o.a_type = (spmm_dtype_t)(1 + test_stream_below(stream, 4));
    o.n = widths;
    o.n_count = (int)test_stream_below(stream, (uint64_t)width_max + 1);
    o.layouts = (uint32_t)test_stream_below(stream, 4);
    o.ops = (uint32_t)test_stream_below(stream, 4);
    o.device = devices[test_stream_below(stream, COUNT(devices))];
    o.force_kernel = kernel_draw(stream);
    if (test_stream_chance(stream, 50))
        o.reorder = (spmm_reorder_t)test_stream_below(stream, SPMMI_PERMUTATION_ROWS);
    o.permute_output = test_stream_chance(stream, 10);
    o.symmetric_permutation = test_stream_chance(stream, 10);
    o.pattern_only = test_stream_chance(stream, 10);
    o.metadata = pairs;
    o.metadata_count = (int64_t)test_stream_below(stream, COUNT(pairs) + 1);
    o.threads = 1;
    return o;
}

static spmm_plan_t *inspect(struct test_stream *stream, const struct test_matrix *a)
{
    static const int64_t widths[] = {1, 5, 40, 300, 128};
    const spmm_csr_t view = {a->rows,    a->cols,    a->nnz,   SPMM_I64, SPMM_I32,
                             a->row_ptr, a->col_ind, SPMM_F64, a->values};
    spmm_inspect_options_t options = options_draw(stream, widths, COUNT(widths));
    spmm_inspect_options_t fewer = SPMM_INSPECT_OPTIONS_INIT;
    spmm_matrix_t *matrix = NULL;
    spmm_plan_t *plan = NULL;
    options.ops = a->cols > TEST_CONTENT_WIDE ? SPMM_OPS_N : options.ops;
    fewer.a_type = options.a_type;
    fewer.threads = 1;
    /* The drawn options may contradict each other, or the kernel may not support the type. */
    if (spmm_matrix_from_csr(&view, &matrix, NULL) != SPMM_OK ||
        (spmm_inspect(matrix, &options, &plan, NULL) != SPMM_OK &&
         spmm_inspect(matrix, &fewer, &plan, NULL) != SPMM_OK))
        abort();
    spmm_matrix_destroy(matrix);
    return plan;
}

/* ---- Parts and sections that the inspector would not choose ---- */

static uint32_t power_draw(struct test_stream *stream, uint32_t min, uint32_t max)
{
    uint32_t power = min;
    while (power < max && test_stream_chance(stream, 60))
        power *= 2;
    return power;
}

static uint32_t size_draw(struct test_stream *stream, uint32_t min, uint32_t max)
{
    static const uint32_t sizes[] = {1, 2, 3, 7, 33, 64, 447};
    const uint64_t size = test_stream_below(stream, COUNT(sizes) + 2);
    if (size >= COUNT(sizes) || sizes[size] < min || sizes[size] > max)
        return size == COUNT(sizes) ? max : min;
    return sizes[size];
}

/* Draws the fields of a part. One statement per field, because the order of evaluation in an initializer list
 * depends on the compiler. */
static struct spmmi_part fields_draw(struct test_stream *stream, const struct spmmi_schedule *row)
{
    static const uint32_t flags[] = {0, SPMMI_PART_REORDERED,
                                     SPMMI_PART_REORDERED | SPMMI_PART_PERMUTES_OUTPUT};
    const struct spmmi_family *family = spmmi_family_of(row->family);
    const int is_power = row->item_sizes == SPMMI_ITEM_SIZE_POWER;
    struct spmmi_part part = {.family = row->family, .schedule = row->id};
    part.op = (spmm_op_t)test_stream_below(stream, 2);
    part.item_size = (is_power ? power_draw : size_draw)(stream, row->item_size_min, row->item_size_max);
    part.block_rows = power_draw(stream, family->unit_min, family->unit_max);
    part.stage_slots = size_draw(stream, family->slots_min, family->slots_max);
    part.flags = flags[test_stream_below(stream, (uint64_t)row->permutation + 1)];
    return part;
}

struct spmmi_part test_content_part(struct test_stream *stream, const spmm_plan_t *plan)
{
    int rows = 0;
    while (spmmi_schedule_at(rows) != NULL)
        rows++;
    struct spmmi_part part =
        fields_draw(stream, spmmi_schedule_at((int)test_stream_below(stream, (uint64_t)rows)));
    part.op = plan->cols > TEST_CONTENT_WIDE ? SPMM_OP_N : part.op;
    test_plan_part_fill(plan, &part);
    if (part.flags != 0)
        test_shuffle(part.items, part.item_count, test_stream_bits(stream));
    return part;
}

/* Draws a compute type for this part: usually of the plan's value type, else of a narrower type. */
static spmm_compute_t compute_draw(struct test_stream *stream, const spmm_plan_t *plan,
                                   const struct spmmi_part *part)
{
    const struct spmmi_dtype *const row = spmmi_dtype_at((int)test_stream_below(stream, 4));
    const int is_narrow = test_stream_chance(stream, 40) && spmmi_dtype_is_narrower(row->id, plan->dtype);
    const spmm_dtype_t type = is_narrow ? row->id : plan->dtype;
    const uint64_t of_split = test_stream_below(stream, 2);
    const int may_split = spmmi_family_computes(part->family, type, SPMM_COMPUTE_TF32);
    const int must_split = may_split && !spmmi_family_computes(part->family, type, SPMM_COMPUTE_F32);
    return must_split || (may_split && test_stream_chance(stream, 50))
               ? (spmm_compute_t)(SPMM_COMPUTE_TF32 + of_split)
               : (spmm_compute_t)type;
}

static void variant_add(struct test_stream *stream, spmm_plan_t *plan, uint32_t index)
{
    static const uint32_t targets[] = {0, 1, 80, 90, 999};
    static const int64_t ranges[][2] = {{1, SPMMI_N_MAX}, {1, 1}, {2, 12}, {9, 9}, {13, SPMMI_N_MAX}};
    const struct spmmi_part *part = &plan->parts[index];
    const int64_t *range = ranges[test_stream_below(stream, COUNT(ranges))];
    struct spmmi_variant *v = &plan->variants[plan->variant_count++];
    *v = (struct spmmi_variant){
        .op = part->op, .n_min = range[0], .n_max = range[1], .part_first = index, .part_count = 1};
    v->compute = compute_draw(stream, plan, part);
    v->layouts = (uint32_t)test_stream_below(stream, 3) + 1;
    v->target = targets[test_stream_below(stream, COUNT(targets))];
}

void test_content_part_add(struct test_stream *stream, spmm_plan_t *plan)
{
    if (plan->part_count == SPMMI_PART_MAX || plan->variant_count == SPMMI_VARIANT_MAX)
        return;
    plan->parts[plan->part_count] = test_content_part(stream, plan);
    variant_add(stream, plan, plan->part_count++);
}

/* Adds a few parts, and splits long rows off all parts that allow it. */
static void long_rows_add(struct test_stream *stream, spmm_plan_t *plan, const struct test_matrix *a)
{
    const uint32_t first = plan->part_count, half = SPMMI_PART_MAX / 2;
    while (plan->part_count < half && plan->part_count < first + 4)
        test_content_part_add(stream, plan);
    if (plan->part_count <= half)
        (void)test_plan_split_long_rows(plan, test_long_rows_min(a));
}

static void sections_add(struct test_stream *stream, spmm_plan_t *plan)
{
    const spmm_row_block_metrics_t *metrics = &plan->row_block_metrics;
    if (plan->rows == plan->cols && plan->rows > 0 && plan->symmetric_permutation == NULL &&
        test_stream_chance(stream, 30))
        test_plan_symmetric_permutation(plan, test_stream_bits(stream));
    if (plan->permutation_metrics == NULL && plan->nnz >= 16 && test_stream_chance(stream, 20))
        test_plan_permutation_metrics(plan);
    if (!plan->has_row_block_metrics && plan->part_count > 0 && plan->parts[0].family == SPMM_FAMILY_TILED &&
        metrics->units == 0 && test_stream_chance(stream, 30))
        test_plan_row_block_metrics(plan);
    if (test_stream_chance(stream, 70))
        (void)snprintf(plan->source, sizeof plan->source, "n\xc3\xa4me %d.mtx",
                       (int)test_stream_below(stream, 9));
    if (test_stream_chance(stream, 5))
        plan->features_exec = 1;
}

static spmm_plan_t *plan_make(uint64_t seed)
{
    struct test_stream stream = test_stream_of_seed(seed);
    struct test_matrix *a = test_content_matrix(&stream);
    spmm_plan_t *plan = inspect(&stream, a);
    for (uint64_t more = test_stream_below(&stream, 4); more > 0; more--)
        test_content_part_add(&stream, plan);
    if (test_stream_chance(&stream, 3))
        for (int i = 0; i < SPMMI_PART_MAX; i++)
            test_content_part_add(&stream, plan);
    if (test_stream_chance(&stream, 40))
        long_rows_add(&stream, plan, a);
    sections_add(&stream, plan);
    test_plan_seal(plan);
    spmm_diag_t diag;
    if (spmmi_plan_check(plan, &diag) != SPMM_OK) {
        fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, diag.text);
        abort();
    }
    test_matrix_free(a);
    return plan;
}

/* ---- Copies ---- */

static void *copy_of(const void *array, uint64_t count, size_t size)
{
    void *copy = array == NULL ? NULL : spmmi_alloc_zero(count + 1, size);
    if (copy != NULL)
        memcpy(copy, array, count * size);
    else if (array != NULL)
        abort();
    return copy;
}

static spmm_plan_t *clone(const spmm_plan_t *plan)
{
    spmm_plan_t *p = copy_of(plan, 1, sizeof *plan);
    p->row_ptr = copy_of(p->row_ptr, (uint64_t)p->rows + 1, sizeof *p->row_ptr);
    p->col_ind = copy_of(p->col_ind, (uint64_t)p->nnz, sizeof *p->col_ind);
    p->values = copy_of(p->values, (uint64_t)p->nnz, spmm_dtype_size(p->dtype));
    p->symmetric_permutation = copy_of(p->symmetric_permutation, (uint64_t)p->rows, sizeof(uint32_t));
    p->permutation_metrics =
        copy_of(p->permutation_metrics, p->permutation_metrics_count, sizeof *p->permutation_metrics);
    p->trace = copy_of(p->trace, p->trace_count, sizeof *p->trace);
    p->metadata = copy_of(p->metadata, p->metadata_bytes, 1);
    for (uint32_t i = 0; i < p->part_count; i++)
        p->parts[i].items = copy_of(p->parts[i].items, p->parts[i].item_count, sizeof(uint32_t));
    return p;
}

static struct {
    uint64_t seed;
    spmm_plan_t *plan;
} kept[KEPT];

spmm_plan_t *test_content_plan(uint64_t seed)
{
    const size_t slot = seed % KEPT;
    if (kept[slot].plan == NULL || kept[slot].seed != seed) {
        spmm_plan_destroy(kept[slot].plan);
        kept[slot].plan = plan_make(seed);
        kept[slot].seed = seed;
    }
    return clone(kept[slot].plan);
}

void test_content_plans_free(void)
{
    for (size_t slot = 0; slot < KEPT; slot++) {
        spmm_plan_destroy(kept[slot].plan);
        kept[slot].plan = NULL;
    }
}
