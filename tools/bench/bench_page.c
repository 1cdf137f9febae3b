/* SPDX-License-Identifier: Apache-2.0 */
/* See bench_page.h. Cases are collected in memory, because the text in front of them is known only at the
 * end. */
#include "bench_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli/fail.h"
#include "tools/cli/print_text.h"

spmm_status_t bench_page_open(struct bench_page *page, const char *path, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    if (path == NULL)
        return SPMM_OK;
    TRY(output_file_open(&page->file, path, diag));
    page->cases = open_memstream(&page->text, &page->size);
    if (page->cases == NULL)
        status = fail_memory(diag, BUFSIZ, "the page");
    if (status == SPMM_OK)
        TRY(html_open(&page->html, page->cases, diag));
cleanup:
    page->is_open = true; /* so that bench_page_close removes the file after a failure */
    return status;
}

/* ---- A case ---- */

/* The common scale of the bars of a case. */
struct scale {
    const struct bench_case *done;
    double longest; /* longest bar, in ms */
    double chosen;  /* time of the plan's choice, in ms; 0 if it has none */
};

static bool is_shown_peer(const struct bench_case *done, int peer)
{
    return bench_is_best(done, peer, 1);
}

static struct scale scale_of(const struct bench_case *done)
{
    struct scale s = {.done = done, .longest = 1e-3 * done->bound_us};
    for (int i = 0; i < done->ours_count; i++)
        if (done->ours[i].is_chosen && bench_is_valid(&done->ours[i].result)) {
            s.chosen = done->ours[i].result.ms_cold;
            s.longest = fmax(s.longest, s.chosen);
        }
    for (int i = 0; i < done->peers_count; i++)
        if (is_shown_peer(done, i))
            s.longest = fmax(s.longest, done->peers[i].ms_cold);
    return s;
}

/* Writes the text below the bar. */
static void write_note(struct html *h, const struct scale *s, const struct bench_result *result)
{
    html_markup(h, "<small>");
    if (result->status != SPMM_OK) {
        html_text(h, "failed: ");
        html_name(h, result->note);
    } else if (!bench_is_valid(result)) {
        html_text(h, "WRONG: the error is %.3g times its bound", result->error_ratio);
    } else {
        html_text(h, "%.4g GFLOP/s, error %.2g of its bound", bench_gflops(s->done, result->ms_cold),
                  result->error_ratio);
        if (s->done->bound_us > 0)
            html_text(h, "; bound / cold %.2f", bench_bound_share(s->done, result));
        if (s->chosen > 0 && result->ms_cold != s->chosen)
            html_text(h, "; %.3g times the chosen time", result->ms_cold / s->chosen);
    }
    html_markup(h, "</small>");
}

static void write_result(struct html *h, const struct scale *s, const struct bench_result *result,
                         enum html_bar kind)
{
    const bool has_time = result->status == SPMM_OK;
    const bool is_chosen = kind == HTML_BAR_CHOSEN;
    html_markup(h, is_chosen ? "<tr class=\"chosen\"><th scope=\"row\"><b>" : "<tr><th scope=\"row\"><b>");
    html_name(h, result->name);
    html_markup(h, is_chosen ? "</b> chosen" : "</b>");
    if (has_time)
        html_bar(h, kind, result->ms_cold / s->longest, 1e-3 * s->done->bound_us / s->longest);
    write_note(h, s, result);
    html_markup(h, "</th>");
    html_number_cell(h, has_time ? 1e3 * result->ms_cold : 0);
    html_number_cell(h, has_time ? 1e3 * result->ms_warm : 0);
    html_markup(h, "</tr>\n");
}

static void begin_table(struct html *h, const char *caption)
{
    static const char *const headers[] = {"kernel", "cold us", "warm us"};
    html_table_begin(h, HTML_TABLE_TALL, caption, headers, 3);
}

