/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the executor and a kernel family: one table of functions for the CPU and one for
 * GPUs. The executor keeps an opaque state for each part that runs.
 *
 * A family NAME of format/family_list.def exports spmmi_NAME_cpu and, in a build with CUDA,
 * spmmi_NAME_cuda. */
#ifndef SPMMI_BACKEND_H
#define SPMMI_BACKEND_H

#include "executor/device_block.h"
#include "executor/product.h"
#include "format/plan.h"

struct spmmi_uploads;

/* Number of zeros after the values of A on a GPU, which kernels may load but never use. */
#define SPMMI_VALUES_PAD 64u

/* The device of an executor, and what all parts on it may use. */
struct spmmi_device {
    int number;      /* SPMM_DEVICE_CPU, or the number of a GPU */
    uint32_t target; /* as in struct spmmi_variant */
    int threads;     /* CPU; 0: OpenMP's default */
    /* The rest is for GPUs. */
    uint32_t multiprocessors;
    uint32_t shared_max; /* maximum bytes of shared memory per thread block */
    uint64_t l2_bytes;   /* size of the L2 cache */
    int can_overlap;  /* a kernel may start before its predecessor in the stream has ended: on sm_90, with a
                            driver whose graphs support such launches */
    void *values;     /* device copy of A's values in its order and SPMMI_VALUES_PAD zeros; NULL: not held */
    int lacks_values; /* all values are equal: parts that may lack them hold none, and products pass one */
    int has_new_values; /* spmm_executor_set_values is allowed */
    int spares_host;    /* the host has a budget: making parts avoids host memory that it can do without */
    int spares_device;  /* device memory has a budget: parts may leave out a second copy of A */
    uint64_t random;    /* marks this executor's arrival counters in a workspace among other contents */
    struct spmmi_device_memory memory; /* source of the device memory of states */
};

struct spmmi_backend;
struct spmmi_parts;
struct spmmi_value_memory;

/* Bytes of memory that only new values need. On a GPU, making the executor with first values needs them too;
 * in between, the host keeps the maps. */
struct spmmi_value_bytes {
    uint64_t device, host;
};

/* The input of create. After create a state may use only the device. */
struct spmmi_part_source {
    const spmm_plan_t *plan;
    const struct spmmi_part *part;
    const struct spmmi_part *long_rows; /* rows that were split off from this part; NULL: none */
    int is_made;        /* default_part made the part: it has no items and is not in the plan */
    const char *suffix; /* last word of a forced kernel's name, accepted by has_suffix; else "" */
    const struct spmmi_device *device;
    const struct spmmi_backend *backend; /* the backend whose create is called */
    struct spmmi_parts *parts;           /* all parts that will run: for spmmi_shared_use, spmmi_parts_next */
    int only_counts;                     /* count bytes only: nothing stays allocated */
    struct spmmi_uploads *waiting; /* arrays to send with those of the state (spmmi_uploads_take), or NULL */
    uint64_t *scratch;             /* maximum temporary host memory of any create (spmmi_scratch_is) */
    struct spmmi_value_bytes *for_values; /* GPU: memory not in the bytes of create (spmmi_value_map_count) */
    int *
        reads_values; /* GPU: create, counting or not, sets it to 1 if products read device->values, which are
                          else freed once values were set. Not if the part lacks values: may_lack_values */
    int64_t n_max;    /* maximum columns of the wanted products; 0: any */
};

/* Reports that a create for this source allocates this much host memory temporarily. */
static inline void spmmi_scratch_is(const struct spmmi_part_source *source, uint64_t bytes)
{
    if (bytes > *source->scratch)
        *source->scratch = bytes;
}

