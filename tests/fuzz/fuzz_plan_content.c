/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: the input chooses a valid plan and changes its content. The resulting file must be refused
 * with a sentence, or the plan must run as it says (tests/support/content_check.h). */
#include <stdlib.h>

#include "tests/support/content_check.h"
#include "tests/support/content_mutate.h"
#include "tests/support/content_plan.h"

#define PLANS 256 /* number of plans that test_content_plan keeps */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct test_stream stream = test_stream_of_bytes(data, size);
    struct test_content_tally tally = {.files = 0};
    spmm_diag_t diag;
    size_t file_bytes = 0;
    int is_valid = 0;
    spmm_plan_t *plan = test_content_plan(test_stream_below(&stream, PLANS));
    uint8_t *file = test_content_file(&stream, plan, &file_bytes, &is_valid);
    const spmm_status_t status = test_content_check(&stream, file, file_bytes, &tally, &diag);
    TEST_CONTENT_MUST(!is_valid || test_content_may_be(status, file, file_bytes),
                      "a plan that nobody changed is refused: %s", diag.text);
    free(file);
    return 0;
}
