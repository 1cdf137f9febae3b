/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_report.h: the text output. */

#include <string.h>

#include "plan_report.h"
#include "plan_targets.h"
#include "tools/cli/families.h"
#include "tools/cli/number.h"
#include "tools/cli/print_text.h"

#define BAR_COLUMNS 40
#define METADATA_LINES 5 /* so that a report fits on a screen */
#define METADATA_WIDTH 80

static void label(FILE *out, const char *text)
{
    fprintf(out, "%-*s", PLAN_REPORT_LABEL, text);
}

spmm_matrix_stats_t plan_matrix_stats(const spmm_plan_t *plan)
{
    spmm_matrix_stats_t stats = {.struct_size = sizeof stats};
    (void)spmm_plan_matrix_stats(plan, &stats);
    return stats;
}

bool plan_has_equal_values(const spmm_plan_t *plan, double *value)
{
    spmm_csr_t a;
    if (spmm_plan_csr(plan, &a) != SPMM_OK || a.values == NULL || a.nnz == 0)
        return false;
    const size_t size = spmm_dtype_size(a.value_type);
    *value = value_get(a.value_type, a.values, 0);
    return memcmp(a.values, (const char *)a.values + size, (size_t)(a.nnz - 1) * size) == 0;
}

void plan_text_values(FILE *out, const spmm_plan_t *plan, const spmm_plan_info_t *info)
{
    double value = 0;
    fputs(info->has_values ? "with values" : "pattern only", out);
    if (plan_has_equal_values(plan, &value))
        fprintf(out, ", all %.9g", value);
}

void plan_text_matrix(FILE *out, const spmm_plan_info_t *info, const spmm_matrix_stats_t *stats)
{
    char rows[PRINT_UNITS_BYTES], cols[PRINT_UNITS_BYTES], nnz[PRINT_UNITS_BYTES], longest[PRINT_UNITS_BYTES];
    char empty[PRINT_UNITS_BYTES];
    label(out, "matrix");
    print_escaped(out, info->source[0] != '\0' ? info->source : "(no name)");
    fprintf(out, ": %s x %s, %s\n", print_count(rows, info->rows), print_count(cols, info->cols),
            print_plural(nnz, info->nnz, "nonzero"));
    label(out, "rows");
    fprintf(out, "%.4g nonzeros on average, standard deviation %.4g, longest %s, empty %s\n", stats->row_mean,
            stats->row_stddev, print_count(longest, stats->row_max), print_count(empty, stats->rows_empty));
    plan_text_matrix_metrics(out, info, stats);
}

/* Prints a line of the metadata. A value of more than width bytes is cut at a character boundary. */
void plan_text_metadata_pair(FILE *out, int index, const char *key, const char *value, size_t width)
{
    const size_t length = strlen(value);
    size_t shown = length < width ? length : width;
    while (shown < length && ((unsigned char)value[shown] & 0xc0) == 0x80)
        shown--;
    label(out, index == 0 ? "metadata" : "");
    fprintf(out, "%s: %.*s%s\n", key, (int)shown, value, shown < length ? ".." : "");
}

void plan_text_metadata(FILE *out, const spmm_plan_t *plan, bool all)
{
    spmm_metadata_t pair;
    int count = 0, index = 0;
    while (spmm_plan_metadata(plan, count, &pair) == SPMM_OK)
        count++;
    const int shown = all || count <= METADATA_LINES ? count : METADATA_LINES - 1;
    for (; index < shown && spmm_plan_metadata(plan, index, &pair) == SPMM_OK; index++)
        plan_text_metadata_pair(out, index, pair.key, pair.value, all ? SIZE_MAX : METADATA_WIDTH);
    if (shown < count) {
        label(out, "");
        fprintf(out, "and %d more\n", count - shown);
    }
}

void plan_text_symmetric(FILE *out, const spmm_plan_t *plan)
{
    const uint32_t *permutation = NULL;
    int64_t count = 0;
    if (spmm_plan_symmetric_permutation(plan, &permutation, &count) == SPMM_OK && permutation != NULL) {
        label(out, "symmetric");
        fputs("the plan is that of PAP^T (informational; callers permute B and C)\n", out);
    }
}

