/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The executor: runs plans, on an NVIDIA GPU or on the CPU. Link spmm::executor.
 *
 * No CUDA header is needed: a stream is a void * holding a cudaStream_t (NULL: the default stream).
 *
 * Threads and streams. A product does not change its executor: several threads and several streams may run products
 * of one executor at the same time, each with its own workspace, on the CPU as on a GPU. spmm_executor_set_values
 * waits for running calls of spmm_execute to return, and later calls wait for it: so a product multiplies either the
 * old values or the new ones. On a GPU this orders only the times at which work is enqueued. If products and new
 * values are on different streams, the caller puts events between them. Values from host memory have arrived when the
 * call returns. Calls of spmm_executor_prepare wait for each other; products may run meanwhile. No other call may use
 * an executor while spmm_executor_destroy runs. A captured graph may be replayed on any stream; graphs that are
 * replayed at the same time must have been captured with different workspaces. The plan may be destroyed once an
 * executor was made.
 */
#ifndef SPMM_EXECUTOR_H
#define SPMM_EXECUTOR_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A plan, ready to run on one device. */
typedef struct spmm_executor spmm_executor_t;

#define SPMM_DEVICE_CPU (-1) /**< The CPU. */
/** GPU 0 if this build can use it and it runs the plan; else the CPU: if there is no GPU, if this build has no
 * kernels for it, if only the CPU has the forced kernel, or if the GPU would return UNSUPPORTED, TOO_LARGE or
 * PLAN_FEATURE. A plan beyond the budgets of a GPU is refused, not moved to the CPU. spmm_executor_info returns the
 * chosen device, which is also where B, C and the workspace must be. */
#define SPMM_DEVICE_AUTO (-2)

/** Returns the number of GPUs that CUDA shows to this process, even if this build has no kernels for them
 * (spmm_executor_create then returns NO_DEVICE); 0 without CUDA or without a driver. Never fails. */
SPMM_API int spmm_device_count(void);
/** Writes the name of a device (GPU 0 and up, or SPMM_DEVICE_CPU), for people. text has size bytes, at least 1;
 * longer names are cut. Errors: ARGUMENT, NO_DEVICE. */
SPMM_API spmm_status_t spmm_device_name(int device, char *text, size_t size);

/** The caller's allocator of device memory. PyTorch (raw allocations with a stream) and RMM (memory resources) have
 * such allocators. If options name one, it provides all GPU memory that the library allocates. It does not provide
 * memory that CUDA and cuBLASLt allocate for themselves (contexts, modules, code of spmm_executor_prepare), nor the
 * pinned buffers of uploads, which are host memory.
 *
 * The struct is copied; functions and context must stay valid until all objects made with it are destroyed. They are
 * called in the thread of a call that makes, destroys, certifies or multiplies without a plan, and of the first
 * spmm_executor_set_values; never by spmm_execute or spmm_product_execute. Several threads may call them at once.
 * They must return: no exceptions, no longjmp, no calls of spmm with the same object, no capture.
 *
 * GPU `device` is current when they are called and must be current when they return. `stream` is the stream of the
 * call, or NULL, CUDA's legacy default stream: when an executor or a product is made or destroyed, and always in
 * spmm_executor_set_values. Work that first uses a new block follows all work in `stream`; other streams use the
 * block only after the call has returned. A block is released when its work has ended or is in `stream`, so that
 * later work of `stream` may reuse it. */
typedef struct spmm_device_allocator {
    size_t struct_size; /**< sizeof(spmm_device_allocator_t). */
    /** Returns new GPU memory of at least bytes bytes, 1 or more, with any contents. Its address must be a multiple
     * of 256 (else the call fails: ARGUMENT). NULL: there is none (DEVICE_MEMORY). */
    void *(*allocate)(void *context, size_t bytes, int device, void *stream);
    /** Frees block, which is never NULL; bytes, device and stream are those of allocate, except that
     * spmm_product_once_give_back may pass another stream. */
    void (*release)(void *context, void *block, size_t bytes, int device, void *stream);
    void *context; /**< Passed to both functions. */
} spmm_device_allocator_t;

