/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * What every part of spmm shares: version, statuses, diagnostics, memory, log, value types, matrix views.
 *
 * Conventions of all spmm headers:
 *
 * - C = alpha * op(A) * B + beta * C. A is m x k and sparse, B is k x n, C is m x n (for op T, A is k x m).
 * - Counts and leading dimensions are in elements, sizes in bytes, times in the unit that the name says.
 * - A function returns SPMM_OK or an error. On error, output pointers and numbers are NULL or zero, and
 *   structs stay as they were.
 * - A diag parameter comes last and may be NULL.
 * - Inputs are borrowed until the call returns. Outputs belong to the caller. Destroy functions accept NULL.
 * - Text that a function or an info struct returns is in static storage unless its comment says otherwise.
 * - Several threads may call functions on the same object at once if the object is const.
 * - The libraries never print and never abort. Their only process-wide state is the allocator and the log.
 *
 * A struct that may grow begins with `size_t struct_size`, which the caller sets to its sizeof
 * (docs/decisions/0035):
 *
 * - Options (inputs): members that the caller does not know get their defaults. Bytes beyond the members that
 *   the library knows must be 0, else the call fails with ARGUMENT: an option is never ignored.
 * - Info and metrics (outputs): the library fills the members that both know and sets the others to 0.
 *
 * All other structs keep their size and members for ever.
 */
#ifndef SPMM_COMMON_H
#define SPMM_COMMON_H

#include <stddef.h>
#include <stdint.h>

#define SPMM_VERSION_MAJOR 0 /**< Version of these headers. */
#define SPMM_VERSION_MINOR 3 /**< Version of these headers. */
#define SPMM_VERSION_PATCH 0 /**< Version of these headers. */
/** The version as one number: 0.3.0 is 300. */
#define SPMM_VERSION_NUMBER (SPMM_VERSION_MAJOR * 10000 + SPMM_VERSION_MINOR * 100 + SPMM_VERSION_PATCH)

/** Marks the functions that the shared libraries export. */
#if defined(_WIN32) || defined(SPMM_STATIC)
#define SPMM_API
#else
#define SPMM_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the version of the library at run time, as SPMM_VERSION_NUMBER of its build. */
SPMM_API int spmm_version(void);
/** Returns the version of the library as text, such as "0.3.0". */
SPMM_API const char *spmm_version_string(void);

/** One row per status: name, number, sentence. Numbers are part of the ABI and never reused. 1xx the caller's
 * arguments, 2xx the container of a plan file, 3xx the content of a plan, 4xx a matrix file, 5xx the plan
 * does not fit this matrix, operation or device, 6xx memory, 7xx the device, 8xx a result, 9xx a bug in spmm. */
