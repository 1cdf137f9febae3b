/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Products of sparse matrices, C = A B with sparse C, in two phases. The inspector finds the pattern of C
 * once and keeps it in a plan (spmm_product_inspect, spmm::inspector). The executor computes the values of C
 * from new values of the factors, any number of times (spmm_product_execute, spmm::executor).
 *
 * A product has two factors, C = F0 F1 or C = F0 D F1 with a diagonal matrix D, or three, C = F0 (F1 F2), as
 * in the Galerkin products R A P of multigrid. A factor is an operand or the transpose of an operand.
 * Operands are numbered 0, 1, .. in the order in which the factors first name them, so A A^T has one operand.
 *
 * C has an entry (i, j) if at least one product of two stored entries contributes to it: explicit zeros
 * count, and entries whose sums cancel stay. The value of an entry is the sum of its products by ascending k,
 * added by fused multiply-adds in the plan's type. The plan may cut rows with very many products in k; the
 * partial sums of such a row are then added in order. So the plan alone determines the bits of C: they do not
 * depend on kernel, device or threads.
 */
#ifndef SPMM_PRODUCT_H
#define SPMM_PRODUCT_H

#include "executor.h"
#include "inspector.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SPMM_PRODUCT_FACTORS 3 /**< Maximum number of factors of a product. */

/** @name Inspector
 * @{ */

/** A factor of a product. This struct keeps its size for ever. */
typedef struct spmm_product_factor {
    const spmm_matrix_t *matrix; /**< The operand. Factors with the same pointer have the same operand. */
    spmm_op_t op;                /**< Whether the factor is the operand (N) or its transpose (T). */
} spmm_product_factor_t;

/** Options of an inspection of a product. */
typedef struct spmm_product_options {
    size_t struct_size; /**< sizeof(spmm_product_options_t), set by the INIT macro. */
    spmm_dtype_t dtype; /**< Type of the values of all operands and of C: F32 or F64; 0: F32. */
    int lower;          /**< 1: C is symmetric; only its entries (i, j) with j <= i are computed. */
    int diagonal;       /**< 1: two factors with a diagonal matrix between them: C = (F0 D) F1. */
    /** Rows of C with more products than this are cut in k, so that a single row does not keep one
     * processor busy while the others wait. INT64_MAX: no row is cut. 0: the limit is 1/8,448 of all
     * products, at least 4,096; if fewer than 2,112 rows have more than 256 products, it is 1/16,896 of all
     * products, at least 256. */
    int64_t piece_products;
    uint64_t budget_bytes; /**< Maximum memory for the plan and for making it; 0: no limit. */
    int threads;           /**< Number of threads; 0: all processors. Never changes the plan. */
} spmm_product_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_PRODUCT_OPTIONS_INIT {sizeof(spmm_product_options_t), (spmm_dtype_t)0, 0, 0, 0, 0, 0}
/* clang-format on */

/** Finds the pattern of C and makes the plan of the product, in O(products) time. Does not read values.
 * factors has count elements, 2 or 3. The plan does not refer to the matrices afterwards. spmm_plan_csr
 * returns the pattern of C.
 * Errors: ARGUMENT, SHAPE (the shapes of the factors do not fit), MATRIX_TOO_LARGE (C has more entries than a
 * plan may have, or the product has more than 2^64 multiplications), PLAN_BUDGET, MEMORY. */
SPMM_API spmm_status_t spmm_product_inspect(const spmm_product_factor_t *factors, int count,
                                            const spmm_product_options_t *options, spmm_plan_t **plan,
                                            spmm_diag_t *diag);
/** @} */

/** @name Plans
 * @{ */

