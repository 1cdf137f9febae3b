/* SPDX-License-Identifier: Apache-2.0 */
/* The contents of an executor, and the checks that every product passes. */
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
    uint32_t target; /* as in struct spmmi_variant */
    bool has_values;
    bool has_unit_values;          /* unit_values of the options */
    pthread_rwlock_t *values_lock; /* shared by products, which read the values; exclusive for new values */
    char device_name[64];
    /* The plan's dimensions and its variants for this type of values, without arrays. */
    struct spmm_plan shape;
    uint32_t variant_of[SPMMI_VARIANT_MAX]; /* as in struct spmmi_typed_plan */
    spmm_dtype_t plan_type;                 /* type of the plan's values; shape has the executor's type */
    uint64_t parts_hash;                    /* spmmi_parts_hash of the typed plan */
    uint64_t given_up;                      /* as in struct spmmi_settled_plan */
    struct spmmi_cpu *cpu;                  /* either cpu or cuda is set */
    struct spmmi_cuda *cuda;
    struct spmmi_jit *jit; /* set if cuda is; products look up operators under values_lock */
};

static inline bool spmmi_is_given_up(const spmm_executor_t *executor, int variant)
{
    return (executor->given_up >> variant & 1) != 0;
}

/* The variant that runs a product, and whether it was chosen for such products. */
struct spmmi_choice {
    int variant;
    bool fits;
};

/* Checks op, shapes, types and leading dimensions, then chooses the variant. Does not check data pointers.
 * Clears diag first. Errors: ARGUMENT, UNSUPPORTED, TYPE, SHAPE, TOO_LARGE, NO_VARIANT. */
spmm_status_t spmmi_product_check(const spmm_executor_t *executor, spmm_op_t op, const spmm_dense_t *b,
                                  const spmm_dense_t *c, struct spmmi_choice *choice, spmm_diag_t *diag);

/* Checks the data pointers of a product that passed spmmi_product_check; those of B only if reads_b.
 * Errors: ARGUMENT, OVERLAP. */
spmm_status_t spmmi_product_data_check(const spmm_dense_t *b, const spmm_dense_t *c, bool reads_b,
                                       spmm_diag_t *diag);

/* Reads alpha or beta, rounded to the type of sums: double for f64, float for other types. name is used in
 * messages.
 * Errors: ARGUMENT. */
spmm_status_t spmmi_factor_read(const spmm_executor_t *executor, const char *name, spmm_scalar_t factor,
                                double *real, spmm_diag_t *diag);

/* Describes a product that passed spmmi_product_check, in the plan's types. */
struct spmmi_product spmmi_product_of(const spmm_executor_t *executor, const struct spmmi_choice *choice,
                                      spmm_op_t op, const spmm_dense_t *b, const spmm_dense_t *c);

/* Returns the bytes of workspace of this product. */
uint64_t spmmi_product_workspace(const spmm_executor_t *executor, int variant,
                                 const struct spmmi_product *product);

/* Logs what was made, and what the plan lacks for this device. */
void spmmi_executor_log(const spmm_executor_t *executor);

#endif
