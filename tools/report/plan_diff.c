/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_diff.h. Both plans are written again for the comparison of sections, so the compression levels of
 * their files do not matter. */
#include "plan_diff.h"

#include <spmm/metadata.h>
#include <stdlib.h>
#include <string.h>

#include "plan_report.h"
#include "plan_targets.h"
#include "tools/cli/fail.h"
#include "tools/cli/print_text.h"

/* One of the two plans. */
struct side {
    const spmm_plan_t *plan;
    spmm_plan_info_t info;
    spmm_plan_t *written; /* read back from bytes, so it knows section offsets; owned, as are the next two */
    void *bytes;
    char *variants; /* the variants as text */
};

struct diff {
    FILE *out; /* may be NULL */
    struct side a, b;
    int differs;
};

static void begin(struct diff *d, const char *label)
{
    d->differs = 1;
    if (d->out != NULL)
        fprintf(d->out, "%-*s", PLAN_REPORT_LABEL, label);
}

/* Prints "label: a | b" or "label: KEY: a | b" if the texts differ. */
static void compare_texts_of(struct diff *d, const char *label, const char *key, const char *a, const char *b)
{
    if (strcmp(a, b) == 0)
        return;
    begin(d, label);
    if (d->out == NULL)
        return;
    if (key != NULL)
        fprintf(d->out, "%s: ", key);
    print_escaped(d->out, a);
    fputs(" | ", d->out);
    print_escaped(d->out, b);
    fputc('\n', d->out);
}

static void compare_texts(struct diff *d, const char *label, const char *a, const char *b)
{
    compare_texts_of(d, label, NULL, a, b);
}

/* Prints a sentence about a plan and a matrix as a sentence about two plans: the matrix is the one of the
 * second plan. */
static void print_of_plans(FILE *out, const char *text)
{
    static const char of_plan[] = " in the plan", of_matrix[] = " in the matrix";
    const char *const first = strstr(text, of_plan);
    const char *const second = first != NULL ? strstr(first, of_matrix) : NULL;
    if (second == NULL) {
        fprintf(out, "%s\n", text);
        return;
    }
    const char *const between = first + strlen(of_plan);
    fprintf(out, "%.*s in the first plan%.*s in the second%s\n", (int)(first - text), text,
            (int)(second - between), between, second + strlen(of_matrix));
}

/* Prints the first difference between the two matrices. */
static void print_first(struct diff *d, int with_values)
{
    spmm_csr_t csr;
    spmm_diag_t diag = {0};
    if (d->out == NULL || spmm_plan_csr(d->b.plan, &csr) != SPMM_OK)
        return;
    if (spmm_plan_matches(d->a.plan, &csr, with_values, &diag) == SPMM_OK)
        fputs("only NaNs have other bits\n", d->out);
    else
        print_of_plans(d->out, diag.text);
}

static const char *stored_text(const spmm_plan_info_t *info)
{
    return info->has_values ? "stored" : "not stored";
}

static void size_text(const spmm_plan_info_t *info, char *text, size_t size)
{
    char counts[3][PRINT_UNITS_BYTES];
    snprintf(text, size, "%s x %s, %s nonzeros", print_count(counts[0], info->rows),
             print_count(counts[1], info->cols), print_count(counts[2], info->nnz));
}

static void compare_sizes(struct diff *d)
{
    char a[4 * PRINT_UNITS_BYTES], b[sizeof a];
    size_text(&d->a.info, a, sizeof a);
    size_text(&d->b.info, b, sizeof b);
    compare_texts(d, "matrix", a, b);
}

static void compare_matrices(struct diff *d)
{
    const spmm_plan_info_t *a = &d->a.info, *b = &d->b.info;
    char a_types[PLAN_TYPES_BYTES], b_types[PLAN_TYPES_BYTES];
    const int is_same = memcmp(a->pattern_digest, b->pattern_digest, sizeof a->pattern_digest) == 0;
    if (a->rows != b->rows || a->cols != b->cols || a->nnz != b->nnz)
        compare_sizes(d);
    else if (!is_same) {
        begin(d, "matrix");
        print_first(d, 0);
    }
    plan_types_text(d->a.plan, a_types);
    plan_types_text(d->b.plan, b_types);
    compare_texts(d, "type", a_types, b_types);
    compare_texts(d, "values", stored_text(a), stored_text(b));
    if (is_same && a->has_values && b->has_values && a->a_type == b->a_type &&
        memcmp(a->values_digest, b->values_digest, sizeof a->values_digest) != 0) {
        begin(d, "values");
        print_first(d, 1);
    }
    compare_texts(d, "source", a->source, b->source);
    compare_texts(d, "made by", a->writer, b->writer);
}

/* Compares the pairs of metadata, which are sorted by key in both plans. A pair that one plan lacks counts as
 * empty. */
