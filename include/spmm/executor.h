/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The executor: runs plans, on an NVIDIA GPU or on the CPU. Link spmm::executor.
 *
 * No CUDA header is needed: a stream is a void * holding a cudaStream_t (NULL: the default stream).
 *
 * Threads and streams. A product does not change its executor: several threads and several streams may run products
 * of one executor at the same time, each with a workspace of its own, on the CPU as on a GPU. spmm_executor_set_values
 * waits until the calls of spmm_execute that run have returned, and later calls wait for it: so a product multiplies
 * either the old values or the new ones. On a GPU this orders only when work is enqueued: where products and new values
 * are on different streams, the caller puts events between them; values from host memory have arrived when the call
 * returns. Calls of spmm_executor_prepare wait for each other; products may run meanwhile.
 * No other call may use an executor while spmm_executor_destroy runs. A captured graph may be replayed on any stream;
 * graphs that are replayed at the same time must have been captured with different workspaces. The plan may be
 * destroyed once an executor was made.
 */
#ifndef SPMM_EXECUTOR_H
#define SPMM_EXECUTOR_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A plan made ready to run on one device. */
typedef struct spmm_executor spmm_executor_t;

#define SPMM_DEVICE_CPU (-1) /**< The CPU. */
/** GPU 0 if there is one that this build can use and that runs the plan, else the CPU: there is none, this build has no
 * kernels for it, only the CPU has the forced kernel, or the GPU would answer UNSUPPORTED, TOO_LARGE or PLAN_FEATURE.
 * A plan beyond the budgets of a GPU is refused, not moved to the CPU. spmm_executor_info says which device it is, and
 * so where B, C and the workspace must be. */
#define SPMM_DEVICE_AUTO (-2)

/** GPUs that CUDA shows to this process, whether or not this build has kernels for them (where it has none,
 * spmm_executor_create answers NO_DEVICE); 0 without CUDA or without a driver. Never fails. */
SPMM_API int spmm_device_count(void);
/** Name of a device (0 and up a GPU, SPMM_DEVICE_CPU), for people. text has size bytes, at least 1; a longer name is
 * cut. Errors: ARGUMENT, NO_DEVICE. */
SPMM_API spmm_status_t spmm_device_name(int device, char *text, size_t size);

/** The caller's allocator of device memory, as PyTorch (raw allocations with a stream) and RMM (memory resources) have
 * one. Where options name one, all memory of a GPU that the library takes comes from it. What CUDA and cuBLASLt take
 * for themselves (contexts, modules, code of spmm_executor_prepare) does not, nor do the pinned buffers of uploads,
 * which are host memory.
 *
 * The struct is copied; functions and context must stay valid until what was made with it is destroyed. They are called
 * in the thread of a call that makes, destroys, certifies or multiplies without a plan, and of the first
 * spmm_executor_set_values, never by spmm_execute or spmm_product_execute; by several threads at once where these make
 * such calls. Both must return: no exceptions, no longjmp, no calls of this library with the same object, no capture.
 *
 * GPU `device` is current in both, and must be when they return. `stream` is that of the call, or NULL: CUDA's legacy
 * default stream, where an executor or a product is made and destroyed, and always in spmm_executor_set_values. A new
 * block is first used by work that follows what `stream` holds; other streams use it once the call that took it has
 * returned. A block is released when its work has ended or is in `stream`: later work of `stream` may use it again. */
typedef struct spmm_device_allocator {
    size_t struct_size; /**< sizeof(spmm_device_allocator_t). */
    /** New memory of the GPU of at least bytes bytes, 1 or more, whose address is a multiple of 256 (else the call
     * fails: ARGUMENT), with any contents; NULL: there is none (DEVICE_MEMORY). */
    void *(*allocate)(void *context, size_t bytes, int device, void *stream);
    /** Gives it back. block is never NULL; bytes and device are those of allocate; so is stream, except in
     * spmm_product_once_give_back. */
    void (*release)(void *context, void *block, size_t bytes, int device, void *stream);
    void *context; /**< Passed to both. */
} spmm_device_allocator_t;

