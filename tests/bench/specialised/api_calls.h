/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the calls of the CUDA driver by all libraries of the process. It uses CUPTI, which is loaded at
 * run time. Counting slows the process down, so times must not be measured at the same time. */
#ifndef SPMM_TESTS_API_CALLS_H
#define SPMM_TESTS_API_CALLS_H

#include <spmm/common.h>

struct api_calls {
    int64_t all;
    int64_t memory; /* calls that allocate or free memory, or query it */
    int64_t copies; /* copies and fills */
    int64_t launches;
};

/* Loads CUPTI. path: its library; NULL: the loader searches for it. Returns DEVICE if CUPTI cannot count. */
spmm_status_t api_calls_open(const char *path, spmm_diag_t *diag);
void api_calls_close(void);
/* Starts to count from 0. */
void api_calls_start(void);
/* Returns the counts since the start. Counting continues. */
struct api_calls api_calls_now(void);

#endif
