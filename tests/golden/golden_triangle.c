/* SPDX-License-Identifier: Apache-2.0 */
/* See golden_triangle.h. */
#include "golden_triangle.h"

#include <stdlib.h>
#include <string.h>

#include "golden_cases.h"
#include "tests/support/forge.h"
#include "tests/support/plan_seal.h"
#include "tests/support/symmetric_values.h"

static uint8_t *arrow(spmm_dtype_t dtype, int is_mirrored, int is_skew, int has_no_values, const char *source,
                      size_t *size)
{
    const struct test_plan_options options = {dtype, SPMM_SCHEDULE_ROW_SPLIT, 64, 0, has_no_values};
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_whole(a, options, source);
    if (is_mirrored)
        test_symmetric_values(plan, is_skew);
    test_matrix_free(a);
    return golden_written(plan, size);
}

uint8_t *golden_triangle(size_t *size)
{
    return arrow(SPMM_F32, 1, 0, 0, "triangle", size);
}

uint8_t *golden_triangle_skew(size_t *size)
{
    return arrow(SPMM_F64, 1, 1, 0, "triangle_skew", size);
}

uint8_t *golden_triangle_values(size_t *size)
{
    return arrow(SPMM_BF16, 0, 0, 0, "triangle_values", size);
}

uint8_t *golden_triangle_pattern(size_t *size)
{
    return arrow(SPMM_F32, 0, 0, 1, "triangle_pattern", size);
}

uint8_t *golden_triangle_value_less(size_t *size)
{
    size_t content_bytes = 0;
    uint8_t *file = golden_triangle(size);
    struct forge *f = forge_open(file, *size);
    struct forge_section *s = forge_find(f, SPMMI_SECTION_VALUES, SPMMI_NO_PART);
    uint8_t *content = forge_content(s, &content_bytes);
    s->entry.raw_bytes -= sizeof(float); /* stays in range: at least half of the nonzeros */
    forge_set_content(s, content, content_bytes - sizeof(float), (struct forge_zstd){0, 0, 0});
    free(content);
    free(file);
    file = forge_build(f, size);
    forge_free(f);
    return file;
}
