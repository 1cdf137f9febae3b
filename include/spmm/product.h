/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Products of sparse matrices, C = A B with sparse C, in two phases: the pattern of C is found once and kept in a plan
 * (spmm_product_inspect, spmm::inspector), the values of C are computed from new values of the factors any number of
 * times (spmm_product_execute, spmm::executor).
 *
 * A product has two factors, C = F0 F1 or C = F0 D F1 with a diagonal matrix D, or three, C = F0 (F1 F2), as in the
 * Galerkin products R A P of multigrid. A factor is an operand or the transpose of one. Operands are numbered 0, 1, ..
 * as the factors first name them, so A A^T has one operand.
 *
 * C has an entry (i, j) wherever a product of stored entries has: explicit zeros count, and sums that cancel stay. Its
 * value is the sum of the products by ascending k, added by fused multiply-adds of the plan's type. Rows with very many
 * products are cut in k where the plan says so, and their partial sums added in order. So the bits of C are a property
 * of the plan: they do not depend on kernel, device or threads.
 */
#ifndef SPMM_PRODUCT_H
#define SPMM_PRODUCT_H

#include "executor.h"
#include "inspector.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SPMM_PRODUCT_FACTORS 3 /**< Most factors of a product. */

/** @name Inspector
 * @{ */

/** A factor of a product. Keeps its size for ever. */
typedef struct spmm_product_factor {
    const spmm_matrix_t *matrix; /**< The operand. The same pointer in several factors is one operand. */
    spmm_op_t op;                /**< The operand, or its transpose. */
} spmm_product_factor_t;

/** Options of an inspection of a product. */
typedef struct spmm_product_options {
    size_t struct_size; /**< sizeof(spmm_product_options_t), set by the INIT macro. */
    spmm_dtype_t dtype; /**< Values of all operands and of C: F32 or F64; 0: F32. */
    int lower;          /**< 1: C is symmetric; only its entries (i, j) with j <= i are computed. */
    int diagonal;       /**< 1: two factors with a diagonal matrix between them: C = (F0 D) F1. */
    /** Rows of C with more products than this are cut in k, so that they do not keep one processor busy while others
     * wait; INT64_MAX: no row is cut; 0: an 8,448th of all products, at least 4,096; where fewer than 2,112 rows have
     * more than 256 products, a 16,896th of all, at least 256. */
    int64_t piece_products;
    uint64_t budget_bytes; /**< Most memory for the plan and making it; 0: no limit. */
    int threads;           /**< 0: as many as the machine has; never changes the plan. */
} spmm_product_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_PRODUCT_OPTIONS_INIT {sizeof(spmm_product_options_t), (spmm_dtype_t)0, 0, 0, 0, 0, 0}
/* clang-format on */

/** Find the pattern of C and make its plan: O(products) time, no values are looked at. factors: count of them, 2 or 3.
 * The plan does not refer to the matrices afterwards. spmm_plan_csr gives the pattern of C.
 * Errors: ARGUMENT, SHAPE (factors that do not fit), MATRIX_TOO_LARGE (C has more entries than a plan may have, or more
 * products than 2^64), PLAN_BUDGET, MEMORY. */
SPMM_API spmm_status_t spmm_product_inspect(const spmm_product_factor_t *factors, int count,
                                            const spmm_product_options_t *options, spmm_plan_t **plan,
                                            spmm_diag_t *diag);
/** @} */

/** @name Plans
 * @{ */

/** What a plan holds of a product. */
typedef struct spmm_product_plan_info {
    size_t struct_size;                        /**< sizeof(spmm_product_plan_info_t). */
    int factor_count;                          /**< 2 or 3; 0: the plan is of a matrix, and all else is 0. */
    int operand_count;                         /**< 1 to factor_count. */
    int factor_operand[SPMM_PRODUCT_FACTORS];  /**< Which operand a factor is. */
    spmm_op_t factor_op[SPMM_PRODUCT_FACTORS]; /**< Whether it is transposed. */
    int lower;                                 /**< As in spmm_product_options_t. */
    int diagonal;                              /**< As in spmm_product_options_t. */
    int64_t piece_products;                    /**< As in spmm_product_options_t; INT64_MAX: none is cut. */
    uint64_t products;       /**< Multiplications of F0 F1, or of F0 T with T = F1 F2; of both
                                                      triangles of C. */
    uint64_t inner_products; /**< Multiplications of T; 0 of two factors. */
    int64_t inner_nnz;       /**< Entries of T; 0 of two factors. */
} spmm_product_plan_info_t;
/** Fill *info. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_plan_product(const spmm_plan_t *plan, spmm_product_plan_info_t *info);

/** The pattern of an operand, or, numbered after them, that of T: a view without values (row_ptr int64, col_ind int32),
 * valid while the plan lives. digest: of the pattern, 16 bytes, may be NULL. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_plan_operand(const spmm_plan_t *plan, int operand, spmm_csr_t *view,
                                         uint8_t *digest);
/** Is this matrix the operand, entry by entry? Values are not looked at. Errors: ARGUMENT, CSR, MISMATCH with a
 * sentence that tells the first difference. */