void plan_text_symmetry(FILE *out, const spmm_plan_t *plan)
{
    spmm_symmetry_t symmetry = SPMM_SYMMETRY_GENERAL;
    if (spmm_plan_symmetry(plan, &symmetry, NULL) != SPMM_OK || symmetry == SPMM_SYMMETRY_GENERAL)
        return;
    label(out, "symmetry");
    fprintf(out, "%s\n",
            symmetry == SPMM_SYMMETRY_STRUCTURAL ? "of the pattern alone" : spmm_symmetry_name(symmetry));
}

struct plan_bins plan_row_bins(const spmm_matrix_stats_t *stats)
{
    struct plan_bins bins = {.most = 1};
    for (int bin = 0; bin < SPMM_HISTOGRAM_BINS; bin++) {
        bins.most = stats->row_histogram[bin] > bins.most ? stats->row_histogram[bin] : bins.most;
        bins.last = stats->row_histogram[bin] > 0 ? bin : bins.last;
    }
    while (bins.first < bins.last && stats->row_histogram[bins.first] == 0)
        bins.first++;
    return bins;
}

const char *plan_bin_text(char text[PLAN_BIN_BYTES], int bin)
{
    const int64_t low = bin == 0 ? 0 : INT64_C(1) << (bin - 1);
    if (bin <= 1)
        snprintf(text, PLAN_BIN_BYTES, "%d", bin);
    else
        snprintf(text, PLAN_BIN_BYTES, "%lld-%lld", (long long)low, (long long)(2 * low - 1));
    return text;
}

void plan_text_histogram(FILE *out, const spmm_matrix_stats_t *stats)
{
    const struct plan_bins bins = plan_row_bins(stats);
    fputs("\nRow lengths\n", out);
    for (int bin = bins.first; bin <= bins.last; bin++) {
        char range[PLAN_BIN_BYTES], count[PRINT_UNITS_BYTES];
        const int64_t rows = stats->row_histogram[bin];
        const int bar = (int)((double)rows / (double)bins.most * BAR_COLUMNS + (rows > 0 ? 0.999 : 0));
        fprintf(out, "  %21s %14s ", plan_bin_text(range, bin), print_count(count, rows));
        for (int i = 0; i < bar; i++)
            fputc('#', out);
        fputc('\n', out);
    }
}

static void print_range_of_n(FILE *out, const spmm_variant_info_t *v)
{
    if (v->n_min <= 1 && v->n_max >= INT32_MAX)
        fputs("any n", out);
    else if (v->n_min == v->n_max)
        fprintf(out, "n = %lld", (long long)v->n_min);
    else if (v->n_max >= INT32_MAX)
        fprintf(out, "n >= %lld", (long long)v->n_min);
    else
        fprintf(out, "n in %lld..%lld", (long long)v->n_min, (long long)v->n_max);
}

static const char *layouts_text(uint32_t layouts)
{
    switch (layouts) {
    case SPMM_LAYOUTS_ROW_MAJOR:
        return "row-major";
    case SPMM_LAYOUTS_COL_MAJOR:
        return "column-major";
    default:
        return "both layouts";
    }
}

static void print_part(FILE *out, const char *before, const spmm_part_info_t *part)
{
    char items[PRINT_UNITS_BYTES];
    const spmm_family_info_t family = families_find(part->family);
    fprintf(out, "%s%s/%s, ", before, family.name, spmm_schedule_name(part->schedule));
    if (part->is_long_rows)
        fprintf(out, "%s split off", print_plural(items, part->items, "row"));
    else
        fputs(print_plural(items, part->items, family.item), out);
    if (part->block_rows > 0)
        fprintf(out, ", %u a %s", part->block_rows, family.unit);
    if (part->stage_slots > 0)
        fprintf(out, ", stages of %u", part->stage_slots);
    if (part->is_reordered)
        fputs(", reordered", out);
    if (part->permutes_output)
        fputs(", permuted output", out);
    if (part->item_size > 0)
        fprintf(out, ", item size %u", part->item_size);
}