/** The product that a plan holds. */
typedef struct spmm_product_plan_info {
    size_t struct_size;                        /**< sizeof(spmm_product_plan_info_t). */
    int factor_count;                          /**< 2 or 3; 0: a plan of a matrix; all other members are 0. */
    int operand_count;                         /**< 1 to factor_count. */
    int factor_operand[SPMM_PRODUCT_FACTORS];  /**< Number of the operand of each factor. */
    spmm_op_t factor_op[SPMM_PRODUCT_FACTORS]; /**< Whether each factor is transposed. */
    int lower;                                 /**< As in spmm_product_options_t. */
    int diagonal;                              /**< As in spmm_product_options_t. */
    int64_t piece_products;                    /**< As in spmm_product_options_t; INT64_MAX: no row is cut. */
    uint64_t products;       /**< Number of multiplications of F0 F1, or of F0 T with T = F1 F2; counts
                                                      both triangles of C. */
    uint64_t inner_products; /**< Number of multiplications of T; 0 for two factors. */
    int64_t inner_nnz;       /**< Number of entries of T; 0 for two factors. */
} spmm_product_plan_info_t;
/** Fills *info. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_plan_product(const spmm_plan_t *plan, spmm_product_plan_info_t *info);

/** Returns the pattern of an operand; the number after the last operand names T. *view has no values (row_ptr
 * int64, col_ind int32) and is valid while the plan lives. digest receives the 16 bytes of the pattern's
 * digest and may be NULL. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_plan_operand(const spmm_plan_t *plan, int operand, spmm_csr_t *view,
                                         uint8_t *digest);
/** Checks that the pattern of a equals the pattern of the operand, entry by entry. Does not compare values.
 * Errors: ARGUMENT, CSR, MISMATCH (the sentence names the first difference). */
SPMM_API spmm_status_t spmm_plan_operand_matches(const spmm_plan_t *plan, int operand, const spmm_csr_t *a,
                                                 spmm_diag_t *diag);
/** Options of spmm_plan_product_verify. */
typedef struct spmm_product_verify_options {
    size_t struct_size;    /**< sizeof(spmm_product_verify_options_t), set by the INIT macro. */
    int threads;           /**< Number of threads; 0: OpenMP's default. */
    uint64_t budget_bytes; /**< Maximum memory in addition to the plan; 0: no limit. Exceeded: PLAN_BUDGET. */
    uint64_t products_max; /**< Maximum number of multiplications; 0: no limit. More: PLAN_BUDGET, at once. */
} spmm_product_verify_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_PRODUCT_VERIFY_OPTIONS_INIT {sizeof(spmm_product_verify_options_t), 0, 0, 0}
/* clang-format on */

/** Proves that the patterns of C and of T are the patterns of the products, in O(products) time. Loading a
 * plan does not prove this: it only counts the products. spmm_product_create runs the same proof. options may
 * be NULL.
 * Errors: ARGUMENT (also for a plan of a matrix), PLAN_PRODUCT, PLAN_BUDGET, MEMORY. */
SPMM_API spmm_status_t spmm_plan_product_verify(const spmm_plan_t *plan,
                                                const spmm_product_verify_options_t *options,
                                                spmm_diag_t *diag);

/** The memory of executors of a product and the time of an execution, as far as the plan determines them. */
typedef struct spmm_product_costs {
    size_t struct_size; /**< sizeof(spmm_product_costs_t). */
    /** Number of multiplications of an execution, including T. With lower: only
     * those that are carried out. */
    uint64_t products;
    uint64_t value_bytes;    /**< Values of the operands and of C, which the caller holds. */
    uint64_t host_bytes;     /**< Other memory of a product on the CPU: patterns and transposes. */
    uint64_t host_bytes_max; /**< Maximum of this memory by rule, with masks or positions. */
    /** Maximum GPU memory of the kernel "columns". The memory of the kernel by rule is known only after the
     * GPU has found which streams are alike; spmm_product_info then returns it. */
    uint64_t device_columns_bytes;
    /** Predicted milliseconds of an execution in f64 on an H100. For 33 measured products of two factors the
     * prediction was 0.41 to 2.1 times the measured time, for half of them within a factor of 1.3
     * (docs/decisions/0131). The model was not fitted to f32. */
    double gpu_ms;
    double
        cpu_thread_ms; /**< The same, one thread of an EPYC (Zen 5), masks: 0.48 to 1.7 times, 14 products. */
} spmm_product_costs_t;
/** Fills *costs in O(entries of all factors and C) time, times a logarithm with lower. budget_bytes:
 * maximum memory in addition to the plan; 0: no limit. Errors: ARGUMENT (also for a plan of a
 * matrix), PLAN_BUDGET, MEMORY. */