/** How spmm_executor_prepare obtains code that is made for one matrix. */
typedef enum spmm_jit_level {
    SPMM_JIT_AUTO = 0, /**< The same as LOAD. */
    SPMM_JIT_OFF = 1,  /**< Not at all. */
    SPMM_JIT_LOAD = 2, /**< Loads code that an earlier process left in the cache; compiles nothing. */
    SPMM_JIT_ON = 3    /**< Compiles code that is not in the cache, and saves it there. */
} spmm_jit_level_t;

/** Options of an executor. */
typedef struct spmm_executor_options {
    size_t struct_size; /**< sizeof(spmm_executor_options_t), set by the INIT macro. */
    int threads; /**< CPU: threads of a product; at most 1,024 start; 0: OpenMP's default. Never changes the result. */
    /** Kernel to run on this device; NULL: the plan's choice. A name as spmm_executor_info returns it, whole or
     * without words at its end: "cuda/tiled/segmented-48/p256", "tiled/segmented", "tiled". The part of the plan with
     * this name runs; the plan's own choice has precedence. If the plan has no such part of rows or tiled, the CPU
     * makes one; its schedule is the family's first unless the name has one. An instance that no part has is refused
     * (ARGUMENT; the sentence has the name that exists). The last word may set the launch: tiled on a GPU keeps 1 to
     * 32 columns of C per thread ("cuda/tiled/whole/r8" keeps 8). The shape of rows ("v4l8") and compute types are
     * accepted, but follow from the product. */
    const char *force_kernel;
    /** Maximum host memory of spmm_executor_create, without what counting it takes; 0: no limit. Set it for plans from
     * others. Kernels that do not fit are left out, those first whose loss costs products least time. Other kernels
     * then run these products (fallback of spmm_executor_info_t), but perhaps not with B or C of other types than A
     * (NO_VARIANT). PLAN_BUDGET: no kernel fits. */
    uint64_t host_budget_bytes;
    uint64_t device_budget_bytes; /**< The same for GPU memory, including that of spmm_executor_set_values. */
    /** 1: each entry of A counts as 1, whether or not the plan holds values: the product of a pattern. The
     * result has the bits of a product with values 1 by the same kernel; rows hold no values on a GPU.
     * spmm_executor_set_values is refused (ARGUMENT). 0: plans whose values are all equal use the same kernels,
     * with that value, until others are set (new_values). */
    int unit_values;
    int reserved; /**< Not read. */
    /** Type of the values of A, one that the plan has variants for (spmm_variant_info_t.a_type); 0: the plan's type.
     * For a narrower type the plan's values are rounded once, to nearest, ties to even: the executor is the same as
     * for a plan that was inspected for that type. Values are never widened. */
    spmm_dtype_t a_type;
    spmm_jit_level_t jit; /**< What spmm_executor_prepare may do. */
    /** Allocator of device memory; NULL: the library's own. The struct is checked on the CPU too. */
    const spmm_device_allocator_t *allocator;
    /** The wanted products: minimum number of columns of B, and the next three members. Kernels that only other
     * products would run are neither packed nor uploaded, which saves memory and time. Wanted products with B
     * and C of the type of A have the same kernels and bits as without this. Other products of a wanted op run
     * by the nearest kernel that is loaded (spmm_executor_info_t.fallback). Other ops are refused (NO_VARIANT).
     * Ignored if a kernel is forced. */
    int64_t n_min;
    int64_t n_max;    /**< Maximum number of columns of B; 0: any. */
    uint32_t ops;     /**< SPMM_OPS_N, SPMM_OPS_T or both; 0: all that the plan has. */
    uint32_t layouts; /**< Layouts of B: SPMM_LAYOUTS_ROW_MAJOR, SPMM_LAYOUTS_COL_MAJOR or both; 0: any. */
    /** GPU. 1: memory for spmm_executor_set_values is allocated at once; captured products see new values. 0: its
     * first call allocates it for good and waits for the legacy stream; until then most parts have a map on the host,
     * up to 4 bytes per nonzero and 4 per row of op(A). That call is refused (ARGUMENT) on a captured stream, and if
     * all values are equal and a captured product of rows keeps them; with captures of other streams both may fail
     * (DEVICE). Plans without values count as 1, and so does a struct_size that ends before this member. */
    int new_values;
    int reserved_2; /**< Not read. */
} spmm_executor_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_EXECUTOR_OPTIONS_INIT                                                             \
    {sizeof(spmm_executor_options_t), 0, 0, 0, 0, 0, 0, (spmm_dtype_t)0, SPMM_JIT_AUTO, 0, 0, 0, 0, 0, 0, 0}