/** What spmm_executor_prepare may do about code that is made for one matrix. */
typedef enum spmm_jit_level {
    SPMM_JIT_AUTO = 0, /**< LOAD. */
    SPMM_JIT_OFF = 1,  /**< Nothing. */
    SPMM_JIT_LOAD = 2, /**< Take what an earlier process left in the cache; compile nothing. */
    SPMM_JIT_ON = 3    /**< Compile what is not there, and leave it there. */
} spmm_jit_level_t;

/** Options of an executor. */
typedef struct spmm_executor_options {
    size_t struct_size; /**< sizeof(spmm_executor_options_t), set by the INIT macro. */
    int threads; /**< CPU: threads of a product, at most 1,024 of which start; 0: OpenMP's default. Never changes
                           the result. */
    /** Kernel of this device; NULL: the plan's choice. A name as spmm_executor_info gives it, whole or without words
     * at its end: "cuda/tiled/segmented-48/p256", "tiled/segmented", "tiled". The part of the plan that has this name
     * runs, the plan's choice before others. The CPU makes a part of rows and tiled where the plan has none, of the
     * family's first schedule if the name has none. An instance that no part has is refused (ARGUMENT; the sentence
     * has the name that there is). Its last word may tell the launch: tiled on a GPU keeps so many columns of C a
     * thread, 1 to 32 ("cuda/tiled/whole/r8"); the shape of rows ("v4l8") and compute types are taken and follow from
     * the product. */
    const char *force_kernel;
    /** Most host memory that spmm_executor_create takes, without what it takes to count that; 0: no limit. Set one for
     * plans of others. Kernels that do not fit are left out, first those without which products lose least time: others
     * run these products (fallback of spmm_executor_info_t), perhaps not with B or C of other types than A
     * (NO_VARIANT). PLAN_BUDGET: none fits. */
    uint64_t host_budget_bytes;
    uint64_t device_budget_bytes; /**< The same of the memory of a GPU, and of spmm_executor_set_values. */
    /** 1: each entry of A counts as 1, whatever values the plan holds, if any: the product of a pattern. The result has
     * the bits that values of 1 give; on a GPU rows hold none. spmm_executor_set_values is refused (ARGUMENT). 0: plans
     * whose values are all the same run these kernels too, with that value, until others are set (new_values). */
    int unit_values;
    int reserved; /**< Not read. */
    /** Values of A, one of those that the plan has variants for (spmm_variant_info_t.a_type); 0: the plan's type. The
     * plan's values are rounded to a narrower type once, to nearest, ties to even: this is the executor of an
     * inspection of the plan's matrix for that type. Values are never widened. */
    spmm_dtype_t a_type;
    spmm_jit_level_t jit; /**< What spmm_executor_prepare may do. */
    /** Gives device memory, and checked on the CPU too; NULL: the library's own. */
    const spmm_device_allocator_t *allocator;
    /** The products that are wanted: of so many columns of B at least, and as the next three say. What only others
     * would run is neither packed nor uploaded, which saves memory and time. Wanted products with B and C of the type
     * of A have the kernels and the bits that they have without this. Others of an op that is wanted run by the nearest
     * kernel that is there (spmm_executor_info_t.fallback); an op that is not is refused (NO_VARIANT). Not read where a
     * kernel is forced. */
    int64_t n_min;
    int64_t n_max;    /**< Columns of B at most; 0: any. */
    uint32_t ops;     /**< SPMM_OPS_N, SPMM_OPS_T or both; 0: all that the plan has. */
    uint32_t layouts; /**< Of B: SPMM_LAYOUTS_ROW_MAJOR, SPMM_LAYOUTS_COL_MAJOR or both; 0: any. */
    /** GPU. 1: memory for spmm_executor_set_values is taken at once, and captured products see new values. 0: its first
     * call takes it for good and waits for the legacy stream; until then most parts have a map on the host, up to 4
     * bytes a nonzero and 4 a row of op(A). It is refused (ARGUMENT) on a captured stream, and where all values are the
     * same and a product of rows was captured, which keeps them; captures of other streams and it may fail (DEVICE).
     * Plans without values count as 1, and so does a struct_size that ends before this. */
    int new_values;
    int reserved_2; /**< Not read. */
} spmm_executor_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_EXECUTOR_OPTIONS_INIT                                                             \
    {sizeof(spmm_executor_options_t), 0, 0, 0, 0, 0, 0, (spmm_dtype_t)0, SPMM_JIT_AUTO, 0, 0, 0, 0, 0, 0, 0}
