/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the executor and a kernel family: one table of functions for the CPU and one for GPUs. The
 * executor keeps a state for each part that runs and knows nothing else of it.
 *
 * A family NAME of format/family_list.def exports spmmi_NAME_cpu and, where CUDA is built in, spmmi_NAME_cuda. */
#ifndef SPMMI_BACKEND_H
#define SPMMI_BACKEND_H

#include "executor/device_block.h"
#include "executor/product.h"
#include "format/plan.h"

struct spmmi_uploads;

/* Zeros behind the values of A on a GPU, which kernels may load and never use. */
#define SPMMI_VALUES_PAD 64u

/* The device of an executor, and what all of its parts may use. */
struct spmmi_device {
    int number;      /* SPMM_DEVICE_CPU, or that of a GPU */
    uint32_t target; /* of struct spmmi_variant */
    int threads;     /* CPU; 0: OpenMP's default */
    /* GPU */
    uint32_t multiprocessors;
    uint32_t shared_max; /* bytes of shared memory that a thread block may have */
    uint64_t l2_bytes;   /* of the L2 cache */
    int can_overlap; /* kernels may start before the one before them in the stream has ended: sm_90, and a driver
                            whose graphs hold such launches */
    void *values;    /* of A in its order, and SPMMI_VALUES_PAD zeros; on the device. NULL: not held */
    int lacks_values; /* parts that may lack values hold none: all are the same, and every product says which */
    int has_new_values; /* spmm_executor_set_values is not refused */
    int spares_host;    /* the host has a budget: making parts takes nothing of it that they can do without */
    uint64_t random;    /* tells arrival counters of this executor in a workspace from other contents */
    struct spmmi_device_memory memory; /* where states take device memory from */
};

struct spmmi_backend;
struct spmmi_parts;
struct spmmi_value_memory;

/* Bytes that only new values need: of a GPU, which first values need too, and of the host, which keeps maps in
 * between. */
struct spmmi_value_bytes {
    uint64_t device, host;
};

/* What a state is made of. Nothing of it but the device may be used after create. */
struct spmmi_part_source {
    const spmm_plan_t *plan;
    const struct spmmi_part *part;
    const struct spmmi_part *long_rows; /* rows that were split off and belong to this part; NULL: none */
    int is_made;        /* made by default_part: the part has no items and is not in the plan */
    const char *suffix; /* in the name of a forced kernel, a word that has_suffix takes; else "" */
    const struct spmmi_device *device;
    const struct spmmi_backend *backend; /* the one whose create this is for */
    struct spmmi_parts *parts;           /* all that will run: for spmmi_shared_use and spmmi_parts_next */
    int only_counts;                     /* count bytes only: nothing stays allocated */
    struct spmmi_uploads
        *waiting;      /* arrays that may go with those of the state: spmmi_uploads_take; or NULL */
    uint64_t *scratch; /* most host memory that a create takes and gives back (spmmi_scratch_is) */
    struct spmmi_value_bytes *for_values; /* on a GPU, not in the bytes of create (spmmi_value_map_count) */
    int *
        reads_values; /* on a GPU: create says 1, counting or not, where products read device->values, which else are
                          given back once values were set. Not where the part lacks values: may_lack_values */
    int64_t n_max; /* most columns of products that are wanted; 0: any */
};

/* A create for this source takes so many bytes of the host and gives them back. */
static inline void spmmi_scratch_is(const struct spmmi_part_source *source, uint64_t bytes)
{
    if (bytes > *source->scratch)
        *source->scratch = bytes;
}

