/* SPDX-License-Identifier: Apache-2.0 */
/* See inspect_support.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "inspect_support.h"

const char *const inspect_specs[INSPECT_SPEC_COUNT] = {
    "gen:fem3:4:4:4", "gen:femshuf:4:4:4", "gen:lap27:6",     "gen:qcd:2",       "gen:band:500:9",
    "gen:band:500:2", "gen:block:128:8:3", "gen:rand:900:12", "gen:rmat:9:8",    "gen:dense:30:40",
    "gen:diag:100",   "gen:arrow:900",     "gen:empty:5:7",   "gen:empty:0:7",   "gen:empty:7:0",
    "gen:empty:0:0",  "gen:diag:1",        "gen:dense:1:999", "gen:dense:999:1", "gen:powerlaw:300:300:4",
};

spmm_matrix_t *inspect_generate(const char *spec)
{
    spmm_matrix_t *m = NULL;
    spmm_diag_t diag = {0};
    if (spmm_matrix_generate(spec, &m, &diag) != SPMM_OK)
        fail_msg("%s: %s", spec, diag.text);
    return m;
}

spmm_plan_t *inspect_plan(const spmm_matrix_t *m, const spmm_inspect_options_t *options)
{
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag = {0};
    if (spmm_inspect(m, options, &plan, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    assert_int_equal(diag.status, SPMM_OK);
    return plan;
}