/* clang-format on */

/** Bytes that an executor for this plan takes, before it is made. host_bytes: what it holds of the host and what is
 * taken there while it is made, which is linear in the plan's nonzeros and the rows of op(A); with a host budget up to
 * 128 MiB less. device_bytes: what it holds of a GPU, without new_values until there are new ones; making it may take
 * up to what it holds with them. This call itself takes at most as much of the host, or as much as one kernel that is
 * left out would take, and nothing of a GPU; nothing at all if the row pointers of a transpose exceed the host budget.
 * options, host_bytes and device_bytes may be NULL. device and errors: as for spmm_executor_create. */
SPMM_API spmm_status_t spmm_executor_memory_bytes(const spmm_plan_t *plan, int device,
                                                  const spmm_executor_options_t *options,
                                                  uint64_t *host_bytes, uint64_t *device_bytes,
                                                  spmm_diag_t *diag);

/** Make a plan ready to run on a device: SPMM_DEVICE_CPU, SPMM_DEVICE_AUTO or the number of a GPU. Allocates, uploads,
 * and waits for all streams of the device. Of the plan's variants those for the device run: for the CPU, or for the
 * GPU's compute capability, else for the nearest one with the same major number, else for any device, else for the
 * nearest other GPU, and on a GPU last those for the CPU; spmm_executor_info tells which. options may be NULL. A forced
 * kernel is refused (ARGUMENT) where the rows of C would then not be permuted as the plan says. Errors: ARGUMENT
 * (also a value that is too large for a_type), TYPE (no variant has a_type, which is narrower than the plan's type,
 * or it is wider), NO_DEVICE, TOO_LARGE, UNSUPPORTED and PLAN_FEATURE (what this device does not run), PLAN_BUDGET
 * (more than the options allow), MEMORY, DEVICE_MEMORY, DEVICE. */
SPMM_API spmm_status_t spmm_executor_create(const spmm_plan_t *plan, int device,
                                            const spmm_executor_options_t *options,
                                            spmm_executor_t **executor, spmm_diag_t *diag);
/** The same from a plan file, which is read with load (NULL: defaults) and freed again: an executor needs no plan.
 * Everything is checked before anything is uploaded. Errors: those of spmm_plan_load, then those of
 * spmm_executor_create. */
SPMM_API spmm_status_t spmm_executor_load(const char *path, const spmm_load_options_t *load, int device,
                                          const spmm_executor_options_t *options, spmm_executor_t **executor,
                                          spmm_diag_t *diag);
/** Frees it. On a GPU its products must have ended. */
SPMM_API void spmm_executor_destroy(spmm_executor_t *executor);

/** New values for the same pattern: nnz values of the executor's type of A, in CSR order of A. The plan itself does not
 * change. May be called while products run: see Threads and streams above.
 * GPU: a device pointer is borrowed until the work, which is enqueued on stream, is done. With a host pointer the call
 * waits for stream, enqueues, and returns when stream has finished; no other thread may enqueue on it meanwhile; not
 * during graph capture. CPU: host pointer; done when the call returns. After DEVICE the values are undefined, the old
 * ones where the first new values found no memory: set them again. Errors: ARGUMENT, DEVICE; nothing has changed after
 * PLAN_BUDGET, MEMORY, DEVICE_MEMORY (see new_values). */
SPMM_API spmm_status_t spmm_executor_set_values(spmm_executor_t *executor, const void *values, void *stream,
                                                spmm_diag_t *diag);

/** Bytes of workspace that spmm_execute needs for this product; 0 is common. Device memory on a GPU, host memory on the
 * CPU, its address a multiple of 256. Its contents need no initialisation. Depends on op, n, both layouts and types,
 * and whether B and C are aligned to 16 bytes, or to two elements: describe them as they will be passed (data may be
 * NULL, which counts as aligned). Errors: ARGUMENT, SHAPE, TYPE, UNSUPPORTED, NO_VARIANT, TOO_LARGE. */