SPMM_API spmm_status_t spmm_plan_product_costs(const spmm_plan_t *plan, uint64_t budget_bytes,
                                               spmm_product_costs_t *costs, spmm_diag_t *diag);
/** @} */

/** @name Executor
 * @{ */

/** A plan of a product, ready to run on one device. Several threads may run it at a time, each
 * with its own workspace. */
typedef struct spmm_product spmm_product_t;

/** Options of spmm_product_create. */
typedef struct spmm_product_executor_options {
    size_t struct_size; /**< sizeof(spmm_product_executor_options_t), set by the INIT macro. */
    int threads;        /**< Threads of a product; 0: OpenMP's default. Never changes the result. */
    /** Name of a kernel; NULL: the fastest kernel by rule. Unknown names are refused (ARGUMENT).
     *
     * CPU: "columns" adds into an array over all columns of C. "positions" keeps the position of the sum of
     * each product: 1, 2 or 4 bytes per product, once for rows that are alike. "groups" does the same for
     * groups of neighbouring rows whose rows of the left factor have equal columns. "masks" keeps, for each
     * entry of the left factor, which of 8 neighbouring sums it adds to; the rule chooses it with AVX-512.
     *
     * GPU: "positions". "groups", for rows that are alike, as in systems with several unknowns per node.
     * "pull": each entry of C loads its products, for C with almost as many entries as products. "masks": one
     * thread per entry, in rows of up to 8 entries. "columns" looks up the columns of products among the
     * columns of C. It stores nothing per product, except for entries of C with more than 4,096 products in a
     * row or a piece of a row: 8 bytes for each of these products, 12 with a diagonal. It stores 2 or 4 bytes
     * per entry of C (once for rows with equal columns), 20 or 28 bytes per range of up to 512 entries of a
     * row, and 4 bytes per piece, per row of F1 and per entry of the factors (for A A once). It needs no
     * workspace for rows that are cut, and takes 1.4 to 9 times as long as "positions" (docs/product.md). */
    const char *force_kernel;
    /** Maximum host memory of create; 0: no limit. The choice of a kernel by rule respects it, on a GPU
     * together with device_budget_bytes. If no kernel fits: PLAN_BUDGET. */
    uint64_t host_budget_bytes;
    /** Maximum number of multiplications of create and of each execution; 0: no limit. More:
     * PLAN_BUDGET, at once. Set it for plans from others: a small file can hold two dense patterns
     * and so ask for any number. */
    uint64_t products_max;
    /** Maximum GPU memory of create, including temporary memory; 0: no limit. The rule falls back to
     * "positions", then to "columns", if its first choice takes more. If these take more too, or a kernel
     * is forced: PLAN_BUDGET. */
    uint64_t device_budget_bytes;
    /** Allocator of device memory; NULL: the library's own. The struct is checked on the CPU too. */
    const spmm_device_allocator_t *allocator;
} spmm_product_executor_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT {sizeof(spmm_product_executor_options_t), 0, 0, 0, 0, 0, 0}
/* clang-format on */

