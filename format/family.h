/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of format/family_list.def as a table: what plan files, options and messages know of each kernel family. */
#ifndef SPMMI_FAMILY_H
#define SPMMI_FAMILY_H

#include <spmm/plan.h>

/* Masks of value types. */
#define SPMMI_TYPE_BIT(dtype) (1u << (dtype))
#define SPMMI_TYPE_F32 SPMMI_TYPE_BIT(SPMM_F32)
#define SPMMI_TYPE_F64 SPMMI_TYPE_BIT(SPMM_F64)
#define SPMMI_TYPES_ALL \
    (SPMMI_TYPE_F32 | SPMMI_TYPE_F64 | SPMMI_TYPE_BIT(SPMM_F16) | SPMMI_TYPE_BIT(SPMM_BF16))

/* Beside types: B and C may have other types than A, as format/base/types_list.def lists them. No type is number 0. */
#define SPMMI_TYPES_MIXED SPMMI_TYPE_BIT(0)

enum spmmi_compute_rule { SPMMI_COMPUTE_VALUES, SPMMI_COMPUTE_EITHER, SPMMI_COMPUTE_TENSOR };
enum spmmi_item_size_rule { SPMMI_ITEM_SIZE_POWER, SPMMI_ITEM_SIZE_ANY };
enum spmmi_items_rule {
    SPMMI_ITEMS_ROW_SPLIT,
    SPMMI_ITEMS_NONZERO_SPLIT,
    SPMMI_ITEMS_ROWS,
    SPMMI_ITEMS_SEGMENTS
};
enum spmmi_permutation_rule { SPMMI_PERMUTATION_KEPT, SPMMI_PERMUTATION_FREE, SPMMI_PERMUTATION_OUTPUT };

struct spmmi_family {
    spmm_family_t id;
    const char *name;
    uint64_t feature; /* incompat bit of plan files; 0: none */
    uint32_t types;   /* mask */
    enum spmmi_compute_rule compute;
    int64_t n_min;
    int takes_long_rows;
    uint32_t unit_min, unit_max, slots_min, slots_max;
    uint32_t step_columns;   /* or blocks of columns; 0: no steps */
    const char *item, *unit; /* words for reports */
};

struct spmmi_schedule {
    spmm_family_t family;
    spmm_schedule_t id;
    const char *name;
    enum spmmi_item_size_rule item_sizes;
    uint32_t item_size_min, item_size_max;
    enum spmmi_items_rule items;
    enum spmmi_permutation_rule permutation;
};

/* Incompat bits of plan files that families have. */
enum {
    SPMMI_FAMILY_FEATURES = 0
#define FAMILY(name, id, number, feature, ...) | (feature)
#define SCHEDULE(...)
#include "family_list.def"
#undef FAMILY
#undef SCHEDULE
};

/* NULL past the last row. */
const struct spmmi_family *spmmi_family_at(int index);
const struct spmmi_schedule *spmmi_schedule_at(int index);
/* NULL where there is no such family, or it has no such schedule. */
const struct spmmi_family *spmmi_family_of(spmm_family_t family);
const struct spmmi_schedule *spmmi_schedule_of(spmm_family_t family, spmm_schedule_t schedule);

/* Has the family kernels for A, B and C of these types? */
int spmmi_family_takes(const struct spmmi_family *family, spmm_dtype_t a, spmm_dtype_t b, spmm_dtype_t c);

/* Only tensor cores multiply f32 values rounded to tf32, or split in two. */
static inline int spmmi_is_tf32(spmm_compute_t compute)
{
    return compute == SPMM_COMPUTE_TF32 || compute == SPMM_COMPUTE_3XTF32;
}
/* Does the family multiply values of this type as this compute type? */
int spmmi_family_computes(spmm_family_t family, spmm_dtype_t dtype, spmm_compute_t compute);
/* Are values multiplied so on tensor cores, which cut sums of f32 off? */
int spmmi_is_on_tensor_cores(spmm_family_t family, spmm_compute_t compute);

/* May a part of this schedule have the rows that were split off another part? */
int spmmi_takes_long_rows(const struct spmmi_schedule *schedule);

/* A power of two between two limits? Units and the item sizes of some schedules are. */
int spmmi_is_power_within(int64_t value, uint32_t min, uint32_t max);

/* "f32 and f64": the value types of a mask. */
#define SPMMI_TYPE_NAMES_BYTES 64
void spmmi_type_names(uint32_t types, char text[SPMMI_TYPE_NAMES_BYTES]);

/* The parts of a kernel name: [TARGET/]FAMILY[/SCHEDULE[/INSTANCE]]. */
enum spmmi_kernel_target { SPMMI_KERNEL_ANYWHERE, SPMMI_KERNEL_CPU, SPMMI_KERNEL_CUDA };
struct spmmi_kernel_ref {
    enum spmmi_kernel_target target;
    const struct spmmi_family *family;
    const struct spmmi_schedule *schedule; /* NULL: the name has none */
    const char
        *instance; /* the rest of the name, such as "r8", or "-48/p256" of segmented-48; "": it has none */
};

/* Returns 0 where the name does not follow the grammar, or there is no such family or schedule. The instance is not
 * checked. */
int spmmi_kernel_parse(const char *name, struct spmmi_kernel_ref *ref);
/* "cpu" or "cuda"; NULL for ANYWHERE. */
const char *spmmi_kernel_target_name(enum spmmi_kernel_target target);

/* What a name that spmmi_kernel_parse refuses could have been, for a message: "tiled, tiled/whole or tiled/segmented"
 * where it has a family, else "rows, tiled, .. or wide". */
#define SPMMI_KERNEL_NAMES_BYTES 128
void spmmi_kernel_names(const char *name, char text[SPMMI_KERNEL_NAMES_BYTES]);

#endif