SPMM_API spmm_status_t spmm_executor_workspace_bytes(const spmm_executor_t *executor, spmm_op_t op,
                                                     const spmm_dense_t *b, const spmm_dense_t *c,
                                                     uint64_t *bytes, spmm_diag_t *diag);

#define SPMM_WORKSPACE_N_MAX 65536 /**< Most columns that spmm_executor_workspace_max takes. */
/** Bytes of workspace that are enough for every product of op with these layouts and 0 to n_max columns, whatever types
 * of B and C the executor takes, however they are aligned and whatever their leading dimensions: the maximum of what
 * spmm_executor_workspace_bytes answers for them, so that it never shrinks when n_max grows.
 * spmm_executor_workspace_bytes itself may: another n may mean another variant, launch or way to convert column-major
 * operands. For solvers whose blocks change their width: asked for once, in time linear in n_max. Where layouts or ops
 * change, take the maximum of the answers.
 * Errors: ARGUMENT (also n_max beyond SPMM_WORKSPACE_N_MAX), NO_VARIANT, TOO_LARGE. */
SPMM_API spmm_status_t spmm_executor_workspace_max(const spmm_executor_t *executor, spmm_op_t op,
                                                   int64_t n_max, spmm_layout_t b_layout,
                                                   spmm_layout_t c_layout, uint64_t *bytes,
                                                   spmm_diag_t *diag);

/** C = alpha * op(A) * B + beta * C.
 * B, C and the workspace live where the executor runs: on a GPU in device, managed or pinned memory that it can reach.
 * B and C may have different layouts; that of B decides which variant runs. beta = 0 never reads C; alpha = 0 reads
 * neither A nor B. Both are first rounded to the type of sums. With m = 0 or n = 0 nothing is read or written; with
 * k = 0 C = beta * C.
 * The address ranges of B (where it is read) and C, from first to last element, must not overlap; interleaved views of
 * one buffer count as overlap though they share no element. workspace may be NULL where no bytes are needed.
 * What lies between the columns or rows of B may be read and is not used.
 * NaN and infinity in row j of B reach exactly the rows of C that store column j. The result is bitwise repeatable.
 * GPU: enqueues on stream, which belongs to the executor's device (NULL: the legacy default stream); the caller's
 * current device stays. May be captured in a CUDA graph. Allocates nothing (the family dense: host memory at its first
 * product of a shape) and waits for no stream, only for spmm_executor_set_values of another thread to enqueue. The
 * workspace is borrowed until that work is done and serves one product at a time. DEVICE reports errors of the launch;
 * what fails later shows at the caller's next synchronisation.
 * CPU: done when the call returns; stream is ignored.
 * B and C have the executor's type of A, or others that spmm_types_at lists with it: these run the variant's part if
 * its family has the kernels, else another of the plan for this op (NO_VARIANT: there is none).
 * Errors: ARGUMENT, SHAPE, TYPE (such B and C need A of another type), UNSUPPORTED (no kernel was compiled for their
 * types, whatever A is; the sentence lists those that were), OVERLAP, WORKSPACE, NO_VALUES, NO_VARIANT, TOO_LARGE,
 * DEVICE. */
SPMM_API spmm_status_t spmm_execute(const spmm_executor_t *executor, spmm_op_t op, spmm_scalar_t alpha,
                                    const spmm_dense_t *b, spmm_scalar_t beta, const spmm_dense_t *c,
                                    void *workspace, uint64_t workspace_bytes, void *stream,
                                    spmm_diag_t *diag);

/** Where a prepared operator came from. */
typedef enum spmm_prepared {
    SPMM_PREPARED_NOT = 0,      /**< There is none: ordinary kernels run. */
    SPMM_PREPARED_BEFORE = 1,   /**< This executor had it. */
    SPMM_PREPARED_LOADED = 2,   /**< From the cache. */
    SPMM_PREPARED_COMPILED = 3, /**< It was compiled. */
    SPMM_PREPARED_STALE = 4     /**< None: new values were set meanwhile. Prepare again. */
} spmm_prepared_t;