static void write_case_name(struct html *h, const struct bench_case *done)
{
    html_markup(h, "<h3>");
    html_text(h, "n = %lld, %s-major, op %s, %s%s", (long long)done->n,
              done->layout == SPMM_ROW_MAJOR ? "row" : "column", spmm_op_name(done->op),
              spmm_dtype_name(done->dtype), done->has_unit_values ? " ones" : "");
    if (done->b_type != done->dtype || done->c_type != done->dtype)
        html_text(h, ", B %s, C %s", spmm_dtype_name(done->b_type), spmm_dtype_name(done->c_type));
    html_markup(h, "</h3>\n");
}

static void write_compared(struct html *h, const struct scale *s)
{
    const struct bench_case *done = s->done;
    char caption[120] = "Time of a product";
    if (done->bound_us > 0)
        snprintf(caption, sizeof caption, "Time of a product; the mark is the bound, %.4g us",
                 done->bound_us);
    write_case_name(h, done);
    begin_table(h, caption);
    for (int i = 0; i < done->ours_count; i++)
        if (done->ours[i].is_chosen)
            write_result(h, s, &done->ours[i].result, HTML_BAR_CHOSEN);
    for (int i = 0; i < done->peers_count; i++)
        if (is_shown_peer(done, i))
            write_result(h, s, &done->peers[i], HTML_BAR_OTHER);
    html_table_end(h);
}

static void write_others(struct html *h, const struct scale *s)
{
    const struct bench_case *done = s->done;
    int count = 0;
    for (int i = 0; i < done->ours_count; i++)
        count += !done->ours[i].is_chosen;
    for (int i = 0; i < done->peers_count; i++)
        count += !is_shown_peer(done, i);
    if (count == 0)
        return;
    html_markup(h, "<details><summary>");
    html_text(h, "%d more that %s measured", count, count == 1 ? "was" : "were");
    html_markup(h, "</summary>\n");
    begin_table(h, "Bars on the same scale; longer ones are cut");
    for (int i = 0; i < done->ours_count; i++)
        if (!done->ours[i].is_chosen)
            write_result(h, s, &done->ours[i].result, HTML_BAR_PLAIN);
    for (int i = 0; i < done->peers_count; i++)
        if (!is_shown_peer(done, i))
            write_result(h, s, &done->peers[i], HTML_BAR_OTHER);
    html_table_end(h);
    html_markup(h, "</details>\n");
}

/* Starts a section if the case has another matrix than the previous case. */
static void begin_matrix(struct bench_page *page, const struct bench_case *done)
{
    struct html *h = &page->html;
    char rows[PRINT_UNITS_BYTES], cols[PRINT_UNITS_BYTES], nnz[PRINT_UNITS_BYTES];
    if (page->case_count > 0 && strcmp(page->matrix, done->matrix) == 0)
        return;
    if (page->case_count > 0)
        html_section_end(h);
    snprintf(page->matrix, sizeof page->matrix, "%s", done->matrix);
    html_section_begin(h, done->matrix);
    html_markup(h, "<p class=\"note\">");
    html_text(h, "%s x %s, %s", print_count(rows, done->rows), print_count(cols, done->cols),
              print_plural(nnz, done->nnz, "nonzero"));
    html_markup(h, "</p>\n");
}

void bench_page_case(struct bench_page *page, const struct bench_case *done)
{
    if (!page->is_open)
        return;
    const struct scale s = scale_of(done);
    begin_matrix(page, done);
    snprintf(page->device, sizeof page->device, "%s", done->info->device_name);
    write_compared(&page->html, &s);
    write_others(&page->html, &s);
    page->case_count++;
    page->has_bound |= done->bound_us > 0;
    for (int i = 0; i < done->ours_count; i++)
        page->wrong_count += !bench_is_valid(&done->ours[i].result);
}

void bench_page_left_out(struct bench_page *page)
{
    page->left_out_count++;
}

/* ---- The whole ---- */

static void write_mean(void *context, const struct summary_line *line)
{
    struct html *h = context;
    char cases[PRINT_UNITS_BYTES], n[32];
    snprintf(n, sizeof n, "n = %s", line->n);
    html_markup(h, "<tr><th scope=\"row\">");
    if (strcmp(line->dtype, "all") == 0)
        html_text(h, "all");
    else
        html_text(h, "%s, %s-major, op %s, %s", line->dtype,
                  strcmp(line->layout, "row") == 0 ? "row" : "column", line->op,
                  strcmp(line->n, "all") == 0 ? "all n" : n);
    html_markup(h, "<small>");
    html_text(h, "%s, %zu with a faster peer; the least cold ratio is %.3g",
              print_plural(cases, (int64_t)line->cases, "case"), line->below_one, line->minimum);
    html_markup(h, "</small></th>");
    html_number_cell(h, line->cold);
    html_number_cell(h, line->warm);
    html_markup(h, "</tr>\n");
}