/* Optional functions may be NULL. The callers have checked shapes, types, pointers and workspace. */
struct spmmi_backend {
    /* Optional. Can it run this part on this device? Errors: UNSUPPORTED, with a sentence. */
    spmm_status_t (*supports)(const struct spmmi_part_source *source, spmm_diag_t *diag);
    /* Make a part ready to run, without values, and add the bytes that are taken: of the device, of a CPU all of the
     * state. With only_counts *state stays NULL, the bytes and what is refused (UNSUPPORTED, TOO_LARGE) are the same,
     * and spmmi_scratch_is is told what else it takes of the host. After an error *state may be something that destroy
     * takes. */
    spmm_status_t (*create)(const struct spmmi_part_source *source, void **state, uint64_t *bytes,
                            spmm_diag_t *diag);
    void (*destroy)(void *state);
    /* Optional. values: of A in its order: on a GPU device memory. Parts of rows that lack values take none. */
    spmm_status_t (*set_values)(void *state, const void *values, void *stream);
    /* Optional, on a GPU. Memory that set_values needs besides, of index 0, 1, ..; NULL after the last. */
    struct spmmi_value_memory *(*value_memory)(void *state, int index);
    /* Bytes for any B and C of this shape, of which a run may need fewer: alignment decides whether operands are
     * copied. UINT64_MAX: overflow. */
    uint64_t (*workspace)(const void *state, const struct spmmi_product *product);
    /* Errors: TOO_LARGE, DEVICE. On a GPU it enqueues. */
    spmm_status_t (*run)(const void *state, const struct spmmi_product *product, void *workspace,
                         void *stream);
    /* The name of the part, and after it what tells launches apart. */
    void (*describe)(const void *state, const struct spmmi_product *product, char *text, size_t size);
    /* Optional. A part of this schedule for a plan that has none, items left to create. Families without this run only
     * parts of plans. */
    struct spmmi_part (*default_part)(const spmm_plan_t *plan, spmm_op_t op, spmm_schedule_t schedule);
    int prefers_default; /* where its kernel is forced, also to a part that the plan has */
    int may_lack_values; /* on a GPU whose lacks_values says so. Products then say what each value is; without this
                            values are there, but not beyond set_values unless *reads_values is 1 */
    /* Optional. TARGET/FAMILY/SCHEDULE and what tells parts of it apart. Without this nothing does. */
    void (*part_name)(const struct spmmi_part *part, spmm_compute_t compute, int has_long_rows, char *text,
                      size_t size);
    /* Optional. Is it a word that describe writes behind that? Without this it writes none. */
    int (*has_suffix)(const char *suffix);
    /* Data for functions that families share: source->backend->kind. */
    const void *kind;
};

/* The first values of an executor: those of the plan before they were rounded, or ones. */
struct spmmi_first_values {
    int exist, are_equal;
};

/* An object that parts of an executor share, of one family or of several: the first use makes it, and it lives as long
 * as the executor. */
struct spmmi_shared_kind {
    /* As those of a backend; set_values is optional. The parts' set_values come after it. */
    spmm_status_t (*create)(const struct spmmi_part_source *source, void **object, uint64_t *bytes,
                            spmm_diag_t *diag);
    spmm_status_t (*set_values)(void *object, const void *values, void *stream);
    struct spmmi_value_memory *(*value_memory)(void *object, int index);
    void (*destroy)(void *object);
};

/* The object of this kind and op: *object stays NULL with only_counts, and bytes grow the first time alone. */
spmm_status_t spmmi_shared_use(const struct spmmi_part_source *source, const struct spmmi_shared_kind *kind,
                               spmm_op_t op, void **object, uint64_t *bytes, spmm_diag_t *diag);

/* The parts that will run on this backend, one after the other: after NULL the first, after the last NULL. */
const struct spmmi_part *spmmi_parts_next(const struct spmmi_part_source *source,
                                          const struct spmmi_part *part);

/* A line of the catalogue of kernels. */
struct spmmi_kernel {
    const char *name; /* "cpu/tiled/whole" */
    spmm_family_t family;
    spmm_schedule_t schedule;
    const struct spmmi_backend *backend;
};

/* In the order of format/family_list.def; ended by a name that is NULL. */
extern const struct spmmi_kernel spmmi_cpu_kernels[];
extern const struct spmmi_kernel spmmi_cuda_kernels[];

int spmmi_kernels_count(const struct spmmi_kernel *kernels);
/* The kernel of this table that a name stands for, with or without its target; without its schedule the family's first.
 * The instance is not looked at. NULL: there is none. */
const struct spmmi_kernel *spmmi_kernel_find(const struct spmmi_kernel *kernels, const char *name);
/* Does a part run as this kernel? A part of long rows cannot run by itself. */
static inline int spmmi_kernel_is_of(const struct spmmi_kernel *kernel, const struct spmmi_part *part)
{
    return part->family == kernel->family && part->schedule == kernel->schedule &&
           (part->flags & SPMMI_PART_LONG_ROWS) == 0;
}
/* The kernel of a part; NULL: there is none. */
const struct spmmi_kernel *spmmi_kernel_of(const struct spmmi_kernel *kernels, const struct spmmi_part *part);

#endif
