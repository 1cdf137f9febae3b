/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the permutation of units by radix with bit strings that are compared as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/matrix/units.h"
#include "inspector/matrix/matrix.h"
#include "inspector/reorder/reorder_radix.h"

struct strings {
    int64_t count, cols;
    char *bits; /* count strings of cols digits, each with a terminating zero */
};

static const char *string_of(const struct strings *s, uint32_t unit)
{
    return s->bits + unit * (size_t)(s->cols + 1);
}

static struct strings write_out(int64_t count, int64_t cols, const int64_t *unit_ptr, const int32_t *col_ind)
{
    struct strings s = {count, cols, malloc((size_t)(count * (cols + 1)) + 1)};
    assert_non_null(s.bits);
    for (int64_t u = 0; u < count; u++) {
        char *bits = s.bits + u * (cols + 1);
        memset(bits, '0', (size_t)cols);
        bits[cols] = '\0';
        for (int64_t p = unit_ptr[u]; p < unit_ptr[u + 1]; p++)
            bits[col_ind[p]] = '1';
    }
    return s;
}

/* Checks that each unit occurs once, that bit strings descend, and that equal ones keep the order of the
 * units. */
static void is_descending_and_stable(const struct strings *s, const uint32_t *permutation)
{
    char *seen = calloc((size_t)s->count + 1, 1);
    assert_non_null(seen);
    for (int64_t i = 0; i < s->count; i++) {
        assert_true(permutation[i] < s->count);
        assert_int_equal(seen[permutation[i]]++, 0);
        if (i == 0)
            continue;
        const int compared = strcmp(string_of(s, permutation[i - 1]), string_of(s, permutation[i]));
        assert_true(compared > 0 || (compared == 0 && permutation[i - 1] < permutation[i]));
    }
    free(seen);
}

static const char *const specs[] = {
    "gen:rand:300:3",   "gen:rmat:9:4",      "gen:powerlaw:200:40:3", "gen:band:90:3", "gen:dense:70:9",
    "gen:empty:50:6",   "gen:empty:0:0",     "gen:empty:9:0",         "gen:diag:77",   "gen:arrow:60",
    "gen:block:64:8:2", "gen:femshuf:3:3:3", "gen:powerlaw:900:12:2",
};

static void sorts_bit_strings(void **state)
{
    static const uint32_t segments[] = {0, 1, 2, 5};
    spmm_matrix_t *m = NULL;
    assert_int_equal(spmm_matrix_generate(*state, &m, NULL), SPMM_OK);
    for (size_t i = 0; i < sizeof segments / sizeof segments[0]; i++) {
        const uint64_t count = spmmi_units_count(m->rows, m->row_ptr, segments[i]);
        int64_t *unit_ptr = calloc(count + 1, sizeof *unit_ptr);
        uint32_t *permutation = calloc(count + 1, sizeof *permutation);
        assert_non_null(unit_ptr);
        assert_non_null(permutation);
        spmmi_units_cut(m->rows, m->row_ptr, segments[i], unit_ptr, NULL);
        const struct strings s = write_out((int64_t)count, m->cols, unit_ptr, m->col_ind);
        for (int threads = 1; threads <= 3; threads++) {
            memset(permutation, 0xff, count * sizeof *permutation);
            assert_int_equal(spmmi_reorder_radix(count, unit_ptr, m->col_ind, threads, permutation), SPMM_OK);
            is_descending_and_stable(&s, permutation);
        }
        free(s.bits);
        free(permutation);
        free(unit_ptr);
    }
    spmm_matrix_destroy(m);
}

/*  unit 0: 0101   1: 1000   2: (none)   3: 1010   4: 0101   5: 1011   6: 0001 */
static void a_small_case_worked_out_by_hand(void **state)
{
    static const int64_t unit_ptr[] = {0, 2, 3, 3, 5, 7, 10, 11};
    static const int32_t col_ind[] = {1, 3, 0, 0, 2, 1, 3, 0, 2, 3, 3};
    static const uint32_t expected[] = {5, 3, 1, 0, 4, 6, 2};
    uint32_t permutation[7];
    (void)state;
    assert_int_equal(spmmi_reorder_radix(7, unit_ptr, col_ind, 1, permutation), SPMM_OK);
    assert_memory_equal(permutation, expected, sizeof expected);
}

/* The matrices are large enough that threads share the sort and the merges. */
static void permutation_does_not_depend_on_threads(void **state)
{
    static const char *const large[] = {"gen:rmat:15:6", "gen:powerlaw:60000:90:3", "gen:femshuf:18:18:18"};
    (void)state;
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        spmm_matrix_t *m = NULL;
        assert_int_equal(spmm_matrix_generate(large[i], &m, NULL), SPMM_OK);
        const uint64_t count = (uint64_t)m->rows;
        uint32_t *first = calloc(count, sizeof *first), *permutation = calloc(count, sizeof *permutation);
        assert_non_null(first);
        assert_non_null(permutation);
        assert_int_equal(spmmi_reorder_radix(count, m->row_ptr, m->col_ind, 1, first), SPMM_OK);
        for (int threads = 2; threads <= 7; threads += 5) {
            assert_int_equal(spmmi_reorder_radix(count, m->row_ptr, m->col_ind, threads, permutation),
                             SPMM_OK);
            assert_memory_equal(permutation, first, count * sizeof *permutation);
        }
        free(permutation);
        free(first);
        spmm_matrix_destroy(m);
    }
}

static void survives_short_memory(void **state)
{
    static const int64_t unit_ptr[] = {0, 1};
    static const int32_t col_ind[] = {0};
    uint32_t permutation[1];
    (void)state;
    const int64_t live = spmmi_alloc_live();
    for (int64_t k = 0; k < 2; k++) {
        spmmi_alloc_fail_at(k, 0);
        assert_int_equal(spmmi_reorder_radix(1, unit_ptr, col_ind, 1, permutation), SPMM_ERR_MEMORY);
        spmmi_alloc_fail_at(-1, 0);
        assert_int_equal(spmmi_alloc_live(), live);
    }
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int main(void)
{
    static const struct CMUnitTest plain[] = {
        cmocka_unit_test(a_small_case_worked_out_by_hand),
        cmocka_unit_test(permutation_does_not_depend_on_threads),
        cmocka_unit_test(survives_short_memory),
    };
    struct CMUnitTest tests[COUNT(specs) + COUNT(plain)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(specs); i++)
        tests[count++] =
            (struct CMUnitTest){specs[i], sorts_bit_strings, NULL, NULL, (void *)(uintptr_t)specs[i]};
    for (size_t i = 0; i < COUNT(plain); i++)
        tests[count++] = plain[i];
    return cmocka_run_group_tests_name("reorder_radix", tests, NULL, NULL);
}