SPMM_API spmm_status_t spmm_plan_operand_matches(const spmm_plan_t *plan, int operand, const spmm_csr_t *a,
                                                 spmm_diag_t *diag);
/** Options of spmm_plan_product_verify. */
typedef struct spmm_product_verify_options {
    size_t struct_size;    /**< sizeof(spmm_product_verify_options_t), set by the INIT macro. */
    int threads;           /**< 0: OpenMP's default. */
    uint64_t budget_bytes; /**< Most memory beside the plan; 0: no limit. Else PLAN_BUDGET. */
    uint64_t products_max; /**< Most multiplications to look at; 0: no limit. Else PLAN_BUDGET, at once. */
} spmm_product_verify_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_PRODUCT_VERIFY_OPTIONS_INIT {sizeof(spmm_product_verify_options_t), 0, 0, 0}
/* clang-format on */

/** Prove that the pattern of C, and that of T, are those of the products, in O(products) time, which a load does not
 * take: it only counts the products. spmm_product_create does the same. options may be NULL.
 * Errors: ARGUMENT (also a plan of a matrix), PLAN_PRODUCT, PLAN_BUDGET, MEMORY. */
SPMM_API spmm_status_t spmm_plan_product_verify(const spmm_plan_t *plan,
                                                const spmm_product_verify_options_t *options,
                                                spmm_diag_t *diag);

/** What executors of a product keep and how long an execution may take, as far as its plan says it. */
typedef struct spmm_product_costs {
    size_t struct_size; /**< sizeof(spmm_product_costs_t). */
    /** Multiplications of an execution, those of T included; with lower, those that are done. */
    uint64_t products;
    uint64_t value_bytes;    /**< Values of the operands and of C, which are the caller's. */
    uint64_t host_bytes;     /**< That a product on the CPU holds beside them: patterns and transposes. */
    uint64_t host_bytes_max; /**< The most that it holds by rule, with masks or positions. */
    /** The most of a GPU's memory that its kernel "columns" holds. What the rule takes there is not known before the
     * GPU has found which streams are alike: spmm_product_info says it then. */
    uint64_t device_columns_bytes;
    /** Milliseconds of an execution in f64 on an H100, predicted: 0.41 to 2.1 times those of 33 products of two factors
     * that were measured, half of them within a factor of 1.3 (docs/decisions/0131). Of f32 nothing was fitted. */
    double h100_ms;
    double thread_ms; /**< On a thread of an EPYC (Zen 5), by masks: 0.48 to 1.7 times, 14 products. */
} spmm_product_costs_t;
/** Fill *costs in O(entries of all factors and C) time, a logarithm more with lower. budget_bytes: most memory beside
 * the plan; 0: no limit. Errors: ARGUMENT (also a plan of a matrix), PLAN_BUDGET, MEMORY. */
SPMM_API spmm_status_t spmm_plan_product_costs(const spmm_plan_t *plan, uint64_t budget_bytes,
                                               spmm_product_costs_t *costs, spmm_diag_t *diag);
/** @} */

/** @name Executor
 * @{ */

/** A plan of a product made ready to run on one device. Several threads may run it at a time, each with a workspace. */
typedef struct spmm_product spmm_product_t;

