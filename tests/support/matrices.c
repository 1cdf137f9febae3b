/* SPDX-License-Identifier: Apache-2.0 */
/* See matrices.h. A pattern is a predicate of (i, j), so each line of the list is the definition of a
 * matrix. */
#include "matrices.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

uint64_t test_hash(uint64_t a, uint64_t b)
{
    uint64_t x = a * UINT64_C(0x9e3779b97f4a7c15) + b + UINT64_C(0x2545f4914f6cdd1d);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

double test_real(uint64_t a, uint64_t b)
{
    return ((double)(test_hash(a, b) >> 41) + 0.5) / (double)(1 << 22) - 1.0;
}

double test_integer(uint64_t a, uint64_t b)
{
    return (double)(test_hash(a, b) % 9) - 4.0;
}

bool test_chance(int64_t i, int64_t j, uint64_t d)
{
    return test_hash((uint64_t)i, (uint64_t)j) % d == 0;
}

TEST_PATTERN(none, false)
TEST_PATTERN(all, true)
TEST_PATTERN(diagonal, i == j)
TEST_PATTERN(band, i - j <= 9 && j - i <= 9)
TEST_PATTERN(first_rows_empty, i >= rows / 3 && test_chance(i, j, 7))
TEST_PATTERN(middle_rows_empty, (i < rows / 3 || i >= 2 * rows / 3) && test_chance(i, j, 7))
TEST_PATTERN(last_rows_empty, i < rows / 3 && test_chance(i, j, 7))
TEST_PATTERN(odd_rows_empty, i % 2 == 0 && test_chance(i, j, 5))
TEST_PATTERN(one_dense_row, i == rows / 2)
TEST_PATTERN(dense_row_among_sparse, i == rows / 2 || j == (i * 7) % cols)
TEST_PATTERN(one_dense_column, j == cols / 2)
TEST_PATTERN(arrow, i == 0 || j == 0 || i == j)
TEST_PATTERN(power_law, test_chance(i, j, (uint64_t)(1 + i / 2)))
TEST_PATTERN(sparse, test_chance(i, j, 31))
TEST_PATTERN(one_a_row, j == (i * 13 + 5) % cols)
TEST_PATTERN(lower, j <= i)
TEST_PATTERN(last_entry, i == rows - 1 && j == cols - 1)
TEST_PATTERN(lengths_to_eight, j < i % 9)

static const struct test_pattern patterns[] = {
    {"0 x 0", 0, 0, none},
    {"0 x 5", 0, 5, none},
    {"5 x 0", 5, 0, none},
    {"7 x 5 without nonzeros", 7, 5, none},
    {"1 x 1", 1, 1, all},
    {"1 x 1 without nonzeros", 1, 1, none},
    {"1 x 9000 dense", 1, 9000, all},
    {"9000 x 1 dense", 9000, 1, all},
    {"2 x 6000 short-fat", 2, 6000, all},
    {"3000 x 3 tall-skinny", 3000, 3, all},
    {"diagonal", 65, 65, diagonal},
    {"band", 300, 300, band},
    {"first rows empty", 90, 61, first_rows_empty},
    {"middle rows empty", 90, 61, middle_rows_empty},
    {"last rows empty", 90, 61, last_rows_empty},
    {"odd rows empty", 90, 61, odd_rows_empty},
    {"one dense row", 31, 4500, one_dense_row},
    {"dense row among sparse", 200, 5000, dense_row_among_sparse},
    {"one dense column", 150, 40, one_dense_column},
    {"arrow", 130, 130, arrow},
    {"power law", 160, 700, power_law},
    {"sparse", 120, 500, sparse},
    {"one a row", 333, 57, one_a_row},
    {"lower triangle", 130, 130, lower},
    {"only the last entry", 40, 4000, last_entry},
    {"rows of 0 to 8", 100, 8, lengths_to_eight},
    {"dense", 110, 100, all},
};

int test_matrix_count(void)
{
    return (int)(sizeof patterns / sizeof patterns[0]);
}

static void *take(int64_t count, size_t size)
{
    void *block = calloc((size_t)count + 1, size);
    if (block == NULL)
        abort();
    return block;
}

struct test_matrix *test_matrix_of(const struct test_pattern *p, enum test_values values)
{
    struct test_matrix *a = take(1, sizeof *a);
    *a = (struct test_matrix){.name = p->name, .rows = p->rows, .cols = p->cols};
    a->row_ptr = take(p->rows, sizeof *a->row_ptr);
    for (int64_t i = 0; i < p->rows; i++) {
        a->row_ptr[i + 1] = a->row_ptr[i];
        for (int64_t j = 0; j < p->cols; j++)
            a->row_ptr[i + 1] += p->stores(p, i, j);
    }
    a->nnz = a->row_ptr[p->rows];
    a->col_ind = take(a->nnz, sizeof *a->col_ind);
    a->values = take(a->nnz, sizeof *a->values);
    int64_t q = 0;
    for (int64_t i = 0; i < p->rows; i++)
        for (int64_t j = 0; j < p->cols; j++)
            if (p->stores(p, i, j)) {
                a->col_ind[q] = (int32_t)j;
                a->values[q] =
                    values == TEST_VALUES_INTEGER ? test_integer((uint64_t)q, 1) : test_real((uint64_t)q, 1);
                q++;
            }
    return a;
}

struct test_matrix *test_matrix_make(int index, enum test_values values)
{
    assert(index >= 0 && index < test_matrix_count());
    return test_matrix_of(&patterns[index], values);
}

struct test_matrix *test_matrix_named(const char *name, enum test_values values)
{
    for (int i = 0; i < test_matrix_count(); i++)
        if (strcmp(patterns[i].name, name) == 0)
            return test_matrix_make(i, values);
    abort();
}

int test_matrix_stores(const struct test_matrix *a, int64_t i, int64_t j)
{
    for (int64_t p = a->row_ptr[i]; p < a->row_ptr[i + 1]; p++)
        if (a->col_ind[p] == j)
            return 1;
    return 0;
}

void test_matrix_free(struct test_matrix *matrix)
{
    if (matrix == NULL)
        return;
    free(matrix->values);
    free(matrix->col_ind);
    free(matrix->row_ptr);
    free(matrix);
}
