/* SPDX-License-Identifier: Apache-2.0 */
/* Filling a caller's spmm_diag_t, and the one shape of every function that can fail:
 *
 *     spmm_status_t status = SPMM_OK;
 *     resource *r = NULL;
 *     SPMM_REQUIRE(condition, SPMM_ERR_X, diag, "expected ..., found %d", found);
 *     SPMM_TRY(inner(..., diag));
 *     *out = r; r = NULL;
 *   cleanup:
 *     destroy(r);
 *     return status;                                                                          */
#ifndef SPMMI_DIAG_H
#define SPMMI_DIAG_H

#include <spmm/common.h>

struct spmmi_where {
    uint64_t offset, line;
    int native_error;
};

/* Record a failure unless one is recorded already, and tell it to the log. Returns status. diag may be NULL. */
__attribute__((format(printf, 4, 5))) spmm_status_t
spmmi_diag_set(spmm_diag_t *diag, spmm_status_t status, struct spmmi_where where, const char *format, ...);

void spmmi_diag_clear(spmm_diag_t *diag); /* public functions call it first */

/* Given as diag where a failure is found again later and reported then: it takes no sentence, and the log gets none. It
 * is never written, so threads may share it. */
extern spmm_diag_t spmmi_diag_unheard;

#define SPMM_FAIL_AT(code, diag, where, ...)                           \
    do {                                                               \
        status = spmmi_diag_set((diag), (code), (where), __VA_ARGS__); \
        goto cleanup;                                                  \
    } while (0)
#define SPMM_FAIL(code, diag, ...) SPMM_FAIL_AT(code, diag, ((struct spmmi_where){0, 0, 0}), __VA_ARGS__)
#define SPMM_REQUIRE(condition, code, diag, ...) \
    do {                                         \
        if (!(condition))                        \
            SPMM_FAIL(code, diag, __VA_ARGS__);  \
    } while (0)
/* The same with an offset: a byte offset in a plan file, or a row or entry number. */
#define SPMM_REQUIRE_AT(condition, code, diag, at, ...)                                \
    do {                                                                               \
        if (!(condition))                                                              \
            SPMM_FAIL_AT(code, diag, ((struct spmmi_where){(at), 0, 0}), __VA_ARGS__); \
    } while (0)
/* A rule of docs/plan-format.md, named as its status is there; the function's diag gets the offset. */
#define SPMM_RULE(condition, rule, at, ...) \
    SPMM_REQUIRE_AT(condition, SPMM_ERR_PLAN_##rule, diag, at, __VA_ARGS__)
#define SPMM_TRY(call)         \
    do {                       \
        status = (call);       \
        if (status != SPMM_OK) \
            goto cleanup;      \
    } while (0)
#define SPMM_TRY_ALLOC(pointer, diag) \
    SPMM_REQUIRE((pointer) != NULL, SPMM_ERR_MEMORY, diag, "out of memory in %s", __func__)

#endif
