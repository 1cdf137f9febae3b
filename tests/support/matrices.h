/* SPDX-License-Identifier: Apache-2.0 */
/* Small matrices with names, one for each shape that products go wrong on. */
#ifndef TEST_MATRICES_H
#define TEST_MATRICES_H

#include <stdbool.h>
#include <stdint.h>

enum test_values {
    TEST_VALUES_INTEGER, /* in -4 .. 4: sums of products stay exact in f32 */
    TEST_VALUES_REAL     /* in (-1, 1), exact in f32 */
};

struct test_matrix {
    const char *name;
    int64_t rows, cols, nnz;
    int64_t *row_ptr; /* rows + 1 */
    int32_t *col_ind; /* ascending in each row */
    double *values;
};

/* A pattern is a predicate on (row, column). */
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
/* Never fails: a test without memory stops. */
struct test_matrix *test_matrix_make(int index, enum test_values values);
/* The same by name. */
struct test_matrix *test_matrix_named(const char *name, enum test_values values);
void test_matrix_free(struct test_matrix *matrix);
/* Does it hold a nonzero in row i and column j? */
int test_matrix_stores(const struct test_matrix *a, int64_t i, int64_t j);

/* The same numbers on every machine, mixed from two keys: any 64 bits, and a double in (-1, 1) exact in f32. */
uint64_t test_hash(uint64_t a, uint64_t b);
double test_real(uint64_t a, uint64_t b);
double test_integer(uint64_t a, uint64_t b);
/* True with probability 1 / d. */
bool test_chance(int64_t i, int64_t j, uint64_t d);

#endif