static void compare_metadata(struct diff *d)
{
    spmm_metadata_t a, b;
    for (int i = 0, j = 0;;) {
        const int has_a = spmm_plan_metadata(d->a.plan, i, &a) == SPMM_OK;
        const int has_b = spmm_plan_metadata(d->b.plan, j, &b) == SPMM_OK;
        if (!has_a && !has_b)
            return;
        const int order = !has_a ? 1 : !has_b ? -1 : strcmp(a.key, b.key);
        compare_texts_of(d, "metadata", order <= 0 ? a.key : b.key, order <= 0 ? a.value : "",
                         order >= 0 ? b.value : "");
        i += order <= 0;
        j += order >= 0;
    }
}

static void compare_targets(struct diff *d)
{
    char a[PLAN_TARGETS_BYTES], b[PLAN_TARGETS_BYTES];
    plan_targets_text(d->a.plan, a);
    plan_targets_text(d->b.plan, b);
    compare_texts(d, "targets", a, b);
}

/* Compares line by line. If one text ends, the rest of the other is compared with empty lines. */
static void compare_variants(struct diff *d)
{
    const char *a = d->a.variants, *b = d->b.variants;
    while (*a != '\0' || *b != '\0') {
        const size_t a_bytes = strcspn(a, "\n"), b_bytes = strcspn(b, "\n");
        if (a_bytes != b_bytes || memcmp(a, b, a_bytes) != 0) {
            d->differs = 1;
            if (d->out != NULL && a_bytes > 0)
                fprintf(d->out, "< %.*s\n", (int)a_bytes, a);
            if (d->out != NULL && b_bytes > 0)
                fprintf(d->out, "> %.*s\n", (int)b_bytes, b);
        }
        a += a_bytes + (a[a_bytes] != '\0');
        b += b_bytes + (b[b_bytes] != '\0');
    }
}

static int find_section(const struct side *side, const spmm_section_info_t *wanted,
                        spmm_section_info_t *found)
{
    found->struct_size = sizeof *found;
    for (int i = 0; spmm_plan_section(side->written, i, found) == SPMM_OK; i++)
        if (found->type == wanted->type && found->part == wanted->part)
            return 1;
    return 0;
}

static void name_section(struct diff *d, const spmm_section_info_t *s, const char *what)
{
    begin(d, "section");
    if (d->out != NULL && s->part >= 0)
        fprintf(d->out, "%s of part %d: %s\n", s->name, s->part, what);
    else if (d->out != NULL)
        fprintf(d->out, "%s: %s\n", s->name, what);
}

static void compare_sections(struct diff *d)
{
    spmm_section_info_t s = {.struct_size = sizeof s}, t;
    for (int i = 0; spmm_plan_section(d->a.written, i, &s) == SPMM_OK; i++) {
        if (!find_section(&d->b, &s, &t))
            name_section(d, &s, "in the first plan only");
        else if (s.stored_bytes != t.stored_bytes ||
                 memcmp((char *)d->a.bytes + s.offset, (char *)d->b.bytes + t.offset, s.stored_bytes) != 0)
            name_section(d, &s, "differs");
    }
    for (int i = 0; spmm_plan_section(d->b.written, i, &s) == SPMM_OK; i++)
        if (!find_section(&d->a, &s, &t))
            name_section(d, &s, "in the second plan only");
}

static spmm_status_t open_side(struct side *side, const spmm_plan_t *plan, spmm_diag_t *diag)
{
    size_t size = 0;
    /* The plan already fits in memory, so --budget must not refuse it here. */
    const spmm_load_options_t load = {.struct_size = sizeof load, .budget_bytes = UINT64_MAX};
    *side = (struct side){.plan = plan, .info = {.struct_size = sizeof side->info}};
    FILE *text = open_memstream(&side->variants, &size);
    spmm_status_t status = spmm_plan_info(plan, &side->info);
    if (text == NULL)
        return fail_memory(diag, 0, "the text of the variants");
    plan_text_variants(text, plan, &side->info);
    if (fclose(text) != 0)
        return fail_memory(diag, size, "the text of the variants");
    if (status == SPMM_OK)
        status = spmm_plan_write(plan, NULL, &side->bytes, &size, diag);
    return status == SPMM_OK ? spmm_plan_read(side->bytes, size, &load, &side->written, diag) : status;
}

static void close_side(struct side *side)
{
    spmm_plan_destroy(side->written);
    spmm_plan_bytes_free(side->bytes);
    free(side->variants);
}

spmm_status_t plan_diff(FILE *out, const spmm_plan_t *a, const spmm_plan_t *b, int *differs,
                        spmm_diag_t *diag)
{
    struct diff d = {.out = out};
    spmm_status_t status = open_side(&d.a, a, diag);
    if (status == SPMM_OK)
        status = open_side(&d.b, b, diag);
    if (status == SPMM_OK) {
        compare_matrices(&d);
        compare_metadata(&d);
        compare_targets(&d);
        compare_variants(&d);
        compare_sections(&d);
    }
    close_side(&d.a);
    close_side(&d.b);
    *differs = d.differs;
    return status;
}
