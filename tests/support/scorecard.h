/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of docs/reliability.md that tests print as lines "scorecard: METRIC number words", which
 * tools/dev/scorecard reads. */
#ifndef TEST_SCORECARD_H
#define TEST_SCORECARD_H

#include <errno.h>
#include <stdio.h>

#include "format/base/alloc.h"

/* Prints the number of allocations that the tests of this program made fail, if all tests passed. Returns
 * failed. */
static inline int test_score_allocations(int failed)
{
    if (failed == 0)
        printf("scorecard: E6 %lld failing allocations in %s\n", (long long)spmmi_alloc_failures(),
               program_invocation_short_name);
    return failed;
}

#endif
