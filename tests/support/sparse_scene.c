/* SPDX-License-Identifier: Apache-2.0 */
/* See sparse_scene.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sparse_scene.h"

#include "format/spgemm/spgemm_pattern.h"

static struct spmmi_csr_pattern pattern_of(const struct test_matrix *m)
{
    return (struct spmmi_csr_pattern){m->rows, m->cols, m->row_ptr, m->col_ind};
}

void *test_sparse_room(int64_t count, size_t size)
{
    void *block = calloc((size_t)count + 1, size);
    assert_non_null(block);
    return block;
}

struct test_sparse_scene test_sparse_scene_of(const struct test_pattern *a, const struct test_pattern *b,
                                              int is_lower, struct spmmi_spgemm_stage *stage)
{
    struct test_sparse_scene s = {.a = test_matrix_of(a, TEST_VALUES_REAL),
                                  .b = test_matrix_of(b, TEST_VALUES_REAL)};
    const struct spmmi_spgemm_task task = {pattern_of(s.a), pattern_of(s.b), is_lower};
    struct spmmi_spgemm_repeats repeats;
    assert_int_equal(spmmi_spgemm_repeats_make(&task, 1, &repeats, NULL), SPMM_OK);
    s.c_row_ptr = test_sparse_room(s.a->rows, sizeof *s.c_row_ptr);
    assert_int_equal(spmmi_spgemm_row_ptr(&task, &repeats, 1, s.c_row_ptr, NULL, NULL), SPMM_OK);
    s.c_col_ind = test_sparse_room(s.c_row_ptr[s.a->rows], sizeof *s.c_col_ind);
    assert_int_equal(spmmi_spgemm_columns(&task, &repeats, 1, s.c_row_ptr, s.c_col_ind, NULL), SPMM_OK);
    spmmi_spgemm_repeats_free(&repeats);
    *stage = (struct spmmi_spgemm_stage){.task = task, .c = {s.a->rows, s.b->cols, s.c_row_ptr, s.c_col_ind}};
    return s;
}

void test_sparse_scene_free(struct test_sparse_scene *scene)
{
    test_matrix_free(scene->a);
    test_matrix_free(scene->b);
    free(scene->c_row_ptr);
    free(scene->c_col_ind);
}