/* clang-format on */

/** Returns the bytes that an executor for this plan takes, before it is made. host_bytes: host memory that it holds
 * plus temporary host memory of making it, linear in the plan's nonzeros and the rows of op(A); up to 128 MiB less
 * with a host budget. device_bytes: GPU memory that it holds, without the memory of new_values until there are new
 * values; making it may take as much as with them. This call itself takes at most as much host memory, or as much as
 * one kernel that is left out, and no GPU memory; it takes no memory if the row pointers of a transpose exceed the
 * host budget. options, host_bytes and device_bytes may be NULL. device and errors: as for spmm_executor_create. */
SPMM_API spmm_status_t spmm_executor_memory_bytes(const spmm_plan_t *plan, int device,
                                                  const spmm_executor_options_t *options,
                                                  uint64_t *host_bytes, uint64_t *device_bytes,
                                                  spmm_diag_t *diag);

/** Makes a plan ready to run on a device: SPMM_DEVICE_CPU, SPMM_DEVICE_AUTO or the number of a GPU. Allocates,
 * uploads, and waits for all streams of the device. It uses the plan's variants for the CPU, or for the GPU's
 * compute capability, else for the nearest one with the same major number, else for any device, else for the nearest
 * other GPU, and on a GPU last for the CPU; spmm_executor_info says which. options may be NULL. A forced kernel is
 * refused (ARGUMENT) if it would not permute the rows of C as the plan says. Errors: ARGUMENT (also a value that is
 * too large for a_type), TYPE (no variant has a_type, or it is wider than the plan's type), NO_DEVICE, TOO_LARGE,
 * UNSUPPORTED and PLAN_FEATURE (this device does not run the plan), PLAN_BUDGET (more than the options allow),
 * MEMORY, DEVICE_MEMORY, DEVICE. */
SPMM_API spmm_status_t spmm_executor_create(const spmm_plan_t *plan, int device,
                                            const spmm_executor_options_t *options,
                                            spmm_executor_t **executor, spmm_diag_t *diag);
/** The same from a plan file, which is read with load (NULL: defaults) and freed again: an executor
 * needs no plan. Everything is checked before anything is uploaded. Errors: as for spmm_plan_load, then
 * as for spmm_executor_create. */
SPMM_API spmm_status_t spmm_executor_load(const char *path, const spmm_load_options_t *load, int device,
                                          const spmm_executor_options_t *options, spmm_executor_t **executor,
                                          spmm_diag_t *diag);
/** Frees the executor. On a GPU its products must have ended. */
SPMM_API void spmm_executor_destroy(spmm_executor_t *executor);

/** Sets new values for the same pattern: nnz values of the executor's type of A, in CSR order of A. The plan itself
 * does not change. May be called while products run: see Threads and streams above.
 * GPU: a device pointer is borrowed until the work, which is enqueued on stream, has ended. With a host pointer the
 * call waits for stream, enqueues, and returns when stream has finished; no other thread may enqueue on it meanwhile;
 * not during graph capture. CPU: host pointer; done when the call returns. After DEVICE set the values again: they
 * are undefined, or the old ones if the first new values found no memory. Errors: ARGUMENT, DEVICE; PLAN_BUDGET,
 * MEMORY, DEVICE_MEMORY (see new_values): nothing has changed. */
SPMM_API spmm_status_t spmm_executor_set_values(spmm_executor_t *executor, const void *values, void *stream,
                                                spmm_diag_t *diag);

/** Returns the bytes of workspace that spmm_execute needs for this product; 0 is common. It is device memory on
 * a GPU, host memory on the CPU; its address is a multiple of 256. Its contents need no initialization. The
 * size depends on op, n, both layouts and types, and whether B and C are aligned to 16 bytes, or to two
 * elements: describe them as they will be passed (NULL data count as aligned). Errors: ARGUMENT, SHAPE, TYPE,
 * UNSUPPORTED, NO_VARIANT, TOO_LARGE. */
