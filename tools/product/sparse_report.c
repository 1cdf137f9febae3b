/* SPDX-License-Identifier: Apache-2.0 */
/* See sparse_report.h. */
#include "sparse_report.h"

#include <stdio.h>

#include "product_report.h"
#include "tools/cli/json.h"
#include "tools/cli/print_text.h"

#define LABEL 11

static double gflops(const struct sparse_outcome *o)
{
    return o->best_seconds > 0 ? 2e-9 * (double)o->info.products / o->best_seconds : 0;
}

/* Bytes held between products: by the executor of a plan or, without a plan, by C. */
struct held {
    uint64_t host, device;
};

static struct held held_of(const struct sparse_outcome *o)
{
    const uint64_t c = ((uint64_t)o->c.rows + 1) * sizeof(int64_t) +
                       (uint64_t)o->c.nnz * (sizeof(int32_t) + spmm_dtype_size(o->c.value_type));
    if (o->plan != NULL)
        return (struct held){o->info.host_bytes, o->info.device_bytes};
    return o->info.device >= 0 ? (struct held){0, c} : (struct held){c, 0};
}

static void text_held(const struct sparse_outcome *o)
{
    const struct held held = held_of(o);
    char host[PRINT_UNITS_BYTES], device[PRINT_UNITS_BYTES], workspace[PRINT_UNITS_BYTES];
    printf("%-*s%s on the host, %s on the GPU", LABEL, o->plan != NULL ? "holds" : "C holds",
           print_bytes(host, held.host), print_bytes(device, held.device));
    if (o->plan != NULL)
        printf(", workspace %s", print_bytes(workspace, o->workspace_bytes));
    putchar('\n');
}

static void text_check(const struct sparse_outcome *o)
{
    const struct product_verdict *v = &o->verdict;
    char nnz[PRINT_UNITS_BYTES];
    if (!o->is_checked)
        return;
    printf("%-*s", LABEL, "check");
    if (v->ratio <= 1)
        printf("right: error ratio %.3g, %s and the pattern\n", v->ratio,
               print_plural(nnz, o->c.nnz, "nonzero"));
    else
        printf("WRONG: error ratio %.3g, worst at row %lld, column %lld: %.9g, expected %.9g\n", v->ratio,
               (long long)v->row, (long long)v->col, v->found, v->expected);
}

static void text_output(const struct sparse_outcome *o)
{
    char rows[PRINT_UNITS_BYTES], cols[PRINT_UNITS_BYTES], nnz[PRINT_UNITS_BYTES];
    if (o->output == NULL)
        return;
    printf("%-*s", LABEL, "output");
    print_escaped(stdout, o->output);
    printf(": %s x %s, %s, %s\n", print_count(rows, o->c.rows), print_count(cols, o->c.cols),
           print_plural(nnz, o->c.nnz, "nonzero"), spmm_dtype_name(o->c.value_type));
}

void sparse_report_text(const struct sparse_outcome *o)
{
    char rows[PRINT_UNITS_BYTES], cols[PRINT_UNITS_BYTES], nnz[PRINT_UNITS_BYTES], text[PRINT_UNITS_BYTES];
    printf("%-*s%s x %s, %s, %s\n", LABEL, "C", print_count(rows, o->c.rows), print_count(cols, o->c.cols),
           print_plural(nnz, o->c.nnz, "nonzero"), spmm_dtype_name(o->c.value_type));
    if (o->plan != NULL) {
        product_report_text(stdout, o->plan, LABEL);
        printf("%-*s%s, made in %s\n", LABEL, "kernel", o->info.kernel,
               print_seconds(text, o->create_seconds));
    } else {
        printf("%-*s%s\n", LABEL, "kernel", o->info.kernel);
    }
    text_held(o);
    text_check(o);
    text_output(o);
    printf("%-*sbest %s of %d", LABEL, "time", print_seconds(text, o->best_seconds), o->repeats);
    printf(", the first %s", print_seconds(text, o->first_seconds));
    if (o->plan != NULL)
        printf(", %.3g GFLOP/s", gflops(o));
    putchar('\n');
}

void sparse_report_json(const struct sparse_outcome *o, const char *program)
{
    const struct held held = held_of(o);
    struct json j;
    json_start(&j, stdout);
    json_object(&j, NULL);
    json_text(&j, "program", program);
    json_text(&j, "version", spmm_version_string());
    json_int(&j, "rows", o->c.rows);
    json_int(&j, "cols", o->c.cols);
    json_int(&j, "nnz", o->c.nnz);
    json_text(&j, "dtype", spmm_dtype_name(o->c.value_type));
    json_text(&j, "kernel", o->info.kernel);
    if (o->plan != NULL) {
        product_report_json(&j, o->plan);
        json_uint(&j, "multiplications", o->info.products);
        json_int(&j, "cut_rows", o->info.cut_rows);
        json_uint(&j, "workspace_bytes", o->workspace_bytes);
        json_double(&j, "create_ms", 1e3 * o->create_seconds);
        json_double(&j, "gflops", gflops(o));
    }
    json_uint(&j, "host_bytes", held.host);
    json_uint(&j, "device_bytes", held.device);
    if (o->output != NULL)
        json_text(&j, "output", o->output);
    if (o->is_checked) {
        json_bool(&j, "right", o->verdict.ratio <= 1);
        json_double(&j, "error_ratio", o->verdict.ratio);
    }
    json_double(&j, "first_ms", 1e3 * o->first_seconds);
    json_double(&j, "ms", 1e3 * o->best_seconds);
    json_int(&j, "repeats", o->repeats);
    json_end(&j);
    json_finish(&j);
}
