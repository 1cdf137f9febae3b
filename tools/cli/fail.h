/* SPDX-License-Identifier: Apache-2.0 */
/* How functions of the tools fail: a status and one sentence in the caller's spmm_diag_t. */
#ifndef SPMM_TOOLS_FAIL_H
#define SPMM_TOOLS_FAIL_H

#include <spmm/common.h>

/* Store status and sentence (diag is not NULL) and return the status. */
__attribute__((format(printf, 3, 4))) spmm_status_t fail(spmm_diag_t *diag, spmm_status_t status,
                                                         const char *format, ...);

/* The same when an allocation came back empty. */
spmm_status_t fail_memory(spmm_diag_t *diag, uint64_t bytes, const char *what);

/* Forward a failure to the cleanup label of the function. */
#define TRY(call)              \
    do {                       \
        status = (call);       \
        if (status != SPMM_OK) \
            goto cleanup;      \
    } while (0)

#endif
