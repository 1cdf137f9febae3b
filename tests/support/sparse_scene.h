/* SPDX-License-Identifier: Apache-2.0 */
/* Two factors and the pattern of their product, as the host's side of sparse products takes them. */
#ifndef TEST_SPARSE_SCENE_H
#define TEST_SPARSE_SCENE_H

#include "executor/spgemm/spgemm_stage.h"
#include "matrices.h"

struct test_sparse_scene {
    struct test_matrix *a, *b;
    int64_t *c_row_ptr;
    int32_t *c_col_ind;
};

/* The stage has the task and the pattern of C, which point into the scene; its other fields are 0. */
struct test_sparse_scene test_sparse_scene_of(const struct test_pattern *a, const struct test_pattern *b,
                                              int is_lower, struct spmmi_spgemm_stage *stage);
void test_sparse_scene_free(struct test_sparse_scene *scene);

/* Zeros, one element more than count, so never NULL; a test without memory fails. Free with free. */
void *test_sparse_room(int64_t count, size_t size);

#endif
