/* SPDX-License-Identifier: Apache-2.0 */
/* See run_report.h. */
#include "run_report.h"

#include <stdio.h>

#include "plan_targets.h"
#include "prepared_text.h"
#include "tools/cli/json.h"
#include "tools/cli/print_text.h"
#include "tools/export/export_dense.h"

#define LABEL "%-10s "

static double gflops(const struct run_product *p, double ms)
{
    return ms > 0.0 ? 2.0 * (double)p->plan.nnz * (double)p->request.n / (ms * 1e6) : 0.0;
}

/* Prints "C = 2 A^T B + 0.5 C", without factors of 1 and terms of 0. */
static void text_product(const struct run_product *p)
{
    const struct run_request *r = &p->request;
    printf(LABEL "C = ", "product");
    if (r->alpha != 1.0)
        printf("%g ", r->alpha);
    printf("%s B", r->op == SPMM_OP_T ? "A^T" : "A");
    if (r->beta != 0.0)
        printf(" + %g C", r->beta);
    printf(", n = %lld, %s-major B and C", (long long)r->n, spmm_layout_name(r->layout));
    if (p->plan.b_type != p->plan.a_type || p->plan.c_type != p->plan.a_type)
        printf(" of %s and %s", spmm_dtype_name(p->plan.b_type), spmm_dtype_name(p->plan.c_type));
    putchar('\n');
}

static void text_check(const struct run_product *p, const struct run_outcome *outcome)
{
    const struct check_result *check = outcome->check;
    if (check == NULL)
        return;
    printf(LABEL, "check");
    if (check->ratio <= 1.0) {
        char elements[PRINT_UNITS_BYTES];
        printf("right: error ratio %.3g, all %s elements, against ", check->ratio,
               print_count(elements, p->c_host.rows * p->c_host.cols));
        print_escaped(stdout, outcome->checked_against);
        putchar('\n');
        return;
    }
    printf("WRONG: error ratio %.3g, worst at row %lld, column %lld: %.9g, expected %.9g\n", check->ratio,
           (long long)check->row, (long long)check->col, check->found, check->expected);
}

static void text_certificate(const struct run_outcome *outcome)
{
    const struct run_certificate *certificate = outcome->certificate;
    if (certificate == NULL)
        return;
    const spmm_certificate_t *found = &certificate->found;
    char text[PRINT_UNITS_BYTES], vectors[PRINT_UNITS_BYTES];
    printf(LABEL, "certify");
    if (found->passed)
        printf("right: error ratio %.3g, ", found->error_ratio);
    else
        printf("WRONG: error ratio %.3g, %s, first row %lld, of ", found->error_ratio,
               print_plural(text, found->rows_failed, "row"), (long long)found->first_row);
    printf("%s; with %s of seed %llu a wrong one passes with probability %.2g",
           print_plural(text, found->rows, "row"), print_plural(vectors, found->vectors, "vector"),
           (unsigned long long)found->seed, found->miss_probability);
    if (certificate->ms > 0)
        printf(", in %s", print_seconds(text, 1e-3 * certificate->ms));
    putchar('\n');
    if (found->rows_by_class > 0)
        printf(LABEL "rows with infinity or NaN, which is or may be right: %lld; their other elements are "
                     "not certified\n",
               "note", (long long)found->rows_by_class);
}

static void text_output(const struct run_product *p, const struct run_outcome *outcome)
{
    const spmm_dense_t *c = &p->c_host;
    char rows[PRINT_UNITS_BYTES], cols[PRINT_UNITS_BYTES];
    if (outcome->output == NULL)
        return;
    printf(LABEL, "output");
    print_escaped(stdout, outcome->output);
    const bool is_text = export_dense_is_text(outcome->output);
    printf(": %s, %s x %s, %s, %s-major\n", is_text ? "Matrix Market" : ".npy", print_count(rows, c->rows),
           print_count(cols, c->cols), spmm_dtype_name(c->type),
           spmm_layout_name(is_text ? SPMM_COL_MAJOR : c->layout));
}

