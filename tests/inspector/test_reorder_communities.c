/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the permutation by communities with a literal implementation that scans a list for each vote, and
 * checks it on graphs with planted communities. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"
#include "inspector/generate/generate.h"
#include "inspector/matrix/matrix.h"
#include "inspector/reorder/permutation_units.h"
#include "tests/support/generated.h"

#define SWEEPS 4
#define ROOM 4096 /* largest nnz of a community of a small matrix; dense matrices have more */

static uint32_t *permutation_of(const spmm_matrix_t *m, int threads)
{
    uint32_t *permutation = test_zeroed(m->rows, sizeof *permutation);
    const struct spmmi_permutation_input in = {m->rows,           m->cols,    m->row_ptr, m->col_ind,
                                               (uint64_t)m->rows, m->row_ptr, NULL,       threads};
    assert_int_equal(spmmi_permutation_units(&in, SPMMI_REORDER_COMMUNITIES, permutation, NULL), SPMM_OK);
    return permutation;
}

/* ---- Written out ---- */

static uint32_t draw(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static int64_t times(const uint32_t *list, int64_t count, uint32_t value)
{
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++)
        found += list[i] == value;
    return found;
}

/* Returns the most frequent value in the list. If several are, the one with the largest draw wins. */
static uint32_t winner(const uint32_t *list, int64_t count, uint32_t seed)
{
    uint32_t best = list[0];
    for (int64_t i = 1; i < count; i++) {
        const int64_t ahead = times(list, count, list[i]) - times(list, count, best);
        if (ahead > 0 || (ahead == 0 && draw(list[i] ^ seed) > draw(best ^ seed)))
            best = list[i];
    }
    return best;
}

static void literal_sweep(const spmm_matrix_t *m, uint32_t seed, uint32_t *label, uint64_t *size)
{
    uint32_t *column_label = test_zeroed(m->cols, sizeof *column_label);
    uint32_t *list = test_zeroed(m->rows + m->cols, sizeof *list);
    uint32_t *wanted = test_zeroed(m->rows, sizeof *wanted);
    for (int64_t j = 0; j < m->cols; j++) {
        int64_t count = 0;
        for (int64_t i = 0; i < m->rows; i++)
            for (int64_t p = m->row_ptr[i]; p < m->row_ptr[i + 1]; p++)
                if (m->col_ind[p] == j)
                    list[count++] = label[i];
        column_label[j] = count > 0 ? winner(list, count, seed) : 0;
    }
    for (int64_t i = 0; i < m->rows; i++) {
        const int64_t count = m->row_ptr[i + 1] - m->row_ptr[i];
        for (int64_t k = 0; k < count; k++)
            list[k] = column_label[m->col_ind[m->row_ptr[i] + k]];
        wanted[i] = count > 0 ? winner(list, count, seed) : label[i];
    }
    for (int64_t i = 0; i < m->rows; i++) {
        const uint64_t length = (uint64_t)(m->row_ptr[i + 1] - m->row_ptr[i]);
        if (wanted[i] != label[i] && size[wanted[i]] + length <= ROOM) {
            size[label[i]] -= length;
            size[wanted[i]] += length;
            label[i] = wanted[i];
        }
    }
    free(wanted);
    free(list);
    free(column_label);
}

static uint32_t *literal_permutation(const spmm_matrix_t *m)
{
    uint32_t *label = test_zeroed(m->rows, sizeof *label);
    uint64_t *size = test_zeroed(m->rows, sizeof *size);
    uint32_t *permutation = test_zeroed(m->rows, sizeof *permutation), count = 0;
    for (int64_t i = 0; i < m->rows; i++) {
        label[i] = (uint32_t)i;
        size[i] = (uint64_t)(m->row_ptr[i + 1] - m->row_ptr[i]);
    }
    for (uint32_t sweep = 0; sweep < SWEEPS; sweep++)
        literal_sweep(m, draw(sweep), label, size);
    for (int64_t l = 0; l <= m->rows; l++) /* the last turn adds the rows without nonzeros */
        for (int64_t i = 0; i < m->rows; i++) {
            const int is_empty = m->row_ptr[i] == m->row_ptr[i + 1];
            if (l < m->rows ? !is_empty && label[i] == l : is_empty)
                permutation[count++] = (uint32_t)i;
        }
    assert_int_equal(count, m->rows);
    free(size);
    free(label);
    return permutation;
}

static const char *const specs[] = {
    "gen:fem3:3:3:3",        "gen:femshuf:4:4:3",    "gen:lap27:4",         "gen:qcd:2",
    "gen:band:90:3",         "gen:block:64:8:2",     "gen:rand:300:3",      "gen:rmat:8:2",
    "gen:rmat:7:9",          "gen:dense:70:90",      "gen:diag:77",         "gen:arrow:60",
    "gen:empty:50:6",        "gen:empty:0:0",        "gen:empty:1:1",       "gen:powerlaw:200:40:3",
    "gen:uniform:40:900:30", "gen:uniform:1:500:40", "gen:uniform:300:4:3", "gen:dense:300:100",
};
#define SPECS (sizeof specs / sizeof specs[0])

