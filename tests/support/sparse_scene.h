/* SPDX-License-Identifier: Apache-2.0 */
/* Two factors and the pattern of their product, in the form that the host side of sparse products needs. */
#ifndef TEST_SPARSE_SCENE_H
#define TEST_SPARSE_SCENE_H

#include "executor/spgemm/spgemm_stage.h"
#include "matrices.h"

struct test_sparse_scene {
    struct test_matrix *a, *b;
    int64_t *c_row_ptr;
    int32_t *c_col_ind;
};

/* Makes a scene. *stage gets the task and the pattern of C, which point into the scene; its other fields are
 * 0. */
struct test_sparse_scene test_sparse_scene_of(const struct test_pattern *a, const struct test_pattern *b,
                                              int is_lower, struct spmmi_spgemm_stage *stage);
void test_sparse_scene_free(struct test_sparse_scene *scene);

/* Allocates zeros, one element more than count, so that the result is never NULL. Fails the test if memory is
 * short. Free it with free. */
void *test_sparse_room(int64_t count, size_t size);

#endif