/** Options of spmm_product_create. */
typedef struct spmm_product_executor_options {
    size_t struct_size; /**< sizeof(spmm_product_executor_options_t), set by the INIT macro. */
    int threads;        /**< Threads of a product; 0: OpenMP's default. Never changes the result. */
    /** A kernel; NULL: the fastest one by rule. The CPU has "columns" (adds into an array over all columns of C),
     * "positions" (keeps the position of each product's sum: 1, 2 or 4 bytes a product, once for rows that are alike),
     * "groups" (the same for neighbouring rows with equal columns of the left factor at a time) and "masks" (keeps
     * which of 8 neighbouring sums an entry of the left factor adds to; by rule with AVX-512). GPUs have
     * "positions"; "groups" (for rows that are alike, as systems with several unknowns a node have them); "pull" (each
     * entry of C takes its products: where C has almost as many entries as products); "masks" (a thread for each
     * entry, in rows of up to 8); and "columns", which looks up the columns of products among those of C. Products
     * then take no memory, except those of an entry that has more than 4,096 in a row or a piece of one: 8 bytes each,
     * with a diagonal 12. It takes 2 or 4 bytes for an entry of C (once for rows with equal columns), 20 or 28 for a
     * range of up to 512 entries of a row, 4 for a piece, a row of F1 and an entry of the factors (of A A once), no
     * workspace for rows that are cut, and 1.4 to 9 times the time of positions (docs/product.md). Other names are
     * refused: ARGUMENT. */
    const char *force_kernel;
    /** Most memory that create may take; 0: no limit. The choice of a kernel by rule keeps to it, on a GPU as to
     * device_budget_bytes; where nothing fits, PLAN_BUDGET. */
    uint64_t host_budget_bytes;
    /** Most multiplications that create and each execution may do; 0: no limit. Else PLAN_BUDGET, at once. Plans of
     * others may ask for any number: a small file can hold two dense patterns. */
    uint64_t products_max;
    /** Most memory of a GPU that create may take, with what it needs only while it runs; 0: no limit. By rule, a
     * product that takes more has "positions", or else "columns"; where these take more too, or a kernel was forced,
     * PLAN_BUDGET. */
    uint64_t device_budget_bytes;
    /** Gives device memory, and checked on the CPU too; NULL: the library's own. */
    const spmm_device_allocator_t *allocator;
} spmm_product_executor_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT {sizeof(spmm_product_executor_options_t), 0, 0, 0, 0, 0, 0}
/* clang-format on */

/** Make the plan of a product ready to run on a device: SPMM_DEVICE_CPU, which is also what AUTO means here, or the
 * number of a GPU, whose memory then has all arrays of an execution. Proves first that the pattern of C is that of
 * the product, in O(products) time: a load only counts the products. Waits for the GPU. The plan may be destroyed
 * afterwards. options may be NULL. Errors: ARGUMENT (also a plan of a matrix), PLAN_PRODUCT (the pattern is not the
 * product's), PLAN_BUDGET, TOO_LARGE (a GPU takes factors, T and C of up to 2^31 - 1 entries), NO_DEVICE, DEVICE,
 * DEVICE_MEMORY, MEMORY. */
SPMM_API spmm_status_t spmm_product_create(const spmm_plan_t *plan, int device,
                                           const spmm_product_executor_options_t *options,
                                           spmm_product_t **product, spmm_diag_t *diag);
/** Frees it. NULL is fine. */
SPMM_API void spmm_product_destroy(spmm_product_t *product);

/** What a product is. */
typedef struct {
    size_t struct_size; /**< sizeof(spmm_product_info_t). */
    int device;         /**< Where it runs. */
    int64_t rows;       /**< Rows of C. */
    int64_t cols;       /**< Columns of C. */
    int64_t nnz;        /**< Entries of C. */
    spmm_dtype_t dtype; /**< Values of the operands and of C. */
    int operand_count;  /**< Operands. */
    /** Multiplications of an execution, those of T included; with lower, those that are done. */
    uint64_t products;
    uint64_t host_bytes;   /**< That it holds. */
    int64_t cut_rows;      /**< Rows of C, and of T, that are cut in k. */
    char kernel[32];       /**< "cpu/product/columns", "cpu/product/groups"; "cuda/.." of a GPU. */
    uint64_t device_bytes; /**< Of a GPU's memory that it holds. */
} spmm_product_info_t;
/** Fill *info. Errors: ARGUMENT. */
SPMM_API spmm_status_t spmm_product_info(const spmm_product_t *product, spmm_product_info_t *info);

/** The pattern of C into arrays where the product runs: rows + 1 row pointers and nnz ascending columns, of these
 * types. stream is ignored on the CPU; on a GPU it waits for it. Errors: ARGUMENT, TOO_LARGE (an entry count that I32
 * does not hold), DEVICE, MEMORY. */
SPMM_API spmm_status_t spmm_product_pattern(const spmm_product_t *product, spmm_itype_t row_ptr_type,
                                            void *row_ptr, spmm_itype_t col_ind_type, void *col_ind,
                                            void *stream, spmm_diag_t *diag);

/** Bytes of workspace that an execution needs, where the product runs, at a multiple of 256; 0 is common. Errors:
 * ARGUMENT. */
SPMM_API spmm_status_t spmm_product_workspace_bytes(const spmm_product_t *product, uint64_t *bytes);