static void is_what_is_written_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < SPECS; i++) {
        spmm_matrix_t *m = test_generated(specs[i]);
        uint32_t *permutation = permutation_of(m, 1), *expected = literal_permutation(m);
        assert_memory_equal(permutation, expected, (size_t)m->rows * sizeof *permutation);
        free(expected);
        free(permutation);
        spmm_matrix_destroy(m);
    }
}

/* The matrix is large enough that threads share the work. There are up to 20 threads, more than machines
 * often have. */
static void is_the_same_with_any_threads(void **state)
{
    (void)state;
    spmm_matrix_t *m = test_generated("gen:rmat:14:12");
    uint32_t *one = permutation_of(m, 1);
    for (int threads = 2; threads <= 20; threads += 9) {
        uint32_t *many = permutation_of(m, threads);
        assert_memory_equal(one, many, (size_t)m->rows * sizeof *one);
        free(many);
    }
    free(one);
    spmm_matrix_destroy(m);
}

/* Planted blocks with scattered rows: row i belongs to block i % BLOCKS and has all columns of the block, and
 * one other. */
enum { BLOCKS = 40, BLOCK_ROWS = 16, ROWS = BLOCKS * BLOCK_ROWS, EACH = BLOCK_ROWS + 1 };

static void planted_communities_are_found(void **state)
{
    static int64_t row_ptr[ROWS + 1];
    static int32_t col_ind[ROWS * EACH];
    (void)state;
    for (int32_t i = 0; i < ROWS; i++) {
        const int32_t block = i % BLOCKS, other = (i * 7 + 3) % ROWS;
        const int32_t beside = other / BLOCK_ROWS == block ? (other + BLOCK_ROWS) % ROWS : other;
        int32_t *row = col_ind + i * EACH;
        int count = 0;
        for (int32_t k = 0; k < BLOCK_ROWS; k++) {
            if (count == k && beside < block * BLOCK_ROWS)
                row[count++] = beside;
            row[count++] = block * BLOCK_ROWS + k;
        }
        if (count == BLOCK_ROWS)
            row[count] = beside;
        row_ptr[i + 1] = row_ptr[i] + EACH;
    }
    uint32_t *permutation = test_zeroed(ROWS, sizeof *permutation);
    const struct spmmi_permutation_input in = {ROWS, ROWS, row_ptr, col_ind, ROWS, row_ptr, NULL, 2};
    assert_int_equal(spmmi_permutation_units(&in, SPMMI_REORDER_COMMUNITIES, permutation, NULL), SPMM_OK);
    int together = 0;
    for (int i = 1; i < ROWS; i++)
        together += permutation[i] % BLOCKS == permutation[i - 1] % BLOCKS;
    assert_int_equal(together, ROWS - BLOCKS);
    free(permutation);
}

/* The columns are far apart, so memory must depend only on the nonzeros. Each allocation may fail. */
static void few_nonzeros_of_many_columns(void **state)
{
    enum { FEW = 40, COLUMNS = 2147483646 };
    int64_t row_ptr[FEW + 1], allocations = 0;
    int32_t col_ind[2 * FEW];
    uint32_t permutation[FEW];
    (void)state;
    for (int32_t i = 0; i <= FEW; i++) {
        row_ptr[i] = 2 * i;
        if (i < FEW) {
            col_ind[2 * i] = i % 2 * 1000000007;
            col_ind[2 * i + 1] = COLUMNS - 2 + i % 2;
        }
    }
    const struct spmmi_permutation_input in = {FEW, COLUMNS, row_ptr, col_ind, FEW, row_ptr, NULL, 2};
    const int64_t live = spmmi_alloc_live();
    spmmi_alloc_peak_reset();
    for (int64_t k = -1; k < (allocations > 0 ? allocations : 1); k++) {
        spmmi_alloc_fail_at(k, 0);
        const spmm_status_t status =
            spmmi_permutation_units(&in, SPMMI_REORDER_COMMUNITIES, permutation, NULL);
        allocations = k < 0 ? spmmi_alloc_count() : allocations;
        spmmi_alloc_fail_at(-1, 0);
        assert_int_equal(status, k < 0 ? SPMM_OK : SPMM_ERR_MEMORY);
        assert_int_equal(spmmi_alloc_live(), live);
    }
    assert_true(allocations >= 9 && spmmi_alloc_peak_bytes() < 1 << 16);
    for (int i = 1; i < FEW; i++) /* odd and even rows have different columns */
        assert_true(permutation[i] % 2 == permutation[i - 1] % 2 || i == FEW / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_what_is_written_out),
        cmocka_unit_test(is_the_same_with_any_threads),
        cmocka_unit_test(planted_communities_are_found),
        cmocka_unit_test(few_nonzeros_of_many_columns),
    };
    return cmocka_run_group_tests_name("reorder_communities", tests, NULL, NULL);
}