/** Makes the plan of a product ready to run. device is SPMM_DEVICE_CPU, SPMM_DEVICE_AUTO, which means the
 * CPU here, or the number of a GPU. All arrays of an execution must be in the memory of that device. First
 * proves that the pattern of C is the pattern of the product, in O(products) time (loading a plan only
 * counts the products). Waits for the GPU. The plan may be destroyed afterwards. options may be NULL.
 * Errors: ARGUMENT (also for a plan of a matrix), PLAN_PRODUCT (C has another pattern than the product),
 * PLAN_BUDGET, TOO_LARGE (factors, T and C have at most 2^31 - 1 entries each on a GPU), NO_DEVICE,
 * DEVICE, DEVICE_MEMORY, MEMORY. */
SPMM_API spmm_status_t spmm_product_create(const spmm_plan_t *plan, int device,
                                           const spmm_product_executor_options_t *options,
                                           spmm_product_t **product, spmm_diag_t *diag);
/** Frees the product. NULL is allowed. */
SPMM_API void spmm_product_destroy(spmm_product_t *product);

/** Properties of a product. */
typedef struct {
    size_t struct_size; /**< sizeof(spmm_product_info_t). */
    int device;         /**< Device that it runs on. */
    int64_t rows;       /**< Rows of C. */
    int64_t cols;       /**< Columns of C. */
    int64_t nnz;        /**< Entries of C. */
    spmm_dtype_t dtype; /**< Type of the values of the operands and of C. */
    int operand_count;  /**< Number of operands. */
    /** Number of multiplications of an execution, including T. With lower: only
     * those that are carried out. */
    uint64_t products;
    uint64_t host_bytes;   /**< Host memory that it holds. */
    int64_t cut_rows;      /**< Number of rows of C and of T that are cut in k. */
    char kernel[32];       /**< "cpu/product/columns", "cpu/product/groups"; "cuda/.." on a GPU. */
    uint64_t device_bytes; /**< GPU memory that it holds. */
} spmm_product_info_t;
/** Fills *info. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_product_info(const spmm_product_t *product, spmm_product_info_t *info);

/** Writes the pattern of C into arrays on the device of the product: rows + 1 row pointers and nnz columns,
 * ascending in each row, of the given types. On a GPU the call waits for stream; on the CPU stream is
 * ignored. Errors: ARGUMENT, TOO_LARGE (the number of entries does not fit I32), DEVICE, MEMORY. */
SPMM_API spmm_status_t spmm_product_pattern(const spmm_product_t *product, spmm_itype_t row_ptr_type,
                                            void *row_ptr, spmm_itype_t col_ind_type, void *col_ind,
                                            void *stream, spmm_diag_t *diag);

/** Returns the bytes of workspace that an execution needs, on the device of the product, at an address that
 * is a multiple of 256. 0 is common. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_product_workspace_bytes(const spmm_product_t *product, uint64_t *bytes);

/** Computes the values of C = alpha * product + beta * C. c_values has the values of C in the order of its
 * pattern; values[i] has the values of operand i in the CSR order of the operand; all are of the plan's type.
 * diagonal has the values of D, one per column of F0; it is NULL without the option diagonal. An entry is
 * fma(alpha, sum, beta * c), or alpha * sum if beta is 0: C is then not read. With alpha = 0 no operand is
 * read. No array may overlap c_values. Allocates nothing. The result is bitwise repeatable.
 * CPU: the call returns when C is complete; stream is ignored. GPU: all arrays are in its memory; the call
 * enqueues work in stream and waits for nothing, so that graphs can capture it. Errors: ARGUMENT,
 * WORKSPACE, OVERLAP, DEVICE. */
SPMM_API spmm_status_t spmm_product_execute(const spmm_product_t *product, spmm_scalar_t alpha,
                                            const void *const *values, const void *diagonal,
                                            spmm_scalar_t beta, void *c_values, void *workspace,
                                            uint64_t workspace_bytes, void *stream, spmm_diag_t *diag);

