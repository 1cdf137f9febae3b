/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_page.h: the spy plots of the matrix as it was given, and in the row orders of the parts. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "plan_page.h"
#include "spy.h"
#include "tools/cli/fail.h"
#include "tools/cli/print_text.h"

#define ORDERS_MAX 2 /* pictures of parts; more would make the page large and long */

/* The order in which a part processes the rows of op(A). */
struct order {
    spmm_op_t op;
    const uint32_t *rows;
    int64_t count;
    char caption[160];
};

/* Returns the name of a variant's permutation. The trace has it, unless the caller forced the kernel. */
static const char *kind_of(const struct plan_page *page, int variant)
{
    spmm_trace_info_t t = {.struct_size = sizeof t};
    for (int i = 0; spmm_plan_trace(page->plan, i, &t) == SPMM_OK; i++)
        if (t.variant == variant && t.chosen && t.reorder > SPMM_REORDER_NONE)
            return spmm_reorder_name(t.reorder);
    return "another";
}

static bool is_same_order(const struct order *a, const struct order *b)
{
    return a->op == b->op && a->count == b->count &&
           memcmp(a->rows, b->rows, (size_t)a->count * sizeof *a->rows) == 0;
}

/* Collects up to ORDERS_MAX different orders and returns their number. */
static int orders_of(const struct plan_page *page, struct order orders[ORDERS_MAX])
{
    int found = 0;
    for (int i = 0; i < page->info->variant_count && found < ORDERS_MAX; i++) {
        spmm_variant_info_t v = {.struct_size = sizeof v};
        spmm_part_info_t part = {.struct_size = sizeof part};
        struct order *order = &orders[found];
        if (spmm_plan_variant(page->plan, i, &v) != SPMM_OK ||
            spmm_plan_part(page->plan, v.part_first, &part) != SPMM_OK ||
            spmm_plan_part_permutation(page->plan, v.part_first, &order->rows, &order->count) != SPMM_OK)
            continue;
        order->op = v.op;
        snprintf(order->caption, sizeof order->caption,
                 "%s of A in %s order, as %s/%s takes them (variant %d)",
                 v.op == SPMM_OP_N ? "Rows" : "Columns", kind_of(page, i), spmm_family_name(part.family),
                 spmm_schedule_name(part.schedule), i);
        bool is_new = true;
        for (int k = 0; k < found; k++)
            is_new = is_new && !is_same_order(&orders[k], order);
        found += is_new;
    }
    return found;
}

/* Returns the position at which each of length rows is drawn: rows in the order of the part, then the long
 * rows that were split off. NULL if memory is short. */
static uint32_t *positions_of(const struct order *order, int64_t length)
{
    uint32_t *positions = malloc(((size_t)length + 1) * sizeof *positions);
    if (positions == NULL)
        return NULL;
    memset(positions, 0xff, (size_t)length * sizeof *positions);
    for (int64_t i = 0; i < order->count; i++)
        positions[order->rows[i]] = (uint32_t)i;
    uint32_t next = (uint32_t)order->count;
    for (int64_t i = 0; i < length; i++)
        if (positions[i] == UINT32_MAX)
            positions[i] = next++;
    return positions;
}

static spmm_status_t draw_order(struct html *h, const spmm_csr_t *a, const struct order *order,
                                spmm_diag_t *diag)
{
    const int64_t length = order->op == SPMM_OP_N ? a->rows : a->cols;
    uint32_t *positions = positions_of(order, length);
    if (positions == NULL)
        return fail_memory(diag, (uint64_t)length * sizeof *positions, "a row permutation");
    const struct spy spy = {.a = a,
                            .row_at = order->op == SPMM_OP_N ? positions : NULL,
                            .col_at = order->op == SPMM_OP_N ? NULL : positions};
    const spmm_status_t status = spy_picture(h, &spy, order->caption, diag);
    free(positions);
    return status;
}

/* Draws A and, for a plan of PAP^T, also PAP^T. Row permutation[i] of A is row i of the plan's matrix. */
static spmm_status_t draw_matrix(struct html *h, const struct plan_page *page, const spmm_csr_t *a,
                                 spmm_diag_t *diag)
{
    const uint32_t *permutation = NULL;
    int64_t count = 0;
    spmm_status_t status = spmm_plan_symmetric_permutation(page->plan, &permutation, &count);
    const struct spy given = {.a = a, .row_at = permutation, .col_at = permutation}, planned = {.a = a};
    if (status == SPMM_OK)
        status = spy_picture(h, &given, "A", diag);
    if (status == SPMM_OK && permutation != NULL)
        status =
            spy_picture(h, &planned, "PAP^T, rows and columns permuted: the plan is of this matrix", diag);
    return status;
}

spmm_status_t plan_page_spy(struct html *h, const struct plan_page *page, spmm_diag_t *diag)
{
    struct order orders[ORDERS_MAX];
    spmm_csr_t a;
    spmm_status_t status = SPMM_OK;
    html_section_begin(h, "Where the nonzeros are");
    html_markup(h, "<div class=\"pair\">\n");
    TRY(spmm_plan_csr(page->plan, &a));
    TRY(draw_matrix(h, page, &a, diag));
    const int count = a.nnz > 0 ? orders_of(page, orders) : 0;
    for (int i = 0; i < count; i++)
        TRY(draw_order(h, &a, &orders[i], diag));
    html_markup(h, "</div>\n");
    html_section_end(h);
cleanup:
    return status;
}
