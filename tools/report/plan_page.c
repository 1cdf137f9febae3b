/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_page.h: this file assembles the page and writes the numbers of the matrix, the row lengths and the
 * memory. */
#include "plan_page.h"

#include <stdbool.h>
#include <stdlib.h>

#include "plan_report.h"
#include "plan_targets.h"
#include "tools/cli/fail.h"
#include "tools/cli/print_text.h"

static void write_about(struct html *h, const struct plan_page *page)
{
    const spmm_plan_info_t *info = page->info;
    char about[200], types[PLAN_TYPES_BYTES];
    plan_types_text(page->plan, types);
    snprintf(about, sizeof about, "Plan of a sparse matrix: %s, %s, format %u.%u%s%s", types,
             info->has_values ? "with values" : "pattern only", info->format_major, info->format_minor,
             info->writer[0] != '\0' ? ", made by " : "", info->writer);
    html_page_begin(h, info->source[0] != '\0' ? info->source : "(no name)", about);
}

static void write_matrix(struct html *h, const struct plan_page *page, const spmm_matrix_stats_t *stats)
{
    const spmm_plan_info_t *info = page->info;
    char a[PRINT_UNITS_BYTES], b[PRINT_UNITS_BYTES];
    html_section_begin(h, "The matrix");
    html_tiles_begin(h);
    html_tile(h, "rows x columns", "%s x %s", print_count(a, info->rows), print_count(b, info->cols));
    html_tile(h, "nonzeros", "%s", print_count(a, info->nnz));
    html_tile(h, "nonzeros a row", "%.5g", stats->row_mean);
    html_tile(h, "standard deviation", "%.5g", stats->row_stddev);
    html_tile(h, "longest row", "%s", print_count(a, stats->row_max));
    html_tile(h, "empty rows, columns", "%s, %s", print_count(a, stats->rows_empty),
              print_count(b, stats->cols_empty));
    html_tile(h, "band below, above", "%s, %s", print_count(a, stats->band_lower),
              print_count(b, stats->band_upper));
    html_tile(h, "plan file (of CSR)", "%s (%.3f)", print_bytes(a, info->file_bytes),
              (double)info->file_bytes / (double)info->csr_bytes);
    html_tiles_end(h);
    html_section_end(h);
}

static void write_size(struct html *h, uint64_t bytes)
{
    char size[PRINT_UNITS_BYTES];
    html_markup(h, "<td>");
    html_text(h, "%s", print_bytes(size, bytes));
    html_markup(h, "</td>");
}

static void write_row_lengths(struct html *h, const spmm_matrix_stats_t *stats)
{
    static const char *const headers[] = {"nonzeros", "", "rows"};
    const struct plan_bins bins = plan_row_bins(stats);
    html_section_begin(h, "Row lengths");
    html_table_begin(h, HTML_TABLE_FLAT, "How many rows have so many nonzeros", headers, 3);
    for (int bin = bins.first; bin <= bins.last; bin++) {
        char range[PLAN_BIN_BYTES], count[PRINT_UNITS_BYTES];
        const int64_t rows = stats->row_histogram[bin];
        html_flat_row(h, plan_bin_text(range, bin), (double)rows / (double)bins.most, HTML_BAR_CHOSEN);
        html_markup(h, "<td>");
        html_text(h, "%s", print_count(count, rows));
        html_markup(h, "</td></tr>\n");
    }
    html_table_end(h);
    html_section_end(h);
}

#define N_SHOWN 64 /* n for which the sizes of B and C are listed */

/* Lists the arrays that a product needs on any device. */
static void write_arrays(struct html *h, const spmm_plan_info_t *info)
{
    static const char *const headers[] = {"array", "", "size"};
    const struct {
        const char *name;
        uint64_t bytes;
    } arrays[] = {{"plan file", info->file_bytes},
                  {"A as CSR", info->csr_bytes},
                  {"B, n = 64", (uint64_t)info->cols * N_SHOWN * spmm_dtype_size(info->b_type)},
                  {"C, n = 64", (uint64_t)info->rows * N_SHOWN * spmm_dtype_size(info->c_type)}};
    const size_t count = sizeof arrays / sizeof *arrays;
    uint64_t most = 1;
    for (size_t i = 0; i < count; i++)
        most = arrays[i].bytes > most ? arrays[i].bytes : most;
    html_table_begin(h, HTML_TABLE_FLAT, "The plan beside the arrays of a product with n = 64", headers, 3);
    for (size_t i = 0; i < count; i++) {
        html_flat_row(h, arrays[i].name, (double)arrays[i].bytes / (double)most, HTML_BAR_CHOSEN);
        write_size(h, arrays[i].bytes);
        html_markup(h, "</tr>\n");
    }
    html_table_end(h);
}

static void write_sections(struct html *h, const struct plan_page *page)
{
    static const char *const headers[] = {"section", "", "stored", "raw"};
    html_markup(h, "<details><summary>Sections of the file</summary>\n");
    html_table_begin(h, HTML_TABLE_FLAT,
                     "Bytes in the file and decompressed; the bar is the share of the file", headers, 4);
    for (int i = 0; i < page->info->section_count; i++) {
        spmm_section_info_t s = {.struct_size = sizeof s};
        char name[PLAN_SECTION_BYTES];
        if (spmm_plan_section(page->plan, i, &s) != SPMM_OK)
            continue;
        html_flat_row(h, plan_section_text(name, &s), (double)s.stored_bytes / (double)page->info->file_bytes,
                      HTML_BAR_PLAIN);
        write_size(h, s.stored_bytes);
        write_size(h, s.raw_bytes);
        html_markup(h, "</tr>\n");
    }
    html_table_end(h);
    html_markup(h, "</details>\n");
}

static void write_memory(struct html *h, const struct plan_page *page)
{
    html_section_begin(h, "Memory");
    write_arrays(h, page->info);
    if (page->info->section_count > 0)
        write_sections(h, page);
    html_section_end(h);
}

spmm_status_t plan_page_write(FILE *out, const struct plan_page *page, spmm_diag_t *diag)
{
    struct html h;
    const spmm_matrix_stats_t stats = plan_matrix_stats(page->plan);
    spmm_status_t status = html_open(&h, out, diag);
    if (status != SPMM_OK)
        return status;
    write_about(&h, page);
    write_matrix(&h, page, &stats);
    status = plan_page_spy(&h, page, diag);
    if (status == SPMM_OK) {
        write_row_lengths(&h, &stats);
        plan_page_choice(&h, page);
        status = plan_page_roofline(&h, page, diag);
    }
    if (status == SPMM_OK) {
        write_memory(&h, page);
        html_page_end(&h);
    }
    html_close(&h);
    return status;
}

spmm_status_t plan_page_print(FILE *out, const struct plan_page *page, spmm_diag_t *diag)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    spmm_status_t status =
        memory == NULL ? fail_memory(diag, 0, "the page") : plan_page_write(memory, page, diag);
    if (memory != NULL && fclose(memory) != 0 && status == SPMM_OK)
        status = fail_memory(diag, size, "the page");
    if (status == SPMM_OK && out != NULL)
        (void)fwrite(text, 1, size, out);
    free(text);
    return status;
}