/* Reports that B or C are in a different order from A. */
static void text_order(const struct run_outcome *outcome)
{
    if (!outcome->is_symmetric && !outcome->permutes_output)
        return;
    printf(LABEL "%s: ", "note", outcome->is_symmetric ? "A is PAP^T" : "the plan permutes its output");
    if (outcome->is_original_order)
        printf("-B and -o are in the order of A all the same\n");
    else
        printf("the rows of %s are in the permuted order; --original-order undoes that\n",
               outcome->is_symmetric ? "B and C" : "C");
}

static void text_memory(const spmm_executor_info_t *info)
{
    char one[PRINT_UNITS_BYTES], two[PRINT_UNITS_BYTES];
    printf(LABEL "%s on the host, ", "memory", print_bytes(one, info->host_bytes));
    printf("%s on the GPU", print_bytes(one, info->device_bytes));
    if (info->device >= 0)
        printf(" (at most %s, and %s in the library's pool)", print_bytes(one, info->peak_device_bytes),
               print_bytes(two, info->pool_bytes));
    printf("; A as CSR takes %s\n", print_bytes(one, info->csr_bytes));
}

void run_report_text(const struct run_product *p, const struct run_outcome *outcome)
{
    const struct run_request *r = &p->request;
    const struct timing *timing = outcome->timing;
    char one[PRINT_UNITS_BYTES], two[PRINT_UNITS_BYTES], three[PRINT_UNITS_BYTES];

    printf(LABEL, "plan");
    print_escaped(stdout, outcome->plan_name);
    printf(": %s x %s, %s, %s\n", print_count(one, p->plan.rows), print_count(two, p->plan.cols),
           print_plural(three, p->plan.nnz, "nonzero"), spmm_dtype_name(p->plan.a_type));
    printf(LABEL "%s%s\n", "device", p->info.device_name,
           outcome->is_auto_cpu ? " (there is no GPU that this build can use and that runs the plan)" : "");
    printf(LABEL "%s\n", "kernel", p->info.kernel);
    printf(LABEL "%lld, for ", "variant", (long long)p->info.variant);
    plan_target_print(stdout, p->info.target);
    puts(p->info.is_own_target || p->info.target == 0 ? "" : ", another machine");
    if (p->info.note[0] != '\0')
        printf(LABEL "%s\n", "note", p->info.note);
    if (p->prepared.struct_size != 0) {
        printf(LABEL, "prepare");
        prepared_text(&p->prepared);
    }
    if (p->uses_ones)
        printf(LABEL "%severy entry counts as 1\n", "note",
               r->has_unit_values ? "" : "the plan holds no values: ");
    text_product(p);
    text_order(outcome);
    text_memory(&p->info);
    if (timing != NULL) {
        printf(LABEL "%s back to back (%s of %d), %s with cold caches (median of %d)\n", "time",
               print_seconds(one, 1e-3 * timing->ms_warm), r->device >= 0 ? "mean" : "median",
               timing->repeats_warm, print_seconds(two, 1e-3 * timing->ms_cold), timing->repeats_cold);
        printf(LABEL "%.1f GFLOP/s back to back, %.1f cold\n", "speed", gflops(p, timing->ms_warm),
               gflops(p, timing->ms_cold));
    }
    text_check(p, outcome);
    text_certificate(outcome);
    text_output(p, outcome);
}

static void json_timing(struct json *j, const struct run_product *p, const struct timing *timing)
{
    if (timing == NULL)
        return;
    json_double(j, "ms_median", timing->ms_warm);
    json_double(j, "gflops", gflops(p, timing->ms_warm));
    json_int(j, "repeats", timing->repeats_warm);
    json_double(j, "ms_median_cold", timing->ms_cold);
    json_double(j, "gflops_cold", gflops(p, timing->ms_cold));
    json_int(j, "repeats_cold", timing->repeats_cold);
}

