/* SPDX-License-Identifier: Apache-2.0 */
/* How often CUDA's driver is called, by whatever library: counted by CUPTI, which is looked for at run time. Times that
 * are measured in the same process suffer. */
#ifndef SPMM_TESTS_API_CALLS_H
#define SPMM_TESTS_API_CALLS_H

#include <spmm/common.h>

struct api_calls {
    int64_t all;
    int64_t memory; /* of them those that take or free memory, or ask for it */
    int64_t copies; /* and fills */
    int64_t launches;
};

/* path: CUPTI's library; NULL: where the loader finds it. DEVICE where it cannot count. */
spmm_status_t api_calls_open(const char *path, spmm_diag_t *diag);
void api_calls_close(void);
/* Count from 0. */
void api_calls_start(void);
/* Since the start, which goes on. */
struct api_calls api_calls_now(void);

#endif
