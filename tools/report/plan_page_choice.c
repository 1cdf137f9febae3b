/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_page.h: the section about the choice, with reasons and with predicted or measured times. */
#include <stdbool.h>

#include "plan_page.h"
#include "plan_report.h"
#include "tools/cli/print_text.h"

/* Finds the trace entry that has the time of a variant: the first chosen one. */
static bool winner_of(const struct plan_page *page, int variant, spmm_trace_info_t *t)
{
    t->struct_size = sizeof *t;
    for (int i = 0; spmm_plan_trace(page->plan, i, t) == SPMM_OK; i++)
        if (t->variant == variant && t->chosen)
            return true;
    return false;
}

static double time_of(const spmm_trace_info_t *t)
{
    return t->measured_us > 0 ? t->measured_us : t->predicted_us;
}

/* Returns the longest time. CPU and GPU variants are drawn to different scales. */
static double longest_of(const struct plan_page *page, bool is_cpu)
{
    double longest = 0;
    for (int i = 0; i < page->info->variant_count; i++) {
        spmm_variant_info_t v = {.struct_size = sizeof v};
        spmm_trace_info_t t;
        if (spmm_plan_variant(page->plan, i, &v) == SPMM_OK && (v.target == 1) == is_cpu &&
            winner_of(page, i, &t))
            longest = time_of(&t) > longest ? time_of(&t) : longest;
    }
    return longest;
}

static bool has_measured(const struct plan_page *page)
{
    spmm_trace_info_t t = {.struct_size = sizeof t};
    for (int i = 0; spmm_plan_trace(page->plan, i, &t) == SPMM_OK; i++)
        if (t.measured_us > 0)
            return true;
    return false;
}

/* Writes the times. A plan without measured times has no column for them. */
static void write_times(struct html *h, const struct plan_page *page, const spmm_trace_info_t *t)
{
    html_number_cell(h, t->predicted_us);
    if (has_measured(page))
        html_number_cell(h, t->measured_us);
}

static void begin_table(struct html *h, const struct plan_page *page, const char *caption, const char *first)
{
    const char *const headers[] = {first, "predicted us", "measured us"};
    html_table_begin(h, HTML_TABLE_TALL, caption, headers, has_measured(page) ? 3 : 2);
}

/* Writes a row of the table: the scope of a variant, its parts, the reason, the times. */
static void write_variant(struct html *h, const struct plan_page *page, int index)
{
    spmm_variant_info_t v = {.struct_size = sizeof v};
    spmm_trace_info_t t;
    if (spmm_plan_variant(page->plan, index, &v) != SPMM_OK)
        return;
    const bool has_winner = winner_of(page, index, &t);
    const double longest = longest_of(page, v.target == 1);
    html_markup(h, "<tr><th scope=\"row\"><b>");
    plan_text_scope(h->text, &v);
    html_markup(h, "</b>");
    if (has_winner && longest > 0)
        html_bar(h, HTML_BAR_CHOSEN, time_of(&t) / longest, 0);
    plan_text_parts(h->text, page->plan, &v);
    html_markup(h, "<small>");
    if (has_winner)
        html_text(h, "%s", t.reason);
    html_markup(h, "</small></th>");
    write_times(h, page, has_winner ? &t : &(spmm_trace_info_t){0});
    html_markup(h, "</tr>\n");
}

static void write_variants(struct html *h, const struct plan_page *page)
{
    begin_table(h, page, "A product runs the variant that fits its op, layout, n and device", "variant");
    for (int i = 0; i < page->info->variant_count; i++)
        write_variant(h, page, i);
    html_table_end(h);
}

static void write_candidate(struct html *h, const struct plan_page *page, const spmm_trace_info_t *t,
                            double longest)
{
    html_markup(h, t->chosen ? "<tr class=\"chosen\"><th scope=\"row\"><b>" : "<tr><th scope=\"row\"><b>");
    plan_text_candidate(h->text, t, page->info->a_type);
    html_markup(h, "</b>");
    html_text(h, " %s", t->chosen ? "chosen" : "refused");
    if (time_of(t) > 0)
        html_bar(h, t->chosen ? HTML_BAR_CHOSEN : HTML_BAR_PLAIN, time_of(t) / longest, 0);
    html_markup(h, "<small>");
    html_text(h, "%s", t->reason);
    html_markup(h, "</small></th>");
    write_times(h, page, t);
    html_markup(h, "</tr>\n");
}

/* Writes the chosen candidates first, because the others are compared with them. */
static void write_candidates(struct html *h, const struct plan_page *page, int variant, double longest)
{
    spmm_trace_info_t t = {.struct_size = sizeof t};
    for (int chosen = 1; chosen >= 0; chosen--)
        for (int i = 0; spmm_plan_trace(page->plan, i, &t) == SPMM_OK; i++)
            if (t.variant == variant && t.chosen == chosen)
                write_candidate(h, page, &t, longest);
}

#define BAR_TIMES \
    4 /* bars end at this multiple of the chosen time; some candidates take a thousand times as long */

static int count_of(const struct plan_page *page, int variant)
{
    spmm_trace_info_t t = {.struct_size = sizeof t};
    int count = 0;
    for (int i = 0; spmm_plan_trace(page->plan, i, &t) == SPMM_OK; i++)
        count += t.variant == variant;
    return count;
}

static void write_trace(struct html *h, const struct plan_page *page, int index)
{
    spmm_variant_info_t v = {.struct_size = sizeof v};
    spmm_trace_info_t t;
    char candidates[PRINT_UNITS_BYTES];
    if (spmm_plan_variant(page->plan, index, &v) != SPMM_OK || !winner_of(page, index, &t))
        return;
    html_markup(h, "<details><summary>");
    html_text(h, "%s for ", print_plural(candidates, count_of(page, index), "candidate"));
    plan_text_scope(h->text, &v);
    html_markup(h, "</summary>\n");
    begin_table(h, page, "What was considered; bars end at 4 times the chosen time", "candidate");
    write_candidates(h, page, index, BAR_TIMES * time_of(&t));
    html_table_end(h);
    html_markup(h, "</details>\n");
}

void plan_page_choice(struct html *h, const struct plan_page *page)
{
    html_section_begin(h, "What runs, and why");
    write_variants(h, page);
    if (!has_measured(page))
        html_markup(
            h, "<p class=\"note\">No time was measured for this plan; spmm-inspect --tune measures.</p>\n");
    for (int i = 0; i < page->info->variant_count; i++)
        write_trace(h, page, i);
    html_section_end(h);
}