SPMM_API spmm_status_t spmm_executor_workspace_bytes(const spmm_executor_t *executor, spmm_op_t op,
                                                     const spmm_dense_t *b, const spmm_dense_t *c,
                                                     uint64_t *bytes, spmm_diag_t *diag);

#define SPMM_WORKSPACE_N_MAX 65536 /**< Maximum n_max of spmm_executor_workspace_max. */
/** Returns bytes of workspace that are enough for every product of op with these layouts and 0 to n_max columns, for
 * all types of B and C that the executor accepts, all alignments and all leading dimensions: the maximum of
 * spmm_executor_workspace_bytes, so that it never shrinks when n_max grows. (spmm_executor_workspace_bytes may
 * shrink: another n may mean another variant, launch or conversion of column-major operands.) Solvers whose block
 * width changes call it once; it takes time linear in n_max. If layouts or ops change, take the maximum of the
 * results.
 * Errors: ARGUMENT (also n_max beyond SPMM_WORKSPACE_N_MAX), NO_VARIANT, TOO_LARGE. */
SPMM_API spmm_status_t spmm_executor_workspace_max(const spmm_executor_t *executor, spmm_op_t op,
                                                   int64_t n_max, spmm_layout_t b_layout,
                                                   spmm_layout_t c_layout, uint64_t *bytes,
                                                   spmm_diag_t *diag);

/** Computes C = alpha * op(A) * B + beta * C. B, C and the workspace are on the executor's device: on a GPU in
 * device, managed or pinned memory that it can reach. B and C may have different layouts; the layout of B selects the
 * variant. beta = 0 never reads C; alpha = 0 reads neither A nor B. alpha and beta are first rounded to the type of
 * sums. With m = 0 or n = 0 nothing is read or written; with k = 0, C = beta * C. The address ranges of B (if it is
 * read) and C, from first to last element, must not overlap; interleaved views of one buffer count as overlap even if
 * they share no element. workspace may be NULL if no bytes are needed. Padding between the columns or rows of B may
 * be read and is not used. NaN and infinity in row j of B reach exactly the rows of C that store column j. The result
 * is bitwise repeatable.
 * GPU: enqueues on stream, which belongs to the executor's device (NULL: the legacy default stream), and keeps the
 * caller's current device. A CUDA graph may capture it. Allocates nothing (dense: host memory at the first product of
 * a shape). Waits for no stream, only until a spmm_executor_set_values of another thread has enqueued. The workspace
 * is borrowed until the work has ended and serves one product at a time. DEVICE reports errors of the launch; later
 * errors show at the caller's next synchronization.
 * CPU: done when the call returns; stream is ignored. B and C have the executor's type of A, or other types that
 * spmm_types_at lists with it: these run the variant's part if its family has the kernels, else another part of the
 * plan for this op (NO_VARIANT: there is none).
 * Errors: ARGUMENT, SHAPE, TYPE (these types of B and C need another type of A), UNSUPPORTED (no kernel was
 * compiled for them with any A; the sentence lists the types that have kernels), OVERLAP, WORKSPACE, NO_VALUES,
 * NO_VARIANT, TOO_LARGE, DEVICE. */
SPMM_API spmm_status_t spmm_execute(const spmm_executor_t *executor, spmm_op_t op, spmm_scalar_t alpha,
                                    const spmm_dense_t *b, spmm_scalar_t beta, const spmm_dense_t *c,
                                    void *workspace, uint64_t workspace_bytes, void *stream,
                                    spmm_diag_t *diag);

/** Where a prepared operator came from. */
typedef enum spmm_prepared {
    SPMM_PREPARED_NOT = 0,      /**< There is no operator: ordinary kernels run. */
    SPMM_PREPARED_BEFORE = 1,   /**< This executor already had it. */
    SPMM_PREPARED_LOADED = 2,   /**< It was loaded from the cache. */
    SPMM_PREPARED_COMPILED = 3, /**< It was compiled. */
    SPMM_PREPARED_STALE = 4     /**< There is none: new values were set meanwhile. Prepare again. */
} spmm_prepared_t;