/* clang-format off */
#define SPMM_STATUS_LIST(X)                                                                         \
    X(SPMM_OK, 0, "ok")                                                                             \
    X(SPMM_ERR_ARGUMENT, 100, "an argument is not valid")                                           \
    X(SPMM_ERR_CSR, 101, "the CSR arrays are not a valid matrix")                                   \
    X(SPMM_ERR_SHAPE, 102, "the shapes of A, B and C do not fit together")                          \
    X(SPMM_ERR_TYPE, 103, "the value type is not the plan's")                                       \
    X(SPMM_ERR_WORKSPACE, 104, "the workspace is too small, missing or not aligned" )               \
    X(SPMM_ERR_OVERLAP, 105, "B and C overlap")                                                     \
    X(SPMM_ERR_NO_VALUES, 106, "the plan holds no values and none were set")                        \
    X(SPMM_ERR_UNSUPPORTED, 107, "this build does not support the request")                         \
    X(SPMM_ERR_IO, 200, "a file could not be read or written")                                      \
    X(SPMM_ERR_PLAN_MAGIC, 201, "not a plan file")                                                  \
    X(SPMM_ERR_PLAN_TRUNCATED, 202, "the plan file is shorter than it says")                        \
    X(SPMM_ERR_PLAN_HEADER, 203, "a field of the plan header is out of range")                      \
    X(SPMM_ERR_PLAN_VERSION, 204, "the plan format is newer than this library")                     \
    X(SPMM_ERR_PLAN_FEATURE, 205, "the plan uses a feature this library does not know")             \
    X(SPMM_ERR_PLAN_CHECKSUM, 206, "a checksum of the plan does not match")                         \
    X(SPMM_ERR_PLAN_TABLE, 207, "the section table of the plan is not valid")                       \
    X(SPMM_ERR_PLAN_SECTION, 208, "a section of the plan is missing, repeated or has a wrong size") \
    X(SPMM_ERR_PLAN_FRAME, 209, "a compressed frame of the plan is not valid")                      \
    X(SPMM_ERR_PLAN_BUDGET, 210, "the plan would need more memory than allowed")                    \
    X(SPMM_ERR_PLAN_DIMS, 300, "plan content: dimensions out of range")                             \
    X(SPMM_ERR_PLAN_ROW_PTR, 301, "plan content: row pointers are not valid")                       \
    X(SPMM_ERR_PLAN_COL_IND, 302, "plan content: column indices are not valid")                     \
    X(SPMM_ERR_PLAN_VALUES, 303, "plan content: values are not valid")                              \
    X(SPMM_ERR_PLAN_STATS, 304, "plan content: statistics contradict the matrix")                   \
    X(SPMM_ERR_PLAN_VARIANT, 305, "plan content: a variant is not valid")                           \
    X(SPMM_ERR_PLAN_PART, 306, "plan content: a part is not valid")                                 \
    X(SPMM_ERR_PLAN_ITEMS, 307, "plan content: the work items do not cover the matrix once")        \
    X(SPMM_ERR_PLAN_TRACE, 308, "plan content: the trace is not valid")                             \
    X(SPMM_ERR_PLAN_DIGEST, 309, "plan content: pattern or values contradict their digest")         \
    X(SPMM_ERR_PLAN_META, 310, "plan content: the text section is not valid")                       \
    X(SPMM_ERR_PLAN_ROW_BLOCK_METRICS, 311, "plan content: a row-block metric is out of range")     \
    X(SPMM_ERR_PLAN_PERMUTATION, 312, "plan content: a permutation is not valid")                   \
    X(SPMM_ERR_PLAN_PERMUTATION_METRICS, 313, "plan content: a permutation metric is out of range") \
    X(SPMM_ERR_PLAN_WRITER, 314, "plan content: the text about the writer is not valid")            \
    X(SPMM_ERR_PLAN_METADATA, 315, "plan content: the metadata are not valid")                      \
    X(SPMM_ERR_PLAN_PRODUCT, 316, "plan content: a product of sparse matrices is not valid")        \
    X(SPMM_ERR_MATRIX_SYNTAX, 400, "the matrix file is malformed")                                  \
    X(SPMM_ERR_MATRIX_UNSUPPORTED, 401, "the matrix file is valid but of a kind not supported")     \
    X(SPMM_ERR_MATRIX_TOO_LARGE, 402, "the matrix is larger than spmm supports")                    \
    X(SPMM_ERR_MATRIX_CONTAINER, 403, "the compressed matrix file is damaged")                      \
    X(SPMM_ERR_MISMATCH, 500, "the plan was made for another matrix")                               \
    X(SPMM_ERR_NO_VARIANT, 501, "the plan has no variant for this operation")                       \
    X(SPMM_ERR_NO_DEVICE, 502, "there is no such device, or this build has no GPU support")         \
    X(SPMM_ERR_TOO_LARGE, 503, "the product is too large for this device or build")                 \
    X(SPMM_ERR_MEMORY, 600, "out of memory")                                                        \
    X(SPMM_ERR_DEVICE_MEMORY, 601, "out of device memory")                                          \
    X(SPMM_ERR_DEVICE, 700, "the device reported an error")                                         \
    X(SPMM_ERR_NOT_CERTIFIED, 800, "a row of the product is further from the exact one than its bound") \
    X(SPMM_ERR_INTERNAL, 900, "internal error in spmm")
/* clang-format on */
/** Result of a call; see SPMM_STATUS_LIST. */
typedef enum spmm_status {
#define SPMM_STATUS_ENUM(name, number, text) name = number, /**< See SPMM_STATUS_LIST. */
    SPMM_STATUS_LIST(SPMM_STATUS_ENUM)
#undef SPMM_STATUS_ENUM
} spmm_status_t;

/** Returns "SPMM_ERR_IO" for SPMM_ERR_IO and so on; "SPMM_ERR_?" for a number that is not a status. */
SPMM_API const char *spmm_status_name(spmm_status_t status);
/** Returns the status as a sentence. */
SPMM_API const char *spmm_status_text(spmm_status_t status);

/** Why a call failed. The innermost failure wins: outer functions do not overwrite it. Each call clears it first. */
typedef struct spmm_diag {
    spmm_status_t status; /**< SPMM_OK when nothing failed. */
    int native_error;     /**< errno or cudaError_t; 0 if none. */
    uint64_t offset;      /**< Byte offset in a plan file, or row or entry number; 0 if none. */
    uint64_t line;        /**< Line of a text input, counted from 1; 0 if none. */
    char text[240];       /**< One sentence with expected and found values, no newline. */
    uint64_t reserved[4]; /**< 0. */
} spmm_diag_t;

