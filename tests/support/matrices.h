/* SPDX-License-Identifier: Apache-2.0 */
/* Named small matrices, one for each shape that is difficult for products. */
#ifndef TEST_MATRICES_H
#define TEST_MATRICES_H

#include <stdbool.h>
#include <stdint.h>

enum test_values {
    TEST_VALUES_INTEGER, /* in -4 .. 4; sums of products are exact in f32 */
    TEST_VALUES_REAL     /* in (-1, 1), exactly representable in f32 */
};

struct test_matrix {
    const char *name;
    int64_t rows, cols, nnz;
    int64_t *row_ptr; /* rows + 1 */
    int32_t *col_ind; /* ascending in each row */
    double *values;
};

/* A pattern is a predicate of (row, column). */
struct test_pattern {
    const char *name;
    int64_t rows, cols;
    bool (*stores)(const struct test_pattern *pattern, int64_t i, int64_t j);
};
#define TEST_PATTERN(name, condition)                                          \
    static bool name(const struct test_pattern *pattern, int64_t i, int64_t j) \
    {                                                                          \
        const int64_t rows = pattern->rows, cols = pattern->cols;              \
        (void)rows, (void)cols, (void)i, (void)j;                              \
        return condition;                                                      \
    }
struct test_matrix *test_matrix_of(const struct test_pattern *pattern, enum test_values values);

int test_matrix_count(void);
/* Makes a matrix of the list. Aborts if memory is short. */
struct test_matrix *test_matrix_make(int index, enum test_values values);
/* Makes the matrix with this name. */
struct test_matrix *test_matrix_named(const char *name, enum test_values values);
void test_matrix_free(struct test_matrix *matrix);
/* Returns 1 if the matrix has an entry in row i and column j. */
int test_matrix_stores(const struct test_matrix *a, int64_t i, int64_t j);

/* Return pseudo-random numbers that depend only on two keys: 64 bits, a double in (-1, 1) that is exact in
 * f32, and a whole number in -4 .. 4. */
uint64_t test_hash(uint64_t a, uint64_t b);
double test_real(uint64_t a, uint64_t b);
double test_integer(uint64_t a, uint64_t b);
/* Returns true with probability 1 / d. */
bool test_chance(int64_t i, int64_t j, uint64_t d);

#endif
