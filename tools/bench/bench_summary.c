/* SPDX-License-Identifier: Apache-2.0 */
/* See bench_summary.h. */
#include "bench_summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/cli/fail.h"

spmm_status_t bench_summary_add(struct bench_summary *summary, const struct summary_row *row,
                                spmm_diag_t *diag)
{
    if (summary->count == summary->capacity) {
        const size_t capacity = 2 * summary->capacity + 64;
        struct summary_row *grown = realloc(summary->rows, capacity * sizeof *grown);
        if (grown == NULL)
            return fail_memory(diag, capacity * sizeof *grown, "the summary");
        summary->rows = grown;
        summary->capacity = capacity;
    }
    summary->rows[summary->count++] = *row;
    return SPMM_OK;
}

static int compare_rows(const void *left, const void *right)
{
    const struct summary_row *a = left;
    const struct summary_row *b = right;
    if (a->dtype != b->dtype)
        return a->dtype < b->dtype ? -1 : 1;
    if (a->layout != b->layout)
        return a->layout < b->layout ? -1 : 1;
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    return (a->n > b->n) - (a->n < b->n);
}

struct mean {
    double log_cold, log_warm, log_memory;
    size_t count, below_one, memory_count;
    double minimum;
};

static void add_row(struct mean *mean, const struct summary_row *row)
{
    mean->log_cold += log(row->ratio_cold);
    mean->log_warm += log(row->ratio_warm);
    mean->minimum = mean->count == 0 || row->ratio_cold < mean->minimum ? row->ratio_cold : mean->minimum;
    mean->count++;
    if (row->ratio_memory > 0.0) {
        mean->log_memory += log(row->ratio_memory);
        mean->memory_count++;
    }
    mean->below_one += row->ratio_cold < 1.0;
}

/* The function that receives the lines. */
struct listener {
    void (*fn)(void *context, const struct summary_line *line);
    void *context;
};

static void tell_mean(const struct listener *to, const char *dtype, const char *layout, const char *op,
                      int64_t n, const struct mean *mean)
{
    char columns[24] = "all";
    if (n > 0)
        snprintf(columns, sizeof columns, "%lld", (long long)n);
    const struct summary_line line = {
        .dtype = dtype,
        .layout = layout,
        .op = op,
        .n = columns,
        .cases = mean->count,
        .below_one = mean->below_one,
        .cold = exp(mean->log_cold / (double)mean->count),
        .warm = exp(mean->log_warm / (double)mean->count),
        .minimum = mean->minimum,
        .memory = mean->memory_count > 0 ? exp(mean->log_memory / (double)mean->memory_count) : 0.0};
    to->fn(to->context, &line);
}

/* Reports the groups of rows with the same type, layout, op and, if by_n, n. */
static void tell_groups(const struct bench_summary *summary, const struct listener *to, int by_n)
{
    size_t first = 0;
    while (first < summary->count) {
        const struct summary_row *head = &summary->rows[first];
        struct mean mean = {0};
        size_t end = first;
        for (; end < summary->count; end++) {
            const struct summary_row *row = &summary->rows[end];
            if (row->dtype != head->dtype || row->layout != head->layout || row->op != head->op ||
                (by_n && row->n != head->n))
                break;
            add_row(&mean, row);
        }
        tell_mean(to, spmm_dtype_name(head->dtype), spmm_layout_name(head->layout), spmm_op_name(head->op),
                  by_n ? head->n : 0, &mean);
        first = end;
    }
}

void bench_summary_each(struct bench_summary *summary,
                        void (*fn)(void *context, const struct summary_line *line), void *context)
{
    const struct listener to = {fn, context};
    struct mean all = {0};
    if (summary->count == 0)
        return;
    qsort(summary->rows, summary->count, sizeof *summary->rows, compare_rows);
    for (size_t i = 0; i < summary->count; i++)
        add_row(&all, &summary->rows[i]);
    tell_groups(summary, &to, 1);
    tell_groups(summary, &to, 0);
    tell_mean(&to, "all", "all", "all", 0, &all);
}

static void print_line(void *context, const struct summary_line *line)
{
    struct json *json = context;
    if (json == NULL) {
        printf("  %-5s %-6s %-3s %6s %6zu %12.3f %12.3f %8.3f %10zu", line->dtype, line->layout, line->op,
               line->n, line->cases, line->cold, line->warm, line->minimum, line->below_one);
        if (line->memory > 0.0)
            printf(" %12.3f", line->memory);
        putchar('\n');
        return;
    }
    json_object(json, NULL);
    json_text(json, "dtype", line->dtype);
    json_text(json, "layout", line->layout);
    json_text(json, "op", line->op);
    json_text(json, "n", line->n);
    json_uint(json, "cases", line->cases);
    json_double(json, "ratio_cold_mean", line->cold);
    json_double(json, "ratio_warm_mean", line->warm);
    json_double(json, "ratio_cold_least", line->minimum);
    json_uint(json, "below_one", line->below_one);
    if (line->memory > 0.0)
        json_double(json, "ratio_memory_mean", line->memory);
    json_end(json);
}

static int knows_memory(const struct bench_summary *summary)
{
    for (size_t i = 0; i < summary->count; i++)
        if (summary->rows[i].ratio_memory > 0.0)
            return 1;
    return 0;
}

void bench_summary_print(struct bench_summary *summary, struct json *json)
{
    if (json != NULL)
        json_array(json, "summary");
    else if (summary->count > 0)
        printf("\nbest peer's time over the time of the plan's choice (geometric means)\n"
               "  %-5s %-6s %-3s %6s %6s %12s %12s %8s %10s%s\n",
               "dtype", "layout", "op", "n", "cases", "cold", "warm", "minimum", "below 1.0",
               knows_memory(summary) ? "  peer MB/ours" : "");
    bench_summary_each(summary, print_line, json);
    if (json != NULL)
        json_end(json);
}

void bench_summary_free(struct bench_summary *summary)
{
    free(summary->rows);
    *summary = (struct bench_summary){0};
}