/** What spmm_executor_prepare did. */
typedef struct spmm_preparation {
    size_t struct_size;  /**< sizeof(spmm_preparation_t), set by the caller. */
    spmm_prepared_t how; /**< Whether an operator runs such products from now on. */
    /** Why there is no operator, or why the cache was not used; empty if there is nothing to report. */
    char note[160];
    double seconds; /**< Time of the call. */
} spmm_preparation_t;

#define SPMM_PREPARE_ANY_WIDTH 1u /**< Also if other kernels are faster: few columns, column-major. */

/** Prepares products of op with at least as many columns as b. On a GPU this makes an operator: a kernel with the
 * values of A in its instructions. It is for small matrices (at most 4,096 nonzeros, 2,048 for f64; at most 190
 * nonempty rows or nonempty columns, 95 for f64), row-major B and C and at least 8,192 columns, and all types that
 * spmm_types_at lists. It adds the entries of a row in the order of their columns: the bits of rows/row-split if
 * lanes do not share rows. b and c are as for spmm_executor_workspace_bytes; other leading dimensions, alpha and beta
 * need no other operator, only op T and other types do. flags: 0 or SPMM_PREPARE_ANY_WIDTH.
 *
 * Operators come from the cache on disk or from the compiler of CUDA's driver, as options.jit allows; compiling takes
 * up to a second. spmm_execute does neither. Without an operator products run as without this call: that is no error,
 * and result->note says why. No operator is made for plans whose output is permuted, nor if a kernel is forced.
 *
 * The cache is a folder of the user: $SPMM_CACHE_DIR, else $XDG_CACHE_HOME/spmm, else $HOME/.cache/spmm. It must
 * belong to the user, and nobody else may write it; an empty SPMM_CACHE_DIR means none. Any error is a miss.
 *
 * spmm_executor_set_values ends the use of operators: prepare again. Graphs that were captured with an operator
 * continue to multiply by its values; capture them again. A graph that itself sets new values is not noticed: use no
 * operators then. Operators stay until spmm_executor_destroy, about 100 KB of code each. Workspaces stay the same.
 * Waits for all streams of the device; products of other threads may run meanwhile; not during graph capture.
 * Errors: as spmm_executor_workspace_bytes, and DEVICE, MEMORY. */
SPMM_API spmm_status_t spmm_executor_prepare(spmm_executor_t *executor, spmm_op_t op, const spmm_dense_t *b,
                                             const spmm_dense_t *c, unsigned flags,
                                             spmm_preparation_t *result, spmm_diag_t *diag);

/** Checks products of one executor against silent corruption: faults of memory or arithmetic in C, in B, or in the
 * executor's copy of A. It uses A from the plan, not from the executor. */
typedef struct spmm_certifier spmm_certifier_t;

/** Options of a certifier. */
typedef struct spmm_certifier_options {
    size_t struct_size; /**< sizeof(spmm_certifier_options_t), set by the INIT macro. */
    /** nnz values in CSR order of A, in host memory, as last passed to spmm_executor_set_values; NULL: the plan's
     * values. Borrowed while the certifier lives. */
    const void *values;
    /** Seed of the vectors. The same seed gives the same certificate. Anyone can know a fixed seed: against
     * deliberate errors, draw a random one after the product. */
    uint64_t seed;
    int vectors; /**< Number of vectors, 1 to 64; 0: 16. */
    int threads; /**< CPU: threads of a check, at most 1,024; 0: OpenMP's default. Never changes the certificate. */
    /** Allocator of device memory, for checks in the stream of spmm_certify; NULL: the allocator of the executor. */
    const spmm_device_allocator_t *allocator;
} spmm_certifier_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_CERTIFIER_OPTIONS_INIT {sizeof(spmm_certifier_options_t), 0, 0, 0, 0, 0}
/* clang-format on */

/** Returns the maximum memory of a certifier for this executor, while it is made and after, plus one check at a time
 * of such a product, for any alpha and beta: *host_bytes of the host, *device_bytes of a GPU (0 on the CPU); both are
 * 0 after an error. Takes no memory. The data of b and c may be NULL, as for spmm_executor_workspace_bytes, and so
 * may options, host_bytes and device_bytes. Errors: ARGUMENT, SHAPE, TYPE, UNSUPPORTED, NO_VARIANT, TOO_LARGE. */