/** What spmm_executor_prepare did. */
typedef struct spmm_preparation {
    size_t struct_size;  /**< sizeof(spmm_preparation_t), set by the caller. */
    spmm_prepared_t how; /**< Whether an operator runs such products from now on. */
    /** Why there is no operator, or why the cache was not used; empty where there is nothing to say. */
    char note[160];
    double seconds; /**< That it took. */
} spmm_preparation_t;

#define SPMM_PREPARE_ANY_WIDTH 1u /**< Also where other kernels are faster: few columns, column-major. */

/** Make ready what products of op with so many columns or more want. On a GPU that is an operator: a kernel with the
 * values of A in its instructions, for a small matrix (at most 4,096 nonzeros, of f64 2,048; of rows or of columns at
 * most 190 with entries, of f64 95), row-major B and C and at least 8,192 columns, of all types that spmm_types_at
 * lists. It adds the entries of a row in the order of their columns: the bits of rows/row-split where lanes do not
 * share rows. b and c as for spmm_executor_workspace_bytes; other leading dimensions, alpha and beta need no other
 * operator, only op T and other types do. flags: 0 or SPMM_PREPARE_ANY_WIDTH.
 *
 * Operators come from the cache on disk or from the compiler of CUDA's driver, as options.jit allows; compiling takes
 * up to a second. spmm_execute never does either. Where there is none, products run as without this call: that is no
 * error, and result->note says why. No operator is made for plans whose output is permuted, nor where a kernel is
 * forced.
 *
 * The cache is a folder of the user: $SPMM_CACHE_DIR, else $XDG_CACHE_HOME/spmm, else $HOME/.cache/spmm. It has to
 * belong to the user, and nobody else may write it; an empty SPMM_CACHE_DIR means none. Each error there is a miss.
 *
 * spmm_executor_set_values ends the use of operators: prepare again. Graphs that were captured with one go on to
 * multiply the values that it was made from; capture them again. A graph that itself sets new values is not noticed:
 * use no operators then. Each one stays until spmm_executor_destroy, about 100 KB of code. The workspace that a
 * product needs stays what it was. Waits for all streams of the device; products of other threads may run meanwhile;
 * not during graph capture. Errors: as spmm_executor_workspace_bytes, and DEVICE, MEMORY. */
SPMM_API spmm_status_t spmm_executor_prepare(spmm_executor_t *executor, spmm_op_t op, const spmm_dense_t *b,
                                             const spmm_dense_t *c, unsigned flags,
                                             spmm_preparation_t *result, spmm_diag_t *diag);

/** Checks products of one executor against silent corruption: faults of memory or arithmetic in C, in B, or in what the
 * executor holds of A. It takes A from the plan, not from the executor. */
typedef struct spmm_certifier spmm_certifier_t;

/** Options of a certifier. */
typedef struct spmm_certifier_options {
    size_t struct_size; /**< sizeof(spmm_certifier_options_t), set by the INIT macro. */
    /** nnz values in CSR order of A, in host memory, as last given to spmm_executor_set_values; NULL: the plan's.
     * Borrowed while the certifier lives. */
    const void *values;
    /** Of the vectors. The same seed gives the same certificate. A fixed seed is known beforehand: against errors that
     * somebody makes on purpose take a random one after the product. */
    uint64_t seed;
    int vectors; /**< 1 to 64; 0: 16. */
    int threads; /**< CPU: threads of a check, at most 1,024; 0: OpenMP's default. Never changes the certificate. */
    /** Gives device memory, of checks in the stream of spmm_certify; NULL: as the executor's options say. */
    const spmm_device_allocator_t *allocator;
} spmm_certifier_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_CERTIFIER_OPTIONS_INIT {sizeof(spmm_certifier_options_t), 0, 0, 0, 0, 0}
/* clang-format on */

/** The most bytes that a certifier for this executor, while it is made and after, and one check at a time of such a
 * product take, whatever alpha and beta are: *host_bytes of the host, *device_bytes of a GPU (0 on the CPU); both are 0
 * after an error. Takes no memory. The data of b and c may be NULL, as for spmm_executor_workspace_bytes, and so may
 * options, host_bytes and device_bytes. Errors: ARGUMENT, SHAPE, TYPE, UNSUPPORTED, NO_VARIANT, TOO_LARGE. */