/** Host memory for everything that the libraries keep, including the memory of zstd. Memory that OpenMP,
 * other decompressors and the CUDA driver allocate for themselves does not come from here. */
typedef struct spmm_allocator {
    size_t struct_size; /**< sizeof(spmm_allocator_t). */
    /** Returns new memory of at least bytes bytes, whose address is a multiple of alignment, a power of two;
     * NULL if there is none. Several threads may call it at once. */
    void *(*allocate)(void *context, size_t bytes, size_t alignment);
    /** Frees memory, which is never NULL. Several threads may call it at once. */
    void (*release)(void *context, void *memory);
    void *context; /**< Passed to both functions. */
} spmm_allocator_t;
/** Sets the allocator of the whole process; NULL: the libraries' own. The struct is copied. No other
 * call may run meanwhile. Errors: ARGUMENT, also if memory of the previous allocator is still held
 * (destroy all objects first). */
SPMM_API spmm_status_t spmm_allocator_set(const spmm_allocator_t *allocator, spmm_diag_t *diag);

/** Levels of the log. Each level includes the levels with lower numbers. */
typedef enum spmm_log_level {
    SPMM_LOG_OFF = 0,     /**< Nothing. */
    SPMM_LOG_ERROR = 1,   /**< Why a call failed: the sentence of its diag. */
    SPMM_LOG_WARNING = 2, /**< The call works, but slower or not as asked: a fallback, fewer threads. */
    SPMM_LOG_INFO = 3     /**< What was chosen, made and loaded. */
} spmm_log_level_t;
/** Receives one log entry: a sentence without a newline, valid during the call. Several threads may call it
 * at once. It must not call spmm. */
typedef void (*spmm_log_fn)(void *context, spmm_log_level_t level, const char *text);
/** Sends the log of the whole process to a function; NULL: to nowhere, which is the default. No other
 * call may run meanwhile. */
SPMM_API void spmm_log_set(spmm_log_fn log, void *context, spmm_log_level_t level);

/** Types of stored values. f16 (IEEE binary16) and bf16 are storage only: products and sums are f32, rounded once when
 * C is written. */
typedef enum spmm_dtype {
    SPMM_F32 = 1, /**< IEEE binary32. */
    SPMM_F64 = 2, /**< IEEE binary64. */
    SPMM_F16 = 3, /**< IEEE binary16. */
    SPMM_BF16 = 4 /**< bfloat16: the upper half of a binary32. */
} spmm_dtype_t;
#define SPMM_TYPES_F32 (1u << SPMM_F32)   /**< Bit of a mask of value types. */
#define SPMM_TYPES_F64 (1u << SPMM_F64)   /**< Bit of a mask of value types. */
#define SPMM_TYPES_F16 (1u << SPMM_F16)   /**< Bit of a mask of value types. */
#define SPMM_TYPES_BF16 (1u << SPMM_BF16) /**< Bit of a mask of value types. */

/** How products and sums are computed. The first four correspond to the value types; 16-bit types have f32
 * sums. tf32 and 3xtf32 multiply f32 values on tensor cores with f32 sums: tf32 rounds both factors to 11
 * significant bits; 3xtf32 splits each factor in two and adds three products, and is about as accurate as
 * f32 (docs/accuracy.md). */
typedef enum spmm_compute {
    SPMM_COMPUTE_F32 = 1,   /**< f32 values, f32 sums, no tensor cores. */
    SPMM_COMPUTE_F64 = 2,   /**< f64 values, f64 sums. */
    SPMM_COMPUTE_F16 = 3,   /**< f16 values, f32 sums. */
    SPMM_COMPUTE_BF16 = 4,  /**< bf16 values, f32 sums. */
    SPMM_COMPUTE_TF32 = 5,  /**< f32 values rounded to tf32, f32 sums. */
    SPMM_COMPUTE_3XTF32 = 6 /**< f32 values as sums of two tf32 values, f32 sums. */
} spmm_compute_t;

/** The operation on A: op(A). */
typedef enum spmm_op {
    SPMM_OP_N = 0, /**< A. */
    SPMM_OP_T = 1  /**< The transpose of A. */
} spmm_op_t;
#define SPMM_OPS_N (1u << SPMM_OP_N) /**< Bit of a mask of ops. */
#define SPMM_OPS_T (1u << SPMM_OP_T) /**< Bit of a mask of ops. */

