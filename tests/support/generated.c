/* SPDX-License-Identifier: Apache-2.0 */
/* See generated.h. */
#include "generated.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

spmm_matrix_t *test_generated(const char *spec)
{
    spmm_matrix_t *m = NULL;
    spmm_diag_t diag = {0};
    if (spmm_matrix_generate(spec, &m, &diag) != SPMM_OK)
        fail_msg("%s: %s", spec, diag.text);
    return m;
}

void *test_zeroed(int64_t count, size_t size)
{
    void *block = calloc((size_t)count + 1, size);
    assert_non_null(block);
    return block;
}