SPMM_API spmm_status_t spmm_certifier_memory_bytes(const spmm_executor_t *executor,
                                                   const spmm_certifier_options_t *options, spmm_op_t op,
                                                   const spmm_dense_t *b, const spmm_dense_t *c,
                                                   uint64_t *host_bytes, uint64_t *device_bytes,
                                                   spmm_diag_t *diag);

/** Make a certifier for products of this executor, which was made from this plan; both must outlive it. First compares
 * pattern and values of the plan in memory with its digests (PLAN_DIGEST): a fault in the plan that is older than the
 * executor is found so. On the CPU it holds the transpose of A where the executor runs op T, on a GPU a copy of A for
 * each op. options may be NULL. Errors: ARGUMENT, MISMATCH (the executor is of another plan, if only of other
 * parts), NO_VALUES, PLAN_DIGEST, MEMORY, DEVICE_MEMORY, DEVICE. */
SPMM_API spmm_status_t spmm_certifier_create(const spmm_plan_t *plan, const spmm_executor_t *executor,
                                             const spmm_certifier_options_t *options,
                                             spmm_certifier_t **certifier, spmm_diag_t *diag);
/** Frees it. */
SPMM_API void spmm_certifier_destroy(spmm_certifier_t *certifier);

/** What a check found. */
typedef struct spmm_certificate {
    size_t struct_size;      /**< sizeof(spmm_certificate_t). */
    int passed;              /**< 1: no row is wrong. */
    int vectors;             /**< Vectors that were used; 1 where n = 1. */
    uint64_t seed;           /**< Of the options. */
    double miss_probability; /**< For each row: see spmm_certify. */
    /** Largest error of a row and vector over its bound; infinite where infinity or NaN is where it may not be, or is
     * not where it has to be. */
    double error_ratio;
    int64_t rows;        /**< Rows of C. */
    int64_t rows_failed; /**< Rows whose ratio is above 1. */
    int64_t first_row;   /**< The first of them, as C is stored; -1: none. */
    /** Rows that hold infinity or NaN and may: their finite elements are not checked. */
    int64_t rows_by_class;
} spmm_certificate_t;

/** Is C = alpha * op(A) * B + beta * C0? Takes the arguments of the product after it has ended, and in c0 the C before
 * it: a copy of the caller's, of any layout, like B and C where the executor runs; ignored if beta = 0.
 *
 * Method (Freivalds 1977). For vectors x of n random signs C x is compared with alpha * op(A) * (B x) + beta * C0 x, in
 * doubles, of f64 in doubles with compensation: O(nnz + (m + k) n) for each vector. The difference in row i may be as
 * large as the bounds of docs/accuracy.md for the kernel that ran, added over the row, and this check's own rounding:
 * call it T_i. So a right product always passes. Let e be the largest error of an element of row i. If e > 2 T_i, a
 * vector finds the row with probability 1/2 at least, and always if no other element of the row is wrong beyond
 * rounding; all vectors miss it with at most 2^-vectors, which is miss_probability. With n = 1 the one vector never
 * misses. Smaller errors may pass. T_i grows with n and with the magnitudes of the row, of C only as far as those of a
 * right row go: for f32 it is about n L 2^-24 of the mean of (|A||B|)_ij in a row of L entries; of that mean, f16 adds
 * at most about n 2^-11, bf16 n 2^-8.
 *
 * A row whose entries of A, rows of B or row of C0 hold infinity or NaN has to hold infinity or NaN in C; a row whose
 * magnitudes pass the range of the type may. Nothing more is checked of such rows, nor of rows of f64 whose magnitudes,
 * or those of C0 or of a row of B that they meet, add up to 2^960: rows_by_class counts them. Factors count as
 * rounded to the type of sums, and must be finite in it (else ARGUMENT): f32 for all types but f64.
 *
 * Threads may use one certifier at the same time. CPU: takes 8 bytes a vector, rounded up to 8 vectors, and 64 bytes
 * for each row of B (f64: 16 bytes a vector), and 120 KiB for each thread. GPU: the same for each row of B, C, C0 in
 * device memory; enqueues on stream, which has to follow the product, and waits for it; not during graph capture. The
 * executor must hold the values of the plan, or those of the options. Errors: NOT_CERTIFIED (a row is wrong:
 * *certificate is filled, diag->offset is the row), ARGUMENT, SHAPE, TYPE, UNSUPPORTED, OVERLAP, NO_VARIANT, TOO_LARGE,
 * MEMORY, DEVICE_MEMORY, DEVICE. */
