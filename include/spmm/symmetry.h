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
    SPMM_SYMMETRY_GENERAL = 0,   /**< Not at all, or the matrix is not square. */
    SPMM_SYMMETRY_SYMMETRIC = 1, /**< The pattern is symmetric, and so are the values, if any, bit by bit. */
    SPMM_SYMMETRY_SKEW = 2, /**< Mirrored values differ in their sign bits alone; the diagonal is empty. */
    SPMM_SYMMETRY_STRUCTURAL = 3, /**< Only the pattern is symmetric. */
} spmm_symmetry_t;
/** Finds the symmetry of the matrix that spmm_plan_csr returns, whatever its file declared. Takes one pass
 * over the entries and 8 bytes per row. Errors: ARGUMENT, MEMORY. */
SPMM_API spmm_status_t spmm_plan_symmetry(const spmm_plan_t *plan, spmm_symmetry_t *symmetry,
                                          spmm_diag_t *diag);
/** Returns "general", "symmetric", "skew-symmetric", "structural", or "unknown". */
SPMM_API const char *spmm_symmetry_name(spmm_symmetry_t symmetry);

#ifdef __cplusplus
}
#endif
#endif
