/* SPDX-License-Identifier: Apache-2.0 */
/* See content_matrix.h. */
#include "content_matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spmm/inspector.h>

#define NONZEROS_MAX 4000 /* maximum of generated matrices, because the check computes in long double */
#define ROWS_MORE 20000

static void *take(int64_t count, size_t size)
{
    void *block = calloc((size_t)count + 1, size);
    if (block == NULL)
        abort();
    return block;
}

/* Returns the largest parameter for which a generator makes a small matrix. Generators that are not listed
 * use the last row. */
static uint64_t parameter_max(const char *generator)
{
    static const struct {
        const char *name;
        uint64_t max;
    } rows[] = {{"fem3", 2}, {"femshuf", 2}, {"elasticity", 2}, {"lap27", 4}, {"poisson3", 12},
                {"qcd", 1},  {"rmat", 6},    {"dense", 24},     {"", 60}};
    size_t row = 0;
    while (rows[row].name[0] != '\0' && strcmp(rows[row].name, generator) != 0)
        row++;
    return rows[row].max;
}

static uint64_t parameter(const spmm_generator_info_t *info, int index, struct test_stream *stream)
{
    const uint64_t max = parameter_max(info->name);
    if (stream == NULL)
        return max;
    /* The first parameter is a size; most of the others are numbers of entries per row. */
    const uint64_t range = index == 0 || max < 8 || test_stream_chance(stream, 30) ? max : 8;
    return test_stream_below(stream, range) + 1;
}

/* Makes a matrix from random parameters or, if stream is NULL, from the largest ones. */
static spmm_status_t generate(const spmm_generator_info_t *info, struct test_stream *stream,
                              spmm_matrix_t **matrix)
{
    char spec[128];
    int length = snprintf(spec, sizeof spec, "gen:%s", info->name);
    for (int i = 0; i < info->count; i++)
        length +=
            snprintf(spec + length, sizeof spec - (size_t)length, ":%d", (int)parameter(info, i, stream));
    return spmm_matrix_generate(spec, matrix, NULL);
}

int64_t test_content_generated_max(void)
{
    spmm_generator_info_t info = {.struct_size = sizeof info};
    int64_t largest = 0;
    for (int i = 0; spmm_generator_at(i, &info) == SPMM_OK; i++) {
        spmm_matrix_t *matrix = NULL;
        spmm_csr_t view = {.nnz = 0};
        if (generate(&info, NULL, &matrix) == SPMM_OK)
            (void)spmm_matrix_csr(matrix, &view);
        largest = view.nnz > largest ? view.nnz : largest;
        spmm_matrix_destroy(matrix);
    }
    return largest;
}

static spmm_status_t generate_any(struct test_stream *stream, spmm_matrix_t **matrix)
{
    spmm_generator_info_t info = {.struct_size = sizeof info};
    int count = 0;
    while (spmm_generator_at(count, &info) == SPMM_OK)
        count++;
    (void)spmm_generator_at((int)test_stream_below(stream, (uint64_t)count), &info);
    return generate(&info, stream, matrix);
}

/* Returns NULL if the generator refuses the parameters or the matrix is too large. */
static struct test_matrix *generated(struct test_stream *stream)
{
    spmm_matrix_t *matrix = NULL;
    struct test_matrix *a = NULL;
    spmm_csr_t view;
    if (generate_any(stream, &matrix) != SPMM_OK)
        return NULL;
    (void)spmm_matrix_csr(matrix, &view);
    if (view.nnz <= NONZEROS_MAX) {
        a = take(1, sizeof *a);
        *a = (struct test_matrix){"generated", view.rows, view.cols, view.nnz, NULL, NULL, NULL};
        a->row_ptr = take(a->rows, sizeof *a->row_ptr);
        memcpy(a->row_ptr, view.row_ptr, ((size_t)a->rows + 1) * sizeof *a->row_ptr);
        a->col_ind = take(a->nnz, sizeof *a->col_ind);
        memcpy(a->col_ind, view.col_ind, (size_t)a->nnz * sizeof *a->col_ind);
        a->values = take(a->nnz, sizeof *a->values);
        memcpy(a->values, view.values, (size_t)a->nnz * sizeof *a->values);
    }
    spmm_matrix_destroy(matrix);
    return a;
}

