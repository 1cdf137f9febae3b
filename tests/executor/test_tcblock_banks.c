/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which the columns of a row window in a step are assigned to the positions of its blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/tcblock/tcblock_banks.h"
#include "kernels/tcblock/tcblock_kernel.h"
#include "tests/support/matrices.h"

#define STEP SPMMI_TCBLOCK_PANEL_STEP

struct by_hand {
    uint32_t count;
    uint8_t locals[16], taken[16]; /* taken: local rows in the order of the positions */
};

static const struct by_hand cases[] = {
    {0, {0}, {0}},
    {1, {127}, {127}},
    {5, {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}},
    {4, {3, 4, 9, 10}, {4, 9, 10, 3}}, /* equal queues: the smallest residue is first */
    {6,
     {1, 2, 3, 5, 7, 11},
     {3, 1, 2, 5, 7, 11}}, /* 3 x 3, 2 x 1, 1 x 2; all residues used: the smallest with columns left */
    {8, {0, 4, 8, 12, 16, 20, 1, 2}, {0, 1, 2, 4, 8, 12, 16, 20}},
    {8, {0, 4, 8, 12, 1, 5, 2, 3}, {0, 1, 2, 3, 4, 5, 8, 12}},
    {12, {0, 4, 8, 12, 16, 20, 24, 28, 3, 7, 11, 15}, {0, 3, 4, 8, 12, 7, 16, 20, 24, 11, 28, 15}},
};

static void small_steps_worked_out_by_hand(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        uint8_t order[16];
        spmmi_tcblock_banks(cases[c].locals, cases[c].count, order);
        for (uint32_t i = 0; i < cases[c].count; i++)
            if (cases[c].locals[order[i]] != cases[c].taken[i])
                fail_msg("case %zu, place %u: local row %u, not %u", c, i, cases[c].locals[order[i]],
                         cases[c].taken[i]);
    }
}

/* Checks that each group of 4 positions has as many residues as possible, and that queues keep their
 * order. */
static void permutation_check(const uint8_t *locals, uint32_t count)
{
    uint8_t order[STEP];
    uint32_t left[4] = {0};
    int is_taken[STEP] = {0};
    int last[4] = {-1, -1, -1, -1};
    spmmi_tcblock_banks(locals, count, order);
    for (uint32_t i = 0; i < count; i++)
        left[locals[i] % 4]++;
    for (uint32_t first = 0; first < count; first += 4) {
        const uint32_t length = count - first < 4 ? count - first : 4;
        uint32_t kinds = 0, residues = 0;
        for (uint32_t r = 0; r < 4; r++)
            kinds += left[r] > 0;
        for (uint32_t i = first; i < first + length; i++) {
            const int local = locals[order[i]];
            assert_false(is_taken[order[i]]);
            is_taken[order[i]] = 1;
            assert_true(local > last[local % 4]);
            last[local % 4] = local;
            left[local % 4]--;
            residues |= 1u << local % 4;
        }
        const uint32_t met = (residues & 1) + (residues >> 1 & 1) + (residues >> 2 & 1) + (residues >> 3);
        assert_int_equal(met, kinds < length ? kinds : length);
    }
}

static void groups_have_as_many_residues_as_they_can(void **state)
{
    (void)state;
    for (uint64_t key = 0; key < 4000; key++) {
        uint8_t locals[STEP];
        uint32_t count = 0;
        const uint64_t density = 1 + key % 64, skew = key / 64 % 5;
        for (uint32_t local = 0; local < STEP; local++)
            if (test_hash(key, local) % 64 < density >> (skew > 0 && local % 4 >= skew ? 3 : 0))
                locals[count++] = (uint8_t)local;
        permutation_check(locals, count);
    }
}

static void a_full_step_has_no_bank_conflict(void **state)
{
    (void)state;
    uint8_t locals[STEP], order[STEP];
    for (uint32_t i = 0; i < STEP; i++)
        locals[i] = (uint8_t)i;
    spmmi_tcblock_banks(locals, STEP, order);
    for (uint32_t i = 0; i < STEP; i++)
        assert_int_equal(order[i], i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_steps_worked_out_by_hand),
        cmocka_unit_test(groups_have_as_many_residues_as_they_can),
        cmocka_unit_test(a_full_step_has_no_bank_conflict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