SPMM_API spmm_status_t spmm_certify(const spmm_certifier_t *certifier, spmm_op_t op, spmm_scalar_t alpha,
                                    const spmm_dense_t *b, spmm_scalar_t beta, const spmm_dense_t *c0,
                                    const spmm_dense_t *c, void *stream, spmm_certificate_t *certificate,
                                    spmm_diag_t *diag);

/** The device and memory of an executor, and the kernel of a product. */
typedef struct {
    size_t struct_size;    /**< sizeof(spmm_executor_info_t). */
    int device;            /**< SPMM_DEVICE_CPU or a GPU number. */
    char device_name[64];  /**< As spmm_device_name. */
    uint64_t host_bytes;   /**< Host memory that it holds now. */
    uint64_t device_bytes; /**< Device memory that it holds now. */
    char kernel[64];       /**< Name of the kernel that would run, with its instance, such as
                              "cuda/tiled/segmented-48/p256/reordered/r16": segments of 48 nonzeros, row blocks of 256,
                              rows permuted, 16 columns a thread. */
    int fallback;          /**< 1: no kernel for this target, n and layout is there; the nearest runs. */
    char note[160];        /**< A sentence on the fallback; empty if none. */
    int64_t variant;       /**< The variant of the plan for it, as for spmm_plan_variant; -1: no product. */
    uint32_t target;       /**< Its target, as of spmm_variant_info_t; 0 without a product. */
    int is_own_target; /**< 1: that is the CPU, or the compute capability of this GPU: it was chosen for this
                              machine; 0: for any, or for another one. */
    spmm_dtype_t a_type;    /**< Values of A that the executor holds. */
    spmm_compute_t compute; /**< Compute type of the variant; 0 without a product. */
    /** It never held more device memory at once, with code of spmm_executor_prepare; CPU: 0. */
    uint64_t peak_device_bytes;
    /** What the library's own memory pool of this GPU has reserved, in use or kept for later, for all objects of the
     * process. Sparse products without a plan take scratch there, executors none; 0 on the CPU. */
    uint64_t pool_bytes;
    /** What A alone takes as CSR with 32-bit columns, row pointers of 32 bits (64 from 2^31 nonzeros on) and values of
     * a_type, or none where unit_values says that each is 1. */
    uint64_t csr_bytes;
} spmm_executor_info_t;
/** The kernel that would run this product (b and c as for spmm_executor_workspace_bytes; both NULL: only the device and
 * memory). Errors: as spmm_executor_workspace_bytes. */
SPMM_API spmm_status_t spmm_executor_info(const spmm_executor_t *executor, spmm_op_t op,
                                          const spmm_dense_t *b, const spmm_dense_t *c,
                                          spmm_executor_info_t *info, spmm_diag_t *diag);

/** A kernel of this build. Names follow one grammar everywhere: [TARGET/]FAMILY[/SCHEDULE[/INSTANCE]], where TARGET is
 * "cpu" or "cuda", and INSTANCE one word or several; SCHEDULE may end with an item size, as in "segmented-48". Options
 * take a name with or without the target. */
typedef struct spmm_kernel_info {
    size_t struct_size;       /**< sizeof(spmm_kernel_info_t). */
    const char *name;         /**< "cuda/tiled/whole". */
    const char *target;       /**< "cpu" or "cuda". */
    spmm_family_t family;     /**< Its family. */
    spmm_schedule_t schedule; /**< Its schedule. */
} spmm_kernel_info_t;
/** The kernel of index 0, 1, .., those of the CPU first. Errors: ARGUMENT past the last one. */
SPMM_API spmm_status_t spmm_kernel_at(int index, spmm_kernel_info_t *info);

#ifdef __cplusplus
}
#endif
#endif
