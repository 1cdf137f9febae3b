/* SPDX-License-Identifier: Apache-2.0 */
/* Functions and macros that report failures in a caller's spmm_diag_t. Every function that can fail has this
 * form:
 *
 *     spmm_status_t status = SPMM_OK;
 *     resource *r = NULL;
 *     SPMM_REQUIRE(condition, SPMM_ERR_X, diag, "expected ..., found %d", found);
 *     SPMM_TRY(inner(..., diag));
 *     *out = r; r = NULL;
 *   cleanup:
 *     destroy(r);
 *     return status; */
#ifndef SPMMI_DIAG_H
#define SPMMI_DIAG_H

#include <spmm/common.h>

struct spmmi_where {
    uint64_t offset, line;
    int native_error;
};

/* Records a failure in diag, unless diag holds one already, and writes it to the log. Returns status. diag
 * may be NULL; then the failure is only logged. */
__attribute__((format(printf, 4, 5))) spmm_status_t
spmmi_diag_set(spmm_diag_t *diag, spmm_status_t status, struct spmmi_where where, const char *format, ...);

void spmmi_diag_clear(spmm_diag_t *diag); /* every public function calls it first */

/* A diag that discards failures: nothing is recorded or logged. It is for checks whose failure is found and
 * reported again later. It is never written, so threads may share it. */
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
/* SPMM_REQUIRE with an offset `at`: a byte offset in a plan file, or the number of a row or entry. */
#define SPMM_REQUIRE_AT(condition, code, diag, at, ...)                                \
    do {                                                                               \
        if (!(condition))                                                              \
            SPMM_FAIL_AT(code, diag, ((struct spmmi_where){(at), 0, 0}), __VA_ARGS__); \
    } while (0)
/* Requires a rule of docs/plan-format.md. Its status is SPMM_ERR_PLAN_<rule>.
 * Uses the variable diag of the function. */
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
