/* SPDX-License-Identifier: Apache-2.0 */
/* Making and destroying certifiers. */
#include "certifier.h"

#include <string.h>

#include "executor/parts.h"
#include "executor/typed_plan.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/check/plan_check.h"
#include "format/base/options.h"
#include "format/base/team.h"

#define VECTORS_DEFAULT 16
#define VECTORS_MAX 64

spmm_status_t spmmi_certifier_options(const spmm_certifier_options_t *from, spmm_certifier_options_t *to,
                                      spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_device_memory memory;
    *to = (spmm_certifier_options_t)SPMM_CERTIFIER_OPTIONS_INIT;
    SPMM_TRY(spmmi_options_read(to, sizeof *to, from, "certifier options", diag));
    SPMM_REQUIRE(to->vectors >= 0 && to->vectors <= VECTORS_MAX, SPMM_ERR_ARGUMENT, diag,
                 "vectors is %d, expected 1 to %d, or 0 for %d", to->vectors, VECTORS_MAX, VECTORS_DEFAULT);
    SPMM_REQUIRE(to->threads >= 0, SPMM_ERR_ARGUMENT, diag, "threads is %d, expected 0 or more", to->threads);
    SPMM_TRY(spmmi_device_memory_open(to->allocator, SPMM_DEVICE_CPU, &memory, diag));
    to->threads = spmmi_team_clamp(to->threads, "a certifier");
    to->vectors = to->vectors == 0 ? VECTORS_DEFAULT : to->vectors;
cleanup:
    return status;
}

/* to[q] = from[map[q]] */
static void gather(void *to, const void *from, const int64_t *map, int64_t count, size_t size)
{
    for (int64_t q = 0; q < count; q++)
        memcpy((char *)to + (size_t)q * size, (const char *)from + (size_t)map[q] * size, size);
}

static spmm_status_t transpose(spmm_certifier_t *c, const struct spmmi_certify_csr *a, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const size_t size = spmm_dtype_size(c->executor->shape.dtype);
    int64_t *map = spmmi_alloc((uint64_t)a->nnz, sizeof *map);
    SPMM_TRY_ALLOC(map, diag);
    SPMM_TRY_ALLOC(c->row_ptr = spmmi_alloc((uint64_t)a->cols + 1, sizeof *c->row_ptr), diag);
    SPMM_TRY_ALLOC(c->col_ind = spmmi_alloc((uint64_t)a->nnz, sizeof *c->col_ind), diag);
    SPMM_TRY_ALLOC(c->values = spmmi_alloc((uint64_t)a->nnz, size), diag);
    status = spmmi_transpose(a->rows, a->cols, a->row_ptr, a->col_ind, c->row_ptr, c->col_ind, map);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory while transposing the pattern");
    gather(c->values, a->values, map, a->nnz, size);
    c->a[SPMM_OP_T] = (struct spmmi_certify_csr){a->cols, a->rows, a->nnz, c->row_ptr, c->col_ind, c->values};
cleanup:
    spmmi_free(map);
    return status;
}

static void transposed_free(spmm_certifier_t *c)
{
    spmmi_free(c->values);
    spmmi_free(c->col_ind);
    spmmi_free(c->row_ptr);
    c->values = NULL;
    c->col_ind = NULL;
    c->row_ptr = NULL;
}