void plan_text_scope(FILE *out, const spmm_variant_info_t *v)
{
    fprintf(out, "op %s, %s, ", spmm_op_name(v->op), spmm_compute_name(v->compute));
    print_range_of_n(out, v);
    fprintf(out, ", %s, ", layouts_text(v->layouts));
    plan_target_print(out, v->target);
}

void plan_text_parts(FILE *out, const spmm_plan_t *plan, const spmm_variant_info_t *v)
{
    for (int p = v->part_first; p < v->part_first + v->part_count; p++) {
        spmm_part_info_t part = {.struct_size = sizeof part};
        if (spmm_plan_part(plan, p, &part) == SPMM_OK)
            print_part(out, p > v->part_first ? "; " : "", &part);
    }
}

/* Returns the stream of the op's first variant whose stream has slices, else of its first variant with a
 * stream. */
static spmm_stream_info_t stream_of(const spmm_plan_t *plan, spmm_op_t op, uint64_t budget)
{
    spmm_stream_info_t found = {.column_bits = 0}, own = {.struct_size = sizeof own};
    spmm_variant_info_t v = {.struct_size = sizeof v};
    for (int i = 0; found.slice_bits == 0 && spmm_plan_variant(plan, i, &v) == SPMM_OK; i++)
        if (v.op == op && spmm_plan_stream(plan, i, budget, &own, NULL) == SPMM_OK && own.column_bits > 0 &&
            (found.column_bits == 0 || own.slice_bits > 0))
            found = own;
    return found;
}

static void print_slices(FILE *out, const spmm_stream_info_t *s)
{
    fprintf(out, "; one column: slices, columns of %d bits", s->slice_bits);
    if (s->slice_run > 1)
        fprintf(out, " for %d nonzeros each", s->slice_run);
}

void plan_text_streams(FILE *out, const spmm_plan_t *plan, uint64_t budget)
{
    const char *name = "stream";
    for (int op = SPMM_OP_N; op <= SPMM_OP_T; op++) {
        const spmm_stream_info_t s = stream_of(plan, (spmm_op_t)op, budget);
        if (s.column_bits == 0)
            continue;
        label(out, name);
        name = "";
        fprintf(out, "of rows on a GPU, op %s: columns of %d bits%s", spmm_op_name((spmm_op_t)op),
                s.column_bits, s.has_uniform_values ? ", no values" : "");
        if (s.slice_bits > 0)
            print_slices(out, &s);
        fputc('\n', out);
    }
}

void plan_text_variants(FILE *out, const spmm_plan_t *plan, const spmm_plan_info_t *info)
{
    for (int i = 0; i < info->variant_count; i++) {
        spmm_variant_info_t v = {.struct_size = sizeof v};
        if (spmm_plan_variant(plan, i, &v) != SPMM_OK)
            continue;
        char name[24] = "variant";
        if (info->variant_count > 1)
            snprintf(name, sizeof name, "variant %d", i);
        label(out, name);
        plan_text_scope(out, &v);
        fputs(": ", out);
        plan_text_parts(out, plan, &v);
        fputc('\n', out);
    }
}

/* Gets entry i of the trace. Returns false if it is not a chosen candidate. */
static bool winner_at(const spmm_plan_t *plan, int i, spmm_trace_info_t *t)
{
    t->struct_size = sizeof *t;
    return spmm_plan_trace(plan, i, t) == SPMM_OK && t->chosen;
}

static bool is_same_decision(const spmm_trace_info_t *a, const spmm_trace_info_t *b)
{
    return a->family == b->family && a->schedule == b->schedule && a->compute == b->compute &&
           a->predicted_us == b->predicted_us && a->measured_us == b->measured_us &&
           strcmp(a->reason, b->reason) == 0;
}

/* Prints a time, unless the reason already begins with it. */
static void print_time(FILE *out, const spmm_trace_info_t *t, const char *word, double us)
{
    if (us > 0 && strncmp(t->reason, word, strlen(word)) != 0)
        fprintf(out, "; %s%.3g us", word, us);
}

static void print_times(FILE *out, const spmm_trace_info_t *t)
{
    print_time(out, t, "predicted ", t->predicted_us);
    print_time(out, t, "measured ", t->measured_us);
}

