/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * What every part of spmm shares: version, statuses, diagnostics, value types, views of matrices.
 *
 * Conventions of all spmm headers:
 *
 * - C = alpha * op(A) * B + beta * C. A is m x k and sparse, B is k x n, C is m x n (for op = T read
 *   A as k x m). Counts and leading dimensions are in elements, sizes in bytes.
 * - Functions return SPMM_OK or an error; output parameters are NULL or zero on error.
 * - A diag parameter comes last and may be NULL. Destroy functions accept NULL.
 * - Inputs are borrowed until the call returns; outputs are owned by the receiver.
 * - The libraries never print, never abort and keep no global state.
 */
#ifndef SPMM_COMMON_H
#define SPMM_COMMON_H

#include <stddef.h>
#include <stdint.h>

#define SPMM_VERSION_MAJOR 0 /**< Major version of these headers. */
#define SPMM_VERSION_MINOR 1 /**< Minor version of these headers. */
#define SPMM_VERSION_PATCH 0 /**< Patch level of these headers. */
/** Version of these headers as one number that grows: 102 is 0.1.2. */
#define SPMM_VERSION_NUMBER (SPMM_VERSION_MAJOR * 10000 + SPMM_VERSION_MINOR * 100 + SPMM_VERSION_PATCH)

#if defined(_WIN32) || defined(SPMM_STATIC)
#define SPMM_API
#else
#define SPMM_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the library at run time, as SPMM_VERSION_NUMBER of its build. */
SPMM_API int spmm_version(void);
/** Version of the library at run time as text, "0.1.0"; static storage. */
SPMM_API const char *spmm_version_string(void);

/* One row per status: name, number, sentence.
 * 1xx the caller's arguments, 2xx the container of a plan file, 3xx the content of a plan,
 * 4xx a matrix file, 5xx the plan does not fit here, 6xx memory, 7xx the device, 9xx a bug in spmm. */
/* clang-format off */
#define SPMM_STATUS_LIST(X)                                                                         \
    X(SPMM_OK, 0, "ok")                                                                             \
    X(SPMM_ERR_ARGUMENT, 100, "an argument is not valid")                                           \
    X(SPMM_ERR_CSR, 101, "the CSR arrays are not a valid matrix")                                   \
    X(SPMM_ERR_SHAPE, 102, "the shapes of A, B and C do not fit together")                          \
    X(SPMM_ERR_TYPE, 103, "the number type is not the plan's")                                      \
    X(SPMM_ERR_WORKSPACE, 104, "the workspace is too small or missing")                             \
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
    X(SPMM_ERR_PLAN_SECTION, 208, "a section of the plan is missing, repeated or has a wrong size")  \
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
    X(SPMM_ERR_PLAN_PANEL_STATS, 311, "plan content: a figure of the panels is out of range")       \
    X(SPMM_ERR_PLAN_ORDER, 312, "plan content: the order of rows and columns is not valid")         \
    X(SPMM_ERR_PLAN_ORDER_STATS, 313, "plan content: a figure of an order is out of range")         \
    X(SPMM_ERR_PLAN_WRITER, 314, "plan content: the text about the writer is not valid")            \
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
    X(SPMM_ERR_INTERNAL, 900, "internal error in spmm")
/* clang-format on */

/** What a call returns. Numbers are part of the ABI and never reused. */
typedef enum spmm_status {
#define SPMM_STATUS_ENUM(name, number, text) name = number,
    SPMM_STATUS_LIST(SPMM_STATUS_ENUM)
#undef SPMM_STATUS_ENUM
} spmm_status_t;

/** Name of a status, such as "SPMM_ERR_IO"; static storage; "SPMM_ERR_?" for a number that is no status. */
SPMM_API const char *spmm_status_name(spmm_status_t status);
/** Sentence of a status, such as "a file could not be read or written"; static storage. */
SPMM_API const char *spmm_status_text(spmm_status_t status);

/** Why a call failed. The innermost failure wins: outer functions do not overwrite it. */
typedef struct spmm_diag {
    spmm_status_t status; /**< SPMM_OK when nothing failed */
    int native_error;     /**< errno or cudaError_t, 0 if none */
    uint64_t offset;      /**< byte offset in a plan file, or row or entry number; 0 if none */
    uint64_t line;        /**< line of a text input, counted from 1; 0 if none */
    char text[240];       /**< one sentence with expected and found values, no newline */
} spmm_diag_t;

/** Value types of A, B and C. f16 (IEEE binary16) and bf16 are storage only: products and sums are f32, rounded
 * once when C is written. */
