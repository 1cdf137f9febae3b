/* SPDX-License-Identifier: Apache-2.0 */
/* See content_mutate.h. Changes that a plan in memory cannot represent are made by content_sections.h. */
#include "content_mutate.h"

#include <stdlib.h>
#include <string.h>

#include "content_plan.h"
#include "content_sections.h"
#include "content_words.h"
#include "format/base/alloc.h"
#include "format/check/plan_check.h"
#include "plan_build.h"
#include "plan_seal.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define COUNTED_MAX 100000 /* maximum number of columns of a plan whose items are recomputed */

/* Changes the length of an array. Keeps the old elements and fills the rest with zeros. */
static void resize(void *array, uint64_t before, uint64_t after, size_t size)
{
    void *old = NULL, *new = spmmi_alloc_zero(after + 1, size);
    memcpy(&old, array, sizeof old);
    if (new == NULL)
        abort();
    if (old != NULL)
        memcpy(new, old, (before < after ? before : after) * size);
    spmmi_free(old);
    memcpy(array, &new, sizeof new);
}

static int is_csr(const spmm_plan_t *plan)
{
    if (spmmi_check_row_ptr(1, plan, NULL) != SPMM_OK)
        return 0;
    for (int64_t p = 0; p < plan->nnz; p++)
        if (plan->col_ind[p] < 0 || plan->col_ind[p] >= plan->cols)
            return 0;
    return 1;
}

/* Returns 1 if items can be recomputed. */
static int is_countable(const spmm_plan_t *plan)
{
    return plan->cols <= COUNTED_MAX && is_csr(plan);
}

static struct spmmi_part *part_draw(struct test_stream *stream, spmm_plan_t *plan)
{
    return &plan->parts[test_stream_below(stream, plan->part_count)];
}

/* ---- The matrix ---- */

static void nnz_set(spmm_plan_t *plan, int64_t nnz)
{
    resize(&plan->col_ind, (uint64_t)plan->nnz, (uint64_t)nnz, sizeof *plan->col_ind);
    if (plan->values != NULL)
        resize(&plan->values, (uint64_t)plan->nnz, (uint64_t)nnz, spmm_dtype_size(plan->dtype));
    plan->nnz = nnz;
}

/* Changes row lengths and with them the number of nonzeros. content_sections.h makes sums that do not fit the
 * columns. */
static void lengths_change(struct test_stream *stream, spmm_plan_t *plan)
{
    const int64_t nnz_max = plan->nnz + 4096;
    if (plan->rows == 0)
        return;
    uint32_t *lengths = calloc((size_t)plan->rows, sizeof *lengths);
    if (lengths == NULL)
        abort();
    for (int64_t i = 0; i < plan->rows; i++)
        lengths[i] = (uint32_t)(plan->row_ptr[i + 1] - plan->row_ptr[i]);
    test_list_change(stream, plan, lengths, (uint64_t)plan->rows);
    for (int64_t i = 0; i < plan->rows; i++) {
        const int64_t end = plan->row_ptr[i] + lengths[i];
        plan->row_ptr[i + 1] = end < nnz_max ? end : nnz_max;
    }
    nnz_set(plan, plan->row_ptr[plan->rows]);
    free(lengths);
}

static void columns_change(struct test_stream *stream, spmm_plan_t *plan)
{
    test_list_change(stream, plan, (uint32_t *)plan->col_ind, (uint64_t)plan->nnz);
}

static void values_change(struct test_stream *stream, spmm_plan_t *plan)
{
    const size_t bytes = spmm_dtype_size(plan->dtype);
    for (uint64_t times = test_stream_below(stream, 4) + 1; times > 0 && plan->values != NULL; times--)
        if (plan->nnz > 0)
            test_word_change(stream, plan,
                             (char *)plan->values + test_stream_below(stream, (uint64_t)plan->nnz) * bytes,
                             bytes);
}

static void values_drop(struct test_stream *stream, spmm_plan_t *plan)
{
    (void)stream;
    spmmi_free(plan->values);
    plan->values = NULL;
}

static void rows_change(struct test_stream *stream, spmm_plan_t *plan)
{
    const int64_t before = plan->rows, after = before + (int64_t)test_stream_below(stream, 5) - 2;
    if (after < 0)
        return;
    resize(&plan->row_ptr, (uint64_t)before + 1, (uint64_t)after + 1, sizeof *plan->row_ptr);
    if (plan->symmetric_permutation != NULL)
        resize(&plan->symmetric_permutation, (uint64_t)before, (uint64_t)after, sizeof(uint32_t));
    for (int64_t i = before; i < after; i++)
        plan->row_ptr[i + 1] = plan->row_ptr[i];
    plan->rows = after;
    nnz_set(plan, plan->row_ptr[after]);
}