/** Memory layout of a dense matrix. */
typedef enum spmm_layout {
    SPMM_ROW_MAJOR = 0, /**< Element (i, j) is data[i * ld + j]. */
    SPMM_COL_MAJOR = 1  /**< Element (i, j) is data[i + j * ld]. */
} spmm_layout_t;
#define SPMM_LAYOUTS_ROW_MAJOR (1u << SPMM_ROW_MAJOR) /**< Bit of a mask of layouts. */
#define SPMM_LAYOUTS_COL_MAJOR (1u << SPMM_COL_MAJOR) /**< Bit of a mask of layouts. */

/** Types of indices. */
typedef enum spmm_itype {
    SPMM_I32 = 1, /**< int32_t. */
    SPMM_I64 = 2  /**< int64_t. */
} spmm_itype_t;

/** Returns "f32", "f64", "f16" or "bf16"; "?" for another value. */
SPMM_API const char *spmm_dtype_name(spmm_dtype_t dtype);
/** Returns "N" or "T"; "?" for another value. */
SPMM_API const char *spmm_op_name(spmm_op_t op);
/** Returns "row" or "col"; "?" for another value. */
SPMM_API const char *spmm_layout_name(spmm_layout_t layout);
/** Returns "f32", "f64", "f16", "bf16", "tf32" or "3xtf32"; "?" for another value. */
SPMM_API const char *spmm_compute_name(spmm_compute_t compute);
/** Returns the bytes of one value of this type; 0 for another value. */
SPMM_API size_t spmm_dtype_size(spmm_dtype_t dtype);

/** A value type that the library knows. */
typedef struct spmm_dtype_info {
    size_t struct_size;    /**< sizeof(spmm_dtype_info_t). */
    spmm_dtype_t dtype;    /**< The type. */
    const char *name;      /**< As spmm_dtype_name. */
    size_t bytes;          /**< Bytes of one value. */
    spmm_dtype_t sum_type; /**< Type of products and sums if A, B and C have this type. */
} spmm_dtype_info_t;
/** Describes the value type of index 0, 1, ..  Errors: ARGUMENT past the last one. */
SPMM_API spmm_status_t spmm_dtype_at(int index, spmm_dtype_info_t *info);

/** A combination of types for which kernels exist. */
typedef struct spmm_types_info {
    size_t struct_size;    /**< sizeof(spmm_types_info_t). */
    spmm_dtype_t a_type;   /**< Values of A. */
    spmm_dtype_t b_type;   /**< Values of B. */
    spmm_dtype_t c_type;   /**< Values of C. */
    spmm_dtype_t sum_type; /**< Products and sums. */
} spmm_types_info_t;
/** Describes the combination of types of index 0, 1, ..  Errors: ARGUMENT past the last one. */
SPMM_API spmm_status_t spmm_types_at(int index, spmm_types_info_t *info);

/** A scalar factor, alpha or beta. im must be 0 for real value types; all value types are real today. */
typedef struct spmm_scalar {
    double re; /**< Real part. */
    double im; /**< Imaginary part. */
} spmm_scalar_t;
/** Returns a real factor. */
static inline spmm_scalar_t spmm_real(double re)
{
    spmm_scalar_t scalar;
    scalar.re = re;
    scalar.im = 0;
    return scalar;
}

/** A borrowed view of a sparse matrix, compressed by rows (CSR); in host memory, unless a function says otherwise. */
typedef struct spmm_csr {
    int64_t rows;              /**< Number of rows. */
    int64_t cols;              /**< Number of columns. */
    int64_t nnz;               /**< Number of stored entries. */
    spmm_itype_t row_ptr_type; /**< Type of row_ptr. */
    spmm_itype_t col_ind_type; /**< Type of col_ind. */
    const void *row_ptr;       /**< rows + 1 entries; row_ptr[0] = 0. */
    const void *col_ind;       /**< nnz entries, ascending in each row, no duplicates. */
    spmm_dtype_t value_type;   /**< Type of values. */
    const void *values;        /**< nnz entries; NULL: a pattern, every value counts as 1. */
} spmm_csr_t;

/** A borrowed dense matrix, in host or device memory as the function says. Elements between the extent and ld
 * are padding: they are never used as data and never written. data needs the alignment of one element; rows
 * (row-major) or columns (column-major) that begin at multiples of 16 bytes allow vector loads. */
typedef struct spmm_dense {
    void *data;           /**< First element. */
    int64_t rows;         /**< Rows. */
    int64_t cols;         /**< Columns. */
    int64_t ld;           /**< Leading dimension: at least cols (row-major) or rows (column-major). */
    spmm_layout_t layout; /**< Row-major or column-major. */
    spmm_dtype_t type;    /**< Type of the elements. */
} spmm_dense_t;

#ifdef __cplusplus
}
#endif
#endif