typedef enum spmm_dtype {
    SPMM_F32 = 1, /**< IEEE binary32 */
    SPMM_F64 = 2, /**< IEEE binary64 */
    SPMM_F16 = 3, /**< IEEE binary16 */
    SPMM_BF16 = 4 /**< bfloat16: the upper half of an f32 */
} spmm_dtype_t;

/** How products and sums are computed. The first four are the value types, with f32 sums for the 16-bit ones. tf32 and
 * 3xtf32 multiply f32 values on tensor cores with f32 sums: tf32 rounds both factors to 11 significant bits, 3xtf32
 * splits each in two and adds three products, about as accurate as f32 (docs/accuracy.md has the bounds). */
typedef enum spmm_compute {
    SPMM_COMPUTE_F32 = 1,   /**< f32 products and sums */
    SPMM_COMPUTE_F64 = 2,   /**< f64 products and sums */
    SPMM_COMPUTE_F16 = 3,   /**< f16 values, f32 products and sums */
    SPMM_COMPUTE_BF16 = 4,  /**< bf16 values, f32 products and sums */
    SPMM_COMPUTE_TF32 = 5,  /**< tf32 products, f32 sums */
    SPMM_COMPUTE_3XTF32 = 6 /**< three tf32 products for each of f32, f32 sums */
} spmm_compute_t;

/** op(A) of a product. */
typedef enum spmm_op {
    SPMM_OP_N = 0, /**< A */
    SPMM_OP_T = 1  /**< the transpose of A */
} spmm_op_t;

/** Layout of a dense matrix. */
typedef enum spmm_layout {
    SPMM_ROW_MAJOR = 0, /**< a row is contiguous */
    SPMM_COL_MAJOR = 1  /**< a column is contiguous */
} spmm_layout_t;

/** Integer types of row pointers and column indices. */
typedef enum spmm_itype {
    SPMM_I32 = 1, /**< int32_t */
    SPMM_I64 = 2  /**< int64_t */
} spmm_itype_t;

/** "f32", "f64", "f16" or "bf16"; "?" for another value. Static storage. */
SPMM_API const char *spmm_dtype_name(spmm_dtype_t dtype);
/** "N" or "T"; "?" for another value. Static storage. */
SPMM_API const char *spmm_op_name(spmm_op_t op);
/** "row" or "col"; "?" for another value. Static storage. */
SPMM_API const char *spmm_layout_name(spmm_layout_t layout);
/** "f32", "f64", "f16", "bf16", "tf32", "3xtf32"; "?" for another value. Static storage. */
SPMM_API const char *spmm_compute_name(spmm_compute_t compute);
/** Bytes of one value of this type; 0 for another number. */
SPMM_API size_t spmm_dtype_size(spmm_dtype_t dtype);

/** A value type, as spmm_dtype_at lists it. */
typedef struct {
    size_t struct_size; /**< set by the caller: sizeof(spmm_dtype_info_t) */
    spmm_dtype_t type;  /**< the type */
    const char *name;   /**< as spmm_dtype_name returns it */
    size_t bytes;       /**< of one value */
    spmm_dtype_t sums;  /**< the type of products and sums */
} spmm_dtype_info_t;

/** Value type 0, 1 and so on of this library. Errors: ARGUMENT past the last one. */
SPMM_API spmm_status_t spmm_dtype_at(int index, spmm_dtype_info_t *info);

/** A borrowed view of a sparse matrix in host memory, compressed by rows (CSR). */
typedef struct spmm_csr {
    int64_t rows;              /**< rows of A */
    int64_t cols;              /**< columns of A */
    int64_t nnz;               /**< stored entries */
    spmm_itype_t row_ptr_type; /**< type of row_ptr */
    spmm_itype_t col_ind_type; /**< type of col_ind */
    const void *row_ptr;       /**< rows + 1 entries, the first is 0 */
    const void *col_ind;       /**< nnz entries, ascending in each row, no duplicates */
    spmm_dtype_t value_type;   /**< type of values */
    const void *values;        /**< nnz entries, or NULL for a pattern: every value counts as 1 */
} spmm_csr_t;

/** A borrowed dense matrix. Element (i, j) is data[i * ld + j] (row-major, ld >= cols) or
 * data[i + j * ld] (column-major, ld >= rows). Padding is never read as data and never written.
 * data needs the alignment of one element only; 16-byte alignment of data and rows allows vector loads.
 * Host or device memory as the executor says. */
typedef struct spmm_dense {
    void *data;           /**< element (0, 0) */
    int64_t rows;         /**< rows */
    int64_t cols;         /**< columns */
    int64_t ld;           /**< leading dimension, in elements */
    spmm_layout_t layout; /**< layout */
    spmm_dtype_t type;    /**< type of the elements */
} spmm_dense_t;

#ifdef __cplusplus
}
#endif
#endif
