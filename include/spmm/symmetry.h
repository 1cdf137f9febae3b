/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Symmetry of a plan's matrix. Part of every spmm library.
 */
#ifndef SPMM_SYMMETRY_H
#define SPMM_SYMMETRY_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How the entries above and below the diagonal are related. */
typedef enum spmm_symmetry {
    SPMM_SYMMETRY_GENERAL = 0,   /**< Nothing, or the matrix is not square. */
    SPMM_SYMMETRY_SYMMETRIC = 1, /**< The pattern is symmetric, and values, if there are any, bit by bit. */
    SPMM_SYMMETRY_SKEW = 2, /**< Values differ by their sign bits alone, and nothing is on the diagonal. */
    SPMM_SYMMETRY_STRUCTURAL = 3, /**< The pattern alone is symmetric. */
} spmm_symmetry_t;
/** Of the matrix that spmm_plan_csr shows, whatever its file declared. Takes one pass and 8 bytes a row. Errors:
 * ARGUMENT, MEMORY. */
SPMM_API spmm_status_t spmm_plan_symmetry(const spmm_plan_t *plan, spmm_symmetry_t *symmetry,
                                          spmm_diag_t *diag);
/** "general", "symmetric", "skew-symmetric", "structural", or "unknown". */
SPMM_API const char *spmm_symmetry_name(spmm_symmetry_t symmetry);

#ifdef __cplusplus
}
#endif
#endif
