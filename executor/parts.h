/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that an executor runs: which part runs each variant, and the states of the parts. This is the
 * same for all families and devices. cpu/cpu_parts.c and cuda/cuda_parts.c choose the parts. */
#ifndef SPMMI_PARTS_H
#define SPMMI_PARTS_H

#include "backend.h"
#include "needs.h"

#define SPMMI_PART_MADE UINT32_MAX /* index of a part that default_part made: the plan does not have it */
#define SPMMI_SHARED_MAX 16

struct spmmi_loaded {
    struct spmmi_part part; /* items are valid only while the parts are loaded */
    uint32_t index;         /* index in the plan, or SPMMI_PART_MADE */
    const struct spmmi_backend *backend;
    void *state;
};

struct spmmi_shared {
    const struct spmmi_shared_kind *kind;
    spmm_op_t op;
    void *object;
};

struct spmmi_parts {
    struct spmmi_shared shared[SPMMI_SHARED_MAX];
    uint32_t shared_count;
    uint32_t count;
    int reads_values; /* GPU: some part reads device->values; known once states are made or counted */
    int64_t n_max;    /* as in struct spmmi_part_source */
    /* Index in list of the part that runs a variant; set only for variants that a product can reach. */
    uint32_t of_variant[SPMMI_VARIANT_MAX];
    struct spmmi_loaded list[];
};

/* Allocates a list without parts that can hold one part per variant. Returns NULL if memory is short. */
struct spmmi_parts *spmmi_parts_new(const spmm_plan_t *plan);
/* Returns the bytes that spmmi_parts_new allocates. */
uint64_t spmmi_parts_bytes(const spmm_plan_t *plan);
void spmmi_parts_destroy(struct spmmi_parts *parts);

/* Makes the variant run this part. index is its index in the plan, or SPMMI_PART_MADE.
 * Equal parts are kept once. */
void spmmi_parts_add(struct spmmi_parts *parts, uint32_t variant, const struct spmmi_part *part,
                     uint32_t index, const struct spmmi_backend *backend);

/* Makes the states of all parts and adds the bytes that they take: host memory on the CPU, else GPU memory.
 * suffix and waiting are as in struct spmmi_part_source. */
spmm_status_t spmmi_parts_load(struct spmmi_parts *parts, const spmm_plan_t *plan,
                               const struct spmmi_device *device, const char *suffix,
                               struct spmmi_uploads *waiting, uint64_t *bytes, spmm_diag_t *diag);
/* Makes no state, but adds all memory that making them needs. Stops with PLAN_BUDGET as soon
 * as it exceeds a budget. */
spmm_status_t spmmi_parts_count(struct spmmi_parts *parts, const spmm_plan_t *plan,
                                const struct spmmi_device *device, const char *suffix,
                                struct spmmi_needs *needs, spmm_diag_t *diag);

/* Hashes the variants and parts of the plan with their items: plans of one matrix
 * may differ only in these. */
uint64_t spmmi_parts_hash(const spmm_plan_t *plan);

/* Passes new values to all shared objects and parts; see set_values of struct spmmi_backend. */
spmm_status_t spmmi_parts_set_values(struct spmmi_parts *parts, const void *values, void *stream);
static inline const struct spmmi_loaded *spmmi_parts_of(const struct spmmi_parts *parts, int variant)
{
    return &parts->list[parts->of_variant[variant]];
}

/* Returns the part that runs this product of the variant. That is the variant's own part, unless B or C have
 * other types than A and its family has no kernels for them: then the first loaded part of the same op whose
 * family has such kernels. NULL: there is none. */
const struct spmmi_loaded *spmmi_parts_for(const struct spmmi_parts *parts, int variant,
                                           const struct spmmi_product *product);

#endif