SPMM_API spmm_status_t spmm_certifier_memory_bytes(const spmm_executor_t *executor,
                                                   const spmm_certifier_options_t *options, spmm_op_t op,
                                                   const spmm_dense_t *b, const spmm_dense_t *c,
                                                   uint64_t *host_bytes, uint64_t *device_bytes,
                                                   spmm_diag_t *diag);

/** Makes a certifier for products of this executor, which was made from this plan; both must outlive it. First
 * compares the plan's pattern and values in memory with its digests (PLAN_DIGEST), which finds faults in the plan
 * that are older than the executor. On the CPU it holds the transpose of A if the executor runs op T, on a GPU a copy
 * of A for each op. options may be NULL. Errors: ARGUMENT, MISMATCH (the executor is of another plan, even if only
 * parts differ), NO_VALUES, PLAN_DIGEST, MEMORY, DEVICE_MEMORY, DEVICE. */
SPMM_API spmm_status_t spmm_certifier_create(const spmm_plan_t *plan, const spmm_executor_t *executor,
                                             const spmm_certifier_options_t *options,
                                             spmm_certifier_t **certifier, spmm_diag_t *diag);
/** Frees the certifier. */
SPMM_API void spmm_certifier_destroy(spmm_certifier_t *certifier);

/** What a check found. */
typedef struct spmm_certificate {
    size_t struct_size;      /**< sizeof(spmm_certificate_t). */
    int passed;              /**< 1: no row is wrong. */
    int vectors;             /**< Number of vectors used; 1 if n = 1. */
    uint64_t seed;           /**< Seed of the options. */
    double miss_probability; /**< Bound of the probability that a wrong row passes: see spmm_certify. */
    /** Largest error over its bound, of all rows and vectors; infinite if infinity or NaN occurs where it must not,
     * or is missing where it must occur. */
    double error_ratio;
    int64_t rows;        /**< Number of rows of C. */
    int64_t rows_failed; /**< Number of rows whose ratio is above 1. */
    int64_t first_row;   /**< First such row, in the order of C as stored; -1: none. */
    /** Number of rows that hold infinity or NaN and may: their finite elements are not checked. */
    int64_t rows_by_class;
} spmm_certificate_t;

/** Checks that C = alpha * op(A) * B + beta * C0. Takes the arguments of the product after it has ended, and in c0
 * the C before it: the caller's copy, of any layout, on the same device as B and C; ignored if beta = 0.
 *
 * Method (Freivalds 1977). For vectors x of n random signs, C x is compared with alpha * op(A) * (B x) + beta * C0 x,
 * in doubles, for f64 in doubles with compensation: O(nnz + (m + k) n) per vector. The difference in row i may be as
 * large as T_i: the bounds of docs/accuracy.md for the kernel that ran, added over the row, plus the rounding of this
 * check. So a correct product always passes. Let e be the largest error of an element of row i. If e > 2 T_i, each
 * vector finds the row with probability at least 1/2, and always if no other element of the row is wrong beyond
 * rounding. All vectors miss it with probability at most 2^-vectors, which is miss_probability. With n = 1 the one
 * vector never misses. Smaller errors may pass. T_i grows with n and with the magnitudes of the row (those of C up to
 * the magnitudes of a correct row): for f32 it is about n L 2^-24 times the mean of (|A||B|)_ij in a row of L
 * entries; f16 adds at most about n 2^-11 times that mean, bf16 n 2^-8.
 *
 * A row whose entries of A, rows of B or row of C0 hold infinity or NaN must hold infinity or NaN in C; a row whose
 * magnitudes exceed the range of the type may. Such rows are not checked further, nor are rows of f64 whose
 * magnitudes, or those of C0 or of a row of B that they use, add up to 2^960: rows_by_class counts them. alpha and
 * beta are rounded to the type of sums, f32 for all types but f64, and must be finite in it (else ARGUMENT).
 *
 * Threads may use one certifier at the same time. CPU: takes 8 bytes per vector, rounded up to 8 vectors, and 64
 * bytes for each row of B (f64: 16 bytes per vector), and 120 KiB per thread. GPU: the same for each row of B, C, C0
 * in device memory; enqueues on stream, which must follow the product, and waits for it; not during graph capture.
 * The executor must hold the values of the plan, or of the options. Errors: NOT_CERTIFIED (a row is wrong:
 * *certificate is filled, diag->offset is the row), ARGUMENT, SHAPE, TYPE, UNSUPPORTED, OVERLAP, NO_VARIANT,
 * TOO_LARGE, MEMORY, DEVICE_MEMORY, DEVICE. */