void plan_text_candidate(FILE *out, const spmm_trace_info_t *t, spmm_dtype_t dtype)
{
    fprintf(out, "%s/%s", spmm_family_name(t->family), spmm_schedule_name(t->schedule));
    if ((int)t->compute != (int)dtype)
        fprintf(out, " in %s", spmm_compute_name(t->compute));
}

static void print_decision(FILE *out, const spmm_trace_info_t *t, spmm_dtype_t dtype)
{
    plan_text_candidate(out, t, dtype);
    fprintf(out, ": %s", t->reason);
    print_times(out, t);
    fputc('\n', out);
}

/* Prints "variants 0, 2: ", the variants with the same decision as entry i, unless these are all variants. */
static void print_holders(FILE *out, const spmm_plan_t *plan, const spmm_plan_info_t *info, int i,
                          const spmm_trace_info_t *t)
{
    spmm_trace_info_t other;
    int count = 0;
    for (int k = i; k < info->trace_count; k++)
        count += winner_at(plan, k, &other) && is_same_decision(&other, t);
    if (count >= info->variant_count)
        return;
    const char *before = count > 1 ? "variants " : "variant ";
    for (int k = i; k < info->trace_count; k++) {
        if (!winner_at(plan, k, &other) || !is_same_decision(&other, t))
            continue;
        fprintf(out, "%s%d", before, other.variant);
        before = ", ";
    }
    fputs(": ", out);
}

/* Prints each decision once, even if it holds for several variants. */
static void print_winners(FILE *out, const spmm_plan_t *plan, const spmm_plan_info_t *info)
{
    const char *name = "choice";
    for (int i = 0; i < info->trace_count; i++) {
        spmm_trace_info_t t, earlier;
        bool is_told = !winner_at(plan, i, &t);
        for (int k = 0; k < i && !is_told; k++)
            is_told = winner_at(plan, k, &earlier) && is_same_decision(&earlier, &t);
        if (is_told)
            continue;
        label(out, name);
        name = "";
        print_holders(out, plan, info, i, &t);
        print_decision(out, &t, info->a_type);
    }
}

void plan_text_trace(FILE *out, const spmm_plan_t *plan, const spmm_plan_info_t *info, bool all)
{
    if (!all) {
        print_winners(out, plan, info);
        return;
    }
    for (int i = 0; i < info->trace_count; i++) {
        spmm_trace_info_t t = {.struct_size = sizeof t};
        if (spmm_plan_trace(plan, i, &t) != SPMM_OK)
            continue;
        label(out, i == 0 ? "choice" : "");
        fprintf(out, "variant %d: %s ", t.variant, t.chosen ? "chosen " : "refused");
        print_decision(out, &t, info->a_type);
    }
}

void plan_text_section_head(FILE *out)
{
    fprintf(out, "\nSections\n  %-24s %12s %14s %14s %7s\n", "name", "offset", "bytes stored", "bytes raw",
            "ratio");
}

const char *plan_section_text(char text[PLAN_SECTION_BYTES], const spmm_section_info_t *s)
{
    if (s->part >= 0)
        snprintf(text, PLAN_SECTION_BYTES, "%.23s of part %d", s->name, s->part);
    else
        snprintf(text, PLAN_SECTION_BYTES, "%.23s", s->name);
    return text;
}

void plan_text_section(FILE *out, const spmm_section_info_t *s)
{
    char name[PLAN_SECTION_BYTES];
    (void)plan_section_text(name, s);
    fprintf(out, "  %-24s %12llu %14llu %14llu", name, (unsigned long long)s->offset,
            (unsigned long long)s->stored_bytes, (unsigned long long)s->raw_bytes);
    if (s->raw_bytes > 0)
        fprintf(out, " %7.3f", (double)s->stored_bytes / (double)s->raw_bytes);
    fputc('\n', out);
}

void plan_text_sections(FILE *out, const spmm_plan_t *plan, const spmm_plan_info_t *info)
{
    if (info->section_count == 0)
        return;
    plan_text_section_head(out);
    for (int i = 0; i < info->section_count; i++) {
        spmm_section_info_t s = {.struct_size = sizeof s};
        if (spmm_plan_section(plan, i, &s) == SPMM_OK)
            plan_text_section(out, &s);
    }
}
