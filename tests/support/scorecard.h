/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of docs/reliability.md that tests print: lines "scorecard: METRIC number words", read by
 * tools/dev/scorecard. */
#ifndef TEST_SCORECARD_H
#define TEST_SCORECARD_H

#include <errno.h>
#include <stdio.h>

#include "format/base/alloc.h"

/* Prints how many allocations the tests of this program made to fail, if all of them passed. Returns failed. */
static inline int test_score_allocations(int failed)
{
    if (failed == 0)
        printf("scorecard: E6 %lld failing allocations in %s\n", (long long)spmmi_alloc_failures(),
               program_invocation_short_name);
    return failed;
}

#endif
