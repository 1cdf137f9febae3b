/* SPDX-License-Identifier: Apache-2.0 */
/* Laws of the units of a sparse product. Each row is in one unit, or its entries are in consecutive pieces.
 * Units of whole rows have about equal cost. The memory is what the budget was checked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "executor/spgemm/spgemm_stage.h"
#include "format/base/diag.h"
#include "tests/support/matrices.h"

enum { ROWS = 300, INNER = 200, LENGTH = 40, TURNS = 120 };
#define COLUMNS 12000

/* Row pointers and columns of a left factor. Of a right factor and of C only the lengths of rows matter. */
static struct {
    int64_t left[ROWS + 1], right[INNER + 1], c[ROWS + 1], products[ROWS];
    int32_t left_columns[ROWS * LENGTH];
    uint64_t all; /* number of products */
} scene;

static int64_t length_of_right(int64_t k)
{
    return scene.right[k + 1] - scene.right[k];
}

/* Makes rows of the right factor with up to 3, 400 or 12,000 entries, so that units have few products or
 * many. */
static struct spmmi_spgemm_stage scene_make(uint64_t turn)
{
    static const uint64_t lengths[] = {3, 400, COLUMNS};
    const int64_t rows = turn % 10 == 0 ? (int64_t)(turn / 10) : ROWS;
    scene.all = 0;
    for (int64_t k = 0; k < INNER; k++)
        scene.right[k + 1] =
            scene.right[k] + (int64_t)(test_hash(turn, (uint64_t)k) % (lengths[turn % 3] + 1));
    for (int64_t i = 0; i < rows; i++) {
        const uint64_t random = test_hash(turn + TURNS, (uint64_t)i);
        const int64_t first = scene.left[i], end = first + (int64_t)(random % (LENGTH + 1));
        scene.products[i] = 0;
        for (int64_t p = first; p < end; p++) {
            scene.left_columns[p] = (int32_t)(test_hash(random, (uint64_t)p) % INNER);
            scene.products[i] += length_of_right(scene.left_columns[p]);
        }
        scene.left[i + 1] = end;
        scene.c[i + 1] = scene.c[i] + (int64_t)(random / 64 % 50 * (uint64_t)scene.products[i] / 100);
        scene.all += (uint64_t)scene.products[i];
    }
    return (struct spmmi_spgemm_stage){.task = {.left = {rows, INNER, scene.left, scene.left_columns},
                                                .right = {INNER, COLUMNS, scene.right, NULL}},
                                       .c = {rows, COLUMNS, scene.c, NULL},
                                       .row_products = turn % 2 == 0 ? scene.products : NULL};
}

/* Checks the pieces of row i, whose first unit is u, and returns their number. Each piece ends at the first
 * entry with which it has `piece` products or more; the last one may have fewer. */
static int64_t check_pieces(const struct spmmi_spgemm_stage *s, int64_t u, int64_t i, int64_t piece,
                            const struct spmmi_spgemm_cut *cut)
{
    const int64_t entries = scene.c[i + 1] - scene.c[i];
    int64_t first = scene.left[i], count = 0;
    assert_int_equal(cut->row, i);
    while (first < scene.left[i + 1]) {
        const struct spmmi_spgemm_unit *const unit = &s->units[u + count];
        int64_t products = 0, before = 0;
        assert_true(u + count < s->unit_count);
        assert_int_equal(unit->row, i);
        assert_int_equal(unit->row_end, i + 1);
        assert_int_equal(unit->first, first);
        assert_in_range(unit->end, first + 1, scene.left[i + 1]);
        assert_int_equal(unit->partial, cut->partial + count * entries);
        for (int64_t p = first; p < unit->end; p++) {
            before = products;
            products += length_of_right(scene.left_columns[p]);
        }
        assert_true(before < piece && (products >= piece || unit->end == scene.left[i + 1]));
        first = unit->end;
        count++;
    }
    assert_int_equal(cut->pieces, count);
    return count;
}

/* Checks a unit of whole rows that begins with row i, and returns its cost. Without its last row the cost
 * must be below unit_cost. The caller checks that it is enough with that row. */
static int64_t check_rows(const struct spmmi_spgemm_unit *unit, int64_t i, int64_t piece_products,
                          int64_t unit_cost, int64_t rows)
{
    int64_t cost = 0, before = 0;
    assert_int_equal(unit->partial, -1);
    assert_int_equal(unit->row, i);
    assert_in_range(unit->row_end, i + 1, rows);
    for (; i < unit->row_end; i++) {
        const int64_t entries = scene.c[i + 1] - scene.c[i];
        assert_true(piece_products == 0 || scene.products[i] <= piece_products ||
                    scene.products[i] <= 4 * entries);
        before = cost;
        cost += scene.products[i] + entries + 1;
    }
    assert_true(before < unit_cost);
    return cost;
}

static int is_cut(int64_t i, int64_t piece_products)
{
    const int64_t entries = scene.c[i + 1] - scene.c[i];
    return piece_products > 0 && scene.products[i] > piece_products && scene.products[i] > 4 * entries;
}