static void cols_change(struct test_stream *stream, spmm_plan_t *plan)
{
    uint32_t cols = (uint32_t)plan->cols;
    test_word_change(stream, plan, &cols, sizeof cols);
    plan->cols = cols;
}

static void dtype_change(struct test_stream *stream, spmm_plan_t *plan)
{
    const spmm_dtype_t dtype = (spmm_dtype_t)(1 + test_stream_below(stream, 4));
    if (plan->values != NULL)
        resize(&plan->values, (uint64_t)plan->nnz * spmm_dtype_size(plan->dtype),
               (uint64_t)plan->nnz * spmm_dtype_size(dtype), 1);
    plan->dtype = dtype;
}

/* ---- Parts, variants, trace ---- */

static void part_change(struct test_stream *stream, spmm_plan_t *plan)
{
    if (plan->part_count > 0)
        test_record_change(stream, plan, &spmmi_part_record, part_draw(stream, plan));
}

/* Replaces a part. One new part in five is also marked as the long rows of the part in front of it. */
static void part_exchange(struct test_stream *stream, spmm_plan_t *plan)
{
    if (plan->part_count == 0 || !is_countable(plan))
        return;
    struct spmmi_part *part = part_draw(stream, plan);
    const spmm_op_t op = part->op;
    spmmi_free(part->items);
    *part = test_content_part(stream, plan);
    if ((op == SPMM_OP_N || op == SPMM_OP_T) && test_stream_chance(stream, 70)) {
        part->op = op;
        test_plan_part_fill(plan, part);
    }
    if (test_stream_chance(stream, 20))
        part->flags = SPMMI_PART_LONG_ROWS;
}

static void part_add(struct test_stream *stream, spmm_plan_t *plan)
{
    for (uint64_t more = test_stream_below(stream, 3) + 1; more > 0 && is_countable(plan); more--)
        test_content_part_add(stream, plan);
}

/* Exchanges two parts. Their order determines which parts have long rows. */
static void parts_exchange(struct test_stream *stream, spmm_plan_t *plan)
{
    if (plan->part_count == 0)
        return;
    struct spmmi_part *a = part_draw(stream, plan), *b = part_draw(stream, plan), before = *a;
    *a = *b;
    *b = before;
}

static void part_drop(struct test_stream *stream, spmm_plan_t *plan)
{
    (void)stream;
    if (plan->part_count == 0)
        return;
    spmmi_free(plan->parts[--plan->part_count].items);
    plan->parts[plan->part_count] = (struct spmmi_part){.items = NULL};
}

static void variant_change(struct test_stream *stream, spmm_plan_t *plan)
{
    if (plan->variant_count > 0)
        test_record_change(stream, plan, &spmmi_variant_record,
                           &plan->variants[test_stream_below(stream, plan->variant_count)]);
}

static void variant_drop(struct test_stream *stream, spmm_plan_t *plan)
{
    if (plan->variant_count == 0)
        return;
    const uint64_t which = test_stream_below(stream, plan->variant_count);
    plan->variant_count--;
    plan->variants[which] = plan->variants[plan->variant_count];
}

static void variant_repeat(struct test_stream *stream, spmm_plan_t *plan)
{
    while (plan->variant_count > 0 && plan->variant_count < SPMMI_VARIANT_MAX) {
        const uint64_t of = test_stream_below(stream, plan->variant_count);
        plan->variants[plan->variant_count++] = plan->variants[of];
        if (test_stream_chance(stream, 20))
            break;
    }
}

static void trace_change(struct test_stream *stream, spmm_plan_t *plan)
{
    if (plan->trace_count == 0 || test_stream_chance(stream, 10)) {
        resize(&plan->trace, plan->trace_count, plan->trace_count + 1u, sizeof *plan->trace);
        plan->trace[plan->trace_count++] = (struct spmmi_trace){
            0, SPMM_FAMILY_ROWS, SPMM_SCHEDULE_ROW_SPLIT, 1, SPMMI_REASON_FORCED, 0, 0, 1, 0, 0, 0};
    }
    test_record_change(stream, plan, &spmmi_trace_record,
                       &plan->trace[test_stream_below(stream, plan->trace_count)]);
}