/** Options of spmm_product_once. */
typedef struct spmm_product_once_options {
    size_t struct_size;         /**< sizeof(spmm_product_once_options_t), set by the INIT macro. */
    int threads;                /**< Number of threads; 0: OpenMP's default. Never changes the result. */
    uint64_t host_budget_bytes; /**< Maximum host memory, C included; 0: no limit. Exceeded: PLAN_BUDGET. */
    /** Method on a GPU; NULL: "merge". "hash" uses tables in shared memory for rows of C of up to 512 entries
     * and bitmaps over the columns for the others. "bitmap" uses bitmaps for all rows. "merge" sorts rows of
     * up to 64 products in registers if C has up to 67,108,863 columns, and treats the others as "hash" does.
     * "bitmap" resembles a dense accumulator, but has one bit per column, and sums only for the entries. The
     * CPU has one method, without a name. Unknown names, and all names on the CPU, are refused (ARGUMENT). */
    const char *force_method;
    uint64_t device_budget_bytes; /**< Maximum GPU memory, C included; 0: no limit. Exceeded: PLAN_BUDGET. */
    void *stream;                 /**< GPU: the work is enqueued there, and the call waits for it. */
    /** Allocator of device memory, used with that stream, also for C; NULL: the library's own. The struct is
     * checked on the CPU too. */
    const spmm_device_allocator_t *allocator;
} spmm_product_once_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_PRODUCT_ONCE_OPTIONS_INIT {sizeof(spmm_product_once_options_t), 0, 0, 0, 0, 0, 0}
/* clang-format on */

/** Computes C = A B in one call, without a plan: counts the entries of C, allocates memory for exactly this
 * number and computes them. The values of a and b have the same type, f32 or f64. *c is a view of new arrays
 * (row_ptr int64, col_ind int32, ascending). Free them with spmm_product_once_free, or with
 * spmm_product_once_give_back if the options name an allocator. C has the same bits as with a plan of default
 * options. device is SPMM_DEVICE_CPU, SPMM_DEVICE_AUTO, which means the CPU here, or the number of a GPU: the
 * arrays of a, b and c are then in its memory. The number of multiplications has no limit.
 *
 * CPU: each thread also takes up to 13 (f32) or 17 (f64) bytes per column of B, and, if rows are alike, three
 * more sums per column, provided that these take no more memory than the operands and C.
 *
 * GPU: a row of A may be read again for each 4,096 entries of its row of C. Untrusted matrices with few and
 * very long rows may therefore take far longer than their multiplications suggest. If there are at most 2^27
 * multiplications in all, rows of A of more than 4,096 entries have lists of their multiplications instead: 8
 * bytes each, at most about 40 with the index to find them. Shorter rows have such lists too if these take no
 * more than a quarter of the entries of C. B has at most 2^32 - 1 entries, and so has A if such lists are
 * possible (else TOO_LARGE).
 *
 * Errors: ARGUMENT, CSR, SHAPE, TYPE, TOO_LARGE, PLAN_BUDGET, NO_DEVICE, DEVICE, DEVICE_MEMORY, MEMORY. */
SPMM_API spmm_status_t spmm_product_once(const spmm_csr_t *a, const spmm_csr_t *b, int device,
                                         const spmm_product_once_options_t *options, spmm_csr_t *c,
                                         spmm_diag_t *diag);
/** Frees the arrays and clears the view. Not for arrays of a GPU that an allocator
 * of the options provided. */
SPMM_API void spmm_product_once_free(spmm_csr_t *c);
/** Returns the arrays of a product to the allocator that its options named and clears the view. The arrays
 * are one block, which begins with the row pointers. device is as for spmm_product_once; arrays of the CPU
 * are freed. stream is the stream that last used c. A caller who keeps the address and size of the block may
 * call release instead. Errors: ARGUMENT, NO_DEVICE. */
SPMM_API spmm_status_t spmm_product_once_give_back(spmm_csr_t *c, const spmm_device_allocator_t *allocator,
                                                   int device, void *stream, spmm_diag_t *diag);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