static void json_check(struct json *j, const struct run_outcome *outcome)
{
    const struct check_result *check = outcome->check;
    if (check == NULL) {
        json_null(j, "error_ratio");
        return;
    }
    json_text(j, "checked_against", outcome->checked_against);
    json_bool(j, "right", check->ratio <= 1.0);
    json_double(j, "error_ratio", check->ratio); /* null if infinite */
    json_int(j, "worst_row", check->row);
    json_int(j, "worst_column", check->col);
}

static void json_certificate(struct json *j, const struct run_certificate *certificate)
{
    if (certificate == NULL)
        return;
    json_bool(j, "certified", certificate->found.passed);
    json_double(j, "certify_error_ratio", certificate->found.error_ratio); /* null if infinite */
    json_int(j, "certify_rows_failed", certificate->found.rows_failed);
    json_int(j, "certify_first_row", certificate->found.first_row);
    json_int(j, "certify_rows_by_class", certificate->found.rows_by_class);
    json_int(j, "certify_vectors", certificate->found.vectors);
    json_uint(j, "certify_seed", certificate->found.seed);
    json_double(j, "certify_miss_probability", certificate->found.miss_probability);
    if (certificate->ms > 0)
        json_double(j, "certify_ms", certificate->ms);
}

int run_report_json(const struct run_product *p, const struct run_outcome *outcome)
{
    const struct run_request *r = &p->request;
    struct json j;
    json_start(&j, stdout);
    json_object(&j, NULL);
    json_text(&j, "plan", outcome->plan_name);
    json_int(&j, "rows", p->plan.rows);
    json_int(&j, "cols", p->plan.cols);
    json_int(&j, "nnz", p->plan.nnz);
    json_text(&j, "dtype", spmm_dtype_name(p->plan.a_type));
    json_text(&j, "b_type", spmm_dtype_name(p->plan.b_type));
    json_text(&j, "c_type", spmm_dtype_name(p->plan.c_type));
    json_bool(&j, "unit_values", p->uses_ones != 0);
    json_bool(&j, "plan_has_values", p->plan.has_values != 0);
    json_text(&j, "device", r->device >= 0 ? "cuda" : "cpu");
    json_int(&j, "device_number", r->device);
    json_text(&j, "device_name", p->info.device_name);
    json_text(&j, "kernel", p->info.kernel);
    json_int(&j, "variant", p->info.variant);
    json_uint(&j, "target", p->info.target);
    json_bool(&j, "own_target", p->info.is_own_target != 0);
    json_bool(&j, "fallback", p->info.fallback != 0);
    json_text(&j, "note", p->info.note);
    if (p->prepared.struct_size != 0)
        prepared_json(&j, &p->prepared);
    json_int(&j, "n", r->n);
    json_text(&j, "op", spmm_op_name(r->op));
    json_text(&j, "layout", spmm_layout_name(r->layout));
    json_bool(&j, "symmetric_permutation", outcome->is_symmetric != 0);
    json_bool(&j, "permuted_output", outcome->permutes_output != 0);
    json_bool(&j, "original_order", outcome->is_original_order != 0);
    json_double(&j, "alpha", r->alpha);
    json_double(&j, "beta", r->beta);
    json_uint(&j, "host_bytes", p->info.host_bytes);
    json_uint(&j, "device_bytes", p->info.device_bytes);
    json_uint(&j, "peak_device_bytes", p->info.peak_device_bytes);
    json_uint(&j, "pool_bytes", p->info.pool_bytes);
    json_uint(&j, "csr_bytes", p->info.csr_bytes);
    json_uint(&j, "workspace_bytes", p->workspace.bytes);
    if (outcome->output != NULL)
        json_text(&j, "output", outcome->output);
    json_timing(&j, p, outcome->timing);
    json_check(&j, outcome);
    json_certificate(&j, outcome->certificate);
    json_end(&j);
    return json_finish(&j);
}
