/* SPDX-License-Identifier: Apache-2.0 */
/* Failures of the tools' functions: a status and one sentence in the caller's spmm_diag_t. */
#ifndef SPMM_TOOLS_FAIL_H
#define SPMM_TOOLS_FAIL_H

#include <spmm/common.h>

/* Stores status and sentence in diag (not NULL) and returns status. */
__attribute__((format(printf, 3, 4))) spmm_status_t fail(spmm_diag_t *diag, spmm_status_t status,
                                                         const char *format, ...);

/* Stores that `what` needs this many bytes and that they could not be allocated. Returns MEMORY. */
spmm_status_t fail_memory(spmm_diag_t *diag, uint64_t bytes, const char *what);

/* Jumps to the cleanup label of the function if call fails. Needs a variable status. */
#define TRY(call)              \
    do {                       \
        status = (call);       \
        if (status != SPMM_OK) \
            goto cleanup;      \
    } while (0)

#endif
