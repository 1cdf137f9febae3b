/* SPDX-License-Identifier: Apache-2.0 */
/* What an executor holds, and the checks that every product passes. */
#ifndef SPMMI_EXECUTOR_STATE_H
#define SPMMI_EXECUTOR_STATE_H

#include <pthread.h>
#include <stdbool.h>

#include <spmm/executor.h>

#include "executor/cpu/cpu_backend.h"
#include "executor/cuda/cuda_backend.h"
#include "executor/jit/jit_state.h"

struct spmm_executor {
    int device;
    uint32_t target; /* of struct spmmi_variant */
    bool has_values;
    bool has_unit_values;          /* of the options */
    pthread_rwlock_t *values_lock; /* products read the values, new values are written */
    char device_name[64];
    /* The plan's dimensions and its variants for this type of values, without any array. */
    struct spmm_plan shape;
    uint32_t variant_of[SPMMI_VARIANT_MAX]; /* of spmmi_typed_plan */
    spmm_dtype_t plan_type;                 /* values of the plan: shape has those of the executor */
    uint64_t parts_hash;                    /* spmmi_parts_hash of the typed plan */
    uint64_t given_up;                      /* as of struct spmmi_settled_plan */
    struct spmmi_cpu *cpu;                  /* one of the two */
    struct spmmi_cuda *cuda;
    struct spmmi_jit *jit; /* beside cuda; else NULL. What products look up in it is under values_lock */
};

static inline bool spmmi_is_given_up(const spmm_executor_t *executor, int variant)
{
    return (executor->given_up >> variant & 1) != 0;
}

/* Which variant runs a product, and whether it was made for it. */
struct spmmi_choice {
    int variant;
    bool fits;
};

/* Check op, shapes, types and leading dimensions, then choose. Data pointers are not checked.
 * Clears diag first. Errors: ARGUMENT, UNSUPPORTED, TYPE, SHAPE, TOO_LARGE, NO_VARIANT. */
spmm_status_t spmmi_product_check(const spmm_executor_t *executor, spmm_op_t op, const spmm_dense_t *b,
                                  const spmm_dense_t *c, struct spmmi_choice *choice, spmm_diag_t *diag);

/* Check the data pointers of a product that passed the check above; B only when it will be read.
 * Errors: ARGUMENT, OVERLAP. */
spmm_status_t spmmi_product_data_check(const spmm_dense_t *b, const spmm_dense_t *c, bool reads_b,
                                       spmm_diag_t *diag);

/* A factor as kernels take it, rounded to the type of sums; that of f64 is double, of the others float. name is that of
 * the factor. Errors: ARGUMENT. */
spmm_status_t spmmi_factor_read(const spmm_executor_t *executor, const char *name, spmm_scalar_t factor,
                                double *real, spmm_diag_t *diag);

/* A product that passed the first check, in the plan's types. */
struct spmmi_product spmmi_product_of(const spmm_executor_t *executor, const struct spmmi_choice *choice,
                                      spmm_op_t op, const spmm_dense_t *b, const spmm_dense_t *c);

/* Bytes of workspace for it. */
uint64_t spmmi_product_workspace(const spmm_executor_t *executor, int variant,
                                 const struct spmmi_product *product);

/* Tell the log what was made, and what the plan lacks for this device. */
void spmmi_executor_log(const spmm_executor_t *executor);

#endif