/** C = alpha * product + beta * C, values alone: c_values has those of C in the order of its pattern, values[i] those
 * of operand i in CSR order of the operand, all of the plan's type. diagonal: of D, as many values as F0 has columns;
 * NULL without the option diagonal. An entry is fma(alpha, sum, beta * c), or alpha * sum where beta is 0: C is then
 * not read. alpha = 0 reads no operand. Arrays must not overlap c_values. Allocates nothing. The result is bitwise
 * repeatable.
 * CPU: done when the call returns; stream is ignored. GPU: all arrays are memory of it; enqueues in stream and waits
 * for nothing, so that graphs can capture it. Errors: ARGUMENT, WORKSPACE, OVERLAP, DEVICE. */
SPMM_API spmm_status_t spmm_product_execute(const spmm_product_t *product, spmm_scalar_t alpha,
                                            const void *const *values, const void *diagonal,
                                            spmm_scalar_t beta, void *c_values, void *workspace,
                                            uint64_t workspace_bytes, void *stream, spmm_diag_t *diag);

/** Options of spmm_product_once. */
typedef struct spmm_product_once_options {
    size_t struct_size;         /**< sizeof(spmm_product_once_options_t), set by the INIT macro. */
    int threads;                /**< 0: OpenMP's default. Never changes the result. */
    uint64_t host_budget_bytes; /**< Most memory, C included; 0: no limit. Else PLAN_BUDGET. */
    /** Of a GPU: "hash" (tables in shared memory for rows of C of up to 512 entries, bitmaps over the columns for
     * others), "bitmap" (these for all), "merge" (rows of up to 64 products are sorted in registers, where C has up to
     * 67,108,863 columns, and others as by hash); NULL: merge. "bitmap" is what others call a dense accumulator, but
     * has a bit for each column and a sum for each entry alone. The CPU has one method, without a name. Other names,
     * on the CPU all, are refused: ARGUMENT. */
    const char *force_method;
    uint64_t device_budget_bytes; /**< Most memory of a GPU, C included; 0: no limit. Else PLAN_BUDGET. */
    void *stream;                 /**< A GPU's work is enqueued there; the call waits for it. */
    /** Gives device memory in that stream, C too, and checked on the CPU too; NULL: the library's own. */
    const spmm_device_allocator_t *allocator;
} spmm_product_once_options_t;
/* clang-format off */
/** Defaults of all options. */
#define SPMM_PRODUCT_ONCE_OPTIONS_INIT {sizeof(spmm_product_once_options_t), 0, 0, 0, 0, 0, 0}
/* clang-format on */

/** C = A B in one call, without a plan: counts the entries of C, takes memory for exactly as many, computes. a and b
 * have values of the same type, f32 or f64. *c is a view of new arrays (row_ptr int64, col_ind int32, ascending), to
 * be given back with spmm_product_once_free, or where options name an allocator with spmm_product_once_give_back; its
 * bits are those of a plan of default options. device: SPMM_DEVICE_CPU, which is also what AUTO means here, or the
 * number of a GPU: the arrays of a, b and c are then memory of it. There is no limit of multiplications here. On the
 * CPU each thread takes up to 13 (f32) or 17 (f64) bytes a column of B as well, and where rows are alike three more
 * sums a column, if these take no more than the operands and C. On a GPU a row of A may be read again for each 4,096
 * entries of its row of C: matrices of others, whose rows are few and very long, may take far longer than their
 * multiplications. Of up to 2^27 multiplications in all, those of rows of A of more than 4,096 entries have lists
 * instead, of 8 bytes each and with what finds them of about 40 at most; those of shorter rows too, if their lists take
 * no more than a quarter of the entries of C. On a GPU B has at most 2^32 - 1 entries, and so has A where there may be
 * such lists: else TOO_LARGE. Errors: ARGUMENT, CSR, SHAPE, TYPE, TOO_LARGE, PLAN_BUDGET, NO_DEVICE, DEVICE,
 * DEVICE_MEMORY, MEMORY. */
SPMM_API spmm_status_t spmm_product_once(const spmm_csr_t *a, const spmm_csr_t *b, int device,
                                         const spmm_product_once_options_t *options, spmm_csr_t *c,
                                         spmm_diag_t *diag);
/** Frees the arrays and clears the view. Not of a GPU's arrays that an allocator of the options gave. */
SPMM_API void spmm_product_once_free(spmm_csr_t *c);
/** Gives the arrays of a product whose options named this allocator back to it and clears the view: one block, which
 * begins with the row pointers. device as for spmm_product_once, whose arrays of the CPU are freed; stream: where c was
 * used last. The block is the caller's: who keeps its address and size may as well call release. Errors: ARGUMENT,
 * NO_DEVICE. */
SPMM_API spmm_status_t spmm_product_once_give_back(spmm_csr_t *c, const spmm_device_allocator_t *allocator,
                                                   int device, void *stream, spmm_diag_t *diag);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