static void write_summary(struct html *h, struct bench_summary *summary)
{
    static const char *const headers[] = {"cases", "cold", "warm"};
    html_section_begin(h, "The best peer's time over the time of the plan's choice");
    if (summary->count == 0) {
        html_markup(h, "<p>");
        html_text(h, "No case has a peer to compare with.");
        html_markup(h, "</p>\n");
    } else {
        html_table_begin(h, HTML_TABLE_TALL, "Geometric means; above 1 the plan's choice is faster", headers,
                         3);
        bench_summary_each(summary, write_mean, h);
        html_table_end(h);
    }
    html_section_end(h);
}

static void write_machine(struct html *h, const struct bench_page *page, const struct csv_origin *origin)
{
    html_section_begin(h, "The run");
    html_tiles_begin(h);
    html_tile(h, "device", "%s", page->device[0] != '\0' ? page->device : "none");
    html_tile(h, "commit", "%s", origin->commit);
    html_tile(h, "date", "%s", origin->date);
    html_tile(h, "cases", "%d", page->case_count);
    if (page->wrong_count > 0)
        html_tile(h, "wrong or failed products", "%d", page->wrong_count);
    if (page->left_out_count > 0)
        html_tile(h, "matrices not measured", "%d", page->left_out_count);
    html_tiles_end(h);
    html_markup(h, "<p class=\"note\">");
    html_text(h,
              "Cold: caches are flushed before each call. Warm: calls follow each other. Blue is the plan's "
              "choice, orange another library.%s",
              page->has_bound
                  ? " The bound: A, B and C are moved once at the rate of a copy, or every value of B that "
                    "is read comes from the L2 cache, and a launch begins."
                  : "");
    html_markup(h, "</p>\n");
    html_section_end(h);
}

struct whole {
    const struct bench_page *page;
    const struct csv_origin *origin;
    struct bench_summary *summary;
};

static spmm_status_t write_page(FILE *out, const struct whole *whole, spmm_diag_t *diag)
{
    struct html h;
    const spmm_status_t status = html_open(&h, out, diag);
    if (status != SPMM_OK)
        return status;
    html_page_begin(&h, "spmm-bench", "Products of sparse matrices, measured beside other libraries");
    write_machine(&h, whole->page, whole->origin);
    write_summary(&h, whole->summary);
    fwrite(whole->page->text, 1, whole->page->size, out);
    html_page_end(&h);
    html_close(&h);
    return SPMM_OK;
}

/* Makes the page in memory and writes it to the file. */
static spmm_status_t write_file(struct bench_page *page, const struct whole *whole, spmm_diag_t *diag)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    spmm_status_t status = out == NULL ? fail_memory(diag, BUFSIZ, "the page") : write_page(out, whole, diag);
    if (out != NULL && fclose(out) != 0 && status == SPMM_OK)
        status = fail_memory(diag, size, "the page");
    if (status == SPMM_OK)
        status = output_file_write(&page->file, text, size);
    free(text);
    return status;
}

spmm_status_t bench_page_close(struct bench_page *page, const struct csv_origin *origin,
                               struct bench_summary *summary, spmm_status_t status, spmm_diag_t *diag)
{
    if (!page->is_open)
        return status;
    if (page->case_count > 0)
        html_section_end(&page->html);
    html_close(&page->html);
    if (page->cases != NULL && fclose(page->cases) != 0 && status == SPMM_OK)
        status = fail_memory(diag, page->size, "the page");
    if (status == SPMM_OK)
        status = write_file(page, &(struct whole){page, origin, summary}, diag);
    status = output_file_close(&page->file, status);
    free(page->text);
    *page = (struct bench_page){0};
    return status;
}