static void items_change(struct test_stream *stream, spmm_plan_t *plan)
{
    if (plan->part_count == 0)
        return;
    struct spmmi_part *part = part_draw(stream, plan);
    const uint64_t before = part->item_count;
    if (test_stream_chance(stream, 25)) {
        part->item_count =
            test_stream_chance(stream, 50) ? before + 1 : test_stream_below(stream, before + 1);
        resize(&part->items, before, part->item_count, sizeof *part->items);
        if (part->item_count > before)
            part->items[before] = (uint32_t)before;
    } else {
        test_list_change(stream, plan, part->items, before);
    }
}

static void exchange(uint32_t *a, uint32_t *b)
{
    const uint32_t before = *a;
    *a = *b;
    *b = before;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* In a part whose long rows were split off, exchanges two rows, or a row and a long row. */
static void long_rows_change(struct test_stream *stream, spmm_plan_t *plan)
{
    for (uint32_t i = 0; i + 1 < plan->part_count; i++) {
        struct spmmi_part *part = &plan->parts[i], *long_rows = part + 1;
        if ((long_rows->flags & SPMMI_PART_LONG_ROWS) == 0 || part->item_count == 0 ||
            long_rows->item_count == 0)
            continue;
        struct spmmi_part *with = test_stream_chance(stream, 50) ? part : long_rows;
        const uint64_t a = test_stream_below(stream, part->item_count);
        exchange(&part->items[a], &with->items[test_stream_below(stream, with->item_count)]);
        if (test_stream_chance(stream, 60))
            qsort(long_rows->items, long_rows->item_count, sizeof *long_rows->items, by_number);
        part->flags |= test_stream_chance(stream, 60) ? SPMMI_PART_REORDERED : 0;
    }
}

/* ---- Data that products do not use ---- */

static void permutation_change(struct test_stream *stream, spmm_plan_t *plan)
{
    if (plan->symmetric_permutation == NULL)
        test_plan_symmetric_permutation(plan, test_stream_bits(stream));
    test_list_change(stream, plan, plan->symmetric_permutation, (uint64_t)plan->rows);
}

static void permutation_metrics_change(struct test_stream *stream, spmm_plan_t *plan)
{
    if (plan->permutation_metrics_count == 0)
        test_plan_permutation_metrics(plan);
    test_record_change(
        stream, plan, &spmmi_permutation_metrics_record,
        &plan->permutation_metrics[test_stream_below(stream, plan->permutation_metrics_count)]);
}

static void row_block_metrics_change(struct test_stream *stream, spmm_plan_t *plan)
{
    spmm_row_block_metrics_t *s = &plan->row_block_metrics;
    if (!plan->has_row_block_metrics) {
        *s = (spmm_row_block_metrics_t){
            .block_rows = 32, .stage_slots = 40, .value_bytes = 4, .register_tile = 4, .n = 8};
        plan->has_row_block_metrics = 1;
    }
    test_record_change(stream, plan, &spmmi_row_block_metrics_record, s);
}

static void text_change(struct test_stream *stream, spmm_plan_t *plan)
{
    static const char *const texts[] = {
        "a\xff", "\xc0\x80",         "\xed\xa0\x80", "\x1b[31m",         "\x7f", "\xc2\x9b",
        "",      "\xf4\x90\x80\x80", "%s%n",         "\xf0\x9f\x90\xb1", "\n"};
    const char *text = texts[test_stream_below(stream, COUNT(texts))];
    char *const to = test_stream_chance(stream, 50) ? plan->source : plan->writer;
    memcpy(to + test_stream_below(stream, 8), text, strlen(text));
}

/* Sets metadata, most of which breaks a rule. */
static void metadata_change(struct test_stream *stream, spmm_plan_t *plan)
{
    static const char *const texts[] = {"a=b;",     "a=b",      "a=b;c;",  "a=;b=c;", "A=b;", ";=b;",
                                        "b=a;a=b;", "a=b;a=b;", "a=\x1b;", "a=\xc3;", "",     "a=b;c=d;"};
    const char *text = texts[test_stream_below(stream, COUNT(texts))];
    spmmi_free(plan->metadata);
    plan->metadata = NULL;
    plan->metadata_bytes = strlen(text);
    if (plan->metadata_bytes == 0)
        return;
    resize(&plan->metadata, 0, plan->metadata_bytes, 1);
    for (size_t i = 0; text[i] != '\0'; i++)
        plan->metadata[i] = text[i] == '=' || text[i] == ';' ? '\0' : text[i];
}

static void features_change(struct test_stream *stream, spmm_plan_t *plan)
{
    plan->features_exec = test_stream_bits(stream);
}

/* ---- Changes after statistics and digests were computed ---- */

static void stats_change(struct test_stream *stream, spmm_plan_t *plan)
{
    test_record_change(stream, plan, &spmmi_stats_record, &plan->stats);
}

static void digest_change(struct test_stream *stream, spmm_plan_t *plan)
{
    uint8_t *const digest = test_stream_chance(stream, 50) ? plan->pattern_digest : plan->values_digest;
    digest[test_stream_below(stream, 16)] ^= 1;
}

typedef void (*change_fn)(struct test_stream *stream, spmm_plan_t *plan);
static const change_fn changes[] = {lengths_change,     lengths_change,
                                    columns_change,     columns_change,
                                    values_change,      values_drop,
                                    rows_change,        cols_change,
                                    dtype_change,       part_change,
                                    part_change,        part_change,
                                    part_exchange,      part_exchange,
                                    part_add,           part_add,
                                    parts_exchange,     part_drop,
                                    variant_change,     variant_change,
                                    variant_change,     variant_drop,
                                    variant_repeat,     trace_change,
                                    trace_change,       items_change,
                                    items_change,       items_change,
                                    items_change,       long_rows_change,
                                    long_rows_change,   long_rows_change,
                                    permutation_change, permutation_change,
                                    text_change,        row_block_metrics_change,
                                    features_change,    permutation_metrics_change,
                                    metadata_change};
static const change_fn late_changes[] = {stats_change, stats_change, digest_change};

/* ---- Making the plan consistent again ---- */

/* Makes the columns of each row ascending and distinct, if there are enough columns. */
static void columns_repair(spmm_plan_t *plan)
{
    for (int64_t i = 0; i < plan->rows; i++)
        for (int64_t p = plan->row_ptr[i]; p < plan->row_ptr[i + 1] && p < plan->nnz; p++) {
            const int64_t least = p == plan->row_ptr[i] ? 0 : (int64_t)plan->col_ind[p - 1] + 1;
            if (plan->col_ind[p] < least || plan->col_ind[p] >= plan->cols)
                plan->col_ind[p] = (int32_t)least;
        }
}

static void items_repair(struct test_stream *stream, spmm_plan_t *plan)
{
    for (uint32_t i = 0; i < plan->part_count && is_countable(plan); i++) {
        struct spmmi_part *part = &plan->parts[i];
        const int is_pair = (part->flags & SPMMI_PART_LONG_ROWS) != 0 || spmmi_long_rows_of(plan, i) != NULL;
        if (is_pair || spmmi_check_part(plan, i, NULL) != SPMM_OK || test_stream_chance(stream, 5))
            continue;
        test_plan_part_fill(plan, part);
        if ((part->flags & SPMMI_PART_REORDERED) != 0)
            test_shuffle(part->items, part->item_count, test_stream_bits(stream));
    }
}

static void repair(struct test_stream *stream, spmm_plan_t *plan, int has_items)
{
    if (test_stream_chance(stream, 40))
        columns_repair(plan);
    if (is_csr(plan)) {
        if (!has_items || test_stream_chance(stream, 30))
            items_repair(stream, plan);
        test_plan_seal(plan);
    }
}

/* Returns 1 for changes of items, which are usually not repaired. */
static int is_of_items(change_fn change)
{
    return change == items_change || change == long_rows_change || change == parts_exchange;
}

uint8_t *test_content_file(struct test_stream *stream, spmm_plan_t *plan, size_t *size, int *is_valid)
{
    uint64_t left = test_stream_below(stream, 5);
    const int is_late = test_stream_chance(stream, 8), is_of_file = test_stream_chance(stream, 20);
    int has_items = 0;
    *is_valid = left == 0 && !is_late && !is_of_file;
    if (!is_late && !is_of_file && left > 1 && test_stream_chance(stream, 50))
        left = 1;
    for (; left > 0; left--) {
        const change_fn change = changes[test_stream_below(stream, COUNT(changes))];
        change(stream, plan);
        has_items |= is_of_items(change);
    }
    if (!*is_valid && !test_stream_chance(stream, 5))
        repair(stream, plan, has_items);
    if (is_late)
        late_changes[test_stream_below(stream, COUNT(late_changes))](stream, plan);
    return test_content_sections(stream, plan, is_of_file, size);
}