/* Checks all units. The cost of a unit of whole rows is a 1,024th of all products, but at least 16,384. */
static void check_units(const struct spmmi_spgemm_stage *s, int64_t piece_products)
{
    const int64_t rows = s->task.left.rows;
    const int64_t share = (int64_t)(scene.all / 1024), unit_cost = share > 16384 ? share : 16384;
    int64_t i = 0, u = 0, cut = 0, partials = 0;
    while (u < s->unit_count) {
        if (s->units[u].partial >= 0) {
            const int64_t entries = scene.c[i + 1] - scene.c[i];
            assert_true(cut < s->cut_count && is_cut(i, piece_products));
            assert_int_equal(s->cuts[cut].partial, partials);
            const int64_t pieces = check_pieces(
                s, u, i, piece_products > 4 * entries ? piece_products : 4 * entries, &s->cuts[cut]);
            partials += pieces * entries;
            u += pieces;
            i++;
            cut++;
        } else {
            const int64_t cost = check_rows(&s->units[u], i, piece_products, unit_cost, rows);
            i = s->units[u++].row_end;
            assert_true(cost >= unit_cost || i == rows || is_cut(i, piece_products));
        }
    }
    assert_int_equal(i, rows);
    assert_int_equal(cut, s->cut_count);
    assert_int_equal(partials, s->partials);
}

static void every_row_is_in_a_unit_or_cut(void **state)
{
    static const uint64_t pieces[] = {0, 1, 1000, 30000};
    int64_t cuts = 0;
    (void)state;
    for (uint64_t turn = 0; turn < TURNS; turn++) {
        struct spmmi_spgemm_stage s = scene_make(turn);
        const struct spmmi_spgemm plan = {.piece_products = pieces[turn / 3 % 4]};
        uint64_t bytes = 1;
        assert_int_equal(spmmi_spgemm_units(&s, &plan, 1000, 0, &bytes, NULL), SPMM_OK);
        assert_true(s.products == scene.all);
        assert_int_equal(bytes,
                         (uint64_t)s.unit_count * sizeof *s.units + (uint64_t)s.cut_count * sizeof *s.cuts);
        check_units(&s, (int64_t)plan.piece_products);
        cuts += s.cut_count;
        spmmi_spgemm_stage_free(&s);
        assert_null(s.units);
        assert_null(s.cuts);
        /* The budget counts every byte. */
        for (int less = 0; less < 2 && bytes > 0; less++) {
            const uint64_t budget = 1000 + bytes - (uint64_t)less;
            uint64_t again = 0;
            s = scene_make(turn);
            assert_int_equal(spmmi_spgemm_units(&s, &plan, 1000, budget, &again, &spmmi_diag_unheard),
                             less == 0 ? SPMM_OK : SPMM_ERR_PLAN_BUDGET);
            spmmi_spgemm_stage_free(&s);
        }
    }
    assert_true(cuts > 1000);
}

/* A lower triangle: row i of C uses the columns up to i of the rows of the right factor. */
static void a_lower_triangle_has_the_products_below(void **state)
{
    static const int64_t left[] = {0, 2, 4, 5}, right[] = {0, 3, 4, 6}, c[] = {0, 1, 3, 6};
    static const int32_t left_columns[] = {0, 1, 0, 2, 0}, right_columns[] = {0, 1, 2, 1, 0, 2};
    static const int32_t taken[] = {1, 0, 2, 1, 3};
    struct spmmi_spgemm_stage s = {.task = {{3, 3, left, left_columns}, {3, 3, right, right_columns}, 1},
                                   .c = {3, 3, c, NULL}};
    const struct spmmi_spgemm plan = {.piece_products = 0};
    uint64_t bytes = 0;
    (void)state;
    assert_int_equal(spmmi_spgemm_units(&s, &plan, 0, 0, &bytes, NULL), SPMM_OK);
    assert_memory_equal(s.taken, taken, sizeof taken);
    assert_int_equal(s.products, 1 + 0 + 2 + 1 + 3);
    assert_int_equal(s.unit_count, 1);
    assert_int_equal(bytes, sizeof taken + sizeof *s.units);
    spmmi_spgemm_stage_free(&s);
    for (uint64_t budget = 1; budget < bytes; budget++) {
        s = (struct spmmi_spgemm_stage){.task = {{3, 3, left, left_columns}, {3, 3, right, right_columns}, 1},
                                        .c = {3, 3, c, NULL}};
        uint64_t again = 0;
        assert_int_equal(spmmi_spgemm_units(&s, &plan, 0, budget, &again, &spmmi_diag_unheard),
                         SPMM_ERR_PLAN_BUDGET);
        spmmi_spgemm_stage_free(&s);
    }
}

/* Sums have one element per column, and two more only if the plan has stretches and a row is longer than
 * one. */
static void only_long_rows_take_sums_of_stretches(void **state)
{
    static int32_t columns[4097];
    const int64_t right[] = {0, 1};
    (void)state;
    for (int i = 0; i < 4; i++) {
        const int64_t length = 4096 + i % 2, left[] = {0, length}, c[] = {0, 1};
        struct spmmi_spgemm_stage s = {.task = {.left = {1, 1, left, columns}, .right = {1, 7, right, NULL}},
                                       .c = {1, 7, c, NULL}};
        const struct spmmi_spgemm plan = {.flags = i < 2 ? 0 : SPMMI_SPGEMM_STRETCHES};
        uint64_t bytes = 0;
        assert_int_equal(spmmi_spgemm_units(&s, &plan, 0, 0, &bytes, NULL), SPMM_OK);
        assert_int_equal(s.sums, 7);
        assert_int_equal(s.has_stretches, i >= 2);
        assert_int_equal(spmmi_spgemm_sums(&s), i == 3 ? 3 * 7 : 7);
        spmmi_spgemm_stage_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_in_a_unit_or_cut),
        cmocka_unit_test(a_lower_triangle_has_the_products_below),
        cmocka_unit_test(only_long_rows_take_sums_of_stretches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
