/* SPDX-License-Identifier: Apache-2.0 */
/* Is a product right? Each element is judged by the error bound of any summation order:
 *
 *     |C_ij - expected| <= gamma(L + x(alpha) + 1) |alpha| (|A||B|)_ij + gamma(x(beta) + 2) |beta C0_ij|
 *                          + (L max(1, |alpha|) + x(alpha) + x(beta)) eta,
 *     gamma(k) = k u / (1 - k u), at most 1
 *
 * L counts the entries of the row, u is the unit roundoff of f32 or f64 and eta its least positive number.
 * x are the roundings of a factor: 0 for 1, else 1, and one more where the type cannot hold it. The 1 and the 2 are
 * additions of beta C0, counted where beta is not 0; of a row of L entries there are at most L.
 *
 * f16 and bf16 are summed as f32, whatever B and C are, so u, eta and x of the bound above, E, are those of f32, and
 * the sum is rounded once more when C of f16 or bf16 stores it. With v and h for unit roundoff (2^-11, 2^-8) and least
 * number (2^-24, 2^-133) of that type:
 *
 *     |C_ij - expected| <= E + v (|expected| + E) + h / 2
 *
 * because the sum s has |s - expected| <= E, and storing a number s errs by at most v |s| or h / 2. The infinity of
 * its sign may stand for a sum that can be as large as the numbers that the type rounds to infinity. The second term
 * has |expected| in it, not the sum of magnitudes: sums kept in the type itself do not pass.
 *
 * Products whose factors are rounded or split, or that are summed on tensor cores, have the wider bound of
 * docs/accuracy.md.
 *
 * The error ratio is the largest quotient of error and bound; a product is right when it is at most 1.
 * NaN must meet NaN and infinity the same infinity. Only where the magnitudes add up beyond the range of the type
 * may an infinity or NaN stand for a finite number, as sums in some orders overflow; finite numbers are held to the
 * bound there too. The reference is computed in a wider type than the product's. */
#ifndef SPMM_TOOLS_CHECK_H
#define SPMM_TOOLS_CHECK_H

#include "check_input.h"

struct check_result {
    double ratio;     /* the error ratio; infinite where no error was allowed or NaN was misplaced */
    int64_t row, col; /* where it was met; -1 for an empty product */
    double found, expected;
};

/* Memory that check_product takes, and B of its input as doubles, which has b_rows rows; without A. UINT64_MAX where it
 * is no number of bytes. */
uint64_t check_product_bytes(int64_t b_rows, int64_t n);

/* Check every row of c, which lies in host memory. */
spmm_status_t check_product(const struct check_input *input, const spmm_dense_t *c,
                            struct check_result *result, spmm_diag_t *diag);

/* Expected values and bounds of some rows, kept for many products of the same matrix. */
struct check_reference;

/* Memory that it holds and, while it is made, takes. */
uint64_t check_reference_bytes(int64_t row_count, int64_t n);
/* rows: ascending row numbers, copied. */
spmm_status_t check_reference_make(const struct check_input *input, const int64_t *rows, int64_t row_count,
                                   struct check_reference **reference, spmm_diag_t *diag);
/* Check these rows of c; c may be narrower than the reference: its columns are the first ones. The other rows are
 * only searched for NaN when the reference holds none: memory that was never written is filled with NaN. */
struct check_result check_against(const struct check_reference *reference, const spmm_dense_t *c,
                                  struct arithmetic arithmetic);
void check_reference_free(struct check_reference *reference);

#endif
