/* SPDX-License-Identifier: Apache-2.0 */
/* spmm_executor_prepare: work that takes time once and makes later products faster. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "executor_state.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/options.h"

static double seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Returns why no operator can run such products, in static memory; NULL: an operator may be possible. */
static const char *refuse(const spmm_executor_t *executor, const spmm_dense_t *b, const spmm_dense_t *c,
                          unsigned flags)
{
    if (executor->jit == NULL)
        return "operators are for GPUs";
    if ((b->cols < SPMMI_JIT_N_MIN || spmmi_jit_is_strided(b, c)) && (flags & SPMM_PREPARE_ANY_WIDTH) == 0)
        return "operators are for row-major products of at least 8192 columns";
    return spmmi_jit_refuse(executor->jit);
}

_Static_assert(SPMMI_JIT_NNZ_MAX <= SPMMI_CUDA_VALUES_KEPT, "the values of operators are there");

/* Copies the current values of A to *values, which the caller frees, and returns their generation. *values
 * stays NULL if the executor has no values. Waits for the GPU without holding the lock, as in values.c: if
 * values are set meanwhile, their generation differs. */
static spmm_status_t values_read(const spmm_executor_t *executor, void **values, uint64_t *generation,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    (void)pthread_rwlock_rdlock(executor->values_lock);
    *generation = spmmi_jit_generation(executor->jit);
    const int has_values = executor->has_values;
    const void *const from = spmmi_cuda_values(executor->cuda);
    (void)pthread_rwlock_unlock(executor->values_lock);
    if (!has_values)
        goto cleanup;
    SPMM_TRY_ALLOC(*values =
                       spmmi_alloc((uint64_t)executor->shape.nnz, spmm_dtype_size(executor->shape.dtype)),
                   diag);
    SPMM_TRY(spmmi_cuda_values_read(executor->cuda, from, *values, diag));
cleanup:
    return status;
}

/* Makes products like this one run the operator for its op and types. Returns false if
 * there is no such operator. */
static int widen(spmm_executor_t *executor, const struct spmmi_product *product)
{
    (void)pthread_rwlock_wrlock(executor->values_lock);
    const int is_there = spmmi_jit_widen(executor->jit, product);
    (void)pthread_rwlock_unlock(executor->values_lock);
    return is_there;
}

static int publish(spmm_executor_t *executor, struct spmmi_jit_operator *made, uint64_t generation,
                   const struct spmmi_product *product)
{
    (void)pthread_rwlock_wrlock(executor->values_lock);
    const int is_current = spmmi_jit_publish(executor->jit, made, generation);
    if (is_current)
        (void)spmmi_jit_widen(executor->jit, product); /* finds the operator that was just published */
    (void)pthread_rwlock_unlock(executor->values_lock);
    return is_current;
}

/* Finds or makes the operator. The caller holds spmmi_jit_lock. */
static spmm_status_t operator_prepare(spmm_executor_t *executor, const struct spmmi_product *product,
                                      spmm_preparation_t *result, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    void *values = NULL;
    uint64_t generation = 0;
    enum spmmi_jit_origin origin;
    if (widen(executor, product)) {
        result->how = SPMM_PREPARED_BEFORE;
        return SPMM_OK;
    }
    SPMM_TRY(values_read(executor, &values, &generation, diag));
    if (values == NULL) {
        (void)snprintf(result->note, sizeof result->note, "the executor has no values yet");
        goto cleanup;
    }
    struct spmmi_jit_operator *made =
        spmmi_jit_compile(executor->jit, product, values, &origin, result->note);
    if (made == NULL)
        goto cleanup;
    if (publish(executor, made, generation, product)) {
        result->how = origin == SPMMI_JIT_DISK ? SPMM_PREPARED_LOADED : SPMM_PREPARED_COMPILED;
    } else {
        spmmi_jit_discard(executor->jit, made);
        result->how = SPMM_PREPARED_STALE;
    }
cleanup:
    spmmi_free(values);
    return status;
}

spmm_status_t spmm_executor_prepare(spmm_executor_t *executor, spmm_op_t op, const spmm_dense_t *b,
                                    const spmm_dense_t *c, unsigned flags, spmm_preparation_t *result,
                                    spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_choice choice;
    spmm_preparation_t full;
    const double start = seconds_now();
    memset(&full, 0, sizeof full);
    SPMM_TRY(spmmi_product_check(executor, op, b, c, &choice, diag));
    SPMM_REQUIRE(result != NULL, SPMM_ERR_ARGUMENT, diag, "the result is NULL");
    SPMM_REQUIRE(spmmi_info_write(result, &full, sizeof full) == SPMM_OK, SPMM_ERR_ARGUMENT, diag,
                 "struct_size of the preparation is %zu: it was not initialised", result->struct_size);
    SPMM_REQUIRE((flags & ~SPMM_PREPARE_ANY_WIDTH) == 0, SPMM_ERR_ARGUMENT, diag,
                 "flags is 0x%x, expected 0 or SPMM_PREPARE_ANY_WIDTH", flags);
    const char *why = refuse(executor, b, c, flags);
    if (why != NULL) {
        (void)snprintf(full.note, sizeof full.note, "%s", why);
    } else {
        const struct spmmi_product product = spmmi_product_of(executor, &choice, op, b, c);
        spmmi_jit_lock(executor->jit);
        status = operator_prepare(executor, &product, &full, diag);
        spmmi_jit_unlock(executor->jit);
    }
    full.seconds = seconds_now() - start;
    SPMM_TRY(status);
    (void)spmmi_info_write(result, &full, sizeof full);
cleanup:
    return status;
}