/* Optional functions may be NULL. Callers have already checked shapes, types, pointers and workspace. */
struct spmmi_backend {
    /* Optional. Returns OK if this device can run this part. Errors: UNSUPPORTED, with a sentence. */
    spmm_status_t (*supports)(const struct spmmi_part_source *source, spmm_diag_t *diag);
    /* Makes a part ready to run, without values, and adds the bytes that it takes: device memory on a GPU,
     * all of the state on a CPU. With only_counts *state stays NULL; the bytes and the errors UNSUPPORTED and
     * TOO_LARGE are the same; spmmi_scratch_is reports temporary host memory. After an error *state may be
     * non-NULL: the caller passes it to destroy. */
    spmm_status_t (*create)(const struct spmmi_part_source *source, void **state, uint64_t *bytes,
                            spmm_diag_t *diag);
    void (*destroy)(void *state);
    /* Optional. values: the values of A in its order; device memory on a GPU. Does nothing for
     * parts that lack values. */
    spmm_status_t (*set_values)(void *state, const void *values, void *stream);
    /* Optional, GPU. Returns further memory that set_values needs, by index from 0 on; NULL after the
     * last. */
    struct spmmi_value_memory *(*value_memory)(void *state, int index);
    /* Returns enough bytes for any B and C of this shape. A run may need fewer: operands are copied depending
     * on their alignment. UINT64_MAX: overflow. */
    uint64_t (*workspace)(const void *state, const struct spmmi_product *product);
    /* Runs the product; on a GPU enqueues it. Errors: TOO_LARGE, DEVICE. */
    spmm_status_t (*run)(const void *state, const struct spmmi_product *product, void *workspace,
                         void *stream);
    /* Writes the name of the part, followed by words that tell launches apart. */
    void (*describe)(const void *state, const struct spmmi_product *product, char *text, size_t size);
    /* Optional. Returns a part of this schedule for a plan that has none; create makes its items. Families
     * without this run only parts of plans. */
    struct spmmi_part (*default_part)(const spmm_plan_t *plan, spmm_op_t op, spmm_schedule_t schedule);
    int prefers_default; /* if its kernel is forced, default_part is used even if the plan has a part */
    int may_lack_values; /* 1: on a GPU with lacks_values the part holds no values; products pass the value.
                            0: it gets values; device->values stays after set_values only if *reads_values */
    /* Optional. Writes TARGET/FAMILY/SCHEDULE and words that tell its parts apart.
     * Without it there are no words. */
    void (*part_name)(const struct spmmi_part *part, spmm_compute_t compute, int has_long_rows, char *text,
                      size_t size);
    /* Optional. Returns true for a word that describe writes after the part's name.
     * Without it there are none. */
    int (*has_suffix)(const char *suffix);
    /* Data for functions that families share: source->backend->kind. */
    const void *kind;
};

/* The first values of an executor: the plan's values before rounding, or ones. */
struct spmmi_first_values {
    int exist, are_equal;
};

/* A kind of object that parts of an executor share, within one family or across families. The first use makes
 * the object; it lives as long as the executor. */
struct spmmi_shared_kind {
    /* As in struct spmmi_backend; set_values is optional and runs before set_values of the parts. */
    spmm_status_t (*create)(const struct spmmi_part_source *source, void **object, uint64_t *bytes,
                            spmm_diag_t *diag);
    spmm_status_t (*set_values)(void *object, const void *values, void *stream);
    struct spmmi_value_memory *(*value_memory)(void *object, int index);
    void (*destroy)(void *object);
};

/* Returns the object of this kind and op and makes it at the first use; only then bytes grow. With
 * only_counts *object stays NULL. */
spmm_status_t spmmi_shared_use(const struct spmmi_part_source *source, const struct spmmi_shared_kind *kind,
                               spmm_op_t op, void **object, uint64_t *bytes, spmm_diag_t *diag);

/* Iterates over the parts that will run on this backend: NULL gives the first part; the result
 * is NULL after the last. */
const struct spmmi_part *spmmi_parts_next(const struct spmmi_part_source *source,
                                          const struct spmmi_part *part);

/* A line of the catalogue of kernels. */
struct spmmi_kernel {
    const char *name; /* "cpu/tiled/whole" */
    spmm_family_t family;
    spmm_schedule_t schedule;
    const struct spmmi_backend *backend;
};

/* In the order of format/family_list.def; the last entry has the name NULL. */
extern const struct spmmi_kernel spmmi_cpu_kernels[];
extern const struct spmmi_kernel spmmi_cuda_kernels[];

int spmmi_kernels_count(const struct spmmi_kernel *kernels);
/* Returns the kernel of this table with this name, with or without target; a name without schedule gives the
 * family's first. Ignores the instance. NULL: there is none. */
const struct spmmi_kernel *spmmi_kernel_find(const struct spmmi_kernel *kernels, const char *name);
/* Returns true if the part runs as this kernel. A part of long rows cannot run by itself. */
static inline int spmmi_kernel_is_of(const struct spmmi_kernel *kernel, const struct spmmi_part *part)
{
    return part->family == kernel->family && part->schedule == kernel->schedule &&
           (part->flags & SPMMI_PART_LONG_ROWS) == 0;
}
/* Returns the kernel of a part; NULL: there is none. */
const struct spmmi_kernel *spmmi_kernel_of(const struct spmmi_kernel *kernels, const struct spmmi_part *part);

#endif