/* Makes a matrix whose rows have four densities, from 0 to at most 29 %. Maybe one long row has 90 %. */
static struct test_matrix *drawn(struct test_stream *stream)
{
    static const uint64_t shapes[][2] = {{70, 70}, {8, 300}, {300, 8}, {20, 1200}, {1, 1}, {3, 3}};
    const uint64_t *shape = shapes[test_stream_below(stream, sizeof shapes / sizeof shapes[0])];
    struct test_matrix *a = take(1, sizeof *a);
    a->name = "drawn";
    a->rows = (int64_t)test_stream_below(stream, shape[0] + 1);
    a->cols = test_stream_chance(stream, 30) ? a->rows : (int64_t)test_stream_below(stream, shape[1] + 1);
    const int64_t long_row =
        test_stream_chance(stream, 40) ? (int64_t)test_stream_below(stream, shape[0]) : -1;
    const uint64_t seed = test_stream_bits(stream), chances = test_stream_below(stream, 30);
    a->row_ptr = take(a->rows, sizeof *a->row_ptr);
    a->col_ind = take(a->rows * a->cols, sizeof *a->col_ind);
    for (int64_t i = 0; i < a->rows; i++) {
        const uint64_t chance = i == long_row ? 90 : test_hash(seed, (uint64_t)i) % 4 * chances / 3;
        for (int64_t j = 0; j < a->cols; j++)
            if (test_hash(seed + (uint64_t)i + 1, (uint64_t)j) % 100 < chance)
                a->col_ind[a->nnz++] = (int32_t)j;
        a->row_ptr[i + 1] = a->nnz;
    }
    a->values = take(a->nnz, sizeof *a->values);
    return a;
}

/* Distributes the columns over an extent of up to 2^31 - 2; most columns are then empty. */
static void widen(struct test_stream *stream, struct test_matrix *a)
{
    static const int64_t extents[] = {60000, 1 << 26, 0x7ffffffe, 0x7ffffffe};
    const int64_t cols = extents[test_stream_below(stream, sizeof extents / sizeof extents[0])];
    const uint64_t seed = test_stream_bits(stream);
    const int64_t apart = a->cols == 0 ? 1 : cols / a->cols;
    for (int64_t p = 0; p < a->nnz && apart > 0; p++)
        a->col_ind[p] =
            (int32_t)(a->col_ind[p] * apart + (int64_t)(test_hash(seed, (uint64_t)p) % (uint64_t)apart));
    a->cols = apart > 0 ? cols : a->cols;
}

/* Appends empty rows. */
static void lengthen(struct test_matrix *a)
{
    const int64_t rows = a->rows + ROWS_MORE;
    int64_t *row_ptr = take(rows, sizeof *row_ptr);
    for (int64_t i = 0; i <= rows; i++)
        row_ptr[i] = a->row_ptr[i < a->rows ? i : a->rows];
    free(a->row_ptr);
    a->row_ptr = row_ptr;
    a->rows = rows;
}

/* Makes the values symmetric or skew-symmetric, which has an effect if the pattern is symmetric. */
static void mirror(struct test_matrix *a, uint64_t seed)
{
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t p = a->row_ptr[i]; p < a->row_ptr[i + 1]; p++) {
            const uint64_t row = (uint64_t)i, column = (uint64_t)a->col_ind[p];
            const uint64_t low = row < column ? row : column, high = row + column - low;
            a->values[p] = test_integer(low * 65537 + high, seed) * (seed % 2 == 0 && column < row ? -1 : 1);
        }
}

struct test_matrix *test_content_matrix(struct test_stream *stream)
{
    struct test_matrix *a = test_stream_chance(stream, 50) ? generated(stream) : NULL;
    const int is_whole = a == NULL || test_stream_chance(stream, 80);
    if (a == NULL)
        a = drawn(stream);
    if (test_stream_chance(stream, 3))
        widen(stream, a);
    if (test_stream_chance(stream, 1))
        lengthen(a);
    const uint64_t seed = test_stream_bits(stream);
    for (int64_t p = 0; p < a->nnz && is_whole; p++)
        a->values[p] = test_integer((uint64_t)p, seed);
    if (test_stream_chance(stream, 30))
        mirror(a, seed);
    return a;
}
