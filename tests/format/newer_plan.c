/* SPDX-License-Identifier: Apache-2.0 */
/* See newer_plan.h. */
#include "newer_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/support/plan_seal.h"

struct forge *newer_plan(const char *writer)
{
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan =
        test_plan_whole(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0}, "a");
    void *bytes = NULL;
    size_t size = 0;
    (void)snprintf(plan->writer, sizeof plan->writer, "%s", writer);
    assert_int_equal(spmm_plan_write(plan, NULL, &bytes, &size, NULL), SPMM_OK);
    struct forge *forge = forge_open(bytes, size);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
    return forge;
}

void newer_plan_writer(struct forge *forge, const char *text, size_t length)
{
    struct forge_section *section = forge_find(forge, SPMMI_SECTION_WRITER, SPMMI_NO_PART);
    forge_set_content(section, text, length, (struct forge_zstd){0, 0, 0});
    section->entry.raw_bytes = length;
}