/* Makes op(A) for each op that the plan has variants for, in the memory of the executor's device. */
static spmm_status_t operands_make(spmm_certifier_t *c, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_plan_t *plan = c->plan;
    const spmm_dtype_t type = c->executor->shape.dtype;
    if (c->options.values == NULL)
        SPMM_TRY(spmmi_typed_values(plan, type, c->options.threads, &c->rounded, diag));
    const void *values = c->options.values != NULL ? c->options.values
                         : c->rounded != NULL      ? c->rounded
                                                   : plan->values;
    const struct spmm_plan *shape = &c->executor->shape;
    for (uint32_t i = 0; i < shape->variant_count; i++)
        c->has_op[shape->variants[i].op] = 1;
    c->a[SPMM_OP_N] =
        (struct spmmi_certify_csr){plan->rows, plan->cols, plan->nnz, plan->row_ptr, plan->col_ind, values};
    if (c->has_op[SPMM_OP_T])
        SPMM_TRY(transpose(c, &c->a[SPMM_OP_N], diag));
    for (int op = 0; c->executor->cuda != NULL && op < SPMMI_OPS; op++)
        if (c->has_op[op])
            SPMM_TRY(spmmi_certify_cuda_upload(&c->memory, &c->a[op], type, &c->device[op], diag));
    if (c->executor->cuda != NULL) {
        transposed_free(c);
        spmmi_free(c->rounded);
        c->rounded = NULL;
    }
cleanup:
    return status;
}

/* Without an allocator of its own, the certifier uses the allocator of the executor. The allocator was checked
 * with the options, so opening it does not fail. */
static void memory_open(spmm_certifier_t *c, const spmm_device_allocator_t *allocator)
{
    if (allocator != NULL || c->executor->cuda == NULL) {
        (void)spmmi_device_memory_open(allocator, c->executor->device, &c->memory, &spmmi_diag_unheard);
        return;
    }
    c->memory = *spmmi_cuda_memory(c->executor->cuda);
    c->memory.count = NULL; /* its blocks do not count as the executor's, nor against its budget */
}

spmm_status_t spmm_certifier_create(const spmm_plan_t *plan, const spmm_executor_t *executor,
                                    const spmm_certifier_options_t *options, spmm_certifier_t **certifier,
                                    spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_certifier_t *made = NULL;
    spmm_certifier_options_t settled;
    struct spmmi_typed_plan typed;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(certifier != NULL, SPMM_ERR_ARGUMENT, diag, "the pointer for the certifier is NULL");
    *certifier = NULL;
    SPMM_REQUIRE(plan != NULL && executor != NULL, SPMM_ERR_ARGUMENT, diag, "the %s is NULL",
                 plan == NULL ? "plan" : "executor");
    SPMM_TRY(spmmi_certifier_options(options, &settled, diag));
    const spmm_plan_t *shape = &executor->shape;
    const int is_same_matrix =
        memcmp(plan->pattern_digest, shape->pattern_digest, sizeof plan->pattern_digest) == 0;
    SPMM_REQUIRE(is_same_matrix && plan->dtype == executor->plan_type &&
                     spmmi_typed_plan(plan, shape->dtype, &typed, &spmmi_diag_unheard) == SPMM_OK &&
                     spmmi_parts_hash(&typed.plan) == executor->parts_hash,
                 SPMM_ERR_MISMATCH, diag, "the executor was made from another plan");
    SPMM_REQUIRE(settled.values != NULL || plan->values != NULL || plan->nnz == 0, SPMM_ERR_NO_VALUES, diag,
                 "the plan holds no values and the options give none");
    SPMM_TRY(spmmi_check_digests(plan, settled.values == NULL, diag));
    SPMM_TRY_ALLOC(made = spmmi_alloc_zero(1, sizeof *made), diag);
    made->plan = plan;
    made->executor = executor;
    made->options = settled;
    made->options.allocator = NULL;
    memory_open(made, settled.allocator);
    SPMM_TRY(operands_make(made, diag));
    *certifier = made;
    made = NULL;
cleanup:
    spmm_certifier_destroy(made);
    return status;
}

void spmm_certifier_destroy(spmm_certifier_t *certifier)
{
    if (certifier == NULL)
        return;
    for (int op = 0; op < SPMMI_OPS; op++)
        spmmi_certify_cuda_free(certifier->device[op]);
    transposed_free(certifier);
    spmmi_free(certifier->rounded);
    spmmi_free(certifier);
}
