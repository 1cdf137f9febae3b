/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of format/family_list.def as tables of families and schedules.
 * Plan files, options and messages use them. */
#ifndef SPMMI_FAMILY_H
#define SPMMI_FAMILY_H

#include <spmm/plan.h>

/* Masks of value types: one bit per type. */
#define SPMMI_TYPE_BIT(dtype) (1u << (dtype))
#define SPMMI_TYPE_F32 SPMMI_TYPE_BIT(SPMM_F32)
#define SPMMI_TYPE_F64 SPMMI_TYPE_BIT(SPMM_F64)
#define SPMMI_TYPES_ALL \
    (SPMMI_TYPE_F32 | SPMMI_TYPE_F64 | SPMMI_TYPE_BIT(SPMM_F16) | SPMMI_TYPE_BIT(SPMM_BF16))

/* A flag in the mask of value types: B and C may have types different from A, in the combinations that
 * format/base/types_list.def lists. It uses bit 0 because no type has the number 0. */
#define SPMMI_TYPES_MIXED SPMMI_TYPE_BIT(0)

/* The rules for compute, item_sizes, items and permutation, see format/family_list.def. */
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
    uint32_t types;   /* mask of value types */
    enum spmmi_compute_rule compute;
    int64_t n_min;
    int takes_long_rows;
    uint32_t unit_min, unit_max, slots_min, slots_max;
    uint32_t step_columns;   /* columns, or block columns, of a step; 0: no steps */
    const char *item, *unit; /* names in reports */
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

/* The incompat feature bits of all families together. */
enum {
    SPMMI_FAMILY_FEATURES = 0
#define FAMILY(name, id, number, feature, ...) | (feature)
#define SCHEDULE(...)
#include "family_list.def"
#undef FAMILY
#undef SCHEDULE
};

/* Return a row of a table by index, or NULL if the index is out of range. */
const struct spmmi_family *spmmi_family_at(int index);
const struct spmmi_schedule *spmmi_schedule_at(int index);
/* Return NULL if the family is unknown, or if it has no such schedule. */
const struct spmmi_family *spmmi_family_of(spmm_family_t family);
const struct spmmi_schedule *spmmi_schedule_of(spmm_family_t family, spmm_schedule_t schedule);

/* Returns true if the family has kernels for A, B and C of these types. */
int spmmi_family_takes(const struct spmmi_family *family, spmm_dtype_t a, spmm_dtype_t b, spmm_dtype_t c);

/* Returns true for the compute types that multiply f32 values on tensor cores: rounded to tf32, or split in
 * two parts (3xtf32). */
static inline int spmmi_is_tf32(spmm_compute_t compute)
{
    return compute == SPMM_COMPUTE_TF32 || compute == SPMM_COMPUTE_3XTF32;
}
/* Returns true if the family can multiply values of this type with this compute type. */
int spmmi_family_computes(spmm_family_t family, spmm_dtype_t dtype, spmm_compute_t compute);
/* Returns true if the family uses tensor cores for this compute type. Tensor cores truncate f32 sums. */
int spmmi_is_on_tensor_cores(spmm_family_t family, spmm_compute_t compute);

/* Returns true if a part with this schedule can hold the long rows that were split off another part. */
int spmmi_takes_long_rows(const struct spmmi_schedule *schedule);

/* Returns true if value is a power of two from min to max, as
 * block_rows and the item sizes of some schedules must be. */
int spmmi_is_power_within(int64_t value, uint32_t min, uint32_t max);

/* Writes the value types of a mask, such as "f32 and f64". */
#define SPMMI_TYPE_NAMES_BYTES 64
void spmmi_type_names(uint32_t types, char text[SPMMI_TYPE_NAMES_BYTES]);

/* The parts of a kernel name: [TARGET/]FAMILY[/SCHEDULE[/INSTANCE]]. */
enum spmmi_kernel_target { SPMMI_KERNEL_ANYWHERE, SPMMI_KERNEL_CPU, SPMMI_KERNEL_CUDA };
struct spmmi_kernel_ref {
    enum spmmi_kernel_target target;
    const struct spmmi_family *family;
    const struct spmmi_schedule *schedule; /* NULL: the name has no schedule */
    const char
        *instance; /* the rest of the name: "r8", or "-48/p256" for segmented-48/p256; "": no instance */
};

/* Splits a kernel name into its parts. Returns 0 if the name does not follow the grammar, or if the family or
 * schedule is unknown. The instance is not checked. ref points into name. */
int spmmi_kernel_parse(const char *name, struct spmmi_kernel_ref *ref);
/* Returns "cpu" or "cuda", or NULL for ANYWHERE. */
const char *spmmi_kernel_target_name(enum spmmi_kernel_target target);

/* Writes the names that a refused kernel name could have meant, for a message: "tiled, tiled/whole or
 * tiled/segmented" if name begins with a family, else "rows, tiled, .. or wide". */
#define SPMMI_KERNEL_NAMES_BYTES 128
void spmmi_kernel_names(const char *name, char text[SPMMI_KERNEL_NAMES_BYTES]);

#endif
