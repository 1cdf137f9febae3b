/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that an executor runs, whatever their families and its device: which of them run which variant, and their
 * states. Choosing them is for each side: cpu/cpu_parts.c, cuda/cuda_parts.c. */
#ifndef SPMMI_PARTS_H
#define SPMMI_PARTS_H

#include "backend.h"
#include "needs.h"

#define SPMMI_PART_MADE UINT32_MAX /* not of the plan, but of default_part */
#define SPMMI_SHARED_MAX 16

struct spmmi_loaded {
    struct spmmi_part part; /* items only while the parts are loaded */
    uint32_t index;         /* in the plan, or MADE */
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
    int reads_values; /* on a GPU: some part reads device->values; known when states are made or counted */
    int64_t n_max;    /* of struct spmmi_part_source */
    uint32_t
        of_variant[SPMMI_VARIANT_MAX]; /* the part that runs it; only of variants that a product can reach */
    struct spmmi_loaded list[];
};

/* No parts, room for one a variant; NULL when memory is short. */
struct spmmi_parts *spmmi_parts_new(const spmm_plan_t *plan);
/* Bytes of that. */
uint64_t spmmi_parts_bytes(const spmm_plan_t *plan);
void spmmi_parts_destroy(struct spmmi_parts *parts);

/* The variant runs this part, of the plan where index says which, else made. */
void spmmi_parts_add(struct spmmi_parts *parts, uint32_t variant, const struct spmmi_part *part,
                     uint32_t index, const struct spmmi_backend *backend);

/* Make all states and add the bytes that they take, of the CPU or of the GPU's memory. suffix and waiting as of struct
 * spmmi_part_source. */
spmm_status_t spmmi_parts_load(struct spmmi_parts *parts, const spmm_plan_t *plan,
                               const struct spmmi_device *device, const char *suffix,
                               struct spmmi_uploads *waiting, uint64_t *bytes, spmm_diag_t *diag);
/* Make none and add all that making them needs. PLAN_BUDGET as soon as it is known to be too much. */
spmm_status_t spmmi_parts_count(struct spmmi_parts *parts, const spmm_plan_t *plan,
                                const struct spmmi_device *device, const char *suffix,
                                struct spmmi_needs *needs, spmm_diag_t *diag);

/* Variants and parts of the plan with their items: plans of one matrix may differ in them alone. */
uint64_t spmmi_parts_hash(const spmm_plan_t *plan);

/* As of struct spmmi_backend. */
spmm_status_t spmmi_parts_set_values(struct spmmi_parts *parts, const void *values, void *stream);
static inline const struct spmmi_loaded *spmmi_parts_of(const struct spmmi_parts *parts, int variant)
{
    return &parts->list[parts->of_variant[variant]];
}

/* The part that runs this product of the variant: its own, or, where B or C have other types than A and its family has
 * no kernels for them, the first loaded one of the same op whose family has. NULL: there is none. */
const struct spmmi_loaded *spmmi_parts_for(const struct spmmi_parts *parts, int variant,
                                           const struct spmmi_product *product);

#endif
