/* SPDX-License-Identifier: Apache-2.0 */
/* See type_walk.h. */
#include "type_walk.h"

int test_types_at(int index, spmm_types_info_t *types)
{
    *types = (spmm_types_info_t){.struct_size = sizeof *types};
    return spmm_types_at(index, types) == SPMM_OK;
}

void test_types_of_every_matrix(enum test_values values, int shape_count, test_types_check check)
{
    spmm_types_info_t types;
    int turn = 0;
    for (int m = 0; m < test_matrix_count();
         m++, turn++) { /* so that each row of the table gets other turns for the next matrix */
        struct test_matrix *a = test_matrix_make(m, values);
        for (int t = 0; test_types_at(t, &types); t++)
            check(a, &types, (m + t) % shape_count, turn++, values);
        test_matrix_free(a);
    }
}