SPMM_API spmm_status_t spmm_certify(const spmm_certifier_t *certifier, spmm_op_t op, spmm_scalar_t alpha,
                                    const spmm_dense_t *b, spmm_scalar_t beta, const spmm_dense_t *c0,
                                    const spmm_dense_t *c, void *stream, spmm_certificate_t *certificate,
                                    spmm_diag_t *diag);

/** The device and memory of an executor, and the kernel of a product. */
typedef struct {
    size_t struct_size;    /**< sizeof(spmm_executor_info_t). */
    int device;            /**< SPMM_DEVICE_CPU or a GPU number. */
    char device_name[64];  /**< As spmm_device_name. */
    uint64_t host_bytes;   /**< Host memory that the executor holds now. */
    uint64_t device_bytes; /**< Device memory that the executor holds now. */
    char kernel[64];       /**< Name of the kernel that would run, with its instance, such as
                              "cuda/tiled/segmented-48/p256/reordered/r16": segments of 48 nonzeros, row blocks of 256,
                              rows permuted, 16 columns per thread. */
    int fallback;          /**< 1: no kernel for this target, n and layout is loaded; the nearest one runs. */
    char note[160];        /**< A sentence on the fallback; empty if there is none. */
    int64_t variant; /**< Index of the variant that runs it, as for spmm_plan_variant; -1: no product. */
    uint32_t target; /**< Target of the variant, as of spmm_variant_info_t; 0 without a product. */
    int is_own_target; /**< 1: the target is the CPU, or the compute capability of this GPU: the variant was chosen
                              for this machine; 0: it was chosen for any or for another machine. */
    spmm_dtype_t a_type;    /**< Type of the values of A that the executor holds. */
    spmm_compute_t compute; /**< Compute type of the variant; 0 without a product. */
    /** Maximum device memory that the executor has held, including code of spmm_executor_prepare; CPU: 0. */
    uint64_t peak_device_bytes;
    /** Bytes that the library's memory pool of this GPU has reserved, in use or kept for later, for all objects of
     * the process. Only sparse products without a plan allocate from it; 0 on the CPU. */
    uint64_t pool_bytes;
    /** Bytes of A alone as CSR with 32-bit columns, row pointers of 32 bits (64 from 2^31 nonzeros on) and values of
     * a_type; no values if unit_values says that each is 1. */
    uint64_t csr_bytes;
} spmm_executor_info_t;
/** Describes the kernel that would run this product. b and c are as for spmm_executor_workspace_bytes; both NULL:
 * only the device and memory. Errors: as spmm_executor_workspace_bytes. */
SPMM_API spmm_status_t spmm_executor_info(const spmm_executor_t *executor, spmm_op_t op,
                                          const spmm_dense_t *b, const spmm_dense_t *c,
                                          spmm_executor_info_t *info, spmm_diag_t *diag);

/** A kernel of this build. All names have the form [TARGET/]FAMILY[/SCHEDULE[/INSTANCE]]. TARGET is "cpu" or
 * "cuda", INSTANCE one word or several; SCHEDULE may end with an item size, as in "segmented-48". Options accept
 * names with or without the target. */
typedef struct spmm_kernel_info {
    size_t struct_size;       /**< sizeof(spmm_kernel_info_t). */
    const char *name;         /**< "cuda/tiled/whole". */
    const char *target;       /**< "cpu" or "cuda". */
    spmm_family_t family;     /**< Its family. */
    spmm_schedule_t schedule; /**< Its schedule. */
} spmm_kernel_info_t;
/** Describes the kernel of index 0, 1, .., kernels of the CPU first. Errors: ARGUMENT past the last one. */
SPMM_API spmm_status_t spmm_kernel_at(int index, spmm_kernel_info_t *info);

#ifdef __cplusplus
}
#endif
#endif
